"""`hearts doctor`: a sandbox really refuses each probe, and a weak sandbox is noticed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import hearts
from hearts_course.course import Limits
from hearts_course.errors import NoSandbox
from hearts_grader.cli import doctor
from hearts_grader.sandbox import backends, selftest
from hearts_grader.sandbox.probes import CLONE_NEWUSER
from hearts_grader.sandbox.selftest import ProbeResult, run_probes
from machine import sandboxes
from surroundings import sandboxes_fail, workers_run
from tiny_course import write_course
from transcripts import replay

CASE = Path(__file__).parent / "cases/doctor"
SANDBOXES = sandboxes()
BARE = """
import sandbox_worker.server
sandbox_worker.rlimits.apply = sandbox_worker.server.limit_cpu = lambda *a: None
sandbox_worker.server.serve_submission(confined=False)
"""
# These probes fail even without a sandbox, because no file is left open, there is no terminal, and
# BARE sets no limits that could be raised. The grader itself ends a program that takes too long.
NOT_WITHOUT_A_SANDBOX = {
    "find a file left open to it",
    "type into your terminal",
    "raise its own limits",
    "run on after its time is over",
}


@pytest.fixture(name="course")
def _course(tmp_path, monkeypatch):
    course = write_course(tmp_path / "course")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return course


def refused_by_the_machine():
    """Return the titles of probes that a container around this test refuses to every program."""
    unshare = f"import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare({CLONE_NEWUSER}) != 0)"
    refused = subprocess.run([sys.executable, "-c", unshare]).returncode
    return {"make a namespace, to be root in"} if refused else set()


def left_behind():
    folders = {Path.home(), Path.cwd(), Path("/tmp"), Path("/dev/shm"), Path("/")}
    return [file for folder in folders for file in folder.glob(".hearts-doctor-*")]


@pytest.mark.parametrize("name", SANDBOXES)
def test_a_sandbox_that_works_holds(course, name):
    verdicts = list(run_probes(name, course))
    assert [verdict for verdict in verdicts if not verdict.held] == []
    assert len(verdicts) >= 12
    assert left_behind() == []
    assert selftest.VARIABLE not in os.environ


def test_without_a_sandbox_the_attempts_succeed(course, monkeypatch):
    workers_run(monkeypatch, BARE)
    limits = Limits(memory_bytes=2**20, import_seconds=10.0)
    verdicts = list(run_probes("none", course, limits=limits))
    blocked = NOT_WITHOUT_A_SANDBOX | refused_by_the_machine()
    assert {verdict.title for verdict in verdicts if verdict.held} <= blocked
    assert left_behind() == []


def test_a_home_folder_that_is_not_there_is_no_bait(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "gone"))
    assert selftest.home_folder() == Path("/")


def test_a_broken_probe_does_not_count_as_blocked(course, tmp_path):
    broken = tmp_path / "probes.py"
    broken.write_text("def read_file(paths):\n    return len(1)\n")
    first = next(run_probes("none", course, broken))
    assert (first.held, first.how[:36]) == (False, "could not be tried: TypeError: objec")


def test_a_sandbox_that_runs_no_program_is_an_error(course, tmp_path):
    broken = tmp_path / "probes.py"
    broken.write_text("import nothing_like_it")
    with pytest.raises(NoSandbox, match="no program can be run in none here: No module named"):
        next(run_probes("none", course, broken))


class Pretend:
    """Pretends that sandboxes have the faults and weaknesses that a transcript names.

    These are the commands of the transcript:

        $ fault SANDBOX REASON      the sandbox does not work
        $ weakness SANDBOX TEXT     the sandbox works, but has this weakness
        $ escape PROBE TEXT         the probe gets out of the sandbox
        $ fresh                     removes all faults, weaknesses and escapes
        $ warnings ASKED CHOSEN     prints what `hearts grade` says about the sandbox CHOSEN
    """

    def __init__(self, patch):
        self.faults: dict[str, str] = {}
        self.fresh([])
        sandboxes_fail(patch, self.faults)
        patch.setattr(backends, "warnings", lambda name: self.weak.get(name, ()))
        patch.setattr(selftest, "run_probes", lambda name, course: iter(self.verdicts))

    def fresh(self, arguments):
        self.faults.clear()
        self.weak = {}
        self.verdicts = [ProbeResult("read a file", True, "Permission denied")]

    def fault(self, arguments):
        name, reason = arguments
        self.faults[name] = reason

    def weakness(self, arguments):
        self.weak[arguments[0]] = (arguments[1],)

    def escape(self, arguments):
        self.verdicts.append(ProbeResult(arguments[0], False, arguments[1]))

    def warnings(self, arguments):
        print(*backends.sandbox_warnings(*arguments), sep="\n")


def test_what_doctor_says(course, monkeypatch, capsys):
    """The class `Pretend` explains the transcript's commands."""
    pretend = Pretend(monkeypatch)
    monkeypatch.setattr(doctor, "machine_rows", lambda course: [])
    commands = ("fresh", "fault", "weakness", "escape", "warnings")
    replay(CASE, capsys, "course", **{name: getattr(pretend, name) for name in commands})


def test_missing_packages_and_hidden_tests_are_listed(course, monkeypatch, capsys):
    Pretend(monkeypatch)
    assert hearts("doctor") == 0
    assert "✓  hidden tests    for 1 stage" in capsys.readouterr().out
    for test in course.stages[0].hidden_tests:
        test.unlink()
    assert hearts("doctor") == 0
    out = capsys.readouterr().out
    assert "✓  processors" in out
    assert "✗  hidden tests    none for 01-coins; grade in a checkout" in out
    *_, package, _ = doctor.machine_rows(course, ["nothing-like-it"])
    assert package == (
        doctor.BAD,
        "nothing-like-it",
        'not installed; `pip install "hearts-course[grade]"`',
    )
