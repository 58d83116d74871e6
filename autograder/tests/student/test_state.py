"""What the course remembers survives crashes, damage and strangers."""

import json

import pytest
from hearts_course.errors import CourseError
from hearts_course.student.state import Checked, StudentState, keep, recall
from student_course import files_of_at_most

MEMORY = StudentState({"worth": 2}, {"worth": Checked(1, 2, 0.5)})


def test_what_is_kept_is_recalled(tmp_path):
    keep(tmp_path / "m.json", MEMORY)
    assert recall(tmp_path / "m.json") == (MEMORY, "")


def test_no_file_is_an_empty_memory(tmp_path):
    assert recall(tmp_path / "m.json") == (StudentState(), "")


def test_nothing_else_is_left_in_the_folder(tmp_path):
    keep(tmp_path / "m.json", MEMORY)
    keep(tmp_path / "m.json", StudentState())
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


def test_a_crash_while_writing_leaves_the_former_memory(tmp_path, monkeypatch):
    keep(tmp_path / "m.json", MEMORY)
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        keep(tmp_path / "m.json", StudentState())
    assert recall(tmp_path / "m.json") == (MEMORY, "")


def test_on_a_full_disk_the_former_memory_stays_and_no_part_of_a_new_one(tmp_path):
    keep(tmp_path / "m.json", StudentState())
    with files_of_at_most(20), pytest.raises(CourseError, match="File too large"):
        keep(tmp_path / "m.json", MEMORY)
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]
    assert recall(tmp_path / "m.json") == (StudentState(), "")


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b"3",
        b'{"hints": [], "checks": {}}',
        b'{"hints": {"worth": "many"}, "checks": {}}',
        b'{"hints": {}, "checks": {"worth": {"passed": 1}}}',
        b'{"hints": {"worth": -5}, "checks": {}}',
        b'{"hints": {"worth": 1e400}, "checks": {}}',
        b'{"hints": {}, "checks": {"worth": 7}}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_moved_aside_and_said(tmp_path, damage):
    (tmp_path / "m.json").write_bytes(damage)
    memory, note = recall(tmp_path / "m.json")
    assert memory == StudentState()
    assert note == "m.json was damaged; kept it as m.json.damaged and began a new one"
    assert (tmp_path / "m.json.damaged").read_bytes() == damage
    assert recall(tmp_path / "m.json") == (StudentState(), "")


def test_the_file_is_made_to_be_read(tmp_path):
    keep(tmp_path / "m.json", MEMORY)
    assert json.loads((tmp_path / "m.json").read_text(encoding="utf-8")) == {
        "version": 1,
        "hints": {"worth": 2},
        "checks": {"worth": {"passed": 1, "tests": 2, "score": 0.5}},
    }
