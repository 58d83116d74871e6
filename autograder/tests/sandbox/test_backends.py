"""Which sandbox works, how bwrap counts processes, and what a machine cannot refuse."""

import os
from pathlib import Path

import pytest
from hearts_course.sandbox import backends
from hearts_course.sandbox.backends import bwrap, unavailable_reason, warnings
from hearts_course.sandbox.backends.bwrap import Counting, counting
from hearts_course.sandbox.pipes import Subprocess, end_all, running
from hearts_course.sandbox.worker import seccomp

COUNT = counting.__wrapped__
ALL_POWERS, NO_SYS_ADMIN = "000001ffffffffff", "000001ffffdfffff"


@pytest.fixture(name="machine")
def _machine(monkeypatch: pytest.MonkeyPatch) -> "Machine":
    return Machine(monkeypatch)


class Machine:
    """Pretends to be another user on another machine."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch

    def has(self, user: int, release: str, users: str, powers: str) -> None:
        names = os.uname()
        other = os.uname_result((names[0], names[1], release, names[3], names[4]))
        files = {"/proc/self/uid_map": users, "/proc/self/status": f"CapEff:\t{powers}\n"}
        self.patch.setattr(bwrap.os, "geteuid", lambda: user)
        self.patch.setattr(bwrap.os, "uname", lambda: other)
        self.patch.setattr(Path, "read_text", lambda path: files[str(path)])


@pytest.mark.parametrize(
    ("user", "release", "users", "powers", "counts"),
    [
        (1000, "6.1.0-18-amd64", "0 0 4294967295", "0", Counting.NAMESPACE),
        (1000, "5.14.0", "0 0 4294967295", "0", Counting.NAMESPACE),
        (1000, "5.10.0-28-amd64", "0 0 4294967295", "0", Counting.UNLIMITED),
        (0, "4.19", "0 0 4294967295", ALL_POWERS, Counting.OWN_USER),
        (0, "6.8", "0 0 4294967295", NO_SYS_ADMIN, Counting.UNLIMITED),
        (0, "6.8", "0 1000 1\n1 100000 65536", ALL_POWERS, Counting.NAMESPACE),
    ],
)
def test_how_processes_are_counted_depends_on_who_grades(
    machine: Machine, user: int, release: str, users: str, powers: str, counts: Counting
) -> None:
    machine.has(user, release, users, powers)
    assert COUNT() is counts


def test_each_program_of_roots_is_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bwrap, "counting", lambda: Counting.OWN_USER)
    first, second = bwrap._limited(16), bwrap._limited(16)
    assert first[:2] == second[:2] == ["prlimit", "--nproc=16"]
    users = [next(word for word in words if "reuid" in word) for words in (first, second)]
    assert users[0] != users[1]
    assert "--unshare-all" not in bwrap._namespaces()


def test_others_count_within_the_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bwrap, "counting", lambda: Counting.NAMESPACE)
    assert bwrap._limited(16) == ["prlimit", "--nproc=17", "--"]
    assert bwrap._namespaces() == ["--unshare-all"]


def test_a_limit_that_cannot_be_kept_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bwrap, "counting", lambda: Counting.UNLIMITED)
    monkeypatch.setattr(backends, "counting", lambda: Counting.UNLIMITED)
    assert bwrap._limited(16) == []
    assert [line[:46] for line in warnings("bwrap")] == [
        "a program may start any number of processes (n"
    ]
    assert warnings("sandlock") == warnings("none") == ()


def test_a_machine_without_a_filter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp, "MACHINES", {})
    assert warnings("sandlock") == (
        f"a program may make any system call (no filter for {os.uname().machine})",
    )
    seccomp.confine_sandbox()
    seccomp.confine_program()


def test_why_a_sandbox_does_not_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert unavailable_reason("none") == "a program in it can read your files"
    monkeypatch.setitem(backends.BACKENDS, "sandlock", lambda command, limits: 1 / 0)
    assert unavailable_reason("sandlock") == "ZeroDivisionError: division by zero"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert unavailable_reason("bwrap") == "not installed"
    bwrap = tmp_path / "bwrap"
    bwrap.write_text("#!/bin/sh\necho one >&2\necho 'bwrap: no permission' >&2\n")
    bwrap.chmod(0o755)
    assert unavailable_reason("bwrap") == "bwrap: no permission"


def test_all_that_was_started_can_be_ended() -> None:
    process = Subprocess(["sleep", "60"], {"PATH": os.environ["PATH"]})
    assert process in running
    end_all()
    assert process not in running
    assert process._process.returncode == -9
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
