"""What `hearts doctor` hands in: a program that tries to get out, one way after another.

Its text is run in the sandbox, as a submission's is. Each function returns what it got, "" if that
is nothing, or raises what refused it. It takes what was laid out for it: paths, ports, numbers of
processes. Whether something was changed or reached is judged outside, where nothing can be forged.
"""

import ctypes
import fcntl
import os
import resource
import signal
import socket
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


def _asked(result: int, what: str) -> str:
    """What the kernel granted; raises OSError if it refused."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return what


def _done(doing: Callable[[], object], what: str) -> str:
    doing()
    return what


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


def read(paths: list[str]) -> str:
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


def write(paths: list[str]) -> str:
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
    number = {"x86_64": 248, "aarch64": 217}.get(os.uname().machine, -1)
    key = (number, b"user", b"note", b"x", 1, SESSION_KEYRING)

    def share() -> str:
        note = LIBRARY.shmget(4242, 1, IPC_CREAT)
        LIBRARY.shmctl(note, IPC_RMID, None)
        return _asked(note, "made shared memory")

    def queue() -> str:
        note = LIBRARY.mq_open(b"/hearts-note", os.O_CREAT, 0o600, None)
        LIBRARY.mq_unlink(b"/hearts-note")
        return _asked(note, "made a queue")

    return _any([share, queue, lambda: _asked(LIBRARY.syscall(*key), "made a key")])


def type_ahead() -> str:
    """Put a blank into what you type in your terminal."""

    def push(terminal: int) -> str:
        fcntl.ioctl(terminal, termios.TIOCSTI, b" ")
        return "typed into your terminal"

    def push_into_own() -> str:
        return push(os.open("/dev/tty", os.O_RDWR))

    return _any([*(partial(push, stream) for stream in (0, 1, 2)), push_into_own])


def find_open_files() -> str:
    """Find a file, folder or socket that was left open to it."""
    for number in range(3, 256):
        with suppress(OSError):
            kind = os.fstat(number).st_mode & 0o170000
            if kind != 0o010000:  # its two pipes
                return f"descriptor {number} is open, of kind {kind:o}"
    return ""


def go_on() -> None:
    """Go on for ever, deaf to every signal that can be ignored."""
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        with suppress(BaseException):
            time.sleep(1)
