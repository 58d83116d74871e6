"""What keeps a submission in: sandlock, else bwrap, else nothing, and that only when asked by name.

A sandbox starts one process with three pipes. In it a program can read the interpreter and the
server, and nothing else; it can write nothing, reach no network, see no variable of ours.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Protocol

from hearts_course.course import Limits
from hearts_course.errors import NoSandbox, UsageFault

FAR_SIDE = Path(__file__).resolve().parent / "farside"
SYSTEM = ("/usr", "/lib", "/lib64", "/bin")


class Process(Protocol):
    """A running submission."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def kill(self) -> None:
        """End it and all it has started, at once."""


Start = Callable[[list[str], Limits], Process]

_running: set[Process] = set()


def end_all() -> None:
    """End every program that this process has started."""
    for process in tuple(_running):
        process.kill()


# The package is made by hand because the folder around it must stay unreadable in there.
BOOT = """
import sys, types
package = sys.modules["farside"] = types.ModuleType("farside")
package.__path__ = [{folder!r}]
from farside.server import main
main()
"""


def far_command() -> list[str]:
    """The command that starts the far side: the bare interpreter, no site-packages, UTF-8."""
    python = os.path.realpath(sys.executable)
    return [python, "-s", "-S", "-P", "-X", "utf8", "-c", BOOT.format(folder=str(FAR_SIDE))]


ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}


def interpreter_folders() -> list[str]:
    """What a bare interpreter has to read, beside the system's own folders."""
    folders = {os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)}
    return sorted(folders - {"/usr"})


class Piped:
    """A process of `subprocess`, killed together with its whole process group."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        """Start the command with three unbuffered pipes."""
        self._process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self.stdin, self.stdout, self.stderr = (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        )
        _running.add(self)

    def kill(self) -> None:
        """End it and its process group; harmless if it has already ended."""
        _running.discard(self)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()


def start_bare(command: list[str], limits: Limits) -> Process:
    """Start the program with no sandbox at all."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "PATH") if name in os.environ}
    return Piped(command, kept | ENVIRONMENT)


def start_bwrap(command: list[str], limits: Limits) -> Process:
    """Start the program in namespaces of its own, with Debian's bubblewrap."""
    wrap = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for folder in [*SYSTEM, *interpreter_folders(), str(FAR_SIDE)]:
        wrap += ["--ro-bind-try", folder, folder]
    wrap += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/"]
    wrap += ["--chdir", "/"]
    # bwrap itself is process 1 in there, readable under /proc: its environment must be empty too.
    return Piped([shutil.which("bwrap") or "bwrap", *wrap[1:], *command], ENVIRONMENT)


# Landlock has no say in these: whose a file is, what is noted beside it, how other processes of
# the same user are scheduled. `prlimit` is one more, but sandlock needs it: see `farside/kernel`.
DENIED = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat"),
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
    *("utime", "utimes", "futimesat", "utimensat", "setpriority", "ioprio_set"),
    *("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"),
)


class Sandlocked:
    """A process of `sandlock`, confined by Landlock and seccomp."""

    def __init__(self, command: list[str], limits: Limits) -> None:
        """Start the command with three pipes."""
        import sandlock

        self._one_at_a_time = threading.Lock()  # its wait() refuses a second caller
        pipe = sandlock.StdioMode.PIPED
        self._process = sandlock.Sandbox(
            fs_readable=[
                *(folder for folder in SYSTEM if Path(folder).exists()),
                *interpreter_folders(),
                str(FAR_SIDE),
                "/dev/null",
                "/dev/urandom",
            ],
            fs_writable=["/dev/null"],
            extra_deny_syscalls=DENIED,
            clean_env=True,
            env=ENVIRONMENT,
            # Of all processes together; each meets the kernel's own limit first, as a MemoryError.
            max_memory=limits.memory_bytes * limits.processes,
            max_processes=limits.processes,
            max_open_files=limits.open_files,
            no_coredump=True,
            cwd="/",
        ).popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self.stdin, self.stdout, self.stderr = (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        )
        _running.add(self)

    def kill(self) -> None:
        """End it and all it has started; harmless if it has already ended."""
        _running.discard(self)
        with self._one_at_a_time:
            self._process.kill()
            self._process.wait()


STARTS: dict[str, Start] = {"sandlock": Sandlocked, "bwrap": start_bwrap, "none": start_bare}
PREFERENCE = ("sandlock", "bwrap")


def works(name: str) -> bool:
    """Whether the sandbox starts a program here, lets it answer, and keeps it from our files."""
    try:
        process = STARTS[name](_probe(), Limits())
        with process.stdin, process.stdout, process.stderr:
            said = process.stdout.read(100)
            process.kill()
    except (ImportError, OSError, RuntimeError):
        return False
    return said == b"kept in"


def _probe() -> list[str]:
    secret = str(Path(__file__).resolve())
    code = f"try: open({secret!r})\nexcept OSError: print('kept in', end='', flush=True)"
    return [os.path.realpath(sys.executable), "-s", "-S", "-P", "-c", code]


def choose_sandbox(asked: str = "auto") -> str:
    """The sandbox to use; raises NoSandbox, naming the fix, if it does not work here."""
    if asked == "none":
        return asked
    if asked != "auto" and asked not in STARTS:
        raise UsageFault(f"no sandbox is called {asked!r}; there are: auto, {', '.join(STARTS)}")
    for name in PREFERENCE if asked == "auto" else (asked,):
        if works(name):
            return name
    if asked != "auto":
        raise NoSandbox(f"the sandbox {asked} does not work on this machine; {FIXES[asked]}")
    raise NoSandbox(
        f"no sandbox works on this machine; {FIXES['sandlock']}, or {FIXES['bwrap']}, "
        "or grade without one by `--sandbox none` (only code that you trust)"
    )


FIXES = {
    "sandlock": "`pip install sandlock` (Linux 6.7 or newer)",
    "bwrap": "`apt install bubblewrap`",
}
