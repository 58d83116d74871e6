"""Grade one student's submission for one stage, within a limited time.

A program may do anything in its sandbox. So every wait for the program has a deadline, and every
failure becomes a result.
"""

import faulthandler
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from platform import python_version
from typing import TYPE_CHECKING

from hearts_course.course import Course, Limits, Stage
from hearts_course.errors import CourseError
from hearts_course.results import (
    Prerequisites,
    Result,
    SourcePosition,
    Status,
    reference_note,
    score_stage,
)
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.imports import describe_failed_import
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.time_limit import (
    ALARM_SECONDS,
    END_SECONDS,
    PATIENCE,
    clock_seconds,
)
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_found
from hearts_course.submissions.untouched import untouched_tasks
from hearts_course.testing.failed_modules import with_failed_modules
from hearts_course.testing.job import Job, StopAfter, Unreachable, result_of
from hearts_course.testing.near_examples import MAX_SECONDS as MAX_EXAMPLES_SECONDS
from hearts_course.testing.time_budget import (
    CLOCK_SHARE,
    FREE_IMPORT_SECONDS,
    FREE_TRIES_SECONDS,
    MAX_FULL_TIMEOUTS,
)
from hearts_course.text import safe_line

from hearts_grader.sandbox.ahead import Ahead
from hearts_grader.sandbox.backends import choose_sandbox

if TYPE_CHECKING:
    from hearts_course.testing.runner import SuiteRunner

# A worker counts as hanging after this many times the longest time that a submission can take.
WATCHDOG_FACTOR = 4
REVEALED = "revealed"  # a value of `GradeJob.tests`: explain hidden tests to the instructor
OVER = "over"  # a value of `GradeJob.tests`: explain hidden tests after the deadline
# Runs the visible tests, yields once whether all passed, runs the hidden ones, returns the result.
InTwoParts = Generator[bool, None, Result]

chosen_sandbox = cache(choose_sandbox)
# At most one entry: the sandbox that the course's own programs use one after another.
_kept: dict[tuple[Stage, str], SubmissionProcess] = {}


@dataclass(frozen=True)
class GradeJob:
    """What to grade and how; it can be sent to another process.

    A submission given by its path is read in the worker, so that reading uses every core. `tests`
    is "all" or "visible". With "revealed", hidden tests are explained like visible ones. With
    "over", hidden tests are explained as well, but those with the mark `reusable` do not run. The
    scores of "revealed" and "over" runs are not used.

    `tasks` limits the run to the tests of these tasks; None means all tasks. The tests of the tasks
    in `first` run first. `changed` says where one of the course's own programs differs from the
    reference, as `reach.changes` does. For a student's program `changed` is None. With `examples`,
    the near examples of hidden tests are tried. A near example is code that a student may try when
    a hidden test fails. The course's own programs run without near examples, because nobody would
    read the outcome.
    """

    stage: Stage
    submission: Submission | SubmissionPath
    sandbox: str = "auto"
    tests: str = "all"
    tasks: frozenset[str] | None = None
    first: frozenset[str] = frozenset()
    stop: StopAfter = StopAfter.NEVER
    changed: frozenset[str] | None = None
    examples: bool = True

    @property
    def student(self) -> str:
        """Whose submission it is."""
        return self.submission.student

    def load(self) -> Submission:
        """Return the submission; read it now if it was given by its path."""
        submission = self.submission
        return read_found(submission) if isinstance(submission, SubmissionPath) else submission


@dataclass(frozen=True)
class Sandbox:
    """The name of a job's sandbox, and `ahead`, which may have started such a sandbox already."""

    name: str
    ahead: Ahead | None = None

    def start_ahead(self, limits: Limits) -> None:
        """Start a sandbox for the next program, unless a started sandbox waits already."""
        if self.ahead is not None:
            self.ahead.start(self.name, limits)

    def program(self, modules: Mapping[str, str], limits: Limits) -> SubmissionProcess:
        """Start the program; use the sandbox that was started ahead, if there is one."""
        early = self.ahead.take(self.name, limits) if self.ahead else None
        return SubmissionProcess(modules, limits, self.name, early=early)


def grade_one(job: GradeJob, ahead: Ahead | None = None, *, tried: bool = False) -> Result:
    """Return the submission's result; a fault of the grader is a result too.

    If `ahead` is given, it starts a sandbox for the next job while this job runs. If the job's
    sandbox was `tried` on this machine, use it without another test.
    """
    try:
        submission = job.load()
        sandbox = job.sandbox if tried else chosen_sandbox(job.sandbox)
        result = _grade(job, submission, Sandbox(sandbox, ahead))
        return replace(result, receipt=submission.receipt, python=python_version())
    except CourseError as error:
        return grader_error(job, str(error))
    except Exception as error:
        return grader_error(job, f"{type(error).__name__}: {error}")


def grader_error(job: GradeJob, message: str) -> Result:
    """Return the result of a submission that the grader failed to grade."""
    line = safe_line(message)
    status = Status.GRADER_ERROR
    return score_stage(job.stage, job.student, {}, sandbox=job.sandbox, message=line, status=status)


def _grade(job: GradeJob, submission: Submission, sandbox: Sandbox) -> Result:
    """Return the submission's result; in it, tasks that the student has not begun are marked.

    A submission without a readable program goes through the suite as well, so that its result has
    the same tests as any other.
    """
    if submission.problem:
        status = Status.MISSING if submission.missing else Status.UNREADABLE
        unreachable = Unreachable(submission.problem)
        return result_of(_run(job, submission, unreachable, sandbox, status))
    if job.stage.builds_on:
        result = _grade_on_earlier_stages(job, submission, sandbox)
    else:
        result = result_of(_in_two_parts({}, job, submission, sandbox))
    result = result.with_untouched(untouched_tasks(job.stage, submission.modules))
    return result.with_places(
        lambda where: "{}, line {}".format(*submission.place(where.module, where.line))
    )


def _grade_on_earlier_stages(job: GradeJob, submission: Submission, sandbox: Sandbox) -> Result:
    """Run the program on the student's own earlier stages and on the course's.

    Return the better of the two results. If the student has handed in no earlier stage, run the
    program only on the course's.
    """
    theirs = submission.earlier
    run_on_reference = partial(_in_two_parts, {}, job, submission, sandbox)
    if not theirs:
        alone = result_of(run_on_reference())
        return replace(alone, prerequisites=Prerequisites(None, alone.score))
    own_result, reference_result = _two_runs(
        _in_two_parts(theirs, job, submission, sandbox), run_on_reference
    )
    if reference_result is None:
        return replace(
            own_result, prerequisites=Prerequisites(own_result.score, None, tuple(theirs))
        )
    not_loaded = own_result.where is not None and own_result.where.module in theirs
    # If an own earlier stage cannot be loaded, the own result has no points and a message about
    # that stage. If the other result has no points either, return the other result, because its
    # message is about this stage.
    if not_loaded and not reference_result.score:
        return replace(reference_result, prerequisites=Prerequisites(None, reference_result.score))
    scores = Prerequisites(own_result.score, reference_result.score, tuple(theirs))
    better, worse = (
        (own_result, reference_result) if scores.own_counts else (reference_result, own_result)
    )
    scores = replace(scores, other=tuple(task.share for task in worse.tasks))
    better = replace(better, prerequisites=scores)
    notes = (better.message, reference_note(better))
    return replace(better, message="; ".join(filter(None, notes)))


def _two_runs(
    own_parts: InTwoParts, run_on_reference: Callable[[], InTwoParts]
) -> tuple[Result, Result | None]:
    """Return both results; None for the second if the first has all points.

    A program could print hidden questions in a later visible test. So students read the messages of
    a visible test only if it ran before all hidden tests of both runs.

    If the first run passes all visible tests, its hidden tests run next, and a second run has its
    messages removed. Otherwise the visible tests of both runs come before all hidden tests.
    """
    with closing(own_parts):
        if next(own_parts):
            first_result = result_of(own_parts)
            if first_result.score == first_result.max_score:
                return first_result, None
            return first_result, result_of(run_on_reference()).without_messages()
        reference_parts = run_on_reference()
        with closing(reference_parts):
            next(reference_parts)
            first_result = result_of(own_parts)
            if first_result.score == first_result.max_score:  # there were no visible tests to pass
                return first_result, None
            return first_result, result_of(reference_parts)


@cache
def reference_before(stage: Stage) -> dict[str, str]:
    """Return the reference of all stages that this stage builds on: source texts by module."""
    modules: dict[str, str] = {}
    for earlier in Course(stage.root).prerequisites(stage):
        modules |= earlier.reference()
    return modules


def _in_two_parts(
    own: Mapping[str, str], job: GradeJob, submission: Submission, sandbox: Sandbox
) -> InTwoParts:
    """Run the visible tests, yield whether all of them passed, and then run the hidden tests.

    `own` are the student's modules of earlier stages. The course's modules replace missing ones.
    """
    limits = job.stage.limits
    earlier = {**reference_before(job.stage), **own}
    with _program(job, {**earlier, **submission.modules}, sandbox) as program:
        try:
            program.load(submission.modules)
        except (RemoteError, SubmissionStopped) as error:
            verdict = Unreachable(safe_line(describe_failed_import(error, limits)))
            status = Status.UNREADABLE if isinstance(error, SyntaxError) else Status.GRADED
            result = yield from _run(job, submission, verdict, sandbox, status)
            where = error.where if isinstance(error, RemoteError) else None
            return replace(result, where=SourcePosition.of(where))
        result = yield from _run(job, submission, program, sandbox, Status.GRADED)
        result = with_failed_modules(result, program.failed, job.stage)
        return result.naming_course_files(earlier.keys() - own.keys())


@contextmanager
def _program(
    job: GradeJob, modules: Mapping[str, str], sandbox: Sandbox
) -> Iterator[SubmissionProcess]:
    """Yield the process that runs the program.

    The course's own programs share one process, because starting a process is slow.
    """
    limits = job.stage.limits
    if job.changed is None:
        sandbox.start_ahead(limits)
        _runner(job.stage).collect()  # collect the tests while the sandbox starts
        with sandbox.program(modules, limits) as program:
            sandbox.start_ahead(limits)
            yield program
        return
    program = _reference(job.stage, sandbox.name)
    program.exchange(modules)
    try:
        yield program
    except BaseException:
        program.close()
        raise


def _reference(stage: Stage, sandbox: str) -> SubmissionProcess:
    """Return the reference's process.

    It is kept until the process of another stage or sandbox replaces it.
    """
    if (stage, sandbox) not in _kept:
        while _kept:
            _kept.popitem()[1].close()
        modules = Course(stage.root).whole_reference(stage)
        _kept[stage, sandbox] = SubmissionProcess(modules, stage.limits, sandbox)
    return _kept[stage, sandbox]


def _run(
    job: GradeJob,
    submission: Submission,
    program: SubmissionProcess | Unreachable,
    sandbox: Sandbox,
    status: Status,
) -> InTwoParts:
    """Run the suite on the program, and score the stage.

    As in `InTwoParts`, yield once between visible and hidden tests. If no program could be started,
    the reason is the result's message.
    """
    parts = _runner(job.stage).in_two_parts(
        Job(
            program,
            tasks=job.tasks,
            first=job.first,
            changed=job.changed,
            visible_only=job.tests == "visible",
            revealed=job.tests in (REVEALED, OVER),
            reusable=job.tests != OVER,
            stop=job.stop,
            seconds=job.stage.limits.submission_seconds,
            examples=job.examples,
        )
    )
    yield next(parts).all_passed
    run = result_of(parts)
    verdict = program.verdict if isinstance(program, Unreachable) else run.verdict
    return score_stage(
        job.stage,
        submission.student,
        run.tests,
        sandbox=sandbox.name,
        message="; ".join(filter(None, (verdict, submission.note))),
        status=status,
        skipped=run.skipped,
    )


def _runner(stage: Stage) -> "SuiteRunner":
    """Return the stage's runner, which collects the tests only once in this process."""
    from hearts_course.testing.runner import runner_of  # slow, and the main process needs no pytest

    return runner_of(stage)


def max_seconds(paths: Iterable[SubmissionPath], workers: int) -> float:
    """Return how many seconds a class takes if every submission uses up all its limits.

    The longest submission is added once, because it may run last, while all other workers are idle.
    """
    # With earlier stages, a suite runs twice: on the student's own modules and on the reference's.
    bounds = [(2 if path.earlier else 1) * max_run_seconds(path.stage) for path in paths]
    return sum(bounds) / workers + max(bounds, default=0.0)


def max_run_seconds(stage: Stage, examples_seconds: float = MAX_EXAMPLES_SECONDS) -> float:
    """Return the seconds by the clock that one run of a suite takes, if its program only sleeps.

    The rule in `testing.time_budget` gives this time. When the budget is used up, a last test may
    still run. That test may import the program again, and import and test may each be retried. The
    same holds for the near examples, whose budget is `examples_seconds`.
    """
    limits = stage.limits
    timeouts = MAX_FULL_TIMEOUTS * len(stage.tasks) * limits.test_seconds
    imports = 2 * PATIENCE * limits.import_seconds
    last_test = 2 * (clock_seconds(limits.test_seconds) + ALARM_SECONDS) + END_SECONDS
    examples = examples_seconds + imports + last_test
    free = timeouts + FREE_IMPORT_SECONDS + FREE_TRIES_SECONDS
    tests = CLOCK_SHARE * (limits.submission_seconds + free)
    return imports + examples + tests + imports + last_test


def watchdog_seconds(stage: Stage) -> float:
    """Return the seconds after which a worker counts as hanging and is ended.

    A hanging worker is the grader's fault, because every wait for a submission has a deadline.
    """
    return WATCHDOG_FACTOR * 2 * max_run_seconds(stage)


@contextmanager
def watchdog(stage: Stage) -> Iterator[None]:
    """End this worker process if the code inside hangs.

    The watchdog runs outside of Python, because Python itself may hang.
    """
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        faulthandler.dump_traceback_later(watchdog_seconds(stage), exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
