"""Start the workers of a command: processes of this machine, or a cluster's workers.

Pool, cluster and sandboxes are imported only where they are used, because they load slowly and some
of their packages may be missing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hearts_course.cli.common import warn
from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.sandbox.processors import processors

if TYPE_CHECKING:
    from distributed import Client

    from hearts_grader.grading.pool import Executor
    from hearts_grader.tournament.rounds import Setup, Workers

MadeExecutor = tuple["Executor", str]  # an executor, and the sandbox that its jobs use


@contextmanager
def make_executor(
    course: Course, sandbox: str, cluster: str | None, jobs: int | None, most: int
) -> Iterator[MadeExecutor]:
    """Yield an executor for at most `most` jobs, and the name of the sandbox for these jobs.

    Warn if a sandbox is weak. Raise NoSandbox if the sandbox does not work, and UsageError if the
    cluster cannot be reached or used.
    """
    if cluster is None:
        from hearts_grader.grading.pool import LocalExecutor
        from hearts_grader.sandbox.backends import choose_sandbox, sandbox_warnings

        # Choose the sandbox first, because no worker may start without a sandbox.
        chosen = choose_sandbox(sandbox)
        warn(*sandbox_warnings(sandbox, chosen))
        # `choose_sandbox` has tried the sandbox, so no worker tries it again.
        with LocalExecutor(jobs, most=most, tried=True).staying() as executor:
            yield executor, chosen
        return
    with connected_client(cluster, sandbox) as client:
        from hearts_grader.grading.cluster import ClusterExecutor

        # Each worker of a cluster chooses a sandbox that works on its own machine.
        yield ClusterExecutor(client, cluster, course), sandbox


@contextmanager
def connected_client(address: str, sandbox: str) -> Iterator["Client"]:
    """Yield a client of the Dask scheduler at `address`; warn if its workers' sandboxes are weak.

    Raise NoSandbox if a worker's sandbox does not work, and UsageError if the cluster cannot be
    reached or used.
    """
    if find_spec("distributed") is None:
        install = "pip install 'hearts-course[cluster]'"
        raise UsageError(f"`--cluster` needs distributed; run `{install}`")
    from hearts_grader.grading.cluster import check_workers, connected

    with connected(address) as client:
        warnings = check_workers(client, address, sandbox, say=warn)
        warn(*warnings)
        yield client


@contextmanager
def make_round_workers(
    setup: "Setup", cluster: str | None, jobs: int | None
) -> Iterator["tuple[Workers, Setup]"]:
    """Yield workers for the rounds of a tournament, and the setup with the workers' sandbox.

    Raise NoSandbox if the sandbox does not work, and UsageError if the cluster cannot be reached or
    used.
    """
    from hearts_grader.tournament.rounds import LocalWorkers

    if cluster is None:
        from hearts_grader.sandbox.backends import choose_sandbox, sandbox_warnings

        chosen = choose_sandbox(setup.sandbox)
        warn(*sandbox_warnings(setup.sandbox, chosen))
        setup = replace(setup, sandbox=chosen)
        with LocalWorkers(setup, jobs or len(processors())) as workers:
            yield workers, setup
        return
    with connected_client(cluster, setup.sandbox) as client:
        from hearts_grader.tournament.cluster import ClusterRounds

        with ClusterRounds(client, cluster).playing(setup) as rounds:
            yield rounds, setup
