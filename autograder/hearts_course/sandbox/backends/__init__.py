"""Sandbox backends in order of preference, and the choice between them.

A sandbox starts one process with three pipes. A program in it can read the interpreter and the
worker, and nothing else; it cannot write files, use the network, or see our environment variables.
"""

import importlib
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from hearts_course.course import Limits
from hearts_course.errors import NoSandbox, UsageError
from hearts_course.sandbox.backends.bwrap import Counting, counting, start_bwrap
from hearts_course.sandbox.backends.sandlock import SandlockProcess
from hearts_course.sandbox.backends.separate_user import start_as_user
from hearts_course.sandbox.pipes import Process, start_bare
from hearts_course.sandbox.worker import worker_command
from hearts_course.sandbox.worker.seccomp import known_machine, landlock_version

TRY_TO_READ = """
from sandbox_worker.seccomp import confine_program, confine_sandbox
confine_sandbox()
confine_program()
import random
try:
    open({secret!r})
except OSError:
    print("kept in", flush=True)
else:
    print("it can read", flush=True)
"""
KEPT_IN = b"kept in\n"
ANSWER_SECONDS = 10.0


BACKENDS: dict[str, Callable[[list[str], Limits], Process]] = {
    "bwrap": start_bwrap,
    "sandlock": SandlockProcess,
    "user": start_as_user,
    "none": start_bare,
}
# bwrap starts faster than sandlock, supports terminals, and always ends when the grader ends.
# "user" is weaker, and meant for containers. "none" must be requested explicitly.
PREFERENCE = ("bwrap", "sandlock", "user")
FIXES = {
    "user": "grade as root; Python must be readable for everybody, the course only for root "
    "(`chmod 700`)",
    "sandlock": "`pip install sandlock` (Linux 6.12 or newer)",
    "bwrap": "`apt install bubblewrap`",
}


def works(name: str) -> bool:
    """Return whether the sandbox starts a program here and keeps it from our files."""
    return not unavailable_reason(name)


def unavailable_reason(name: str) -> str:
    """Return why the sandbox does not work here, in a few words; empty if it does.

    Try twice, because something outside may have killed the program.
    """
    return _fault_of(name) and _fault_of(name)


def _fault_of(name: str) -> str:
    code = TRY_TO_READ.format(secret=str(Path(__file__).resolve()))
    try:
        process = BACKENDS[name](worker_command(code), Limits())
        # If bwrap is killed while it starts, its child may wait for it for ever, pipes open.
        patience = threading.Timer(ANSWER_SECONDS, process.kill)
        patience.start()
        with process.stdin, process.stdout, process.stderr:
            said = process.stdout.read(100)
            patience.cancel()
            process.kill()
            complaint = process.stderr.read(2**12).decode(errors="replace").strip()
    except (ImportError, FileNotFoundError):
        return "not installed"
    except PermissionError as error:
        return str(error)
    except Exception as error:  # sandlock is young and raises errors of many kinds
        return " ".join(f"{type(error).__name__}: {error}".split())
    if said == KEPT_IN:
        return ""
    if complaint:
        return complaint.splitlines()[-1]
    return "a program in it can read your files" if said else "a program in it does not answer"


def warnings(name: str) -> tuple[str, ...]:
    """Return a line for each thing that the sandbox cannot block on this machine."""
    lines = []
    if name == "bwrap" and counting() is Counting.UNLIMITED:
        lines.append(
            "a program may start any number of processes (a limit needs Linux 5.14, or root with "
            "all its powers)"
        )
    if name == "user":
        lines.append("a program runs only as another user: it can find out which files exist")
        if not landlock_version():
            lines.append(
                "a program can read world-readable files and list running programs (no Landlock)"
            )
    if name != "none" and not known_machine():
        lines.append(f"a program may make any system call (no filter for {os.uname().machine})")
    return tuple(lines)


def sandbox_warnings(asked: str, chosen: str) -> tuple[str, ...]:
    """Return the weaknesses of the chosen sandbox, one line each."""
    lines = [f"{chosen}: {warning}" for warning in warnings(chosen)]
    if asked == "auto" and (note := fallback_note(chosen)):
        lines.insert(0, f"the sandbox is {chosen}, a second choice: {note}")
    if chosen == "none":
        lines.append("no sandbox: the programs run with all your rights")
    return tuple(lines)


def fallback_note(name: str) -> str:
    """Return why better sandboxes were not chosen and how to fix that, or ""."""
    if name not in PREFERENCE:
        return ""
    better = PREFERENCE[: PREFERENCE.index(name)]
    faults = {sandbox: unavailable_reason(sandbox) for sandbox in better}
    return "; ".join(
        f"{sandbox} does not work here ({fault}): {FIXES[sandbox]}"
        for sandbox, fault in faults.items()
        if fault
    )


def best_of(working: Iterable[str]) -> str:
    """Return the first sandbox without a warning, else the first, else ""; ask for no more."""
    first = ""
    for name in working:
        if not warnings(name):
            return name
        first = first or name
    return first


def choose_sandbox(asked: str = "auto") -> str:
    """Return the sandbox to use; raise NoSandbox, with the fix, if none works here."""
    # Python then keeps the bytecode of what runs in a sandbox, where it cannot be written.
    importlib.import_module("hearts_course.sandbox.worker.server")
    if asked == "none":
        return asked
    if asked != "auto" and asked not in BACKENDS:
        raise UsageError(f"unknown sandbox {asked!r}; choose one of: auto, {', '.join(BACKENDS)}")
    if found := best_of(filter(works, PREFERENCE if asked == "auto" else (asked,))):
        return found
    if asked != "auto":
        raise NoSandbox(f"the sandbox {asked} does not work on this machine; {FIXES[asked]}")
    raise NoSandbox(
        f"no sandbox works on this machine; {FIXES['bwrap']}, or {FIXES['sandlock']}, "
        "or grade without one by `--sandbox none` (only code that you trust)"
    )
