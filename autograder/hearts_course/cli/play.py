"""Command for anyone: play."""

from collections.abc import Sequence
from pathlib import Path

import click

from hearts_course.cli.common import warn
from hearts_course.cli.student import form_of_option, form_options, workspace_option
from hearts_course.course import Course, Stage
from hearts_course.play.game import Game, own_game, playable, reference_game
from hearts_course.play.run import run_game
from hearts_course.play.table import open_table
from hearts_course.play.worst import PAGE, write_worst_deals
from hearts_course.student.work import Form
from hearts_course.student.workspace import find_root, need_workspace
from hearts_course.view.players import Opponent


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="[STAGE] [FLAGS]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--table", is_flag=True, help="Open a notebook and play at a card table.")
@click.option(
    "--against",
    type=click.Choice([kind.value for kind in Opponent]),
    default=Opponent.CAUTIOUS.value,
    show_default=True,
    help="How well computer players play, if the program draws their cards at random.",
)
@click.option(
    "--worst",
    metavar="PLAYER",
    help="Write a page with the five worst deals of a player, such as 'Cautious()'.",
)
@form_options
@workspace_option
@click.pass_obj
def play(
    course: Course,
    words: tuple[str, ...],
    table: bool,
    against: str,
    worst: str | None,
    form: str | None,
    folder: Path | None,
) -> int:
    """Play the game: your own in a workspace, elsewhere the course's.

    STAGE is a name or a number; default: the last game. A stage without a game shows what its
    program can do. The flags go to the game, and `hearts play -- --help` lists them. Exit status:
    that of the game, or 2 if no game was found.
    """
    # The flags of a game begin with a dash, so a first word without a dash names the stage.
    name = None
    flags: Sequence[str] = words
    if words and not words[0].startswith("-"):
        name, *flags = words
    stages = playable(course, name, table=table, worst=worst is not None)
    game = _find_game(course, stages, form_of_option(form), folder)
    if note := game.works[-1].note:
        warn(note)
    if worst is not None:
        count = write_worst_deals(game, worst, PAGE)
        click.echo(f"{PAGE}: the five worst of the {count} hands that {worst} has played")
        return 0
    if table:
        return open_table(game, flags, click.echo, Opponent(against))
    return run_game(game, flags, Opponent(against))


def _find_game(
    course: Course, stages: tuple[Stage, ...], form: Form | None, folder: Path | None
) -> Game:
    """Return the student's game, or the course's game outside of a workspace.

    If `form` or `folder` is given, look only for the student's game. Raise UsageError if there is
    no such game: the student may not have begun one, or no solution may be installed.
    """
    here = folder or Path.cwd()
    if root := find_root(here):
        return own_game(course, root, stages, form)
    asked_for_own = folder is not None or form is not None
    if not asked_for_own and (game := reference_game(course, stages)):
        return game
    return own_game(course, need_workspace(course, here).root, stages, form)
