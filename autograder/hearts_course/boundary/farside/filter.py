"""What a program gives up before it runs, whatever the sandbox: root's powers, and system calls.

The calls are refused by a filter of the kernel's own. No program of the course needs one of them,
and each is a way past a sandbox, or into more of the kernel than a card game has to see. With
`prlimit`, for one, a program could take the limits from its grader, who is the same user; with a
key in a keyring it could leave a note for the next program.
"""

import ctypes
import errno
import functools
import os
import signal
import struct
import sys

# Their numbers: on x86_64, and on the machines that share one table (the kernel's `asm-generic`).
REFUSED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "socket": (41, 198),  # a pair of connected ones stays allowed
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "fanotify_init": (300, 262),
    "open_by_handle_at": (304, 265),
}
PRLIMIT, CLONE, CLONE3 = (302, 261), (56, 220), (435, 435)
MACHINES = {  # the machine's name to the kernel, and its column above
    "x86_64": (0xC000003E, 0),
    "aarch64": (0xC00000B7, 1),
    "riscv64": (0xC00000F3, 1),
    "loongarch64": (0xC0000102, 1),
}
NEW_NAMESPACES = 0x7E020000  # what `clone` may be asked for beside a process

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER = 1, 24, 36
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
CAPABILITY_VERSION, CAPABILITIES = 0x20080522, 64
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, DENY, UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # where they lie in what the filter sees
FOREIGN = 0x40000000  # numbers from here on are a second way to make the same calls

Step = tuple[int, int, int, int]


def known_machine() -> bool:
    """Whether there is a filter for this machine."""
    return sys.platform == "linux" and os.uname().machine in MACHINES


def refuse_calls() -> None:
    """Give up root's powers and the calls, here and in all processes started from here.

    Does nothing where it cannot.
    """
    if not known_machine():
        return
    library = _library()
    _drop_capabilities(library)
    steps = _steps(*MACHINES[os.uname().machine])
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    )
    library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    library.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program), 0, 0)


def die_with_parent() -> None:
    """Have this process killed when its parent ends; a child of it must ask for itself."""
    if sys.platform == "linux":
        _library().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of every process below this one whose own parent ends."""
    if sys.platform == "linux":
        _library().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None)
    library.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return library


def _drop_capabilities(library: ctypes.CDLL) -> None:
    """Leave a grader's root nothing but its name; anybody else has none of these."""
    for number in range(CAPABILITIES):
        library.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    library.capset(struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24))


def _steps(architecture: int, column: int) -> list[Step]:
    """The filter: code, how many steps to skip if it holds, how many if not, number."""
    steps = [
        *[(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, DENY)],
        *[(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, FOREIGN), (RETURN, 0, 0, DENY)],
    ]
    for numbers in REFUSED.values():
        steps += [(EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, DENY)]
    # Its flags lie in memory, where no filter can read them; libraries then take `clone`.
    steps += [(EQUAL, 0, 1, CLONE3[column]), (RETURN, 0, 0, UNKNOWN)]
    steps += [(EQUAL, 0, 3, CLONE[column]), (LOAD, 0, 0, FIRST_ARGUMENT)]
    steps += [(ANY_BIT, 0, 2, NEW_NAMESPACES), (RETURN, 0, 0, DENY)]
    # Only a process's own limits, which it calls process 0.
    steps += [(EQUAL, 1, 0, PRLIMIT[column]), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, FIRST_ARGUMENT)]
    return [*steps, (EQUAL, 0, 1, 0), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, DENY)]
