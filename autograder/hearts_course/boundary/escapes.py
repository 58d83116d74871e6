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

from hearts_course.boundary.answers import FarError, Stopped
from hearts_course.boundary.bait import VARIABLE, VICTIM, Bait, lay_out
from hearts_course.boundary.program import Program
from hearts_course.course import Course, Limits
from hearts_course.errors import NoSandbox

ATTEMPTS = Path(__file__).with_name("attempts.py")
LIMITS = Limits(import_seconds=10.0)
SOON = 0.1  # seconds by the clock until a program that goes on is to end; it gets three times that
DETAILS = re.compile(r"\[Errno \d+\] |: '[^']*'$")  # of a refusal: its number, and whose


@dataclass(frozen=True)
class Verdict:
    """What came of one attempt."""

    title: str
    held: bool
    how: str


@dataclass(frozen=True)
class Attempt:
    """One way out: its title, the function that tries it, and a look from outside."""

    title: str
    function: str
    arguments: tuple[Any, ...] = ()
    outside: Callable[[], str] = lambda: ""
    seconds: float | None = None


def try_escapes(sandbox: str, course: Course) -> Iterator[Verdict]:
    """What came of each attempt, as it is made; raises NoSandbox if nothing can be tried."""
    source = ATTEMPTS.read_text(encoding="utf-8")
    with lay_out() as bait, Program({"attempts": source}, LIMITS, sandbox) as program:
        try:
            program.load()
        except (FarError, Stopped) as error:
            raise NoSandbox(f"no program can be run in {sandbox} here: {error}") from None
        for attempt in (*_to_take(bait, course), *_to_leave(bait), *_to_harm(bait), *_to_waste()):
            yield _verdict(program, attempt)


def _to_take(bait: Bait, course: Course) -> Iterator[Attempt]:
    tests = [str(test) for stage in course.stages for test in stage.hidden_tests]
    home = [str(path) for path in Path.home().iterdir() if path.is_file()]
    yield Attempt("read a hidden test", "read", (tests[:1] or [str(ATTEMPTS)],))
    yield Attempt("read grades and other submissions", "read", ([str(bait.file)],))
    yield Attempt("read your home folder", "read", (home[:9],))
    processes = [bait.victim.pid, os.getpid()]
    yield Attempt("read your environment", "environment", (VARIABLE, processes))
    yield Attempt("find a file left open to it", "find_open_files")


def _to_leave(bait: Bait) -> Iterator[Attempt]:
    yield Attempt("write a file", "write", (list(map(str, bait.places)),), bait.written)
    yield Attempt("change, link or delete a file", "change", (str(bait.file),), bait.changed)
    yield Attempt("leave a note for the next program", "leave_note")
    port = bait.servers[0].getsockname()[1]
    yield Attempt("reach the network", "connect", (port,), bait.reached)
    sockets = [str(bait.folder / "socket"), f"\0{bait.token}"]
    yield Attempt("reach a local socket", "connect_locally", (sockets,), bait.reached)
    yield Attempt("type into your terminal", "type_ahead")


def _to_harm(bait: Bait) -> Iterator[Attempt]:
    victim = bait.victim.pid
    yield Attempt("see a process of yours", "see", (victim, VICTIM[0]))
    yield Attempt("look into a process of yours", "look_into", (victim,))
    yield Attempt("slow down a process of yours", "hinder", (victim,))
    yield Attempt("end a process of yours, or ours", "kill", (victim, os.getpid()), bait.hurt)
    yield Attempt("gain rights", "rise")
    yield Attempt("make a namespace, to be root in", "make_world")


def _to_waste() -> Iterator[Attempt]:
    processes, files = LIMITS.processes + 4, 2 * LIMITS.open_files
    memory, written = LIMITS.memory_bytes + 64 * 2**20, 2 * LIMITS.written_bytes
    yield Attempt(f"start {processes} processes", "multiply", (processes,))
    yield Attempt(f"take {memory // 2**20} MiB of memory", "grow", (memory,))
    yield Attempt(f"open {files} files", "open_many", (files,))
    yield Attempt(f"write {written // 2**20} MiB to a file", "write_much", (written,))
    yield Attempt("raise its own limits", "unlimit")
    yield Attempt("go on when its time is over", "go_on", seconds=SOON)


def _verdict(program: Program, attempt: Attempt) -> Verdict:
    """Held is what was refused or ended, or got nothing; what fails by itself proves nothing."""
    program.begin(attempt.seconds)
    try:
        function = getattr(program.connection.module("attempts"), attempt.function)
        got = str(function(*attempt.arguments) or "")
        held, how = not got, got or "got nothing"
    except Stopped as stopped:
        held, how = True, f"ended: {stopped}"
    except (OSError, MemoryError, ValueError) as error:
        held, how = True, DETAILS.sub("", str(error)) or "out of memory"
    except FarError as error:
        held, how = False, f"could not be tried: {error.kind}: {error.text}"
    finally:
        program.end()
    changed = attempt.outside()
    return Verdict(attempt.title, held and not changed, changed or how)
