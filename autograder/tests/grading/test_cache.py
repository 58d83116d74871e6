"""Which inputs change the cache key of a result."""

import os
import shutil

import pytest
from hearts_course.course import Course
from hearts_course.files import digest
from hearts_course.submissions.find import find_submissions
from hearts_grader.grading import cache
from hearts_grader.grading.cache import CacheKeys, submission_digest
from hearts_grader.grading.late_policy import hand_in_time
from surroundings import closed
from tiny_class import STAGE, course_with_starter, full_notebook, put, starter_notebook, zipped
from tiny_course import REFERENCE

SECOND = f"""
title = "More coins"
files = ["more.py"]
source = "none"
hours = "1"
builds_on = ["{STAGE}"]

[[task]]
id = "more"
title = "More"
points = 1
blanks = []
"""
LIMITS = "\n[limits]\ntest_seconds = 3.0\n"


@pytest.fixture
def root(tmp_path):
    """A folder with a course of two stages, and a class of one student, ada.

    The second stage builds on the first.
    """
    course_with_starter(tmp_path / "course")
    put(tmp_path / "course/assignments/02-more", {"stage.toml": SECOND, "more.py": ""})
    put(tmp_path / "course/solutions/02-more", {"more.py": ""})
    put(tmp_path / "class/ada", {f"{STAGE}/coins.py": REFERENCE, "02-more/more.py": "x = 1"})
    return tmp_path


@pytest.fixture
def now(root):
    """Yield a function that returns the present cache keys of ada's two submissions.

    The function's arguments go to `tool_digest`, to pretend that another tool grades.
    """

    def now(**tool):
        cache.tool_digest.cache_clear()
        course = Course(root / "course")
        layout = find_submissions(root / "class", course)
        cache_keys = CacheKeys(course, cache.tool_digest(**tool))
        return [cache_keys.of(slot) for slot in layout.paths]

    yield now
    cache.tool_digest.cache_clear()


def changed(before, after):
    return [new.changed(old) for old, new in zip(before, after, strict=True)]


def test_a_key_does_not_depend_on_times_or_places(root, now, tmp_path_factory):
    first_key = now()
    os.utime(root / f"class/ada/{STAGE}/coins.py", (1, 1))
    moved = tmp_path_factory.mktemp("elsewhere") / "course"
    shutil.copytree(root / "course", moved)
    shutil.rmtree(root / "course")
    (root / "course").symlink_to(moved)
    assert changed(first_key, now()) == [(), ()]


@pytest.mark.parametrize(
    ("path", "text", "first", "second"),
    [
        (f"class/ada/{STAGE}/coins.py", "", ("submission",), ("submission",)),
        (f"class/ada/{STAGE}/more.txt", "", ("submission",), ("submission",)),
        (f"class/ada/{STAGE}/.DS_Store", "", (), ()),
        ("class/ada/02-more/more.py", "", (), ("submission",)),
        (f"course/assignments/{STAGE}/test_coins.py", "", ("suite",), ()),
        (f"course/autograder/stages/{STAGE}/test_coins_hidden.py", "", ("suite",), ()),
        (f"course/autograder/stages/{STAGE}/games/wheat.py", "", ("suite",), ()),
        (f"course/assignments/{STAGE}/sample.txt", "", ("suite",), ()),
        (f"course/assignments/{STAGE}/README.md", "", (), ()),
        (f"course/autograder/stages/{STAGE}/chaffs.toml", "", (), ()),
        (f"course/autograder/stages/{STAGE}/alternatives/other/coins.py", "", (), ()),
        (f"course/solutions/{STAGE}/coins.py", "", ("suite",), ("suite",)),
        ("course/solutions/02-more/more.py", "#", (), ("suite",)),
        (f"course/notebooks/{STAGE}.ipynb", "", ("suite",), ("suite",)),
        (f"course/notebooks/{STAGE}.ipynb", f"{starter_notebook()} ", (), ()),
        ("course/assignments/02-more/stage.toml", SECOND + LIMITS, (), ("limits",)),
        (
            "course/assignments/02-more/stage.toml",
            SECOND.replace("points = 1", "points = 2"),
            (),
            ("points",),
        ),
        ("course/assignments/02-more/stage.toml", "# a note\n" + SECOND, (), ()),
    ],
)
def test_a_changed_file_changes_the_right_part_of_the_key(root, now, path, text, first, second):
    old_keys = now()
    put(root, {path: text})
    assert changed(old_keys, now()) == [first, second]


def test_the_alternatives_of_a_clinic_are_a_part_of_its_suite(root):
    about = SECOND.replace("more.py", "their_more.py").replace(
        "\n[[task]]", 'clinic = "02-more"\n[[task]]'
    )
    put(root / "course/assignments/02-clinic", {"stage.toml": about, "their_more.py": ""})
    put(root / "course/solutions/02-clinic", {"their_more.py": ""})
    course = Course(root / "course")
    clinic = course.stage("02-clinic")
    old_digest = cache.suite_digest(clinic, course)
    put(root / "course/autograder/stages/02-clinic/alternatives/other", {"their_more.py": "x = 1"})
    assert clinic.clinic
    assert cache.suite_digest(clinic, course) != old_digest


def test_another_tool_changes_every_key(now, tmp_path_factory):
    package = tmp_path_factory.mktemp("tool")
    old_keys = now(packages=(package,))
    assert changed(now(), old_keys) == [("tool",), ("tool",)]
    put(package, {"course_files/assignments/x.py": "", "__pycache__/x.pyc": "", "notes.md": ""})
    assert changed(old_keys, now(packages=(package,))) == [(), ()]
    put(package, {"sandbox/x.py": ""})
    assert changed(old_keys, now(packages=(package,))) == [("tool",), ("tool",)]
    assert changed(now(), now(python=(3, 99, 0))) == [("tool",), ("tool",)]


def test_the_tool_of_a_key_is_the_one_that_grades(root):
    course = Course(root / "course")
    (slot, _) = find_submissions(root / "class", course).paths
    assert CacheKeys(course).of(slot).tool == cache.tool_digest()


@pytest.mark.parametrize(
    "handed_in",
    [
        {f"{STAGE}/.nothing": ""},
        {f"{STAGE}/coins.py": "x"},
        {f"{STAGE}/coins.py": "y"},
        {f"{STAGE}/coin.py": "x"},
        {f"{STAGE}/{STAGE}.ipynb": full_notebook()},
        {f"{STAGE}.zip": zipped({"coins.py": "x"})},
        {f"{STAGE}.zip": b"no zip"},
        {f"{STAGE}/a.zip": zipped({"coins.py": "x"})},
    ],
    ids=str,
)
def test_each_submission_has_its_own_key(root, now, handed_in):
    first_key = now()[0]
    shutil.rmtree(root / "class/ada" / STAGE)
    put(root / "class/ada", {"02-more/more.py": "", **handed_in})
    assert now()[0].changed(first_key) == ("submission",)


def test_keys_of_unreadable_submissions_differ_by_the_reason(root, now):
    folder = root / "class/ada" / STAGE
    (folder / "coins.py").unlink()
    seen = []
    for make in (
        lambda path: os.mkfifo(path),
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.write_bytes(b"0" * (cache.MAX_FILE + 1)),
    ):
        make(folder / "coins.py")
        seen.append(now()[0].submission)
        (folder / "coins.py").unlink()
    folder.rmdir()
    folder.symlink_to("/")
    seen.append(now()[0].submission)
    assert len(set(seen)) == len(seen)


def test_a_closed_folder_has_a_key(root):
    slot = find_submissions(root / "class", Course(root / "course")).paths[0]
    open_digest = submission_digest(slot)
    with closed(slot.path.parent):
        assert submission_digest(slot) not in (open_digest, "")
        assert hand_in_time(slot.path) is None


def test_only_so_many_bytes_of_a_submission_are_hashed(root, now):
    folder = root / "class/ada" / STAGE
    for number in range(cache.MAX_HASHED // cache.MAX_FILE):
        (folder / f"large-{number}.txt").touch()
        os.truncate(folder / f"large-{number}.txt", cache.MAX_FILE)
    path = folder / "zzz.txt"
    path.write_text("one")
    os.utime(path, (1, 1))
    first_keys = now()
    path.write_text("two")
    os.utime(path, (1, 1))
    assert changed(first_keys, now())[0] == ()
    os.utime(path, (2, 2))
    assert changed(first_keys, now())[0] == ("submission",)


def test_digests_of_different_parts_differ():
    assert len({digest(), digest(""), digest("ab"), digest("a", "b"), digest("", "ab")}) == 5
    assert digest("half \udc80") != digest("half \ud800")
