"""`hearts grade`, a gradebook of nbgrader's, and what a person adds in it."""

import csv
import io
import json
import time
from datetime import datetime

import pytest
from desks import BY_HAND, STAGE, database
from hearts_course.authoring.build import build
from hearts_course.cli import run
from hearts_course.course import Course
from hearts_course.errors import CourseError, StageError, UsageError
from hearts_course.files import write_whole
from hearts_course.grading.final_scores import (
    Adjustment,
    LatePolicy,
    ManualScore,
    apply_all,
    load_policy,
    parse_time,
)
from hearts_course.grading.store import Record, Store
from hearts_course.nbgrader.gradebook import Gradebook
from hearts_course.nbgrader.sync import GradebookSync
from test_autograde import LATE, WRONG
from tiny_class import result
from tiny_course import REFERENCE, STAGE_TOML, write_course

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


def grades(out):
    rows = csv.reader(io.StringIO((out / "grades.csv").read_text()))
    return {row[0]: row[2:] for row in rows}


def give(url, student, cell, points):
    """As a person does in formgrader."""
    from nbgrader.api import Gradebook

    with Gradebook(url, "hearts") as book:
        grade = book.find_grade(cell, STAGE, STAGE, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def seen_by_nbgrader(url):
    from nbgrader.api import Gradebook

    with Gradebook(url, "hearts") as book:
        found = book.find_assignment(STAGE).submissions
        return {
            s.student.id: (s.score, s.max_score, s.late_submission_penalty, s.needs_manual_grade)
            for s in found
        }


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_points_go_into_the_gradebook_and_what_people_give_comes_out(
    kind, tmp_path, monkeypatch, capsys
):
    course = write_course(tmp_path / "course", STAGE_TOML=BY_HAND)
    build(course, course.stages)
    (course.root / "autograder/late.toml").write_text(LATE)
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    for student, text in {"ada": REFERENCE, "eve": WRONG, "gus": "def"}.items():
        folder = tmp_path / "class" / student / STAGE
        folder.mkdir(parents=True)
        (folder / "coins.py").write_text(text)
    (tmp_path / f"class/eve/{STAGE}/timestamp.txt").write_text("2026-10-04 12:00:00 UTC\n")
    out = tmp_path / "out"
    command = ["grade", str(tmp_path / "class"), "--out", str(out)]
    with database(kind, tmp_path) as url:
        assert run([*command, "--gradebook", url]) == 0
        assert "awaits manual grading" in " ".join(capsys.readouterr().out.split())
        assert grades(out)["ada"] == ["6.0", "10", "graded"]
        assert grades(out)["eve"] == ["3.2", "10", "graded"]
        assert seen_by_nbgrader(url) == {
            "ada": (6, 10, 0, True),
            "eve": (4, 10, 0.8, True),
            "gus": (0, 10, 0, False),
        }
        result = json.loads((out / f"results/ada/{STAGE}.json").read_text())
        assert (result["score"], result["max_score"]) == (6, 6)

        give(url, "ada", "manual-design", 3.5)
        give(url, "eve", "manual-design", 4)
        give(url, "eve", "check-worth", 2)
        assert run(["export", str(out), "--to", "csv"]) == 0
        assert "ada,9.5" in (out / "export/csv/scores.csv").read_text()
        assert run(["export", str(out), "--to", "junit"]) == 0
        assert 'value="9.5"' in (out / f"export/junit/ada/{STAGE}/junit.xml").read_text()

        assert run(command) == 0
        assert grades(out)["ada"] == ["9.5", "10", "graded"]
        assert grades(out)["eve"] == ["7.2", "10", "graded"]
        assert seen_by_nbgrader(url)["eve"] == (9, 10, 1.8, False)
        assert run(command) == 0
        assert "nothing to grade" in capsys.readouterr().out

        (tmp_path / f"class/ada/{STAGE}/coins.py").write_text(WRONG)
        assert run(command) == 0
        assert grades(out)["ada"] == ["7.5", "10", "graded"]


def test_without_a_name_the_gradebook_lies_beside_the_grades(tmp_path):
    course = write_course(tmp_path)
    store = Store(tmp_path / "out")
    settling = GradebookSync(store, course)
    store.root.mkdir()
    settling.settle([result(course, "ada", 1)], {})
    assert store.gradebook.exists()
    book = Gradebook(settling.url)
    assert set(book.entries()) == {("ada", STAGE)}
    book.close()
    assert not store.named_gradebook.exists()


def test_a_gradebook_is_remembered_but_no_password(tmp_path, monkeypatch):
    settling = GradebookSync(Store(tmp_path), write_course(tmp_path), "postgresql://a@c/d")
    settling._remember()
    assert GradebookSync(Store(tmp_path), settling.course).url == "postgresql://a@c/d"
    monkeypatch.chdir(tmp_path)
    GradebookSync(Store(tmp_path), settling.course, "sqlite:///b.db")._remember()
    assert GradebookSync(Store(tmp_path), settling.course).url == f"sqlite:///{tmp_path}/b.db"


@pytest.mark.parametrize("url", ["postgresql://a:secret@c/d", "postgresql://c/d?password=secret"])
def test_a_gradebook_whose_password_is_not_kept_has_to_be_named_again(url, tmp_path):
    store, course = Store(tmp_path), write_course(tmp_path)
    GradebookSync(store, course, "postgresql://old@c/d")._remember()
    GradebookSync(store, course, url)._remember()
    assert "secret" not in store.named_gradebook.read_text()
    with pytest.raises(UsageError, match=r":\*\*\*@c/d.* name it again with --gradebook"):
        _ = GradebookSync(store, course).url
    assert GradebookSync(store, course, "postgresql://a:b@c/d").url == "postgresql://a:b@c/d"


@pytest.fixture
def late(tmp_path, monkeypatch):
    """A folder in which ada's 3 points are 2.4, since she came two days late."""
    course = write_course(tmp_path / "course")
    (course.root / "autograder/late.toml").write_text(LATE)
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    store = Store(tmp_path / "out")
    store.results.save(Record(result(course, "ada"), None))
    settling = GradebookSync(store, course)
    settling.settle([result(course, "ada")], {("ada", STAGE): datetime(2026, 10, 4, 12)})
    return settling


def score(store):
    return store.load_final()[0][0].score


def test_an_export_keeps_what_counted_if_the_gradebook_is_gone(late, capsys):
    store = late.store
    store.gradebook.unlink()
    assert run(["export", str(store.root), "--to", "csv"]) == 0
    assert "gradebook.db: missing; the scores saved last" in capsys.readouterr().err
    assert score(store) == 2.4
    assert not store.gradebook.exists()


def test_a_gradebook_with_options_in_its_url_is_not_gone(late):
    assert GradebookSync(late.store, late.course, f"{late.url}?timeout=5").refresh() == ""


def test_a_gradebook_that_was_emptied_is_no_new_one(late):
    give(late.url, "ada", "check-worth", 1)
    late.refresh()
    late.store.gradebook.write_bytes(b"")
    before = late.store.adjustments.read_text()
    for use in (late.check, late.refresh, lambda: late.settle([], {})):
        with pytest.raises(CourseError, match="there is nothing in it"):
            use()
    assert late.store.adjustments.read_text() == before


def test_whom_a_gradebook_does_not_know_an_export_leaves_as_late_as_before(late, tmp_path):
    other = f"sqlite:///{tmp_path}/other.db"
    Gradebook(other).close()
    assert GradebookSync(late.store, late.course, other).refresh() == ""
    assert score(late.store) == 2.4


def test_an_export_can_be_told_the_gradebook_again(late, capsys):
    write_whole(late.store.named_gradebook, "postgresql://a:***@c/d")
    export = ["export", str(late.store.root), "--to", "csv"]
    assert run(export) == 2
    assert "its password is not kept" in capsys.readouterr().err
    assert run([*export, "--gradebook", f"sqlite:///{late.store.gradebook}"]) == 0


def test_nothing_is_graded_into_a_new_gradebook_if_that_with_points_by_hand_is_gone(late):
    late.check()
    give(late.url, "ada", "check-worth", 1)
    late.refresh()
    late.store.gradebook.unlink()
    with pytest.raises(UsageError, match="missing, and the manual points with it"):
        late.check()
    GradebookSync(late.store, late.course, late.url).check()


def test_without_sqlalchemy_points_by_hand_are_not_dropped(late, monkeypatch):
    give(late.url, "ada", "check-worth", 1)
    late.refresh()
    monkeypatch.setattr("hearts_course.nbgrader.sync.find_spec", lambda name: None)
    with pytest.raises(UsageError, match="in a gradebook, which needs `pip install"):
        GradebookSync(late.store, late.course).check()


def test_without_sqlalchemy_who_is_not_graded_this_time_stays_late(late, monkeypatch):
    monkeypatch.setattr("hearts_course.nbgrader.sync.find_spec", lambda name: None)
    settling = GradebookSync(late.store, late.course)
    results = [result(late.course, name) for name in ("ada", "bob")]
    ada, _ = settling.settle(results, {("bob", STAGE): None})
    assert ada.score == score(late.store) == 2.4


def test_classes_that_share_a_gradebook_keep_their_late_days(late, tmp_path):
    other = GradebookSync(Store(tmp_path / "other"), late.course, late.url)
    other.settle([result(late.course, "bob")], {})
    assert seen_by_nbgrader(late.url)["ada"][2] == 0.6


def test_a_task_that_is_worth_more_now_is_in_the_gradebook_too(late):
    course = write_course(
        late.course.root, STAGE_TOML=STAGE_TOML.replace("points = 2", "points = 7")
    )
    settling = GradebookSync(late.store, Course(course.root))
    settling.settle([result(settling.course, "ada")], {})
    assert seen_by_nbgrader(late.url)["ada"][:2] == (8, 11)


def test_a_task_that_is_no_more_counts_in_the_gradebook_no_longer(late):
    course = write_course(
        late.course.root, STAGE_TOML=BY_HAND.partition('[[task]]\nid = "total')[0]
    )
    settling = GradebookSync(late.store, Course(course.root))
    one = result(settling.course, "ada")
    settling.settle([one], {})
    assert seen_by_nbgrader(late.url)["ada"][:2] == (one.score, 5)


def test_points_by_hand_that_are_no_more_are_awaited_no_longer(tmp_path):
    store = Store(tmp_path / "out")
    store.root.mkdir()
    for toml in (BY_HAND, STAGE_TOML):
        course = Course(write_course(tmp_path / "course", STAGE_TOML=toml).root)
        settling = GradebookSync(store, course)
        settling.settle([result(course, "ada")], {})
    assert seen_by_nbgrader(settling.url)["ada"] == (3, 6, 0, False)


def test_a_result_of_former_tasks_goes_into_a_new_gradebook(late):
    former = result(late.course, "ada")
    write_course(late.course.root, STAGE_TOML=BY_HAND.partition('[[task]]\nid = "total')[0])
    late.store.gradebook.unlink()
    GradebookSync(late.store, Course(late.course.root)).settle([former], {})
    assert seen_by_nbgrader(late.url)["ada"][:2] == (2, 5)


def test_a_class_of_hundreds_is_kept_in_seconds(tmp_path):
    course = write_course(tmp_path, STAGE_TOML=BY_HAND)
    settling = GradebookSync(Store(tmp_path / "out"), course)
    settling.store.root.mkdir()
    results = [result(course, f"student-{number}") for number in range(500)]
    before = time.process_time()
    settling.settle(results, {})
    settling.settle(results, {})
    assert time.process_time() - before < 5


@pytest.mark.parametrize(
    ("hours", "days"), [(0, 0), (1, 0), (24, 0), (25, 1), (48, 1), (49, 2), (1000, 41)]
)
def test_each_day_begun_after_the_grace_counts(hours, days):
    policy = LatePolicy(grace_days=1, percent_per_day=10)
    assert policy.days(hours * 3600) == days
    assert policy.penalty(20, hours * 3600) == min(20, 2 * days)


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2015-02-02 14:58:23.948203 America/Los_Angeles", "2015-02-02 22:58:23.948203"),
        ("2015-02-02 14:58:23 UTC", "2015-02-02 14:58:23"),
        ("2015-02-02 14:58:23", "2015-02-02 14:58:23"),
        ("2015-02-02T14:58:23+01:00", "2015-02-02 13:58:23"),
        ("2015-02-02 14:58:23 +0100", "2015-02-02 13:58:23"),
        ("2015-02-02T14:58:23Z", "2015-02-02 14:58:23"),
    ],
)
def test_times_as_nbgrader_and_others_write_them(text, utc):
    from nbgrader.utils import parse_utc

    assert str(parse_time(text)) == utc
    if not text.endswith("+0100"):  # nbgrader takes that for 100 seconds
        assert str(parse_utc(text)) == utc


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2015-02-30 10:00:00", "2015-02-02 10:00:00 ../../etc", "9" * 200]
)
def test_what_is_no_time(text):
    with pytest.raises(ValueError, match=r"time|day is out|TZPATH"):
        parse_time(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("grace_days = ", "not TOML"),
        ("grace_day = 1", "unknown key 'grace_day'; did you mean 'grace_days'"),
        ("percent_per_day = 'ten'", "percent_per_day: expected float, not 'ten'"),
        ("percent_per_day = 120", "percent_per_day from 0 to 100"),
        ("[due]\n01-coins = 2026-10-01", "due.01-coins: expected datetime"),
        ("[due]\n01-coins = 2026-10-01T10:00:00", "write date, time and offset"),
    ],
)
def test_a_late_policy_that_cannot_be_meant(text, why, tmp_path):
    course = write_course(tmp_path)
    (tmp_path / "autograder/late.toml").write_text(text)
    with pytest.raises(StageError, match=why):
        load_policy(course)


def test_scores_that_are_spread_add_up(tmp_path):
    course = write_course(tmp_path)
    by_hand = (ManualScore("design", "Every class has one job", 4, 3.0),)
    adjustment = Adjustment(by_hand, {}, days_late=2, late_fraction=0.2)
    whole = adjustment.apply(result(course, "ada"), spread=True)
    assert whole.score == pytest.approx(sum(task.score for task in whole.tasks))
    assert (whole.max_score, whole.message) == (10, "2 days late, which costs 1.2")
    (plain,) = apply_all([result(course, "bob")], {("ada", STAGE): adjustment})
    assert plain == result(course, "bob")
