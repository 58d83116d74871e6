"""`make test-nbgrader`: nbgrader's commands, for a whole class and in an instructor's course.

The instructor's course already has an assignment; stages are added to this course.
"""

import csv
import json
import os
import pwd
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import nbformat
import nbgrader as nbgraders
import pytest
from browser_formgrader import TOKEN, jupyter
from hearts_course.cli import run
from hearts_course.course import find_course
from hearts_grader.authoring.notebook import (
    build_notebook,
    notebook_text,
    reference_notebook,
    solve,
)
from hearts_grader.authoring.sample import make_sample
from hearts_grader.nbgrader.course import make_nbgrader_course
from nbgrader.api import Gradebook
from tiny_class import put

BIN = Path(sys.executable).parent


def nbgrader(*arguments, cwd):
    command = [str(BIN / "nbgrader"), *arguments]
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def is_cut_short(result):
    """Return whether time ran out. If so, the score depends on how busy the machine was."""
    outcomes = {test["outcome"] for task in result["tasks"] for test in task["tests"]}
    return "not-reached" in outcomes and len(outcomes) > 1


COUNTED = find_course().counted
# Three kinds of stages: the first, one with a game in a terminal, and one with many earlier stages.
UNLIKE = [stage for stage in COUNTED if stage.name[:2] in ("01", "04", "08")]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "stages",
    [
        pytest.param(UNLIKE, id="three-stages"),
        pytest.param(COUNTED, id="every-stage", marks=pytest.mark.exhaustive),
    ],
)
def test_the_whole_sample_class_has_the_same_scores_in_nbgrader(stages, tmp_path):
    course = find_course()
    root = tmp_path / "nbgrader"
    out = tmp_path / "grades"
    list(make_nbgrader_course(course, root, stages))
    make_sample(stages, root / "submitted")
    assert run(["grade", str(root), "--out", str(out)]) == 0
    results = [json.loads(path.read_text()) for path in sorted(out.glob("results/*/*.json"))]
    ours = {(result["stage"], result["student"]): result for result in results}
    for stage in stages:
        done = nbgrader("autograde", stage.name, cwd=root)
        assert done.returncode == 0, done.stderr
        students = {path.parent.name for path in (root / "submitted").glob(f"*/{stage.name}")}
        logged = [line for line in done.stderr.splitlines() if f" of {stage.points}, " in line]
        assert len(logged) == len(students)
    assert nbgrader("export", "--to", "theirs.csv", cwd=root).returncode == 0
    with (root / "theirs.csv").open(encoding="utf-8") as file:
        theirs = {(row["assignment"], row["student_id"]): row for row in csv.DictReader(file)}
    assert len(ours) == len(theirs) > 6 * len(stages)
    different = {
        name: (result["score"], theirs[name]["raw_score"])
        for name, result in ours.items()
        if round(float(theirs[name]["raw_score"]), 2) != result["score"]
        and not is_cut_short(result)
    }
    assert different == {}


@pytest.mark.timeout(600)
def test_validate_shows_what_the_visible_checks_say(tmp_path):
    stage = find_course().stages[0]
    notebooks = {"unwritten": build_notebook(stage), "solved": reference_notebook(stage)}
    for name, notebook in notebooks.items():
        (tmp_path / f"{name}.ipynb").write_text(notebook_text(notebook), encoding="utf-8")
    shown = nbgrader("validate", "unwritten.ipynb", cwd=tmp_path).stdout
    assert f"VALIDATION FAILED ON {len(stage.tasks)} CELL(S)" in shown
    assert f"{stage.tasks[0].title}  0 of {stage.tasks[0].points} points  not written yet" in shown
    assert "Success! Your notebook passes all the tests." in (
        nbgrader("validate", "solved.ipynb", cwd=tmp_path).stdout
    )


SETTINGS = r"""
c.Exchange.root = {exchange!r}
c.Exchange.cache = {cache!r}
c.CourseDirectory.course_id = "cs101"
c.FileNameCollectorPlugin.named_regexp = r".*/(?P<student_id>[a-z]+)_(?P<file_id>.+)"
"""
STAGE = "01-cards"
STAGE_FILE = "01-cards.ipynb"
MARKUP = "<details>A proof</details><script>alert('me')</script>"


def done(*arguments, cwd):
    """Run one of nbgrader's commands, which must work; return everything that it printed."""
    result = nbgrader(*arguments, cwd=cwd)
    assert result.returncode == 0, f"{arguments}: {result.stdout}{result.stderr}"
    return result.stdout + result.stderr


EXAMPLE = Path(nbgraders.__file__).parent / "docs/source/user_guide/submitted"


def untouched(folder):
    """Make nbgrader's quickstart course: settings, a header, assignment ps1. Return its folder."""
    done("quickstart", "cs101", cwd=folder)
    return folder / "cs101"


def in_the_middle_of_its_term(folder):
    """Make a quickstart course, release ps1, grade nbgrader's examples, and give a manual point."""
    root = untouched(folder)
    (folder / "exchange").mkdir(mode=0o777)
    own = SETTINGS.format(exchange=str(folder / "exchange"), cache=str(folder / "cache"))
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(own)
    put(folder / "student", {"nbgrader_config.py": f"c = get_config()\n{own}"})
    done("generate_assignment", "ps1", cwd=root)
    done("release_assignment", "ps1", cwd=root)
    shutil.copytree(EXAMPLE, root / "submitted")
    path = root / "submitted/bitdiddle/ps1/problem1.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell(MARKUP))
    del notebook.cells[-1]["id"]
    nbformat.write(notebook, path)
    done("autograde", "ps1", cwd=root)
    with gradebook(root) as book:
        book.find_grade("part-a", "problem2", "ps1", "hacker").manual_score = 1
        book.db.commit()
    return root


def gradebook(root):
    return Gradebook(f"sqlite:///{root}/gradebook.db", "cs101")


def files_of_ps1(root):
    """Return the bytes of each file of ps1 and of the quickstart's header, by path."""
    files = [root / "source/header.ipynb", *root.glob("*/ps1/**/*"), *root.glob("*/*/ps1/**/*")]
    return {path: path.read_bytes() for path in files if path.is_file()}


def gradebook_rows(root):
    """Return every row of the gradebook as a pair of the table's name and the row."""
    with closing(sqlite3.connect(root / "gradebook.db")) as book:
        tables = book.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {(name, row) for (name,) in tables for row in book.execute(f"SELECT * FROM {name}")}


def own_grades(root):
    with gradebook(root) as book:
        return {
            (one.student.id, grade.name): (grade.auto_score, grade.manual_score)
            for one in book.assignment_submissions("ps1")
            for notebook in one.notebooks
            for grade in notebook.grades
        }


def solve_with_header(path):
    """Write the reference into a released notebook, which begins with the instructor's header."""
    notebook = nbformat.read(path, as_version=4)
    assert "NAME = " in "".join(cell.source for cell in notebook.cells[:3])
    stage = find_course().stages[0]
    path.write_text(notebook_text(solve(notebook, stage.reference())), encoding="utf-8")


def a_student_uses_the_exchange(folder, root):
    """Release the stage; fetch, validate, solve and submit it as a student; collect it."""
    student = folder / "student"
    done("release_assignment", STAGE, cwd=root)
    assert f"cs101 {STAGE}" in done("list", cwd=student)
    done("fetch_assignment", STAGE, cwd=student)
    assert "VALIDATION FAILED" in done("validate", f"{STAGE}/{STAGE_FILE}", cwd=student)
    solve_with_header(student / STAGE / STAGE_FILE)
    done("submit", STAGE, cwd=student)
    done("collect", STAGE, cwd=root)


def others_hand_in_elsewhere(folder, root):
    """Collect bob's notebook from a zip, and a program and a broken notebook from Canvas."""
    stage = find_course().stages[0]
    notebook = build_notebook(stage)
    notebook.cells.append(nbformat.v4.new_markdown_cell(MARKUP, id="mine"))
    archive = root / f"downloaded/{STAGE}/archive"
    put(archive, {f"bob_{STAGE_FILE}": notebook_text(notebook)})
    done("zip_collect", STAGE, cwd=root)
    with zipfile.ZipFile(folder / "canvas.zip", "w") as canvas:
        canvas.writestr("lovelaceada_11_12_cards.py", stage.reference()["cards"])
        canvas.writestr(f"noname_13_14_{STAGE_FILE}", "{")
    assert run(["collect", str(folder / "canvas.zip"), "--into", str(root / "submitted")]) == 0


def shown_by_formgrader(root):
    """Return formgrader's list of submissions by student, and bob's and bitdiddle's pages."""
    pages = {}
    with gradebook(root) as book:
        bob = book.find_submission_notebook(STAGE, STAGE, "bob").id
        ben = book.find_submission_notebook("problem1", "ps1", "bitdiddle").id
    with jupyter(root) as url:
        for page in (f"api/submissions/{STAGE}", f"submissions/{bob}/", f"submissions/{ben}/"):
            with urlopen(f"{url}/formgrader/{page}?token={TOKEN}") as answer:
                pages[page] = answer.read().decode()
    listed, *others = pages.values()
    return {one["student"]: one for one in json.loads(listed)}, *others


@pytest.mark.timeout(1800)
def test_stages_in_an_untouched_quickstart_course_change_nothing_of_it(tmp_path):
    """The course has no gradebook yet. ps1 gets the same grades as in a course without stages."""
    alone, root = (untouched(put(tmp_path / name, {})) for name in ("alone", "both"))
    config = (root / "nbgrader_config.py").read_bytes()
    before = files_of_ps1(root)
    assert run(["nbgrader", str(root), "--stage", STAGE, "--yes"]) == 0
    assert files_of_ps1(root) == before
    for course in (alone, root):
        shutil.copytree(EXAMPLE, course / "submitted")
        done("generate_assignment", "ps1", cwd=course)
        done("autograde", "ps1", cwd=course)
    assert own_grades(root) == own_grades(alone)
    released = root / f"release/{STAGE}/{STAGE_FILE}"
    path = put(root / f"submitted/bob/{STAGE}", {STAGE_FILE: released.read_text()}) / STAGE_FILE
    solve_with_header(path)
    said = done("autograde", STAGE, cwd=root)
    points = find_course().stages[0].points
    assert f"bob: {points} of {points}, graded" in said
    assert run(["nbgrader", str(root), "--remove", "--yes"]) == 0
    assert (root / "nbgrader_config.py").read_bytes() == config


@pytest.mark.timeout(1800)
def test_every_command_of_nbgrader_works_in_a_course_of_ones_own(tmp_path):
    root = in_the_middle_of_its_term(tmp_path)
    me = pwd.getpwuid(os.getuid()).pw_name
    config = (root / "nbgrader_config.py").read_text()
    before = own_grades(root)
    files = files_of_ps1(root)
    book = gradebook_rows(root)
    put(root, {"late.toml": "roster = 'class.csv'\n", "class.csv": "login,name\nbob,Bob Ross\n"})
    assert run(["nbgrader", str(root), "--stage", STAGE, "--yes"]) == 0
    mine, ours = (root / "nbgrader_config.py").read_text().split(config)
    assert mine == ""
    assert ours.lstrip().startswith("try:  # these lines are by `hearts nbgrader`")
    assert run(["nbgrader", str(root)]) == 0  # updates the stage without a question
    assert (files_of_ps1(root), gradebook_rows(root) & book) == (files, book)

    a_student_uses_the_exchange(tmp_path, root)
    others_hand_in_elsewhere(tmp_path, root)
    assert "could not be read (1): noname_13" in done("autograde", STAGE, cwd=root)
    done("generate_feedback", STAGE, cwd=root)
    done("release_feedback", STAGE, cwd=root)
    assert (files_of_ps1(root), gradebook_rows(root) & book) == (files, book)
    done("fetch_feedback", STAGE, cwd=tmp_path / "student")
    assert len(list((tmp_path / "exchange/cs101/feedback").glob("*.html"))) == 4
    (page,) = (tmp_path / "student" / STAGE / "feedback").rglob("*.html")
    assert "Receipt: " in page.read_text()

    done("autograde", "ps1", "--force", cwd=root)
    assert own_grades(root) == before
    assert ("hacker", "part-a") in before
    done("generate_feedback", "ps1", cwd=root)
    assert MARKUP in (root / "feedback/bitdiddle/ps1/problem1.html").read_text()

    done("export", cwd=root)
    with (root / "grades.csv").open(encoding="utf-8") as file:
        rows = {(row["assignment"], row["student_id"]): row for row in csv.DictReader(file)}
    full = str(float(find_course().stages[0].points))
    scores = {name: rows[STAGE, name]["raw_score"] for name in (me, "lovelaceada_11", "bob")}
    assert scores == {me: full, "lovelaceada_11": full, "bob": "0.0"}
    assert rows["ps1", "hacker"]["raw_score"] == "4.0"
    assert "bob (Ross, Bob)" in done("db", "student", "list", cwd=root)
    assert "ps1" in done("db", "assignment", "list", cwd=root)
    done("db", "upgrade", cwd=root)

    students, bob, bitdiddle = shown_by_formgrader(root)
    assert {name: one["needs_manual_grade"] for name, one in students.items()} == {
        **dict.fromkeys((me, "bob", "lovelaceada_11"), False),
        "noname_13": True,
    }
    assert (students["bob"]["first_name"], students["bob"]["last_name"]) == ("Bob", "Ross")
    assert MARKUP in bitdiddle
    assert MARKUP not in bob
    assert "&lt;details&gt;A proof" in bob
    assert run(["nbgrader", str(root), "--remove", "--yes"]) == 0
    assert (root / "nbgrader_config.py").read_text() == config
