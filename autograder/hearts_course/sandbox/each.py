"""Many questions of one kind at once: every question has its price, and a hand has many cards."""

import operator
from collections.abc import Callable
from typing import Any

from hearts_course.sandbox.proxy import Proxy
from hearts_course.sandbox.worker.protocol import ProtocolError

COMPARISONS = frozenset(
    {operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge}
)
EXACTLY: dict[Callable[..., Any], type] = {
    **{kind: kind for kind in (str, int, float, bool, list)},
    **{len: int, hash: int, repr: str},
    **dict.fromkeys(COMPARISONS, bool),
}
KNOWN = frozenset({*EXACTLY, getattr})


def each(function: Callable[..., Any], *columns: Any) -> list[Any]:
    """What the function gives for each item, as `list(map(function, *columns))` would be.

    The function is one of the program's, `getattr`, or `str`, `int`, `float`, `bool`, `list`,
    `len`, `hash`, `repr` or a comparison (`operator.eq`, ...) of its objects; these must answer
    with exactly their own type. Raises what the first bad item raises; TypeError for a wrong type
    of answer and for what cannot be called; ValueError for columns of different lengths;
    RuntimeError for any other function.
    """
    columns = tuple(column if _is_far(column) else list(column) for column in columns)
    far = next((value for value in (function, *columns, *_first(columns)) if _is_far(value)), None)
    ours = not _is_far(function)
    # A question must not carry a value across that the program's object is compared with.
    if far is None or (ours and function in COMPARISONS and not all(map(_all_far, columns))):
        return [function(*row) for row in zip(*columns, strict=True)]
    if not callable(function):
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    if ours and function not in KNOWN:
        raise RuntimeError(f"each cannot ask for {function!r}")
    answers: list[Any] = far._connection.each(function, columns)
    if len(answers) != _rows(columns, len(answers)):
        raise ProtocolError("more or fewer answers than there were questions")
    if ours and function in EXACTLY:
        for answer in answers:
            _check(answer, function)
    return answers


def _check(answer: Any, function: Callable[..., Any]) -> None:
    kind = EXACTLY[function]
    if type(answer) is not kind:
        raise TypeError(f"{function.__name__} gave {answer!r}, not a {kind.__name__}")


def _is_far(value: Any) -> bool:
    return type(value) is Proxy


def _all_far(column: Any) -> bool:
    return not _is_far(column) and all(map(_is_far, column))


def _first(columns: tuple[Any, ...]) -> list[Any]:
    """An item of each plain column: if one of them is an object of the program's, all are."""
    return [column[0] for column in columns if not _is_far(column) and column]


def _rows(columns: tuple[Any, ...], default: int) -> int:
    """How many rows there are, as far as our side knows."""
    return next((len(column) for column in columns if not _is_far(column)), default)
