"""The sentences of feedback that all its renderings share."""

from hearts_course.course import Manual
from hearts_course.grading.misconceptions import Match
from hearts_course.reports.source_excerpt import Excerpt

FOOT = (
    "A task’s points are shared out evenly among its checks. A hidden check tells its rule and a "
    "near example to try, never its own. What a person gives and what coming late costs "
    "are not in these points."
)


def by_hand(manual: Manual) -> str:
    """What a person can give beside the grader."""
    some = "point" if manual.points == 1 else "points"
    return f"{manual.title}: up to {manual.points} {some} more, which a person gives."


def likeness(like: Match) -> str:
    """What the task's failures look like; it may be something else all the same."""
    how = "just like" if like.exact else "much like"
    names = ", or this: ".join(f"“{name}”" for name in like.names)
    return f"Here your program behaves {how} one that has this slip: {names}. Could that be it?"


def missing(code: Excerpt) -> str:
    """Which definitions were not found; empty if all were."""
    if not code.missing:
        return ""
    return f"Not found in your program, by name: {', '.join(code.missing)}."


def left_out(code: Excerpt) -> str:
    """How much is not shown; empty if all is."""
    if not code.left_out:
        return ""
    return f"{code.left_out} more {'line' if code.left_out == 1 else 'lines'} left out."
