"""The command `hearts similar`, for instructors."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click
from hearts_course.cli.common import PATH, warn
from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.text import count_of

from hearts_grader.cli.options import stage_option

if TYPE_CHECKING:
    from hearts_course.submissions.model import Submission


@click.command()
@click.argument("submissions", type=PATH)
@click.option(
    "--out",
    metavar="DIR",
    required=True,
    type=PATH,
    help="Where to write similar.html, similar.txt and similar.csv.",
)
@click.option(
    "--with",
    "terms",
    metavar="DIR",
    multiple=True,
    type=PATH,
    help="Also compare with the submissions of an earlier term; may be repeated.",
)
@stage_option
@click.pass_obj
def similar(
    course: Course, submissions: Path, out: Path, terms: tuple[Path, ...], stages: tuple[str, ...]
) -> None:
    """Show pairs of programs that share code which neither starter nor reference has.

    Programs that are mostly like the reference or another published solution are shown as well.
    SUBMISSIONS is the folder that `hearts grade` reads; nothing in it is run. A match is a reason
    to look, not proof of copying. Exit status: 0, whatever is found.
    """
    # Only this command needs pygments, so it is looked for here and not when `hearts` starts.
    if find_spec("pygments") is None:
        install = "pip install 'hearts-course[grade]'"
        raise UsageError(f"`hearts similar` needs pygments; run `{install}`")
    from hearts_course.files import write_whole
    from hearts_course.submissions.find import find_submissions

    from hearts_grader.cli.grade import refuse_inside
    from hearts_grader.lms.groups import grouped, one_each
    from hearts_grader.similarity import (
        find_similar,
        readable,
        recurring_pairs,
        similar_csv,
        similar_page,
        similar_text,
    )

    layout = grouped(find_submissions(submissions, course, stages), course)
    refuse_inside(submissions, out)
    earlier = {term: find_submissions(term, course, stages) for term in terms}
    warn(*layout.warnings)
    results = []
    for stage in layout.stages:
        # The members of a group share one program. Take it once, or it would match itself.
        paths = one_each(path for path in layout.paths if path.stage.name == stage.name)
        former: list[Submission] = []
        for term, layout_of_term in earlier.items():
            # Put the term before the students' names, because a student who repeats the course has
            # the same name in both terms.
            former += readable(stage, layout_of_term.paths, f"{term.resolve().name}/")
        similar_pairs = find_similar(stage, paths, course, former)
        results.append(similar_pairs)
        click.echo(
            f"{stage.name}: {count_of(similar_pairs.programs, 'program')}, "
            f"{count_of(len(similar_pairs.pairs), 'pair')} worth a look, "
            f"{len(similar_pairs.copies)} like a published program"
        )
    for recurring in recurring_pairs(results):
        click.echo(f"recurs    {recurring.words}")
    path = write_whole(out / "similar.html", similar_page(results))
    write_whole(out / "similar.txt", similar_text(results))
    write_whole(out / "similar.csv", similar_csv(results))
    click.echo(f"report    {path}")
