"""Run a command as root with only the rights and system calls of an unprivileged container.

    python container.py [--no-landlock] [--no-users] COMMAND...

Any Python on Linux will do. The command has the capabilities that root has in Docker, and cannot
make namespaces. With `--no-landlock`, the command has no Landlock, as with an older kernel or an
older Docker. With `--no-users`, it cannot become another user. With both options, no sandbox works.
"""

import ctypes
import os
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from hearts_course.sandbox.worker import seccomp

POWERS = 0xA80425FB  # the capabilities that root has in Docker
TO_CHANGE_USERS = 1 << 6 | 1 << 7  # the capabilities SETGID and SETUID
PR_CAPBSET_DROP = 24
NAMESPACES = {"unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "pivot": (155, 41)}
LANDLOCK = {"create": (444, 444), "add": (445, 445), "restrict": (446, 446)}


def enter(*, landlock, users):
    """Give up the capabilities and the system calls that a container does not have."""
    library = ctypes.CDLL(None)
    kept = POWERS if users else POWERS & ~TO_CHANGE_USERS
    for number in range(64):
        if not kept >> number & 1:
            library.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    low = kept & 0xFFFFFFFF
    high = kept >> 32
    powers = struct.pack("6I", low, low, 0, high, high, 0)
    library.capset(struct.pack("Ii", seccomp.CAPABILITY_VERSION, 0), powers)
    seccomp.install(_steps(NAMESPACES | ({} if landlock else LANDLOCK)))


def _steps(refused):
    column = seccomp.machine()[1]
    steps = [(seccomp.LOAD, 0, 0, seccomp.NUMBER)]
    for numbers in refused.values():
        steps += seccomp.when(numbers[column], [(seccomp.RETURN, 0, 0, seccomp.DENY)])
    steps += seccomp.when(seccomp.CLONE3[column], [(seccomp.RETURN, 0, 0, seccomp.UNKNOWN)])
    steps += seccomp.when(seccomp.CLONE[column], seccomp.unless(seccomp.NEW_NAMESPACES))
    return [*steps, (seccomp.RETURN, 0, 0, seccomp.ALLOW)]


if __name__ == "__main__":
    command = sys.argv[1:]
    refused = [word for word in command[:2] if word in ("--no-landlock", "--no-users")]
    enter(landlock="--no-landlock" not in refused, users="--no-users" not in refused)
    del command[: len(refused)]
    os.execvp(command[0], command)
