"""Which cases of a long test `make test` tries, which `make verify`, and which `make test-all`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def proofs_after(few: int, cases: Iterable[Any], *, most: int | None = None) -> list[Any]:
    """Return the cases as a test's parameters: the first few as they are, the others as proofs.

    With `most`, only that many cases are few or proofs; the others are exhaustive.
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
    """Return the cases as a test's parameters, the slow ones as proofs."""
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
