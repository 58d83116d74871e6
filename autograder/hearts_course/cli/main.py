"""The group of all verbs, sorted by whom they are for."""

import importlib

import click

from hearts_course.course import pick

MOST_HELP = 120  # characters: a sentence, which may go on in a second line
AUDIENCES = {
    "student": "For students",
    "result": "For students",
    "instructor": "For instructors",
    "similar": "For instructors",
    "doctor": "For instructors",
    "collect": "For instructors",
    "export": "For instructors",
    "release": "For instructors",
    "nbgrader": "For instructors",
    "author": "For authors",
    "play": "For anyone",
}
QUICK = "instructor"  # the module whose verbs are to wait for no other's imports


class HeartsGroup(click.Group):
    """Takes its verbs from this package's modules, each of which registers its own."""

    def audiences(self) -> dict[str, list[click.Command]]:
        """The verbs of each audience, under a title."""
        found: dict[str, list[click.Command]] = {}
        for module, title in AUDIENCES.items():
            found.setdefault(title, []).extend(_verbs(module).values())
        return found

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all verbs, by audience."""
        return [name for module in AUDIENCES for name in _verbs(module)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name; raises UsageError, with a suggestion, if there is none."""
        if cmd_name.startswith("-"):
            return None  # an option that click itself complains about
        if verb := _verbs(QUICK).get(cmd_name):
            return verb
        every = {name: verb for module in AUDIENCES for name, verb in _verbs(module).items()}
        return pick(cmd_name, every, "verb")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs and what each does, an audience at a time."""
        for title, verbs in self.audiences().items():
            with formatter.section(title):
                formatter.write_dl(
                    [(verb.name or "", verb.get_short_help_str(MOST_HELP)) for verb in verbs]
                )


def _verbs(module: str) -> dict[str, click.Command]:
    """The verbs that a module registers, by name."""
    verbs = click.Group()
    importlib.import_module(f"hearts_course.cli.{module}").register(verbs)
    return dict(verbs.commands)
