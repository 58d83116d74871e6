"""`hearts`, or `python -m hearts_course`: the command line as a process of its own."""

import gc
import sys
from typing import NoReturn

import hearts_course

MANY = 100_000  # objects; most commands end before there is any garbage to look for


def main() -> NoReturn:
    """Run the command line and end the process with its exit status."""
    gc.set_threshold(MANY)
    if sys.argv[1:] == ["--version"]:  # needs none of the modules below
        print("hearts", hearts_course.__version__)
        sys.exit()
    from hearts_course.cli import run
    from hearts_course.text import make_stdout_tolerant

    make_stdout_tolerant()
    status = run(sys.argv[1:])
    gc.freeze()  # a last search for garbage would take a tenth of the whole command
    sys.exit(status)


if __name__ == "__main__":
    main()
