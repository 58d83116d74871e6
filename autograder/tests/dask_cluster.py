"""A scheduler and its workers, as processes of their own, for the tests of grading on a cluster."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

START_SECONDS = 60
QUICK = {  # what only takes time here
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__DASHBOARD__LINK": "",
}
Process = subprocess.Popen[bytes]


class DaskCluster:
    """A scheduler, and as many workers as were added; all of them end with it."""

    def __init__(self, folder: Path, *options: str, within: Sequence[str] = ()) -> None:
        """Starts the scheduler; `within` is a command that runs another one in its place."""
        folder.mkdir()
        self._folder = folder
        self._file = folder / "scheduler.json"
        self._started: list[Process] = []
        command = ["dask_scheduler", "--port", "0", "--scheduler-file", str(self._file)]
        self.scheduler = self._start([*command, *(options or ("--host", "127.0.0.1"))], within)

    def __enter__(self) -> "DaskCluster":
        """The cluster."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._started:
            kill(process)

    @property
    def address(self) -> str:
        """Where the scheduler is; waits until it is there."""
        return str(json.loads(self._waited_for("scheduler.json", "}"))["address"])

    @property
    def private(self) -> list[Path]:
        """The folders in which workers have a course."""
        return list((self._folder / "dask-scratch-space").glob("*/hearts-course-*"))

    def add_worker(
        self,
        *options: str,
        within: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Process:
        """Start a worker with one thread."""
        command = ["dask_worker", "--scheduler-file", str(self._file), "--nthreads", "1"]
        command += ["--no-nanny", "--local-directory", str(self._folder), *options]
        return self._start(command, within, environment)

    def wait(self) -> None:
        """Until all workers that were started are known to the scheduler."""
        for number in range(1, len(self._started)):
            self._waited_for(f"{number}.log", "Registered to")

    def _start(
        self,
        command: Sequence[str],
        within: Sequence[str],
        environment: Mapping[str, str] | None = None,
    ) -> Process:
        module, *options = command
        python = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard"]
        with (self._folder / f"{len(self._started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*within, *python, *options],
                env={**os.environ, **QUICK, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def _waited_for(self, name: str, mark: str) -> str:
        path, deadline = self._folder / name, time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with suppress(OSError):
                if mark in (text := path.read_text()):
                    return text
            time.sleep(0.02)
        raise AssertionError(f"{name}: nobody has written {mark!r}")


def kill(process: Process) -> None:
    """End the process and all that it has started, at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
