"""One unit of grading: one student's submission for one stage. It can travel to another process.

Work     the submission, read
Unread   where it lies: it is read where it is graded, so that reading, too, uses every core
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError
from hearts_course.results import Prerequisites, Result, Status, score_stage
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.backends import choose_sandbox
from hearts_course.sandbox.submission_process import SubmissionProcess, describe_failed_import
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_slot
from hearts_course.testing.host import host_of
from hearts_course.testing.job import Job, StopAfter, Unreachable
from hearts_course.text import safe_line

chosen_sandbox = cache(choose_sandbox)


@dataclass(frozen=True)
class GradeJob:
    """What to grade and how: which tests, "all" or "visible", of which tasks (None: of all)."""

    stage: Stage
    submission: Submission
    sandbox: str = "auto"
    tests: str = "all"
    tasks: frozenset[str] | None = None
    stop: StopAfter = StopAfter.NEVER

    @property
    def student(self) -> str:
        """Whose submission it is."""
        return self.submission.student


@dataclass(frozen=True)
class UnreadJob:
    """What to grade, by where it lies."""

    slot: SubmissionPath
    sandbox: str = "auto"

    @property
    def student(self) -> str:
        """Whose submission it is."""
        return self.slot.student

    @property
    def stage(self) -> Stage:
        """What it was handed in for."""
        return self.slot.stage

    def read(self) -> GradeJob:
        """The same, read."""
        return GradeJob(self.stage, read_slot(self.slot), self.sandbox)


Unit = GradeJob | UnreadJob


def grade_one(unit: Unit) -> Result:
    """The submission's result, whatever happens: what goes wrong on our side is in it, too."""
    try:
        work = unit.read() if isinstance(unit, UnreadJob) else unit
        return _grade(work, chosen_sandbox(work.sandbox))
    except CourseError as error:
        return give_up(unit, str(error))
    except Exception as error:
        return give_up(unit, f"{type(error).__name__}: {error}")


def _grade(work: GradeJob, sandbox: str) -> Result:
    stage, submission = work.stage, work.submission
    if submission.problem:
        status = Status.MISSING if submission.missing else Status.UNREADABLE
        return _run(work, Unreachable(submission.problem), sandbox, status)
    if not stage.builds_on:
        return _grade_with({}, work, sandbox)
    return _grade_on_earlier_stages(work, sandbox)


def _grade_on_earlier_stages(work: GradeJob, sandbox: str) -> Result:
    """The better of two runs: on the student's own earlier stages, and on the reference ones."""
    ours, theirs = reference_before(work.stage), work.submission.earlier
    own = _grade_with(ours | dict(theirs), work, sandbox) if theirs else None
    if own is not None and own.score == own.max_score:
        return replace(own, prerequisites=Prerequisites(own.score, None))
    reference = _grade_with(ours, work, sandbox)
    if own is None:
        return replace(reference, prerequisites=Prerequisites(None, reference.score))
    scores = Prerequisites(own.score, reference.score)
    if own.score >= reference.score:
        return replace(own, prerequisites=scores)
    note = f"graded on our earlier stages, since yours would cost points ({own.score:g} with them)"
    message = "; ".join(filter(None, (reference.message, note)))
    return replace(reference, prerequisites=scores, message=message)


@cache
def reference_before(stage: Stage) -> dict[str, str]:
    """The reference modules of the stages that this one builds on, in the course's order."""
    before: dict[str, str] = {}
    for earlier in Course(stage.root).prerequisites(stage):
        before |= earlier.reference()
    return before


def _grade_with(earlier: Mapping[str, str], work: GradeJob, sandbox: str) -> Result:
    stage, submission = work.stage, work.submission
    with SubmissionProcess({**earlier, **submission.modules}, stage.limits, sandbox) as program:
        try:
            program.load()
        except (RemoteError, SubmissionStopped) as error:
            verdict = safe_line(describe_failed_import(error, stage.limits))
            status = Status.UNREADABLE if isinstance(error, SyntaxError) else Status.GRADED
            return _run(work, Unreachable(verdict), sandbox, status)
        return _run(work, program, sandbox, Status.GRADED)


def _run(
    work: GradeJob, program: SubmissionProcess | Unreachable, sandbox: str, status: Status
) -> Result:
    stage = work.stage
    job = Job(
        program,
        tasks=work.tasks,
        visible_only=work.tests == "visible",
        stop=work.stop,
        seconds=stage.limits.submission_seconds,
    )
    run = host_of(stage).run(job)
    verdict = program.verdict if isinstance(program, Unreachable) else run.verdict
    message = "; ".join(filter(None, (verdict, work.submission.note)))
    return score_stage(
        stage,
        work.student,
        run.tests,
        sandbox=sandbox,
        message=message,
        status=status,
        skipped=run.skipped,
    )


def give_up(unit: Unit, message: str) -> Result:
    """The result of a submission that we failed to grade."""
    line, status = safe_line(message), Status.GRADER_ERROR
    return score_stage(
        unit.stage, unit.student, {}, sandbox=unit.sandbox, message=line, status=status
    )
