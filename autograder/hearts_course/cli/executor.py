"""The executor that grades: processes of this machine, or a cluster's workers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hearts_course.cli.warnings import warn, warn_of_sandbox
from hearts_course.course import Course
from hearts_course.errors import UsageError

if TYPE_CHECKING:
    from hearts_course.grading.pool import Executor


@dataclass(frozen=True)
class MadeExecutor:
    """The executor, and the sandbox that it is told to use."""

    executor: "Executor"
    sandbox: str


@contextmanager
def make_executor(
    course: Course, sandbox: str, cluster: str | None, jobs: int | None
) -> Iterator[MadeExecutor]:
    """Yield the executor, and warn of its sandbox; `sandbox` is the one asked for.

    Raise NoSandbox, or UsageError if the cluster cannot be reached or used.
    """
    if cluster is None:
        from hearts_course.grading.pool import LocalExecutor
        from hearts_course.sandbox.backends import choose_sandbox

        chosen = choose_sandbox(sandbox)
        warn_of_sandbox(sandbox, chosen)
        yield MadeExecutor(LocalExecutor(jobs), chosen)
        return
    if find_spec("distributed") is None:
        install = "pip install 'hearts-course[cluster]'"
        raise UsageError(f"`--cluster` needs distributed; run `{install}`")
    from hearts_course.grading.cluster.executor import ClusterExecutor, check_workers, connected

    with connected(cluster) as client:
        for line in check_workers(client, cluster, sandbox):
            warn(line)
        # Each worker chooses its sandbox itself.
        yield MadeExecutor(ClusterExecutor(client, cluster, course), sandbox)
