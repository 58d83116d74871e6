"""Commands for instructors: grade and history."""

from functools import partial
from pathlib import Path

import click
from hearts_course.cli.common import PATH, say, warn
from hearts_course.course import Course, pick
from hearts_course.errors import UsageError
from hearts_course.submissions.find import find_submissions

from hearts_grader.cli.class_run.grader import Grader
from hearts_grader.cli.executor import make_executor
from hearts_grader.cli.options import (
    cluster_option,
    jobs_option,
    refuse_jobs_and_cluster,
    sandbox_option,
    stage_option,
)
from hearts_grader.grading.store import Store
from hearts_grader.lms.groups import grouped
from hearts_grader.nbgrader.class_dates import ClassDates
from hearts_grader.nbgrader.sync import GradebookSync

out_option = click.option(
    "--out",
    metavar="DIR",
    required=True,
    type=PATH,
    help="Folder of results, grades, feedback, report and history.",
)


@click.command()
@click.argument("submissions", type=PATH)
@out_option
@stage_option
@jobs_option
@cluster_option
@sandbox_option
@click.option(
    "--gradebook",
    metavar="URL",
    default="",
    help="The nbgrader gradebook for scores and manual points; default: DIR/gradebook.db.",
)
@click.option(
    "--late",
    metavar="FILE",
    type=PATH,
    help="Due dates, extensions and late penalty; default: the file of the last run, else"
    " SUBMISSIONS/late.toml, else autograder/late.toml.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="After a change of tests or limits: show whose score would change, and change nothing.",
)
@click.option(
    "--reveal",
    multiple=True,
    metavar="STAGE",
    help="After the deadline: show on pages up to three failed hidden questions of each task.",
)
@click.option(
    "--bound",
    is_flag=True,
    help="Also print how long grading takes at most, if every program uses up all its time.",
)
@click.pass_obj
def grade(
    course: Course,
    submissions: Path,
    out: Path,
    stages: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    sandbox: str,
    gradebook: str,
    late: Path | None,
    dry_run: bool,
    reveal: tuple[str, ...],
    bound: bool,
) -> int:
    """Grade SUBMISSIONS, which holds STUDENT/STAGE/ or STUDENT/STAGE.zip.

    nbgrader's submitted/ folder works as well. A submission is graded again only if something has
    changed. Exit status: 0 if every submission has a result, whatever the scores; 1 if some could
    not be graded; 2 if there is nothing to grade.
    """
    refuse_jobs_and_cluster(jobs, cluster)
    # Refuse before anything is read, because finding the submissions of a large class takes time.
    if reveal and dry_run:
        raise UsageError("--reveal writes pages, --dry-run writes nothing; leave out one")
    revealed = tuple(course.stage(name).name for name in reveal)
    layout = grouped(find_submissions(submissions, course, stages), course)
    # If results were written among the submissions, the next run would grade them as a student.
    refuse_inside(submissions, out)
    warn(*layout.warnings)
    # The workers start only once it is known that something has to be graded.
    executor = partial(make_executor, course, sandbox, cluster, jobs)
    store = Store(out)
    students = frozenset(path.student for path in layout.paths)
    dates = ClassDates(store, course, late, layout.late_file, students)
    # A student whose name is misspelled in the policy would lose the extension, so warn.
    if unknown := sorted(dates.policy.students - students):
        warn(f"the late policy names students who are not here: {', '.join(unknown)}")
    sync = GradebookSync(store, course, gradebook, dates)
    grader = Grader(course, layout, store, sandbox, executor, sync, bound, revealed)
    return grader.dry_run() if dry_run else grader.grade()


@click.command()
@click.argument("student")
@click.argument("stage")
@out_option
@click.pass_obj
def history(course: Course, student: str, stage: str, out: Path) -> None:
    """Show every result that STUDENT ever had for STAGE, and why it changed."""
    from hearts_grader.grading.history import read_history
    from hearts_grader.reports.terminal import history_table

    store = Store(out)
    chosen = course.stage(stage).name
    students = {folder.name: folder.name for folder in sorted(store.history.glob("*"))}
    path = store.history_path(pick(student, students, "student"), chosen)
    entries = read_history(path)
    if not entries:
        raise UsageError(f"{path}: {student} has had no result for {chosen}")
    say(history_table(entries))


def refuse_inside(submissions: Path, out: Path) -> None:
    """Raise UsageError if the output folder is the folder of submissions, or inside it."""
    if submissions.resolve() in (out.resolve(), *out.resolve().parents):
        raise UsageError(
            f"{out}: is inside {submissions} and would be graded as a student; choose another --out"
        )
