"""`hearts grade` and nbgrader share a gradebook: scores go in, manual points come out."""

import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from hearts_course.cli import run
from hearts_course.course import Course
from hearts_course.errors import CourseError, UsageError
from hearts_grader.grading.final_scores import HandedIn
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from hearts_grader.nbgrader import gradebook
from hearts_grader.nbgrader.class_gradebook import ClassGradebook
from hearts_grader.nbgrader.gradebook import open_gradebook
from hearts_grader.nbgrader.sync import GradebookSync
from nbgrader.api import Gradebook
from nbgrader_courses import (
    LATE,
    WRONG,
    built_course,
    database,
    give,
    nbgraders_gradebook,
    submissions,
)
from surroundings import files_of_at_most
from tiny_class import STAGE, put, result
from tiny_course import MANUAL_TOML, REFERENCE, STAGE_TOML, write_course

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
WITHOUT_TOTAL = MANUAL_TOML.partition('[[task]]\nid = "total')[0]
ADA = ("ada", STAGE)
TWO_DAYS_LATE = datetime(2026, 10, 4, 12)


def grades(out):
    rows = csv.reader(io.StringIO((out / "grades.csv").read_text()))
    return {row[0]: row[2:5] for row in rows}


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_scores_go_into_the_gradebook_and_manual_points_come_out(kind, tmp_path, capsys):
    course = built_course(tmp_path / "course", STAGE_TOML=MANUAL_TOML)
    (course.root / "autograder/late.toml").write_text(LATE)
    for student, text in {"ada": REFERENCE, "eve": WRONG, "gus": "def"}.items():
        put(tmp_path / "class" / student / STAGE, {"coins.py": text})
    put(tmp_path / f"class/eve/{STAGE}", {"timestamp.txt": "2026-10-04 12:00:00 UTC\n"})
    out = tmp_path / "out"
    command = ["grade", str(tmp_path / "class"), "--out", str(out)]
    with database(kind, tmp_path) as url:
        assert run([*command, "--gradebook", url], course) == 0
        assert "awaits manual grading" in " ".join(capsys.readouterr().out.split())
        assert grades(out)["ada"] == ["6.0", "10", "graded"]
        assert grades(out)["eve"] == ["3.2", "10", "graded"]
        assert submissions(url) == {
            "ada": (6, 10, 0, True),
            "eve": (4, 10, 0.8, True),
            "gus": (0, 10, 0, True),
        }
        record = json.loads((out / f"results/ada/{STAGE}.json").read_text())
        assert (record["score"], record["max_score"]) == (6, 6)

        give(url, "ada", "manual-design", 3.5)
        give(url, "eve", "manual-design", 4)
        give(url, "eve", "check-worth", 2)
        assert run(["export", str(out), "--to", "csv"], course) == 0
        assert "ada,9.5" in (out / "export/csv/scores.csv").read_text()
        assert run(["export", str(out), "--to", "junit"], course) == 0
        assert 'value="9.5"' in (out / f"export/junit/ada/{STAGE}/junit.xml").read_text()

        assert run(command, course) == 0
        assert grades(out)["ada"] == ["9.5", "10", "graded"]
        assert grades(out)["eve"] == ["7.2", "10", "graded"]
        assert submissions(url)["eve"] == (9, 10, 1.8, False)
        assert run(command, course) == 0
        assert "nothing to grade" in capsys.readouterr().out

        with nbgraders_gradebook(url) as book:
            book.update_or_create_submission(STAGE, "eve", extension=timedelta(days=1))
        put(tmp_path / "class/ada" / STAGE, {"coins.py": WRONG})
        assert run(command, course) == 0
        assert grades(out)["ada"] == ["7.5", "10", "graded"]
        assert grades(out)["eve"] == ["8.1", "10", "graded"]


@pytest.fixture
def late(tmp_path):
    """A `GradebookSync`: ada submitted two days late, so its store has 2.4 of her 3 points."""
    course = write_course(tmp_path / "course")
    (course.root / "autograder/late.toml").write_text(LATE)
    sync = GradebookSync(Store(tmp_path / "out"), course)
    sync.store.results.save(Record(result(course, "ada"), None))
    sync.settle([result(course, "ada")], {ADA: HandedIn(TWO_DAYS_LATE)})
    return sync


@pytest.fixture
def manual(late):
    """The `GradebookSync` of `late`, after a person gave ada 1 point for the task `worth`."""
    give(late.gradebook.url, "ada", "check-worth", 1)
    assert [*late.refresh()] == []
    return late


def make_gradebook(url, create=True):
    with open_gradebook(url, create):
        pass


def test_only_graded_stages_join_the_course_whose_gradebook_it_is(tmp_path, monkeypatch):
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", programs)  # nbgrader calls alembic to make a gradebook
    # alembic reads paths with the locale's encoding, and the checkout's path may not be ASCII.
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    bank_toml = STAGE_TOML.replace("coins.py", "banks.py").replace('"worth"', '"rate"')
    put(tmp_path / "course/assignments/02-banks", {"stage.toml": bank_toml})
    course = write_course(tmp_path / "course")
    url = f"sqlite:///{tmp_path}/gradebook.db"
    with Gradebook(url, "cs101") as book:
        book.add_assignment("ps1")
    sync = GradebookSync(Store(tmp_path / "out"), course, url)
    sync.settle([result(course, "ada")], {ADA: HandedIn()})
    with Gradebook(url, "cs101") as book:
        course_by_assignment = {
            assignment.name: assignment.course_id for assignment in book.assignments
        }
    assert course_by_assignment == {"ps1": "cs101", STAGE: "cs101"}


def final_score(sync):
    return sync.store.load_final()[0][0].score


def settled_with(sync, toml, one=None):
    """Replace stage.toml, save ada's result in the gradebook, and return her score and maximum."""
    course = Course(write_course(sync.course.root, STAGE_TOML=toml).root)
    GradebookSync(sync.store, course).settle([one or result(course, "ada")], {})
    return submissions(sync.gradebook.url)["ada"][:2]


def test_a_gradebook_is_made_and_used_without_importing_nbgrader(late, tmp_path):
    script = (
        "import sys; from hearts_grader.nbgrader.gradebook import open_gradebook\n"
        f"with open_gradebook('sqlite:///{tmp_path}/new.db'): pass\n"
        f"with open_gradebook({late.gradebook.url!r}) as book: print(*book.entries())\n"
        "assert 'nbgrader' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{ADA}\n", "")


def test_a_gradebook_is_remembered(tmp_path, monkeypatch):
    store = Store(tmp_path)
    monkeypatch.chdir(tmp_path)
    for url, remembered in {
        "postgresql://a@c/d": "postgresql://a@c/d",
        "sqlite:///b.db": f"sqlite:///{tmp_path}/b.db",
    }.items():
        ClassGradebook(store, url).remember()
        assert ClassGradebook(store).url == remembered


@pytest.mark.parametrize("url", ["postgresql://a:secret@c/d", "postgresql://c/d?password=secret"])
def test_a_gradebook_with_a_password_has_to_be_named_again(url, late, capsys):
    ClassGradebook(late.store, url).remember()
    assert "secret" not in late.store.named_gradebook.read_text()
    export = ["export", str(late.store.root), "--to", "csv"]
    assert run(export, late.course) == 2
    assert ":***@c/d: its password is not kept; name it again" in capsys.readouterr().err
    usable = f"sqlite:///{late.store.gradebook}"
    assert run([*export, "--gradebook", usable], late.course) == 0


def test_an_export_without_the_gradebook_keeps_the_scores_saved_last(late, capsys):
    late.store.gradebook.unlink()
    assert run(["export", str(late.store.root), "--to", "csv"], late.course) == 0
    assert "gradebook.db: missing; the scores saved last still count" in capsys.readouterr().err
    assert final_score(late) == 2.4
    assert not late.store.gradebook.exists()


def test_an_export_keeps_late_penalties_that_another_gradebook_does_not_have(late, tmp_path):
    assert not late.store.named_gradebook.exists()
    other_url = f"sqlite:///{tmp_path}/other.db?timeout=5"
    make_gradebook(other_url)
    assert [*GradebookSync(late.store, late.course, other_url).refresh()] == []
    assert final_score(late) == 2.4


def test_an_emptied_gradebook_with_manual_points_is_refused(manual):
    manual.store.gradebook.write_bytes(b"")
    former_adjustments = manual.store.adjustments.read_text()
    for use in (manual.gradebook.check, lambda: [*manual.refresh()], lambda: manual.settle([], {})):
        with pytest.raises(CourseError, match="there is nothing in it"):
            use()
    assert manual.store.adjustments.read_text() == former_adjustments


def test_nothing_is_graded_without_the_gradebook_that_has_manual_points(manual):
    manual.gradebook.check()
    manual.store.gradebook.unlink()
    with pytest.raises(UsageError, match="missing, and the manual points with it"):
        manual.gradebook.check()
    ClassGradebook(manual.store, manual.gradebook.url).check()


def test_manual_points_are_not_dropped_without_nbgrader(manual, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)  # as if it were not installed
    with pytest.raises(UsageError, match="in a gradebook, which needs `pip install"):
        ClassGradebook(manual.store).check()


def test_late_penalties_stay_without_nbgrader(late, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)  # as if it were not installed
    results = [result(late.course, name) for name in ("ada", "bob")]
    ada, _ = GradebookSync(late.store, late.course).settle(results, {("bob", STAGE): HandedIn()})
    assert ada.score == final_score(late) == 2.4


def test_classes_that_share_a_gradebook_keep_their_late_penalties(late, tmp_path):
    other_class = GradebookSync(Store(tmp_path / "other"), late.course, late.gradebook.url)
    other_class.settle([result(late.course, "bob")], {})
    assert submissions(late.gradebook.url)["ada"][2] == 0.6


def test_changed_and_removed_tasks_count_as_they_are_now(late):
    assert settled_with(late, STAGE_TOML.replace("points = 2", "points = 7")) == (8, 11)
    assert settled_with(late, WITHOUT_TOTAL) == (2, 5)
    late.store.gradebook.unlink()  # now an old result goes into a new gradebook
    assert settled_with(late, WITHOUT_TOTAL, result(late.course, "ada")) == (2, 5)


def test_removed_manual_points_are_no_longer_awaited(late):
    settled_with(late, MANUAL_TOML)
    assert submissions(late.gradebook.url)["ada"][3]
    settled_with(late, STAGE_TOML)
    assert submissions(late.gradebook.url)["ada"][1::2] == (6, False)


def test_five_hundred_students_are_saved_in_seconds(tmp_path):
    course = write_course(tmp_path, STAGE_TOML=MANUAL_TOML)
    sync = GradebookSync(Store(tmp_path / "out"), course)
    sync.store.root.mkdir()
    sync.gradebook.check()  # makes the gradebook
    results = [result(course, f"student-{number}") for number in range(500)]
    begun = time.process_time()
    sync.settle(results, {})
    sync.settle(results, {})
    assert time.process_time() - begun < 5


def test_another_database_is_refused(tmp_path):
    for url in ("gradebook.db", "nonsense://x"):
        with pytest.raises(UsageError, match="not a gradebook's URL"):
            make_gradebook(url)
    with closing(sqlite3.connect(tmp_path / "my.db")) as connection:
        connection.execute("CREATE TABLE x (y)")
    with pytest.raises(CourseError, match="not a gradebook of nbgrader's"):
        make_gradebook(f"sqlite:///{tmp_path}/my.db")


def test_an_error_about_a_gradebook_is_one_line_without_its_password(tmp_path):
    with pytest.raises(CourseError, match="unable to open") as error:
        make_gradebook(f"sqlite:///{tmp_path}/no/folder/gradebook.db")
    assert "\n" not in str(error.value)
    for user in ("hearts:secret@127.0.0.1:1/x?", "127.0.0.1:1/x?password=secret&"):
        with pytest.raises(CourseError, match=r":\*\*\*@127") as error:
            make_gradebook(f"postgresql+psycopg://{user}connect_timeout=2")
        assert "secret" not in str(error.value)


def test_a_new_gradebook_has_the_tables_that_nbgrader_makes():
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        gradebook.create_tables_with_nbgrader(connection)
        _, *lines, _ = connection.connection.driver_connection.iterdump()
    engine.dispose()
    text = "\n".join(lines).replace(" \n", "\n") + "\n"
    assert gradebook.SQLITE_TABLES.read_text() == text


def test_a_gradebook_is_made_whole_or_not_at_all(tmp_path):
    url = f"sqlite:///{tmp_path}/gradebook.db"
    with files_of_at_most(50_000), pytest.raises(CourseError, match="disk"):
        make_gradebook(url)
    with pytest.raises(CourseError, match="there is nothing in it"):
        make_gradebook(url, create=False)
    make_gradebook(url)
    with nbgraders_gradebook(url) as book:
        assert book.assignments == []
