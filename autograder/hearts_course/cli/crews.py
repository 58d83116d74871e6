"""Whoever is to grade: this machine, or a cluster.

whom_to_hire   what gets them ready, and says what is less than the best about them
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hearts_course.cli.warnings import warn, warn_of_sandbox
from hearts_course.course import Course
from hearts_course.errors import UsageError

if TYPE_CHECKING:
    from hearts_course.grading.crew import Executor


@dataclass(frozen=True)
class MadeExecutor:
    """Whoever grades, and the sandbox that they are told to use."""

    crew: "Executor"
    sandbox: str


Hire = Callable[[], AbstractContextManager[MadeExecutor]]


def whom_to_hire(course: Course, sandbox: str, cluster: str | None, jobs: int | None) -> Hire:
    """What gets whoever grades ready; `sandbox` is the one asked for.

    When called it raises NoSandbox, or UsageError if a cluster cannot be reached or used.
    """
    if cluster:
        return partial(_workers, course, sandbox, cluster)
    return partial(_processes, sandbox, jobs)


@contextmanager
def _processes(sandbox: str, jobs: int | None) -> Iterator[MadeExecutor]:
    from hearts_course.grading.processes import LocalExecutor
    from hearts_course.sandbox.backends import choose_sandbox

    chosen = choose_sandbox(sandbox)
    warn_of_sandbox(sandbox, chosen)
    yield MadeExecutor(LocalExecutor(jobs), chosen)


@contextmanager
def _workers(course: Course, sandbox: str, address: str) -> Iterator[MadeExecutor]:
    """Each worker chooses its sandbox by itself."""
    if find_spec("distributed") is None:
        install = "pip install 'hearts-course[cluster]'"
        raise UsageError(f"`--cluster` needs distributed; run `{install}`")
    from hearts_course.grading.cluster.client import check_in, connected
    from hearts_course.grading.cluster.crew import Cluster

    with connected(address) as client:
        for line in check_in(client, address, sandbox):
            warn(line)
        yield MadeExecutor(Cluster(client, address, course), sandbox)
