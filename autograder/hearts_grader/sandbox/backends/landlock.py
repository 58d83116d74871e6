"""Run a program in our own sandbox: Landlock and two system call filters.

This sandbox needs no special rights and no package. Before the worker reads a program, it gives up
files, the network and other processes by Landlock. The program's process may then make only the
system calls that `worker.seccomp` allows. None of these calls can find a file. This sandbox also
works for an ordinary user and in a container.
"""

import os

from hearts_course.course import Limits
from hearts_course.sandbox.pipes import Process, Subprocess
from hearts_course.sandbox.worker import ENVIRONMENT
from hearts_course.sandbox.worker.landlock import landlock_version
from hearts_course.sandbox.worker.seccomp import known_machine

from hearts_grader.sandbox.library_archive import library_archive


def start_landlock(command: list[str], limits: Limits) -> Process:
    """Start the worker, which confines itself; raise PermissionError if this cannot work here.

    The number of processes needs no limit, because a program cannot start any.
    """
    if not landlock_version():
        raise PermissionError("no Landlock here")
    if not known_machine():
        raise PermissionError(f"no system call filter for {os.uname().machine}")
    return Subprocess(command, ENVIRONMENT, [library_archive()], folder="/")
