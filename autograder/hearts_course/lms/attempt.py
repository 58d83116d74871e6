"""One student's attempt as it lies in a download, and what a download holds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Submitter:
    """A student as the platform knows them.

    `lasting` says whether the number stays the same from one assignment to the next.
    """

    name: str
    number: str = ""
    address: str = ""
    lasting: bool = True


@dataclass(frozen=True)
class AttemptFile:
    """A file: its path in the archive, and the name that the student gave it.

    `number` is the platform's upload number; of several files with one name the highest counts.
    """

    path: str
    name: str
    number: int = 0


@dataclass(frozen=True)
class Attempt:
    """What a student handed in at one time.

    `order` sorts the attempts of one platform, `stage` is the stage that the layout names. `time`
    is when it was handed in, "" if the platform does not say; `late` is the platform's own mark.
    """

    submitter: Submitter
    files: tuple[AttemptFile, ...]
    order: str
    stage: str = ""
    time: str = ""
    late: bool = False


@dataclass(frozen=True)
class Download:
    """What was recognised in an archive; `unplaced` has a line for each other file.

    `one_assignment` says whether everything was handed in for the same assignment.
    """

    platform: str
    attempts: tuple[Attempt, ...]
    one_assignment: bool
    unplaced: tuple[str, ...] = ()
