"""What grades: processes of this machine, or a cluster's workers."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hearts_course.cli.common import warn
from hearts_course.course import Course
from hearts_course.errors import UsageError

if TYPE_CHECKING:
    from hearts_grader.grading.pool import Executor

MadeExecutor = tuple["Executor", str]  # with the sandbox that its jobs use


@contextmanager
def make_executor(
    course: Course, sandbox: str, cluster: str | None, jobs: int | None, most: int
) -> Iterator[MadeExecutor]:
    """Yield an executor for `most` jobs and their sandbox, and warn if that sandbox is weak.

    Raise NoSandbox, or UsageError if the cluster cannot be reached or used.
    """
    if cluster is None:
        from hearts_grader.grading.pool import LocalExecutor
        from hearts_grader.sandbox.backends import choose_sandbox, sandbox_warnings

        chosen = choose_sandbox(sandbox)
        warn(*sandbox_warnings(sandbox, chosen))
        with LocalExecutor(jobs, most=most, tried=True).staying() as executor:
            yield executor, chosen
        return
    if find_spec("distributed") is None:
        install = "pip install 'hearts-course[cluster]'"
        raise UsageError(f"`--cluster` needs distributed; run `{install}`")
    from hearts_grader.grading.cluster import ClusterExecutor, check_workers, connected

    with connected(cluster) as client:
        warn(*check_workers(client, cluster, sandbox, warn))
        # Each worker chooses its sandbox itself.
        yield ClusterExecutor(client, cluster, course), sandbox
