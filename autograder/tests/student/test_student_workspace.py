"""A workspace: `hearts start` never overwrites anything, and no state is lost."""

import json

import pytest
from hearts_course.errors import UsageError
from hearts_course.student.progress import current_stage
from hearts_course.student.state import LastCheck, StudentState, load_state, save_state
from hearts_course.student.workspace import find_workspace, need_workspace, start_workspace
from student_course import save, student_course, two_stages

FILES = ("README.md", "briefs/01-coins.md", "coins.py", "01-coins.ipynb", "test_coins.py")
STATE = StudentState({"worth": 2}, {"worth": LastCheck(1, 2, 0.5)})


@pytest.fixture
def course(tmp_path):
    return student_course(tmp_path / "course")


def test_start_writes_all_files_into_one_folder(course, tmp_path):
    (course.stages[0].assignment / "sample-coins.txt").write_text("dime\n", encoding="utf-8")
    shared = ("coins-in-a-page.md", "pictures/coin.svg")
    (course.root / "assignments/pictures").mkdir()
    for name in (*shared, "README.md"):
        (course.root / "assignments" / name).write_text("A coin.", encoding="utf-8")
    started = start_workspace(course, tmp_path / "deep" / "mine")
    added = (FILES[0], *shared, *FILES[1:], "sample-coins.txt")
    assert (started.added, started.kept) == (added, ())
    (stage,) = course.stages
    assert (started.root / "coins.py").read_bytes() == (stage.assignment / "coins.py").read_bytes()
    assert (started.root / "01-coins.ipynb").read_bytes() == stage.notebook.read_bytes()
    assert (started.root / "briefs/01-coins.md").read_text(encoding="utf-8").startswith("# 01 Coi")


def test_the_guide_names_the_stages_and_the_commands(course, tmp_path):
    start_workspace(course, tmp_path / "mine")
    text = (tmp_path / "mine/README.md").read_text(encoding="utf-8")
    assert "| `01-coins` | Coins and purses |  | task 2 | [brief](briefs/01-coins.md) |" in text
    assert "`hearts check worth`" in text
    assert "{" not in text


def test_a_second_start_only_adds_missing_files(course, tmp_path):
    start_workspace(course, tmp_path)
    (tmp_path / "coins.py").write_text("mine", encoding="utf-8")
    (tmp_path / ".hearts.json").write_text('{"hints": {"worth": 1}, "checks": {}}')
    (tmp_path / "README.md").unlink()
    started = start_workspace(course, tmp_path)
    assert (started.added, started.kept) == (("README.md",), FILES[1:])
    assert (tmp_path / "coins.py").read_text(encoding="utf-8") == "mine"
    assert find_workspace(course, tmp_path).state.hints == {"worth": 1}


def test_start_does_not_write_through_a_dangling_link(course, tmp_path):
    (tmp_path / "coins.py").symlink_to(tmp_path / "elsewhere.py")
    assert "coins.py" in start_workspace(course, tmp_path).kept
    assert not (tmp_path / "elsewhere.py").exists()


@pytest.mark.parametrize("inside", ["", "mine", "assignments/01-coins", "../other/mine"])
def test_start_inside_a_checkout_of_the_course_is_refused(course, tmp_path, inside):
    for name in ("assignments", "solutions", "autograder"):
        (tmp_path / "other" / name).mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match="is inside the course itself; `hearts start DIR` elsewh"):
        start_workspace(course, course.root / inside)
    assert sorted(tmp_path.rglob("*")) == before


def test_start_inside_a_workspace_is_refused_unless_it_is_one_itself(course, tmp_path):
    inner = start_workspace(course, tmp_path / "mine" / "inner").root
    root = start_workspace(course, tmp_path / "mine").root
    with pytest.raises(UsageError, match=r"is inside your workspace .*mine; go there, or choose"):
        start_workspace(course, root / "briefs")
    assert not (root / "briefs" / "coins.py").exists()
    (inner / "coins.py").unlink()
    assert start_workspace(course, inner).added == ("coins.py",)


@pytest.mark.parametrize(
    ("folder", "problem"), [("mine", "File exists"), ("mine/deeper", "Not a directory")]
)
def test_a_file_where_a_folder_should_be_is_named(course, tmp_path, folder, problem):
    (tmp_path / "mine").write_text("")
    with pytest.raises(UsageError, match=f"{problem}; choose a folder that you can write to"):
        start_workspace(course, tmp_path / folder)


def test_the_current_stage_is_the_one_saved_last(tmp_path):
    course = two_stages(tmp_path / "course")
    root = start_workspace(course, tmp_path / "mine").root
    names = [current_stage(need_workspace(course, root)).name]
    for file, saved in [("bank.py", 1000), ("coins.py", 2000), ("bank.py", 3000)]:
        save(root / file, "x = 1\n", saved)
        names.append(current_stage(need_workspace(course, root)).name)
    assert names == ["01-coins", "02-bank", "01-coins", "02-bank"]


CHECK = {
    **{"passed": 1, "tests": 2, "score": 0.5},
    **{"skipped": 0, "program": "", "untouched": False},
}


def test_a_saved_state_is_loaded_and_no_other_file_is_left(tmp_path):
    assert load_state(tmp_path / "s.json") == (StudentState(), "")
    save_state(tmp_path / "s.json", StudentState())
    save_state(tmp_path / "s.json", STATE)
    assert load_state(tmp_path / "s.json") == (STATE, "")
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]
    assert json.loads((tmp_path / "s.json").read_text(encoding="utf-8")) == {
        "version": 1,
        "hints": {"worth": 2},
        "checks": {"worth": CHECK},
        "full": {},
        "predicted": {},
        "given_up": [],
        "given": {},
    }


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"[" * 100_000,
        b'{"hints": [], "checks": {}}',
        b'{"hints": {"worth": "many"}, "checks": {}}',
        b'{"hints": {"worth": -5}, "checks": {}}',
        b'{"hints": {"worth": 1e400}, "checks": {}}',
        b'{"hints": {}, "checks": {"worth": {"passed": 1}}}',
        b'{"hints": {}, "checks": {"worth": 7}}',
    ],
)
def test_a_damaged_state_is_renamed_and_reported(tmp_path, damage):
    (tmp_path / "s.json").write_bytes(damage)
    note = "s.json was damaged; it is now s.json.damaged, and a new one began"
    assert load_state(tmp_path / "s.json") == (StudentState(), note)
    assert (tmp_path / "s.json.damaged").read_bytes() == damage
    assert load_state(tmp_path / "s.json") == (StudentState(), "")
