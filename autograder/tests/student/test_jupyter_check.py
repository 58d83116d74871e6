"""`check` and `hint` in a notebook: a readable result, a bare float, never an error."""

import pytest
from hearts_course import check, hint, show_table
from hearts_course.student import jupyter
from hearts_course.student.workspace import find_workspace
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from student_course import REFERENCE, lay_out, student_course, use
from tiny_course import STAGE_TOML

LIMITS = "\n[limits]\ntest_seconds = 0.5\n"
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
def cell(capsys):
    """Run a notebook's code outside of IPython; its last value and what it printed come back."""

    def run(last, program=""):
        names = {"check": check, "hint": hint, "show_table": show_table, "__name__": "__main__"}
        exec(program, names)
        value = eval(last, names)
        out, err = capsys.readouterr()
        assert err == ""
        return value, out

    return run


@pytest.mark.parametrize(
    ("program", "points"),
    [(REFERENCE, 2.0), (FIVE_PENCE, 1.0), ("", 0.0), ("Coin = 7", 0.0)],
)
def test_the_value_is_the_points_as_a_bare_float(cell, program, points):
    value, out = cell('check("worth")', program)
    assert (type(value), value) == (float, points)
    assert "What a coin is worth" in out


def test_a_failure_shows_what_came_back_and_the_way_on(cell):
    out = cell('check("worth")', FIVE_PENCE)[1]
    for words in ("A dime is worth ten pence.", "came back    5", 'A hint: hint("worth")'):
        assert words in out


@pytest.mark.parametrize(
    ("purpose", "said"), [("autograde", True), ("validate", False), ("", False)]
)
def test_when_nbgrader_autogrades_a_check_says_that_it_is_not_the_grade(
    cell, monkeypatch, purpose, said
):
    monkeypatch.setenv("NBGRADER_EXECUTION", purpose)
    value, out = cell('check("worth")', REFERENCE)
    assert value == 2.0
    assert out.startswith("This is not the grade: ") == said
    if said:
        assert cell('check("wort")')[0] == 0.0


def test_when_nbgrader_validates_a_failing_check_is_an_error_that_says_what_it_says(
    cell, monkeypatch
):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert cell('check("worth")', REFERENCE)[0] == 2.0
    with pytest.raises(jupyter.NotYet) as said:
        cell('check("worth")', FIVE_PENCE)
    assert "  A dime is worth ten pence." in said.value._render_traceback_()
    with pytest.raises(jupyter.NotYet, match="did you mean worth"):
        cell('check("wort")')


def test_an_unknown_task_is_answered_with_the_right_one(cell):
    said = "✗ no stage or task is called 'wort'; did you mean worth?\n"
    assert cell('check("wort")') == (0.0, said)
    assert cell('hint("wort")') == (None, said)


@pytest.mark.parametrize("call", ["check(3)", "check(None)", "check(print)", "check([])"])
def test_nonsense_is_a_message_and_no_points(cell, call):
    value, out = cell(call)
    assert value == 0.0
    assert out.startswith("✗ ")


def test_without_a_task_the_latest_stage_is_checked_whole(cell):
    assert cell("check()") == (0.0, '✗ say which task, as in check("worth"): worth, purse, total\n')
    cell('check("worth")')
    value, out = cell("check()", REFERENCE)
    assert value == 6.0
    assert "6 of 6 points" in out


def test_a_hint_without_a_task_lists_them(cell):
    cell('check("worth")')
    assert cell("hint()")[1] == '✗ say which task, as in hint("worth"): worth, purse, total\n'


def test_hints_go_one_rung_further_without_a_workspace(cell):
    said = [cell('hint("worth")')[1] for _ in range(3)]
    assert ["Hint 1 of 2" in said[0], "Hint 2 of 2" in said[1], "no more" in said[2]] == [True] * 3


def test_hints_and_checks_are_remembered_in_the_workspace(cell, course, tmp_path, monkeypatch):
    monkeypatch.chdir(lay_out(course, tmp_path / "mine").root)
    cell('hint("worth")')
    cell('check("worth")', REFERENCE)
    workspace = find_workspace(course, tmp_path / "mine")
    assert workspace is not None
    assert workspace.memory.hints == {"worth": 1}
    assert workspace.memory.checks["worth"].complete


def test_a_hint_taken_during_a_check_is_remembered_too(cell, course, tmp_path, monkeypatch):
    monkeypatch.chdir(lay_out(course, tmp_path / "mine").root)
    cell('check("worth")', REFERENCE.replace("return 10 if", 'hint("purse"); return 10 if'))
    workspace = find_workspace(course, tmp_path / "mine")
    assert workspace is not None
    assert (workspace.memory.hints, list(workspace.memory.checks)) == ({"purse": 1}, ["worth"])


def test_a_damaged_memory_is_said_once(cell, course, tmp_path, monkeypatch):
    monkeypatch.chdir(lay_out(course, tmp_path / "mine").root)
    (tmp_path / "mine/.hearts.json").write_text("{")
    value, out = cell('check("worth")', REFERENCE)
    assert (value, ".hearts.json was damaged" in out) == (2.0, True)
    assert "damaged" not in cell('check("worth")', REFERENCE)[1]


def test_a_workspace_that_cannot_be_written_to_stops_nothing(cell, course, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.chdir(lay_out(course, tmp_path / "mine").root)
    monkeypatch.setattr("hearts_course.student.workspace.keep", refuse)
    assert cell('check("worth")', REFERENCE)[0] == 2.0
    assert "Hint 1 of 2" in cell('hint("worth")')[1]


def test_what_the_program_prints_stays_off_the_error_stream(cell):
    noisy = REFERENCE.replace(
        "return 10 if", "import sys; print('looking', file=sys.stderr); return 10 if"
    )
    value, out = cell('check("worth")', noisy)
    assert (value, "looking" in out) == (2.0, True)


@pytest.mark.parametrize(
    "ends", ["raise SystemExit", "raise KeyError('x')", "raise BaseException", "1 / 0", "assert 0"]
)
def test_a_program_that_ends_in_an_error_is_a_failure(cell, ends):
    value, out = cell('check("worth")', REFERENCE.replace("return 10 if", f"{ends}; return 10 if"))
    assert value == 0.0
    assert "raised" in out


LOOP = REFERENCE.replace("return 10 if", "while True: pass\n        return 10 if")


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="needs alarms")
def test_a_loop_is_ended_by_the_alarm(cell):
    value, out = cell('check("worth")', LOOP)
    assert value == 0.0
    assert "took longer than 0.5 s" in out


def test_an_interrupt_is_a_message(cell):
    """The kernel's interrupt comes while the student's code runs: here, the code sends it."""
    program = REFERENCE.replace(
        "return 10", "import signal; signal.raise_signal(2)\n        return 10"
    )
    value, out = cell('check("worth")', program)
    assert (value, out.startswith("✗ stopped before it was done")) == (0.0, True)


def test_our_own_fault_is_a_message_too(cell, monkeypatch):
    monkeypatch.setattr(jupyter, "report_on", lambda *_, **__: 1 / 0)
    value, out = cell('check("worth")')
    assert value == 0.0
    assert " ".join(out.split()) == (
        "✗ the course itself went wrong, please report it: ZeroDivisionError: division by zero"
    )
    monkeypatch.setenv("HEARTS_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cell('check("worth")')


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def deal(:", "SyntaxError: invalid syntax (bridge.py, line 1)"),
        (None, "ModuleNotFoundError: No module named 'bridge'"),
    ],
)
def test_a_table_that_cannot_be_imported_is_not_our_fault(cell, tmp_path, monkeypatch, text, what):
    monkeypatch.syspath_prepend(str(tmp_path))
    if text is not None:
        (tmp_path / "bridge.py").write_text(text, encoding="utf-8")
    out = cell('show_table("bridge")')[1]
    assert " ".join(out.split()) == (
        f"✗ `bridge` cannot be imported ({what}); `import bridge` in a cell shows where"
    )


@pytest.fixture
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def test_in_ipython_the_result_is_html_with_text_beside_it(shell):
    shell.push({"check": check, "hint": hint})
    with capture_output() as captured:
        shell.run_cell(REFERENCE)
        value = shell.run_cell('check("worth")').result
        shell.run_cell('hint("worth")')
    assert value == 2.0
    checked, hinted = captured.outputs[0].data, captured.outputs[-1].data
    assert checked["text/html"].startswith("<div ")
    assert "✓  1  What a coin is worth" in checked["text/plain"]
    assert hinted["text/markdown"].startswith("**Hint 1 of 2**")
    assert captured.stderr == ""
