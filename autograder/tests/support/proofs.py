"""Divide the cases of a long test among `make test`, `make verify` and `make test-all`.

`make verify` runs the cases marked `proof`, and `make test-all` those marked `exhaustive`.
"""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def proofs_after(few: int, cases: Iterable[Any], *, most: int | None = None) -> list[Any]:
    """Return the cases as a test's parameters; all but the first `few` are marked as proofs.

    If `most` is given, all but the first `most` cases are marked as exhaustive instead.
    """
    parameters = []
    for index, case in enumerate(cases):
        if index < few:
            parameters.append(case)
            continue
        proof = most is None or index < most
        values = case if isinstance(case, tuple) else (case,)
        mark = pytest.mark.proof if proof else pytest.mark.exhaustive
        parameters.append(pytest.param(*values, marks=mark))
    return parameters


def slow_as_proofs(slow: Collection[str], cases: Iterable[str]) -> list[Any]:
    """Return the cases as a test's parameters; the slow ones are marked as proofs."""
    unknown = {*slow}
    parameters: list[Any] = []
    for case in cases:
        if case in slow:
            unknown.remove(case)
            parameters.append(pytest.param(case, marks=pytest.mark.proof))
        else:
            parameters.append(case)
    assert not unknown, "a slow case that does not exist"
    return parameters
