"""Which attempt counts, and when it was handed in."""

import json
from itertools import count

import pytest
from hearts_course.submissions import model
from hearts_course.submissions.find import find_submissions
from hearts_course.submissions.read import read_found
from hearts_grader.grading.attempts import attempts_of, choose
from hearts_grader.grading.late_policy import load_policy
from hearts_grader.lms.groups import grouped
from tiny_class import STAGE, course_with_starter, put
from tiny_course import REFERENCE

IN_TIME = "2026-10-01 12:00:00 UTC\n"
LATE = "2026-10-03 12:00:00 UTC\n"
DATES = f"counts = 'latest-in-time'\npercent_per_day = 10\n[due]\n{STAGE} = 2026-10-02T12:00:00Z\n"


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path / "course")


@pytest.fixture
def same_letters(course, tmp_path, monkeypatch):
    """A program that is not the reference, but has the same receipt as the reference.

    Receipts have only one letter in these tests, so many programs have the same receipt.
    """
    monkeypatch.setattr(model, "RECEIPT_LETTERS", 1)

    def receipt(program):
        place = put(tmp_path / "tried/ada" / STAGE, {"coins.py": program})
        (path,) = find_submissions(place.parent.parent, course).paths
        return read_found(path).receipt

    wanted = receipt(REFERENCE)
    programs = (f"{REFERENCE}# {number}\n" for number in count())
    return next(program for program in programs if receipt(program) == wanted)


def test_a_late_program_does_not_take_the_time_of_one_with_the_same_letters(
    course, tmp_path, same_letters
):
    """A student can arrange that two receipts are equal, but not that two digests are."""
    root = put(tmp_path / "class", {f"ada/{STAGE}/coins.py": same_letters, "late.toml": DATES})
    put(root / "ada" / STAGE, {"timestamp.txt": LATE})
    first = {"coins.py": REFERENCE, "timestamp.txt": IN_TIME}
    put(root / f".hearts/attempts/ada/{STAGE}/first", first)
    notes = {f"ada/{STAGE}": {"order": "2"}, f"ada/{STAGE}/first": {"order": "1"}}
    put(root, {".hearts/collected.json": json.dumps(notes)})
    layout = find_submissions(root, course)
    policy = load_policy(course, root / "late.toml")
    attempts = attempts_of(layout, policy, {})
    layout, hand_ins = choose(layout, attempts, policy.counts, {})
    assert [attempt.late.days for attempt in attempts["ada", STAGE]] == [0, 1]
    assert layout.paths[0].path == root / f".hearts/attempts/ada/{STAGE}/first"
    assert hand_ins["ada", STAGE].counts == 1


def test_programs_of_a_group_with_the_same_letters_are_two_programs(course, tmp_path, same_letters):
    """Nothing shows which program came last, so a warning reports the difference."""
    groups = "group,student\np1,ada\np1,bob\n"
    root = put(tmp_path / "class", {"groups.csv": groups})
    for student, program in {"ada": REFERENCE, "bob": same_letters}.items():
        put(root / student / STAGE, {"coins.py": program})
    layout = grouped(find_submissions(root, course), course)
    assert any("nothing says whether ada and bob handed in last" in w for w in layout.warnings)
