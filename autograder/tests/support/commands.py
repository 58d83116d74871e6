"""Run the command `hearts` as if it were typed in a folder that contains a course."""

from pathlib import Path

from hearts_course.cli import run
from hearts_course.course import Course


def hearts(*words: str, folder: str = "course") -> int:
    """Run a command on the course in this folder, and return the exit status.

    Each call reads the course again, because a test may change it between two commands.
    """
    return run(words, Course(Path.cwd() / folder))
