"""The `hearts` command: a table of verbs, and what becomes of every fault.

Exit status 0 when all went well, 1 when marks are missing or something cannot be done, 2 when the
command was misused, 130 when it was interrupted. A fault is one line on the error stream.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from hearts_course.cli.main import HeartsGroup
from hearts_course.errors import CourseError
from hearts_course.student.terminal import make_stdout_tolerant


@click.group(cls=HeartsGroup, invoke_without_command=True)
@click.version_option(package_name="hearts-course", message="hearts %(version)s")
@click.pass_context
def hearts(context: click.Context) -> None:
    """Hearts: write a card game in Python, stage by stage.

    Without a verb: where you are and what is next.
    """
    if context.invoked_subcommand is None:
        from hearts_course.cli.status import say_where

        say_where(context)


def main() -> NoReturn:
    """Run the command and end the process with its exit status."""
    make_stdout_tolerant()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status and never raises for a foreseeable fault."""
    try:
        status = hearts.main(list(arguments), prog_name="hearts", standalone_mode=False)
    except CourseError as fault:
        return _tell(str(fault), fault.exit_code)
    except click.Abort:
        return _tell("stopped", 130)
    except click.ClickException as fault:
        return _tell(_advised(fault), fault.exit_code)
    except OSError as fault:
        return _tell(f"{fault.filename or 'this machine'}: {fault.strerror or fault}", 1)
    except Exception as fault:
        return _unforeseen(fault)
    return status if isinstance(status, int) else 0


def _tell(message: str, status: int) -> int:
    click.echo(f"hearts: {' '.join(message.splitlines())}", err=True)
    return status


def _advised(fault: click.ClickException) -> str:
    context = fault.ctx if isinstance(fault, click.UsageError) else None
    path = context.command_path if context else "hearts"
    return f"{fault.format_message().rstrip('.')}; see `{path} --help`"


def _unforeseen(fault: Exception) -> int:
    if os.environ.get("HEARTS_DEBUG"):
        traceback.print_exception(fault)
    return _tell(
        f"unexpected {type(fault).__name__}: {fault}; please report this line "
        "(HEARTS_DEBUG=1 shows where it came from)",
        1,
    )
