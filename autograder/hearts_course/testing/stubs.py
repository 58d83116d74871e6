"""Which unwritten definition a check met, where the check itself shows only what was printed.

A definition of the starter raises `NotImplementedError("Task 5: Follow a lead")`. A script prints
that as its last line, a student's own test ends with it, and a check that reads a program finds it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hearts_course.course import Stage

LABEL = re.compile(r"Task (\d{1,3})\b")
SHOWN = re.compile(r"""NotImplementedError(?:: |\(["'])(Task \d{1,3}\b[^"'\n]*)""")
CUT = " ..."  # ends a line of a program that is too long to be shown
FINDING = "  found "
MORE = re.compile(r"  found\s+and \d+ more")
NOT_WRITTEN = ": not written yet"  # ends what a check finds in a module that has only its outline


@dataclass(frozen=True)
class Stub:
    """An unwritten definition: the number of its task, 0 if it names none, and its stage."""

    number: int
    stage: Stage


def stub_shown(message: str, stages: Iterable[Stage]) -> Stub | None:
    """Return the stub that the message of a failing check shows; None if it shows another fault.

    The stages are the stage of the check and then earlier ones. If the check has several findings,
    each must be a stub, because any other finding is a fault.
    """
    stages = tuple(stages)
    findings = []
    for line in message.split("\n"):
        if line.startswith(FINDING) and not MORE.fullmatch(line):
            findings.append(line)
    stubs = [_stub_in(line, stages) for line in findings or [message]]
    if None in stubs:
        return None
    return stubs[0]


def _stub_in(text: str, stages: tuple[Stage, ...]) -> Stub | None:
    """Return the stub that a text shows, None if it shows none."""
    shown = SHOWN.search(text)
    if shown is None:
        is_outline = text.startswith(FINDING) and text.rstrip().endswith(NOT_WRITTEN)
        return Stub(0, stages[0]) if is_outline else None
    label, cut, _ = shown[1].partition(CUT)
    for stage in stages:
        for number, full_label in _labels(stage):
            is_same = label.startswith(full_label)
            if cut:  # only the beginning of the label is shown
                is_same = full_label.startswith(label)
            if is_same:
                return Stub(number, stage)
    return None


def _labels(stage: Stage) -> Iterator[tuple[int, str]]:
    """Yield the number of each task, and what the stubs of the starter say."""
    for number, task in enumerate(stage.tasks, start=1):
        yield number, f"Task {number}: {task.title}"
