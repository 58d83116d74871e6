"""Run a program as another user, for containers with a kernel that has no Landlock.

This backend needs root. Each program runs under its own unused uid, which has no rights. The system
call filters and the limits contain the program.
"""

import os
import secrets
import shutil
import stat
import sys
from collections import deque
from functools import cache
from pathlib import Path

from hearts_course.course import Limits
from hearts_course.sandbox.pipes import Process, Subprocess
from hearts_course.sandbox.worker import ENVIRONMENT
from hearts_course.sandbox.worker.seccomp import known_machine

from hearts_grader.sandbox.library_archive import library_archive

FIRST_UID = 0x70000000  # beyond the uids of people, services and containers
PLACES = 32  # uids that one grading process may use
MAX_AT_A_TIME = 8  # programs that one grading process runs at a time
PYTHON = Path(sys.executable)
UID_MAP = Path("/proc/self/uid_map")
ALL_USERS = ["0", "0", "4294967295"]  # the words of UID_MAP outside of user namespaces

_latest_places: deque[int] = deque(maxlen=MAX_AT_A_TIME)


def unused_uid(uid_map: Path = UID_MAP) -> int:
    """Return a uid of this container that no other program has now.

    `uid_map` is the kernel's file of the uids in this container. The uid is chosen at random,
    because consecutive uids would tell a program how many programs ran before.
    """
    own_place = secrets.choice([n for n in range(PLACES) if n not in _latest_places])
    _latest_places.append(own_place)
    place = os.getpid() * PLACES + own_place
    words = uid_map.read_text().split()
    if words == ALL_USERS:
        return FIRST_UID + place
    ranges = [(int(size), int(first)) for first, size in zip(words[::3], words[2::3], strict=True)]
    size, first = max(ranges)
    upper_half = size // 2  # named users are in the lower half
    return first + size - 1 - place % max(upper_half, 1)


def as_user(uid: int) -> list[str]:
    """Return the start of a command that runs a program as the user, with no rights."""
    become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
    return [*become, "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]


def start_as_user(command: list[str], limits: Limits) -> Process:
    """Start the program under its own uid.

    The number of processes needs no limit, because the program cannot start any. Raise
    PermissionError if we are not root, if other users cannot run our Python, or if there is no
    filter for this machine. Raise FileNotFoundError if `setpriv` is missing.
    """
    if refusal := why_refused(os.geteuid()):
        raise PermissionError(refusal)
    if shutil.which("setpriv") is None:
        raise FileNotFoundError("setpriv")
    as_another = [*as_user(unused_uid()), *command]
    return Subprocess(as_another, ENVIRONMENT, [library_archive()], folder="/")


def why_refused(uid: int, python: Path = PYTHON) -> str:
    """Return why this user cannot run this Python as another user; "" if no reason is known."""
    if sys.platform != "linux" or uid != 0:
        return "only root can start a program as another user"
    if not known_machine():
        return f"no system call filter for {os.uname().machine}"
    if closed := _closed_folder(python):
        return f"other users may not enter {closed}, which leads to Python"
    return ""


def interpreter_folders() -> list[str]:
    """Return the folders outside of /usr that an interpreter without packages reads."""
    folders = {os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)}
    return sorted(folders - {"/usr"})


@cache
def _closed_folder(python: Path) -> str:
    """Return the first folder on the path to Python that other users may not enter, or ""."""
    for place in (python.resolve(), *map(Path, interpreter_folders())):
        for folder in (*reversed(place.parents), place):
            if not folder.stat().st_mode & stat.S_IXOTH:
                return str(folder)
    return ""
