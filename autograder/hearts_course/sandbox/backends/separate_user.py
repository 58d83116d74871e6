"""A program as another user: what is left where there are no namespaces, as in most containers.

It needs root, who becomes a user with rights to nothing for each program. What keeps the program in
is then the modes of files; the limits and the filter of system calls that every program has; and
Landlock, where the kernel has it, without which the program can read what everybody can, and leave
files where everybody can. These are taken away when it has ended, as is all that it has started.

The far side's own text goes along on the command line: the folder that it lies in may be closed to
others, and had better be.
"""

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
from hearts_course.sandbox.backends.users import as_user, own_user
from hearts_course.sandbox.process import (
    ENVIRONMENT,
    PACKAGE,
    SYSTEM,
    WORKER_DIR,
    Piped,
    Process,
    interpreter_folders,
)
from hearts_course.sandbox.worker.landlock import version

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
from sandbox_worker.landlock import confine
confine({readable!r}, ["/dev/null"])
"""
SHARED = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")
END_USER = (
    "import os;os.setgroups([]);os.setresgid({0},{0},{0});os.setresuid({0},{0},{0});os.kill(-1,9)"
)


def start_as_user(command: list[str], limits: Limits) -> Process:
    """Start the program as a user of its own.

    Raises PermissionError if we are not root, or others cannot read our Python.
    """
    if sys.platform != "linux" or os.geteuid() != 0:
        raise PermissionError("only root can start a program as another user")
    if closed := _closed():
        raise PermissionError(f"others may not enter {closed}, where Python lies")
    for tool in ("prlimit", "setpriv"):
        if shutil.which(tool) is None:
            raise FileNotFoundError(tool)
    user = own_user()
    *python, code = command
    return SeparateUserProcess([*as_user(user, limits.processes), *python, _carrying(code)], user)


@cache
def _closed() -> str:
    """The first folder on the way to the interpreter that others may not enter, "" if none."""
    places = [Path(os.path.realpath(sys.executable)), *map(Path, interpreter_folders())]
    ways = [folder for place in places for folder in (*reversed(place.parents), place)]
    return next((str(way) for way in ways if not way.stat().st_mode & stat.S_IXOTH), "")


def _carrying(code: str) -> str:
    """The code with the far side in it, instead of the folder where that lies."""
    return code.replace(PACKAGE.format(folder=str(WORKER_DIR)), _carried())


@cache
def _carried() -> str:
    names = {path.stem: path for path in WORKER_DIR.glob("*.py") if path.stem != "__init__"}
    texts = {
        f"sandbox_worker.{name}": path.read_text(encoding="utf-8") for name, path in names.items()
    }
    readable = [*SYSTEM, *interpreter_folders(), "/dev/null", "/dev/urandom"]
    return CARRIED.format(texts=texts, readable=readable)


class SeparateUserProcess(Piped):
    """A process of another user; it ends with everything that the user has started or left."""

    def __init__(self, command: list[str], user: int) -> None:
        """Start the command."""
        self._user = user
        super().__init__(command, ENVIRONMENT)

    def kill(self) -> int | None:
        """End it and all of its user's, and take away its files; harmless if it has ended."""
        status = super().kill()
        if _processes_of(self._user):
            _end_all_of(self._user)
        if not version():
            _take_away_files_of(self._user)
        return status


def _processes_of(user: int) -> list[int]:
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with suppress(OSError):
                status = Path(entry.path, "status").read_text()
                uids = re.findall(r"^Uid:\s*(\d+)", status, re.MULTILINE)
                state = re.findall(r"^State:\s*(\w)", status, re.MULTILINE)
                if uids == [str(user)] and state != ["Z"]:
                    found.append(int(entry.name))
    return found


def _end_all_of(user: int) -> None:
    """At once: of those that are ended one by one, each could start another meanwhile."""
    command = [sys.executable, "-I", "-S", "-c", END_USER.format(user)]
    subprocess.run(command, env=ENVIRONMENT, cwd="/", capture_output=True, check=False)


def _take_away_files_of(user: int) -> None:
    for folder in SHARED:
        with suppress(OSError):
            for entry in list(os.scandir(folder)):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_uid != user:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        shutil.rmtree(entry.path, ignore_errors=True)
                    else:
                        Path(entry.path).unlink()
