"""The program that `hearts doctor` submits; it tries to get out of the sandbox in many ways.

Each function returns what it got, or "", or raises the error with which the sandbox refused it. The
arguments of a function are paths, ports and process ids of the bait: files, servers and a process
that the module `selftest` sets up. Afterwards, `selftest` checks from outside what was changed or
reached.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import select
import signal
import socket
import subprocess
import termios
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

LIBRARY = ctypes.CDLL(None, use_errno=True)
LIBRARY.mmap.restype = ctypes.c_void_p
PTRACE_ATTACH, PR_GET_NO_NEW_PRIVS, CLONE_NEWUSER = 16, 39, 0x10000000
IPC_CREAT, IPC_RMID, SESSION_KEYRING = 0o1000, 0, -3
FUTEX_WAKE, AT_EMPTY_PATH = 1, 0x1000
ONLY_FROM_CACHE, NOT_NEEDED = 8, 4  # Linux calls them RWF_NOWAIT and POSIX_FADV_DONTNEED
PRIVATE, SHARED, READ, READ_WRITE, PAGE = 2, 1, 1, 3, 4096
UNREACHABLE = ("192.0.2.1", 9)  # an address that is reserved for examples
OFTEN_READ = os.__file__  # a file that every program may read
# System calls for which some C libraries have no function. Each has two numbers: the first is for
# x86_64, the second for all other machines.
CALLS = {
    **{"mincore": (27, 232), "readahead": (187, 213), "fadvise64": (221, 223)},
    **{"inotify_init1": (294, 26), "sysinfo": (99, 179), "preadv2": (327, 286)},
    **{"cachestat": (451, 451), "add_key": (248, 217), "futex": (202, 98)},
    **{"newfstatat": (262, 79), "set_robust_list": (273, 99), "set_tid_address": (218, 96)},
}
Way = tuple[str, Callable[[], object]]


def _first(*ways: Way) -> str:
    """Return the text of the first way that works; if none works, raise the last error."""
    refused: Exception | None = None
    # A sandbox must block every way, so it is enough to report one that works.
    for text, way in ways:
        try:
            way()
            return text
        except Exception as error:
            refused = error
    if refused is not None:
        raise refused
    return ""


def _checked(result: int) -> int:
    """Return the result of a function of the C library; raise OSError if it is an error."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _call(name: str, *arguments: object) -> int:
    """Make the system call of this name; raise OSError if the kernel refuses it.

    CALLS has the numbers, because `ctypes` finds a call by name only if the C library has a
    function for it.
    """
    on_x86_64, elsewhere = CALLS[name]
    number = on_x86_64 if os.uname().machine == "x86_64" else elsewhere
    return _checked(int(LIBRARY.syscall(number, *arguments)))


def read_file(paths: list[str]) -> str:
    """Read one of the files."""
    return _first(*((f"read {path}", Path(path).read_bytes) for path in paths))


def read_system_file() -> str:
    """Read a file of the system, or of the standard library."""
    return _first(
        *((f"read {path}", Path(path).read_bytes) for path in ("/usr/bin/env", OFTEN_READ))
    )


def find_file(path: str) -> str:
    """Find out that a file exists, or how big it is."""
    status = ctypes.create_string_buffer(PAGE)
    name = ctypes.c_char_p(path.encode())
    return _first(
        ("found it", partial(os.stat, path)),
        ("found it", partial(os.chdir, Path(path).parent)),
        ("found it", lambda: _call("newfstatat", 0, name, status, AT_EMPTY_PATH)),
    )


def environment(name: str, processes: list[int]) -> str:
    """Find the variable in the program's own environment or in another process's.

    `processes` are process ids that may have it. The parent and process 1 are tried as well,
    because they may have inherited the grader's variables.
    """
    if name in os.environ:
        return f"{name}={os.environ[name]}"
    for number in [*processes, os.getppid(), 1]:
        file = Path(f"/proc/{number}/environ")
        with suppress(OSError):
            if name.encode() in file.read_bytes():
                return f"{name} in {file}"
    return ""


def write_file(paths: list[str]) -> str:
    """Make a file at one of the paths."""
    return _first(*((f"wrote {path}", partial(Path(path).write_text, "x")) for path in paths))


def change(name: str) -> str:
    """Change, move, link or delete a file."""
    path = Path(name)
    return _first(
        ("changed its mode", partial(path.chmod, 0o666)),
        ("changed its times", partial(os.utime, path, (0, 0))),
        ("truncated it", partial(os.truncate, path, 0)),
        ("linked it", partial(os.link, path, f"{name}-link")),
        ("moved it", partial(path.rename, f"{name}-moved")),
        ("made a note beside it", partial(os.setxattr, path, "user.note", b"x")),
        ("deleted it", path.unlink),
    )


def connect(port: int) -> str:
    """Reach a server on this machine, or any other machine."""

    def reach(address: tuple[str, int]) -> None:
        """Connect to the address; a packet that gets out is enough, even without an answer."""
        with socket.socket() as remote:
            remote.settimeout(0.05)
            with suppress(TimeoutError):  # nothing answers there, but a packet was sent
                remote.connect(address)

    def send() -> None:
        with socket.socket(type=socket.SOCK_DGRAM) as remote:
            remote.sendto(b"x", UNREACHABLE)

    return _first(
        ("reached a server of yours", partial(reach, ("127.0.0.1", port))),
        ("sent something out", send),
        ("reached out", partial(reach, UNREACHABLE)),
    )


def connect_locally(names: list[str]) -> str:
    """Reach a server through a socket in a folder, or through a socket that has only a name."""

    def reach(name: str) -> None:
        with socket.socket(socket.AF_UNIX) as remote:
            remote.connect(name)

    return _first(*(("reached a socket of yours", partial(reach, name)) for name in names))


def kill(victim: int, grader: int) -> str:
    """End another process, or find out that this program may end the grader.

    With signal 0, the kernel sends nothing to the grader; it only checks whether it could.
    """
    return _first(
        ("ended one", partial(os.kill, victim, signal.SIGKILL)),
        ("may end the grader", partial(os.kill, grader, 0)),
    )


def look_into(process: int) -> str:
    """Open the memory of another process, or attach to it as a debugger does."""
    return _first(
        ("opened its memory", partial(Path(f"/proc/{process}/mem").open, "rb")),
        ("attached to it", lambda: _checked(LIBRARY.ptrace(PTRACE_ATTACH, process, 0, 0))),
    )


def hinder(process: int) -> str:
    """Lower another process's limits or its priority.

    The limit would let the process open no more files. The priority would be the lowest in Linux.
    """
    return _first(
        ("changed its limits", partial(resource.prlimit, process, resource.RLIMIT_NOFILE, (3, 3))),
        ("made it wait", partial(os.setpriority, os.PRIO_PROCESS, process, 19)),
    )


def see(process: int, command: str) -> str:
    """See another process at all.

    `command` is the first word of the process's command line. It is compared because in a sandbox,
    the number `process` may belong to a different process.
    """
    return f"saw {command}" if command in Path(f"/proc/{process}/cmdline").read_text() else ""


def wake_others() -> str:
    """Wake a program that waits at an address in a library.

    All programs share the library's pages, so a futex there would be a channel between sandboxes.
    """
    shared_place = ctypes.c_void_p(ctypes.cast(LIBRARY.getpid, ctypes.c_void_p).value or 0)
    page = ctypes.c_void_p((shared_place.value or 0) & ~(PAGE - 1))
    head = ctypes.create_string_buffer(24)
    return _first(
        ("could wake another program", lambda: _call("futex", page, FUTEX_WAKE, 1, None)),
        ("could wake it by ending", lambda: _call("set_robust_list", head, 24)),
        ("could wake it by ending", lambda: _call("set_tid_address", head)),
    )


def start_thread() -> str:
    """Start a thread, because its number would tell how many threads the machine has started.

    Raise PermissionError if the sandbox refuses it.
    """
    thread = threading.Thread(target=int)
    try:
        thread.start()
    except RuntimeError as error:
        raise PermissionError(str(error)) from None
    thread.join()
    return "started one"


def share_memory() -> str:
    """Make memory that a later test's process would share."""

    def map_zeros(protection: int) -> None:
        mmap.mmap(os.open("/dev/zero", os.O_RDWR), PAGE, SHARED, protection).close()

    return _first(
        ("shared memory", lambda: mmap.mmap(-1, PAGE, SHARED, READ_WRITE).close()),
        ("shared memory", partial(map_zeros, READ_WRITE)),
        ("shared memory that could be made writable", partial(map_zeros, READ)),
        ("made a file in memory", partial(os.memfd_create, "note")),
    )


def remember() -> str:
    """Leave a note in everything that was opened on import.

    `find_note` looks for these notes in the process of the next test. If the sandbox refuses one
    note, the other notes are still tried.
    """
    for _, leave, _ in NOTES:
        with suppress(Exception):
            leave()
    return ""


def find_note() -> str:
    """Find a note that `remember` left in an earlier test."""
    # If looking is refused, a program could not find the note either.
    for what, _, find in NOTES:
        with suppress(Exception):
            if find():
                return f"found a note in {what}"
    return ""


def _notes() -> list[tuple[str, Callable[[], object], Callable[[], object]]]:
    """Open places for notes; return for each its name, how to leave a note, and how to find it."""
    variables = {"note": False}
    notes: list[tuple[str, Callable[[], object], Callable[[], object]]] = []
    with suppress(OSError):
        file = os.open(OFTEN_READ, os.O_RDONLY)
        OPENED.add(file)
        notes.append(
            ("a file's place", partial(os.lseek, file, 42, 0), lambda: os.lseek(file, 0, 1))
        )
    with suppress(OSError):
        out, into = os.pipe()
        OPENED.update({out, into})
        is_full = partial(select.select, [out], [], [], 0)
        notes.append(("a pipe", partial(os.write, into, b"x"), lambda: is_full()[0]))
    return [
        *notes,
        ("a variable", partial(variables.update, note=True), partial(variables.get, "note")),
        (
            "a pipe's settings",
            partial(os.set_blocking, 1, False),
            lambda: fcntl.fcntl(1, fcntl.F_GETFL) & os.O_NONBLOCK,
        ),
    ]


def _often_read(flags: int = os.O_RDONLY) -> int:
    """Return a descriptor of a file that other programs read, or of any file that is open."""
    try:
        return os.open(OFTEN_READ, flags)
    except OSError:
        return 0


def lock() -> str:
    """Hold a lock or a lease on a file that all programs may read, or see other locks.

    A lock that two programs can see is one bit that passes between them.
    """
    file = _often_read()
    return _first(
        ("holds a lock", partial(fcntl.flock, file, fcntl.LOCK_SH)),
        ("holds a lock", partial(fcntl.lockf, file, fcntl.LOCK_SH)),
        ("holds a lease", partial(fcntl.fcntl, file, fcntl.F_SETLEASE, fcntl.F_RDLCK)),
        ("saw the locks of others", Path("/proc/locks").read_text),
    )


def look_into_cache() -> str:
    """Find out or change which parts of a file are in memory because others read them.

    A part that is in memory is read faster. So a program could learn what another program has read.
    """
    file = _often_read()
    size = ctypes.c_size_t(PAGE)
    buffer = ctypes.create_string_buffer(PAGE)
    pages_in_cache = ctypes.create_string_buffer(PAGE)
    place = ctypes.c_void_p(LIBRARY.mmap(None, PAGE, READ, PRIVATE, file, 0))
    parts = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), PAGE)
    return _first(
        ("counts what is read from disk", partial(resource.getrusage, resource.RUSAGE_SELF)),
        ("mincore works", lambda: _call("mincore", place, size, pages_in_cache)),
        ("preadv2 works", lambda: _call("preadv2", file, parts, 1, 0, 0, ONLY_FROM_CACHE)),
        ("cachestat works", lambda: _call("cachestat", file, pages_in_cache, buffer, 0)),
        ("fadvise64 works", lambda: _call("fadvise64", file, 0, size, NOT_NEEDED)),
        ("readahead works", lambda: _call("readahead", file, ctypes.c_size_t(0), size)),
    )


def watch_reads() -> str:
    """Get notified when others read a file."""
    file = _often_read()
    return _first(
        ("watches files", lambda: _call("inotify_init1", 0)),
        ("watches a folder", partial(fcntl.fcntl, file, fcntl.F_NOTIFY, fcntl.DN_ACCESS)),
    )


def measure_others() -> str:
    """Read how busy the machine is, or another process's processor time.

    If a program can measure this, another program can send it a message by being busy or idle.
    """
    # The kernel's number for the clock of the parent's processor time.
    parent_clock = (~os.getppid() << 3) | 2
    buffer = ctypes.create_string_buffer(PAGE)
    return _first(
        ("knows the machine's load", lambda: _call("sysinfo", buffer)),
        ("knows its parent's time", partial(time.clock_gettime, parent_clock)),
        ("knows the machine's load", os.getloadavg),
    )


def signal_others() -> str:
    """Send a signal to the process that starts the tests, to a group of processes, or to all.

    SIGCONT does nothing to a process that runs, so the probe harms nobody if it is not blocked. The
    number 0 means the program's own process group, and -1 means every process that it may reach.
    """
    targets = (os.getppid(), 0, -1)
    return _first(*(("sent a signal", partial(os.kill, n, signal.SIGCONT)) for n in targets))


def run_another() -> str:
    """Start, or become, another program."""

    def become() -> None:
        """Try a program that does not exist, because a real program would replace the probe."""
        with suppress(FileNotFoundError):
            os.execv("/nothing", ["nothing"])

    start = partial(subprocess.run, ["/bin/true"], check=False)
    return _first(("started one", start), ("could become another program", become))


def start_many(limit: int) -> str:
    """Start that many processes.

    The children are always ended, because a probe must not leave the machine full of processes.
    """
    children: list[int] = []
    try:
        while len(children) < limit:
            if (child := os.fork()) == 0:
                time.sleep(60)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return f"started {limit}"


def take_memory(size: int) -> str:
    """Take that much memory."""
    return f"took {len(bytearray(size)) // 2**20} MiB"


def open_many(limit: int) -> str:
    """Open that many files."""
    for _ in range(limit):
        os.dup(2)
    return f"opened {limit} files"


def write_much(size: int) -> str:
    """Write that many bytes to a file in memory, because a program can make no other file.

    The signal for a file that is too large is ignored. It would end the program before the error is
    seen.
    """
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    file = os.memfd_create("much")
    while size > 0:
        size -= os.write(file, bytes(size))
    return "wrote all of it"


def raise_limits() -> str:
    """Raise the program's own limits."""

    def lift(kind: int) -> None:
        soft, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (soft, hard + 1))

    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE)
    return _first(*(("raised a limit", partial(lift, kind)) for kind in kinds))


def gain_rights() -> str:
    """Become another user, do what only root may, or start a program with more rights.

    A process with the flag NO_NEW_PRIVS gets no rights from programs such as su. If the flag is not
    set, the sandbox has a fault.
    """
    if LIBRARY.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0:
        return "programs such as su may still give it rights"
    return _first(
        ("did what only root may", partial(os.chroot, "/")),
        ("became another user", partial(os.setuid, 65534 if os.getuid() == 0 else 0)),
    )


def make_namespace() -> str:
    """Make a namespace in which this program is root."""
    _checked(LIBRARY.unshare(CLONE_NEWUSER))
    return "made a namespace"


def leave_note() -> str:
    """Leave something for the next program: in shared memory, a queue or a keyring.

    The kernel keeps each object after the process has ended, so the probe removes it at once.
    """

    def share() -> None:
        note = _checked(LIBRARY.shmget(4242, 1, IPC_CREAT))
        LIBRARY.shmctl(note, IPC_RMID, None)

    def queue() -> None:
        _checked(LIBRARY.mq_open(b"/hearts-note", os.O_CREAT, 0o600, None))
        LIBRARY.mq_unlink(b"/hearts-note")

    key = partial(_call, "add_key", b"user", b"note", b"x", 1, SESSION_KEYRING)
    return _first(("made shared memory", share), ("made a queue", queue), ("made a key", key))


def type_ahead() -> str:
    """Type a space into the terminal of the person who runs `hearts doctor`."""

    def push(terminal: int) -> None:
        fcntl.ioctl(terminal, termios.TIOCSTI, b" ")

    ways = [partial(push, stream) for stream in (0, 1, 2)]
    ways.append(lambda: push(os.open("/dev/tty", os.O_RDWR)))  # type: ignore[arg-type]
    return _first(*(("typed into your terminal", way) for way in ways))


def find_open_files() -> str:
    """Find an open file, folder or socket that this program did not open."""
    pipes = 0
    for number in set(range(3, 256)) - OPENED:
        try:
            os.lseek(number, 0, os.SEEK_CUR)
        except OSError as error:
            pipes += error.errno == errno.ESPIPE
        else:
            return f"descriptor {number} is an open file"
    for_questions_and_answers = 2
    return f"{pipes} pipes are open" if pipes > for_questions_and_answers else ""


def never_end() -> None:
    """Run forever; ignore every signal that can be ignored."""
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        with suppress(BaseException):
            time.sleep(1)


OPENED: set[int] = set()
NOTES = _notes()
