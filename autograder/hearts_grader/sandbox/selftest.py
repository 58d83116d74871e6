"""Test a sandbox: a program in it tries to get out, and this module looks from outside.

The program's own answers are not enough, because a program that got out can answer anything.
"""

import os
import re
import secrets
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hearts_course.course import Course, Limits
from hearts_course.errors import NoSandbox
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.submission_process import SubmissionProcess

PROBES_FILE = Path(__file__).with_name("probes.py")
LIMITS = Limits(import_seconds=10.0)
SHORT_SECONDS = 0.1  # processor time given to a program that does not end by itself
# The error number and the file name, which are cut from the message of a refusal.
REFUSAL_NOISE = re.compile(r"\[Errno \d+\] |: '[^']*'$")
VARIABLE = "HEARTS_DOCTOR"  # a variable of the grader that a program may try to find
VICTIM = ("sleep", "900")


@dataclass(frozen=True)
class Canaries:
    """Bait outside the sandbox: a file, a process and three servers."""

    token: str
    folder: Path
    process: "subprocess.Popen[bytes]"
    servers: tuple[socket.socket, ...]

    @property
    def file(self) -> Path:
        """The grader's file, which holds the token."""
        return self.folder / "grades.csv"

    @property
    def victim(self) -> int:
        """The id of the process that a program may try to kill."""
        return self.process.pid

    @property
    def places(self) -> list[str]:
        """Paths at which a program might leave a file."""
        folders = [
            home_folder(),
            Path.cwd(),
            self.folder,
            Path("/tmp"),
            Path("/dev/shm"),
            Path("/"),
        ]
        return [str(folder / f".hearts-doctor-{self.token}") for folder in folders]

    @property
    def sockets(self) -> list[str]:
        """Addresses of the two local servers."""
        return [str(self.folder / "socket"), f"\0{self.token}"]

    def written(self) -> str:
        """Return a line if one of the places has a file now, else "".

        Also remove the files, because the test must leave nothing on the machine.
        """
        found = [place for place in map(Path, self.places) if place.exists()]
        for place in found:
            with suppress(OSError):  # the file is deleted already if a folder has two names
                place.unlink()
        return f"wrote {found[0]}" if found else ""

    def changed(self) -> str:
        """Return a line on what a program did to the grader's file, "" if nothing.

        A second hard link would let a program reach the file later, under another name.
        """
        if not self.file.exists() or self.file.read_text() != self.token:
            return f"changed {self.file}"
        return f"linked {self.file}" if self.file.stat().st_nlink > 1 else ""

    def reached(self) -> str:
        """Return a line if something connected to one of the servers, else "".

        The servers do not block, so this returns at once if there is no connection.
        """
        for server in self.servers:
            with suppress(BlockingIOError):  # there is no connection
                server.accept()[0].close()
                return "reached a server of yours"
        return ""

    def killed(self) -> str:
        """Return a line if the process has ended, else ""."""
        return "" if self.process.poll() is None else "ended a process of yours"


@contextmanager
def canaries() -> Iterator[Canaries]:
    """Make the canaries and an environment variable; remove them all afterwards."""
    token = secrets.token_hex(8)
    with ExitStack() as stack:
        # The stack undoes everything in reverse order, also if a later step fails.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = []
        for family, address in (
            (socket.AF_INET, ("127.0.0.1", 0)),
            (socket.AF_UNIX, str(folder / "socket")),
            (socket.AF_UNIX, f"\0{token}"),
        ):
            server = stack.enter_context(socket.socket(family))
            server.bind(address)
            server.listen()
            server.setblocking(False)
            servers.append(server)
        # The variable is bait as well: a program may look for the environment of other processes.
        os.environ[VARIABLE] = token
        stack.callback(os.environ.pop, VARIABLE, None)
        process = subprocess.Popen(VICTIM)
        stack.callback(process.wait)
        stack.callback(process.kill)
        laid_out = Canaries(token, folder, process, tuple(servers))
        laid_out.file.write_text(token)
        yield laid_out


@dataclass(frozen=True)
class Probe:
    """One attempt to get out, made by `function` of the module `probes` in `seconds`.

    `arguments` makes the function's arguments. `harm` looks from outside and returns what happened,
    or "". `later` is a function that a later test calls to look for what `function` left behind.
    """

    title: str
    function: str
    arguments: Callable[[Canaries, Course], tuple[Any, ...]] = lambda canaries, course: ()
    harm: Callable[[Canaries], str] = lambda canaries: ""
    seconds: float | None = None
    later: str = ""


@dataclass(frozen=True)
class ProbeResult:
    """The result of one probe: whether the sandbox held, and what blocked it or what it got."""

    title: str
    held: bool
    how: str


def _hidden_test(course: Course) -> str:
    """Return the path of a hidden test, or of one of our modules if there is no hidden test.

    A student's installation has no hidden tests, but the probe needs a file that exists.
    """
    tests = (str(test) for stage in course.stages for test in stage.hidden_tests)
    return next(tests, str(PROBES_FILE))


def _home_files() -> list[str]:
    """Return some files of the user's home folder, as bait.

    Nine are enough, because the probe looks only for one that it can read.
    """
    return [str(path) for path in home_folder().iterdir() if path.is_file()][:9]


def home_folder() -> Path:
    """Return the user's home folder, or the root folder if there is no such folder."""
    try:
        home = Path.home()
    except RuntimeError:
        return Path("/")
    return home if home.is_dir() else Path("/")


MAX_PROCESSES, MAX_FILES = LIMITS.processes + 4, 2 * LIMITS.open_files
MAX_MEMORY, MAX_WRITTEN = LIMITS.memory_bytes + 64 * 2**20, 2 * LIMITS.written_bytes
# What a program tries. `hearts doctor` shows every probe, and the tests submit every probe. In the
# arguments, `c` stands for the canaries and `k` for the course.
PROBES = (
    Probe("read a hidden test", "read_file", lambda c, k: ([_hidden_test(k)],)),
    Probe("read grades and other submissions", "read_file", lambda c, k: ([str(c.file)],)),
    Probe("read a file of the system", "read_system_file"),
    Probe("find out that a file exists", "find_file", lambda c, k: (str(c.file),)),
    Probe("read your home folder", "read_file", lambda c, k: (_home_files(),)),
    Probe("read your environment", "environment", lambda c, k: (VARIABLE, [c.victim, os.getpid()])),
    Probe("find a file left open to it", "find_open_files"),
    Probe("write a file", "write_file", lambda c, k: (c.places,), Canaries.written),
    Probe("change, link or delete a file", "change", lambda c, k: (str(c.file),), Canaries.changed),
    Probe("leave a note for the next program", "leave_note"),
    Probe("leave a note for a later test", "remember", later="find_note"),
    Probe("share memory with a later test", "share_memory"),
    Probe("wake a program in another sandbox", "wake_others"),
    Probe("start a thread", "start_thread"),
    Probe("hold a lock, or see those of others", "lock"),
    Probe("learn what others have read", "look_into_cache"),
    Probe("be notified when others read", "watch_reads"),
    Probe("learn how busy others are", "measure_others"),
    Probe(
        "reach the network",
        "connect",
        lambda c, k: (c.servers[0].getsockname()[1],),
        Canaries.reached,
    ),
    Probe("reach a local socket", "connect_locally", lambda c, k: (c.sockets,), Canaries.reached),
    Probe("type into your terminal", "type_ahead"),
    Probe("see a process of yours", "see", lambda c, k: (c.victim, VICTIM[0])),
    Probe("look into a process of yours", "look_into", lambda c, k: (c.victim,)),
    Probe("slow down a process of yours", "hinder", lambda c, k: (c.victim,)),
    Probe(
        "end a process of yours, or ours",
        "kill",
        lambda c, k: (c.victim, os.getpid()),
        Canaries.killed,
    ),
    Probe("send a signal to another process", "signal_others"),
    Probe("run another program", "run_another"),
    Probe("gain rights", "gain_rights"),
    Probe("make a namespace, to be root in", "make_namespace"),
    Probe(f"start {MAX_PROCESSES} processes", "start_many", lambda c, k: (MAX_PROCESSES,)),
    Probe(f"take {MAX_MEMORY // 2**20} MiB of memory", "take_memory", lambda c, k: (MAX_MEMORY,)),
    Probe(f"open {MAX_FILES} files", "open_many", lambda c, k: (MAX_FILES,)),
    Probe(f"write {MAX_WRITTEN // 2**20} MiB to a file", "write_much", lambda c, k: (MAX_WRITTEN,)),
    Probe("raise its own limits", "raise_limits"),
    Probe("run on after its time is over", "never_end", seconds=SHORT_SECONDS),
)


def run_probes(
    sandbox: str, course: Course, program_file: Path = PROBES_FILE, limits: Limits = LIMITS
) -> Iterator[ProbeResult]:
    """Yield the result of each probe; raise NoSandbox if no program can be run.

    `program_file` has the functions that the probes call.
    """
    source = program_file.read_text(encoding="utf-8")
    with canaries() as laid_out, SubmissionProcess({"probes": source}, limits, sandbox) as program:
        try:
            program.load()
        except (RemoteError, SubmissionStopped) as error:
            raise NoSandbox(f"no program can be run in {sandbox} here: {error}") from None
        for probe in PROBES:
            arguments = probe.arguments(laid_out, course)
            held, how = _try(program, probe.function, arguments, probe.seconds)
            if held and probe.later:
                # A note can be left without any error. Only the next test shows whether the note
                # survived.
                held, how = _try(program, probe.later)
            # Harm that is seen from outside counts, whatever the program answers.
            harm = probe.harm(laid_out)
            yield ProbeResult(probe.title, held and not harm, harm or how)


def _try(
    program: SubmissionProcess,
    function: str,
    arguments: tuple[Any, ...] = (),
    seconds: float | None = None,
) -> tuple[bool, str]:
    """Return whether the sandbox held, and what blocked the function or what it got.

    The sandbox held if the function was refused or ended, or got nothing. A function that fails for
    another reason proves nothing.
    """
    program.begin(seconds)
    try:
        got = str(getattr(program.connection.module("probes"), function)(*arguments) or "")
        return not got, got or "got nothing"
    except SubmissionStopped as stopped:
        return True, f"ended: {stopped}"
    except (OSError, MemoryError, ValueError) as error:
        return True, REFUSAL_NOISE.sub("", str(error)) or "out of memory"
    except RemoteError as error:
        return False, f"could not be tried: {error.kind}: {error.text}"
    finally:
        program.end()
