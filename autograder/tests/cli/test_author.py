"""Commands for authors: their output and exit status.

In `cases/author/*/transcript.txt` no program runs. A stand-in for the grader fails the starter, the
chaffs and the mutants, and passes all other programs. A chaff is the reference with one mistake; a
mutant is the reference with one small change.
"""

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import hearts
from hearts_course.results import Outcome, TestResult, score_stage
from hearts_course.testing.job import StopAfter
from surroundings import grade_without_workers
from tiny_course import write_course
from transcripts import case_names, replay

CASES = Path(__file__).parent / "cases/author"
FAILING = """\
{
 "a dime is worth five": {"task": "worth", "fails": {"worth": {"test_coins.py::test_it": []}}, \
"answers": {"test_coins.py::test_it": "0000"}},
 "counts the coins instead of their worth": {"task": "total", \
"fails": {"total": {"test_coins.py::test_it": []}}, "answers": {"test_coins.py::test_it": "0000"}}
}
"""
SIGNS = {"5 if": "worth", "1 for": "total"}
ENDS = {True: Outcome.PASSED, False: Outcome.FAILED}


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    course = write_course(tmp_path / "course", PATTERNS=FAILING)
    monkeypatch.chdir(course.root)
    return course


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    """Replace the grader by one that runs nothing; return an object to control it.

    The set `places` gets the number of programs that are graded at a time. If `interrupted` is set,
    grading stops as after Ctrl-C.
    """
    engine = SimpleNamespace(places=set(), interrupted=False)

    def grade_all(jobs, executor):
        for job in jobs:
            if engine.interrupted:
                raise KeyboardInterrupt
            engine.places.add(executor.places)
            source = job.submission.modules["coins"]
            failed = {task for sign, task in SIGNS.items() if sign in source}
            if "NotImplementedError" in source or job.stop is StopAfter.RUN:
                failed = {"worth", "purse", "total"}
            outcomes = {task.id: ENDS[task.id not in failed] for task in job.stage.tasks}
            name = "test_coins.py::test_it"
            tests = {t: [TestResult(name, "A topic.", False, o)] for t, o in outcomes.items()}
            yield score_stage(job.stage, job.submission.student, tests, sandbox="none")

    grade_without_workers(monkeypatch, grade_all)
    return engine


def type_hearts(*words):
    """Run a command in the course itself, as its authors do."""
    return hearts(*words, folder=".")


def remove(arguments):
    Path(arguments[0]).unlink()


@pytest.mark.parametrize("name", case_names(CASES))
def test_what_an_author_sees(engine, capsys, name):
    def places(arguments):
        """Print how many programs were graded at a time."""
        print(*engine.places)

    replay(CASES / name, capsys, ".", remove=remove, places=places)


@pytest.mark.proof
def test_verify_says_how_many_mutants_a_timeout_killed(monkeypatch, capsys):
    type_hearts("build")
    monkeypatch.setitem(ENDS, False, Outcome.TIMEOUT)
    assert type_hearts("verify") == 0
    line = "every mutant is killed or listed as equivalent (15 of 15 by a timeout)\n"
    assert f"ok     01-coins: {line}" in capsys.readouterr().out


def test_verify_stops_with_one_line_when_it_is_interrupted(engine, capsys):
    type_hearts("build")
    engine.interrupted = True
    capsys.readouterr()
    assert type_hearts("verify", "--mutants", "none") == 130
    assert capsys.readouterr().err == "hearts: stopped; the same command continues from here\n"


def test_verify_names_a_package_that_is_missing(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "cosmic_ray", None)  # as if it were not installed
    assert type_hearts("verify") == 1
    assert capsys.readouterr().err == (
        'hearts: `hearts verify` needs cosmic_ray; run `pip install "hearts-course[author]"`\n'
    )


AUTHORING = ["build", "verify", "new 08-moon", "sample x", "check --stages .", "--overlay=. check"]


@pytest.mark.parametrize("command", AUTHORING)
def test_a_student_s_installation_has_nothing_to_author(course, capsys, command):
    shutil.rmtree(course.root / "solutions")
    assert type_hearts(*command.split()) == 1
    assert capsys.readouterr().err == (
        f"hearts: {course.root}: not a checkout of the course; run this in one\n"
    )


def test_a_folder_without_a_site_is_not_shown(tmp_path, capsys):
    assert type_hearts("site", str(tmp_path), "--look") == 2
    assert "holds no site; write it first with `hearts site" in capsys.readouterr().err
