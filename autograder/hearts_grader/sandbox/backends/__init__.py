"""Sandbox backends in order of preference, and the choice between them.

A sandbox starts one process with three pipes. The worker in the process first gives up the right to
open files, and then reads a program. The program cannot open files, use the network, start
processes, or see our environment variables.
"""

import importlib
import os
import platform
import sys
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from hearts_course.course import Limits
from hearts_course.errors import NoSandbox, UsageError
from hearts_course.sandbox.pipes import Process, start_bare
from hearts_course.sandbox.submission_process import STARTERS
from hearts_course.sandbox.worker import worker_command
from hearts_course.sandbox.worker.landlock import landlock_version
from hearts_course.sandbox.worker.seccomp import known_machine
from hearts_course.text import listed

from hearts_grader.sandbox.backends.bwrap import start_bwrap
from hearts_grader.sandbox.backends.cures import cure, explained, other_system
from hearts_grader.sandbox.backends.landlock import start_landlock
from hearts_grader.sandbox.backends.separate_user import start_as_user
from hearts_grader.sandbox.library_archive import library_archive

# A worker runs this code to test its sandbox: the code tries to read one of our own modules. After
# the worker has given up files, it must not be able to read the file. A program must not even find
# out that the file exists.
TRY_TO_READ = """
from sandbox_worker.landlock import give_up_files
from sandbox_worker.seccomp import confine_program, confine_sandbox
def can_read():
    try:
        open({secret!r}).close()
    except OSError:
        return False
    return True
escaped = give_up_files() and can_read()
confine_sandbox()
confine_program()
import os.path, random
escaped = escaped or can_read() or os.path.exists({secret!r})
print("it can read" if escaped else "kept in", flush=True)
"""
KEPT_IN = b"kept in\n"
ANSWER_SECONDS = 10.0  # ample: the program only tries to open a file

BACKENDS: dict[str, Callable[[list[str], Limits], Process]] = {
    "bwrap": start_bwrap,
    "landlock": start_landlock,
    "user": start_as_user,
    "none": start_bare,
}
# The safest come first: bwrap adds namespaces to Landlock, and "user" works without Landlock.
# "none" must be requested explicitly.
PREFERENCE = ("bwrap", "landlock", "user")


def _start(name: str, limits: Limits) -> Process:
    """Start a worker in the sandbox of that name; the worker imports from the archive."""
    return BACKENDS[name](worker_command(archive=library_archive()), limits)


STARTERS.update({name: partial(_start, name) for name in PREFERENCE})


def works(name: str) -> bool:
    """Return whether the sandbox starts a program here and keeps it from our files."""
    return not unavailable_reason(name)


def unavailable_reason(name: str, patience: float = ANSWER_SECONDS) -> str:
    """Return why the sandbox does not work here, in a few words; "" if it works.

    Try twice, because something outside may have killed the program. A program in the sandbox that
    does not answer is killed after `patience` seconds.
    """
    return _fault_of(name, patience) and _fault_of(name, patience)


def _fault_of(name: str, patience: float) -> str:
    """Try the sandbox once. Return why it does not work, "" if it works.

    A sandbox may start a program and still not confine it. So the program tries to read the source
    file of this module.
    """
    code = TRY_TO_READ.format(secret=str(Path(__file__).resolve()))
    try:
        archive = None if name == "none" else library_archive()
        process = BACKENDS[name](worker_command(code, archive), Limits())
        # If bwrap is killed while it starts, its child may wait forever with open pipes.
        timer = threading.Timer(patience, process.kill)
        timer.start()
        with process.stdin, process.stdout, process.stderr:
            try:
                answer = process.stdout.read(100)
            finally:  # otherwise, after Ctrl-C, this process would wait for the timer
                timer.cancel()
                process.kill()
            complaint = process.stderr.read(2**12).decode(errors="replace").strip()
    except FileNotFoundError:
        return "not installed"
    except PermissionError as error:
        return explained(name, str(error))
    except Exception as error:  # the system may lack what a backend needs
        return " ".join(f"{type(error).__name__}: {error}".split())
    if answer == KEPT_IN:
        return ""
    if complaint:
        return explained(name, complaint.splitlines()[-1])
    return "a program in it can read your files" if answer else "a program in it does not answer"


def strength(name: str) -> str:
    """Return in a few words what confines a program in this sandbox."""
    if name == "none":
        return "the programs ran with all your rights"
    walls = {"bwrap": ["namespaces"], "landlock": [], "user": ["another user"]}[name]
    if landlock_version():
        walls.append("Landlock")
    if known_machine():
        walls.append("two system call filters")
    return listed(walls)


def warnings(name: str) -> tuple[str, ...]:
    """Return a line for each thing that the sandbox cannot block on this machine."""
    lines = []
    if name == "user" and not landlock_version():
        lines.append("only the system call filter keeps a program from your files (no Landlock)")
    if name != "none" and not known_machine():
        lines.append(f"a program may make any system call (no filter for {os.uname().machine})")
    return tuple(lines)


def sandbox_warnings(asked: str, chosen: str) -> tuple[str, ...]:
    """Return the weaknesses of the chosen sandbox, one line each.

    If the sandbox was chosen automatically and is weak, also say why the better sandboxes do not
    work.
    """
    weaknesses = warnings(chosen)
    lines = [f"{chosen}: {weakness}" for weakness in weaknesses]
    if asked == "auto" and weaknesses and chosen in PREFERENCE:
        better = PREFERENCE[: PREFERENCE.index(chosen)]
        lines += [line for line in map(_why_not, better) if line]
    if chosen == "none":
        lines.append("no sandbox: the programs run with all your rights")
    return tuple(lines)


def _why_not(name: str) -> str:
    """Return why the sandbox does not work here and what makes it work, or ""."""
    reason = unavailable_reason(name)
    return f"{name} does not work here: {with_cure(name, reason)}" if reason else ""


def with_cure(name: str, reason: str) -> str:
    """Return the reason why the sandbox does not work, and the cure if there is one."""
    return "; ".join(filter(None, (reason, cure(name, reason))))


def best_of(working: Iterable[str]) -> str:
    """Return the first sandbox without a warning, else the first sandbox; "" if there is none.

    Stop at the first sandbox without a warning, because `working` may be an iterator that tests a
    sandbox before it yields the name.
    """
    first = ""
    for name in working:
        if not warnings(name):
            return name
        first = first or name
    return first


def choose_sandbox(asked: str = "auto") -> str:
    """Return the name of the sandbox to use.

    Raise NoSandbox, with the cures, if none works here. Raise UsageError for an unknown name.
    """
    # Import the worker, so that Python stores its bytecode: in a sandbox, Python could not do that.
    importlib.import_module("hearts_course.sandbox.worker.server")
    if asked == "none":
        return asked
    if asked != "auto" and asked not in BACKENDS:
        raise UsageError(f"unknown sandbox {asked!r}; choose one of: auto, {', '.join(BACKENDS)}")
    candidates = PREFERENCE if asked == "auto" else (asked,)
    chosen = best_of(filter(works, candidates))
    if chosen:
        return chosen
    if asked != "auto":
        raise NoSandbox(_why_not(asked) or f"the sandbox {asked} does not work on this machine")
    raise NoSandbox(
        f"{why_none_works()}. Or grade without one: `--sandbox none` (only code that you trust)"
    )


def why_none_works(system: str = platform.system() or sys.platform) -> str:
    """Return in one line why no sandbox works on this machine, and how to make one work."""
    reasons = filter(None, map(_why_not, PREFERENCE))
    return other_system(system) or ". ".join(["no sandbox works on this machine", *reasons])
