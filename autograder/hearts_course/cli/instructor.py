"""The instructor's verbs: grade, and doctor (see `doctor`)."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hearts_course.cli.doctor import doctor
from hearts_course.cli.screen import say
from hearts_course.course import Course, find_course
from hearts_course.errors import UsageFault

if TYPE_CHECKING:
    from hearts_course.grading.layout import Layout
    from hearts_course.grading.results import Result
    from hearts_course.grading.store import Store
    from hearts_course.grading.work import Work

SANDBOXES = ("auto", "sandlock", "bwrap", "none")
INTERRUPTED = 130


def register(group: click.Group) -> None:
    """Add the instructor's verbs."""
    group.add_command(grade)
    group.add_command(doctor)


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="Where results, grades, feedback and report go.",
)
@click.option(
    "--stage", "stages", multiple=True, help="Grade this stage only; may be given repeatedly."
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="How many at a time; one per processor if not given."
)
@click.option(
    "--sandbox",
    type=click.Choice(SANDBOXES),
    default="auto",
    help="What keeps the programs in; the first that works if not given.",
)
def grade(
    submissions: Path, out: Path, stages: tuple[str, ...], jobs: int | None, sandbox: str
) -> int:
    """Grade what lies in SUBMISSIONS as STUDENT/STAGE/ or STUDENT/STAGE.zip.

    nbgrader's submitted/ folder will do, too. Exit status 0 if every submission has a result,
    whatever the scores; 1 if some could not be graded; 2 if there is nothing to grade.
    """
    from hearts_course.boundary.sandbox import choose_sandbox
    from hearts_course.grading.layout import find_submissions
    from hearts_course.grading.store import Store

    course = find_course()
    layout = find_submissions(submissions, course, stages)
    _refuse_inside(submissions, out)
    chosen = choose_sandbox(sandbox)
    store = Store(out)
    store.prepare()
    _warn(layout, course)
    _warn_of_sandbox(sandbox, chosen)
    return _grade(layout, course, store, jobs, chosen)


def _refuse_inside(submissions: Path, out: Path) -> None:
    if submissions.resolve() in (out.resolve(), *out.resolve().parents):
        raise UsageFault(
            f"{out}: lies in {submissions}, and would be taken for a student; choose another --out"
        )


def _warn(layout: "Layout", course: Course) -> None:
    lines = list(layout.warnings)
    for stage in layout.stages:
        if not stage.hidden_tests:
            lines.append(f"{stage.name}: no hidden tests here, so only the visible ones count")
    for line in lines:
        click.echo(f"hearts: {line}", err=True)


def _warn_of_sandbox(asked: str, chosen: str) -> None:
    """Say on the error stream what is in force if it is less than the best there is."""
    from hearts_course.boundary.sandbox import second_choice, weaknesses

    lines = [f"{chosen}: {line}" for line in weaknesses(chosen)]
    if asked == "auto" and (better := second_choice(chosen)):
        lines.insert(0, f"the sandbox is {chosen}, a second choice: {better}")
    if chosen == "none":
        lines.append("no sandbox: the programs run with all your rights")
    for line in lines:
        click.echo(f"hearts: {line}", err=True)


def _grade(layout: "Layout", course: Course, store: "Store", jobs: int | None, sandbox: str) -> int:
    """Grade all, store each result as it comes, then write what is about all of them."""
    from rich.console import Console

    from hearts_course.grading.batch import grade_all
    from hearts_course.grading.results import Status
    from hearts_course.render.progress import follow

    done: list[Result] = []
    try:
        with closing(grade_all(_works(layout, sandbox), jobs=jobs)) as coming:
            for result in follow(coming, len(layout.slots), Console(stderr=True)):
                _keep(result, course, store)
                done.append(result)
    except KeyboardInterrupt:
        click.echo(
            f"hearts: stopped; {len(done)} of {len(layout.slots)} graded, in {store.results}; "
            "run the same command again",
            err=True,
        )
        return INTERRUPTED
    _conclude(done, course, store)
    return int(any(result.status is Status.GRADER_ERROR for result in done))


def _works(layout: "Layout", sandbox: str) -> Iterator["Work"]:
    from hearts_course.grading.reader import read_slot
    from hearts_course.grading.work import Work

    for slot in layout.slots:
        yield Work(slot.stage, read_slot(slot), sandbox)


def _keep(result: "Result", course: Course, store: "Store") -> None:
    from hearts_course.render.feedback import feedback_page

    store.save(result)
    store.save_feedback(result, feedback_page(result, course.stage(result.stage)))


def _conclude(done: Iterable["Result"], course: Course, store: "Store") -> None:
    """Write grades and report from everything in the folder; print what this run did."""
    from hearts_course.render.report import report_page
    from hearts_course.render.text import summary

    results, faults = store.load()
    for fault in faults:
        click.echo(f"hearts: {fault}", err=True)
    store.save_grades(results)
    store.save_report(report_page(results, course))
    order = sorted(done, key=lambda result: (result.student, result.stage))
    say(
        summary(order),
        f"report    {store.report}",
        f"grades    {store.grades}",
        f"feedback  {store.feedback}",
    )
