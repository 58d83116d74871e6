"""Many units of grading: results come as they are ready, and none is ever lost.

Only a few units are under way at any time, so that memory does not grow with the class.
"""

from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice

from hearts_course.errors import CourseError
from hearts_course.grading.crew import Executor, WorkerDied
from hearts_course.grading.job import Unit, give_up
from hearts_course.results import Result

AHEAD = 2  # units handed out for each worker: the one it is at, and the next
LOOK_SECONDS = 1.0


def grade_all(units: Iterable[Unit], crew: Executor) -> Generator[Result, None, None]:
    """Each unit's result, in the order in which they are ready.

    A worker that dies takes no result with it: what it may have died of is tried once more, each
    alone, since nobody knows whose fault it was; only then is it recorded as a fault of ours.
    Raises CourseError if nobody is left to grade.
    """
    coming = iter(units)
    while suspects := (yield from _run(coming, crew)):
        for unit in suspects:
            if (yield from _run(iter([unit]), crew)):
                yield give_up(unit, "the grading process died, and died again when retried")


def _run(units: Iterator[Unit], crew: Executor) -> Generator[Result, None, list[Unit]]:
    """Grade until all is done, or until a worker has died and the others have ended theirs.

    Returns what nobody has graded though it was handed out.
    """
    under_way: dict[Future[Result], Unit] = {}
    suspects: list[Unit] = []
    with crew.at_work() as submit:
        while True:
            crew.look()
            room = 0 if suspects else max(0, AHEAD * crew.places - len(under_way))
            for unit in islice(units, room):
                under_way[submit(unit)] = unit
            if not under_way:
                return suspects
            for future in wait(under_way, LOOK_SECONDS, FIRST_COMPLETED).done:
                unit = under_way.pop(future)
                try:
                    result = _result(future, unit, crew)
                except WorkerDied:
                    suspects.append(unit)
                else:
                    yield result


def _result(future: Future[Result], unit: Unit, crew: Executor) -> Result:
    """Raises WorkerDied and CourseError; any other fault of ours is in the result."""
    try:
        return crew.result(future)
    except (WorkerDied, CourseError):
        raise
    except Exception as error:
        return give_up(unit, f"{type(error).__name__}: {error}")
