"""Whoever grades: processes on this machine, or a cluster's workers.

Crew         what a batch needs to know of them
WorkerDied   one of them is gone, and what it was at, too
"""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Protocol

from hearts_course.grading.job import Unit
from hearts_course.results import Result

Submit = Callable[[Unit], Future[Result]]


class WorkerDied(Exception):
    """A worker died, and perhaps of the unit that it was at."""


class Executor(Protocol):
    """Whoever grades."""

    @property
    def places(self) -> int:
        """How many units are graded at a time; at least one."""

    def at_work(self) -> AbstractContextManager[Submit]:
        """Starts work; yields what hands out a unit. Whatever is left at the end is dropped."""

    def result(self, future: Future[Result]) -> Result:
        """The result of a unit whose future is done.

        Raises WorkerDied; CourseError if nobody is left to grade the others either; and whatever
        else went wrong with this unit.
        """

    def look(self) -> None:
        """Look after those at work, often; raises CourseError if nothing more can come of them."""
