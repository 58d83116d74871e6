"""Commands for authors: new, remove, build, verify.

Each command imports its packages only when it runs, because some packages may be missing.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click
from hearts_course.cli.common import INTERRUPTED, screen, warn
from hearts_course.course import Course, Stage, in_checkout
from hearts_course.errors import CourseError
from hearts_course.text import count_of

from hearts_grader.cli.options import jobs_option

if TYPE_CHECKING:
    from hearts_course.results import Result

    from hearts_grader.authoring.build import GeneratedFile
    from hearts_grader.authoring.chaffs import Grade
    from hearts_grader.grading.grade import GradeJob

REQUIRED = ("cosmic_ray", "nbformat")

stage_argument = click.argument("stage", metavar="[STAGE]", required=False)


@click.command()
@click.argument("name", metavar="NN-NAME")
@click.pass_obj
def new(course: Course, name: str) -> None:
    """Create a stage, such as 08-name, with a small example to edit."""
    from hearts_grader.authoring.scaffold import scaffold

    for path in scaffold(in_checkout(course), name):
        click.echo(f"wrote {path.relative_to(course.home or course.root)}")
    options = f" --stages {course.home}" if course.home else ""
    click.echo(
        f"\nEdit them, then run `hearts build{options}` and `hearts verify {name}{options}`."
    )


@click.command()
@click.argument("name", metavar="NN-NAME")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove(course: Course, name: str, yes: bool) -> None:
    """Delete a stage's folders and its notebook."""
    from hearts_grader.authoring.scaffold import remove_stage

    stage = in_checkout(course).stage(name)
    # git can bring the folders back only if the author committed them, so ask first.
    if not yes:
        click.confirm(f"Delete {stage.name} in all four places?", abort=True)
    for path in remove_stage(course, stage):
        click.echo(f"deleted {path.relative_to(course.root)}")
    click.echo("\nThen run `hearts build`.")


@click.command()
@stage_argument
@click.option("--check", is_flag=True, help="Write nothing; fail if a file is out of date.")
@click.option(
    "--patterns",
    is_flag=True,
    help="Grade the known wrong solutions (chaffs) and record which tests they fail.",
)
@jobs_option
@click.pass_obj
def build(course: Course, stage: str | None, check: bool, patterns: bool, jobs: int | None) -> int:
    """Generate starters, notebooks and the README's table of stages from their sources.

    The headings of briefs and hints get the numbers, titles and points of stage.toml.
    """
    from hearts_grader.authoring.assemble import own_stages
    from hearts_grader.authoring.build import (
        outdated,
        outdated_headings,
        patterns_files,
        questions_files,
    )

    def announce(stage: Stage, count: int) -> None:
        """Print which stage is graded next if there are several, because each takes minutes."""
        if len(stages) > 1:
            warn(f"{stage.name}: grading {count_of(count, 'known mistake')}")

    def quick() -> Iterator["GeneratedFile"]:
        """Yield the files that need no grading, each after the files that it is made from."""
        yield from outdated_headings(stages)  # all other files are made from the headings
        yield from outdated(course, stages)
        # Show a status line on a terminal, because each stage's questions take seconds to make.
        with screen().status("") as line:
            for asked in stages:
                line.update(f"{asked.name}: its questions are put to known wrong solutions")
                yield from questions_files(course, [asked])

    stages = _stages(course, stage)
    is_current = True
    # If an author has added or changed stages, make patterns only for them. The other stages of the
    # course have patterns already.
    if patterns and not stage:
        stages = own_stages(course) or stages
    with _grader(jobs) as grade:
        files = patterns_files(course, stages, grade, announce) if patterns else quick()
        # Each file is written before the next one is made, because later files are made from
        # earlier ones.
        for file in files:
            if not file.is_current:
                is_current = False
                if check:
                    click.echo(_one_line(course, file.problem))
                else:
                    click.echo(f"wrote {file.write().relative_to(course.root)}")
    if is_current and not check:
        click.echo("everything is current")
    return 1 if check and not is_current else 0


@click.command()
@stage_argument
@click.option(
    "--mutants",
    type=click.Choice(["changed", "all", "none"]),
    default="changed",
    help="Mutants (references with one automatic change) of which stages to try; they take "
    "longest. By default of those that have changed since their mutants were tried.",
)
@jobs_option
@click.pass_obj
def verify(course: Course, stage: str | None, mutants: str, jobs: int | None) -> int:
    """Check one stage, or all: files, tests, reference, chaffs (known wrong programs), mutants.

    After an interruption, the same command continues. Exit status: 0 if every check passes, 1 if
    not.
    """
    stages = _stages(course, stage)
    # Look for all packages first, so that no run ends in an ImportError after several minutes.
    for package in REQUIRED:
        if find_spec(package) is None:
            install = 'pip install "hearts-course[author]"'
            raise CourseError(f"`hearts verify` needs {package}; run `{install}`")
    from hearts_grader.authoring import verify as verification

    chosen = verification.Mutants(mutants)
    # Results are printed as they come, so the totals are counted on the way.
    checks = problems = 0
    try:
        with _grader(jobs) as grade:
            for result in verification.verify(course, stages, grade, mutants=chosen):
                status = "failed" if result.problems else "ok"
                line = f"{status:6} {result.where}: {result.check}"
                if result.note:
                    line += f" ({result.note})"
                click.echo(line)
                for problem in result.problems:
                    click.echo(f"       {_one_line(course, problem)}")
                checks = checks + 1
                problems = problems + len(result.problems)
    except KeyboardInterrupt:
        warn("stopped; the same command continues from here")
        return INTERRUPTED
    counted = count_of(problems, "problem") if problems else "no problems"
    click.echo(f"\n{checks} checks, {counted}")
    return 1 if problems else 0


def _stages(course: Course, name: str | None) -> tuple[Stage, ...]:
    """Return the stage with this name, or all stages if there is no name.

    Raise UsageError for an unknown name, and CourseError in a student's installation.

    Authors' commands change files of the checkout, which a student's installation does not have.
    """
    in_checkout(course)
    return (course.stage(name),) if name else course.stages


def _one_line(course: Course, problem: str) -> str:
    """Return the problem on one line, with paths relative to the course."""
    return " ".join(problem.replace(f"{course.root}/", "").split())


@contextmanager
def _grader(jobs: int | None) -> Iterator["Grade"]:
    """Yield a function that grades jobs, with a progress bar on a terminal.

    The worker processes stay alive between calls, because starting them takes time.
    """
    from rich.progress import Progress

    from hearts_grader.grading.pool import LocalExecutor, grade_all

    def grade(jobs_to_grade: Iterable["GradeJob"]) -> Iterator["Result"]:
        """Yield the results of the jobs, and show a bar while they are graded."""
        todo = list(jobs_to_grade)
        console = screen()
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            results = grade_all(todo, executor)
            yield from bar.track(results, total=len(todo), description="grading")

    with LocalExecutor(jobs).staying() as executor:
        yield grade
