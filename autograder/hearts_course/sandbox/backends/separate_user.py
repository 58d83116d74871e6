"""Run a program as another user, for containers without namespaces.

It needs root. Each program runs under its own unused uid, with rights to nothing. File modes, the
limits, the system call filter, and Landlock where the kernel has it keep the program in. Without
Landlock it can read world-readable files and leave files in shared folders; when it ends, its
files and processes are removed.

The worker's text travels on the command line, because its folder should be closed to other users.
"""

import itertools
import os
import re
import shutil
import stat
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from hearts_course.course import Limits
from hearts_course.sandbox.pipes import Process, Subprocess
from hearts_course.sandbox.worker import (
    ENVIRONMENT,
    PACKAGE,
    SYSTEM_FOLDERS,
    WORKER_DIR,
    interpreter_folders,
)
from hearts_course.sandbox.worker.seccomp import landlock_version

FIRST_UID = 0x70000000  # beyond the uids of people, services and containers
MAX_AT_A_TIME = 32  # programs of one grading process
ALL_USERS = ["0", "0", "4294967295"]  # in /proc/self/uid_map: no user namespace around us
CARRIED = """
import importlib.abc, importlib.machinery, sys, types
class Carried(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    texts = {texts!r}
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name in self.texts else None
    def exec_module(self, module):
        exec(compile(self.texts[module.__name__], module.__name__, "exec"), vars(module))
sys.modules["sandbox_worker"] = types.ModuleType("sandbox_worker")
sys.modules["sandbox_worker"].__path__ = []
sys.meta_path.insert(0, Carried())
from sandbox_worker.seccomp import confine_files
confine_files({readable!r}, ["/dev/null"])
"""
SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")
END_USER = (
    "import os;os.setgroups([]);os.setresgid({0},{0},{0});os.setresuid({0},{0},{0});os.kill(-1,9)"
)

_numbers = itertools.count()


def unused_uid() -> int:
    """Return a uid that no other program has now, out of those of this container."""
    place = os.getpid() * MAX_AT_A_TIME + next(_numbers) % MAX_AT_A_TIME
    words = Path("/proc/self/uid_map").read_text().split()
    if words == ALL_USERS:
        return FIRST_UID + place
    ranges = [(int(size), int(first)) for first, size in zip(words[::3], words[2::3], strict=True)]
    size, first = max(ranges)
    upper_half = size // 2  # named users are in the lower half
    return first + size - 1 - place % max(upper_half, 1)


def as_user(uid: int, processes: int) -> list[str]:
    """Return the start of a command that runs a program as the user, with so few processes."""
    become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
    less = ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
    return ["prlimit", f"--nproc={processes}", "--", *become, *less]


def start_as_user(command: list[str], limits: Limits) -> Process:
    """Start the program under its own uid.

    Raise PermissionError if we are not root, or if others cannot read our Python.
    """
    if sys.platform != "linux" or os.geteuid() != 0:
        raise PermissionError("only root can start a program as another user")
    if closed := _closed_folder():
        raise PermissionError(f"other users may not enter {closed}, which leads to Python")
    for tool in ("prlimit", "setpriv"):
        if shutil.which(tool) is None:
            raise FileNotFoundError(tool)
    uid = unused_uid()
    *python, code = command
    carrying = code.replace(PACKAGE, _carried_worker())
    return SeparateUserProcess([*as_user(uid, limits.processes), *python, carrying], uid)


@cache
def _closed_folder() -> str:
    """Return the first folder on the path to Python that other users may not enter, or ""."""
    places = [Path(os.path.realpath(sys.executable)), *map(Path, interpreter_folders())]
    ways = [folder for place in places for folder in (*reversed(place.parents), place)]
    return next((str(way) for way in ways if not way.stat().st_mode & stat.S_IXOTH), "")


@cache
def _carried_worker() -> str:
    names = {path.stem: path for path in WORKER_DIR.glob("*.py") if path.stem != "__init__"}
    texts = {
        f"sandbox_worker.{name}": path.read_text(encoding="utf-8") for name, path in names.items()
    }
    readable = [*SYSTEM_FOLDERS, *interpreter_folders(), "/dev/null", "/dev/urandom"]
    return CARRIED.format(texts=texts, readable=readable)


class SeparateUserProcess(Subprocess):
    """A process of another user; with it ends everything that the user started or left."""

    def __init__(self, command: list[str], uid: int) -> None:
        self._uid = uid
        super().__init__(command, ENVIRONMENT)

    def kill(self) -> int | None:
        """End it and all its user's processes, and remove its files; harmless if it has ended."""
        status = super().kill()
        if _processes_of(self._uid):
            # All at once, because each could start another before it is killed.
            command = [sys.executable, "-I", "-S", "-c", END_USER.format(self._uid)]
            subprocess.run(command, env=ENVIRONMENT, cwd="/", capture_output=True, check=False)
        if not landlock_version():
            _remove_files_of(self._uid)
        return status


def _processes_of(uid: int) -> list[int]:
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with suppress(OSError):
                status = Path(entry.path, "status").read_text()
                uids = re.findall(r"^Uid:\s*(\d+)", status, re.MULTILINE)
                state = re.findall(r"^State:\s*(\w)", status, re.MULTILINE)
                if uids == [str(uid)] and state != ["Z"]:
                    found.append(int(entry.name))
    return found


def _remove_files_of(uid: int) -> None:
    for folder in SHARED_FOLDERS:
        with suppress(OSError):
            for entry in list(os.scandir(folder)):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_uid != uid:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        shutil.rmtree(entry.path, ignore_errors=True)
                    else:
                        Path(entry.path).unlink()
