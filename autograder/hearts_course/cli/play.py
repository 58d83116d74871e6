"""The verb for anyone: play."""

from pathlib import Path

import click

from hearts_course.cli.student import in_workspace, of_form
from hearts_course.course import find_course
from hearts_course.play.game import Game, own_game, playable, reference_game
from hearts_course.play.run import run_game
from hearts_course.play.table import open_table
from hearts_course.student.work import Form
from hearts_course.student.workspace import find_root, need_workspace


def register(group: click.Group) -> None:
    """Add the verb for anyone."""
    group.add_command(play)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="[STAGE] [FLAGS]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--table", is_flag=True, help="Play at a card table, in a notebook that is opened.")
@of_form
@in_workspace
def play(words: tuple[str, ...], table: bool, form: str | None, folder: Path | None) -> int:
    """Play the game: your own in a workspace, and elsewhere the course's.

    STAGE is a name or a number; without it, the last that can be played. The flags go to the game,
    and `hearts play -- --help` shows them. The exit status is the game's, or 2 if there is none.
    """
    named = bool(words) and not words[0].startswith("-")
    name = words[0] if named else None
    game = _find(name, Form(form) if form else None, folder, table=table)
    if game.note:
        click.echo(f"hearts: {game.note}", err=True)
    if table:
        return open_table(game, words[named:], click.echo)
    return run_game(game, words[named:])


def _find(name: str | None, form: Form | None, folder: Path | None, *, table: bool) -> Game:
    """The game to play; raises UsageError if there is none."""
    course, here = find_course(), folder or Path.cwd()
    stages = playable(course, name, table=table)
    if root := find_root(here):
        return own_game(course, root, stages, form)
    asked_for_own = folder is not None or form is not None
    game = None if asked_for_own else reference_game(course, stages)
    return game or own_game(course, need_workspace(course, here).root, stages, form)
