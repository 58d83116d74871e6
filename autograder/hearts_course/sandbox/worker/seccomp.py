"""Let the kernel refuse system calls, by two seccomp filters.

The first filter is for every process in the sandbox. It allows what CPython 3.11 to 3.14 and its
standard library need to compute, to read files and to run a script at a terminal. It refuses
everything that could leave a note for another program: shared memory, locks, leases, sockets, keys,
the state of the page cache, waking a thread of another process.

The second filter is for the processes that run student code. They compute, sleep, and talk through
the pipes that they have. The filter tells them that no file exists, so they cannot reach what the
kernel keeps for each file or shows in `/proc`. They start no process and no thread, and signal only
themselves.
"""

import errno
import functools
import os
import struct
from collections.abc import Iterable

from .kernel import (
    PR_CAPBSET_DROP,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_SECCOMP,
    can_ask,
    library,
    prctl,
)

# A system call's numbers: on x86_64, and on machines that share the kernel's asm-generic table.
Numbers = tuple[int | None, int | None]
# A filter's step: code, steps to skip if its condition holds, steps to skip if not, and a number.
Step = tuple[int, int, int, int]

ALLOWED: dict[str, Numbers] = {
    # Calls on files that are open, or that the sandbox lets a program open.
    **{"read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66)},
    **{"pread64": (17, 67), "lseek": (8, 62), "close": (3, 57), "close_range": (436, 436)},
    **{"open": (2, None), "openat": (257, 56), "dup": (32, 23), "dup2": (33, None)},
    **{"dup3": (292, 24), "pipe": (22, None), "pipe2": (293, 59)},
    **{"stat": (4, None), "lstat": (6, None), "fstat": (5, 80), "newfstatat": (262, 79)},
    **{"statx": (332, 291), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439)},
    **{"readlink": (89, None), "readlinkat": (267, 78), "getdents64": (217, 61)},
    **{"getcwd": (79, 17), "chdir": (80, 49), "umask": (95, 166)},
    **{"select": (23, None), "pselect6": (270, 72), "poll": (7, None), "ppoll": (271, 73)},
    # The process's own memory.
    **{"brk": (12, 214), "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216)},
    # Signals, and the process's own clocks.
    **{"rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139)},
    **{"rt_sigpending": (127, 136), "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137)},
    **{"sigaltstack": (131, 132), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131)},
    **{"alarm": (37, None), "setitimer": (38, 103), "getitimer": (36, 102), "pause": (34, None)},
    **{"nanosleep": (35, 101), "clock_nanosleep": (230, 115), "restart_syscall": (219, 128)},
    **{"gettimeofday": (96, 169), "time": (201, None), "times": (100, 153)},
    # Threads and processes.
    **{"set_robust_list": (273, 99), "set_tid_address": (218, 96), "rseq": (334, 293)},
    **{"membarrier": (324, 283), "sched_yield": (24, 124)},
    **{"fork": (57, None), "vfork": (58, None), "wait4": (61, 260), "waitid": (247, 95)},
    **{"setsid": (112, 157), "exit": (60, 93), "exit_group": (231, 94)},
    # Facts and limits of the process and the machine.
    **{"getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178), "getpgrp": (111, None)},
    **{"getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177)},
    **{"getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150)},
    **{"getrusage": (98, 165), "getrlimit": (97, 163), "setrlimit": (160, 164)},
    **{"uname": (63, 160), "getcpu": (309, 168), "getrandom": (318, 278)},
    "prctl": (157, 167),  # this call installs the second filter, which then refuses the call
}
FUTEX = (202, 98)
# Operations of `futex` with FUTEX_PRIVATE_FLAG: only the process itself can end its wait. Without
# this flag, another sandbox could end it, if both share the file or memory at the address.
WITHIN_A_PROCESS = (128, 129, 131, 132, 137, 138, 384, 393)
# Operations that wait for the end of a thread. Only the worker's own process has threads.
FOR_A_THREAD_S_END = (0, 9, 265)
# Calls that are allowed only with certain values: the call's numbers, an argument's place, and the
# values that this argument may have.
ONLY_WITH: dict[str, tuple[Numbers, int, tuple[int, ...]]] = {
    "futex": (FUTEX, 1, (*WITHIN_A_PROCESS, *FOR_A_THREAD_S_END)),
    # A program may copy a descriptor, read and set the descriptor's own flags, and read the flags
    # of its open file. All else is refused, such as locks, leases and signals about what others do
    # with files.
    "fcntl": ((72, 25), 1, (0, 1, 2, 3, 1030)),
    # Settings, size and session of a terminal, but no typing into one.
    "ioctl": (
        (16, 29),
        1,
        (
            *(0x5401, 0x5402, 0x5403, 0x5404, 0x5409, 0x540A, 0x540B, 0x540E, 0x540F, 0x5410),
            *(0x5413, 0x5414, 0x5422, 0x5429, 0x5441, 0x5450, 0x5451, 0x80045430, 0x40045431),
            *(0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D),
        ),
    ),
    # Advice is refused if it tells a program what is in memory. Advice to merge equal pages is
    # refused, because all programs share the library's pages. Huge pages are refused as in `mmap`.
    "madvise": ((28, 233), 2, (4, 8, 16, 17, 102, 103)),
    "clock_gettime": ((228, 113), 0, tuple(range(12))),  # no clocks of other processes
    "clock_getres": ((229, 114), 0, tuple(range(12))),
    "prlimit64": ((302, 261), 0, (0,)),  # its own limits: process 0 is the caller
    "sched_getaffinity": ((204, 123), 0, (0,)),
    "getpgid": ((121, 155), 0, (0,)),
    "getsid": ((124, 156), 0, (0,)),
}
MMAP, CLONE, CLONE3 = (9, 222), (56, 220), (435, 435)
# Refused to student code: calls about other processes, and calls that change how a process waits
# and ends. `getrusage` is refused because it tells which reads came from disk and which from
# memory. Pipes are refused because the size of a new pipe depends on how many pipes the user has.
REFUSED_TO_PROGRAMS = (
    *("fork", "vfork", "wait4", "waitid", "setsid", "prctl", "getrusage", "pipe", "pipe2"),
    *("set_robust_list", "set_tid_address", "membarrier"),
)
# These calls tell student code that no file exists. Even `fstat` does so, because the number of a
# pipe tells how many pipes the whole machine has made.
NO_SUCH_FILE = (
    *("open", "openat", "stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat"),
    *("faccessat2", "readlink", "readlinkat", "getdents64", "chdir"),
)
SIGNALLING = ("kill", "tkill", "tgkill")
MACHINES = {  # for each machine, the kernel's number for it and the index in `Numbers`
    "x86_64": (0xC000003E, 0),
    "aarch64": (0xC00000B7, 1),
    "riscv64": (0xC00000F3, 1),
    "loongarch64": (0xC0000102, 1),
}
NEW_NAMESPACES = 0x7E020000  # flags of `clone` that make new namespaces
# Flags of a mapping, and a protection. Huge pages are refused, because all programs share the few
# that the machine has. Memory that the kernel may drop is refused: the kernel drops it when other
# programs need much memory, and the program would notice that.
SHARED, DROPPABLE, ANONYMOUS, HUGE, WRITABLE = 1, 8, 0x20, 0x40000, 2

SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION, CAPABILITIES = 0x20080522, 64
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE_WITH = 0x7FFF0000, 0x00050000
DENY, UNKNOWN = REFUSE_WITH | errno.EPERM, REFUSE_WITH | errno.ENOSYS
MISSING = REFUSE_WITH | errno.ENOENT
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # places in the data that a filter sees
ANY_PROCESS = 0x7FFFFFF1  # a placeholder in the filter for the process's own number
FOREIGN = 0x40000000  # numbers from here on (x32) make the same calls in another way


def known_machine() -> bool:
    """Return whether there is a filter for this machine."""
    return can_ask() and os.uname().machine in MACHINES


def confine_sandbox() -> None:
    """Give up root's powers and install the first filter, for this process and its children.

    Do nothing on a machine without a filter.
    """
    if known_machine():
        for number in range(CAPABILITIES):
            prctl(PR_CAPBSET_DROP, number)
        library().capset(struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24))
        install(_sandbox_steps(*machine()))
        _program_filter()  # this filter is made before the fork, once for all programs


def confine_program() -> None:
    """Install the second filter, for a process that is about to run student code.

    Do nothing on a machine without a filter.
    """
    if known_machine():
        number = struct.pack("I", os.getpid())
        _install(_program_filter().replace(struct.pack("I", ANY_PROCESS), number))


def machine() -> tuple[int, int]:
    """Return the kernel's number for this machine, and this machine's index in `Numbers`."""
    return MACHINES[os.uname().machine]


def install(steps: Iterable[Step]) -> None:
    """Install a filter of these steps in this process, for good."""
    _install(_packed(steps))


def _packed(steps: Iterable[Step]) -> bytes:
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _install(packed: bytes) -> None:
    import ctypes  # not every interpreter has this module

    code = ctypes.create_string_buffer(packed, len(packed))
    length = len(packed) // struct.calcsize("HBBI")
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", length, ctypes.addressof(code)))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program))


@functools.cache
def _program_filter() -> bytes:
    return _packed(_program_steps(machine()[1], process=ANY_PROCESS))


def _sandbox_steps(architecture: int, column: int) -> list[Step]:
    steps = [
        *[(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, DENY)],
        *[(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, FOREIGN), (RETURN, 0, 0, DENY)],
    ]
    for numbers in ALLOWED.values():
        steps += when(numbers[column], [(RETURN, 0, 0, ALLOW)])
    for numbers, place, values in ONLY_WITH.values():
        steps += when(numbers[column], _only(place, values))
    steps += when(MMAP[column], _private_or_read_only())
    steps += when(CLONE[column], unless(NEW_NAMESPACES))
    # No filter can read the flags of `clone3`, because they lie in memory. So say that there is no
    # such call, and libraries use `clone` instead.
    steps += when(CLONE3[column], [(RETURN, 0, 0, UNKNOWN)])
    return [*steps, (RETURN, 0, 0, DENY)]


def _program_steps(column: int, process: int) -> list[Step]:
    """Return the second filter's steps; a call that they allow must also pass the first filter."""
    steps = [(LOAD, 0, 0, NUMBER)]
    for name in NO_SUCH_FILE:
        steps += when(ALLOWED[name][column], [(RETURN, 0, 0, MISSING)])
    for name in REFUSED_TO_PROGRAMS:
        steps += when(ALLOWED[name][column], [(RETURN, 0, 0, DENY)])
    for name in SIGNALLING:
        steps += when(ALLOWED[name][column], _only(0, (process,)))
    # No threads: they are numbered together with processes, so a later process could count them.
    steps += when(CLONE[column], [(RETURN, 0, 0, DENY)])
    steps += when(FUTEX[column], _only(1, WITHIN_A_PROCESS))
    steps += when(MMAP[column], _only_anonymous())
    return [*steps, (RETURN, 0, 0, ALLOW)]


def when(number: int | None, then: list[Step]) -> list[Step]:
    """Return the steps for the call with that number; none if this machine lacks the call.

    `then` are the steps for that call; they end in a verdict.
    """
    return [] if number is None else [(EQUAL, 0, len(then), number), *then]


def unless(bits: int) -> list[Step]:
    """Return steps that refuse a call whose first argument has one of these bits, else allow it."""
    return [_load(0), (ANY_BIT, 0, 1, bits), (RETURN, 0, 0, DENY), (RETURN, 0, 0, ALLOW)]


def _only(place: int, values: Iterable[int]) -> list[Step]:
    steps = [_load(place)]
    for value in values:
        steps += [(EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW)]
    return [*steps, (RETURN, 0, 0, DENY)]


def _private_or_read_only() -> list[Step]:
    """Allow shared mappings only of files, and only for reading.

    Refuse huge pages, and memory that the kernel may drop.
    """
    return [
        *[_load(3), (ANY_BIT, 0, 1, HUGE | DROPPABLE), (RETURN, 0, 0, DENY)],
        *[(ANY_BIT, 1, 0, SHARED), (RETURN, 0, 0, ALLOW)],
        *[(ANY_BIT, 0, 1, ANONYMOUS), (RETURN, 0, 0, DENY)],
        *[_load(2), (ANY_BIT, 0, 1, WRITABLE), (RETURN, 0, 0, DENY), (RETURN, 0, 0, ALLOW)],
    ]


def _only_anonymous() -> list[Step]:
    """Allow new memory, but no mapping of a file."""
    return [_load(3), (ANY_BIT, 0, 1, ANONYMOUS), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, DENY)]


def _load(place: int) -> Step:
    """Return the step that loads the lower half of an argument, which is enough here."""
    return (LOAD, 0, 0, ARGUMENTS + 8 * place)
