"""Landlock: a process gives up files, for itself and all that it starts, and needs no rights to.

version       which Landlock the kernel has, 0 if it has none
confine       leave only some folders, and these only to be read
stand_apart   lose the sight of the processes around
"""

import ctypes
import functools
import os
import struct
import sys
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # on every machine
ASK_VERSION, PATH_BENEATH = 1, 1
PR_SET_NO_NEW_PRIVS = 38
EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER, MAKE_LINK = 1, 2, 4, 8, 2**12
# How many rights to files each version knows, and what it knows beside files.
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
MOST_RIGHTS = 16
NET_FROM, TCP = 4, 3
SCOPE_FROM, ABSTRACT_SOCKETS_AND_SIGNALS = 6, 3


@functools.cache
def version() -> int:
    """Which Landlock the kernel has, 0 if it has none, or does not let us ask."""
    if sys.platform != "linux":
        return 0
    return max(_call(CREATE_RULESET, None, 0, ASK_VERSION), 0)


def confine(readable: Iterable[str], devices: Iterable[str] = ()) -> bool:
    """Give up all files but these; what is in `devices` may be written to as well.

    Returns whether that was done: where there is no Landlock, nothing is.
    """
    known = version()
    if not known:
        return False
    handled = (1 << RIGHTS.get(known, MOST_RIGHTS)) - 1
    rules = struct.pack("Q", handled)
    if known >= NET_FROM:
        rules += struct.pack("Q", TCP)
    if known >= SCOPE_FROM:
        rules += struct.pack("Q", ABSTRACT_SOCKETS_AND_SIGNALS)
    ruleset = _call(CREATE_RULESET, rules, len(rules), 0)
    for path in readable:
        _allow(ruleset, path, EXECUTE | READ_FILE | READ_FOLDER)
    for path in devices:
        _allow(ruleset, path, READ_FILE | WRITE_FILE)
    _library().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    done = _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return done == 0


def stand_apart() -> None:
    """Lose the sight of all processes but those that start from here: their memory, their pipes.

    Does nothing where there is no Landlock.
    """
    if version():
        rules = struct.pack("Q", MAKE_LINK)
        ruleset = _call(CREATE_RULESET, rules, len(rules), 0)
        _library().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _call(RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there need not be allowed
    _call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    os.close(place)


def _call(number: int, *arguments: object) -> int:
    return int(_library().syscall(number, *arguments))


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None)
    library.syscall.restype = ctypes.c_long
    library.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return library
