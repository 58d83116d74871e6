"""A student's own test, tried on programs that are not the student's, as in a clinic."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hearts_course.files import read_text
from hearts_course.sandbox.answers import RemoteError
from hearts_course.sandbox.client import Connection
from hearts_course.testing.disguise import disguised

PASSES, FAILS, UNWRITTEN = "passes", "fails", "is not written yet"
AS_YOU_GOT_IT, CORRECT = "their program as you got it", "a correct program"


def ending(program_with: Callable[..., Connection], test: str, **modules: str) -> str:
    """Return how a test, such as `own_tests.test_moon`, ends beside these modules, given as texts.

    Raise RemoteError or SubmissionStopped if the program cannot be imported, and SubmissionStopped
    if the test ends it or takes too long.
    """
    module, _, name = test.partition(".")
    function = getattr(program_with(**modules).module(module), name)
    try:
        function()
    except RemoteError as error:
        return UNWRITTEN if isinstance(error, NotImplementedError) else FAILS
    return PASSES


def _correct(tests: Path, module: str) -> Path:
    """Return the file of a correct program, by a folder of the clinic's tests."""
    return tests.parents[1] / "solutions" / tests.name / f"{module}.py"


@dataclass(frozen=True)
class Complaint:
    """A clinic's program with a mistake, `module`, and the student's `test` that shows it.

    `suite` is the file of the visible tests; the program lies beside it.
    """

    suite: Path
    module: str
    test: str

    @property
    def correct(self) -> Path:
        """The file of a correct program, which only the grader has."""
        return _correct(self.suite.parent, self.module)

    def tried(self, program_with: Callable[..., Connection]) -> Callable[[str], str]:
        """Return a function that tells how the student's test ends on one of the two programs."""
        files = {AS_YOU_GOT_IT: self.suite.parent / f"{self.module}.py", CORRECT: self.correct}

        def your_test(on: str) -> str:
            modules = {self.module: read_text(files[on])} if on in files else {}
            return ending(program_with, self.test, **modules)

        return your_test


@dataclass(frozen=True)
class Clinic:
    """A clinic's programs: the one with the mistake, and correct ones.

    `suite` is the folder of the hidden tests, `module` their module, `test` the student's test, and
    `promised` are the names that the brief promises.
    """

    suite: Path
    module: str
    test: str
    promised: frozenset[str]

    def endings(
        self, program_with: Callable[..., Connection], source: Mapping[str, str]
    ) -> tuple[list[str], list[str]]:
        """Return how the test ends on the program with the mistake, twice, and on each correct one.

        Each time the program is in another disguise, so the test cannot know it by its text.
        """
        name, file = self.suite.name, f"{self.module}.py"
        theirs = self.suite.parents[1] / "assignments" / name / file
        correct = [_correct(self.suite, self.module)]
        correct += sorted(self.suite.glob(f"alternatives/*/{file}"))
        rng = Random(repr(sorted(source.items())))

        def on(path: Path) -> str:
            text = disguised(read_text(path), self.promised, rng)
            return ending(program_with, self.test, **{self.module: text})

        return [on(theirs), on(theirs)], [on(path) for path in correct]
