"""`nbgrader autograde` grades any submission in the sandbox, and a person adds manual points."""

import csv
import json
import os
from contextlib import contextmanager
from datetime import timedelta

import nbformat
import pytest
from hearts_course.cli import run
from hearts_course.submissions.find import find_submissions
from hearts_course.text import fenced
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from hearts_grader.grading.grade import GradeJob, grade_one
from hearts_grader.nbgrader import programs
from hearts_grader.nbgrader.course import NbgraderCourse
from hearts_grader.nbgrader.gradebook import open_gradebook
from hearts_grader.nbgrader.hooks import Export
from nbgrader.apps import api
from nbgrader.converters import Autograde
from nbgrader.plugins import CsvExportPlugin
from nbgrader_courses import (
    LATE,
    WRONG,
    cells,
    database,
    give,
    nbgrader_api,
    nbgraders_gradebook,
    source_of,
    step,
    submissions,
    tiny_nbgrader_course,
)
from tiny_class import STAGE, put
from tiny_course import MANUAL_TOML, REFERENCE

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
NOTEBOOK = f"{STAGE}.ipynb"


@pytest.fixture
def jobs(monkeypatch):
    """A list that gets the arguments of each `GradeJob` that `nbgrader autograde` makes."""
    jobs = []
    monkeypatch.setattr(programs, "GradeJob", lambda *words: jobs.append(words) or GradeJob(*words))
    return jobs


def hostile_notebook(stage):
    """Return a notebook full of traps for nbgrader; the only wrong answer is a coin's worth."""
    notebook = reference_notebook(stage)
    for cell in notebook.cells:
        if cell.id == "coins-coin":
            cell.source = cell.source.replace("10 if", "5 if")
        if cell.id == "check-worth":
            cell.source, cell.metadata.nbgrader.points = "2.0", 1000
            cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "1000.0"})]
        if cell.id == "manual-design":
            cell.source = "One job each, I <script>alert('hope')</script>."
    data = json.loads(notebook_text(notebook))
    data["cells"].append(dict(data["cells"][0], id="twice", source="### BEGIN HIDDEN TESTS"))
    data["cells"].append(dict(data["cells"][3], source="raise SystemExit", id="scratch"))
    data["cells"][-1]["metadata"] = {"nbgrader": {"schema_version": 0, "grade": True}}
    data["cells"] = [cell for cell in data["cells"] if cell["id"] != "check-total"]
    return json.dumps(data)


@contextmanager
def class_of_six(kind, folder):
    with database(kind, folder) as url:
        put(folder / "course/autograder", {"late.toml": f"name_penalty = 25\n{LATE}"})
        course, root = tiny_nbgrader_course(folder, url, STAGE_TOML=MANUAL_TOML)
        in_time = "2026-10-01 10:00:00 UTC"
        late = "2026-10-04 12:00:00 UTC"
        for student, files in {
            "ada": {"coins.py": REFERENCE, "timestamp.txt": in_time},
            "bob": {NOTEBOOK: hostile_notebook(course.stages[0])},
            "cy": {NOTEBOOK: '{"cells": ['},
            "dee": {"coins.py": "import os\nos._exit(0)\n", "timestamp.txt": "the dog ate it"},
            "eve, jr": {"coins.py": WRONG, "timestamp.txt": late},
            "fay": {"coins.py": WRONG, "README.md/read.txt": "me", f"{NOTEBOOK}/x.txt": "me",
                    "mine/x.txt": "me", "pictures": "me"},
        }.items():  # fmt: skip
            put(root / "submitted" / student / STAGE, files)
        note = json.dumps({f"fay/{STAGE}": {"renamed": "coin.py was taken as coins.py"}})
        put(root / "submitted/.hearts", {"collected.json": note})
        put(root / f"source/{STAGE}", {"pictures/coin.txt": "ours"})
        fay = root / f"submitted/fay/{STAGE}"
        hidden = course.root / f"autograder/stages/{STAGE}"
        (fay / "tests").symlink_to(hidden)
        (fay / "notes.txt").symlink_to(hidden / "test_coins_hidden.py")
        os.mkfifo(fay / "pipe.txt")
        yield course, root, url


def autograded(root, student):
    return cells(root / "autograded" / student / STAGE / NOTEBOOK)


def named(root, student, name):
    """Return the student's only cell with this grade_id."""
    (cell,) = (
        cell for cell in autograded(root, student)
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == name
    )  # fmt: skip
    return cell


def every_submission_is_logged_and_gets_the_score_that_hearts_grade_gives(course, root, url):
    worked, log = step(root, "autograde")
    assert worked
    paths = find_submissions(root, course).paths
    results = {
        submission.path.parent.name: grade_one(GradeJob(submission.stage, submission))
        for submission in paths
    }
    expected = {name: result.score for name, result in results.items()}
    scores = {name: score for name, (score, *_) in submissions(url).items()}
    assert scores == expected
    assert f"Receipt: {results['ada'].receipt}" in map(source_of, autograded(root, "ada"))
    assert scores == {"ada": 6, "bob": 4, "cy": 0, "dee": 0, "eve, jr": 4, "fay": 4}
    lines = {
        line.split("] ")[1].split(": ")[0]: line for line in log.splitlines() if " of 6" in line
    }
    assert set(lines) == set(expected)
    assert "6 of 6, graded" in lines["ada"]
    assert "is not a notebook: broken at line 1" in lines["cy"]
    assert "ended by itself" in lines["dee"]
    listed = nbgrader_api(root).get_submissions(STAGE)
    assert {
        submission["student"]: submission["autograded"] for submission in listed
    } == dict.fromkeys(expected, True)
    assert "awaits manual grading (5): ada, bob, dee, eve, jr, fay\n" in log
    assert "could not be read (1): cy\n" in log


def only_the_words_of_a_notebook_are_kept(root):
    assert "10 if self.face" in source_of(named(root, "ada", "coins-coin"))
    assert (root / f"autograded/ada/{STAGE}/coins.py").read_text() == REFERENCE
    check = named(root, "bob", "check-worth")
    assert check["metadata"]["nbgrader"]["points"] == 2
    assert source_of(check).endswith('check("worth")')
    assert "came back    5" in json.dumps(check["outputs"])
    assert "I <script>alert('hope')</script>." in source_of(named(root, "bob", "manual-design"))
    # The code is shown as a text in Markdown.
    assert fenced("raise SystemExit") in map(source_of, autograded(root, "bob"))
    named(root, "bob", "check-total")


def no_link_is_followed_and_no_folder_is_in_the_way_of_our_files(root):
    folder = root / f"autograded/fay/{STAGE}"
    names = {path.name for path in folder.rglob("*")}
    assert names >= {NOTEBOOK, "coins.py", "README.md", "test_coins.py"}
    assert names.isdisjoint({"tests", "notes.txt", "pipe.txt"})
    texts = {path.relative_to(folder).as_posix() for path in folder.rglob("*.txt")}
    assert texts == {
        "mine/x.txt", "pictures/coin.txt", "submission_secret.txt", "timestamp.txt"
    }  # fmt: skip
    assert (folder / "README.md").is_file()


def manual_points_are_awaited_for_what_could_be_read_and_survive_regrading(root, url):
    by_student = submissions(url)
    assert [by_student[name][3] for name in ("ada", "bob", "dee", "cy")] == [True, True, True, True]
    give(url, "ada", "manual-design", 3.0)
    assert submissions(url)["ada"][0] == 9
    assert step(root, "autograde", "ada")[0]
    by_student = submissions(url)
    assert by_student["ada"][0] == 9
    penalties = {name: penalty for name, (_, _, penalty, _) in by_student.items() if penalty}
    assert penalties == {"eve, jr": 0.8, "fay": 1.0}


def feedback_shows_what_is_wrong_and_no_hidden_test(root, url):
    assert step(root, "generate_feedback")[0]
    pages = {p.parent.parent.name: p.read_text() for p in root.glob(f"feedback/*/{STAGE}/*.html")}
    assert set(pages) == set(submissions(url))
    assert "came back" in pages["bob"]
    assert "<script>alert" not in pages["bob"]
    everything = b"".join(path.read_bytes() for path in (root / "feedback").rglob("*.*"))
    assert b"def test_richest" not in everything
    assert b"poor, rich" not in everything


def scores_are_exported_by_nbgrader_and_by_us(root, url):
    with nbgraders_gradebook(url) as book:
        CsvExportPlugin(to=str(root / "theirs.csv")).export(book)
        Export(to=str(root / "ours.csv")).export(book)
    theirs = (root / "theirs.csv").read_text()
    assert f"{STAGE},2026-10-01 21:59:00,2026-10-01 10:00:00,ada,,,,9.0,0.0,9.0,10.0" in theirs
    assert (root / "ours.csv").read_text().splitlines() == [
        "student,stage,score,max_score,late_penalty,status,raw_score,manual_points",
        "ada,01-coins,9.0,10.0,0.0,graded,6.0,3.0",
        "bob,01-coins,4.0,10.0,0.0,awaits manual grading,4.0,0.0",
        "cy,01-coins,0.0,10.0,0.0,could not be read,0.0,0.0",
        "dee,01-coins,0.0,10.0,0.0,awaits manual grading,0.0,0.0",
        '"eve, jr",01-coins,3.2,10.0,0.8,awaits manual grading,4.0,0.0',
        "fay,01-coins,3.0,10.0,1.0,awaits manual grading,4.0,0.0",
    ]


@pytest.mark.proof
@pytest.mark.needs_sandbox
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_term_in_nbgrader(kind, tmp_path):
    """This is one test, because each step needs the steps before it, as in a term."""
    with class_of_six(kind, tmp_path) as (course, root, url):
        every_submission_is_logged_and_gets_the_score_that_hearts_grade_gives(course, root, url)
        only_the_words_of_a_notebook_are_kept(root)
        no_link_is_followed_and_no_folder_is_in_the_way_of_our_files(root)
        manual_points_are_awaited_for_what_could_be_read_and_survive_regrading(root, url)
        feedback_shows_what_is_wrong_and_no_hidden_test(root, url)
        scores_are_exported_by_nbgrader_and_by_us(root, url)
        worked, log = step(root, "autograde", "nobody")
        assert not worked
        assert "no submission of nobody" in log


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_dates_and_attempts_count_alike_in_both_tools(tmp_path, jobs):
    """Of ada's two attempts, the better one is a day late. A changed rule needs no `--force`.

    nbgrader's gradebook keeps the name that bob already has there. All other names are those of the
    roster, without characters that formgrader takes for HTML. `graded` has the number of programs
    that `nbgrader autograde` graded in each run.
    """
    course, root = tiny_nbgrader_course(tmp_path)
    url = f"sqlite:///{root}/gradebook.db"
    inbound = tmp_path / "inbound"
    put(
        root,
        {"class.csv": 'login,name,email\nada,"<Lovelace>, Ada",ada@example.org\nbob,Robin Hood,\n'},
    )
    with nbgraders_gradebook(url) as book:
        book.add_student("bob", first_name="Robert", last_name="of Locksley")
    for student, time, text in [
        ("ada", "2026-10-01 10:00:00", WRONG),
        ("ada", "2026-10-02 10:00:00", REFERENCE),
        ("bob", "2026-10-02 10:00:00", WRONG),
    ]:
        put(inbound / f"{student}+{STAGE}+{time}.000000 UTC+x", {"coins.py": text})
    assert run(["collect", str(inbound), "--into", str(root / "submitted")], course) == 0
    grade = ["grade", str(root), "--out", str(tmp_path / "out"), "--sandbox", "none"]
    graded = []
    for rule, settings, ada, bob in [
        ("latest", "", 5.4, 3.6),
        ("latest-in-time", "", 4.0, 3.6),
        ("best", "", 5.4, 3.6),
        ("best", f"[student.bob]\nextension_days.{STAGE} = 1\n", 5.4, 4.0),
    ]:
        head = f"counts = '{rule}'\nroster = 'class.csv'\npercent_per_day = 10\n"
        due = f"[due]\n{STAGE} = 2026-10-01T12:00:00Z\n"
        put(root, {"late.toml": head + due + settings})
        assert nbgrader_api(root).autograde(STAGE, "*", force=False)["success"]
        graded.append(len(jobs) - sum(graded))
        theirs = {name: round(n - off, 2) for name, (n, _, off, _) in submissions(url).items()}
        assert run(grade, course) == 0
        rows = csv.DictReader((tmp_path / "out/grades.csv").read_text().splitlines())
        ours = {row["student"]: float(row["score"]) for row in rows}
        assert theirs == ours == {"ada": ada, "bob": bob}
    assert graded == [2, 1, 2, 0]
    with nbgraders_gradebook(url) as book:
        assert str(book.find_assignment(STAGE).duedate) == "2026-10-01 12:00:00"
        names = {one.id: (one.first_name, one.last_name, one.email) for one in book.students}
    with nbgraders_gradebook(f"sqlite:///{tmp_path}/out/gradebook.db") as book:
        ours = {one.id: (one.first_name, one.last_name, one.email) for one in book.students}
    lovelace = ("Ada", "Lovelace", "ada@example.org")
    assert names == {"ada": lovelace, "bob": ("Robert", "of Locksley", None)}
    assert ours == {"ada": lovelace, "bob": ("Robin", "Hood", None)}


@pytest.mark.needs_sandbox
def test_a_group_s_latest_program_is_graded_once_for_every_member(tmp_path, jobs):
    """ada and bob each submit a program; cyd submits none and has an extension in nbgrader."""
    _, root = tiny_nbgrader_course(tmp_path)
    url = f"sqlite:///{root}/gradebook.db"
    put(root, {
        "submitted/groups.csv": "group,student\np1,ada\np1,bob\np1,cyd\n",
        "late.toml": f"percent_per_day = 10\n[due]\n{STAGE} = 2026-10-01T12:00:00Z\n",
    })  # fmt: skip
    for student, time, text in [
        ("ada", "01", WRONG),
        ("bob", "02", REFERENCE),
        ("eve", "02", WRONG),
    ]:
        stamp = f"2026-10-{time} 13:00:00 UTC"
        files = {"coins.py": text, "timestamp.txt": stamp, "submission_secret.txt": student * 9}
        put(root / "submitted" / student / STAGE, files)
    assert step(root, "autograde")[0]
    assert len(jobs) == 2
    score_and_penalty = {
        name: (score, lost) for name, (score, _, lost, _) in submissions(url).items()
    }
    assert score_and_penalty == {**dict.fromkeys(("ada", "bob", "cyd"), (6, 1.2)), "eve": (4, 0.8)}
    note = "Handed in by bob, for ada, bob and cyd. This is attempt 2 of 2, the latest."
    for student in ("ada", "bob", "cyd"):
        assert fenced(note) in map(source_of, autograded(root, student))
    kept = {
        path.parts[-3]: path.read_text() for path in root.glob(f"autograded/*/{STAGE}/*secret*")
    }
    assert {name: kept[name] for name in ("bob", "eve")} == {"bob": "bob" * 9, "eve": "eve" * 9}
    assert len({*kept.values()}) == 4
    with nbgraders_gradebook(url) as book:
        book.find_submission(STAGE, "cyd").extension = timedelta(days=2)
        book.db.commit()
    assert nbgrader_api(root).autograde(STAGE, "*", force=False)["success"]
    assert {name: lost for name, (_, _, lost, _) in submissions(url).items() if lost} == {
        "eve": 0.8
    }
    assert len(jobs) == 2


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_a_comment_for_all_alike_reaches_formgrader_and_feedback(tmp_path):
    """Both tools save the comment, but keep a comment that a person wrote in formgrader.

    A comment that is deleted from `comments.toml` disappears in formgrader.
    """
    course, root = tiny_nbgrader_course(tmp_path, STAGE_TOML=MANUAL_TOML)
    for student, program in {"ada": REFERENCE, "bob": WRONG, "cyd": WRONG}.items():
        put(root / "submitted" / student / STAGE, {"coins.py": program})
    alike = "[[comment]]\ntask = 'worth'\nmistake = 'a dime is worth five'\ntext = '{}'\n"
    put(root, {"comments.toml": alike.format("Look at FACES.")})

    def comments(cell="coins-coin"):
        with nbgraders_gradebook(f"sqlite:///{root}/gradebook.db") as book:
            students = [submission.student.id for submission in book.assignment_submissions(STAGE)]
            return {who: book.find_comment(cell, STAGE, STAGE, who).comment for who in students}

    assert step(root, "autograde")[0]
    ours = "Task 1, from your instructor: Look at FACES."
    assert comments() == {"ada": None, "bob": ours, "cyd": ours}
    assert set(comments("coins-purse").values()) == {None}
    assert set(comments("coins-header").values()) == {"No response."}
    with nbgraders_gradebook(f"sqlite:///{root}/gradebook.db") as book:
        book.find_comment("coins-coin", STAGE, STAGE, "cyd").manual_comment = "See me."
        book.db.commit()
    assert step(root, "generate_feedback")[0]
    pages = {who: (root / f"feedback/{who}/{STAGE}/{STAGE}.html").read_text() for who in comments()}
    assert [who for who, page in pages.items() if ours in page] == ["bob"]
    assert [who for who, page in pages.items() if "See me." in page] == ["cyd"]
    options = ("--out", str(tmp_path / "grades"), "--gradebook", f"sqlite:///{root}/gradebook.db")
    put(root, {"comments.toml": alike.format("Ten!")})
    put(tmp_path / "grades", {"comments.toml": alike.format("A dime.")})
    assert run(["grade", str(root), *options], course) == 0
    comment_text = "Task 1, from your instructor: Ten!\n\nTask 1, from your instructor: A dime."
    assert comments() == {"ada": None, "bob": comment_text, "cyd": "See me."}
    (root / "comments.toml").unlink()
    (tmp_path / "grades/comments.toml").unlink()
    assert run(["grade", str(root), *options], course) == 0
    assert comments() == {"ada": None, "bob": None, "cyd": "See me."}
    assert set(comments("coins-header").values()) == {"No response."}


@pytest.mark.needs_sandbox
def test_a_folder_whose_name_is_html_does_not_reach_formgrader(tmp_path):
    _, root = tiny_nbgrader_course(tmp_path)
    for name in ("ada", "<img src=x>", 'b" onclick="x'):
        put(root / "submitted" / name / STAGE, {"coins.py": REFERENCE})
    worked, log = step(root, "autograde")
    assert worked
    assert "<img src=x>: not graded: the folder's name contains < and >; rename the folder" in log
    assert """onclick="x: not graded: the folder's name contains "; rename""" in log
    assert [path.name for path in (root / "autograded").iterdir()] == ["ada"]
    assert [*submissions(f"sqlite:///{root}/gradebook.db")] == ["ada"]


def test_a_plain_nbgrader_course_says_that_its_scores_are_not_the_grade(tmp_path, monkeypatch):
    course, root = tiny_nbgrader_course(tmp_path)
    released = (root / f"release/{STAGE}/{NOTEBOOK}").read_text()
    plain = tmp_path / "plain"
    put(plain, {"nbgrader_config.py": "", f"source/{STAGE}/{NOTEBOOK}": released})
    monkeypatch.setattr(api, "Autograde", Autograde)  # nbgrader's own class
    with open_gradebook(NbgraderCourse(plain).gradebook):
        pass
    NbgraderCourse(plain).release(course.stages[0])
    put(plain / "submitted/ada" / STAGE, {NOTEBOOK: released})
    assert step(plain, "autograde")[0]
    for task in course.stages[0].tasks:
        (output, *_) = named(plain, "ada", f"check-{task.id}")["outputs"]
        assert "".join(output["text"]).startswith("This is not the grade: ")
