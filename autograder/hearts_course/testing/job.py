"""A job for a suite, the program it is about, and the results."""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeVar

from hearts_course.course import Stage, name_tasks
from hearts_course.errors import CourseError
from hearts_course.results import DID_NOT_END, Outcome, SourcePosition, TestResult
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.client import Connection

Returned = TypeVar("Returned")


class SuiteError(CourseError):
    """The suite itself is at fault, never the student."""


class Program(Protocol):
    """A submission under test, wherever it runs."""

    connection: Connection
    forks: bool = False
    failed: Mapping[str, RemoteError] = MappingProxyType(
        {}
    )  # modules that cannot be imported, and why
    waiting: Callable[[], None] | None = None  # called before a test and during a long answer
    import_seconds: float = 0.0  # the time of the last test's import, as the program reports it

    @property
    def stopped(self) -> SubmissionStopped | None:
        """Why the program no longer answers; None while it answers."""
        return None

    @property
    def has_assigned(self) -> bool:
        """Whether a test has assigned to an attribute of the program in its present process."""
        return False

    @property
    def cpu_seconds(self) -> float:
        """The processor time of the last test; 0 if unknown."""
        return 0.0

    @property
    def killed(self) -> bool:
        """Whether the program or its variant may have been killed from outside in this test."""
        return False

    @property
    def sources(self) -> Mapping[str, str]:
        """The program's source texts, keyed by module name."""
        return {}

    def variant(self, modules: Mapping[str, str]) -> "Program":
        """Start and return a variant of the program, in which `modules` replaces some modules.

        `modules` maps names to source texts. The next call of this method ends the variant.
        """
        return self

    def avoid(self, position: SourcePosition) -> None:
        """From the next import on, let the function around this line raise NotRunAgain."""
        return

    def fresh(self) -> "Program | None":
        """Return the program as it was before all tests. If that is not possible, return None."""
        return None

    def begin(self, seconds: float | None = None, *, scripts: bool = False) -> None:
        """Start a test. `seconds` is its time limit, by default the stage's usual limit.

        The test can run the program as a script only if `scripts` is true. Raise RemoteError or
        SubmissionStopped if the program cannot be imported.
        """
        return

    def go_on(self, seconds: float | None = None) -> None:
        """Start the next test in the same process; `seconds` is its time limit, as in `begin`."""
        self.begin(seconds)

    def end(self) -> None:
        """End the test."""
        return


class StartedProgram(Program, Protocol):
    """A program that has to be imported before its tests, and closed after them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> object:
        """Let go of the program."""

    def prepare(self) -> None:
        """Start what `load` needs, but do not wait for it."""
        return

    def load(self, needed: Iterable[str] = ()) -> None:
        """Import the program. Afterwards, `failed` maps each module that failed to its error.

        Raise RemoteError if all `needed` modules fail. If `needed` is empty, this means all
        modules.
        Raise SubmissionStopped if the program is stopped while it is imported.
        """


class Unreachable(Program):
    """A program that could not be read or imported, so its tests cannot begin."""

    def __init__(self, verdict: str) -> None:
        """`verdict` is a line that tells the student the reason."""
        self.verdict = verdict
        self.connection = Connection(lambda question: None)

    def begin(self, seconds: float | None = None, *, scripts: bool = False) -> None:
        """Raise SubmissionStopped."""
        raise SubmissionStopped("crashed", self.verdict)


class StopAfter(Enum):
    """What a run skips after a failed test: nothing, the rest of its task, or everything else."""

    NEVER = auto()
    TASK = auto()
    RUN = auto()


@dataclass(frozen=True)
class Job:
    """Which program to test, with which of the stage's tests, and for how many seconds.

    `tasks` are the ids of the wanted tasks; None means all of them. The tests of the tasks in
    `first` are run before all others. A job for a student's program must leave `first` empty,
    because hidden tests of these tasks would come before visible tests. `changed` names the
    functions that differ from the reference, as `reach.changes` returns them, or is None. A test
    that calls none of these functions and passes for the reference is not run, and counts as
    passed. The near examples of hidden tests (code for a student to try) are run only with
    `examples`. With `revealed`, a failed hidden test is explained like a visible one, for people
    who may know the hidden tests. Without `reusable`, tests with the mark `reusable` are left out.
    With `quick`, a function that did not end is not run again, and a second timeout ends the run.
    """

    program: Program
    tasks: Collection[str] | None = None
    first: Collection[str] = ()
    changed: Collection[str] | None = None
    visible_only: bool = False
    stop: StopAfter = StopAfter.NEVER
    seconds: float = 60.0
    examples: bool = True
    revealed: bool = False
    reusable: bool = True
    quick: bool = False


@dataclass(frozen=True)
class Loop:
    """A function of the program that did not end, and the line where it loops."""

    function: str
    position: SourcePosition

    @property
    def reason(self) -> str:
        """Why a test that calls the function is not run."""
        return f"`{self.function}` ({self.position}) {DID_NOT_END}"


@dataclass
class RunResult:
    """The results of a job: how the tests of each task ended, and what else happened.

    `out_of_time` says that the time for all tests was used up, and is empty before that. `stopped`
    says why no further test runs, and is empty while tests run. `skipped_tasks` are the tasks whose
    remaining tests do not run. `skipped` holds, by task id, the reason for each skipped test.
    `incidents` counts how often the program ran out of memory or time, or ended. `shortened` are
    tasks whose later tests got only a part of their time. `notes` are sentences for the student.
    `examples` has, by test function, the near example that fails on the program. `timeouts` counts
    the tests that took too long. `looped` is the function that did not end and is not run again.
    """

    tests: dict[str, list[TestResult]] = field(default_factory=dict)
    skipped: dict[str, list[str]] = field(default_factory=dict)
    incidents: Counter[str] = field(default_factory=Counter)
    out_of_time: str = ""
    stopped: str = ""
    skipped_tasks: set[str] = field(default_factory=set)
    shortened: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    examples: dict[str, str] = field(default_factory=dict)
    timeouts: int = 0
    looped: Loop | None = None

    @property
    def all_passed(self) -> bool:
        """Whether every test so far has passed."""
        tests = [test for of_task in self.tests.values() for test in of_task]
        return all(test.outcome is Outcome.PASSED for test in tests)

    def add(self, task: str, result: TestResult) -> None:
        """Add one test's result."""
        self.tests.setdefault(task, []).append(result)

    def note_shortened(self, stage: Stage) -> None:
        """Add a note that names the tasks whose later tests got only a part of their time."""
        numbers = [stage.number(task) for task in stage.tasks if task.id in self.shortened]
        tasks = name_tasks(numbers)
        note = f"after two timeouts the other checks of {tasks} had a tenth of their time"
        self.notes.append(note)

    @property
    def verdict(self) -> str:
        """One line about time, memory and exits; empty if all went well."""
        total = sum(map(len, self.tests.values()))
        lines = [
            f"in {count} of {total} checks the program {text}"
            for text, count in self.incidents.most_common()
        ]
        return "; ".join([*lines, *self.notes, *filter(None, [self.out_of_time])])


def result_of(parts: Generator[Any, None, Returned]) -> Returned:
    """Run the generator to its end, and return the value that it returns."""
    while True:
        try:
            next(parts)
        except StopIteration as end:
            returned: Returned = end.value
            return returned
