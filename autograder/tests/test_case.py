"""`hearts case`: why a student lost points in a task, for the instructor alone."""

import pytest
from hearts_course.cli import run
from hearts_course.course import Course
from tiny_class import STAGE, course_with_starter, put
from tiny_course import REFERENCE

WRONG = REFERENCE.replace("key=Purse.total", "key=lambda purse: -purse.total()")
CASE = ["case", "ada", STAGE, "total"]


@pytest.fixture(name="place")
def _place(tmp_path, monkeypatch):
    course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: Course(course.root))
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "class/ada" / STAGE, {"coins.py": WRONG})
    return tmp_path


def test_a_case_shows_hidden_questions_both_answers_and_both_programs(place, capsys):
    assert run([*CASE, "--submissions", "class", "--sandbox", "none"]) == 0
    out = capsys.readouterr().out
    assert "ada, 01-coins, task 3: Add up" in out
    assert "1 of 2 questions failed" in out
    assert "✗ The richest purse is worth most.  (test_coins_hidden.py::test_richest)" in out
    assert "richest([poor, rich]).total()" in out
    assert "came back    0" in out
    assert "expected     10" in out
    assert "return max(purses, key=lambda purse: -purse.total())" in out
    assert "return max(purses, key=Purse.total)" in out
    assert "10 if" not in out  # a line of another task


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "name the folder that you grade, with --submissions DIR"),
        (["--give", "1"], "--give needs --because TEXT, and excludes --take-back"),
        (["--give", "1", "--because", "x"], "--give and --take-back need --out DIR"),
        (["--give", "9", "--because", "x", "--out", "grades"], "--give 9: total has 1 point"),
        (["--give", "1", "--because", "x", "--out", "grades"], "no student is called 'ada'"),
    ],
)
def test_a_case_that_cannot_be_meant_is_refused(place, capsys, options, said):
    assert run([*CASE, *options]) == 2
    assert said in capsys.readouterr().err


def test_points_that_were_not_given_cannot_be_taken_back(place, capsys):
    assert run(["grade", "class", "--out", "grades", "--sandbox", "none"]) == 0
    assert run([*CASE, "--out", "grades", "--take-back"]) == 2
    assert "overrides.csv: gives ada no points for total" in capsys.readouterr().err
