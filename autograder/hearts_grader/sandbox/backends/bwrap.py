"""Run a program in namespaces of its own with `bwrap`, Debian's bubblewrap.

Bubblewrap does not limit how many processes a program starts, but the kernel limits them for each
user. How the kernel counts these processes depends on who grades:

    OWN_USER    root: each program runs under its own unused uid, which has no rights
    NAMESPACE   any other user, or root inside a user namespace, from Linux 5.14 on: the kernel
                counts within the namespace
    UNLIMITED   as NAMESPACE, but on an older Linux; or root without all POWERS, as in some
                containers: no limit
"""

import itertools
import os
import re
import shutil
from enum import Enum
from functools import cache
from pathlib import Path

from hearts_course.course import Limits
from hearts_course.sandbox.pipes import Process, Subprocess
from hearts_course.sandbox.worker import ENVIRONMENT

from hearts_grader.sandbox.backends.separate_user import (
    ALL_USERS,
    as_user,
    interpreter_folders,
    unused_uid,
)
from hearts_grader.sandbox.library_archive import library_archive

COUNTS_IN_NAMESPACES = (5, 14)
SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/bin")  # hold the libraries that Python loads
MEMORY_DEVICES = ("/dev/zero", "/dev/full")  # programs could share memory by mapping /dev/zero
POWERS = (6, 7, 8, 21)  # the capabilities SETGID, SETUID, SETPCAP and SYS_ADMIN


class Counting(Enum):
    """How the kernel counts a program's processes."""

    OWN_USER = 1
    NAMESPACE = 2
    UNLIMITED = 3


def start_bwrap(command: list[str], limits: Limits) -> Process:
    """Start the program in its own namespaces; raise FileNotFoundError without bwrap."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise FileNotFoundError("bwrap")
    how = counting()
    wrap = ["--die-with-parent", "--new-session", "--cap-drop", "ALL", *own_namespaces(how)]
    for folder in [*SYSTEM_FOLDERS, *interpreter_folders()]:
        wrap += ["--ro-bind-try", folder, folder]
    # No /proc: it shows other programs' locks and load, and opens other processes' memory.
    wrap += ["--dev", "/dev"]
    for device in MEMORY_DEVICES:
        wrap += ["--dev-bind", "/dev/null", device]
    wrap += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    confined = [bwrap, *wrap, *limited(limits.processes, how), *command]
    return Subprocess(confined, ENVIRONMENT, [library_archive()])


def own_namespaces(how: Counting) -> list[str]:
    """Return the options that give the program its own namespaces.

    `how` says how the kernel counts the program's processes. For OWN_USER there is no user
    namespace, because the program gets an unused uid of the machine. `setpriv` changes to this uid,
    and needs the three capabilities below.
    """
    if how is not Counting.OWN_USER:
        return ["--unshare-all"]
    spaces = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    # Make the parents of the bound folders with modes that let every user in. bwrap would copy the
    # parents' own modes, which may keep another user out.
    parents: set[str] = set()
    for folder in interpreter_folders():
        parents.update(map(str, Path(folder).parents[:-1]))
    made = [["--perms", "0755", "--dir", parent] for parent in sorted(parents)]
    powers = [["--cap-add", name] for name in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")]
    return [*spaces, "--unshare-cgroup-try", *itertools.chain(*powers, *made)]


def limited(processes: int, how: Counting) -> list[str]:
    """Return the command that starts the program with a limit on its processes and threads.

    `how` says how the kernel counts them. If it is UNLIMITED, return an empty command.
    """
    match how:
        case Counting.NAMESPACE:
            return ["prlimit", f"--nproc={processes + 1}", "--"]  # bwrap is a process as well
        case Counting.OWN_USER:
            return ["prlimit", f"--nproc={processes}", "--", *as_user(unused_uid())]
    return []


@cache
def counting() -> Counting:
    """Return how the kernel counts a program's processes on this machine, for this user."""
    return counting_for(os.geteuid(), os.uname().release, Path("/proc/self"))


def counting_for(user: int, release: str, process: Path) -> Counting:
    """Return how a kernel of this release counts the processes of the user's programs.

    `process` is the folder in which the kernel describes this process.
    """
    if user != 0 or (process / "uid_map").read_text().split() != ALL_USERS:
        version = tuple(map(int, re.findall(r"\d+", release)[:2]))
        return Counting.NAMESPACE if version >= COUNTS_IN_NAMESPACES else Counting.UNLIMITED
    status = (process / "status").read_text()
    held = int(re.findall(r"CapEff:\s*(\w+)", status)[0], 16)
    return Counting.OWN_USER if all(held >> n & 1 for n in POWERS) else Counting.UNLIMITED
