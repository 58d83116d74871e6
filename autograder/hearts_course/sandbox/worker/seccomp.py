"""Let the kernel refuse a submission system calls, by seccomp filters, and files, by Landlock.

There are two filters. The first is for everything in the sandbox. It allows what CPython 3.11 to
3.14 and its standard library need to compute, to read files and to run a script at a terminal. It
refuses everything that could leave a note for another program: shared memory, locks, leases,
sockets, keys, the state of the page cache. The second is for the processes that run student code:
no new process or thread, signals only to itself.

Landlock needs no rights: a process gives up files, for itself and for all that it starts.
"""

import errno
import functools
import os
import signal
import struct
import sys
from collections.abc import Iterable
from typing import Any

try:
    import ctypes
except ImportError:  # an interpreter without it
    ctypes = None  # type: ignore[assignment]

# A call's numbers: on x86_64, and on the machines that share the kernel's asm-generic table.
Numbers = tuple[int | None, int | None]
# A filter's step: code, steps to skip if it is true, steps to skip if not, and a number.
Step = tuple[int, int, int, int]

ALLOWED: dict[str, Numbers] = {
    # Files that are open, or that the sandbox lets a program open.
    **{"read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66)},
    **{"pread64": (17, 67), "lseek": (8, 62), "close": (3, 57), "close_range": (436, 436)},
    **{"open": (2, None), "openat": (257, 56), "dup": (32, 23), "dup2": (33, None)},
    **{"dup3": (292, 24), "pipe": (22, None), "pipe2": (293, 59)},
    **{"stat": (4, None), "lstat": (6, None), "fstat": (5, 80), "newfstatat": (262, 79)},
    **{"statx": (332, 291), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439)},
    **{"readlink": (89, None), "readlinkat": (267, 78), "getdents64": (217, 61)},
    **{"getcwd": (79, 17), "chdir": (80, 49), "umask": (95, 166)},
    **{"select": (23, None), "pselect6": (270, 72), "poll": (7, None), "ppoll": (271, 73)},
    # Memory of its own.
    **{"brk": (12, 214), "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216)},
    # Signals, and clocks of its own.
    **{"rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139)},
    **{"rt_sigpending": (127, 136), "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137)},
    **{"sigaltstack": (131, 132), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131)},
    **{"alarm": (37, None), "setitimer": (38, 103), "getitimer": (36, 102), "pause": (34, None)},
    **{"nanosleep": (35, 101), "clock_nanosleep": (230, 115), "restart_syscall": (219, 128)},
    **{"gettimeofday": (96, 169), "time": (201, None), "times": (100, 153)},
    # Threads and processes, of which the second filter lets a program start none.
    **{"futex": (202, 98), "set_robust_list": (273, 99), "rseq": (334, 293)},
    **{"set_tid_address": (218, 96), "membarrier": (324, 283), "sched_yield": (24, 124)},
    **{"fork": (57, None), "vfork": (58, None), "wait4": (61, 260), "waitid": (247, 95)},
    **{"setsid": (112, 157), "exit": (60, 93), "exit_group": (231, 94)},
    # What a process is.
    **{"getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178), "getpgrp": (111, None)},
    **{"getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177)},
    **{"getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150)},
    **{"getrusage": (98, 165), "getrlimit": (97, 163), "setrlimit": (160, 164)},
    **{"uname": (63, 160), "getcpu": (309, 168), "getrandom": (318, 278)},
    "prctl": (157, 167),  # installs the second filter, which then refuses it
    # Landlock, by which a process gives up more rights.
    **{"landlock_create_ruleset": (444, 444), "landlock_restrict_self": (446, 446)},
}
# Allowed only if the argument at this place has one of these values.
ONLY_WITH: dict[str, tuple[Numbers, int, tuple[int, ...]]] = {
    # Copies and flags of a descriptor; no lock, no lease, no notice of what others read.
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
    # No advice by which a program could learn what is in memory.
    "madvise": ((28, 233), 2, (4, 8, 14, 15, 16, 17, 102, 103)),
    "clock_gettime": ((228, 113), 0, tuple(range(12))),  # not the clocks of other processes
    "clock_getres": ((229, 114), 0, tuple(range(12))),
    "prlimit64": ((302, 261), 0, (0,)),  # its own limits: process 0 is the caller
    "sched_getaffinity": ((204, 123), 0, (0,)),
    "getpgid": ((121, 155), 0, (0,)),
    "getsid": ((124, 156), 0, (0,)),
}
MMAP, CLONE, CLONE3 = (9, 222), (56, 220), (435, 435)
# Refused to programs: other processes, and the count of reads from disk instead of memory.
NOT_FOR_PROGRAMS = ("fork", "vfork", "setsid", "prctl", "getrusage")
SIGNALLING = ("kill", "tkill", "tgkill")
MACHINES = {  # the machine's name to the kernel, and its place among a call's numbers
    "x86_64": (0xC000003E, 0),
    "aarch64": (0xC00000B7, 1),
    "riscv64": (0xC00000F3, 1),
    "loongarch64": (0xC0000102, 1),
}
NEW_NAMESPACES = 0x7E020000  # flags of `clone`
SHARED, ANONYMOUS, WRITABLE = 1, 0x20, 2  # of a mapping: flags, and protection

THREAD_SETTINGS_BYTES, SMALL_STACK_BYTES = 64, 2**18
PR_SET_PDEATHSIG, PR_CAPBSET_DROP = 1, 24
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
CAPABILITY_VERSION, CAPABILITIES = 0x20080522, 64
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, DENY, UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # their places in the data that a filter sees
ANY_PROCESS = 0x7FFFFFF1  # a placeholder in the filter for the process's own number
FOREIGN = 0x40000000  # numbers from here on (x32) make the same calls in another way

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # on every machine
ASK_VERSION, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER, MAKE_LINK = 1, 2, 4, 8, 2**12
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many each version of Landlock knows
MAX_FILE_RIGHTS = 16
NET_FROM, TCP = 4, 3  # the version from which Landlock knows these rights
SCOPE_FROM, ABSTRACT_SOCKETS_AND_SIGNALS = 6, 3


@functools.cache
def _library() -> Any:
    library = ctypes.CDLL(None)
    library.syscall.restype = ctypes.c_long
    library.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return library


def die_with_parent() -> None:
    """Have this process killed when its parent ends; each child must call this itself."""
    if sys.platform == "linux" and ctypes:
        _library().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def use_up_process_numbers(count: int) -> None:
    """Start and end so many threads, because threads and processes are numbered together."""
    if sys.platform == "linux" and ctypes:
        library, thread = _library(), ctypes.c_ulong()
        settings = ctypes.create_string_buffer(THREAD_SETTINGS_BYTES)
        library.pthread_attr_init(settings)
        library.pthread_attr_setstacksize(settings, ctypes.c_size_t(SMALL_STACK_BYTES))
        for _ in range(count):
            if library.pthread_create(ctypes.byref(thread), settings, library.sched_yield, None):
                return  # the numbers are not worth an error
            library.pthread_join(thread, None)


def known_machine() -> bool:
    """Return whether there is a filter for this machine."""
    return sys.platform == "linux" and ctypes is not None and os.uname().machine in MACHINES


def confine_sandbox() -> None:
    """Give up root's powers and install the first filter, for this process and its children.

    Does nothing on a machine without a filter.
    """
    if known_machine():
        library = _library()
        for number in range(CAPABILITIES):
            library.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
        library.capset(struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24))
        install(_sandbox_steps(*machine()))
        _program_filter()  # made before the fork, once for all programs


def confine_program() -> None:
    """Install the second filter: this process starts nothing and signals only itself.

    Where `/proc` can be reached, also hide other processes. Do nothing on a machine without a
    filter.
    """
    if has_proc():
        _hide_other_processes()
    if known_machine():
        own = struct.pack("I", os.getpid())
        _install(_program_filter().replace(struct.pack("I", ANY_PROCESS), own))


@functools.cache
def has_proc() -> bool:
    """Return whether `/proc` lets a process reach others and open its pipes again.

    The first call comes before the forks, so that the answer is found once for all tests.
    """
    try:
        os.stat("/proc/self/fd")  # noqa: PTH116 - pathlib takes long to import
    except OSError:
        return False
    return True


def machine() -> tuple[int, int]:
    """Return this machine's name to the kernel, and its place among a call's numbers."""
    return MACHINES[os.uname().machine]


def install(steps: Iterable[Step]) -> None:
    """Install a filter of these steps in this process, for good."""
    _install(_packed(steps))


def _packed(steps: Iterable[Step]) -> bytes:
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _install(packed: bytes) -> None:
    library = _library()
    code = ctypes.create_string_buffer(packed, len(packed))
    length = len(packed) // struct.calcsize("HBBI")
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", length, ctypes.addressof(code)))
    library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    library.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program), 0, 0)


@functools.cache
def _program_filter() -> bytes:
    return _packed(_program_steps(*machine(), own=ANY_PROCESS))


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
    # No filter can read the flags of `clone3`, which lie in memory; libraries then use `clone`.
    steps += when(CLONE3[column], [(RETURN, 0, 0, UNKNOWN)])
    return [*steps, (RETURN, 0, 0, DENY)]


def _program_steps(architecture: int, column: int, own: int) -> list[Step]:
    """Return the second filter's steps; what it allows is still up to the first."""
    steps = [(LOAD, 0, 0, NUMBER)]
    for name in NOT_FOR_PROGRAMS:
        steps += when(ALLOWED[name][column], [(RETURN, 0, 0, DENY)])
    for name in SIGNALLING:
        steps += when(ALLOWED[name][column], _only(0, (own,)))
    # Threads are numbered with the processes, so each would show in a later process's number.
    steps += when(CLONE[column], [(RETURN, 0, 0, DENY)])
    return [*steps, (RETURN, 0, 0, ALLOW)]


def when(number: int | None, then: list[Step]) -> list[Step]:
    """Return the steps for the call of that number, which end in a verdict; none without one."""
    return [] if number is None else [(EQUAL, 0, len(then), number), *then]


def unless(bits: int) -> list[Step]:
    """Return steps that refuse a call if its first argument has one of these bits."""
    return [_load(0), (ANY_BIT, 0, 1, bits), (RETURN, 0, 0, DENY), (RETURN, 0, 0, ALLOW)]


def _only(place: int, values: Iterable[int]) -> list[Step]:
    steps = [_load(place)]
    for value in values:
        steps += [(EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW)]
    return [*steps, (RETURN, 0, 0, DENY)]


def _private_or_read_only() -> list[Step]:
    """Allow shared mappings only of files, and only for reading."""
    return [
        *[_load(3), (ANY_BIT, 1, 0, SHARED), (RETURN, 0, 0, ALLOW)],
        *[(ANY_BIT, 0, 1, ANONYMOUS), (RETURN, 0, 0, DENY)],
        *[_load(2), (ANY_BIT, 0, 1, WRITABLE), (RETURN, 0, 0, DENY), (RETURN, 0, 0, ALLOW)],
    ]


def _load(place: int) -> Step:
    """Return the step that loads the lower half of an argument, which is enough here."""
    return (LOAD, 0, 0, ARGUMENTS + 8 * place)


@functools.cache
def landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 if it has none or refuses to say."""
    if sys.platform != "linux" or ctypes is None:
        return 0
    return max(_call(CREATE_RULESET, None, 0, ASK_VERSION), 0)


def confine_files(readable: Iterable[str], devices: Iterable[str] = ()) -> bool:
    """Give up all files but these, which may be read; `devices` may also be written to.

    Return whether that was done, because not every kernel has Landlock.
    """
    version = landlock_version()
    if not version:
        return False
    rules = struct.pack("Q", (1 << FILE_RIGHTS.get(version, MAX_FILE_RIGHTS)) - 1)
    if version >= NET_FROM:
        rules += struct.pack("Q", TCP)
    if version >= SCOPE_FROM:
        rules += struct.pack("Q", ABSTRACT_SOCKETS_AND_SIGNALS)
    paths = dict.fromkeys(readable, EXECUTE | READ_FILE | READ_FOLDER)
    return _restrict(rules, paths | dict.fromkeys(devices, READ_FILE | WRITE_FILE))


def _hide_other_processes() -> None:
    """Give up access to the memory and pipes of processes that do not start from here.

    Landlock does that with any rules. Do nothing without Landlock.
    """
    if landlock_version():
        _restrict(struct.pack("Q", MAKE_LINK), {})


def _restrict(rules: bytes, rights: dict[str, int]) -> bool:
    ruleset = _call(CREATE_RULESET, rules, len(rules), 0)
    for path, allowed in rights.items():
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what does not exist need not be allowed
        _call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
        os.close(place)
    _library().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    done = _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return done == 0


def _call(number: int, *arguments: object) -> int:
    return int(_library().syscall(number, *arguments))
