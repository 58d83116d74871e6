"""The command `hearts`: its commands by audience, and one line for every error.

A workspace is a student's folder. The grader is the package `hearts_grader`,
which has the commands for instructors and authors.

Exit status: 0 if all went well, 1 if results are missing or something cannot be done, 2 if the
command was misused, 130 if it was interrupted.
"""

import os
import traceback
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hearts_course import __version__
from hearts_course.cli.common import INTERRUPTED
from hearts_course.course import Course, find_course, pick
from hearts_course.errors import CourseError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

DISTRIBUTION = "hearts-course"  # the package whose entry points name the grader's commands
STAGES, OVERLAY = "--stages", "--overlay"
COURSE_OPTIONS = (STAGES, OVERLAY)  # these options change the course that is loaded
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
MAX_SHORT_HELP = 120  # characters of a command's sentence in the list of commands
# For each command, the module of this package that defines it. The module is imported only when
# the command is used.
COMMANDS = {
    "Every day": {
        "check": "student",
        "watch": "student",
        "hint": "student",
        "predict": "learn",
        "submit": "student",
    },
    "Later": {
        "start": "student",
        "next": "student",
        "progress": "student",
        "play": "play",
        "reset": "student",
        "explain": "learn",
        "catch": "learn",
        "compare": "learn",
        "extract": "student",
        "variant": "learn",
    },
}
# Only Classroom 50's workflow runs this command, so no help lists it.
NOT_FOR_PEOPLE = {"result": "student"}
# Groups of entry points with the grader's commands: this package never imports the grader by name.
GRADER_COMMANDS = {"For instructors": "hearts.instructors", "For authors": "hearts.authors"}
LOADERS = "hearts.loaders"  # entry points that load the course for --stages and --overlay
GRADER = "hearts_grader"  # a package that only a checkout has
HAS_GRADER = find_spec(GRADER) is not None
ONLY_IN_A_CHECKOUT = "is for instructors and authors; run it in a checkout, after `make setup`"


class HeartsGroup(click.Group):
    """The group of all commands, sorted by audience; students see only commands for students."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands that are shown in this folder, audience by audience."""
        names: list[str] = []
        for commands in _commands_by_audience().values():
            names += commands
        return names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command. If there is none, raise UsageError with a suggestion.

        Only the module of the command is imported, which saves the time of importing all the
        others.
        """
        if cmd_name.startswith("-"):
            return None  # click itself complains about an unknown option
        modules: dict[str, str] = {}
        for commands in (*COMMANDS.values(), NOT_FOR_PEOPLE):
            modules |= commands
        if cmd_name not in modules:
            return _grader_command(cmd_name, modules)
        module = import_module(f"{__name__}.{modules[cmd_name]}")
        function = cmd_name
        if cmd_name == "next":  # Python has a function `next` already
            function = "next_stage"
        command: click.Command = getattr(module, function)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Accept `--stages` and `--overlay` before and after the name of the command.

        click itself accepts a group's options only before the command, where people do not expect
        them.
        """
        options: list[str] = []
        for number, word in reversed([*enumerate(args)]):
            if word.partition("=")[0] in COURSE_OPTIONS:
                end = number + 2  # the next word is the option's value
                if "=" in word:
                    end = number + 1
                options = [*args[number:end], *options]
                args = [*args[:number], *args[end:]]
        return super().parse_args(ctx, [*options, *args])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that a user of this folder needs, and then the commands.

        `--stages` and `--overlay` are shown only where the grader's commands are shown.
        """
        for option in self.params:
            if isinstance(option, click.Option) and option.opts[0] in COURSE_OPTIONS:
                option.hidden = not _shows_grader()
        super().format_options(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does, one audience at a time."""
        for title, names in _commands_by_audience().items():
            with formatter.section(title):
                rows: list[tuple[str, str]] = []
                for name in names:
                    if command := self.get_command(ctx, name):
                        rows.append((name, command.get_short_help_str(MAX_SHORT_HELP)))
                formatter.write_dl(rows)


def _commands_by_audience() -> dict[str, tuple[str, ...]]:
    """Map each audience to the names of its commands that are shown in this folder.

    The entry points of the installed distribution name the grader's commands.
    """
    names = {title: tuple(commands) for title, commands in COMMANDS.items()}
    if _shows_grader():
        for title, group in GRADER_COMMANDS.items():
            names[title] = tuple(point.name for point in _entry_points(group))
    return names


def _shows_grader() -> bool:
    """Return whether the grader is installed, and the current folder is not in a workspace."""
    from hearts_course.student.workspace import find_root

    return HAS_GRADER and find_root(Path.cwd()) is None


def _grader_command(name: str, others: Iterable[str]) -> click.Command:
    """Return the grader's command. If there is none, raise UsageError with a suggestion.

    `others` are the names of this package's commands. The suggestion may be one of them, because
    the user may have meant it.
    """
    choices: dict[str, EntryPoint | None] = dict.fromkeys(others)
    for group in GRADER_COMMANDS.values():
        choices |= {point.name: point for point in _entry_points(group)}
    command: click.Command = _load(pick(name, choices, "command"), f"`hearts {name}`")
    return command


def _entry_points(group: str) -> "EntryPoints | tuple[()]":
    """Return this distribution's entry points of the group.

    If the distribution is not installed, return ().
    """
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution(DISTRIBUTION).entry_points.select(group=group)
    except PackageNotFoundError:
        return ()


def _load(point: "EntryPoint | None", feature: str) -> Any:
    """Return the grader's object that the entry point names.

    Raise UsageError if the grader is not installed: a student's wheel has the entry points, but not
    the grader's package. In the message, `feature` names the command or option that was used.
    """
    if point is None or not HAS_GRADER:
        raise UsageError(f"{feature} {ONLY_IN_A_CHECKOUT}")
    return point.load()


@click.group(cls=HeartsGroup, invoke_without_command=True)
@click.version_option(__version__, message="hearts %(version)s")
@click.option(
    STAGES,
    type=FOLDER,
    envvar="HEARTS_STAGES",
    help="Also use the stages of this folder, which has the same four folders as the course.",
)
@click.option(
    OVERLAY,
    type=FOLDER,
    envvar="HEARTS_OVERLAY",
    help="Also use your own tests and points, from DIRECTORY/STAGE.",
)
@click.pass_context
def hearts(context: click.Context, stages: Path | None, overlay: Path | None) -> None:
    """Hearts: write a card game in Python, stage by stage.

    Without a command: show where you are and what is next.
    """
    context.obj = context.obj or find_course()
    if stages or overlay:
        point = next(iter(_entry_points(LOADERS)), None)
        assemble = _load(point, " and ".join(COURSE_OPTIONS))
        context.obj = assemble(context.obj, stages, overlay)
    if context.invoked_subcommand is None:
        from hearts_course.cli.student import show_status

        show_status(context)


def run(arguments: Sequence[str], course: Course | None = None) -> int:
    """Run a command and return its exit status.

    An error is printed as one line and not raised. Without `course`, use the course that belongs to
    this package.
    """
    try:
        status = hearts.main(list(arguments), "hearts", standalone_mode=False, obj=course)
    except CourseError as error:
        return _report(str(error), error.exit_code)
    except click.Abort:
        return _report("stopped", INTERRUPTED)
    except click.ClickException as error:
        return _report(_with_advice(error), error.exit_code)
    except OSError as error:
        return _report(f"{error.filename or 'this machine'}: {error.strerror or error}", 1)
    except Exception as error:
        if os.environ.get("HEARTS_DEBUG"):
            traceback.print_exception(error)
        return _report(
            f"unexpected {type(error).__name__}: {error}; please report this line "
            "(HEARTS_DEBUG=1 shows where it came from)",
            1,
        )
    if isinstance(status, int):
        return status
    return 0  # most commands return None


def _report(message: str, status: int) -> int:
    """Print an error as one line to stderr, and return the exit status."""
    click.echo(f"hearts: {' '.join(message.splitlines())}", err=True)
    return status


def _with_advice(error: click.ClickException) -> str:
    """Return click's message with a pointer to the command's help."""
    path = "hearts"
    if isinstance(error, click.UsageError) and error.ctx:
        path = error.ctx.command_path
    return f"{error.format_message().rstrip('.')}; see `{path} --help`"
