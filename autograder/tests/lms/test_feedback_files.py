"""Pages for students, named as Canvas, Moodle and a mail merge need them."""

import csv
import zipfile

import pytest
from commands import hearts
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from tiny_class import STAGE, course_with_starter, put, result, zipped

ADA = "lovelaceada_1201"


@pytest.fixture(name="place")
def _place(tmp_path, monkeypatch):
    course = course_with_starter(tmp_path / "course")
    monkeypatch.chdir(tmp_path)

    def graded(*students):
        store = Store(tmp_path / "grades")
        for student in students:
            store.results.save(Record(result(course, student), None))
            page = store.feedback.path(student, STAGE)
            put(page.parent, {page.name: f"page of {student}"})
        return tmp_path

    return graded


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_canvas_gets_each_page_under_the_name_of_the_latest_file(place, capsys):
    root = place(ADA, "eve")
    files = {f"{ADA}_88001_coins.py": "", f"{ADA}_88009_coins-1.py": ""}
    put(root, {"s.zip": zipped(files)})
    assert hearts("export", "grades", "--to", "canvas-comments", "--into", "s.zip") == 1
    assert members(root / f"grades/export/canvas-comments/{STAGE}.zip") == {
        f"{ADA}_88009_{STAGE}.html": f"page of {ADA}"
    }
    err = capsys.readouterr().err
    assert err == f"hearts: {STAGE} of eve: s.zip has no file of this student\n"


def test_moodle_gets_each_page_in_the_folder_of_the_student(place):
    root = place("Ada Lovelace")
    folder = "Ada Lovelace_501_assignsubmission_file"
    put(root, {"s.zip": zipped({f"{folder}/coins.py": ""})})
    assert hearts("export", "grades", "--to", "moodle-feedback", "--into", "s.zip") == 0
    assert members(root / f"grades/export/moodle-feedback/{STAGE}.zip") == {
        f"{folder}/{STAGE}.html": "page of Ada Lovelace"
    }


def test_a_download_of_another_platform_is_refused(place, capsys):
    root = place(ADA)
    put(root, {"s.zip": zipped({f"{ADA}_88001_coins.py": ""})})
    assert hearts("export", "grades", "--to", "moodle-feedback", "--into", "s.zip") == 2
    assert "s.zip: looks like Canvas; name the zip of submissions" in capsys.readouterr().err
    assert hearts("export", "grades", "--to", "moodle-feedback") == 2
    assert "needs --into FILE: the zip of submissions" in capsys.readouterr().err


def test_a_mail_merge_has_a_folder_of_pages_and_a_table(place, capsys):
    root = place("ada", "bob")
    put(
        root,
        {"Class.csv": 'Student,ID,SIS Login ID,Email\n"Lovelace, Ada",1,ada,ada@uni.example\n'},
    )
    put(root / "course/autograder", {"late.toml": 'roster = "../../Class.csv"\n'})
    assert hearts("export", "grades", "--to", "mail") == 1
    assert "hearts: bob: no address; name a roster in late.toml" in capsys.readouterr().err
    folder = root / "grades/export/mail"
    assert (folder / f"ada-{STAGE}.html").read_text() == "page of ada"
    with (folder / "mail.csv").open(encoding="utf-8") as file:
        ada, bob = csv.DictReader(file)
    assert ada == {
        "student": "ada",
        "name": "Ada Lovelace",
        "address": "ada@uni.example",
        "stage": STAGE,
        "score": "3",
        "max_score": "6",
        "file": f"ada-{STAGE}.html",
    }
    assert bob["address"] == ""
