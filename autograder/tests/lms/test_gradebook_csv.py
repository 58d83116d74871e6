"""Scores are filled into tables of Canvas and Moodle, and nothing else in them changes."""

import csv
import io
import shutil
from dataclasses import replace

import pytest
from hearts_course import cli
from hearts_course.cli import run
from hearts_course.course import Course
from hearts_course.grading.final_scores import Adjustment, ManualScore, adjustments_text
from hearts_course.grading.store import Record, Store
from hearts_course.results import Status
from tiny_class import STAGE, course_with_starter, put, result

# As lib/gradebook_exporter.rb of Canvas writes it: mark, hidden row, points, read-only totals.
CANVAS = '''\
\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Coins (01-coins) (4711),Quiz (4712),Final Score
,,,,,Manual Posting,,
    Points Possible,,,,,6.00,10.00,(read only)
"Lovelace, Ada",1201,s100,ada,CIS-101,,7.00,70.00
"Hopper, Grace",1202,s101,ghopper,CIS-101,5.00,7.00,70.00
"Müller, Jan",1203,s102,jan1,CIS-101,EX,,
"Müller, Jan",1204,s103,jan2,CIS-101,,-7,
"=""=cmd|calc""",1205,s104,eve,CIS-101,,,
"Student, Test",1299,,0a1b2c,CIS-101,,,
'''
# As Moodle's grading worksheet comes in English and in German.
MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 501","Ada Lovelace",ada@example.org,"Submitted for grading - ",,6.00,Yes,\
"Tuesday, 2 December 2025, 10:37 AM",-,
"Participant 502","Jan Müller",jan1@example.org,"No submission",,6.00,Yes,-,-,
"Participant 503","Jan Müller",jan2@example.org,"No submission",2.00,6.00,No,-,-,"See me"
"""
GERMAN = """\
ID,"Vollständiger Name",E-Mail-Adresse,Status,Bewertung,Bestwertung,\
"Bewertung kann geändert werden","Zuletzt geändert (Abgabe)","Zuletzt geändert (Bewertung)",\
"Feedback als Kommentar"
Teilnehmer/in501,"Ada Lovelace",ada@example.org,"Zur Bewertung abgegeben - ",,"100,00",Ja,\
"Dienstag, 2. Dezember 2025, 10:37",-,
Teilnehmer/in502,"Jan Müller",jan1@example.org,"Keine Abgabe",,"100,00",Ja,-,-,
"""
GRADEBOOK = """\
First name,Last name,ID number,Email address,Assignment: 01-coins (Real),Last downloaded
Ada,Lovelace,s100,ada@example.org,-,1764000000
Jan,Müller,s102,jan1@example.org,4.00,1764000000
"""
LOGINS = "Login,ID number,Name,01-coins\nbob42,s1,Bob,\nada42,s2,Ada,\n-eve,s3,Eve,\n"
DASH = {(3, 0): "'-eve"}  # and in the table of logins
EVE = {(7, 0): '\'="=cmd|calc"'}  # the only change in Canvas's table without scores


@pytest.fixture(name="place")
def _place(tmp_path, monkeypatch):
    course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr(cli, "find_course", lambda: course)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def graded(place, *students, status=Status.GRADED):
    course = cli.find_course()
    for student in students:
        one = result(course, student, 1 if student != "ada" else 2, status)
        Store(place / "grades").results.save(Record(one, None))


def filled(place, form, text, *more, ending="\r\n"):
    (place / "down.csv").write_bytes(text.replace("\n", ending).encode())
    status = run(["export", "grades", "--to", form, "--into", "down.csv", *more])
    out = (place / "grades/export" / form / "down.csv").read_bytes().decode()
    return status, out


def cells(text):
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def changed(before, after):
    """The new text of each cell that changed, by row and column."""
    pairs = zip(cells(before), cells(after), strict=True)
    return {
        (i, j): new
        for i, (one, other) in enumerate(pairs)
        for j, (old, new) in enumerate(zip(one, other, strict=True))
        if old != new
    }


def test_a_gradebook_of_canvas_is_filled_in_and_otherwise_unchanged(place, capsys):
    graded(place, "ada", "hoppergrace_1202", "jan2", "s102", "Nobody")
    status, out = filled(place, "canvas", CANVAS)
    assert status == 1
    assert out.startswith("\ufeffStudent,ID,")
    assert "\r\n" in out
    scores = {(3, 5): "3", (4, 5): "2", (6, 5): "2"}
    assert changed(CANVAS, out) == {**scores, (7, 0): '\'="=cmd|calc"'}
    said, err = capsys.readouterr()
    assert f"{STAGE}: 3 scores into 'Coins (01-coins) (4711)'; 1 had another score there" in said
    assert "; rows without a result: 2\n" in said
    assert "01-coins of Nobody: no row has that number, login, address or name\n" in err
    assert "01-coins of s102: row 6 is excused in Canvas\n" in err
    assert "a spreadsheet would execute 1 of its cells; defused\n" in err
    assert err.count("\n") == 3
    assert filled(place, "canvas", out.replace("\r\n", "\n")) == (1, out)


def test_canvas_may_separate_names_and_write_a_decimal_comma(place):
    graded(place, "Ada Lovelace")
    table = "LastName;FirstName;ID;SIS Login ID;Section;Münzen (9)\n"
    table += '    Points Possible;;;;;"3,50"\nLovelace;Ada;7;x;A;\n'
    status, out = filled(place, "canvas", table, "--column", "01-coins=Münzen")
    assert (status, out.splitlines()[-1]) == (0, "Lovelace;Ada;7;x;A;1,17")


@pytest.mark.parametrize(
    ("form", "table", "students", "scores", "lines"),
    [
        (
            *("moodle", MOODLE, ["ada", "jan1", "Jan Müller_503", "Jan Müller"]),
            {(1, 4): "3", (2, 4): "2"},
            [
                "Jan Müller: matches the rows 3, 4; name the student by",
                "Jan Müller_503: row 4 may not be changed in Moodle",
            ],
        ),
        ("moodle", MOODLE, ["Grace Hopper_501"], {}, ["Grace Hopper_501: no row"]),
        ("moodle", MOODLE, ["501"], {}, ["501: no row has that number, login"]),
        ("moodle", GERMAN, ["ada", "jan1"], {(1, 4): "50", (2, 4): "33,33"}, []),
        ("moodle", GRADEBOOK, ["s100", "jan1@example.org"], {(1, 4): "2", (2, 4): "2"}, []),
        ("moodle", LOGINS, ["42", "Ada_42"], {(2, 3): "2"} | DASH, ["42: no row"]),
        (
            "moodle",
            LOGINS,
            ["%2Deve"],
            {(3, 3): "2"} | DASH,
            [],
        ),  # a safe name, and one made safe twice
        ("moodle", LOGINS, ["%252Deve"], {(3, 3): "2"} | DASH, []),
        (
            *("canvas", CANVAS, ["hoppergrace_1201", "Ada Lovelace_501"], EVE),
            ["hoppergrace_1201: no row has that number", "Ada Lovelace_501: no row"],
        ),
        (
            *("canvas", CANVAS, ["ada", "1201"], EVE),
            ["1201: row 4 also matches ada; the same", "ada: row 4 also matches 1201; the same"],
        ),
    ],
)
def test_students_are_found_or_listed_but_never_guessed(
    place, capsys, form, table, students, scores, lines
):
    graded(place, *students)
    status, out = filled(place, form, table, ending="\n")
    assert (status, changed(table, out)) == (1 if lines else 0, scores)
    told = [line for line in capsys.readouterr().err.splitlines() if "defused" not in line]
    assert len(told) == len(lines)
    assert all(f"01-coins of {line}" in "\n".join(told) for line in lines)


def test_scores_are_scaled_to_the_points_of_the_table(place, capsys):
    graded(place, "ada")
    filled(place, "moodle", GERMAN)
    assert "scaled from 6 points to the table's 100" in capsys.readouterr().out


def test_a_worksheet_in_another_language_needs_the_titles_of_its_columns(place, capsys):
    graded(place, "Ada Lovelace")
    table = MOODLE.replace("Full name", "Nombre").replace("Grade,", "Calificación,")
    table = table.replace("Maximum Grade", "Máxima").replace("6.00", "12.00")
    titles = {"01-coins": "Calificación", "maximum": "Máxima", "name": "Nombre"}
    columns = [word for item in titles.items() for word in ("--column", "=".join(item))]
    status, out = filled(place, "moodle", table, *columns)
    assert (status, changed(table, out)) == (0, {(1, 4): "4"})
    put(place, {"t.csv": table})
    assert run(["export", "grades", "--to", "moodle", "--into", "t.csv", *columns[:2]]) == 2
    assert "say which, as in --column 'maximum=TITLE'" in capsys.readouterr().err


@pytest.mark.parametrize(("form", "table"), [("canvas", CANVAS), ("moodle", MOODLE)])
def test_a_missing_submission_leaves_its_cell_unless_it_counts_as_zero(place, capsys, form, table):
    missing = replace(result(cli.find_course(), "ada", 0, Status.MISSING), score=0.0)
    Store(place / "grades").results.save(Record(missing, None))
    status, out = filled(place, form, table, ending="\n")
    assert (status, changed(table, out)) == (0, EVE if form == "canvas" else {})
    assert "; nothing handed in: 1" in capsys.readouterr().out
    status, out = filled(place, form, table, "--missing-as-zero", ending="\n")
    assert status == 0
    assert "0" in changed(table, out).values()


@pytest.mark.parametrize("form", ["canvas", "csv"])
def test_scores_that_await_manual_points_are_counted(place, capsys, form):
    graded(place, "ada", "ghopper")
    by = {("ada", STAGE): Adjustment((ManualScore("style", "Style", 2),))}
    put(place / "grades/.hearts", {"adjustments.json": adjustments_text(by)})
    if form == "canvas":
        assert filled(place, form, CANVAS)[0] == 0
    else:
        assert run(["export", "grades", "--to", form]) == 0
    assert f"hearts: {STAGE}: awaits manual grading: 1 of 2\n" in capsys.readouterr().err


def test_the_table_of_a_class_holds_no_formula(place):
    graded(place, "ada", "=1+1", "-5")
    assert run(["export", "grades", "--to", "csv", "--out", "there"]) == 0
    text = (place / "there/scores.csv").read_text()
    assert text == "student,01-coins,total,max_total\n-5,2,2,6\n'=1+1,2,2,6\nada,3,3,6\n"


def test_a_student_for_whom_the_grader_failed_has_no_score(place, capsys):
    graded(place, "bob", status=Status.GRADER_ERROR)
    (place / "down.csv").write_text(CANVAS)
    assert run(["export", "grades", "--to", "canvas", "--into", "down.csv"]) == 2
    assert "hearts: grades: no scores, only faults; grade again\n" in capsys.readouterr().err
    graded(place, "ada")
    assert run(["export", "grades", "--to", "csv"]) == 1
    assert "bob" not in (place / "grades/export/csv/scores.csv").read_text()
    why = "01-coins of bob: the grader failed, so there is no score; grade it"
    assert why in capsys.readouterr().err


def test_the_column_of_another_stage_does_not_matter_to_a_worksheet(place, monkeypatch):
    course = cli.find_course()
    other = course.root / "assignments/02-other"
    shutil.copytree(course.root / f"assignments/{STAGE}", other)
    graded(place, "ada")
    monkeypatch.setattr(cli, "find_course", lambda: Course(course.root))
    status, out = filled(place, "moodle", MOODLE, "--column", "02-other=Status")
    assert (status, changed(MOODLE, out)) == (0, {(1, 4): "3"})


INTO = ["--into", "t.csv"]


@pytest.mark.parametrize(
    ("arguments", "table", "message"),
    [
        (["--to", "canvas"], "", "--to canvas needs --into FILE"),
        (["--to", "csv", *INTO], "", "--into, --column and --missing-as-zero are for canvas and"),
        (["--to", "canvas", "--into", "none.csv"], "", "none.csv: No such file or directory"),
        (["--to", "canvas", *INTO], "\xff", "t.csv: not UTF-8 text"),
        (["--to", "canvas", *INTO], "", "t.csv: not a table"),
        (["--to", "canvas", *INTO], f"a,{'b' * 140_000}\n1,2\n", "t.csv: not CSV (field larger"),
        (["--to", "canvas", *INTO], MOODLE, "t.csv: not a gradebook of Canvas's"),
        (["--to", "moodle", *INTO], "a,b\n1,2\n", "t.csv: not a table of Moodle's"),
        (
            ["--to", "canvas", *INTO],
            CANVAS.replace("01-coins", "x"),
            "t.csv: no column for 01-coins; say which, as in --column '01-coins=TITLE': Coins (x)",
        ),
        (
            ["--to", "canvas", *INTO, "--column", "1=Test"],
            CANVAS,
            "t.csv: no columns for 01-coins; say which",
        ),
        (
            ["--to", "moodle", *INTO],
            MOODLE.replace("Maximum Grade", "Scale"),
            "t.csv: graded by a scale; set the assignment to points in Moodle",
        ),
        (["--to", "canvas", *INTO, "--out", "."], CANVAS, "t.csv: would be"),
        (["--to", "csv", "--stage", "02"], "", "no stage is called '02'"),
        (["--to", "moodle", *INTO, "--column", "x"], MOODLE, "--column 'x' is not STAGE=TITLE"),
    ],
)
def test_misuse_is_one_line(place, capsys, arguments, table, message):
    graded(place, "ada")
    (place / "t.csv").write_bytes(table.encode("latin-1" if table == "\xff" else "utf-8"))
    assert run(["export", "grades", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"hearts: {message}")
    assert err.count("\n") == 1


def test_a_result_that_cannot_be_exported_is_reported(place, capsys):
    assert run(["export", "grades", "--to", "csv"]) == 2
    why = "grades: no results here; name the folder that `hearts grade --out`"
    assert why in capsys.readouterr().err
    graded(place, "ada")
    other = replace(result(cli.find_course(), "ada"), stage="09-gone")
    Store(place / "grades").results.save(Record(other, None))
    assert filled(place, "canvas", CANVAS)[0] == 1
    assert "09-gone of ada: the course has no such stage; left out" in capsys.readouterr().err
