"""Scores are filled into tables of Canvas and Moodle, and nothing else in them changes."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from commands import hearts
from hearts_course.course import Course
from hearts_course.results import Status
from hearts_grader.grading.final_scores import Adjustment, ManualScore, adjustments_text
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from tiny_class import STAGE, course_with_starter, put, result
from transcripts import case_names, replay

CASES = Path(__file__).parent / "cases/export"


@pytest.fixture(autouse=True)
def _place(tmp_path, monkeypatch):
    course = course_with_starter(tmp_path / "course")
    stages = course.root / "assignments"
    shutil.copytree(stages / STAGE, stages / "02-other")
    monkeypatch.chdir(tmp_path)


def graded(arguments):
    """Save results in `grades`: 3 points for ada, and 2 points for each other student.

    In transcripts: `$ graded STUDENT ...`, perhaps with `--stage STAGE` or a status, such as
    `--missing`, before the students.
    """
    options = {f"--{status.value}": status for status in Status}
    status = Status.GRADED
    stage = STAGE
    if arguments[0] == "--stage":
        _, stage, *arguments = arguments
    elif arguments[0] in options:
        status, *arguments = options[arguments[0]], *arguments[1:]
    course = Course(Path("course"))
    for student in arguments:
        student_result = result(course, student, 2 if student == "ada" else 1, status)
        Store(Path("grades")).results.save(Record(replace(student_result, stage=stage), None))


def ungrade(arguments):
    shutil.rmtree("grades")


@pytest.mark.parametrize("name", case_names(CASES))
def test_what_is_exported_and_reported(capsys, name):
    replay(CASES / name, capsys, "course", graded=graded, ungrade=ungrade)


def test_nothing_else_in_a_table_changes(tmp_path):
    """The byte order mark and the line ends stay; a second export changes nothing."""
    graded(["ada"])
    table = (
        '\ufeffStudent,ID,Section,01-coins (7)\r\n    Points Possible,,,6\r\n"ada, x",1,"a\r\nb",'
    )
    (tmp_path / "down.csv").write_bytes(f"{table}\r\n".replace("ada, x", "Ada").encode())
    export = ["export", "grades", "--to", "canvas", "--into", "down.csv"]
    assert hearts(*export) == 0
    filled = (tmp_path / "grades/export/canvas/down.csv").read_bytes()
    assert filled.decode() == f"{table.replace('ada, x', 'Ada')}3\r\n".replace('"Ada"', "Ada")
    (tmp_path / "down.csv").write_bytes(filled)
    assert hearts(*export) == 0
    assert (tmp_path / "grades/export/canvas/down.csv").read_bytes() == filled


def test_scores_that_await_manual_points_are_counted(tmp_path, capsys):
    graded(["ada", "ghopper"])
    by = {("ada", STAGE): Adjustment((ManualScore("style", "Style", 2),))}
    put(tmp_path / "grades/.hearts", {"adjustments.json": adjustments_text(by)})
    assert hearts("export", "grades", "--to", "csv") == 0
    assert f"hearts: {STAGE}: awaits manual grading: 1 of 2\n" in capsys.readouterr().err


def test_a_table_with_a_huge_cell_is_refused(tmp_path, capsys):
    graded(["ada"])
    (tmp_path / "wide.csv").write_text(f"a,{'b' * 140_000}\n1,2\n")
    assert hearts("export", "grades", "--to", "canvas", "--into", "wide.csv") == 2
    assert capsys.readouterr().err.startswith("hearts: wide.csv: not CSV (field larger")
