"""Which sandboxes work on this machine; all tests ask this module."""

from collections.abc import Collection
from functools import cache
from typing import Any

import pytest
from hearts_course.errors import NoSandbox
from hearts_grader.sandbox.backends import PREFERENCE, choose_sandbox, why_none_works, works

SKIPPED = "needs a sandbox, and none works here"


def sandboxes(but: Collection[str] = ()) -> list[Any]:
    """Return parameters for a test: the sandboxes that work on this machine, except those in `but`.

    If none is left, return one parameter that is skipped.
    """
    wanted = [name for name in _working() if name not in but]
    reason = f"only {', '.join(_working())} works here" if _working() else SKIPPED
    return wanted or [pytest.param("no-sandbox", marks=pytest.mark.skip(reason=reason))]


@cache
def _working() -> tuple[str, ...]:
    return tuple(name for name in PREFERENCE if works(name))


@cache
def reason_without_sandbox() -> str:
    """Return why no sandbox works here and what to do; "" if one works."""
    try:
        choose_sandbox()
    except NoSandbox:
        return why_none_works()
    return ""
