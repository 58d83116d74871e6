"""The author's verbs: build, new, verify, sample.

What they need is imported when it is needed: students have none of it, nor must they wait for it.
"""

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.progress import Progress

from hearts_course.cli.screen import screen
from hearts_course.course import Course, Stage, find_course, in_checkout
from hearts_course.errors import CourseError

if TYPE_CHECKING:
    from hearts_course.authoring.chaffs import Grade
    from hearts_course.authoring.verify import CheckResult
    from hearts_course.grading.grade import GradeJob
    from hearts_course.results import Result

NEEDED = ("cosmic_ray", "nbformat")


def register(group: click.Group) -> None:
    """Add the author's verbs."""
    for verb in (new, build, verify, sample):
        group.add_command(verb)


@click.command()
@click.argument("name", metavar="NN-NAME")
def new(name: str) -> None:
    """Scaffold a stage, such as 08-name, with a small example to edit."""
    from hearts_course.authoring.scaffold import scaffold

    course = in_checkout(find_course())
    for path in scaffold(course, name):
        click.echo(f"wrote {path.relative_to(course.root)}")
    click.echo(f"\nEdit them, then run `hearts build` and `hearts verify {name}`.")


@click.command()
@click.argument("stage", metavar="[STAGE]", required=False)
@click.option("--check", is_flag=True, help="Write nothing; fail if something is out of date.")
@click.option(
    "--patterns", is_flag=True, help="Grade the chaffs, and write which tests each of them fails."
)
@click.option("--jobs", type=click.IntRange(min=1), help="Processes that grade; one a core.")
def build(stage: str | None, check: bool, patterns: bool, jobs: int | None) -> int:
    """Make starters, notebooks and the README's table of stages from their sources."""
    from hearts_course.authoring import build as building

    course = in_checkout(find_course())
    stages = _chosen(course, stage)
    if patterns:
        return _build_patterns(course, stages, _grade_on(jobs), check)
    if check:
        stale = building.outdated(course, stages)
        for file in stale:
            click.echo(_short(course, file.problem))
        return 1 if stale else 0
    for path in (written := building.build(course, stages)):
        click.echo(f"wrote {path.relative_to(course.root)}")
    if not written:
        click.echo("everything is current")
    return 0


def _build_patterns(course: Course, stages: Iterable[Stage], grade: "Grade", check: bool) -> int:
    from hearts_course.authoring.chaffs import patterns_file
    from hearts_course.files import write_whole

    stale = 0
    for stage in stages:
        file = patterns_file(stage, grade)
        name = file.path.relative_to(course.root)
        if file.is_current:
            click.echo(f"{name} is current")
        elif check:
            stale = 1
            click.echo(f"{name}: out of date; run `hearts build {stage.name} --patterns`")
        else:
            write_whole(file.path, file.text)
            click.echo(f"wrote {name}")
    return stale


@click.command()
@click.argument("stage", metavar="[STAGE]", required=False)
@click.option("--no-mutants", is_flag=True, help="Leave out the mutants, which take longest.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes; one a core if left out.")
def verify(stage: str | None, no_mutants: bool, jobs: int | None) -> int:
    """Prove a stage, or all: files, tests, reference, chaffs, mutants.

    A run that was interrupted goes on where it was. Exit status 0 if every check holds, 1 if not.
    """
    course = in_checkout(find_course())
    for package in NEEDED:
        if find_spec(package) is None:
            install = 'pip install "hearts-course[author]"'
            raise CourseError(f"`hearts verify` needs {package}; run `{install}`")
    from hearts_course.authoring.verify import verify as prove

    verdicts = prove(course, _chosen(course, stage), _grade_on(jobs), mutants=not no_mutants)
    checks = problems = 0
    try:
        for verdict in verdicts:
            _tell(course, verdict)
            checks, problems = checks + 1, problems + len(verdict.problems)
    except KeyboardInterrupt:
        click.echo("hearts: stopped; the same command goes on from here", err=True)
        return 130
    click.echo(f"\n{checks} checks, {problems or 'no'} problem{'' if problems == 1 else 's'}")
    return 1 if problems else 0


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--stage", "names", multiple=True, help="Only this stage; may be repeated.")
def sample(folder: Path, names: tuple[str, ...]) -> None:
    """Write a sample class into DIR: right, wrong, unfinished and hostile."""
    from hearts_course.authoring.sample import make_sample

    course = in_checkout(find_course())
    stages = [course.stage(name) for name in names] or list(course.stages)
    students = make_sample(stages, folder)
    total = sum(students.values())
    click.echo(f"wrote {total} submissions of {len(students)} students to {folder}")
    graded = folder.with_name(f"{folder.name}-graded")
    click.echo(f"Grade them: hearts grade {folder} --out {graded}")


def _chosen(course: Course, stage: str | None) -> tuple[Stage, ...]:
    return (course.stage(stage),) if stage else course.stages


def _tell(course: Course, verdict: "CheckResult") -> None:
    click.echo(f"{'failed' if verdict.problems else 'ok':6} {verdict.where}: {verdict.check}")
    for problem in verdict.problems:
        click.echo(f"       {_short(course, problem)}")


def _short(course: Course, fault: str) -> str:
    """The fault on one line, with paths from the course's folder on."""
    return " ".join(fault.replace(f"{course.root}/", "").split())


def _grade_on(jobs: int | None) -> "Grade":
    """The grader, on every core or on so many, with a progress bar on a terminal."""
    from hearts_course.grading.pool import LocalExecutor, grade_all

    def grade(works: Iterable["GradeJob"]) -> Iterator["Result"]:
        works = list(works)
        with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
            results = grade_all(works, LocalExecutor(jobs))
            yield from progress.track(results, total=len(works), description="grading")

    return grade
