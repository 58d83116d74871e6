"""A student's own test, tried on programs that are not the student's, as in a clinic.

In a clinic, students get a program with a mistake. They write a test that shows the mistake, and
then repair the program. Messages call the given program "their program", because somebody else
wrote it.
"""

import hashlib
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random, SystemRandom

import pytest

from hearts_course.course import root_of
from hearts_course.files import read_text
from hearts_course.python_source import with_first_statements
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.client import Connection
from hearts_course.sandbox.worker.protocol import ProtocolError
from hearts_course.testing.disguise import disguised
from hearts_course.testing.endings import (
    AS_YOU_GOT_IT,
    FAILS,
    NOT_ALL_PASS,  # noqa: F401 - tests of stages import it from here
    PASSES,
    RAISES,
    TOO_LONG,
    UNWRITTEN,
)
from hearts_course.testing.outcomes import OUR_ERRORS, is_not_run_again, is_timeout

SOMETIMES = f"{PASSES} only sometimes"
TRIES = 3  # how often a test is tried on each program of a clinic
# Seconds for a whole check that tries several programs. Each program also has its usual limit.
SEVERAL_TRIES = 10
# Errors that a call of a student's test can raise. TypeError says that the test is not a function.
SAID_BY_PROGRAM = (RemoteError, SubmissionStopped, ProtocolError, TypeError)
CORRECT = "a correct program"
YOUR_REPAIR = "your repair"
# If the test itself raises one of these, the test is wrong, whatever the program does.
MISTAKES_OF_A_TEST = (NameError, TypeError, AttributeError, ImportError, SyntaxError)
# Errors of a test that opens a file. The grader's sandbox has no file of the student.
FILE_ERRORS = (FileNotFoundError, PermissionError)
WITHOUT_FILES = "your files need not be there when a check runs your test"
ASKS_NOTHING = f"{FAILS} without asking their program anything"
NOT_YET_KNOWN = "not yet known whether your test passes on a correct program"
# The name of the list in which a copy of the clinic's program records the calls of its functions.
CALLS = "noted_calls"


def in_words(ends: Mapping[str, str]) -> str:
    """Return one sentence that says how a test ends on each of these programs."""
    return "; ".join(f"on {program}: {end}" for program, end in ends.items())


def showing_the_slip(correct: str) -> str:
    """Return what `in_words` says of a good test.

    A good test fails on the clinic's program and passes on the program `correct`.
    """
    program = correct
    if correct == AS_YOU_GOT_IT:  # `known_correct` returns this for an unwritten test
        program = CORRECT
    return in_words({AS_YOU_GOT_IT: FAILS, program: PASSES})


def ending(program_with: Callable[..., Connection], test: str, **modules: str) -> str:
    """Return how a test, such as `own_tests.test_moon`, ends on a variant of the program.

    `modules` maps the names of exchanged modules to their new source texts. Raise RemoteError if
    the import fails. Raise SubmissionStopped if the import or the test ends the program or takes
    too long.
    """
    return _ending_with(_error_of(program_with(**modules), test))


def _ending_with(error: RemoteError | None) -> str:
    """Return how a test ends; `error` is what the test has raised, None if nothing."""
    if error is None:
        return PASSES
    return UNWRITTEN if isinstance(error, NotImplementedError) else FAILS


def _error_of(program: Connection, test: str) -> RemoteError | None:
    """Return what the test raises, None if it passes.

    A function of the program that once took too long is not run again. If the test calls such a
    function, the test's result is unknown; raise the error that says so.
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

    The seed comes from the texts of the submission and the programs. A submission that is graded
    again gets the same order. A student lacks some of the texts and cannot compute the order.
    """
    seed = ascii((sorted(source.items()), dict(programs))).encode()
    rng = Random(hashlib.sha256(seed).digest())
    names = [name for name in programs for _ in range(tries)]
    rng.shuffle(names)
    return names, rng


def _correct(tests: Path, module: str) -> Path:
    """Return the file of a correct program. `tests` is a folder of tests, named like the clinic."""
    return root_of(tests) / "solutions" / tests.name / f"{module}.py"


def _holds(check: Callable[..., None], program: Connection) -> bool:
    """Return whether this check passes on the program's modules.

    Raise the check's error if the program takes too long, or if `hearts` is at fault. Any other
    error means that the check does not pass. The same check also runs as a test, which tells the
    student what the program answered.
    """
    try:
        check(**{name: program.module(name) for name in inspect.signature(check).parameters})
    except Exception as error:
        if _does_not_end(error) or isinstance(error, OUR_ERRORS):
            raise
        return False
    return True


def place_in(file: str, error: RemoteError) -> str:
    """Return the last of the lines in `file` that the error came through, "" if there is none."""
    lines = [line for name, line in error.calls if name == file]
    if error.where and error.where[0] == file:
        lines.append(error.where[1])
    return f"{file}, line {lines[-1]}" if lines else ""


def with_noted_calls(text: str) -> str:
    """Return the program's text, changed so that each call of a function is recorded.

    Each call adds an item to a new list of the program, whose name is CALLS.
    """
    return with_first_statements(text, f"{CALLS} = []", f"{CALLS}.append(1)")


@dataclass(frozen=True)
class Complaint:
    """The clinic's program with a mistake, and the student's test that shows the mistake.

    `module` names the program, and `test` the test, such as `own_tests.test_moon`. `suite` is the
    file of the visible tests; the program lies beside it.
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
        return read_text(self.suite.parent / self.program_file)

    @property
    def program_file(self) -> str:
        """The file name that the clinic's program and the student's repair share."""
        return f"{self.module}.py"

    @property
    def test_file(self) -> str:
        """The name of the file with the student's test."""
        return f"{self.test.partition('.')[0]}.py"

    def tried(self, program_with: Callable[..., Connection]) -> Callable[[str], str]:
        """Return a function that tells how the student's test ends on one of the programs.

        The text of a test's error could quote the correct program. So for that program, the
        function only tells whether the test passes, fails, takes too long, is not written yet, or
        raises the same error as on the clinic's program.

        The test is tried twice on each program, in a secret random order. A process may find in its
        memory how many processes came before it. The random order hides from the process which
        program it runs. A program that took too long is not tried again, because the other programs
        need the time.
        """

        ends: dict[str, list[str | Exception]] = {}

        def your_test(on: str) -> str:
            if not ends:
                names = [AS_YOU_GOT_IT, YOUR_REPAIR, *([CORRECT] if self.correct.is_file() else [])]
                student_test = ComplaintTest(self, program_with)
                for name in SystemRandom().sample(2 * names, 2 * len(names)):
                    tries = ends.setdefault(name, [])
                    slow = [end for end in tries if _does_not_end(end)]
                    tries.append(slow[0] if slow else student_test.ending_or_error(name))
            both: list[str] = []
            for end in ends[on]:
                if isinstance(end, Exception):
                    raise end
                both.append(end)
            if len({*both}) == 1:
                return both[0]
            # The text of an error may differ from try to try. If neither try passes, return the
            # first ending that says more than FAILS.
            return SOMETIMES if PASSES in both else next(end for end in both if end != FAILS)

        return your_test

    def known_correct(
        self, program_with: Callable[..., Connection], check: Callable[..., None]
    ) -> str:
        """Return the name of a correct program, for the function that `tried` returns.

        A student's computer does not have the correct program. There, the student's repair counts
        as correct if it passes `check` and the student's test. `check` is the visible check of the
        rule. If the test is not written yet, it ends in the same way on every program, so return
        AS_YOU_GOT_IT. If no program is known to be correct, skip the running test: call
        `pytest.skip`. The reason for the skip may add that the repair takes too long, or how the
        student's test failed.
        """
        if self.correct.is_file():
            return CORRECT
        student_test = ComplaintTest(self, program_with)
        on_theirs = student_test.ending_on_theirs()
        if on_theirs == UNWRITTEN:  # an unwritten test ends in this way on every program
            return AS_YOU_GOT_IT
        reason = NOT_YET_KNOWN
        try:
            if student_test.is_repaired(check):
                return YOUR_REPAIR
        except (RemoteError, SubmissionStopped) as error:
            if not _does_not_end(error):
                raise
            reason += f", because your repair {TOO_LONG}: see task 2"
        if on_theirs == FAILS and (raised := student_test.raised_on_theirs()):
            reason += f". On their program it {raised.in_short()}: is that the complaint?"
        pytest.skip(reason)


@dataclass(frozen=True)
class RaisedError:
    """An error that a student's test raised, with the file names of test and program."""

    error: RemoteError
    test_file: str
    program_file: str

    @property
    def line_of_test(self) -> str:
        """The line of the student's test that the error came through, "" if there is none."""
        return place_in(self.test_file, self.error)

    @property
    def is_mistake_of_test(self) -> bool:
        """Whether the test itself is wrong, because it raised an error such as NameError."""
        return self._is_in_test and isinstance(self.error, MISTAKES_OF_A_TEST)

    @property
    def lacks_file(self) -> bool:
        """Whether the test itself is wrong, because it opens a file that is not there."""
        return self._is_in_test and isinstance(self.error, FILE_ERRORS)

    @property
    def _is_in_test(self) -> bool:
        """Whether the error was raised in the file of the student's test, or in no known file."""
        return self.error.where is None or self.error.where[0] == self.test_file

    @property
    def file_called(self) -> str:
        """The file that the test called and that raised the error; "" if the test raised it."""
        if self.error.where is None or not self.line_of_test:
            return ""
        file = self.error.where[0]
        return file if file != self.test_file else ""

    @property
    def is_wrong_call(self) -> bool:
        """Whether the clinic's program cannot use the arguments that the test passes.

        Then the test is wrong, because a clinic's mistake never raises such an error.
        """
        is_called = self.file_called == self.program_file
        return is_called and isinstance(self.error, MISTAKES_OF_A_TEST)

    @property
    def told(self) -> tuple[str, str, str]:
        """The error's class and text, and the line of the test, as a student reads them."""
        return self.error.kind, self.error.text, self.line_of_test

    def by_test(self) -> str:
        """Return a message which says that the test itself raises this error, and where."""
        kind, text, place = self.told
        what = f": {text}" if text else ""
        reasons = self._reasons(place)
        where = f" ({'; '.join(reasons)})" if reasons else ""
        return f"{RAISES} {kind} itself{what}{where}"

    def before_any_question(self) -> str:
        """Return a message which says that the test fails without a call of the program."""
        kind, text, place = self.told
        reasons = self._reasons(place)
        if kind != "AssertionError":
            reasons.insert(0, f"{kind}: {text}")
        return f"{ASKS_NOTHING} ({'; '.join(reasons)})" if reasons else ASKS_NOTHING

    def _reasons(self, place: str) -> list[str]:
        """Return the place of the error, and why a file is missing, as far as they are known."""
        return [*filter(None, [place, WITHOUT_FILES if self.lacks_file else ""])]

    def by_call(self, program: str) -> str:
        """Return a message which says that the test's call raises this error in `file_called`.

        `program` names the clinic's program, such as "their program".
        """
        kind, text, calling_line = self.told
        called = program if self.file_called == self.program_file else self.file_called
        what = f": {text}" if text else ""
        places = f"{place_in(self.file_called, self.error)}, called from {calling_line}"
        return f"{RAISES} {kind} in {called}{what} ({places})"

    def in_short(self) -> str:
        """Return a few words on this error, with the lines of program and test."""
        kind, text, calling_line = self.told
        raised = f"{kind}: {text}" if text else kind
        place = ""
        if self.error.where:
            file, line, code = self.error.where
            version = " as you got it" if file == self.program_file else ""
            place = f"{file}{version}, line {line}: {code}"
        if calling_line and not place.startswith(calling_line):
            place += f"; {calling_line} led to it"
        return f"raised {raised} ({place})"


def _tell_the_same(raised: RaisedError, other: RaisedError | None) -> bool:
    """Return whether both errors look the same to a student.

    Ignore the line of the program that raised them.
    """
    if other is None:
        return False
    return (raised.told, raised.file_called) == (other.told, other.file_called)


@dataclass(frozen=True)
class ComplaintTest:
    """The student's test on the programs of a complaint; `program_with` starts each program."""

    complaint: Complaint
    program_with: Callable[..., Connection]

    def ending_or_error(self, on: str) -> str | Exception:
        """Return how the test ends on one of the programs, or the error that stopped the test."""
        try:
            if on == CORRECT:
                return self._ending_on_correct()
            if on == AS_YOU_GOT_IT:
                return self.ending_on_theirs()
            return self._ending_on_repair()
        except SubmissionStopped as stopped:
            return stopped if on == YOUR_REPAIR else self._without_their_lines(stopped)
        except Exception as error:
            return error

    def ending_on_theirs(self) -> str:
        """Return how the test ends on the clinic's program.

        Return FAILS only if the program's answers may be the reason. Raise RemoteError or
        SubmissionStopped if the program does not end.
        """
        raised = self.raised_on_theirs()
        if raised is None:
            return PASSES
        if isinstance(raised.error, NotImplementedError):
            return self._unwritten(raised.error)
        if raised.is_mistake_of_test:
            return raised.by_test()
        if raised.is_wrong_call:
            return raised.by_call("their program")
        if not self._asks():
            return raised.before_any_question()
        return raised.by_test() if raised.lacks_file else FAILS

    def raised_on_theirs(self) -> RaisedError | None:
        """Return what the test raises on the clinic's program, None if it passes."""
        return self._raised(**{self.complaint.module: self.complaint.given})

    def is_repaired(self, check: Callable[..., None]) -> bool:
        """Return whether the student's program passes the check and the student's test.

        Each of the two has its own process, so a repair that takes too long does not stop the other
        tries. Raise RemoteError or SubmissionStopped if the repair does not end.
        """
        is_correct = _holds(check, self.program_with())
        return is_correct and ending(self.program_with, self.complaint.test) == PASSES

    def _ending_on_repair(self) -> str:
        """Return how the test ends on the student's program.

        If the test itself is wrong, describe its mistake. Such a mistake may show only when a
        program answers correctly. If a module raises the error, and not the test, name the error:
        the test's comparisons did not fail, and either the test or the module may be wrong. If the
        test raises the same error on the clinic's program, leave out the error's text, which is
        already known.
        """
        raised = self._raised()
        if raised is None:
            return PASSES
        is_mistake = raised.is_mistake_of_test or raised.lacks_file
        if not is_mistake and not raised.file_called:
            return _ending_with(raised.error)
        with suppress(RemoteError, SubmissionStopped):
            if _tell_the_same(raised, self.raised_on_theirs()):
                return f"{RAISES} the same {raised.error.kind}"
        return raised.by_test() if is_mistake else raised.by_call(YOUR_REPAIR)

    def _ending_on_correct(self) -> str:
        """Return how the student's test ends on the correct program.

        The result must not quote the correct program. So it names an error only under two
        conditions: the test itself, or its call, is wrong; and the test raises the same error on
        the clinic's program.
        """
        try:
            raised = self._raised(**{self.complaint.module: read_text(self.complaint.correct)})
            if raised is None:
                return PASSES
            is_unwritten = isinstance(raised.error, NotImplementedError)
            is_mistake = raised.is_mistake_of_test or raised.lacks_file or raised.is_wrong_call
            if not (is_mistake or is_unwritten):
                return FAILS
            on_theirs = self.raised_on_theirs()
        except SAID_BY_PROGRAM as stopped:
            return TOO_LONG if is_timeout(stopped) else FAILS
        if not _tell_the_same(raised, on_theirs):
            return FAILS
        if is_unwritten:
            return self._unwritten(raised.error)
        return f"{RAISES} the same {raised.error.kind}"

    def _unwritten(self, error: RemoteError) -> str:
        """Return UNWRITTEN if the test itself raised this error; raise it if another file did."""
        if error.where and error.where[0] != self.complaint.test_file:
            raise error
        return UNWRITTEN

    def _raised(self, **modules: str) -> RaisedError | None:
        """Return what the test raises on a variant of the program, None if it passes.

        `modules` maps the names of exchanged modules to their new source texts.
        """
        error = _error_of(self.program_with(**modules), self.complaint.test)
        if error is None:
            return None
        return RaisedError(error, self.complaint.test_file, self.complaint.program_file)

    def _asks(self) -> bool:
        """Return whether the test runs a function of the clinic's program."""
        module = self.complaint.module
        program = self.program_with(**{module: with_noted_calls(self.complaint.given)})
        _error_of(program, self.complaint.test)
        return bool(getattr(program.module(module), CALLS))

    def _without_their_lines(self, stopped: SubmissionStopped) -> SubmissionStopped:
        """Return the error without those lines of its traceback that lie in the clinic's program.

        The student's own program has the same file name, but other lines.
        """
        calls = tuple(call for call in stopped.calls if call[0] != self.complaint.program_file)
        return SubmissionStopped(stopped.kind, stopped.text, killed=stopped.killed, calls=calls)


@dataclass(frozen=True)
class Clinic:
    """A clinic's programs: the one with the mistake, and correct ones.

    `suite` is the folder of the hidden tests. `module` names the clinic's program, `test` the
    student's test. `promised` are the names that the brief promises.
    """

    suite: Path
    module: str
    test: str
    promised: frozenset[str]

    def endings(
        self, program_with: Callable[..., Connection], source: Mapping[str, str]
    ) -> tuple[list[str], list[str]]:
        """Return how the tries on the clinic's program end, and how those on correct programs end.

        The reference comes first among the correct programs. Only the behaviour of a program may
        decide how the test ends. A test must not recognise a program by its text, or by the number
        of programs before it. So each program is tried three times, each time in a new disguise and
        a new process. All tries are in random order.
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
