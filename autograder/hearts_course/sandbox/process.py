"""One program's process, however it is kept in: how it is started, and how it is ended.

Process   a running program
Piped     one that `subprocess` has started
started   those still running; `end_all` ends them
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Protocol

from hearts_course.course import Limits

WORKER_DIR = Path(__file__).resolve().parent / "worker"
SYSTEM = ("/usr", "/lib", "/lib64", "/bin")
# The package is made by hand because the folder around it must stay unreadable to a program.
PACKAGE = """
import sys, types
package = sys.modules["sandbox_worker"] = types.ModuleType("sandbox_worker")
package.__path__ = [{folder!r}]
"""
# With a home and a name, since programs greet their user, and ask where to keep a high score.
ENVIRONMENT = {
    **{"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"},
    **{"HOME": "/", "USER": "student"},
}


class Process(Protocol):
    """A running submission."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def kill(self) -> int | None:
        """End it and all it has started, at once.

        Returns how it ended, as `subprocess` tells it, where that is known.
        """


Start = Callable[[list[str], Limits], Process]

started: set[Process] = set()


def end_all() -> None:
    """End every program that this process has started."""
    for process in tuple(started):
        process.kill()


def interpreter_folders() -> list[str]:
    """What a bare interpreter has to read, beside the system's own folders."""
    folders = {os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)}
    return sorted(folders - {"/usr"})


class Piped:
    """A process of `subprocess`, killed together with its whole process group."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        """Start the command with three unbuffered pipes."""
        self._process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self.stdin, self.stdout, self.stderr = (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        )
        started.add(self)

    def kill(self) -> int | None:
        """End it and its process group; harmless if it has already ended."""
        started.discard(self)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        return self._process.wait()
