import csv
import errno
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hearts_course.errors import CourseError, UsageFault
from hearts_course.grading.store import Store, grades_csv
from tiny_class import STAGE, course_with_starter, result


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path / "course")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "out")


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_result_is_read_back_as_it_was_written(course, store):
    saved = result(course, "ada", 1, message="coins.py counts")
    assert store.save(saved) == store.root / "results/ada/01-coins.json"
    assert store.load() == ((saved,), ())


def test_the_file_has_the_shape_that_design_lays_down(course, store):
    data = json.loads(store.save(result(course, "ada", 1)).read_text())
    assert list(data) == [
        "student",
        "stage",
        "status",
        "message",
        "score",
        "max_score",
        "prerequisites",
        "sandbox",
        "tasks",
    ]
    assert list(data["tasks"][0]) == ["task", "title", "score", "max_score", "tests"]
    assert list(data["tasks"][0]["tests"][0]) == ["name", "topic", "hidden", "outcome", "message"]
    assert (data["status"], data["score"], data["prerequisites"]) == ("graded", 2.0, None)


def test_everything_lies_where_design_lays_it(course, store):
    one = result(course, "ada")
    store.prepare()
    store.save(one)
    store.save_feedback(one, "<p>")
    store.save_grades([one])
    store.save_report("<p>")
    assert files(store.root) == [
        f"feedback/ada/{STAGE}.html",
        "grades.csv",
        "report.html",
        f"results/ada/{STAGE}.json",
    ]


def test_grades_are_a_table(course):
    text = grades_csv([result(course, "Müller, Ada", 1), result(course, "bob")])
    assert list(csv.reader(text.splitlines())) == [
        ["student", "stage", "score", "max_score", "status"],
        ["Müller, Ada", STAGE, "2.0", "6", "graded"],
        ["bob", STAGE, "3.0", "6", "graded"],
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "＝"])
def test_no_student_is_a_formula(course, start):
    text = grades_csv([result(course, start + 'cmd|"/c calc"!A1')])
    assert list(csv.reader(text.splitlines()))[1][0] == "'" + start + 'cmd|"/c calc"!A1'


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "../../etc", "a\0b"])
def test_no_name_leads_out_of_the_folder(course, store, name):
    for odd in (result(course, name), replace(result(course, "ada"), stage=name)):
        with pytest.raises(ValueError, match="cannot name a file"):
            store.save(odd)
    assert not store.root.exists()


def test_text_that_no_file_can_hold_is_spelt_out(course, store):
    odd = result(course, "ada", 0, text="half \ud800")
    store.save(odd)
    store.save_feedback(odd, "half \ud800")
    assert store.load() == ((odd,), ())
    assert (store.feedback / f"ada/{STAGE}.html").read_text() == "half \\ud800"


def test_a_broken_write_leaves_the_old_result_and_nothing_else(course, store, monkeypatch):
    old = result(course, "ada", 2)
    store.save(old)

    def write_half(path, text, **_):
        with path.open("w") as file:
            file.write(text[:10])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_text", write_half)
    with pytest.raises(KeyboardInterrupt):
        store.save(result(course, "ada", 0))
    monkeypatch.undo()
    assert store.load() == ((old,), ())
    assert files(store.root) == [f"results/ada/{STAGE}.json"]


def test_a_full_disk_is_one_line(course, store, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(CourseError) as fault:
        store.save(result(course, "ada"))
    assert str(fault.value) == (
        f"{store.root}: No space left on device; make room and run the same command again"
    )
    assert fault.value.exit_code == 1


def test_a_folder_that_cannot_be_written_is_found_before_grading(store):
    store.root.write_text("I am a file")
    with pytest.raises(UsageFault, match="choose another folder with --out"):
        store.prepare()


def test_damaged_results_are_named_and_the_others_read(course, store):
    ada, bob, cyd, dan = (store.save(result(course, name)) for name in ("ada", "bob", "cyd", "dan"))
    ada.write_text("{")
    cyd.write_text(bob.read_text())
    dan.write_bytes(b"\xff")
    results, faults = store.load()
    assert [found.student for found in results] == ["bob"]
    assert faults == tuple(f"{p}: damaged; delete it and grade again" for p in (ada, cyd, dan))


def test_an_empty_folder_has_no_results(store):
    assert store.load() == ((), ())
