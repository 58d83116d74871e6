"""Scores go into the tables that Canvas and Moodle write, and nothing else of these changes."""

import csv
import io
from dataclasses import replace

import pytest
from hearts_course.cli import export, run
from hearts_course.grading.final_scores import Adjustment, ManualScore, as_text
from hearts_course.grading.store import Record, Store
from hearts_course.lms.csv_table import CsvTable
from hearts_course.lms.marks import StageResults
from hearts_course.lms.moodle import fill_moodle
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


@pytest.fixture(name="place")
def _place(tmp_path, monkeypatch):
    course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr(export, "find_course", lambda: course)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def graded(place, *students, status=Status.GRADED):
    course = export.find_course()
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


def column(text, number):
    return [row[number] for row in cells(text)]


def changed(before, after):
    pairs = zip(cells(before), cells(after), strict=True)
    return {
        (i, j): new
        for i, (one, other) in enumerate(pairs)
        for j, (old, new) in enumerate(zip(one, other, strict=True))
        if old != new
    }


def test_a_gradebook_of_canvas_is_filled_in_and_else_stays_as_it_is(place, capsys):
    graded(place, "ada", "hoppergrace_1202", "jan2", "s102", "Nobody")
    status, out = filled(place, "canvas", CANVAS)
    assert status == 1
    assert out.startswith("\ufeffStudent,ID,")
    assert "\r\n" in out
    assert changed(CANVAS, out) == {
        (3, 5): "3",
        (4, 5): "2",
        (6, 5): "2",
        (7, 0): '\'="=cmd|calc"',
    }
    out, err = capsys.readouterr()
    assert f"{STAGE}: 3 scores into 'Coins (01-coins) (4711)'; 1 had another score there" in out
    assert "; rows without a result: 2\n" in out
    assert "01-coins of Nobody: no row has that number, login, address or name\n" in err
    assert "01-coins of s102: row 6 is excused in Canvas\n" in err
    assert "a spreadsheet would execute 1 of its cells; defused\n" in err
    assert err.count("\n") == 3


def test_what_was_filled_in_can_be_filled_in_again(place):
    graded(place, "ada")
    status, once = filled(place, "canvas", CANVAS)
    assert status == 0
    assert filled(place, "canvas", once.replace("\r\n", "\n")) == (0, once)


def test_canvas_may_part_names_and_write_in_another_way(place):
    graded(place, "Ada Lovelace")
    table = "LastName;FirstName;ID;SIS Login ID;Section;Münzen (9)\n"
    table += '    Points Possible;;;;;"3,00"\n'
    status, out = filled(
        place, "canvas", f"{table}Lovelace;Ada;7;x;A;\n", "--column", "01-coins=Münzen"
    )
    assert status == 0
    assert out.splitlines()[-1] == "Lovelace;Ada;7;x;A;1"


def test_a_worksheet_of_moodles_is_filled_in(place, capsys):
    graded(place, "ada", "jan1", "Jan Müller_503", "Jan Müller")
    status, out = filled(place, "moodle", MOODLE, ending="\n")
    assert status == 1
    assert changed(MOODLE, out) == {(1, 4): "3", (2, 4): "2"}
    err = capsys.readouterr().err
    assert "01-coins of Jan Müller: could be any of the rows 3, 4; name the student by" in err
    assert "01-coins of Jan Müller_503: row 4 may not be changed in Moodle\n" in err


def test_a_number_of_another_worksheet_is_nobody_here(place, capsys):
    graded(place, "Grace Hopper_501")
    status, out = filled(place, "moodle", MOODLE, ending="\n")
    assert (status, changed(MOODLE, out)) == (1, {})


def test_the_number_of_a_participant_alone_is_nobody(place, capsys):
    graded(place, "501")
    status, out = filled(place, "moodle", MOODLE, ending="\n")
    assert (status, changed(MOODLE, out)) == (1, {})
    assert "01-coins of 501: no row has that number, login" in capsys.readouterr().err


def test_a_number_in_a_login_is_no_participants(place):
    graded(place, "42", "Ada_42")
    table = "Login,ID number,Name,01-coins\nbob42,s1,Bob,\nada42,s2,Ada,\n"
    status, out = filled(place, "moodle", table)
    assert (status, column(out, 3)[1:]) == (1, ["", "2"])


def test_a_number_of_another_person_in_canvas_is_not_passed_over(place, capsys):
    graded(place, "hoppergrace_1201", "Ada Lovelace_501")
    status, out = filled(place, "canvas", CANVAS)
    assert (status, changed(CANVAS, out).keys()) == (1, {(7, 0)})
    assert "01-coins of hoppergrace_1201: no row has that number" in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["%2Dada", "%252Dada"])
def test_a_login_that_no_folder_can_have_is_found_again(place, folder):
    """A folder is called by it made safe, and the student by the folder's name made safe."""
    graded(place, folder)
    table = "Login,ID number,Name,01-coins\n-ada,s1,Ada,\n"
    status, out = filled(place, "moodle", table)
    assert (status, column(out, 3)[1:]) == (0, ["2"])


def test_a_german_worksheet_is_filled_in_in_german(place, capsys):
    graded(place, "ada", "jan1")
    status, out = filled(place, "moodle", GERMAN, ending="\n")
    assert status == 0
    assert changed(GERMAN, out) == {(1, 4): "50", (2, 4): "33,33"}
    assert "scaled from 6 points to the table's 100" in capsys.readouterr().out


def test_a_gradebook_of_moodles_is_filled_in(place):
    graded(place, "s100", "jan1@example.org")
    status, out = filled(place, "moodle", GRADEBOOK)
    assert status == 0
    assert column(out, 4)[1:] == ["2", "2"]


@pytest.mark.parametrize("form", ["canvas", "csv"])
def test_a_score_that_awaits_points_is_said_to(place, capsys, form):
    graded(place, "ada", "ghopper")
    by = {("ada", STAGE): Adjustment((ManualScore("style", "Style", 2),))}
    put(place / "grades/.hearts", {"adjustments.json": as_text(by)})
    if form == "canvas":
        assert filled(place, form, CANVAS)[0] == 0
    else:
        assert run(["export", "grades", "--to", form]) == 0
    assert f"hearts: {STAGE}: awaits manual grading: 1 of 2\n" in capsys.readouterr().err


def test_the_class_as_a_table_is_no_formula(place, capsys):
    graded(place, "ada", "=1+1", "-5")
    assert run(["export", "grades", "--to", "csv", "--out", "there"]) == 0
    text = (place / "there/scores.csv").read_text()
    assert text == ("student,01-coins,total,max_total\n-5,2,2,6\n'=1+1,2,2,6\nada,3,3,6\n")


def test_who_the_grader_failed_has_no_score(place, capsys):
    graded(place, "ada")
    graded(place, "bob", status=Status.GRADER_ERROR)
    assert run(["export", "grades", "--to", "csv"]) == 1
    assert "bob" not in (place / "grades/export/csv/scores.csv").read_text()
    assert "01-coins of bob: the grader failed, so there is no score; grade it" in (
        capsys.readouterr().err
    )


def test_where_the_grader_failed_for_all_there_is_nothing_to_fill_in(place, capsys):
    graded(place, "bob", status=Status.GRADER_ERROR)
    (place / "down.csv").write_text(CANVAS)
    assert run(["export", "grades", "--to", "canvas", "--into", "down.csv"]) == 2
    assert "hearts: grades: no scores, only faults; grade again\n" in capsys.readouterr().err


def test_the_column_of_another_stage_does_not_matter_to_a_worksheet(place):
    other = replace(export.find_course().stages[0], name="02-other")
    sheet = CsvTable("w.csv", tuple(map(tuple, cells(MOODLE))))
    stage = export.find_course().stages[0]
    marks = StageResults({stage.name: (stage, {"ada": result(export.find_course(), "ada", 2)})}, ())
    ((_, done),) = fill_moodle(sheet, marks, {other.name: "Status"})
    assert done.sheet.header[done.column] == "Grade"


def test_lines_that_end_as_on_an_old_mac_stay_so(place):
    graded(place, "ada")
    status, out = filled(place, "canvas", CANVAS, ending="\r")
    assert (status, changed(CANVAS, out)[3, 5]) == (0, "3")
    assert (out.count("\r"), out.count("\n")) == (CANVAS.count("\n"), 0)


def test_a_first_line_that_never_seems_to_end_is_no_csv(place, capsys):
    graded(place, "ada")
    (place / "t.csv").write_text(f"a,{'b' * 140_000}\n1,2\n")
    assert run(["export", "grades", "--to", "canvas", "--into", "t.csv"]) == 2
    assert capsys.readouterr().err.startswith("hearts: t.csv: no CSV (field larger than")


@pytest.mark.parametrize(
    ("arguments", "table", "message"),
    [
        (["--to", "canvas"], "", "--to canvas needs --into FILE"),
        (["--to", "csv", "--into", "t.csv"], "", "--into and --column are for canvas and moodle"),
        (["--to", "canvas", "--into", "none.csv"], "", "none.csv: No such file or directory"),
        (["--to", "canvas", "--into", "t.csv"], "\xff", "t.csv: no UTF-8 text"),
        (["--to", "canvas", "--into", "t.csv"], "", "t.csv: no table"),
        (["--to", "canvas", "--into", "t.csv"], MOODLE, "t.csv: no gradebook of Canvas's"),
        (["--to", "moodle", "--into", "t.csv"], "a,b\n1,2\n", "t.csv: no table of Moodle's"),
        (
            ["--to", "canvas", "--into", "t.csv"],
            CANVAS.replace("01-coins", "x"),
            "t.csv: no column for 01-coins; say which, as in --column '01-coins=TITLE': Coins (x)",
        ),
        (
            ["--to", "canvas", "--into", "t.csv", "--column", "1=Test"],
            CANVAS,
            "t.csv: no columns for 01-coins; say which",
        ),
        (
            ["--to", "moodle", "--into", "t.csv"],
            MOODLE.replace("Maximum Grade", "Scale"),
            "t.csv: graded by a scale; set the assignment to points in Moodle",
        ),
        (["--to", "canvas", "--into", "t.csv", "--out", "."], CANVAS, "t.csv: would be"),
        (["--to", "csv", "--stage", "02"], "", "no stage is called '02'"),
        (
            ["--to", "moodle", "--into", "t.csv", "--column", "x"],
            MOODLE,
            "--column 'x' is not STAGE=TITLE",
        ),
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


def test_without_results_there_is_nothing_to_export(place, capsys):
    assert run(["export", "grades", "--to", "csv"]) == 2
    assert "grades: no results here; name the folder that `hearts grade --out`" in (
        capsys.readouterr().err
    )


def test_two_folders_of_one_student_are_both_named(place, capsys):
    graded(place, "ada", "1201")
    status, out = filled(place, "canvas", CANVAS)
    assert (status, column(out, 5)[3]) == (1, "")
    assert "01-coins of 1201: row 4 would be ada, too; is it one person?" in capsys.readouterr().err


def test_a_stage_without_a_column_is_named(place, capsys):
    graded(place, "ada")
    other = replace(result(export.find_course(), "ada"), stage="09-gone")
    Store(place / "grades").results.save(Record(other, None))
    assert filled(place, "canvas", CANVAS)[0] == 1
    assert "09-gone of ada: the course has no such stage; left out" in capsys.readouterr().err
