"""The instructor's verbs: grade, history; `doctor` has a module of its own."""

from pathlib import Path

import click

from hearts_course.cli.warnings import warn
from hearts_course.course import find_course, pick
from hearts_course.errors import UsageError

SANDBOXES = ("auto", "bwrap", "sandlock", "user", "none")


def register(group: click.Group) -> None:
    """Add the instructor's verbs."""
    for verb in (grade, history):
        group.add_command(verb)


into = click.option(
    "--out",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="Where results, grades, feedback, report and history are.",
)


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@into
@click.option(
    "--stage", "stages", multiple=True, help="Grade this stage only; may be given repeatedly."
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="How many at a time; one per processor if not given."
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Grade on the workers of a Dask scheduler: tcp://HOST:PORT, or tls://HOST:PORT.",
)
@click.option(
    "--sandbox",
    type=click.Choice(SANDBOXES),
    default="auto",
    help="What keeps the programs in; the first that works if not given.",
)
@click.option(
    "--gradebook",
    metavar="URL",
    default="",
    help="nbgrader's gradebook to keep scores in, and to take points given by hand from; "
    "DIR/gradebook.db if not given.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="After a change of suite or limits: say who would gain or lose, and change nothing.",
)
@click.option(
    "--bound",
    is_flag=True,
    help="Also say how long grading takes at the most, if every program uses up all its time.",
)
def grade(
    submissions: Path,
    out: Path,
    stages: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    sandbox: str,
    gradebook: str,
    dry_run: bool,
    bound: bool,
) -> int:
    """Grade what lies in SUBMISSIONS as STUDENT/STAGE/ or STUDENT/STAGE.zip.

    nbgrader's submitted/ folder will do, too. What has not changed since it was graded is not
    graded again. Exit status 0 if every submission has a result, whatever the scores; 1 if some
    could not be graded; 2 if there is nothing to grade.
    """
    from functools import partial

    from hearts_course.cli.executor import make_executor
    from hearts_course.cli.grading import Grader
    from hearts_course.grading.store import Store
    from hearts_course.submissions.find import find_submissions

    if cluster and jobs:
        raise UsageError("--jobs is about this machine, --cluster about others; leave out one")
    course = find_course()
    layout = find_submissions(submissions, course, stages)
    refuse_inside(submissions, out)
    for line in layout.warnings:
        warn(line)
    executor = partial(make_executor, course, sandbox, cluster, jobs)
    grader = Grader(course, layout, Store(out), sandbox, executor, gradebook, bound)
    return grader.dry_run() if dry_run else grader.grade()


def refuse_inside(submissions: Path, out: Path) -> None:
    """Raises UsageError if what is written would lie among what was handed in."""
    if submissions.resolve() in (out.resolve(), *out.resolve().parents):
        raise UsageError(
            f"{out}: lies in {submissions}, and would be taken for a student; choose another --out"
        )


@click.command()
@click.argument("student")
@click.argument("stage")
@into
def history(student: str, stage: str, out: Path) -> None:
    """Show every result that STUDENT ever had for STAGE, and why it changed."""
    from hearts_course.cli.screen import say
    from hearts_course.grading.history import read_history
    from hearts_course.grading.store import Store
    from hearts_course.reports.terminal import history_table

    store = Store(out)
    chosen = find_course().stage(stage).name
    students = {folder.name: folder.name for folder in sorted(store.history.glob("*"))}
    path = store.history_path(pick(student, students, "student"), chosen)
    entries = read_history(path)
    if not entries:
        raise UsageError(f"{path}: {student} has had no result for {chosen}")
    say(history_table(entries))
