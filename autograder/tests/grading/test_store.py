"""Results are saved whole and only inside the output folder, by one grader at a time."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hearts_course.errors import CourseError, UsageError
from hearts_course.results import Status
from hearts_grader.grading.cache import CacheKey
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store, claim
from surroundings import files_of_at_most
from tiny_class import STAGE, course_with_starter, result

KEY = CacheKey("submission", "suite", "limits", "tool")


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path / "course")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "out")


@pytest.fixture
def save(course, store):
    def save(student, *options, **more):
        record = Record(result(course, student, *options, **more), KEY)
        return store.results.save(record), record

    return save


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_result_is_read_whole_or_without_its_tasks(store, save):
    path, record = save("ada", 1, message='a "tasks": [', text="half \ud800")
    assert path == store.root / "results/ada/01-coins.json"
    assert store.results.read("ada", STAGE) == record
    expected = replace(record, result=replace(record.result, tasks=()))
    assert store.results.head("ada", STAGE) == expected


def test_the_head_may_hold_long_messages_of_rare_characters(store, save):
    _, record = save("ada", 1, message="\U0001f600" * 1500)
    assert store.results.head("ada", STAGE).result.message == record.result.message


def test_the_documented_keys_of_a_result_are_in_order(save):
    data = json.loads(save("ada", 1)[0].read_text())
    names = "student stage status message score max_score prerequisites sandbox key tasks"
    assert list(data) == names.split()
    assert list(data["key"]) == ["submission", "suite", "limits", "tool", "points"]
    assert list(data["tasks"][0]) == ["task", "title", "score", "max_score", "tests"]
    assert list(data["tasks"][0]["tests"][0]) == ["name", "topic", "hidden", "outcome", "message"]
    assert (data["status"], data["score"], data["prerequisites"]) == ("graded", 2.0, None)


@pytest.mark.parametrize(
    ("status", "used", "asked", "holds"),
    [
        (Status.GRADED, "bwrap", "auto", True),
        (Status.UNREADABLE, "bwrap", "bwrap", True),
        (Status.GRADED, "none", "none", True),
        (Status.GRADED, "none", "auto", False),
        (Status.GRADED, "bwrap", "landlock", False),
        (Status.GRADED, "bwrap", "none", False),
        (Status.GRADER_ERROR, "bwrap", "auto", False),
    ],
)
def test_a_result_is_current_only_in_the_requested_sandbox(course, status, used, asked, holds):
    record = Record(replace(result(course, "ada", status=status), sandbox=used), KEY)
    assert record.is_current(KEY, asked) is holds
    assert not record.is_current(replace(KEY, suite="another"), asked)


def test_of_the_messages_of_tests_only_the_programs_answers_are_loaded(store, save):
    ada, bob = (save(name, 1)[1].result for name in ("ada", "bob"))
    (first, second), faults = store.results.load()
    assert faults == ()
    assert (first.student, second.student) == ("ada", "bob")
    assert [t.outcome for t in first.tasks[0].tests] == [t.outcome for t in ada.tasks[0].tests]
    assert bob.tasks[0].tests[1].message.startswith("dime\n")
    assert first.tasks[0].tests[1].message == "  came back    5\n  expected     10"
    assert first.tasks[0].tests[1] is second.tasks[0].tests[1]


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "../../etc", "a\0b"])
def test_a_name_that_leaves_the_folder_is_refused(course, store, name):
    for odd in (result(course, name), replace(result(course, "ada"), stage=name)):
        record = Record(odd, KEY)
        for leave in (
            store.feedback.path,
            store.history_path,
            lambda *_, r=record: store.results.save(r),
        ):
            with pytest.raises(ValueError, match="cannot name a file"):
                leave(*record.name)
    assert not store.root.exists()


def test_a_failed_write_leaves_only_the_old_result(store, save, monkeypatch):
    _, old = save("ada", 2)

    def write_half(path, data):
        with path.open("wb") as file:
            file.write(data[:10])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", write_half)
        with pytest.raises(KeyboardInterrupt):
            save("ada", 0)
    assert store.results.read("ada", STAGE) == old
    assert files(store.root) == [f"results/ada/{STAGE}.json"]


def test_a_full_disk_is_one_line(store, save):
    with files_of_at_most(100), pytest.raises(CourseError) as fault:
        save("ada")
    assert str(fault.value) == (
        f"{store.root}/results/ada/{STAGE}.json: File too large; "
        "make room and run the same command again"
    )
    assert fault.value.exit_code == 1


def test_a_folder_that_cannot_be_written_is_misuse(store):
    store.root.write_text("I am a file")
    with pytest.raises(UsageError, match="choose a folder that you can write to"):
        store.begin()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b"{}\n", b"null"])
def test_a_damaged_result_is_reported_and_not_read(store, save, content):
    damaged, _ = save("ada")
    save("bob")
    damaged.write_bytes(content)
    results, faults = store.results.load()
    assert [result_read.student for result_read in results] == ["bob"]
    assert faults == (f"{damaged}: damaged; delete it and grade again",)
    assert store.results.head("ada", STAGE) is store.results.read("ada", STAGE) is None


def test_a_result_of_another_student_or_cut_short_is_not_read(store, save):
    ada = save("ada")[0]
    bob = save("bob")[0]
    ada.write_bytes(bob.read_bytes())
    bob.write_bytes(bob.read_bytes()[:-2])
    for name in ("ada", "bob"):
        assert store.results.head(name, STAGE) is store.results.read(name, STAGE) is None


def test_half_written_files_are_removed(store, save):
    save("ada")
    left = [".01-coins.json.7.part", "feedback/.x.part", ".hearts/pending/ada/.y.part"]
    for name in left:
        (store.root / name).parent.mkdir(parents=True, exist_ok=True)
        (store.root / name).write_text("half")
    store.begin()
    assert files(store.root) == [f"results/ada/{STAGE}.json"]


def test_the_folder_is_final_until_a_result_changes(store, save):
    path, _ = save("ada")
    assert not store.is_final()
    store.write_report("grades", "report", {})
    store.finalize()
    assert store.is_final()
    changes = (store.begin, store.grades.unlink, lambda: save("bob"), path.unlink)
    for change in (lambda: os.utime(path, (1, 1)), *changes):
        store.write_report("grades", "report", {})
        store.finalize()
        change()
        assert not store.is_final(), change


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "out").write_text("a file")
    with (
        pytest.raises(UsageError, match="choose another folder"),
        claim(tmp_path / "out/.hearts/lock", tmp_path / "out"),
    ):
        pass


def test_the_lock_holds_on_a_full_disk(tmp_path):
    path = tmp_path / "lock"
    with (
        files_of_at_most(0),
        claim(path, tmp_path),
        pytest.raises(UsageError, match="that has just started"),
        claim(path, tmp_path),
    ):
        pass
