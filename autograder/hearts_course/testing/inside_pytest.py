"""What this package needs of pytest beyond the names that pytest documents.

Only this module uses private names, because any release of pytest may change them. A test checks
that the installed pytest has each name, and `pyproject.toml` limits the version of pytest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from _pytest.assertion import util
from _pytest.config import _prepareconfig

Compare = Callable[[str, object, object], str | None]


def configured(arguments: Sequence[str], plugins: Sequence[object]) -> pytest.Config:
    """Return pytest's settings for the arguments. Unlike `pytest.main`, do not run a session.

    `pytest_configure` has not been called yet. If `configure` fails later, the caller already has
    the settings and can clean up.
    """
    return _prepareconfig([*arguments], [*plugins])


def configure(config: pytest.Config) -> None:
    """Call `pytest_configure` of all plugins, as the beginning of a session does."""
    config._do_configure()


def unconfigure(config: pytest.Config) -> None:
    """Clean up what `configure` and the session have left."""
    config._ensure_unconfigure()


@contextmanager
def comparing_by(compare: Compare) -> Iterator[None]:
    """Inside the block, pass both sides of each failed `assert` to `compare`.

    pytest has rewritten each `assert` so that it calls a hook. pytest sets the hook only when it
    runs a test itself, so set the hook here.
    """
    original = util._reprcompare
    util._reprcompare = compare
    try:
        yield
    finally:
        util._reprcompare = original


def fixtures_of(item: pytest.Function) -> Mapping[str, Sequence[pytest.FixtureDef[Any]]]:
    """Map the name of each fixture that the test can use to the fixture's definitions.

    If a fixture has several definitions, the test uses the last one.
    """
    return item._fixtureinfo.name2fixturedefs


def parameters_of(item: pytest.Function) -> Mapping[str, object] | None:
    """Map the test's parameters to their values. For a test without parameters, return None."""
    return item.callspec.params if hasattr(item, "callspec") else None
