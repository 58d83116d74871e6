"""`check` and `hint` in a notebook show a readable result and raise no error."""

from pathlib import Path

import pytest
from hearts_course import (
    check,
    compare,
    explain,
    hint,
    progress,
    reset,
    save_work,
    show_table,
    submit,
)
from hearts_course.cli import run as run_command
from hearts_course.course import INSTALLED
from hearts_course.errors import UsageError
from hearts_course.files import zipped
from hearts_course.student import jupyter
from hearts_course.student.saved import load_everything
from hearts_course.student.state import StudentState, load_state, state_text
from hearts_course.student.workspace import find_workspace
from hearts_course.student.workspace import start_workspace as grow
from hearts_course.submissions.read import read_packed
from hearts_grader.authoring.notebook import build_notebook, notebook_text, solve
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from student_course import REFERENCE, start_workspace, student_course, two_stages, use
from surroundings import files_of_at_most
from tiny_class import put
from tiny_course import STAGE_TOML

LIMITS = "\n[limits]\ntest_seconds = 0.5\n"
CALLED = (check, compare, explain, hint, progress, reset, save_work, show_table, submit)
FIVE_PENCE = REFERENCE.replace("10 if", "5 if")


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    course = student_course(tmp_path / "course", STAGE_TOML=STAGE_TOML + LIMITS)
    use(course, monkeypatch)
    monkeypatch.chdir(tmp_path)
    jupyter._session.cache_clear()
    yield course
    jupyter._session.cache_clear()


@pytest.fixture
def workspace(course, tmp_path, monkeypatch):
    root = start_workspace(course, tmp_path / "mine").root
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def cell(capsys):
    """Return a function that runs a cell outside IPython.

    The function runs `program`, evaluates `last`, and returns the value and the output.
    """

    def run(last, program=""):
        names = {function.__name__: function for function in CALLED}
        names["__name__"] = "__main__"
        exec(program, names)
        value = eval(last, names)
        out, err = capsys.readouterr()
        assert err == ""
        return value, out

    return run


def test_a_check_adds_the_stage_that_it_opens(tmp_path, monkeypatch, cell):
    course = two_stages(tmp_path / "two")
    use(course, monkeypatch)
    jupyter._session.cache_clear()
    root = grow(course, tmp_path / "growing").root
    monkeypatch.chdir(root)
    (root / "coins.py").write_text(REFERENCE, encoding="utf-8")
    new = "• New: 02 Banks, `02-bank.ipynb` or `briefs/02-bank.md`"
    assert new in " ".join(cell('check("01-coins")', REFERENCE)[1].split())
    assert (root / "02-bank.ipynb").is_file()
    assert "New:" not in cell('check("01-coins")', REFERENCE)[1]


def test_a_task_begins_again_with_the_cell_that_a_notebook_shows(cell):
    out = cell('reset("purse")', REFERENCE)[1]
    assert out.startswith(
        "Paste this over the cell of class Purse. It also has the blanks of task 3:"
    )
    assert 'raise NotImplementedError("Task 2: A purse")' in out


def test_a_notebook_asks_about_its_program_and_shows_the_courses(cell, workspace, monkeypatch):
    (workspace / "coins.py").write_text(REFERENCE, encoding="utf-8")
    assert 'Explain it: explain("01-coins")' in cell('check("01-coins")', REFERENCE)[1]
    asked = cell('explain("01-coins")')[1]
    assert "Question 1. Your program, coins.py:" in asked
    assert 'explain("01-coins", "ab")' in asked
    assert "give one letter from a to d" in cell('explain("01-coins", "xyz")')[1]
    shown = cell('explain("01-coins", "b")')[1]
    assert shown.startswith("Yes, b. Every visible check still passes.")
    assert "The course's" in cell('compare("01-coins")')[1]
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert cell('explain("01-coins")') == (None, "")


def test_a_notebook_is_handed_in_and_all_work_moves_to_another_folder(
    cell, course, workspace, tmp_path, monkeypatch
):
    notebook = workspace / "01-coins.ipynb"
    assert "still the starter" in cell('submit("01-coins")')[1]
    notebook.write_text(notebook.read_text(encoding="utf-8").replace("Task 1", "My 1"))
    assert "Packed" in cell('submit("01-coins")')[1]
    assert "my-hearts.zip" in cell("save_work()")[1]
    saved, handed_in = ((workspace / "submissions" / n) for n in ("my-hearts.zip", "01-coins.zip"))
    other_root = start_workspace(course, tmp_path / "other").root
    assert load_everything(course, other_root, handed_in.read_bytes()) == {notebook.name: ""}
    assert (other_root / notebook.name).read_bytes() == notebook.read_bytes()
    (other_root / notebook.name).write_text("{}")
    former = {notebook.name: f"{notebook.name}.before-1"}
    assert load_everything(course, other_root, handed_in.read_bytes()) == former
    assert (other_root / "01-coins.ipynb.before-1").read_text() == "{}"
    state = other_root / ".hearts.json"
    assert load_everything(course, other_root, saved.read_bytes())[state.name] == ""
    state.write_text(state_text(StudentState(hints={"total": 2})))
    copies = load_everything(course, other_root, saved.read_bytes())
    assert load_state(other_root / copies[state.name])[0].hints == {"total": 2}
    monkeypatch.chdir(put(tmp_path, {"class/ada/my-hearts.zip": saved.read_bytes()}))
    assert run_command(["start", "home", "--work", str(saved)], course) == 0
    assert Path("home/01-coins.ipynb").read_bytes() == notebook.read_bytes()
    assert not list(Path("home").glob("*.before-*"))
    assert run_command(["collect", "class"], course) == 0
    collected = Path("submissions/ada/01-coins/my-hearts.zip").read_bytes()
    assert "def worth" in read_packed(collected, course.stages[0]).modules["coins"]
    damaged = bytearray(saved.read_bytes())
    damaged[200:260] = bytes(60)  # in the middle of a compressed file
    unsuitable = (
        (b"PK", "not a zip"),
        (bytes(damaged), "or it is damaged"),
        (zipped({"../coins.py": b""}), "holds no work"),
    )
    for data, words in unsuitable:
        with pytest.raises(UsageError, match=words):
            load_everything(course, other_root, data)


@pytest.mark.parametrize("folder", ["a" * 100, "my course " * 10])
def test_a_path_that_a_notebook_shows_is_not_broken(cell, course, tmp_path, monkeypatch, folder):
    workspace = start_workspace(course, tmp_path / folder.strip() / "mine").root
    monkeypatch.chdir(workspace)
    saved = workspace / "submissions/my-hearts.zip"
    assert cell("save_work()")[1] == f"{saved}\n"


@pytest.mark.proof
def test_whoever_learns_alone_has_hidden_checks_a_page_and_solutions(cell, tmp_path, monkeypatch):
    use(student_course(tmp_path / INSTALLED), monkeypatch)
    jupyter._session.cache_clear()
    root = start_workspace(jupyter.find_course(), tmp_path / "alone").root
    monkeypatch.chdir(root)
    assert "take its hints first" in cell('compare("purse", give_up=True)')[1]
    assert 'compare("purse", give_up=True)' in cell('hint("purse")')[1]
    assert "self._coins.append(coin)" in cell('compare("purse", give_up=True)')[1]
    poorest = REFERENCE.replace("max(", "min(")
    assert cell('check("total")', poorest)[0] == 1.0
    assert "1 of 2 checks pass" in cell('check("total", full=True)', poorest)[1]
    assert 'Next is task 2, A purse: check("purse")' in cell('check("worth")', poorest)[1]
    solved = solve(build_notebook(jupyter.find_course().stages[0]), {"coins": poorest})
    (root / "01-coins.ipynb").write_text(notebook_text(solved), encoding="utf-8")
    own_check = 'work_on("01") or check("01", full=True)'
    assert (
        "Your page: feedback/01-coins.html"
        in cell(own_check, "from hearts_course import work_on")[1]
    )
    page = (root / "feedback/01-coins.html").read_text(encoding="utf-8")
    assert "The richest purse is worth most." in page
    assert "return min(purses, key=Purse.total)" in page
    assert cell("progress()")[1].split("\n")[-4:] == [
        "✓ 1 What a coin is worth: passed",
        "✓ 2 A purse: passed",
        "✓ 3 Add up: passed",
        "",
    ]


def with_first_line(statement):
    """Return the reference with this statement before the worth of a coin is returned."""
    return REFERENCE.replace("return 10 if", f"{statement}; return 10 if")


NOISY = with_first_line("import sys; print('looking', file=sys.stderr)")


@pytest.mark.parametrize(
    ("program", "points", "shown"),
    [
        (REFERENCE, 2.0, "✓ 1 What a coin is worth 2 of 2 points"),
        (FIVE_PENCE, 1.0, "came back 5 expected 10"),
        (FIVE_PENCE, 1.0, 'A hint: hint("worth")'),
        (FIVE_PENCE, 1.0, "a known mistake: “a dime is worth five”. Could that be it?"),
        ("", 0.0, "✗ 1 What a coin is worth"),
        ("Coin = 7", 0.0, "✗ 1 What a coin is worth"),
        (NOISY, 2.0, "looking"),
    ],
)
def test_a_check_returns_the_points_as_a_float(cell, program, points, shown):
    value, out = cell('check("worth")', program)
    assert (isinstance(value, float), value) == (True, points)
    assert shown in " ".join(out.split())


@pytest.mark.parametrize(
    ("purpose", "noted"), [("autograde", True), ("validate", False), ("", False)]
)
def test_under_nbgrader_autograde_a_check_says_that_it_is_not_the_grade(
    cell, monkeypatch, purpose, noted
):
    monkeypatch.setenv("NBGRADER_EXECUTION", purpose)
    value, out = cell('check("worth")', REFERENCE)
    assert value == 2.0
    assert out.startswith("This is not the grade: ") == noted


def test_under_nbgrader_validate_a_failing_check_is_an_error(cell, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert cell('check("worth")', REFERENCE)[0] == 2.0
    with pytest.raises(jupyter.NotYet) as error:
        cell('check("worth")', FIVE_PENCE)
    assert "  A dime is worth ten pence." in error.value._render_traceback_()
    with pytest.raises(jupyter.NotYet, match="did you mean worth"):
        cell('check("wort")')


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('check("wort")', "no stage or task is called 'wort'; did you mean worth?"),
        ('hint("wort")', "no stage or task is called 'wort'; did you mean worth?"),
        ("check()", 'say which task, as in check("worth"): worth, purse, total'),
        ('hint("01-coins")', 'say which task, as in hint("worth"): worth, purse, total'),
        ("check(3)", "there is no stage 3; the last one is 01-coins. Name a task by its id"),
        ("check([])", 'say which task, as in check("worth"): worth, purse, total'),
        ("check(print)", "no stage or task is called '<built-in function print>'; there are: "),
    ],
)
def test_a_call_that_names_no_task_is_a_message(cell, call, message):
    value, out = cell(call)
    assert value == (0.0 if call.startswith("check") else None)
    assert " ".join(out.split()).startswith(f"✗ {message}")


def test_without_a_task_the_latest_stage_is_checked_whole(cell):
    cell('check("worth")')
    value, out = cell("check()", REFERENCE)
    assert value == 6.0
    assert "6 of 6 points" in out


def test_hints_go_one_step_further_without_a_workspace(cell):
    texts = [cell('hint("worth")')[1] for _ in range(3)]
    steps = ["Hint 1 of 2" in texts[0], "Hint 2 of 2" in texts[1], "no more" in texts[2]]
    assert steps == [True] * 3


def test_hints_and_checks_are_remembered_in_the_workspace(cell, course, workspace):
    cell('hint("worth")')
    cell('check("worth")', with_first_line('hint("purse")'))
    state = find_workspace(course, workspace).state
    assert state.hints == {"worth": 1, "purse": 1}
    assert list(state.checks) == ["worth"]


def test_a_damaged_state_is_reported_once(cell, workspace):
    (workspace / ".hearts.json").write_text("{")
    value, out = cell('check("worth")', REFERENCE)
    assert (value, ".hearts.json was damaged" in out) == (2.0, True)
    assert "damaged" not in cell('check("worth")', REFERENCE)[1]


def test_a_workspace_that_cannot_be_written_to_stops_nothing(cell, workspace):
    state = (workspace / ".hearts.json").read_bytes()
    with files_of_at_most(100):
        assert cell('check("worth")', REFERENCE)[0] == 2.0
        assert "Hint 1 of 2" in cell('hint("worth")')[1]
    assert (workspace / ".hearts.json").read_bytes() == state


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("raise SystemExit", "raised"),
        ("raise BaseException", "raised"),
        ("1 / 0", "raised"),
        ("assert 0", "raised"),
        ("\n        while True: pass", "took longer than 0.5 s"),
        ("import signal; signal.raise_signal(2)", "✗ interrupted: the check did not finish"),
    ],
)
@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="needs alarms")
def test_a_program_that_does_not_return_is_a_failure(cell, statement, message):
    program = with_first_line(statement).replace("pass; return", "pass\n        return")
    value, out = cell('check("worth")', program)
    assert (value, message in out) == (0.0, True)


def test_an_error_of_the_course_itself_is_a_message(cell, monkeypatch):
    monkeypatch.setattr(jupyter, "report_on", lambda *_, **__: 1 / 0)
    value, out = cell('check("worth")')
    assert value == 0.0
    assert " ".join(out.split()) == (
        "✗ an error in the course itself, please report it: ZeroDivisionError: division by zero"
    )
    monkeypatch.setenv("HEARTS_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cell('check("worth")')


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def deal(:", "SyntaxError: invalid syntax (bridge.py, line 1)"),
        (None, "ModuleNotFoundError: No module named 'bridge'"),
    ],
)
def test_a_table_whose_program_cannot_be_imported(cell, tmp_path, monkeypatch, text, error):
    monkeypatch.syspath_prepend(str(tmp_path))
    if text is not None:
        (tmp_path / "bridge.py").write_text(text, encoding="utf-8")
    assert " ".join(cell('show_table("bridge")')[1].split()) == (
        f"✗ `bridge` cannot be imported ({error}); `import bridge` in a cell shows where"
    )


def test_ipython_shows_html_with_text_beside_it():
    shell = InteractiveShell.instance()
    shell.push({"check": check, "hint": hint})
    with capture_output() as captured:
        shell.run_cell(REFERENCE)
        value = shell.run_cell('check("worth")').result
        shell.run_cell('hint("worth")')
    InteractiveShell.clear_instance()
    assert value == 2.0
    checked = captured.outputs[0].data
    hinted = captured.outputs[-1].data
    assert checked["text/html"].startswith("<div ")
    assert "✓  1  What a coin is worth" in checked["text/plain"]
    assert hinted["text/markdown"].startswith("**Hint 1 of 2**")
    assert captured.stderr == ""


def test_an_example_of_the_brief_that_differs_is_shown_and_costs_no_points(cell, course, workspace):
    notebook = notebook_text(solve(build_notebook(course.stages[0]), {"coins": REFERENCE}))
    (workspace / "01-coins.ipynb").write_text(notebook, encoding="utf-8")
    brief = course.stages[0].assignment / "README.md"
    brief.write_text(brief.read_text().replace("worth\n10\n", "worth\n11\n"))
    points, shown = cell('work_on("01") or check("worth")', "from hearts_course import work_on")
    assert points == 2.0
    assert "passed, but an example differs" in shown
