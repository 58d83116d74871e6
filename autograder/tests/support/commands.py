"""The command `hearts`, as it is typed in a folder that has a course in it."""

from pathlib import Path

from hearts_course.cli import run
from hearts_course.course import Course


def hearts(*words: str, folder: str = "course") -> int:
    """Run a command of the course that lies in this folder; return the exit status.

    The course is read afresh each time, because a test may change it between two commands.
    """
    return run(words, Course(Path.cwd() / folder))
