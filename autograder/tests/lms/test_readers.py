"""Tables of manual points: divided among readers, never lost, compared if two readers give points.

A reader is a person who gives manual points.
"""

import csv

import pytest
from commands import hearts
from hearts_course.course import Course
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from hearts_grader.lms.manual import read_given
from tiny_class import STAGE, put, result
from tiny_course import MANUAL_TOML, write_course

STUDENTS = [f"s{number:02}" for number in range(20)]
TITLE = "Every class has one job"
READERS = 'readers = ["kim", "lee"]\nsecond_percent = 30\n[section]\nevening = "kim"\n'


@pytest.fixture(name="course")
def _course(tmp_path, monkeypatch):
    course = Course(write_course(tmp_path / "course", STAGE_TOML=MANUAL_TOML).root)
    monkeypatch.chdir(tmp_path)
    hand_in(course, *STUDENTS)
    evening = ", ".join(f'"{name}"' for name in STUDENTS[:4])
    put(tmp_path, {"assistants.toml": READERS})
    put(course.root / "autograder", {"late.toml": f"[section.evening]\nstudents = [{evening}]\n"})
    return course


def hand_in(course, *students):
    for student in students:
        Store(course.root / "../grades").results.save(Record(result(course, student), None))


def rows(path):
    with path.open(encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def give(path, **points):
    table = rows(path)
    lines = ["student,stage,title,points,comment"]
    for student, row in table.items():
        lines.append(f"{student},{STAGE},{TITLE},{points.get(student, row['points'])},")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_an_empty_table_is_written_and_points_in_it_stay(course, tmp_path, capsys):
    assert hearts("export", "grades", "--to", "manual") == 0
    path = tmp_path / "grades/manual/manual.csv"
    assert capsys.readouterr().out == "grades/manual/manual.csv: 20 to read, 20 left\n"
    assert [row["points"] for row in rows(path).values()] == [""] * 20
    give(path, s03="2.5")
    assert hearts("export", "grades", "--to", "manual") == 0
    assert "20 to read, 19 left" in capsys.readouterr().out
    assert rows(path)["s03"]["points"] == "2.5"
    entries = read_given(Store(tmp_path / "grades"), course)
    assert {name: entry.given for name, entry in entries.items()} == {
        ("s03", STAGE): {"manual-design": 2.5}
    }


def test_readers_share_by_section_and_lot_and_keep_what_they_have(course, tmp_path, capsys):
    export = ["export", "grades", "--to", "manual", "--for", "assistants.toml"]
    folder = tmp_path / "grades/manual"
    assert hearts(*export) == 0
    kim = rows(folder / "kim.csv")
    lee = rows(folder / "lee.csv")
    assert set(STUDENTS[:4]) <= kim.keys()
    assert sorted([*kim, *lee]) == STUDENTS
    assert len(kim) == len(lee) == 10
    second = {name: rows(folder / f"{name}-second.csv") for name in ("kim", "lee")}
    assert second["lee"].keys() <= kim.keys()
    assert second["kim"].keys() <= lee.keys()
    students_of_lee = [*second["lee"]]
    assert 2 <= len(students_of_lee) + len(second["kim"]) <= 12  # about 30 percent of 20
    give(folder / "kim.csv", **dict.fromkeys(kim, "3"))
    give(folder / "lee-second.csv", **{students_of_lee[0]: "2", students_of_lee[1]: "3"})
    hand_in(course, "a-new-one")
    capsys.readouterr()
    assert hearts(*export) == 0
    out = capsys.readouterr().out
    assert "kim.csv: 10 to read, none left" in out or "kim.csv: 11 to read, 1 left" in out
    assert "two readers: 1 of 2 rows with the same points; they differ by 0.5 points" in out
    assert rows(folder / "kim.csv").keys() >= kim.keys()
    assert sorted([*rows(folder / "kim.csv"), *rows(folder / "lee.csv")]) == [
        "a-new-one",
        *STUDENTS,
    ]
    entries = read_given(Store(tmp_path / "grades"), course)
    assert {entry.given["manual-design"] for entry in entries.values()} == {3.0}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("readers = []", "readers: name at least one"),
        ('readers = ["kim"]\nsecond_percent = 5', "second_percent needs two readers"),
        ('readers = ["kim"]\n[section]\na = "lee"', "section: 'lee' is not among `readers`"),
        ('reader = ["kim"]', "unknown key 'reader'; did you mean 'readers'?"),
    ],
)
def test_wrong_readers_are_refused(course, tmp_path, capsys, text, complaint):
    put(tmp_path, {"assistants.toml": text})
    assert hearts("export", "grades", "--to", "manual", "--for", "assistants.toml") == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "grades/manual").exists()


def test_a_table_of_somebody_else_is_not_taken_over(course, tmp_path, capsys):
    assert hearts("export", "grades", "--to", "manual") == 0
    assert hearts("export", "grades", "--to", "manual", "--for", "assistants.toml") == 2
    assert "manual.csv is there, and manual is not among the readers" in capsys.readouterr().err
