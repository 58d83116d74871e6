"""Which sandbox is chosen, how each is set up, and what a machine cannot refuse."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hearts_course.course import Limits
from hearts_course.sandbox import backends
from hearts_course.sandbox.backends import (
    bwrap,
    sandbox_warnings,
    separate_user,
    unavailable_reason,
    warnings,
)
from hearts_course.sandbox.backends.bwrap import Counting, counting
from hearts_course.sandbox.backends.separate_user import start_as_user
from hearts_course.sandbox.pipes import Subprocess, end_all, running
from hearts_course.sandbox.worker import WORKER_DIR, seccomp
from in_container import in_container

TESTS = Path(__file__).parents[1]
AIMS = (
    "reads the suite, the reference and the chaffs",
    "overwrites the suite, the grades and another's submission",
    "leaves a daemon behind, in a session of its own",
)
ALL_POWERS, NO_SYS_ADMIN = "000001ffffffffff", "000001ffffdfffff"


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
def test_how_the_kernel_counts_processes_depends_on_the_user(
    monkeypatch, user, release, users, powers, counts
):
    name = os.uname()
    other = os.uname_result((name[0], name[1], release, name[3], name[4]))
    files = {"/proc/self/uid_map": users, "/proc/self/status": f"CapEff:\t{powers}\n"}
    monkeypatch.setattr(bwrap.os, "geteuid", lambda: user)
    monkeypatch.setattr(bwrap.os, "uname", lambda: other)
    monkeypatch.setattr(Path, "read_text", lambda path: files[str(path)])
    assert counting.__wrapped__() is counts


def test_the_number_of_processes_is_limited_as_the_kernel_counts_them(monkeypatch):
    monkeypatch.setattr(bwrap, "counting", lambda: Counting.OWN_USER)
    first, second = bwrap._limited(16), bwrap._limited(16)
    assert first[:2] == second[:2] == ["prlimit", "--nproc=16"]
    assert first != second  # each program is another user
    assert "--unshare-all" not in bwrap._namespaces()
    monkeypatch.setattr(bwrap, "counting", lambda: Counting.NAMESPACE)
    assert bwrap._limited(16) == ["prlimit", "--nproc=17", "--"]
    assert bwrap._namespaces() == ["--unshare-all"]
    monkeypatch.setattr(bwrap, "counting", lambda: Counting.UNLIMITED)
    assert bwrap._limited(16) == []


def test_warnings_name_what_this_machine_cannot_refuse(monkeypatch):
    monkeypatch.setattr(backends, "counting", lambda: Counting.UNLIMITED)
    (warning,) = warnings("bwrap")
    assert warning.startswith("a program may start any number of processes (")
    assert warnings("sandlock") == warnings("none") == ()
    monkeypatch.setattr(seccomp, "MACHINES", {})
    assert warnings("sandlock") == (
        f"a program may make any system call (no filter for {os.uname().machine})",
    )
    seccomp.confine_sandbox()


def test_the_reason_why_a_sandbox_is_unavailable(monkeypatch, tmp_path):
    assert unavailable_reason("none") == "a program in it can read your files"
    monkeypatch.setitem(backends.BACKENDS, "sandlock", lambda command, limits: 1 / 0)
    assert unavailable_reason("sandlock") == "ZeroDivisionError: division by zero"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert unavailable_reason("bwrap") == "not installed"
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho one >&2\necho 'bwrap: no permission' >&2\n")
    (tmp_path / "bwrap").chmod(0o755)
    assert unavailable_reason("bwrap") == "bwrap: no permission"


def test_a_sandbox_that_does_not_answer_is_given_up(monkeypatch):
    monkeypatch.setattr(backends, "ANSWER_SECONDS", 0.2)
    monkeypatch.setitem(
        backends.BACKENDS, "bwrap", lambda command, limits: Subprocess(["sleep", "60"], os.environ)
    )
    assert unavailable_reason("bwrap") == "a program in it does not answer"
    started = [process for process in running if isinstance(process, Subprocess)]
    assert ["sleep", "60"] not in [process._process.args for process in started]


def test_end_all_kills_everything_that_was_started():
    process = Subprocess(["sleep", "60"], {"PATH": os.environ["PATH"]})
    assert process in running
    end_all()
    assert process not in running
    assert process._process.returncode == -9
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def test_the_first_working_sandbox_is_chosen_and_a_weaker_one_warns(monkeypatch):
    broken = {"bwrap"}
    monkeypatch.setattr(backends, "unavailable_reason", lambda name: "no" if name in broken else "")
    monkeypatch.setattr(backends, "landlock_version", lambda: 0)
    assert backends.choose_sandbox("auto") == "sandlock"
    broken.add("sandlock")
    assert backends.choose_sandbox("auto") == "user"
    assert sandbox_warnings("auto", "user")[0].startswith(
        "the sandbox is user, a second choice: bwrap does not work here (no)"
    )
    assert "list running programs (no Landlock)" in warnings("user")[1]
    monkeypatch.setattr(backends, "landlock_version", lambda: 7)
    assert len(warnings("user")) == 1


def test_separate_user_needs_root_and_a_python_that_others_can_run(monkeypatch):
    monkeypatch.setattr(separate_user.os, "geteuid", lambda: 1000)
    with pytest.raises(PermissionError, match="only root"):
        start_as_user(["python", "-c", ""], Limits())
    monkeypatch.setattr(separate_user.os, "geteuid", lambda: 0)
    monkeypatch.setattr(separate_user, "_closed_folder", lambda: "/closed")
    with pytest.raises(PermissionError, match="may not enter /closed, which leads to Python"):
        start_as_user(["python", "-c", ""], Limits())


@pytest.mark.parametrize(
    ("ranges", "low", "high"),
    [
        ("0 0 4294967295", separate_user.FIRST_UID, 2**32),
        ("0 1000 1\n1 100000 65536", 32_000, 65_537),
        ("0 0 1", 0, 1),
    ],
)
def test_a_separate_user_s_uid_is_unused(monkeypatch, ranges, low, high):
    monkeypatch.setattr(Path, "read_text", lambda path: ranges)
    first, second = separate_user.unused_uid(), separate_user.unused_uid()
    assert low <= min(first, second) <= max(first, second) < high
    assert first != second or high == 1


def test_landlock_leaves_only_the_allowed_files(tmp_path, monkeypatch):
    if not seccomp.landlock_version():
        pytest.skip("no Landlock in this kernel")
    (tmp_path / "open").mkdir()
    (tmp_path / "open/file").write_text("in reach")
    (tmp_path / "closed").write_text("out of reach")
    code = f"""
import sys
sys.path.insert(0, {str(WORKER_DIR.parent)!r})
from worker.seccomp import confine_files
print(confine_files(["{tmp_path}/open", "/not/there"], ["/dev/null"]))
print(open("{tmp_path}/open/file").read())
open("/dev/null", "w").write("x")
for doing in (lambda: open("{tmp_path}/closed"), lambda: open("{tmp_path}/open/new", "w")):
    try:
        doing()
    except PermissionError:
        print("refused")
"""
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert done.stdout.split("\n") == ["True", "in reach", "refused", "refused", ""], done.stderr
    monkeypatch.setattr(seccomp, "landlock_version", lambda: 0)
    assert not seccomp.confine_files(["/"])


@pytest.mark.alone
def test_as_a_separate_user_in_a_container_attacks_are_blocked(tmp_path):
    """The container has no privileges and no Landlock; only root may enter the tool's folder."""
    container, environment = in_container(tmp_path)
    done = subprocess.run(
        [*container, "-m", "hostile", "user", *AIMS],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert dict(map(json.loads, done.stdout.splitlines())) == {aim: [] for aim in AIMS}
