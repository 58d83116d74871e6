"""Which cases of a long test `make test` tries, and which only `make verify`."""

from collections.abc import Iterable
from typing import Any

import pytest


def proofs_after(few: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases as a test's parameters: the first few as they are, the others as proofs."""
    parameters = []
    for index, case in enumerate(cases):
        if index < few:
            parameters.append(case)
        else:
            values = case if isinstance(case, tuple) else (case,)
            parameters.append(pytest.param(*values, marks=pytest.mark.proof))
    return parameters
