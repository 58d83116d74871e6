"""`hearts`, or `python -m hearts_course`: run the command line in its own process."""

import gc
import os
import sys
from typing import NoReturn

import hearts_course

# New objects after which Python looks for garbage. Ten times as many would save a short command no
# time that can be measured, and would cost a long run 15 MiB of memory.
MANY = 10_000


def main() -> NoReturn:
    """Run the command line and end the process with its exit status.

    Little is imported before it is needed, because people wait for every command.
    """
    gc.set_threshold(MANY)
    if sys.argv[1:] == ["--version"]:  # this flag needs none of the modules below
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
    gc.freeze()  # a last search for garbage would take a tenth of the command's time
    sys.exit(status)


def _name_a_home() -> None:
    """Set HOME if the user has no home folder, because some libraries ask for it when imported."""
    from pathlib import Path

    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.sep


def _finish_stdout() -> None:
    """Write what stdout still holds, or drop it if nobody reads stdout any more.

    Otherwise Python would try to write the rest when it ends. From version 3.14 on, Python would
    also print an error.
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
        # `python -m` puts the current folder first. A learner's own `random.py` there must not
        # replace Python's.
        sys.path.append(sys.path.pop(0))
    main()
