"""What `hearts doctor` hands in: a program that tries to get out, one way after another.

Its text is run in the sandbox, as a submission's is. Each function returns what it got, "" if that
is nothing, or raises what refused it. It takes what was laid out for it: paths, ports, numbers of
processes. Whether something was changed or reached is judged outside, where nothing can be forged.
"""

import ctypes
import fcntl
import mmap
import os
import resource
import select
import signal
import socket
import subprocess
import termios
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

LIBRARY = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH, PR_GET_NO_NEW_PRIVS, CLONE_NEWUSER, IPC_CREAT = 16, 39, 0x10000000, 0o1000
IPC_RMID = 0
SESSION_KEYRING = -3
NOWHERE = ("192.0.2.1", 9)  # an address that is reserved for examples
# Calls that the C library does not offer everywhere: their numbers on x86_64, and elsewhere.
CALLS = {
    **{"mincore": (27, 232), "readahead": (187, 213), "fadvise64": (221, 223)},
    **{"inotify_init1": (294, 26), "sysinfo": (99, 179), "preadv2": (327, 286)},
    **{"cachestat": (451, 451), "add_key": (248, 217)},
}
ONLY_FROM_CACHE, NOT_NEEDED = 8, 4  # RWF_NOWAIT, POSIX_FADV_DONTNEED
PRIVATE, SHARED, READ, READ_WRITE, PAGE = 2, 1, 1, 3, 4096
OFTEN_READ = os.__file__  # a file that every program may read


def _asked(result: int, what: str) -> str:
    """What the kernel granted; raises OSError if it refused."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return what


def _done(doing: Callable[[], object], what: str) -> str:
    doing()
    return what


def _call(name: str, *arguments: object) -> int:
    number = CALLS[name][os.uname().machine != "x86_64"]
    return int(LIBRARY.syscall(number, *arguments))


def _any(attempts: Iterable[Callable[[], str]]) -> str:
    """What the first of the attempts got; raises what the last one was refused by."""
    refused: Exception | None = None
    for attempt in attempts:
        try:
            if got := attempt():
                return got
        except Exception as error:
            refused = error
    if refused is not None:
        raise refused
    return ""


def read_file(paths: list[str]) -> str:
    """Read one of the files."""

    def look(path: str) -> str:
        return f"read {path}: {Path(path).read_bytes()[:20]!r}"

    return _any(partial(look, path) for path in paths)


def environment(name: str, processes: list[int]) -> str:
    """Read a variable of the grader's, in its own environment or in another process's."""
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

    def make(path: str) -> str:
        return f"wrote {path}, {Path(path).write_text('written by a submission')} bytes"

    return _any(partial(make, path) for path in paths)


def change(name: str) -> str:
    """Change, move, link or delete a file."""
    path = Path(name)
    doings: tuple[Callable[[], Any], ...] = (
        partial(path.chmod, 0o666),
        partial(os.utime, path, (0, 0)),
        partial(os.truncate, path, 0),
        partial(os.link, path, f"{name}-link"),
        partial(path.rename, f"{name}-moved"),
        partial(os.setxattr, path, "user.note", b"x"),
        path.unlink,
    )
    return _any(partial(_done, doing, f"changed {name}") for doing in doings)


def connect(port: int) -> str:
    """Reach a server on this machine, or any other machine."""

    def reach(address: tuple[str, int]) -> str:
        with socket.socket() as far:
            far.settimeout(0.05)
            with suppress(TimeoutError):  # nobody answers there, but the question has left
                far.connect(address)
            return f"asked {address[0]}"

    def tell() -> str:
        with socket.socket(type=socket.SOCK_DGRAM) as far:
            return f"sent {far.sendto(b'x', NOWHERE)} byte to {NOWHERE[0]}"

    return _any([partial(reach, ("127.0.0.1", port)), tell, partial(reach, NOWHERE)])


def connect_locally(names: list[str]) -> str:
    """Reach a server through a socket in a folder, or one that has only a name."""

    def reach(name: str) -> str:
        with socket.socket(socket.AF_UNIX) as far:
            far.connect(name)
        return "reached a socket of yours"

    return _any(partial(reach, name) for name in names)


def kill(victim: int, grader: int) -> str:
    """End another process, or be able to."""
    end, may_end = partial(os.kill, victim, signal.SIGKILL), partial(os.kill, grader, 0)
    return _any([partial(_done, end, "ended one"), partial(_done, may_end, "may end the grader")])


def look_into(process: int) -> str:
    """Open the memory of another process, or take hold of it as a debugger does."""

    def attach() -> str:
        return _asked(LIBRARY.ptrace(PTRACE_ATTACH, process, 0, 0), "attached to it")

    memory = Path(f"/proc/{process}/mem")
    return _any([partial(_done, partial(memory.open, "rb"), "opened its memory"), attach])


def hinder(process: int) -> str:
    """Take another process's limits or its turn."""
    limit = partial(resource.prlimit, process, resource.RLIMIT_NOFILE, (3, 3))
    postpone = partial(os.setpriority, os.PRIO_PROCESS, process, 19)
    return _any(
        [partial(_done, limit, "changed its limits"), partial(_done, postpone, "made it wait")]
    )


def see(process: int, command: str) -> str:
    """See another process at all."""
    return f"saw {command}" if command in Path(f"/proc/{process}/cmdline").read_text() else ""


def share_memory() -> str:
    """Make memory that a later test's process would share."""

    def map_shared(file: int) -> str:
        with mmap.mmap(file, PAGE, SHARED, READ_WRITE):
            return "shared memory"

    def map_zeros() -> str:
        return map_shared(os.open("/dev/zero", os.O_RDWR))

    def map_later() -> str:
        with mmap.mmap(os.open("/dev/zero", os.O_RDWR), PAGE, SHARED, READ):
            return "shared memory that could be made writable"

    def keep_in_memory() -> str:
        return f"made a file in memory, {os.memfd_create('note')}"

    return _any([partial(map_shared, -1), map_zeros, map_later, keep_in_memory])


def remember() -> str:
    """Leave a note in whatever was opened when the program was imported; tell nothing."""
    for _, leave, _ in NOTES:
        with suppress(Exception):
            leave()
    return ""


def recall() -> str:
    """Find such a note, in a test after the one that left it."""
    for what, _, find in NOTES:
        with suppress(Exception):
            if find():
                return f"found a note in {what}"
    return ""


def _notes() -> list[tuple[str, Callable[[], object], Callable[[], object]]]:
    """Opened on import: what it is, how to leave a note in it, how to find one."""
    file = os.open(OFTEN_READ, os.O_RDONLY)
    out, into = os.pipe()
    OPENED.update({file, out, into})
    variables = {"note": False}

    def find_in_pipe() -> bool:
        return bool(select.select([out], [], [], 0)[0])

    def kept() -> bool:
        return bool(fcntl.fcntl(1, fcntl.F_GETFL) & os.O_NONBLOCK)

    return [
        ("a variable", partial(variables.update, note=True), partial(variables.get, "note")),
        ("a file's place", partial(os.lseek, file, 42, 0), partial(os.lseek, file, 0, 1)),
        ("a pipe", partial(os.write, into, b"x"), find_in_pipe),
        ("a pipe's settings", partial(os.set_blocking, 1, False), kept),
    ]


def lock() -> str:
    """Hold a lock or a lease that other programs can see, on a file that all may read."""
    file = os.open(OFTEN_READ, os.O_RDONLY)
    lease = partial(fcntl.fcntl, file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    ways: tuple[Callable[[], object], ...] = (
        partial(fcntl.flock, file, fcntl.LOCK_SH),
        partial(fcntl.lockf, file, fcntl.LOCK_SH),
        lease,
    )
    found = [lambda: f"saw {len(Path('/proc/locks').read_text())} characters of locks"]
    return _any([*(partial(_done, way, "holds a lock") for way in ways), *found])


def look_into_cache() -> str:
    """Learn, or change, which parts of a file are in memory: others have read them, or not."""
    file, size = os.open(OFTEN_READ, os.O_RDONLY), PAGE
    room, found = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
    LIBRARY.mmap.restype = ctypes.c_void_p
    place = ctypes.c_void_p(LIBRARY.mmap(None, size, READ, PRIVATE, file, 0))
    parts = (ctypes.c_void_p * 2)(ctypes.addressof(room), size)
    calls: tuple[tuple[object, ...], ...] = (
        ("mincore", place, ctypes.c_size_t(size), found),
        ("preadv2", file, parts, 1, 0, 0, ONLY_FROM_CACHE),
        ("cachestat", file, found, room, 0),
        ("fadvise64", file, 0, ctypes.c_size_t(size), NOT_NEEDED),
        ("readahead", file, ctypes.c_size_t(0), ctypes.c_size_t(size)),
    )

    def count_reads() -> str:
        return f"has read {resource.getrusage(resource.RUSAGE_SELF).ru_inblock} blocks from disk"

    return _any(
        [count_reads]
        + [lambda call=call: _asked(_call(*call), f"{call[0]} works") for call in calls]  # type: ignore[misc]
    )


def watch() -> str:
    """Be told when others read a file."""
    file = os.open(Path(OFTEN_READ).parent, os.O_RDONLY)
    notice = partial(fcntl.fcntl, file, fcntl.F_NOTIFY, fcntl.DN_ACCESS)

    def watch_files() -> str:
        return _asked(_call("inotify_init1", 0), "watches files")

    return _any([watch_files, partial(_done, notice, "watches a folder")])


def measure_others() -> str:
    """Read how much the machine has to do, or another process's processor time."""
    room = ctypes.create_string_buffer(PAGE)
    server = (~os.getppid() << 3) | 2  # the clock of a process, as the kernel numbers it
    ways = (
        lambda: _asked(_call("sysinfo", room), "knows the machine's load"),
        lambda: f"its parent has used {time.clock_gettime(server)} s",
        lambda: f"load: {os.getloadavg()}",
    )
    return _any(ways)


def signal_others() -> str:
    """Send a signal to the process that starts the tests, or to all."""
    doings = (
        partial(os.kill, os.getppid(), signal.SIGCONT),
        partial(os.kill, 0, signal.SIGCONT),
        partial(os.kill, -1, signal.SIGCONT),
    )
    return _any(partial(_done, doing, "sent a signal") for doing in doings)


def run_another() -> str:
    """Become, or start, another program."""

    def start() -> str:
        return f"started one that ended with {subprocess.run(['/bin/true'], check=False)}"

    def become() -> str:
        os.execv("/nothing", ["nothing"])

    def tell() -> str:
        try:
            return become()
        except FileNotFoundError:
            return "could become another program"

    return _any([start, tell])


def multiply(most: int) -> str:
    """Start so many processes."""
    children: list[int] = []
    try:
        while len(children) < most:
            if (child := os.fork()) == 0:
                time.sleep(60)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return f"started {most}"


def grow(size: int) -> str:
    """Take so much memory."""
    return f"took {len(bytearray(size)) // 2**20} MiB"


def open_many(most: int) -> str:
    """Open so many files."""
    for _ in range(most):
        os.dup(2)
    return f"opened {most} files"


def write_much(size: int) -> str:
    """Write a file of so many bytes; one in memory, as there should be no other."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    file = os.memfd_create("much")
    while size > 0:
        size -= os.write(file, bytes(size))
    return "wrote all of it"


def unlimit() -> str:
    """Raise its own limits."""

    def lift(kind: int) -> str:
        soft, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (soft, hard + 1))
        return "raised a limit"

    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE)
    return _any(partial(lift, kind) for kind in kinds)


def rise() -> str:
    """Become somebody else, do what only root may, or keep the way there open."""
    if LIBRARY.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0:
        return "programs such as su may still give it rights"
    become = partial(os.setuid, 65534 if os.getuid() == 0 else 0)
    doings = (partial(os.chroot, "/"), become)
    return _any(partial(_done, doing, "did what only root may") for doing in doings)


def make_world() -> str:
    """Make a namespace of its own, in which it would be root."""
    return _asked(LIBRARY.unshare(CLONE_NEWUSER), "made a namespace")


def leave_note() -> str:
    """Leave something for the next program: in shared memory, a queue or a keyring."""
    key = ("add_key", b"user", b"note", b"x", 1, SESSION_KEYRING)

    def share() -> str:
        note = LIBRARY.shmget(4242, 1, IPC_CREAT)
        LIBRARY.shmctl(note, IPC_RMID, None)
        return _asked(note, "made shared memory")

    def queue() -> str:
        note = LIBRARY.mq_open(b"/hearts-note", os.O_CREAT, 0o600, None)
        LIBRARY.mq_unlink(b"/hearts-note")
        return _asked(note, "made a queue")

    return _any([share, queue, lambda: _asked(_call(*key), "made a key")])


def type_ahead() -> str:
    """Put a blank into what you type in your terminal."""

    def push(terminal: int) -> str:
        fcntl.ioctl(terminal, termios.TIOCSTI, b" ")
        return "typed into your terminal"

    def push_into_own() -> str:
        return push(os.open("/dev/tty", os.O_RDWR))

    return _any([*(partial(push, stream) for stream in (0, 1, 2)), push_into_own])


def find_open_files() -> str:
    """Find a file, folder or socket that was left open to it, beside what it has opened itself."""
    own = {0o010000: 2, 0o140000: 1}  # pipes and a socket, by which it is asked
    for number in set(range(3, 256)) - OPENED:
        with suppress(OSError):
            kind = os.fstat(number).st_mode & 0o170000
            own[kind] = own.get(kind, 0) - 1
            if own[kind] < 0:
                return f"descriptor {number} is open, of kind {kind:o}"
    return ""


def go_on() -> None:
    """Go on for ever, deaf to every signal that can be ignored."""
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        with suppress(BaseException):
            time.sleep(1)


OPENED: set[int] = set()
NOTES = _notes()
