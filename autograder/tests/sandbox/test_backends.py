"""Which sandbox is chosen, how each is set up, and which of its weaknesses a warning names."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from hearts_course.course import Limits
from hearts_course.errors import NoSandbox
from hearts_course.sandbox.pipes import Subprocess, end_all, running
from hearts_course.sandbox.worker import WORKER_DIR, landlock, seccomp
from hearts_grader.sandbox import backends
from hearts_grader.sandbox.backends import (
    sandbox_warnings,
    separate_user,
    strength,
    unavailable_reason,
    warnings,
)
from hearts_grader.sandbox.backends.bwrap import (
    Counting,
    counting_for,
    limited,
    own_namespaces,
)
from hearts_grader.sandbox.backends.cures import Machine, cure, explained
from hearts_grader.sandbox.backends.separate_user import start_as_user
from in_container import in_container
from surroundings import kernel_has, no_sandbox_works, not_root, sandboxes_fail

TESTS = Path(__file__).parents[1]
AIMS = (
    "reads the suite, the reference and the chaffs",
    "overwrites the suite, the grades and another's submission",
    "leaves a daemon behind, in a session of its own",
)
ALL_POWERS = "000001ffffffffff"
NO_SYS_ADMIN = "000001ffffdfffff"


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
    tmp_path, user, release, users, powers, counts
):
    (tmp_path / "uid_map").write_text(users)
    (tmp_path / "status").write_text(f"CapEff:\t{powers}\n")
    assert counting_for(user, release, tmp_path) is counts


def test_the_number_of_processes_is_limited_as_the_kernel_counts_them():
    first = limited(16, Counting.OWN_USER)
    second = limited(16, Counting.OWN_USER)
    assert first[:3] == second[:3] == ["prlimit", "--nproc=16", "--"]
    assert first != second  # each program runs as a different user
    assert "--unshare-all" not in own_namespaces(Counting.OWN_USER)
    assert limited(16, Counting.NAMESPACE) == ["prlimit", "--nproc=17", "--"]
    assert own_namespaces(Counting.NAMESPACE) == ["--unshare-all"]
    assert limited(16, Counting.UNLIMITED) == []


def test_warnings_name_what_this_machine_cannot_refuse(monkeypatch):
    assert warnings("bwrap") == warnings("landlock") == warnings("none") == ()
    monkeypatch.delitem(seccomp.MACHINES, os.uname().machine)
    assert warnings("landlock") == (
        f"a program may make any system call (no filter for {os.uname().machine})",
    )
    seccomp.confine_sandbox()


def test_the_reason_why_a_sandbox_is_unavailable(monkeypatch, tmp_path):
    says_so = [sys.executable, "-c", "print('it can read')"]
    monkeypatch.setitem(
        backends.BACKENDS, "landlock", lambda command, limits: Subprocess(says_so, {})
    )
    assert unavailable_reason("landlock") == "a program in it can read your files"
    monkeypatch.setitem(backends.BACKENDS, "landlock", lambda command, limits: 1 / 0)
    assert unavailable_reason("landlock") == "ZeroDivisionError: division by zero"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert unavailable_reason("bwrap") == "not installed"
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho one >&2\necho 'bwrap: no luck' >&2\n")
    (tmp_path / "bwrap").chmod(0o755)
    assert unavailable_reason("bwrap") == "bwrap: no luck"


NO_UID_MAP = "bwrap: setting up uid map: Permission denied"
NO_PERMISSIONS = (
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
    "non-privileged user namespaces. See <https://deb.li/bubblewrap> or "
    "<file:///usr/share/doc/bubblewrap/README.Debian.gz>."
)


def refusing(settings=Path("/nowhere"), *, landlock=0, release="6.1.0", container=False):
    """Return a machine whose kernel settings are in this folder.

    `landlock` is the number of the error with which the kernel refuses Landlock, or 0.
    """
    return Machine(container, landlock, release, settings)


def test_the_cure_fits_what_refuses_namespaces(tmp_path):
    machine = refusing(tmp_path)

    def switch(name, value):
        file = tmp_path.joinpath(*name.split("."))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{value}\n")

    assert cure("bwrap", "not installed", machine) == "`apt install bubblewrap`"
    reason = explained("bwrap", NO_UID_MAP, machine)
    assert reason == (
        "the system refuses to make namespaces (setting up uid map: Permission denied)"
    )
    assert cure("bwrap", reason, machine) == ""
    switch("kernel.apparmor_restrict_unprivileged_userns", 0)
    switch("user.max_user_namespaces", 0)
    assert cure("bwrap", reason, machine) == (
        "`sudo sysctl -w user.max_user_namespaces=10000` allows them"
    )
    switch("kernel.apparmor_restrict_unprivileged_userns", 1)
    assert cure("bwrap", reason, machine) == (
        "`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` allows them"
    )


def test_in_a_container_nobody_is_told_to_install_what_is_there():
    machine = refusing(container=True)
    reason = explained("bwrap", NO_PERMISSIONS, machine)
    assert reason == (
        "the container refuses to make namespaces (No permissions to create new namespace)"
    )
    assert "--privileged" in cure("bwrap", reason, machine)


@pytest.mark.parametrize(
    ("error", "release", "container", "advice"),
    [
        (errno.EOPNOTSUPP, "6.1.0-18-amd64", False, "switched off: add `landlock` to `lsm=`"),
        (errno.ENOSYS, "5.10.0-28-amd64", False, "needs Linux 5.13 or newer, and this is 5.10"),
        (errno.ENOSYS, "6.1.0", False, "this kernel was built without it"),
        (errno.EPERM, "6.1.0", False, "use a newer Docker or Podman"),
        (errno.ENOSYS, "6.1.0", True, "use a newer Docker or Podman"),
    ],
)
def test_the_cure_fits_what_refuses_landlock(error, release, container, advice):
    machine = refusing(landlock=error, release=release, container=container)
    assert advice in cure("landlock", "no Landlock here", machine)


def test_another_system_is_told_to_use_a_container(monkeypatch):
    no_sandbox_works(monkeypatch)
    said = backends.why_none_works("Darwin")
    assert said.startswith("grading needs Linux, and this is Darwin; grade in a container: `docker")
    assert "apt install" not in said


def test_the_strength_of_a_sandbox_in_a_few_words(monkeypatch):
    kernel_has(monkeypatch, landlock=True)
    assert strength("bwrap") == "namespaces, Landlock and two system call filters"
    assert strength("landlock") == "Landlock and two system call filters"
    assert strength("none") == "the programs ran with all your rights"
    kernel_has(monkeypatch, landlock=False)
    assert strength("user") == "another user and two system call filters"


def test_a_sandbox_that_does_not_answer_is_given_up(monkeypatch):
    monkeypatch.setitem(
        backends.BACKENDS, "bwrap", lambda command, limits: Subprocess(["sleep", "60"], os.environ)
    )
    assert unavailable_reason("bwrap", patience=0.2) == "a program in it does not answer"
    started = [process for process in running if isinstance(process, Subprocess)]
    assert ["sleep", "60"] not in [process._process.args for process in started]


@pytest.mark.proof
def test_ctrl_c_while_a_sandbox_is_tried_leaves_nothing_that_would_delay_the_end(monkeypatch):
    class Interrupted(Subprocess):
        def __init__(self, command, limits):
            super().__init__(["sleep", "60"], os.environ)
            threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()

    monkeypatch.setitem(backends.BACKENDS, "bwrap", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        unavailable_reason("bwrap")
    assert not [process for process in running if isinstance(process, Interrupted)]
    waiting = [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]
    assert all(timer.finished.is_set() for timer in waiting)


def test_end_all_kills_everything_that_was_started():
    process = Subprocess(["sleep", "60"], {"PATH": os.environ["PATH"]})
    assert process in running
    end_all()
    assert process not in running
    assert process._process.returncode == -9
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def test_the_first_working_sandbox_is_chosen_and_only_a_weak_one_warns(monkeypatch):
    reasons = {"bwrap": "no"}
    sandboxes_fail(monkeypatch, reasons)
    kernel_has(monkeypatch, landlock=False)
    assert backends.choose_sandbox("auto") == "landlock"
    assert sandbox_warnings("auto", "landlock") == ()
    reasons["landlock"] = "no"
    assert backends.choose_sandbox("auto") == "user"
    weakness, why_not_bwrap, why_not_landlock = sandbox_warnings("auto", "user")
    assert weakness == (
        "user: only the system call filter keeps a program from your files (no Landlock)"
    )
    assert why_not_bwrap.startswith("bwrap does not work here: no")
    assert why_not_landlock.startswith("landlock does not work here: no")
    assert sandbox_warnings("user", "user") == (weakness,)
    reasons["user"] = "no"
    with pytest.raises(NoSandbox, match="no sandbox works on this machine") as refused:
        backends.choose_sandbox("auto")
    assert str(refused.value).endswith("`--sandbox none` (only code that you trust)")


def test_separate_user_needs_root():
    with not_root(), pytest.raises(PermissionError, match="only root"):
        start_as_user(["python", "-c", ""], Limits())


def test_separate_user_needs_a_python_that_others_can_run(tmp_path):
    """Other users may not enter the temporary folder of a test."""
    assert re.fullmatch(
        "other users may not enter /.*, which leads to Python",
        separate_user.why_refused(0, tmp_path / "python"),
    )


@pytest.mark.parametrize(
    ("ranges", "low", "high"),
    [
        ("0 0 4294967295", separate_user.FIRST_UID, 2**32),
        ("0 1000 1\n1 100000 65536", 32_000, 65_537),
        ("0 0 1", 0, 1),
    ],
)
def test_a_separate_user_s_uid_is_unused(tmp_path, ranges, low, high):
    uid_map = tmp_path / "uid_map"
    uid_map.write_text(ranges)
    first = separate_user.unused_uid(uid_map)
    second = separate_user.unused_uid(uid_map)
    assert low <= min(first, second) <= max(first, second) < high
    assert first != second or high == 1


def test_a_separate_user_s_uid_does_not_count_the_programs_before_it():
    """Uids that count programs would be a secret channel between programs.

    A program could make its sandbox restart several times. The next program could read the number
    of restarts from its own uid, and so learn about hidden tests.
    """
    uids = [separate_user.unused_uid() for _ in range(100)]
    assert len({after - before for before, after in pairwise(uids)}) > 10
    at_a_time = separate_user.MAX_AT_A_TIME
    assert all(len({*uids[n : n + at_a_time]}) == at_a_time for n in range(100 - at_a_time))


@pytest.mark.skipif(not landlock.landlock_version(), reason="no Landlock in this kernel")
@pytest.mark.parametrize("version", [1, landlock.landlock_version()])
def test_landlock_leaves_only_the_devices(tmp_path, version):
    (tmp_path / "file").write_text("out of reach")
    code = f"""
import sys
sys.path.insert(0, {str(WORKER_DIR.parent)!r})
from worker import landlock
print(landlock.give_up_files(["/dev/null", "/not/there"], {version}))
open("/dev/null", "w").write("x")
for doing in (lambda: open("{tmp_path}/file"), lambda: open("{tmp_path}/new", "w")):
    try:
        doing()
    except PermissionError:
        print("refused")
"""
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert done.stdout.split("\n") == ["True", "refused", "refused", ""], done.stderr


def test_without_landlock_no_file_is_given_up():
    assert not landlock.give_up_files(version=0)


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
