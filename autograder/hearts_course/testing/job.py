"""What a suite is given and what it gives back.

Program       a submission under test, wherever it runs
Unreachable   one that could not be read or imported
Job           which program, which tests, for how long
Stop          what is left out after a test that did not pass
Run           the tests' results
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Protocol

from hearts_course.errors import CourseError
from hearts_course.results import TestResult
from hearts_course.sandbox.answers import SubmissionStopped
from hearts_course.sandbox.client import Connection


class SuiteError(CourseError):
    """The suite itself went wrong; never the student's fault."""


class Program(Protocol):
    """A submission under test; `stopped` tells why it no longer answers."""

    connection: Connection
    stopped: SubmissionStopped | None
    forks: bool
    cpu_seconds: float  # what the last test used, as far as that is known; 0 otherwise
    import_seconds: float  # what importing the program for it used, as the program says

    @property
    def killed(self) -> bool:
        """Whether others may have ended it, or a variant of it, in this test."""

    @property
    def sources(self) -> Mapping[str, str]:
        """The texts of its modules, by name."""

    def variant(self, modules: Mapping[str, str]) -> "Program":
        """The same program with some modules exchanged, begun; it ends when the next one begins."""

    def begin(self, seconds: float | None = None, *, scripts: bool = False) -> None:
        """Start a test, with its own limit of time if it has one.

        Only with `scripts` can it run the program as a script. Raises RemoteError or
        SubmissionStopped if the
        program cannot be imported.
        """

    def go_on(self, seconds: float | None = None) -> None:
        """Let another test use the process of the one before, with a time of its own."""

    def end(self) -> None:
        """End the test."""


class Unreachable:
    """A program that could not be read or imported: no test reaches it."""

    forks = False
    killed = False
    cpu_seconds = import_seconds = 0.0

    def __init__(self, verdict: str) -> None:
        """`verdict` is why, in one line for the student."""
        self.verdict = verdict
        self.stopped: SubmissionStopped | None = None
        self.connection = Connection(self._ask)

    @property
    def sources(self) -> Mapping[str, str]:
        """There are none."""
        return {}

    def variant(self, modules: Mapping[str, str]) -> Program:
        """No better than itself: raises SubmissionStopped."""
        raise SubmissionStopped("crashed", self.verdict)

    def begin(self, seconds: float | None = None, *, scripts: bool = False) -> None:
        """Never starts: raises SubmissionStopped."""
        raise SubmissionStopped("crashed", self.verdict)

    def go_on(self, seconds: float | None = None) -> None:
        """Nothing was begun."""

    def end(self) -> None:
        """Nothing was begun."""

    def _ask(self, question: dict[str, Any]) -> Any:
        raise SubmissionStopped("crashed", self.verdict)


class StopAfter(Enum):
    """What a run leaves out once a test did not pass: nothing, the rest of its task, the rest."""

    NEVER = auto()
    TASK = auto()
    RUN = auto()


@dataclass(frozen=True)
class Job:
    """What to run: which program, which of the stage's tests, and for how long, in seconds.

    `tasks` are the ids of those that are wanted; all if None.
    """

    program: Program
    tasks: Collection[str] | None = None
    visible_only: bool = False
    stop: StopAfter = StopAfter.NEVER
    seconds: float = 60.0


@dataclass
class RunResult:
    """What a job found: the tests' results by task id, and how often the program gave way.

    `over` is why no further test is run, empty as long as they are; `left` are tasks of which none
    is; `skipped` says, by task id too, why a test was not made, for each that was not; `shortened`
    are tasks in which tests had only a part of their time; `notes` are sentences about the run.
    """

    tests: dict[str, list[TestResult]] = field(default_factory=dict)
    skipped: dict[str, list[str]] = field(default_factory=dict)
    troubles: Counter[str] = field(default_factory=Counter)
    out_of_time: str = ""
    over: str = ""
    left: set[str] = field(default_factory=set)
    shortened: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def add(self, task: str, result: TestResult) -> None:
        """Keep one test's result."""
        self.tests.setdefault(task, []).append(result)

    @property
    def verdict(self) -> str:
        """A line about time, memory and exits, for who reads no further; empty if all was well."""
        total = sum(map(len, self.tests.values()))
        lines = [
            f"in {count} of {total} tests the program {text}"
            for text, count in self.troubles.most_common()
        ]
        return "; ".join([*lines, *self.notes, *filter(None, [self.out_of_time])])
