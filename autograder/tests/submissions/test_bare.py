"""A bare start is a starter without the outline of some tasks; commands accept it as a starter.

The outline is the classes and functions that show one way to divide the work.
"""

import ast
import json

import nbformat
import pytest
from hearts_course import cli
from hearts_course.course import Course, find_course
from hearts_course.errors import StageError
from hearts_course.notebook import modules_from_notebook
from hearts_course.python_source import definitions
from hearts_course.student import page, terminal
from hearts_course.student.compare import ROLES, comparison_text
from hearts_course.student.work import Form, find_work
from hearts_course.submissions.bare import bare_modules, bare_notebook
from hearts_course.submissions.read import read_submission
from hearts_course.submissions.untouched import untouched_tasks
from hearts_grader.authoring.notebook import solve
from student_course import student_course
from tiny_course import STAGE_TOML

COURSE = find_course()
STAGE = next(stage for stage in COURSE.stages if stage.bare)
FREE = {
    name
    for task in STAGE.tasks
    if task.id in STAGE.bare
    for name in task.blanks
    if name not in task.left_out  # the outline lacks the definitions in `left_out`
}
STARTS = {"given": STAGE.starter(), "bare": bare_modules(STAGE)}
OUTLINE = {"View", "Player", "Event"}  # the outline gives these classes, and no task asks for them


def defined(modules):
    return {name for text in modules.values() for name, _ in definitions(text)}


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Return the folder of a workspace with a bare start, which is the current folder."""
    assert cli.run(["start", str(tmp_path / "mine"), "--bare", STAGE.name]) == 0
    monkeypatch.chdir(tmp_path / "mine")
    return tmp_path / "mine"


def test_only_what_the_bare_tasks_need_is_left_out():
    starter = STAGE.starter()
    bare = bare_modules(STAGE)
    assert starter.keys() == bare.keys()
    assert {name.partition(".")[0] for name in defined(starter) - defined(bare)} - {"Deal"} == {
        name.partition(".")[0] for name in FREE | OUTLINE
    } - {"Deal"}
    assert {"Deal.play", "Seat.parse", "deal_scores", "hold"} <= defined(bare)
    assert "Deal.view" not in defined(bare)
    for text in bare.values():
        imported = {
            alias.name
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        assert imported.isdisjoint(OUTLINE | FREE)
        assert "    View  " not in text
    assert "# Tasks 8 and 9: what stands here is yours to design." in bare["console"]


def test_a_bare_start_counts_as_not_begun(root, capsys):
    assert untouched_tasks(STAGE, bare_modules(STAGE)) == {task.id for task in STAGE.tasks}
    for form in Form:
        assert not find_work(root, STAGE, form).changed
    assert cli.run(["submit", STAGE.name]) == 2
    assert "still the starter as it was handed out" in capsys.readouterr().err
    (root / "table.py").write_text(
        bare_modules(STAGE)["table"] + "\n\ndef new_game(people, seed):\n    return []\n"
    )
    touched = find_work(root, STAGE)
    assert touched.changed
    begun = {"repeat-a-game", "play-a-game"}  # students choose the names in `play-a-game`
    assert begun.isdisjoint(untouched_tasks(STAGE, touched.modules))


@pytest.mark.parametrize("written_to", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_own_tests_with_names_of_their_own_are_begun(start, written_to):
    named = "\n\ndef test_a_heart_costs_a_point():\n    assert deal_scores([], [], [], []) == []\n"
    text = written_to["own_tests"] + named
    assert "test-the-table" in untouched_tasks(STAGE, start)
    assert "test-the-table" not in untouched_tasks(STAGE, start | {"own_tests": text})


def test_a_program_is_written_into_the_bare_notebook_and_read_before_bare_files(root):
    notebook = nbformat.from_dict(bare_notebook(STAGE))
    solved = solve(notebook, STAGE.reference())
    modules, _ = modules_from_notebook(json.loads(nbformat.writes(solved)), STAGE)
    assert defined(modules) == defined(STAGE.reference())
    (root / STAGE.notebook.name).write_text(nbformat.writes(solved), encoding="utf-8")
    assert read_submission(root, "ada", STAGE).modules == modules
    assert find_work(root, STAGE).form is Form.NOTEBOOK


def test_the_outline_comes_back_and_an_update_keeps_the_bare_start(root, capsys):
    bare_text = (root / "table.py").read_bytes()
    assert cli.run(["start", "."]) == 0
    assert cli.run(["start", "--bare", STAGE.name]) == 0
    assert (root / "table.py").read_bytes() == bare_text
    assert cli.run(["reset", STAGE.name, "--py"]) == 0
    assert "class View" in (root / "table.py").read_text(encoding="utf-8")
    (root / "console.py").write_text("mine = 1\n", encoding="utf-8")
    capsys.readouterr()
    assert cli.run(["start", "--bare", STAGE.name]) == 2
    assert capsys.readouterr().err.startswith("hearts: console.py: you have begun it; rename it")
    assert (root / "console.py").read_text(encoding="utf-8") == "mine = 1\n"
    assert "class View" in (root / "table.py").read_text(encoding="utf-8")


def test_a_stage_without_free_tasks_has_no_bare_start(root, capsys):
    first = COURSE.stages[0]
    assert bare_modules(first) == {}
    full_text = (root / first.files[0]).read_bytes()
    assert cli.run(["start", "--bare", first.name]) == 2
    assert "01-cards has no bare start: its tasks need the given outline" in capsys.readouterr().err
    assert (root / first.files[0]).read_bytes() == full_text


def test_a_bare_task_must_be_one_of_the_stage(tmp_path):
    toml = STAGE_TOML.replace("source =", 'bare = ["worht"]\nsource =', 1)
    with pytest.raises(StageError, match="bare = 'worht' is not a task of this stage"):
        print(Course(student_course(tmp_path, STAGE_TOML=toml).root).stages)


def test_the_role_cards_of_the_reference_are_compared_afterwards():
    text = comparison_text(STAGE, STAGE.tasks[:1], STAGE.reference())
    assert f"## {ROLES}\n" in text
    assert "| `Deal` | whose turn it is" in text


def test_a_learner_meets_the_fast_lane_in_the_workspace_and_where_the_stage_is_added(root):
    guide = " ".join((root / "README.md").read_text(encoding="utf-8").split())
    assert f"Begin on an empty page with `hearts start --bare {STAGE.name}`." in guide
    first = COURSE.stages[0]
    lines = [terminal.without_colour(line) for line in terminal.opened_text([first, STAGE])]
    assert lines[1:] == [
        f"  New: 04 {STAGE.title}: briefs/{STAGE.name}.md\n",
        f"    The fast lane: hearts start --bare {STAGE.name}\n",
    ]
    assert page.opened_markdown([first]).count("fast lane") == 0
    assert f"`hearts start --bare {STAGE.name}`" in page.opened_markdown([STAGE])
