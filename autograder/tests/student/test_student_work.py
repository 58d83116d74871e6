"""A student's program for a stage: file or notebook, its errors, its checks, and its zip."""

import json
import platform
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hearts_course import cli
from hearts_course.course import Course, Stage, Task, find_course
from hearts_course.errors import CourseError, UsageError
from hearts_course.misconceptions import pattern_of, patterns_text
from hearts_course.results import Prerequisites
from hearts_course.student.packing import pack_work, packed_before
from hearts_course.student.report import TERMINAL, report_on
from hearts_course.student.work import Form, find_work, last_change
from hearts_course.student.work_checks import check_work
from hearts_course.submissions.find import SubmissionPath, find_submissions
from hearts_course.submissions.read import read_found
from hearts_course.submissions.untouched import untouched_tasks
from hearts_grader.authoring.notebook import build_notebook, notebook_text, solve
from hearts_grader.grading.grade import GradeJob, grade_one
from student_course import (
    REFERENCE,
    save,
    start_workspace,
    student_course,
    two_stages,
    use,
)
from surroundings import files_of_at_most
from tiny_class import put

BANK = "from coins import Coin\n\n\ndef savings(face):\n    return Coin(face).worth\n"
FORMS = [(Form.PY, "coins.py"), (Form.NOTEBOOK, "01-coins.ipynb")]


@pytest.fixture
def stage(tmp_path):
    return student_course(tmp_path / "course").stages[0]


@pytest.fixture
def root(stage, tmp_path):
    return start_workspace(Course(stage.root), tmp_path / "mine").root


def test_a_file_that_hides_a_module_of_pythons_is_named(stage, root):
    assert find_work(root, stage, Form.PY).note == ""
    save(root / "random.py", "print('my dice')\n")
    assert find_work(root, stage, Form.PY).note == (
        "rename random.py: in this folder, `import random` imports it, "
        "and not Python's own module random"
    )


def save_notebook(root, stage, text=REFERENCE, saved=1000):
    notebook = solve(build_notebook(stage), {"coins": text})
    save(root / "01-coins.ipynb", notebook_text(notebook), saved)


def edit_cells(root, edit):
    data = json.loads((root / "01-coins.ipynb").read_bytes())
    edit(data["cells"])
    (root / "01-coins.ipynb").write_text(json.dumps(data), encoding="utf-8")


def drop_cells(root, *names):
    def drop(cells):
        cells[:] = [cell for cell in cells if cell["id"] not in names]

    edit_cells(root, drop)


@pytest.mark.parametrize("total", ["coin.worth for", "1 for"], ids=["passes", "fails"])
def test_a_mistake_in_one_task_is_named_if_the_tasks_below_pass(root, stage, total):
    def checked():
        course = Course(stage.root)
        task = stage.task("purse")
        result = check_work(course, root, find_work(root, stage), [task])
        return result, report_on(stage, result, where="", commands=TERMINAL, task=task)

    save(
        root / "coins.py", REFERENCE.replace("_coins.append(coin)", "_coins.append(coin); return 1")
    )
    known_pattern = pattern_of("returns the coins", "purse", checked()[0])
    stage.mistakes.write_text(patterns_text([known_pattern]), encoding="utf-8")
    program = REFERENCE.replace(
        "self._coins.append(coin)", "self._coins += [coin]\n        return 1"
    )
    save(root / "coins.py", program.replace("coin.worth for", total))
    (task,) = checked()[1].tasks
    assert task.failures
    assert ("returns the coins" in task.summary.mistake) is (total == "coin.worth for")


def test_a_new_workspace_has_the_unchanged_py_file(root, stage):
    work = find_work(root, stage)
    assert (work.form, work.where, work.changed, work.note) == (Form.PY, "coins.py", False, "")
    assert last_change(root, stage) is None


def test_the_changed_form_is_read(root, stage):
    save_notebook(root, stage)
    work = find_work(root, stage)
    assert (work.form, work.where, work.changed) == (Form.NOTEBOOK, "01-coins.ipynb", True)
    assert "10 if self.face" in work.modules["coins"]
    assert last_change(root, stage) == 1000


def test_running_a_notebook_does_not_change_it(root, stage):
    extra = {"cell_type": "code", "source": "1 / 0", "metadata": {}, "outputs": []}
    edit_cells(root, lambda cells: (cells[1].update(execution_count=7), cells.append(extra)))
    assert not find_work(root, stage, Form.NOTEBOOK).changed


@pytest.mark.parametrize(
    ("py", "notebook", "last", "older_form"),
    [(2000, 1000, "coins.py", "--notebook"), (1000, 2000, "01-coins.ipynb", "--py")],
)
def test_if_both_forms_changed_the_last_saved_is_read_with_a_note(
    root, stage, py, notebook, last, older_form
):
    save(root / "coins.py", REFERENCE, py)
    save_notebook(root, stage, saved=notebook)
    work = find_work(root, stage)
    assert work.where == last
    assert work.note.endswith(
        f"{last} is used, because it was saved last ({older_form} uses the other)"
    )
    assert last_change(root, stage) == 2000
    for form in Form:
        asked = find_work(root, stage, form)
        assert (asked.form, asked.note) == (form, "")


@pytest.mark.parametrize(("form", "name"), [*FORMS, (None, "coins.py")])
def test_a_missing_file_is_named(root, stage, form, name):
    (root / "coins.py").unlink()
    assert find_work(root, stage).form is Form.NOTEBOOK
    (root / "01-coins.ipynb").unlink()
    with pytest.raises(UsageError, match=f"^{name}: missing; `hearts start .` puts the starter"):
        find_work(root, stage, form)


def test_text_that_is_not_utf_8_is_named_with_its_line(root, stage):
    (root / "coins.py").write_bytes(b"x = 1\ny = '\xe9'\n")
    with pytest.raises(UsageError, match=r"^coins.py:2: not UTF-8 text; save it as UTF-8$"):
        find_work(root, stage)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"cells": 3}', "[" * 100_000])
def test_a_broken_notebook_is_reported_in_one_line(root, stage, text):
    (root / "01-coins.ipynb").write_text(text)
    with pytest.raises(UsageError, match=r"^01-coins.ipynb: not a notebook \(.*rename it") as error:
        find_work(root, stage)
    assert "\n" not in str(error.value)
    assert find_work(root, stage, Form.PY).form is Form.PY


def test_missing_cells_are_named(root, stage):
    drop_cells(root, "coins-purse")
    work = find_work(root, stage, Form.NOTEBOOK)
    assert work.note == (
        "the cell of class Purse is missing, so the starter's version was used; "
        "`hearts reset 01-coins --missing` puts back what is missing"
    )
    drop_cells(root, "coins-header", "coins-coin")
    with pytest.raises(UsageError, match="the cells that hold your program are missing"):
        find_work(root, stage, Form.NOTEBOOK)


def test_a_syntax_error_is_placed_where_the_student_finds_it(root, stage):
    (root / "coins.py").write_bytes(b"\xef\xbb\xbf" + REFERENCE.encode())  # a byte order mark
    assert find_work(root, stage).syntax_error() == ""
    save(root / "coins.py", "x = 1\ndef f(:\n")
    assert find_work(root, stage).syntax_error() == "coins.py:2: invalid syntax in `def f(:`"
    save(root / "coins.py", "x = 1\0\n")
    assert find_work(root, stage).syntax_error().startswith("coins.py:1: ")
    save_notebook(root, stage)
    path = root / "01-coins.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace("class Purse:", "class Purse"))
    assert find_work(root, stage, Form.NOTEBOOK).syntax_error() == (
        "01-coins.ipynb, the cell of class Purse, line 1: expected ':' in `class Purse`"
    )


def test_an_import_in_a_cell_of_ones_own_is_noted_for_a_saved_notebook(root, stage):
    save_notebook(root, stage, REFERENCE.replace("return sum(", "return math.fsum("))
    assert find_work(root, stage).note == ""
    own_cell = {"cell_type": "code", "source": "import math", "metadata": {}, "outputs": []}
    edit_cells(root, lambda cells: cells.append(own_cell))
    note = "`math` is defined in a cell of your own, which is not part of the program: move it into"
    assert find_work(root, stage).note == f"{note} the cell of class Purse"


STARTER = '''\
class Card:
    """A card."""

    def text(self):
        raise NotImplementedError("Task 2")


def deal():
    raise NotImplementedError("Task 3")
'''


@pytest.mark.parametrize(
    ("old", "new", "untouched"),
    [
        ("", "", {"make", "write", "deal"}),
        ('"""A card."""', '"""A card."""\n    suit = "S"', {"write", "deal"}),
        ("class Card:", "class Card(tuple):", {"write", "deal"}),
        ('raise NotImplementedError("Task 2")', 'return "QS"', {"make", "deal"}),
        ("    def text", "\n\n\n    def text", {"make", "write", "deal"}),
        ("def deal():", "def give():", {"make", "write"}),
        ("def deal():", "def deal(players=4):", {"make", "write"}),
        ("class Card:", "def broken(:", set()),
        ("class Card:", "\0", set()),
    ],
)
def test_a_task_is_untouched_until_its_own_definitions_change(tmp_path, old, new, untouched):
    blanks = {"make": "Card", "write": "Card.text", "deal": "deal"}
    tasks = tuple(Task(name, name, 1, (blank,)) for name, blank in blanks.items())
    stage = Stage("01-cards", tmp_path, "Cards", ("cards.py",), tasks, "all", "1")
    stage.assignment.mkdir(parents=True)
    (stage.assignment / "cards.py").write_text(STARTER, encoding="utf-8")
    assert untouched_tasks(stage, {"cards": STARTER.replace(old, new, 1)}) == untouched
    assert untouched_tasks(stage, {}) == set()


def test_a_syntax_error_begins_only_the_tasks_of_its_own_file():
    clinic = find_course().stage("08-clinic")
    show, repair = clinic.task_ids
    starter = clinic.starter()
    assert untouched_tasks(clinic, starter) == {show, repair}
    assert untouched_tasks(clinic, {**starter, "players_complaint": "def test_low("}) == {repair}
    assert untouched_tasks(clinic, {**starter, "their_players": "class Low("}) == {show}


@pytest.fixture
def hearts(tmp_path, monkeypatch, capsys):
    """Return a function that runs a command in a workspace with two solved stages.

    The function returns the exit status, the output and the error output.
    """
    course = two_stages(tmp_path / "course")
    use(course, monkeypatch)
    root = start_workspace(course, tmp_path / "mine").root
    monkeypatch.chdir(root)
    save(root / "coins.py", REFERENCE)
    save(root / "bank.py", BANK)

    def run(line):
        status = cli.run(line.split())
        return status, *capsys.readouterr()

    return run


def test_a_stage_is_checked_with_the_students_earlier_stages(hearts, tmp_path):
    assert "It holds bank.py.\n" in hearts("submit 2")[1]
    hearts("check 1")
    out = hearts("")[1]
    assert "  01 Coins and purses  ■■■  3 of 3 tasks\n  02 Banks             ■" in out
    save(tmp_path / "mine/coins.py", REFERENCE.replace("10 if", "5 if"))
    status, out, _ = hearts("check 2")
    assert (status, "came back    5" in out) == (1, True)
    note = (
        "This stage is checked with your coins.py, which has not passed all checks as it is now. "
        "Check that first: hearts check 01-coins."
    )
    assert note in " ".join(out.split())
    hearts("check 1")
    save(tmp_path / "mine/coins.py", REFERENCE)  # this program passed, so it need not be checked
    save(tmp_path / "mine/bank.py", BANK.replace("worth", "face"))
    assert "Check that first" not in hearts("check 2")[1]
    stub = 'raise NotImplementedError("Task 1: What a coin is worth")'
    save(
        tmp_path / "mine/coins.py",
        REFERENCE.replace("return 10 if", f"{stub}\n        return 10 if"),
    )
    save(tmp_path / "mine/bank.py", BANK)
    out = hearts("check 2")[1]
    begin = (
        "Begin with stage 01: coins.py is not finished, and task 1 needs it (hearts check 01-coins)"
    )
    assert begin in " ".join(out.split())
    assert "waits for coins.py" in out
    Path("coins.py").unlink()
    Path("01-coins.ipynb").unlink()
    missing = "coins.py: missing; `hearts start .` puts the starter back"
    assert hearts("check 2") == (2, "", f"hearts: 02-bank builds on 01-coins: {missing}\n")


def test_explain_says_which_file_cannot_be_read_or_imported(hearts, tmp_path):
    save(tmp_path / "mine/bank.py", f"{BANK}\n\ndef half(:\n    pass\n")
    status, _, told = hearts("explain 2")
    assert (status, "bank.py:" in told, "invalid syntax" in told) == (2, True, True)
    save(tmp_path / "mine/bank.py", BANK)
    save(tmp_path / "mine/coins.py", f"{REFERENCE}\nimport nothing_here\n")
    for stage in "12":
        status, _, told = hearts(f"explain {stage}")
        assert (status, "coins.py" in told, "nothing_here" in told) == (2, True, True)


HELPER = "\n\ndef double(coin):\n    return 2 * coin.worth\n"
DOUBLING = """from coins import Coin, double


def savings(face):
    return double(Coin(face)) // 2
"""


@pytest.mark.parametrize(("form", "name"), FORMS)
def test_a_helper_in_an_earlier_stage_reaches_the_grader(hearts, tmp_path, form, name):
    course = Course(tmp_path / "course")
    root = tmp_path / "mine"
    save(root / "bank.py", DOUBLING)
    start = course.stages[0].assignment / "coins.py"
    save(root / "coins.py", REFERENCE + HELPER if form is Form.PY else start.read_text())
    if form is Form.NOTEBOOK:
        save_notebook(root, course.stages[0], REFERENCE + HELPER)
    out = hearts("submit 2")[1]
    assert f"  It also holds the program of your {name}, on which it builds.\n" in out
    packed = (root / "submissions/02-bank.zip").read_bytes()
    for student in ("ada", "bob"):  # ada's folder has the zip, bob's has the unpacked files
        folder = tmp_path / "class" / student
        put(folder, {"02-bank.zip": packed})
        if student == "bob":
            zipfile.ZipFile(folder / "02-bank.zip").extractall(folder / "02-bank")
            (folder / "02-bank.zip").unlink()
    for path in find_submissions(tmp_path / "class", course).paths:
        result = grade_one(GradeJob(course.stages[1], path, "none"))
        assert (result.score, result.max_score) == (2.0, 2)
        assert result.prerequisites == Prerequisites(2.0, None, ("coins",))
        assert f"  Receipt: {result.receipt}. " in out
        assert result.python == platform.python_version()
    put(tmp_path / "class/bob/02-bank/earlier", {"coins.py": REFERENCE + HELPER + "# more"})
    (_, bob) = find_submissions(tmp_path / "class", course).paths
    assert read_found(bob).receipt not in out


def test_a_syntax_error_shows_the_cell_and_not_the_file_beside_it(hearts, tmp_path):
    course = Course(tmp_path / "course")
    root = tmp_path / "mine"
    save(root / "coins.py", "# another text\n" * 30)
    save_notebook(root, course.stages[0])
    path = root / "01-coins.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace("class Purse:", "class Purse"))
    message = (
        "01-coins.ipynb, the cell of class Purse, line 1 (class Purse): Python cannot read this"
    )
    assert message in " ".join(hearts("check 1 --notebook")[1].split())


def test_a_notebook_is_extracted_but_never_over_other_work(hearts, tmp_path):
    course = Course(tmp_path / "course")
    root = tmp_path / "mine"
    stage = course.stages[0]
    start = (stage.assignment / "coins.py").read_text()
    save(root / "coins.py", start)
    save_notebook(root, stage)
    note = (
        "your notebook's program is not in coins.py, which `python` would use: "
        "`hearts extract 01-coins` writes it"
    )
    assert note in " ".join(hearts("check 2")[1].split())
    assert hearts("extract 1") == (0, "wrote coins.py from 01-coins.ipynb\n", "")
    assert "hearts extract" not in hearts("check 2")[1]
    ran = subprocess.run([sys.executable, "bank.py"], cwd=root, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    work = find_work(root, stage)
    assert (work.form, work.note) == (Form.NOTEBOOK, "")
    save_notebook(root, stage, f"{REFERENCE}\nNEW = 1\n", saved=500)
    assert note in " ".join(hearts("check 2")[1].split())
    assert hearts("extract 1")[0] == 0
    assert "NEW = 1" in (root / "coins.py").read_text()
    save(root / "coins.py", f"{REFERENCE}\nMINE = 1\n")
    message = "coins.py: has work that is not in 01-coins.ipynb; rename it and extract again"
    assert hearts("extract 1") == (2, "", f"hearts: {message}\n")
    assert "MINE = 1" in (root / "coins.py").read_text()


@pytest.mark.parametrize("before", ["", "    def add(self", "class Purse:"])
def test_a_cell_that_was_split_in_jupyter_is_joined_in_order(hearts, tmp_path, before):
    """Both parts keep the mark of the cell, and the cell may have been split within a class."""
    course = Course(tmp_path / "course")
    root = tmp_path / "mine"
    stage = course.stages[0]
    note = "the parts of the cell of class Purse were joined in order"
    save_notebook(root, stage)
    unsplit_work = find_work(root, stage, Form.NOTEBOOK)
    path = root / "01-coins.ipynb"
    data = json.loads(path.read_text(encoding="utf-8"))
    (number,) = (i for i, cell in enumerate(data["cells"]) if cell["id"] == "coins-purse")
    first = data["cells"][number]
    at = (source := "".join(first["source"])).index(before or "def richest")
    second = first | {"id": "another", "source": source[at:]}
    data["cells"].insert(number + 1, second)
    first["source"] = source[:at].removesuffix("\n")
    path.write_text(json.dumps(data), encoding="utf-8")
    work = find_work(root, stage, Form.NOTEBOOK)
    assert work.modules == unsplit_work.modules
    status, out, _ = hearts("check 1 --notebook")
    assert (status, note in " ".join(out.split())) == (0, True)
    hearts("submit 1 --notebook")
    put(tmp_path / "class/ada", {"01-coins.zip": (root / "submissions/01-coins.zip").read_bytes()})
    (submitted,) = find_submissions(tmp_path / "class", course).paths
    assert (read_found(submitted).modules, note in read_found(submitted).note) == (
        work.modules,
        True,
    )
    line = work.modules["coins"].split("\n").index("def richest(purses: list[Purse]) -> Purse:") + 1
    end = second["source"].split("\n").index("def richest(purses: list[Purse]) -> Purse:") + 1
    assert work.place("coins", line) == f"01-coins.ipynb, the cell of class Purse, line {end}"


def contents(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(("form", "name"), FORMS)
def test_the_zip_holds_the_program_and_the_grader_reads_it(root, stage, tmp_path, form, name):
    save(root / "coins.py", REFERENCE)
    save_notebook(root, stage)
    packed = pack_work(root, find_work(root, stage, form))
    assert packed.path == root / "submissions/01-coins.zip"
    assert contents(packed.path) == {name: (root / name).read_bytes()}
    (tmp_path / "class/ada").mkdir(parents=True)
    packed.path.rename(tmp_path / "class/ada/01-coins.zip")
    (submitted,) = find_submissions(tmp_path / "class", Course(stage.root)).paths
    submission = read_found(submitted)
    assert (submission.problem, submission.note) == ("", "")
    assert submission.modules == find_work(root, stage, form).modules


@pytest.mark.parametrize(("form", "name"), FORMS)
def test_other_files_are_packed_for_a_person_and_not_graded(root, stage, form, name):
    save(root / "coins.py", REFERENCE)
    save_notebook(root, stage)
    save(root / "own_game.py", "def worth():\n    return 0\n")
    work = find_work(root, stage, form)
    packed = pack_work(root, work, more=[root / "own_game.py"])
    assert packed.more == ("own_game.py",)
    assert contents(packed.path).keys() == {name, "own_game.py"}
    assert packed_before(root, work, ()) == packed.path
    submission = read_found(SubmissionPath("ada", stage, packed.path))
    assert (submission.problem, submission.note) == ("", "")
    assert submission.modules == work.modules
    for wrong, words in (("coins.py", "is packed anyway"), ("own.py", "there is no such file")):
        with pytest.raises(UsageError, match=words):
            pack_work(root, work, more=[root / wrong])


def test_the_same_work_makes_the_same_zip(root, stage):
    first = pack_work(root, find_work(root, stage))
    data = first.path.read_bytes()
    again = pack_work(root, find_work(root, stage))
    assert (first.new, again.new, again.former) == (True, False, None)
    assert list((root / "submissions").iterdir()) == [first.path]
    first.path.unlink()
    (root / "coins.py").touch()
    assert pack_work(root, find_work(root, stage)).path.read_bytes() == data


def test_former_zips_are_kept_with_a_number(root, stage):
    for number in range(3):
        save(root / "coins.py", f"{REFERENCE}# {number}\n")
        packed = pack_work(root, find_work(root, stage))
    assert packed.former == root / "submissions/01-coins-2.zip"
    names = ("01-coins-1.zip", "01-coins-2.zip", "01-coins.zip")
    texts = [contents(root / "submissions" / name)["coins.py"].decode() for name in names]
    assert [text[-2] for text in texts] == ["0", "1", "2"]


def test_on_a_full_disk_the_former_zip_stays(root, stage):
    former = pack_work(root, find_work(root, stage)).path.read_bytes()
    save(root / "coins.py", REFERENCE)
    with files_of_at_most(100), pytest.raises(CourseError, match="File too large"):
        pack_work(root, find_work(root, stage))
    (left,) = (root / "submissions").iterdir()
    assert (left.name, left.read_bytes()) == ("01-coins.zip", former)
