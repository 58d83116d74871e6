"""Whether a sandbox holds: a program in it tries to get out, and we look what came of it.

try_escapes   one verdict for each way out that was tried
Verdict       whether the sandbox held, and what refused the attempt or what it got
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hearts_course.course import Course, Limits
from hearts_course.errors import NoSandbox
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.canaries import VARIABLE, VICTIM, Canaries, lay_out
from hearts_course.sandbox.submission_process import SubmissionProcess

ATTEMPTS = Path(__file__).with_name("probes.py")
LIMITS = Limits(import_seconds=10.0)
SOON = 0.1  # seconds by the clock until a program that goes on is to end; it gets three times that
DETAILS = re.compile(r"\[Errno \d+\] |: '[^']*'$")  # of a refusal: its number, and whose


@dataclass(frozen=True)
class SelfTestResult:
    """What came of one probe."""

    title: str
    held: bool
    how: str


@dataclass(frozen=True)
class Place:
    """What a probe can know of the machine: what was laid out, and the course."""

    bait: Canaries
    course: Course

    @property
    def victim(self) -> int:
        """The process to harm."""
        return self.bait.victim.pid


Arguments = Callable[[Place], tuple[Any, ...]]


@dataclass(frozen=True)
class Probe:
    """One way out: its title, the function of `attempts` that tries it, and a look from outside.

    `later` is a function that looks, in a later test, for what the first one left.
    """

    title: str
    function: str
    arguments: Arguments = lambda place: ()
    outside: Callable[[Place], str] = lambda place: ""
    seconds: float | None = None
    later: str = ""


def _hidden_tests(place: Place) -> tuple[list[str]]:
    tests = [str(test) for stage in place.course.stages for test in stage.hidden_tests]
    return (tests[:1] or [str(ATTEMPTS)],)


def _home(place: Place) -> tuple[list[str]]:
    return ([str(path) for path in Path.home().iterdir() if path.is_file()][:9],)


def _sockets(place: Place) -> tuple[list[str]]:
    return ([str(place.bait.folder / "socket"), f"\0{place.bait.token}"],)


PROCESSES, FILES = LIMITS.processes + 4, 2 * LIMITS.open_files
MEMORY, WRITTEN = LIMITS.memory_bytes + 64 * 2**20, 2 * LIMITS.written_bytes
# What a program tries; `hearts doctor` shows each, and the tests' corpus hands each in.
PROBES = (
    Probe("read a hidden test", "read_file", _hidden_tests),
    Probe("read grades and other submissions", "read_file", lambda p: ([str(p.bait.file)],)),
    Probe("read your home folder", "read_file", _home),
    Probe("read your environment", "environment", lambda p: (VARIABLE, [p.victim, os.getpid()])),
    Probe("find a file left open to it", "find_open_files"),
    Probe(
        "write a file",
        "write_file",
        lambda p: (list(map(str, p.bait.places)),),
        lambda p: p.bait.written(),
    ),
    Probe(
        "change, link or delete a file",
        "change",
        lambda p: (str(p.bait.file),),
        lambda p: p.bait.changed(),
    ),
    Probe("leave a note for the next program", "leave_note"),
    Probe("leave a note for a later test", "remember", later="recall"),
    Probe("share memory with a later test", "share_memory"),
    Probe("hold a lock, or see those of others", "lock"),
    Probe("learn what others have read", "look_into_cache"),
    Probe("be told when others read", "watch"),
    Probe("learn how busy others are", "measure_others"),
    Probe(
        "reach the network",
        "connect",
        lambda p: (p.bait.servers[0].getsockname()[1],),
        lambda p: p.bait.reached(),
    ),
    Probe("reach a local socket", "connect_locally", _sockets, lambda p: p.bait.reached()),
    Probe("type into your terminal", "type_ahead"),
    Probe("see a process of yours", "see", lambda p: (p.victim, VICTIM[0])),
    Probe("look into a process of yours", "look_into", lambda p: (p.victim,)),
    Probe("slow down a process of yours", "hinder", lambda p: (p.victim,)),
    Probe(
        "end a process of yours, or ours",
        "kill",
        lambda p: (p.victim, os.getpid()),
        lambda p: p.bait.hurt(),
    ),
    Probe("send a signal to another process", "signal_others"),
    Probe("run another program", "run_another"),
    Probe("gain rights", "rise"),
    Probe("make a namespace, to be root in", "make_world"),
    Probe(f"start {PROCESSES} processes", "multiply", lambda p: (PROCESSES,)),
    Probe(f"take {MEMORY // 2**20} MiB of memory", "grow", lambda p: (MEMORY,)),
    Probe(f"open {FILES} files", "open_many", lambda p: (FILES,)),
    Probe(f"write {WRITTEN // 2**20} MiB to a file", "write_much", lambda p: (WRITTEN,)),
    Probe("raise its own limits", "unlimit"),
    Probe("go on when its time is over", "go_on", seconds=SOON),
)


def try_escapes(sandbox: str, course: Course) -> Iterator[SelfTestResult]:
    """What came of each probe, as it is made; raises NoSandbox if nothing can be tried."""
    source = ATTEMPTS.read_text(encoding="utf-8")
    with lay_out() as bait, SubmissionProcess({"attempts": source}, LIMITS, sandbox) as program:
        try:
            program.load()
        except (RemoteError, SubmissionStopped) as error:
            raise NoSandbox(f"no program can be run in {sandbox} here: {error}") from None
        place = Place(bait, course)
        for probe in PROBES:
            yield _verdict(program, probe, place)


def _verdict(program: SubmissionProcess, probe: Probe, place: Place) -> SelfTestResult:
    """Held is what was refused or ended, or got nothing; what fails by itself proves nothing."""
    held, how = _tried(program, probe.function, probe.arguments(place), probe.seconds)
    if held and probe.later:
        held, how = _tried(program, probe.later)
    changed = probe.outside(place)
    return SelfTestResult(probe.title, held and not changed, changed or how)


def _tried(
    program: SubmissionProcess,
    function: str,
    arguments: tuple[Any, ...] = (),
    seconds: float | None = None,
) -> tuple[bool, str]:
    """Whether the sandbox held, in a test of its own, and what refused the function or it got."""
    program.begin(seconds)
    try:
        got = str(getattr(program.connection.module("attempts"), function)(*arguments) or "")
        return not got, got or "got nothing"
    except SubmissionStopped as stopped:
        return True, f"ended: {stopped}"
    except (OSError, MemoryError, ValueError) as error:
        return True, DETAILS.sub("", str(error)) or "out of memory"
    except RemoteError as error:
        return False, f"could not be tried: {error.kind}: {error.text}"
    finally:
        program.end()
