"""Commands for authors: their output and exit status."""

import shutil

import pytest
from hearts_course.cli import author, run
from hearts_course.grading import pool
from hearts_course.results import Outcome, TestResult, score_stage
from hearts_course.testing.job import StopAfter
from tiny_course import write_course

FAILING = """\
{
 "a dime is worth five": {"task": "worth", "fails": {"worth": {"test_it": []}}},
 "counts the coins instead of their worth": {"task": "total", "fails": {"total": {"test_it": []}}}
}
"""
CHAFFS = (("worth", "5 if"), ("total", "1 for"))


@pytest.fixture
def course(tmp_path, monkeypatch):
    course = write_course(tmp_path, PATTERNS=FAILING)
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    return course


@pytest.fixture
def graded(monkeypatch):
    """Grading without running anything: the starter and the chaffs fail, all else passes."""
    seen = []

    def grade_all(works, crew):
        for work in works:
            seen.append((work, crew.places))
            source = work.submission.modules["coins"]
            failed = {
                task for task, sign in (("worth", "5 if"), ("total", "1 for")) if sign in source
            }
            if "NotImplementedError" in source or work.stop is StopAfter.RUN:
                failed = {"worth", "purse", "total"}
            yield _result(work, failed)

    monkeypatch.setattr(pool, "grade_all", grade_all)
    return seen


def _result(work, failed):
    def test(task):
        outcome = Outcome.FAILED if task in failed else Outcome.PASSED
        return TestResult("test_it", "A topic.", False, outcome)

    tests = {task.id: [test(task.id)] for task in work.stage.tasks}
    return score_stage(work.stage, work.submission.student, tests, sandbox="none")


def test_build_says_what_it_wrote(course, capsys):
    assert run(["build"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "wrote assignments/01-coins/coins.py",
        "wrote notebooks/01-coins.ipynb",
        "wrote README.md",
    ]
    assert run(["build", "1"]) == 0
    assert capsys.readouterr().out == "everything is current\n"


def test_build_check_writes_nothing_and_names_what_is_stale(course, capsys):
    assert run(["build", "--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "assignments/01-coins/coins.py: missing; run `hearts build`",
        "notebooks/01-coins.ipynb: missing; run `hearts build`",
        "README.md: out of date; run `hearts build`",
    ]
    assert not (course.root / "assignments/01-coins/coins.py").exists()
    run(["build"])
    capsys.readouterr()
    assert run(["build", "--check"]) == 0
    assert capsys.readouterr().out == ""


def test_a_fault_of_a_stage_is_one_line(course, capsys):
    path = course.root / "assignments/01-coins/README.md"
    path.write_text("# Coins\n")
    assert run(["build"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"hearts: {path}:1: the brief begins with '# Coins'; write '# 01 ")
    assert err.count("\n") == 1


def test_build_patterns_grades_the_chaffs_and_writes_what_each_fails(course, graded, capsys):
    path = course.root / "autograder/01-coins/patterns.json"
    path.write_text("{}\n")
    assert run(["build", "1", "--patterns", "--check"]) == 1
    assert capsys.readouterr().out == (
        "autograder/01-coins/patterns.json: out of date; run `hearts build 01-coins --patterns`\n"
    )
    assert path.read_text() == "{}\n"
    assert run(["build", "--patterns"]) == 0
    assert capsys.readouterr().out == "wrote autograder/01-coins/patterns.json\n"
    assert path.read_text() == FAILING
    assert run(["build", "--patterns"]) == 0
    assert capsys.readouterr().out == "autograder/01-coins/patterns.json is current\n"


def test_an_unknown_stage_is_misuse(course, capsys):
    assert run(["verify", "01-coin"]) == 2
    assert "did you mean 01-coins?" in capsys.readouterr().err


def test_new_says_what_to_do_next(course, capsys):
    assert run(["new", "08-moon"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "wrote assignments/08-moon/stage.toml"
    assert lines[-1] == "Edit them, then run `hearts build` and `hearts verify 08-moon`."
    assert run(["new", "08-sun"]) == 2
    assert "08-moon: already there; choose another number" in capsys.readouterr().err


def test_verify_prints_a_line_for_each_check(course, graded, capsys):
    run(["build"])
    capsys.readouterr()
    assert run(["verify"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ok     course: every folder and notebook belongs to a stage"
    assert lines[-3] == "ok     01-coins: every mutant is killed or listed as equivalent"
    assert lines[-1] == "18 checks, no problems"
    assert all(line.startswith("ok     ") for line in lines[:-2])


def test_verify_prints_a_line_for_each_problem(course, graded, capsys):
    run(["build"])
    (course.root / "assignments/01-coins/hints.md").unlink()
    capsys.readouterr()
    assert run(["verify", "01-coins", "--no-mutants"]) == 1
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("failed 01-coins: the four places match")
    assert lines[at + 1] == "       assignments/01-coins/hints.md: missing; write it or build it"
    assert lines[-1] == "17 checks, 2 problems"


def test_verify_grades_on_as_many_cores_as_it_is_told(course, graded):
    run(["build"])
    run(["verify", "--jobs", "3"])
    assert {jobs for _, jobs in graded} == {3}
    assert run(["verify", "--jobs", "0"]) == 2


def test_verify_stops_with_one_line_when_it_is_interrupted(course, capsys, monkeypatch):
    def grade_all(works, crew):
        raise KeyboardInterrupt
        yield

    run(["build"])
    monkeypatch.setattr(pool, "grade_all", grade_all)
    capsys.readouterr()
    assert run(["verify"]) == 130
    assert capsys.readouterr().err == "hearts: stopped; the same command continues from here\n"


def test_verify_names_a_package_that_is_missing(course, capsys, monkeypatch):
    monkeypatch.setattr(author, "REQUIRED", ("no_such_package",))
    assert run(["verify"]) == 1
    assert capsys.readouterr().err == (
        'hearts: `hearts verify` needs no_such_package; run `pip install "hearts-course[author]"`\n'
    )


@pytest.mark.parametrize("verb", [["build"], ["verify"], ["new", "08-moon"], ["sample", "x"]])
def test_a_student_s_installation_has_nothing_to_author(course, capsys, verb):
    shutil.rmtree(course.root / "solutions")
    assert run(verb) == 1
    assert capsys.readouterr().err == (
        f"hearts: {course.root}: no solutions here; run this in a checkout of the course\n"
    )


def test_sample_says_what_it_wrote_and_how_to_grade_it(course, tmp_path, capsys):
    run(["build"])
    capsys.readouterr()
    folder = tmp_path / "class"
    assert run(["sample", str(folder), "--stage", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"wrote 25 submissions of 25 students to {folder}",
        f"Grade them: hearts grade {folder} --out {folder}-graded",
    ]
    assert run(["sample", str(folder)]) == 2
    assert capsys.readouterr().err == f"hearts: {folder}: not empty; choose a new folder\n"
