"""A Dask scheduler and its workers as processes, for the tests of grading on a cluster."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

START_SECONDS = 60
QUICK = {  # turn off features that cost time and are not tested
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__DASHBOARD__LINK": "",
}


class DaskCluster:
    """A scheduler and its workers; the end of the `with` statement kills all of them."""

    def __init__(self, folder, *options):
        """Start the scheduler; its address and all logs are written to the folder."""
        folder.mkdir()
        self._folder = folder
        self._file = folder / "scheduler.json"
        self._started = []
        command = ["dask_scheduler", "--port", "0", "--scheduler-file", str(self._file)]
        self.scheduler = self._start([*command, *(options or ("--host", "127.0.0.1"))])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in self._started:
            kill(process)

    @property
    def address(self):
        """The scheduler's address. Waits until the scheduler has written its address."""
        return str(json.loads(self._wait_for("scheduler.json", "}"))["address"])

    @property
    def private(self):
        """The folders in which workers keep a copy of the course."""
        return list((self._folder / "dask-scratch-space").glob("*/hearts-course-*"))

    def add_worker(self, *options):
        """Start a worker with one thread."""
        command = ["dask_worker", "--scheduler-file", str(self._file), "--nthreads", "1"]
        command += ["--no-nanny", "--local-directory", str(self._folder), *options]
        return self._start(command)

    def wait(self):
        """Wait until the scheduler knows all workers that were started."""
        for number in range(1, len(self._started)):
            self._wait_for(f"{number}.log", "Registered to")

    def _start(self, command):
        module, *options = command
        python = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard"]
        with (self._folder / f"{len(self._started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*python, *options],
                env=os.environ | QUICK,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def _wait_for(self, name, mark):
        path = self._folder / name
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with suppress(OSError):
                if mark in (text := path.read_text()):
                    return text
            time.sleep(0.02)
        raise AssertionError(f"{name}: {mark!r} was not written")


def kill(process):
    """Kill the process and everything it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
