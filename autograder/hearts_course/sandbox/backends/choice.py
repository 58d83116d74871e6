"""What keeps a submission in: bwrap, else sandlock, else another user; none only by name.

A sandbox starts one process with three pipes. In it a program can read the interpreter and the
server, and nothing else; it can write nothing, reach no network, see no variable of ours.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from hearts_course.course import Limits
from hearts_course.errors import NoSandbox, UsageError
from hearts_course.sandbox.backends.bwrap import Counting, counting, start_bwrap
from hearts_course.sandbox.backends.sandlock import SandlockProcess
from hearts_course.sandbox.backends.separate_user import start_as_user
from hearts_course.sandbox.process import ENVIRONMENT, PACKAGE, WORKER_DIR, Piped, Process, Start
from hearts_course.sandbox.worker.landlock import version as landlock
from hearts_course.sandbox.worker.seccomp import known_machine

SERVE = "from sandbox_worker.server import main\nmain()\n"
PROBE = """
from sandbox_worker.seccomp import confine_program, confine_sandbox
confine_sandbox()
confine_program()
import random
try:
    open({secret!r})
except OSError:
    print("kept in", flush=True)
"""
KEPT_IN = b"kept in\n"


def far_command() -> list[str]:
    """The command that starts the far side."""
    return _bare_python(SERVE)


def _bare_python(code: str) -> list[str]:
    """The bare interpreter, no site-packages, UTF-8, with the package of the far side."""
    python = os.path.realpath(sys.executable)
    package = PACKAGE.format(folder=str(WORKER_DIR))
    return [python, "-s", "-S", "-P", "-X", "utf8", "-c", package + code]


def start_bare(command: list[str], limits: Limits) -> Process:
    """Start the program with no sandbox at all."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "PATH") if name in os.environ}
    return Piped(command, kept | ENVIRONMENT)


STARTS: dict[str, Start] = {
    "bwrap": start_bwrap,
    "sandlock": SandlockProcess,
    "user": start_as_user,
    "none": start_bare,
}
# The first two keep a program in. bwrap starts sooner, has terminals for programs that are played
# at one, and ends with the grader, however that ends. The third is for containers, and weaker.
PREFERENCE = ("bwrap", "sandlock", "user")
FIXES = {
    "user": "grade as root, with Python where everybody may read it and the course where nobody "
    "else may (`chmod 700`)",
    "sandlock": "`pip install sandlock` (Linux 6.12 or newer)",
    "bwrap": "`apt install bubblewrap`",
}


def works(name: str) -> bool:
    """Whether the sandbox starts a program here, lets it answer, and keeps it from our files."""
    return not unavailable_reason(name)


def unavailable_reason(name: str) -> str:
    """Why the sandbox does not work here, in a few words; empty if it does.

    One that fails is tried again: it may have been killed from outside.
    """
    return _fault_of(name) and _fault_of(name)


def _fault_of(name: str) -> str:
    probe = _bare_python(PROBE.format(secret=str(Path(__file__).resolve())))
    try:
        process = STARTS[name](probe, Limits())
        with process.stdin, process.stdout, process.stderr:
            said = process.stdout.read(100)
            process.kill()
            complaint = process.stderr.read(2**12).decode(errors="replace").strip()
    except (ImportError, FileNotFoundError):
        return "not installed"
    except PermissionError as error:
        return str(error)
    except Exception as error:  # a young library's, of whatever kind
        return " ".join(f"{type(error).__name__}: {error}".split())
    if said == KEPT_IN:
        return ""
    return complaint.splitlines()[-1] if complaint else "a program in it can read your files"


def weaknesses(name: str) -> tuple[str, ...]:
    """What this machine lets a program do in spite of the sandbox, a line each."""
    lines = []
    if name == "bwrap" and counting() is Counting.UNLIMITED:
        lines.append(
            "a program may start any number of processes (no limit before Linux 5.14, "
            "nor for a root without root's powers)"
        )
    if name == "user":
        lines.append("a program is kept apart as another user only: it sees what files there are")
        if not landlock():
            lines.append(
                "a program may read what everybody may, and see what runs here (no Landlock)"
            )
    if name != "none" and not known_machine():
        lines.append(f"a program may make any system call (no filter for {os.uname().machine})")
    return tuple(lines)


def fallback_note(name: str) -> str:
    """Why a sandbox that is preferred to this one was not taken, and what mends it, or ""."""
    if name not in PREFERENCE:
        return ""
    before = PREFERENCE[: PREFERENCE.index(name)]
    faults = {better: unavailable_reason(better) for better in before}
    return "; ".join(
        f"{better} does not work here ({fault}): {FIXES[better]}"
        for better, fault in faults.items()
        if fault
    )


def sandbox_warnings(asked: str, chosen: str) -> tuple[str, ...]:
    """What makes the chosen sandbox less than the best there is, a line each."""
    lines = [f"{chosen}: {weakness}" for weakness in weaknesses(chosen)]
    if asked == "auto" and (better := fallback_note(chosen)):
        lines.insert(0, f"the sandbox is {chosen}, a second choice: {better}")
    if chosen == "none":
        lines.append("no sandbox: the programs run with all your rights")
    return tuple(lines)


def best_of(working: Iterable[str]) -> str:
    """The one to take of sandboxes that work: the first without a weakness; "" if there is none."""
    names = sorted(working, key=PREFERENCE.index)
    return next((name for name in names if not weaknesses(name)), names[0] if names else "")


def choose_sandbox(asked: str = "auto") -> str:
    """The sandbox to use; raises NoSandbox, naming the fix, if it does not work here."""
    if asked == "none":
        return asked
    if asked != "auto" and asked not in STARTS:
        raise UsageError(f"no sandbox is called {asked!r}; there are: auto, {', '.join(STARTS)}")
    asked_for = PREFERENCE if asked == "auto" else (asked,)
    if found := best_of(filter(works, asked_for)):
        return found
    if asked != "auto":
        raise NoSandbox(f"the sandbox {asked} does not work on this machine; {FIXES[asked]}")
    raise NoSandbox(
        f"no sandbox works on this machine; {FIXES['bwrap']}, or {FIXES['sandlock']}, "
        "or grade without one by `--sandbox none` (only code that you trust)"
    )
