"""Run a command as in a container without privileges: as root, with Docker's powers and calls.

`python container.py [--no-landlock] COMMAND...`, with any Python on Linux. The command can change
users, but make no namespaces. Without Landlock it is like an older kernel or Docker.
"""

import ctypes
import os
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from hearts_course.sandbox.worker import seccomp

POWERS = 0xA80425FB  # what Docker leaves root
PR_CAPBSET_DROP = 24
NAMESPACES = {"unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "pivot": (155, 41)}
LANDLOCK = {"create": (444, 444), "add": (445, 445), "restrict": (446, 446)}


def enter(*, landlock):
    """Give up what a container does not have."""
    library = ctypes.CDLL(None)
    for number in range(64):
        if not POWERS >> number & 1:
            library.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    low, high = POWERS & 0xFFFFFFFF, POWERS >> 32
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
    words = sys.argv[1:]
    without = words[0] == "--no-landlock"
    enter(landlock=not without)
    command = words[1:] if without else words
    os.execvp(command[0], command)
