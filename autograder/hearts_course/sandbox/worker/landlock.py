"""Give up files, the network and other processes by Landlock, without any rights of root.

The process, and all processes that it starts, can never get back what it gives up here. Any
version of Landlock will do (Linux 5.13 and newer); later versions refuse more.
"""

import functools
import os
import struct
from collections.abc import Iterable

from .kernel import PR_SET_NO_NEW_PRIVS, call, can_ask, last_error, prctl

# Linux gives these system calls the same numbers on every kind of processor.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, PATH_BENEATH = 1, 1
WRITE_FILE, READ_FILE, USE_DEVICE = 2, 4, 2**15
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # the number of file rights that each version has
MAX_FILE_RIGHTS = 16
# Version 4 of Landlock was the first with the rights to bind and to connect TCP sockets.
NET_FROM, TCP = 4, 3
# Version 6 was the first that can refuse signals to processes outside the sandbox, and connections
# to their abstract sockets.
SCOPE_FROM, ABSTRACT_SOCKETS_AND_SIGNALS = 6, 3


@functools.cache
def landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 if it has none or does not say."""
    if not can_ask():
        return 0
    return max(call(CREATE_RULESET, None, 0, ASK_VERSION), 0)


def landlock_refusal() -> int:
    """Return the number of the error that refuses Landlock; 0 if there is no such error.

    Without an error, the kernel has Landlock or cannot be asked.
    """
    return last_error() if can_ask() and call(CREATE_RULESET, None, 0, ASK_VERSION) < 0 else 0


def give_up_files(devices: Iterable[str] = (), version: int | None = None) -> bool:
    """Give up all files but these devices; return whether the kernel could do that.

    Files that are open stay open. From version 4 on, also give up TCP. From version 6 on, also give
    up signals to processes outside the sandbox, and connections to their abstract sockets.
    `version` is the version of Landlock to use, by default the kernel's.
    """
    if version is None:
        version = landlock_version()
    if not version:
        return False
    file_rights = (1 << FILE_RIGHTS.get(version, MAX_FILE_RIGHTS)) - 1
    rules = struct.pack("Q", file_rights)
    if version >= NET_FROM:
        rules += struct.pack("Q", TCP)
    if version >= SCOPE_FROM:
        rules += struct.pack("Q", ABSTRACT_SOCKETS_AND_SIGNALS)
    ruleset = call(CREATE_RULESET, rules, len(rules), 0)
    for path in devices:
        _allow(ruleset, path, file_rights & (READ_FILE | WRITE_FILE | USE_DEVICE))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    result = call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return result == 0


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # a missing device or file need not be allowed
    call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    os.close(place)
