"""Find the stub that a check met, if the check shows the stub only as text.

A stub is an unwritten definition of the starter. It raises an error such as
`NotImplementedError("Task 5: Follow a lead")`. The stub is only in the text of a check's message
in three cases: a script prints the error as its last line, a student's own test ends with the
error, or a check reads the program's text and finds the stub there.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hearts_course.course import Stage

LABEL = re.compile(r"Task (\d{1,3})\b")
SHOWN = re.compile(r"""NotImplementedError(?:: |\(["'])(Task \d{1,3}\b[^"'\n]*)""")
CUT = " ..."  # the end of a line that was too long to be shown whole
FINDING = "  found "
MORE = re.compile(r"  found\s+and \d+ more")
NOT_WRITTEN = ": not written yet"  # how a design check's finding on unwritten definitions ends


@dataclass(frozen=True)
class Stub:
    """An unwritten definition: the number of its task (0 if it names no task), and its stage."""

    number: int
    stage: Stage


def stub_shown(message: str, stages: Iterable[Stage]) -> Stub | None:
    """Return the stub that the message of a failing check shows; None if it shows another fault.

    `stages` are the check's own stage, then earlier stages. A finding is a line of the message that
    begins with FINDING. If there are several, each must be a stub; any other finding is a fault.
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
    """Yield the number of each task, and the text that the starter's stubs raise for it."""
    for number, task in enumerate(stage.tasks, start=1):
        yield number, f"Task {number}: {task.title}"
