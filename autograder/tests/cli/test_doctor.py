"""`hearts doctor`: what it tries is really refused, and would be noticed if it were not."""

import os
from pathlib import Path

import pytest
from hearts_course.cli import doctor, run
from hearts_course.course import Course, Limits
from hearts_course.errors import NoSandbox
from hearts_course.sandbox import backends, selftest, worker
from hearts_course.sandbox.backends import PREFERENCE, works
from hearts_course.sandbox.selftest import ProbeResult, run_probes
from hearts_course.sandbox.worker.seccomp import landlock_version
from tiny_course import write_course

SANDBOXES = [name for name in PREFERENCE if works(name) and (name != "user" or landlock_version())]
BARE = """
import sandbox_worker.server
sandbox_worker.rlimits.apply = sandbox_worker.server.limit_cpu = lambda *a: None
sandbox_worker.server.serve_submission()
"""
# Nothing is left open to a program anyway; a test has no terminal; to raise a limit takes a limit.
NOT_WITHOUT_A_SANDBOX = {
    "find a file left open to it",
    "type into your terminal",
    "raise its own limits",
    "run on after its time is over",
}


@pytest.fixture(name="course")
def _course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    course = write_course(tmp_path / "course")
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return course


def left_behind() -> list[Path]:
    folders = {Path.home(), Path.cwd(), Path("/tmp"), Path("/dev/shm"), Path("/")}
    return [file for folder in folders for file in folder.glob(".hearts-doctor-*")]


@pytest.mark.parametrize("name", SANDBOXES)
def test_a_sandbox_that_works_holds(course: Course, name: str) -> None:
    verdicts = list(run_probes(name, course))
    assert [verdict for verdict in verdicts if not verdict.held] == []
    assert len(verdicts) >= 12
    assert left_behind() == []
    assert selftest.VARIABLE not in os.environ


def test_without_a_sandbox_the_attempts_succeed(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SERVE", BARE)
    monkeypatch.setattr(selftest, "LIMITS", Limits(memory_bytes=2**20, import_seconds=10.0))
    verdicts = list(run_probes("none", course))
    assert {verdict.title for verdict in verdicts if verdict.held} <= NOT_WITHOUT_A_SANDBOX
    assert left_behind() == []


def test_a_broken_probe_does_not_count_as_blocked(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "probes.py"
    broken.write_text("def read_file(paths):\n    return len(1)\n")
    monkeypatch.setattr(selftest, "PROBES_FILE", broken)
    first = next(run_probes("none", course))
    assert (first.held, first.how[:36]) == (False, "could not be tried: TypeError: objec")


def test_a_sandbox_that_runs_no_program_is_an_error(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "probes.py"
    broken.write_text("import nothing_like_it")
    monkeypatch.setattr(selftest, "PROBES_FILE", broken)
    with pytest.raises(NoSandbox, match="no program can be run in none here: No module named"):
        next(run_probes("none", course))


@pytest.fixture(name="pretend")
def _pretend(course: Course, monkeypatch: pytest.MonkeyPatch) -> "Pretend":
    return Pretend(monkeypatch)


class Pretend:
    """A machine on which things are as the test says."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.faults = dict.fromkeys(PREFERENCE, "")
        self.weak: tuple[str, ...] = ()
        self.verdicts = [ProbeResult("read a file", True, "Permission denied")]
        patch.setattr(backends, "unavailable_reason", lambda name: self.faults[name])
        patch.setattr(backends, "warnings", lambda name: self.weak)
        patch.setattr(selftest, "run_probes", lambda name, course: iter(self.verdicts))


def test_a_safe_machine_is_exit_status_0(
    pretend: Pretend, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[:8] == [
        "Sandboxes",
        "✓ bwrap active",
        "✓ sandlock available",
        "✓ user available",
        "",
        "A program in bwrap tries to",
        "✓ read a file Permission denied",
        "1 of 1 attempts were blocked.",
    ]
    assert "✓ hidden tests for all 1 stages" in lines


def test_a_probe_that_succeeds_is_exit_status_1(
    pretend: Pretend, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend.verdicts.append(ProbeResult("write a file", False, "wrote /x"))
    assert run(["doctor", "--sandbox", "bwrap"]) == 1
    out = capsys.readouterr().out
    assert "✗  write a file  wrote /x" in out
    assert "1 of 2 attempts were blocked." in out


@pytest.mark.parametrize(
    ("asked", "faults", "line"),
    [
        ("auto", ("not installed", "denied", "not root"), "`hearts grade` will not run programs"),
        (
            "sandlock",
            ("", "denied", ""),
            "`hearts grade --sandbox sandlock` will not run programs",
        ),
    ],
)
def test_without_a_sandbox_it_says_why_and_what_to_install(
    pretend: Pretend,
    capsys: pytest.CaptureFixture[str],
    asked: str,
    faults: tuple[str, str, str],
    line: str,
) -> None:
    pretend.faults = dict(zip(PREFERENCE, faults, strict=True))
    assert run(["doctor", "--sandbox", asked]) == 1
    out = capsys.readouterr().out
    assert line in out
    assert f"✗  sandlock  {faults[1]}; `pip install sandlock` (Linux 6.12 or newer)" in out


def test_the_second_choice_is_active_if_the_first_does_not_work(
    pretend: Pretend, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend.faults["bwrap"] = "not installed"
    assert run(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "✗  bwrap     not installed; `apt install bubblewrap`" in out
    assert "✓  sandlock  active" in out


def test_the_second_choice_is_active_if_the_first_is_weaker(
    pretend: Pretend, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = {"bwrap": ("a program may start any number of processes",)}
    pretend.patch.setattr(backends, "warnings", lambda name: lines.get(name, ()))
    assert run(["doctor"]) == 0
    assert "✓  sandlock  active" in capsys.readouterr().out
    assert backends.sandbox_warnings("auto", "sandlock") == ()


def test_a_weak_sandbox_or_none_is_exit_status_1(
    pretend: Pretend, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend.weak = ("a program may start any number of processes",)
    assert run(["doctor"]) == 1
    assert "✗  bwrap     a program may start any number" in capsys.readouterr().out
    assert run(["doctor", "--sandbox", "none"]) == 1
    assert "active, as you asked: programs run with all your rights" in capsys.readouterr().out


def test_missing_packages_and_hidden_tests_are_listed(
    pretend: Pretend, capsys: pytest.CaptureFixture[str], course: Course
) -> None:
    pretend.patch.setattr(doctor, "PACKAGES", ("nothing-like-it",))
    for test in course.stages[0].hidden_tests:
        test.unlink()
    assert run(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "✗  nothing-like-it  not installed; `pip install" in out
    assert "✗  hidden tests     none for 01-coins; grade in a checkout" in out


def test_a_sandbox_that_is_less_than_the_best_is_reported(pretend: Pretend) -> None:
    pretend.faults["bwrap"] = "not installed"
    assert backends.sandbox_warnings("auto", "sandlock") == (
        "the sandbox is sandlock, a second choice: bwrap does not work here "
        "(not installed): `apt install bubblewrap`",
    )
    pretend.weak = ("a program may make any system call",)
    assert backends.sandbox_warnings("bwrap", "bwrap") == (
        "bwrap: a program may make any system call",
    )
    assert backends.sandbox_warnings("none", "none") == (
        "none: a program may make any system call",
        "no sandbox: the programs run with all your rights",
    )
    pretend.weak = ()
    assert backends.sandbox_warnings("auto", "bwrap") == ()
