"""Command for anyone: variant."""

import click

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.text import listed, safe_line


@click.command()
@click.argument("student", metavar="STUDENT")
@click.argument("stage", metavar="[STAGE]", required=False)
@click.option("--term", metavar="WORD", help="The term, because each has other books.")
@click.pass_obj
def variant(course: Course, student: str, stage: str | None, term: str | None) -> None:
    """Show the house rules of STUDENT, an id: a rule book drawn for that student alone.

    Without a stage: those of every stage that has some. The same id has the same book everywhere.
    """
    found = {one.name: one.variants for one in course.stages if one.variants}
    names = {course.stage(stage).name} if stage else set(found)
    if not names & found.keys():
        raise UsageError(
            f"no house rules in {stage or 'any stage'}; stages with house rules: "
            f"{listed(found) or 'none'}"
        )
    for name in sorted(names):
        book, among = found[name].of(student, term), found[name]
        click.echo(f"The house rules of {safe_line(student)} in {name}:\n\n  {book.python}\n")
        click.echo("".join(f"- {sentence}\n" for sentence in book.sentences))
        click.echo(f"All else is as in {among.standard}. One of {len(among.books):,} books.\n")
