"""`hearts start` does not overwrite a student's files, and keeps the workspace's saved state."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from hearts_course.cli import run
from hearts_course.errors import UsageError
from hearts_course.files import write_whole
from hearts_course.student.progress import current_stage
from hearts_course.student.state import LastCheck, StudentState, load_state, save_state
from hearts_course.student.workspace import (
    find_workspace,
    given_digests,
    need_workspace,
    start_workspace,
    workspace_files,
)
from proofs import proofs_after
from student_course import REFERENCE, SECOND_STAGE, save, student_course, two_stages
from student_course import start_workspace as start_with_everything

FILES = ("README.md", "briefs/01-coins.md", "coins.py", "01-coins.ipynb", "checks/test_coins.py")
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
    added = (FILES[0], "briefs/coins-in-a-page.md", shared[1], *FILES[1:], "sample-coins.txt")
    assert (started.added, started.kept) == (added, ())
    (stage,) = course.stages
    assert (started.root / "coins.py").read_bytes() == (stage.assignment / "coins.py").read_bytes()
    assert (started.root / "01-coins.ipynb").read_bytes() == stage.notebook.read_bytes()
    assert (started.root / "briefs/01-coins.md").read_text(encoding="utf-8").startswith("# 01 Coi")


def test_the_guide_names_the_stages_and_the_commands(course, tmp_path):
    start_workspace(course, tmp_path / "mine")
    text = (tmp_path / "mine/README.md").read_text(encoding="utf-8")
    assert "| `01-coins` | Coins and purses |  | task 2 | 6 | " in text
    every_day, later = text.split("## Later")
    for command in ("check worth", "watch", "hint worth", "predict worth", "submit 01-coins"):
        assert f"| `hearts {command}`" in every_day
    assert "`hearts explain 01-coins`" in later
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
    paths_before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match="is inside the course itself; `hearts start DIR` elsewh"):
        start_workspace(course, course.root / inside)
    assert sorted(tmp_path.rglob("*")) == paths_before


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
    root = start_with_everything(course, tmp_path / "mine").root
    names = [current_stage(need_workspace(course, root)).name]
    for file, saved in [("bank.py", 1000), ("coins.py", 2000), ("bank.py", 3000)]:
        save(root / file, "x = 1\n", saved)
        names.append(current_stage(need_workspace(course, root)).name)
    assert names == ["01-coins", "02-bank", "01-coins", "02-bank"]


CLINIC = {
    name.replace("02-bank", "02-clinic").replace("bank.py", "their_bank.py"): text
    for name, text in SECOND_STAGE.items()
}
CLINIC["assignments/02-clinic/stage.toml"] = (
    SECOND_STAGE["assignments/02-bank/stage.toml"]
    .replace("bank.py", "their_bank.py")
    .replace('"savings"', '"their-savings"', 1)
    .replace("builds_on", 'clinic = "02-bank"\nbuilds_on')
)
CLINIC |= {"assignments/02-clinic/their_bank.py": "", "notebooks/02-clinic.ipynb": "{}"}
SECOND = {"02-bank.ipynb", "bank.py", "briefs/02-bank.md", "checks/test_bank.py"}


def files_in(root):
    paths = (path for path in root.rglob("*") if path.is_file() and path.name != ".hearts.json")
    return {path.relative_to(root).as_posix() for path in paths}


@pytest.fixture
def growing(tmp_path, monkeypatch):
    """Return a course of two stages, and the current folder, which is a new workspace."""
    course = two_stages(tmp_path / "course")
    started = start_workspace(course, tmp_path / "mine")
    assert [stage.name for stage in started.left] == ["02-bank"]
    monkeypatch.chdir(started.root)
    return course, started.root


def test_a_workspace_begins_with_the_first_stage_and_grows_when_its_core_passes(growing, capsys):
    course, root = growing
    assert files_in(root) == {*FILES}
    (root / "coins.py").write_text(REFERENCE, encoding="utf-8")
    tasks = course.stages[0].tasks
    core = [task.id for task in tasks if not task.elective]
    assert len(core) < len(tasks)  # the next stage does not wait for elective tasks
    for task in core:
        assert files_in(root) == {*FILES}
        run(["check", task], course)
    out = capsys.readouterr().out
    assert "\n  New: 02 Banks: briefs/02-bank.md\n" in out
    assert out.count("New: ") == 1
    assert files_in(root) == {*FILES} | SECOND
    run(["check", core[-1]], course)
    assert "New:" not in capsys.readouterr().out


def test_plain_hearts_adds_what_a_program_from_elsewhere_opens(growing, capsys):
    course, root = growing
    run([], course)
    assert "  1 more stage comes as you go on, or at once with `hearts next`.\n" in (
        capsys.readouterr().out
    )
    (root / "coins.py").write_text(REFERENCE, encoding="utf-8")
    run([], course)
    out = capsys.readouterr().out
    assert "  02 Banks" in out
    assert "  New: 02 Banks: briefs/02-bank.md\n" in out
    assert "more stage" not in out


def test_a_stage_whose_turn_has_not_come_is_added_when_asked(growing, capsys):
    course, root = growing
    assert run(["check", "02"], course) == 2
    assert capsys.readouterr().err == (
        "hearts: 02-bank is not in your workspace yet; `hearts next 02-bank` adds it\n"
    )
    for _ in range(2):
        assert run(["next"], course) == 0
    assert capsys.readouterr().out == (
        "  New: 02 Banks: briefs/02-bank.md\n"
        "All stages are in your workspace; `hearts start .` puts back a file that is missing.\n"
    )
    assert files_in(root) == {*FILES} | SECOND


def test_all_stages_are_added_when_asked_and_stay(growing):
    course, root = growing
    assert run(["start", "--all"], course) == 0
    assert files_in(root) == {*FILES} | SECOND
    (root / "checks/test_bank.py").unlink()
    assert start_workspace(course, root).added == ("checks/test_bank.py",)


def test_what_grows_replaces_nothing_that_the_student_has_put_there(growing):
    course, root = growing
    (root / "briefs/02-bank.md").write_text("my notes", encoding="utf-8")
    (root / "coins.py").write_text(REFERENCE, encoding="utf-8")
    (root / "bank.py").write_text("mine", encoding="utf-8")
    run(["check"], course)
    run(["next", "02"], course)
    start_workspace(course, root)
    assert (root / "bank.py").read_text(encoding="utf-8") == "mine"
    assert (root / "briefs/02-bank.md").read_text(encoding="utf-8") == "my notes"


def test_a_program_that_is_there_already_brings_the_rest_of_its_stage(tmp_path):
    course = two_stages(tmp_path / "course")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/bank.py").write_text("mine", encoding="utf-8")
    started = start_workspace(course, tmp_path / "mine")
    assert (started.left, started.kept) == ((), ("bank.py",))


def test_a_clinic_comes_after_its_stage(tmp_path):
    course = two_stages(tmp_path / "course", SECOND_STAGE | CLINIC)
    coins, bank, clinic = course.stages
    root = start_workspace(course, tmp_path / "mine").root
    for stage, left in ((coins, (clinic,)), (bank, ())):
        state, _ = load_state(root / ".hearts.json")
        passed = {task.id: LastCheck(1, 1, 1.0) for task in stage.core}
        save_state(root / ".hearts.json", replace(state, checks={**state.checks, **passed}))
        assert start_workspace(course, root).left == left


def test_a_workspace_of_an_earlier_release_keeps_its_checks_beside_the_programs(tmp_path):
    course = two_stages(tmp_path / "course")
    flat = {name.removeprefix("checks/"): text for name, text in workspace_files(course)}
    for name, text in flat.items():
        write_whole(tmp_path / "mine" / name, text)
    (tmp_path / "mine/.hearts.json").write_text(json.dumps({"given": given_digests(flat)}))
    (tmp_path / "mine/test_bank.py").unlink()
    (course.stages[0].assignment / "test_coins.py").write_text("corrected = True\n")
    started = start_workspace(course, tmp_path / "mine")
    assert started.replaced == ("test_coins.py",)
    assert started.added == ("checks/test_bank.py",)
    assert started.left == ()
    assert not (tmp_path / "mine/checks/test_coins.py").exists()


@pytest.mark.parametrize(
    "older", proofs_after(0, [False, True]), ids=["in-checks", "beside-the-programs"]
)
def test_plain_pytest_runs_the_visible_checks_from_any_folder(tmp_path, older):
    course = two_stages(tmp_path / "course")
    (course.stages[1].assignment / "sample-coins.txt").write_text("dime", encoding="utf-8")
    test = course.stages[1].assignment / "test_bank.py"
    reads = 'SAMPLE = Path(__file__).with_name("sample-coins.txt").read_text()'
    text = test.read_text(encoding="utf-8").replace('savings("dime")', "savings(SAMPLE)")
    test.write_text(f"from pathlib import Path\n\n{reads}\n{text}", encoding="utf-8")
    root = start_with_everything(course, tmp_path / "mine").root
    (root / "coins.py").write_text(REFERENCE, encoding="utf-8")
    (root / "bank.py").write_text(SECOND_STAGE["solutions/02-bank/bank.py"], encoding="utf-8")
    if older:
        for path in (root / "checks").iterdir():
            path.replace(root / path.name)
        (root / "checks").rmdir()
    places = [(root, "."), (tmp_path, "mine"), (root, "checks/test_bank.py::test_savings")]
    plugin = tmp_path / "fixtures_of_the_course.py"
    plugin.write_text(
        "from hearts_course.testing.plugin import fixtures\n"
        'globals().update(vars(fixtures({"coins", "bank"})))\n'
    )
    for folder, what in places[: 2 if older else 3]:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", plugin.stem, what],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert re.search(r"^\d+ passed", done.stdout, re.MULTILINE), done.stdout
    (root / "bank.py").write_text("def savings(face):\n    return 7\n", encoding="utf-8")
    assert (
        "1 failed"
        in subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", plugin.stem],
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
        ).stdout
    )


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
        "proven": {},
        "predicted": {},
        "catches": {},
        "given_up": [],
        "given": {},
        "grows": False,
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
