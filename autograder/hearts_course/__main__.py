"""`hearts`, or `python -m hearts_course`: run the command line in its own process."""

import gc
import os
import sys
from typing import NoReturn

import hearts_course

MANY = 100_000  # objects; most commands end before there is any garbage to look for


def main() -> NoReturn:
    """Run the command line and end the process with its exit status.

    Little is imported before it is needed, because people wait for every command.
    """
    gc.set_threshold(MANY)
    if sys.argv[1:] == ["--version"]:  # needs none of the modules below
        print("hearts", hearts_course.__version__)
        sys.exit()
    from hearts_course.cli import run
    from hearts_course.text import make_stdout_tolerant

    make_stdout_tolerant()
    _name_a_home()
    try:
        status = run(sys.argv[1:])
    finally:
        _finish_stdout()
    gc.freeze()  # a last search for garbage would take a tenth of the whole command
    sys.exit(status)


def _name_a_home() -> None:
    """Name a home folder where the user has none: some libraries ask for it on their import."""
    from pathlib import Path

    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.sep


def _finish_stdout() -> None:
    """Write what stdout still holds, or drop it if nobody reads stdout any more.

    Otherwise Python tries to write it again when it ends, and complains from 3.14 on.
    """
    stdout = sys.__stdout__
    if stdout is None or stdout.closed:
        return
    try:
        stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `python -m` puts the current folder first, where a learner's own `random.py` may lie.
        sys.path.append(sys.path.pop(0))
    main()
