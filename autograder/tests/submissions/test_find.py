import os

import pytest
from hearts_course.errors import UsageError
from hearts_course.submissions.find import find_submissions
from surroundings import closed
from tiny_class import put
from tiny_course import STAGE_TOML, write_course

ADA = "ada/01-coins/coins.py"
BOB = "bob/01-coins/coins.py"
LATIN = os.fsdecode(b"caf\xe9")
FOUND_ADA = "ada: ada/01-coins"
FOUND_BOB = "bob: bob/01-coins"


@pytest.fixture
def course(tmp_path):
    second = tmp_path / "course/assignments/02-banks/stage.toml"
    second.parent.mkdir(parents=True)
    second.write_text(STAGE_TOML.replace('"worth"', '"rate"').replace("coins.py", "banks.py"))
    return write_course(tmp_path / "course")


@pytest.fixture
def root(tmp_path):
    return tmp_path / "class"


def described(layout, root):
    paths = layout.paths
    return [f"{s.student}: {s.path.relative_to(root) if s.path else s.problem}" for s in paths]


NBGRADER = "the students are those in submitted, as in an nbgrader course"
CASES = {
    "a folder and a zip": (["ada/01-coins.zip", BOB], ["ada: ada/01-coins.zip", FOUND_BOB], []),
    "a folder counts before a zip": (
        [ADA, "ada/01-coins.zip"],
        [FOUND_ADA],
        ["01-coins.zip of ada was left out: there is a folder of that stage"],
    ),
    "nbgrader's layout": (
        ["submitted/ada/01-coins/coins.py", "submitted/ada/01-coins/timestamp.txt", "source/x"],
        ["ada: submitted/ada/01-coins"],
        [NBGRADER],
    ),
    "nbgrader's layout beside what looks like a student": (
        [
            "submitted/ada/01-coins/x",
            "nbgrader_config.py",
            "cards/01-coins/x",
            "release/01-coins/x",
        ],
        ["ada: submitted/ada/01-coins"],
        [NBGRADER],
    ),
    "nbgrader's layout beside other folders": (
        ["submitted/ada/01-coins/x", "source/01-coins/x", "exam/questions.md"],
        ["ada: submitted/ada/01-coins"],
        [NBGRADER],
    ),
    "an instructor's own assignment in nbgrader": (
        ["submitted/ada/01-coins/x", "submitted/ada/ps1/x", "submitted/ada/ps/x", "source/ps1/x"],
        ["ada: submitted/ada/01-coins"],
        [NBGRADER, "ps of ada is not a stage; there are: 01-coins, 02-banks"],
    ),
    "a student called submitted": (
        [ADA, "submitted/01-coins/coins.py"],
        [FOUND_ADA, "submitted: submitted/01-coins"],
        [],
    ),
    "a student called submitted who hands in a zip": (
        [ADA, "submitted/01-coins.zip", "submitted/late.toml"],
        [FOUND_ADA, "submitted: submitted/01-coins.zip"],
        ["late.toml of submitted is not a stage; there are: 01-coins, 02-banks"],
    ),
    "a student called submitted who hands in a class": (
        [ADA, "bob/coins.py", "submitted/eve/01-coins/coins.py", "submitted/late.toml"],
        [
            FOUND_ADA,
            "bob: coins.py is outside the folder 01-coins; move it there",
            "submitted: nothing was handed in for 01-coins; expected coins.py or 01-coins.ipynb",
        ],
        [
            "coins.py of bob is not a stage; did you mean 01-coins?",
            "eve of submitted is not a stage; there are: 01-coins, 02-banks",
            "late.toml of submitted is not a stage; there are: 01-coins, 02-banks",
        ],
    ),
    "a stage that one student has is graded for all": (
        [ADA, "bob/02-banks/banks.py"],
        [
            FOUND_ADA,
            "ada: nothing was handed in for 02-banks; expected banks.py or 02-banks.ipynb",
            "bob: nothing was handed in for 01-coins; expected coins.py or 01-coins.ipynb",
            "bob: bob/02-banks",
        ],
        [],
    ),
    "unknown folders": (
        ["ada/1-coins/coins.py", BOB, "bob/holidays/me.jpg"],
        ["ada: there is no 01-coins, but 1-coins; rename it to 01-coins", FOUND_BOB],
        [
            "1-coins of ada is not a stage; did you mean 01-coins?",
            "holidays of bob is not a stage; there are: 01-coins, 02-banks",
        ],
    ),
    "a file outside its folder": (
        ["ada/coins.py", BOB],
        ["ada: coins.py is outside the folder 01-coins; move it there", FOUND_BOB],
        ["coins.py of ada is not a stage; did you mean 01-coins?"],
    ),
    "clutter and loose files": (
        [ADA, "ada/__MACOSX/x", "ada/.ipynb_checkpoints/x", ".DS_Store", "grades.xlsx", ".no/x"],
        [FOUND_ADA],
        ["grades.xlsx is not a student's folder and was left out"],
    ),
    "control characters": (
        ["a\nb/01-coins/x", "-x/01-coins/x", "\x1b[31m/01-coins/x", "=1+1/01-coins/x"],
        [
            "%1B[31m: \x1b[31m/01-coins",
            "%2Dx: -x/01-coins",
            "=1+1: =1+1/01-coins",
            "a%0Ab: a\nb/01-coins",
        ],
        [],
    ),
    "a name that is not text": (
        [f"{LATIN}/01-coins/x"],
        [f"caf%E9: {LATIN}/01-coins"],
        [],
    ),
}


@pytest.mark.parametrize(("files", "expected_names", "warnings"), CASES.values(), ids=CASES)
def test_submissions_are_found_by_student_and_stage(course, root, files, expected_names, warnings):
    put(root, dict.fromkeys(files, ""))
    layout = find_submissions(root, course)
    warning_lines = [line.replace(f"{root}/", "") for line in layout.warnings]
    assert (described(layout, root), warning_lines) == (expected_names, warnings)
    assert layout.late_file is None
    if (root / "submitted/ada").exists():
        assert find_submissions(root / "submitted", course).paths == layout.paths


def test_stages_can_be_chosen_by_name_or_number(course, root):
    put(root, {ADA: "", "ada/02-banks/banks.py": ""})
    assert described(find_submissions(root, course, ["2"]), root) == ["ada: ada/02-banks"]
    with pytest.raises(UsageError, match="no stage is called '02-bank'; did you mean 02-banks"):
        find_submissions(root, course, ["02-bank"])


def test_a_student_s_linked_or_closed_folder_is_reported(course, root):
    put(root, {ADA: "", BOB: ""})
    (root / "eve").symlink_to("ada")
    with closed(root / "ada"):
        ada, bob, eve = find_submissions(root, course).paths
    assert "cannot be opened (Permission denied)" in ada.problem
    assert bob.problem == ""
    assert (eve.path, "symbolic link" in eve.problem) == (None, True)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (None, "class: No such file or directory; <student>/<stage>/ is expected in a folder"),
        ([], "class: nothing to grade; <student>/<stage>/ is expected"),
        (["ada/1-coins/x"], "class: nothing to grade; 1-coins of ada is not a stage; did"),
        (["01-coins/coins.py"], "class: contains 01-coins itself; give the folder above it"),
    ],
)
def test_a_folder_without_submissions_is_misuse(course, root, files, message):
    if files is not None:
        put(root, dict.fromkeys(files, ""))
    with pytest.raises(UsageError) as fault:
        find_submissions(root, course)
    assert message in str(fault.value)
