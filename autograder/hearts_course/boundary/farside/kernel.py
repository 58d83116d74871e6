"""What only the kernel itself can do, asked for by `prctl`; on Linux, elsewhere nothing is done.

refuse_calls       some system calls are refused. With `prlimit` a program could take the limits
                   from its grader, who is the same user; with a key in a keyring it could leave a
                   note for the next program
die_with_parent    this process ends when the one that started it does, however that ended
"""

import ctypes
import errno
import functools
import os
import signal
import struct
import sys
from typing import Any

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SECCOMP_MODE_FILTER = 2
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, DENY = 0x7FFF0000, 0x00050000 | errno.EPERM
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # where they lie in what the filter sees
FOREIGN = 0x40000000  # numbers from here on are a second way to make the same calls

# Of each machine: its name to the kernel, `prlimit64`, and `add_key`, `request_key`, `keyctl`.
MACHINES = {
    "x86_64": (0xC000003E, 302, (248, 249, 250)),
    "aarch64": (0xC00000B7, 261, (217, 218, 219)),
}

Step = tuple[int, int, int, int]


def refuse_calls() -> None:
    """Install the filter for this process and all it starts; does nothing where it cannot."""
    if sys.platform != "linux" or os.uname().machine not in MACHINES:
        return
    steps = _steps(*MACHINES[os.uname().machine])
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)


def die_with_parent() -> None:
    """Have this process killed when its parent ends; a child of it must ask for itself."""
    if sys.platform == "linux":
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@functools.cache
def _function() -> Any:
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_ulong]
    return prctl


def _prctl(option: int, value: int, data: bytes | None = None) -> None:
    _function()(option, value, data, 0, 0)


def _steps(architecture: int, prlimit: int, refused: tuple[int, ...]) -> list[Step]:
    """The filter: code, how many steps to skip if it holds, how many if not, number."""
    steps = [
        *[(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, DENY)],
        *[(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, FOREIGN), (RETURN, 0, 0, DENY)],
    ]
    for number in refused:
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, DENY)]
    # Only a process's own limits, which it calls process 0.
    steps += [(EQUAL, 1, 0, prlimit), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, FIRST_ARGUMENT)]
    return [*steps, (EQUAL, 0, 1, 0), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, DENY)]
