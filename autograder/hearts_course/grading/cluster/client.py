"""A connection to the scheduler of a cluster, and what its workers are fit for.

connected   a client of the scheduler
check_in    which workers there are, and that all of them can grade
"""

import logging
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import dask
from distributed import Client
from distributed.security import Security
from distributed.versions import VersionMismatchWarning

from hearts_course.errors import NoSandbox, UsageError
from hearts_course.grading.cluster.worker import Survey, other_tool, own_tool, survey

CONNECT_SECONDS = 10
WORKERS_SECONDS = 30
CLOSE_SECONDS = 5
SETTINGS = {"distributed.comm.retry.count": 3}
ADDRESS = re.compile(r"(tcp|tls)://.+:\d{1,5}")
INSTALL = "`pip install 'hearts-course[cluster]'`"


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at the address; raises UsageError if none answers there."""
    _check(address)
    with _quiet(), dask.config.set(SETTINGS):
        try:
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except OSError:
            raise UsageError(
                f"{address}: no scheduler answers us there; start one by `dask scheduler`, or "
                "leave out --cluster"
            ) from None
        try:
            yield client
        finally:
            with suppress(OSError):  # of a scheduler that is gone
                client.close(CLOSE_SECONDS)


def check_in(client: Client, address: str, sandbox: str) -> list[str]:
    """Lines about the sandboxes that the workers have.

    Raises UsageError if there is no worker or one cannot grade as this machine would, NoSandbox if
    one cannot keep programs in.
    """
    _check_scheduler(client, address)
    notices = defaultdict(list)
    for where, found in sorted(_surveys(client, address, sandbox).items()):
        if not isinstance(found, Survey):
            raise UsageError(_without_tool(where, found))
        if found.tool != own_tool():
            raise UsageError(other_tool(where, found.tool, own_tool()))
        if found.no_sandbox:
            raise NoSandbox(f"{where}: {found.no_sandbox}")
        for line in found.notices:
            notices[line].append(where)
    return [f"{line} ({_on(workers)})" for line, workers in notices.items()]


def _check(address: str) -> None:
    if not ADDRESS.fullmatch(address):
        raise UsageError(f"{address}: no address; tcp://HOST:PORT or tls://HOST:PORT is expected")
    if address.startswith("tls:") and not Security().tls_client_cert:
        raise UsageError(
            f"{address}: no keys for it here; name them in Dask's settings, as "
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..__CLIENT__CERT and ..__CLIENT__KEY"
        )


def _check_scheduler(client: Client, address: str) -> None:
    """It runs nothing of ours, but has to know what it hands on."""
    where = f"{address} (the scheduler)"
    try:
        tool = client.run_on_scheduler(own_tool)
    except Exception as error:
        raise UsageError(_without_tool(where, error)) from None
    if tool != own_tool():
        raise UsageError(other_tool(where, tool, own_tool()))


def _surveys(client: Client, address: str, sandbox: str) -> dict[str, Any]:
    """What each worker says of itself, or the exception which that ended in."""
    try:
        client.wait_for_workers(1, timeout=WORKERS_SECONDS)
    except TimeoutError:
        raise UsageError(
            f"{address}: has no worker; start some by `dask worker {address} --nthreads 1`"
        ) from None
    found: dict[str, Any] = client.run(survey, sandbox, on_error="return")
    return found


def _without_tool(where: str, error: object) -> str:
    return (
        f"{where}: cannot run hearts-course ({_line(error)}); {INSTALL} there, and start it again"
    )


def _on(workers: list[str]) -> str:
    others = f" and {len(workers) - 1} more" if workers[1:] else ""
    return f"on {workers[0]}{others}"


def _line(error: object) -> str:
    return " ".join(f"{error}".split()) or type(error).__name__


@contextmanager
def _quiet() -> Iterator[None]:
    """What goes wrong is told by us, in one line."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        with warnings.catch_warnings(action="ignore", category=VersionMismatchWarning):
            yield
    finally:
        logging.disable(before)
