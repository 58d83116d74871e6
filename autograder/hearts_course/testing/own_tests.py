"""A student's own test, tried on programs that are not the student's, as in a clinic.

The clinic's program is the one with a mistake that students are given. To students it is "their
program": somebody else has written it.
"""

import ast
import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random, SystemRandom

import pytest

from hearts_course.course import root_of
from hearts_course.files import read_text
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.client import Connection
from hearts_course.sandbox.worker.protocol import ProtocolError
from hearts_course.testing.disguise import disguised
from hearts_course.testing.outcomes import OUR_ERRORS, is_not_run_again, is_timeout

PASSES, FAILS, UNWRITTEN = "passes", "fails", "is not written yet"
SOMETIMES = f"{PASSES} only sometimes"
RAISES = "raises"
TRIES = 3  # of each program of a clinic
SEVERAL_TRIES = 10  # seconds for a check with several programs, each of which gets a test's time
# What a call of a student's test can raise; TypeError if the test's name is not a function's.
SAID_BY_PROGRAM = (RemoteError, SubmissionStopped, ProtocolError, TypeError)
AS_YOU_GOT_IT, CORRECT = "their program as you got it", "a correct program"
YOUR_REPAIR = "your repair"
# Raised in a test, these say that the test is wrong, whatever program it is about.
MISTAKES_OF_A_TEST = (NameError, TypeError, AttributeError, ImportError, SyntaxError)
ASKS_NOTHING = f"{FAILS} without asking their program anything"
TOO_LONG = "takes too long"
NOT_ALL_PASS = "your tests do not all pass"  # on a program that is not the student's
NOT_YET_KNOWN = "not yet known whether your test passes on a correct program"
CALLS = "noted_calls"  # a list in a copy of the clinic's program


def in_words(ends: Mapping[str, str]) -> str:
    """Return how a test ends on each of these programs, in one sentence."""
    return "; ".join(f"on {program}: {end}" for program, end in ends.items())


def showing_the_slip(correct: str) -> str:
    """Return how a test should end on the clinic's program and on `correct`, as `in_words` does."""
    program = correct
    if correct == AS_YOU_GOT_IT:  # as `known_correct` says of a test that is not written yet
        program = CORRECT
    return in_words({AS_YOU_GOT_IT: FAILS, program: PASSES})


def says_how_it_ends(text: str) -> bool:
    """Return whether a text says how a student's test ends, on one program or on several."""
    on_theirs = f"on {AS_YOU_GOT_IT}: "
    begins = (PASSES, FAILS, UNWRITTEN, RAISES, TOO_LONG, NOT_ALL_PASS, on_theirs)
    return text.startswith(begins)


def ending(program_with: Callable[..., Connection], test: str, **modules: str) -> str:
    """Return how a test, such as `own_tests.test_moon`, ends beside these modules, given as texts.

    Raise RemoteError or SubmissionStopped if the program cannot be imported, and SubmissionStopped
    if the test ends it or takes too long.
    """
    return _ending_with(_error_of(program_with(**modules), test))


def _ending_with(error: RemoteError | None) -> str:
    """Return how a test ends that raises this error; None if it raises none."""
    if error is None:
        return PASSES
    return UNWRITTEN if isinstance(error, NotImplementedError) else FAILS


def _error_of(program: Connection, test: str) -> RemoteError | None:
    """Return what the test raises, None if it passes.

    If the test came to a function that is not run again, nothing is known, so raise that error.
    """
    module, _, name = test.partition(".")
    function = getattr(program.module(module), name)
    try:
        function()
    except RemoteError as error:
        if is_not_run_again(error):
            raise
        return error
    return None


def _does_not_end(error: object) -> bool:
    """Return whether the error says that a program took too long, here or in another check."""
    return isinstance(error, Exception) and (is_timeout(error) or is_not_run_again(error))


def in_random_order(
    source: Mapping[str, str], programs: Mapping[str, str], tries: int
) -> tuple[list[str], Random]:
    """Return each program's name `tries` times, in a random order, and the random generator.

    The seed is the submission and the programs' texts. A submission that is graded again gets the
    same order. A student, who lacks some of the texts, cannot compute it.
    """
    seed = ascii((sorted(source.items()), dict(programs))).encode()
    rng = Random(hashlib.sha256(seed).digest())
    names = [name for name in programs for _ in range(tries)]
    rng.shuffle(names)
    return names, rng


def _correct(tests: Path, module: str) -> Path:
    """Return the file of a correct program; `tests` is a folder of tests, named like the clinic."""
    return root_of(tests) / "solutions" / tests.name / f"{module}.py"


def _holds(check: Callable[..., None], program: Connection) -> bool:
    """Return whether this check passes on the program's modules.

    Raise the check's error if the program takes too long, or if the tool is at fault. Any other
    error means that the check does not pass. The same check also runs as a test, which tells the
    student what came back.
    """
    try:
        check(**{name: program.module(name) for name in inspect.signature(check).parameters})
    except Exception as error:
        if _does_not_end(error) or isinstance(error, OUR_ERRORS):
            raise
        return False
    return True


def place_in(file: str, error: RemoteError) -> str:
    """Return the last line of the file that an error came through, "" if there is none."""
    lines = [line for name, line in error.calls if name == file]
    if error.where and error.where[0] == file:
        lines.append(error.where[1])
    return f"{file}, line {lines[-1]}" if lines else ""


def with_noted_calls(text: str) -> str:
    """Return the program's text with a list CALLS that grows with each call of a function."""
    tree = ast.parse(text)
    note = ast.parse(f"{CALLS}.append(1)").body
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [*note, *node.body]
    is_import = [isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body]
    first = is_import.index(True) if True in is_import else 0
    while first < len(tree.body) and is_import[first]:
        first += 1
    tree.body[first:first] = ast.parse(f"{CALLS} = []").body
    return ast.unparse(tree)


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

    @property
    def given(self) -> str:
        """The text of the clinic's program as students get it."""
        return read_text(self.suite.parent / f"{self.module}.py")

    def tried(self, program_with: Callable[..., Connection]) -> Callable[[str], str]:
        """Return a function that tells how the student's test ends on one of the programs.

        A test could quote the correct program. So on that program the function only tells whether
        the test passes, takes too long, or raises the same error as on the clinic's program.

        The test is tried twice on each program, in an order that nobody can know, because a process
        may find in its memory how many others came before it. A program that took too long is not
        tried again, because the other programs need the time.
        """

        ends: dict[str, list[str | Exception]] = {}

        def your_test(on: str) -> str:
            if not ends:
                names = [AS_YOU_GOT_IT, YOUR_REPAIR, *([CORRECT] if self.correct.is_file() else [])]
                for name in SystemRandom().sample(2 * names, 2 * len(names)):
                    tries = ends.setdefault(name, [])
                    slow = [end for end in tries if _does_not_end(end)]
                    tries.append(slow[0] if slow else self._ending(program_with, name))
            first, second = ends[on]
            for end in (first, second):
                if isinstance(end, Exception):
                    raise end
            return str(first) if first == second else SOMETIMES

        return your_test

    def _ending(self, program_with: Callable[..., Connection], on: str) -> str | Exception:
        """Return how the test ends on one of the programs, or the error that stopped the try."""
        try:
            if on == CORRECT:
                return self._ending_on_correct(program_with)
            if on == AS_YOU_GOT_IT:
                return self._ending_on_theirs(program_with)
            return self._ending_on_repair(program_with)
        except SubmissionStopped as stopped:
            return stopped if on == YOUR_REPAIR else self._without_their_lines(stopped)
        except Exception as error:
            return error

    def _without_their_lines(self, stopped: SubmissionStopped) -> SubmissionStopped:
        """Return the error without calls in the clinic's program.

        The student's own program has the same file name, but other lines.
        """
        calls = tuple(call for call in stopped.calls if call[0] != self._file)
        return SubmissionStopped(stopped.kind, stopped.text, killed=stopped.killed, calls=calls)

    def known_correct(
        self, program_with: Callable[..., Connection], check: Callable[..., None]
    ) -> str:
        """Return which program is known to be correct here, for the function of `tried`.

        A student does not have the correct program. The student's repair takes its place if the
        repair passes `check`, the visible check of the rule, and the student's test. If there is no
        correct program at all, skip the test and say why: the repair takes too long, or how the
        student's test failed on the clinic's program.
        """
        if self.correct.is_file():
            return CORRECT
        on_theirs = self._ending_on_theirs(program_with)
        if on_theirs == UNWRITTEN:  # on any program the answer is that the test is not written
            return AS_YOU_GOT_IT
        reason = NOT_YET_KNOWN
        try:
            if self._is_repaired(program_with, check):
                return YOUR_REPAIR
        except (RemoteError, SubmissionStopped) as error:
            if not _does_not_end(error):
                raise
            reason += f", because your repair {TOO_LONG}: see task 2"
        if on_theirs == FAILS:
            reason += self._question(program_with)
        pytest.skip(reason)

    def _is_repaired(
        self, program_with: Callable[..., Connection], check: Callable[..., None]
    ) -> bool:
        """Return whether the student's program passes the check and the student's test.

        Another process runs both, so that a repair that takes too long ends no other try.
        """
        return _holds(check, program_with()) and ending(program_with, self.test) == PASSES

    def _question(self, program_with: Callable[..., Connection]) -> str:
        """Return a question to the student: is the error on the clinic's program the complaint?"""
        error = _error_of(program_with(**{self.module: self.given}), self.test)
        if error is None:
            return ""
        raised = f"{error.kind}: {error.text}" if error.text else error.kind
        place = "{}, line {}: {}".format(*error.where) if error.where else ""
        called_from = self._caller(error)
        if called_from and not place.startswith(called_from):
            place += f"; called from {called_from}"
        return f". On their program it raised {raised} ({place}): is that the complaint?"

    def _ending_on_repair(self, program_with: Callable[..., Connection]) -> str:
        """Return how the test ends on the student's program; a mistake of the test is named.

        The test may come to its mistake only where a program answers rightly.
        """
        error = _error_of(program_with(), self.test)
        if error is not None and self._is_mistake_of_test(error):
            return self._raised_by_test(error)
        return _ending_with(error)

    def _raised_by_test(self, error: RemoteError) -> str:
        """Return that the test raises this error itself, and where."""
        place = self._caller(error)
        where = f" ({place})" if place else ""
        return f"{RAISES} {error.kind} itself: {error.text}{where}"

    def _ending_on_theirs(self, program_with: Callable[..., Connection]) -> str:
        """Return how the test ends on the clinic's program.

        It is FAILS only if answers of the program may be the reason.
        """
        error = _error_of(program_with(**{self.module: self.given}), self.test)
        if error is None:
            return PASSES
        if isinstance(error, NotImplementedError):
            return UNWRITTEN
        if self._is_mistake_of_test(error):
            return self._raised_by_test(error)
        if self._is_wrong_call(error):
            places = f"{place_in(self._file, error)}, called from {self._caller(error)}"
            return f"{RAISES} {error.kind} in their program: {error.text} ({places})"
        return FAILS if self._asks(program_with) else ASKS_NOTHING

    @property
    def _test_file(self) -> str:
        """The file of the student's test."""
        return f"{self.test.partition('.')[0]}.py"

    @property
    def _file(self) -> str:
        """The file of the clinic's program."""
        return f"{self.module}.py"

    def _caller(self, error: RemoteError) -> str:
        """Return the line of the student's test that an error came through, "" if there is none."""
        return place_in(self._test_file, error)

    def _is_wrong_call(self, error: RemoteError) -> bool:
        """Return whether the clinic's program cannot use the arguments that the test gives it.

        Then the test is wrong, because no clinic's program has a mistake that raises such an error.
        """
        in_program = error.where is not None and error.where[0] == self._file
        is_called = in_program and self._caller(error) != ""
        return is_called and isinstance(error, MISTAKES_OF_A_TEST)

    def _is_mistake_of_test(self, error: RemoteError) -> bool:
        """Return whether the error says that the test is wrong, whatever program it is about."""
        in_test = error.where is None or error.where[0] == self._test_file
        return in_test and isinstance(error, MISTAKES_OF_A_TEST)

    def _asks(self, program_with: Callable[..., Connection]) -> bool:
        """Return whether the test runs a function of the clinic's program."""
        program = program_with(**{self.module: with_noted_calls(self.given)})
        _error_of(program, self.test)
        return bool(getattr(program.module(self.module), CALLS))

    def _ending_on_correct(self, program_with: Callable[..., Connection]) -> str:
        """Return whether the student's test passes or fails on the correct program.

        The result must not quote the correct program. So it names an error only if it is a mistake
        of the test, and if the test raises the same error on the clinic's program.
        """
        try:
            error = _error_of(program_with(**{self.module: read_text(self.correct)}), self.test)
            if error is None:
                return PASSES
            if not self._is_mistake_of_test(error):
                return FAILS
            on_theirs = _error_of(program_with(**{self.module: self.given}), self.test)
        except SAID_BY_PROGRAM as stopped:
            return TOO_LONG if is_timeout(stopped) else FAILS
        is_same = on_theirs is not None and self._told(error) == self._told(on_theirs)
        return f"{RAISES} the same {error.kind}" if is_same else FAILS

    def _told(self, error: RemoteError) -> tuple[str, str, str]:
        """Return what a student reads about a mistake of the test."""
        return error.kind, error.text, self._caller(error)


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
        """Return how the test ends in each try on the clinic's program, and on the correct ones.

        The reference comes first among the correct programs. Only what a program does may decide.
        So each program is tried three times, in another disguise and another process each time, and
        the tries are in random order. A test can then recognise a program neither by its text nor
        by the number of programs before it.
        """
        name = self.suite.name
        file = f"{self.module}.py"
        paths = {
            AS_YOU_GOT_IT: root_of(self.suite) / "assignments" / name / file,
            CORRECT: _correct(self.suite, self.module),
        }
        others = sorted(self.suite.glob(f"alternatives/*/{file}"))
        paths |= {path.parent.name: path for path in others}
        programs = {program: read_text(path) for program, path in paths.items()}
        order, rng = in_random_order(source, programs, TRIES)
        ends: dict[str, list[str]] = {program: [] for program in programs}
        for program in order:
            text = disguised(programs[program], self.promised, rng)
            ends[program].append(ending(program_with, self.test, **{self.module: text}))
        on_theirs, *on_correct = ends.values()
        return on_theirs, [end for tries in on_correct for end in tries]
