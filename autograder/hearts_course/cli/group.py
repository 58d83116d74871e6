"""The group of all verbs, sorted by whom they are for."""

import importlib
from collections.abc import Iterable

import click

from hearts_course.course import pick

MOST_HELP = 120  # characters: a sentence, which may go on in a second line
AUDIENCES = {
    "student": "For students",
    "instructor": "For instructors",
    "author": "For authors",
    "anyone": "For anyone",
}


class HeartsGroup(click.Group):
    """Takes its verbs from this package's modules, each of which registers its own."""

    def audiences(self) -> dict[str, list[click.Command]]:
        """The verbs of each audience, under a title."""
        found: dict[str, list[click.Command]] = {}
        for module, title in AUDIENCES.items():
            verbs = click.Group()
            importlib.import_module(f"hearts_course.cli.{module}").register(verbs)
            found[title] = list(verbs.commands.values())
        return found

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all verbs, by audience."""
        return [verb.name for verb in self._verbs() if verb.name]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name; raises UsageFault, with a suggestion, if there is none."""
        if cmd_name.startswith("-"):
            return None  # an option that click itself complains about
        return pick(cmd_name, {verb.name: verb for verb in self._verbs() if verb.name}, "verb")

    def _verbs(self) -> Iterable[click.Command]:
        return [verb for verbs in self.audiences().values() for verb in verbs]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs and what each does, an audience at a time."""
        for title, verbs in self.audiences().items():
            with formatter.section(title):
                formatter.write_dl(
                    [(verb.name or "", verb.get_short_help_str(MOST_HELP)) for verb in verbs]
                )
