"""nbgrader autogrades across the trust boundary, whatever was handed in, and a person adds to it.

It is one test, step by step, because the steps follow one another as in a term.
"""

import json
import os
from contextlib import contextmanager

import nbformat
import pytest
from desks import BY_HAND, STAGE, cells, database, gradebook, scores, source_of, step, tiny_desk
from hearts_course.authoring.notebook import as_text, reference_notebook
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.nbgrader.course import NbgraderCourse
from hearts_course.nbgrader.gradebook import Gradebook
from hearts_course.submissions.find import find_submissions
from nbgrader import converters
from nbgrader.apps import api
from tiny_class import put
from tiny_course import REFERENCE

pytestmark = [
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]
NAMES = {"notebook": f"{STAGE}.ipynb"}
WRONG = REFERENCE.replace("10 if", "5 if")
LATE = """\
grace_days = 1
percent_per_day = 10

[due]
01-coins = 2026-10-01T23:59:00+02:00
"""


def hostile_notebook(stage):
    """Full of what nbgrader takes offence at; its program is right but for a coin's worth."""
    notebook = reference_notebook(stage)
    for cell in notebook.cells:
        if cell.id == "coins-coin":
            cell.source = cell.source.replace("10 if", "5 if")
        if cell.id == "check-worth":
            cell.source, cell.metadata.nbgrader.points = "2.0", 1000
            cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "1000.0"})]
        if cell.id == "manual-design":
            cell.source = "One job each, I <script>alert('hope')</script>."
    data = json.loads(as_text(notebook))
    data["cells"].append(dict(data["cells"][0], id="twice", source="### BEGIN HIDDEN TESTS"))
    data["cells"].append(dict(data["cells"][3], source="raise SystemExit", id="scratch"))
    data["cells"][-1]["metadata"] = {"nbgrader": {"schema_version": 0, "grade": True}}
    data["cells"] = [cell for cell in data["cells"] if cell["id"] != "check-total"]
    return json.dumps(data)


def hand_in(root, student, **files):
    folder = root / "submitted" / student / STAGE
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / NAMES.get(name, name.replace("_", "."))).write_text(text)
    return folder


@contextmanager
def class_of_six(kind, folder):
    with database(kind, folder) as url:
        (folder / "course/autograder").mkdir(parents=True)
        (folder / "course/autograder/late.toml").write_text(LATE)
        course, root = tiny_desk(folder, url, STAGE_TOML=BY_HAND)
        hand_in(root, "ada", coins_py=REFERENCE, timestamp_txt="2026-10-01 10:00:00 UTC")
        hand_in(root, "bob", notebook=hostile_notebook(course.stages[0]))
        hand_in(root, "cy", notebook='{"cells": [')
        hand_in(root, "dee", coins_py="import os\nos._exit(0)\n", timestamp_txt="the dog ate it")
        hand_in(root, "eve, jr", coins_py=WRONG, timestamp_txt="2026-10-04 12:00:00 UTC")
        fay = hand_in(root, "fay", coins_py=WRONG)
        hidden = course.root / f"autograder/{STAGE}"
        (fay / "tests").symlink_to(hidden)
        (fay / "notes.txt").symlink_to(hidden / "test_coins_hidden.py")
        os.mkfifo(fay / "pipe.txt")
        put(fay, {"README.md/read.txt": "me", f"{STAGE}.ipynb/x.txt": "me", "mine/x.txt": "me"})
        yield course, root


def autograded(root, student):
    return cells(root / "autograded" / student / STAGE / f"{STAGE}.ipynb")


def named(root, student, name):
    marked = {
        c["metadata"]["nbgrader"]["grade_id"]: c for c in autograded(root, student) if marks(c)
    }
    return marked[name]


def test_a_plain_nbgrader_course_says_that_its_scores_are_not_the_grade(tmp_path, monkeypatch):
    course, desk = tiny_desk(tmp_path)
    released = (desk / f"release/{STAGE}/{STAGE}.ipynb").read_text()
    plain = tmp_path / "plain"
    put(plain, {"nbgrader_config.py": "", f"source/{STAGE}/{STAGE}.ipynb": released})
    monkeypatch.setattr(api, "Autograde", converters.Autograde)  # as before `configure`
    Gradebook(NbgraderCourse(plain).gradebook).close()
    NbgraderCourse(plain).release(course.stages[0])
    hand_in(plain, "ada", notebook=released)
    assert step(plain, "autograde")[0]
    said = [
        "".join(cell["outputs"][0]["text"]) for cell in autograded(plain, "ada") if graded(cell)
    ]
    assert len(said) == len(course.stages[0].tasks)
    assert all(text.startswith("This is not the grade: ") for text in said)


def graded(cell):
    return marks(cell) and marks(cell)["grade"]


def marks(cell):
    return cell["metadata"].get("nbgrader")


def every_submission_gets_its_line_and_the_score_that_hearts_grade_gives(course, root):
    well, log = step(root, "autograde")
    assert well
    lines = {
        line.split("] ")[1].split(": ")[0]: line for line in log.splitlines() if " of 6" in line
    }
    layout = find_submissions(root, course)
    expected = {one.path.parent.name: grade_one(GradeJob(one.stage, one)) for one in layout.paths}
    assert scores(root) == {name: result.score for name, result in expected.items()}
    assert scores(root) == {"ada": 6, "bob": 4, "cy": 0, "dee": 0, "eve, jr": 4, "fay": 4}
    assert set(lines) == set(expected)
    assert "6 of 6, graded" in lines["ada"]
    assert "is not a notebook: broken at line 1" in lines["cy"]
    assert "ended by itself" in lines["dee"]
    assert "late" in log


def formgrader_lists_everybody(course, root):
    from nbgrader.apps.api import NbGraderAPI

    desk = NbgraderCourse(root)
    listed = NbGraderAPI(desk.app.coursedir, parent=desk.app).get_submissions(STAGE)
    assert {one["student"]: one["autograded"] for one in listed} == dict.fromkeys(
        scores(root), True
    )


def a_program_in_files_is_shown_in_the_notebooks_cells(course, root):
    assert "10 if self.face" in source_of(named(root, "ada", "coins-coin"))
    assert (root / f"autograded/ada/{STAGE}/coins.py").read_text() == REFERENCE


def of_a_notebook_only_its_words_are_kept(course, root):
    check = named(root, "bob", "check-worth")
    assert check["metadata"]["nbgrader"]["points"] == 2
    assert source_of(check).endswith('check("worth")')
    assert "came back    5" in json.dumps(check["outputs"])
    words = source_of(named(root, "bob", "manual-design"))
    assert "I <script>alert('hope')</script>." in words
    assert "raise SystemExit" in map(source_of, autograded(root, "bob"))
    named(root, "bob", "check-total")


def no_link_is_followed(course, root):
    names = {path.name for path in (root / f"autograded/fay/{STAGE}").rglob("*")}
    assert names >= {f"{STAGE}.ipynb", "coins.py", "README.md", "test_coins.py"}
    assert names.isdisjoint({"tests", "notes.txt", "pipe.txt"})


def a_folder_that_is_in_the_way_of_a_file_of_ours_is_left_out(course, root):
    place = root / f"autograded/fay/{STAGE}"
    assert [path.relative_to(place).as_posix() for path in place.rglob("*.txt")] == ["mine/x.txt"]
    assert (place / "README.md").is_file()


def a_person_grades_design_of_whatever_could_be_read(course, root):
    with gradebook(root) as book:

        def waits(student):
            return book.find_grade("manual-design", STAGE, STAGE, student).needs_manual_grade

        assert [waits(name) for name in ("ada", "bob", "dee", "cy")] == [True, True, True, False]
        grade = book.find_grade("manual-design", STAGE, STAGE, "ada")
        grade.manual_score, grade.needs_manual_grade = 3.0, False
        book.db.commit()
    assert scores(root)["ada"] == 9


def a_manual_grade_survives_grading_again(course, root):
    assert step(root, "autograde", "ada")[0]
    assert scores(root)["ada"] == 9


def what_coming_late_costs_is_taken_off_each_day_begun_after_the_grace(course, root):
    with gradebook(root) as book:
        penalties = {
            s.student.id: s.late_submission_penalty for s in book.find_assignment(STAGE).submissions
        }
    assert penalties == {"ada": 0, "bob": 0, "cy": 0, "dee": 0, "eve, jr": 0.8, "fay": 0}


def feedback_shows_what_is_wrong_and_no_hidden_test(course, root):
    well, _ = step(root, "generate_feedback")
    assert well
    pages = {p.parent.parent.name: p.read_text() for p in root.glob(f"feedback/*/{STAGE}/*.html")}
    assert set(pages) == set(scores(root))
    for page in pages.values():
        assert "def test_richest" not in page
        assert "poor, rich" not in page
    assert "came back" in pages["bob"]
    assert "<script>alert" not in pages["bob"]
    released = b"".join(path.read_bytes() for path in (root / "feedback").rglob("*.*"))
    assert b"poor, rich" not in released


def scores_are_exported_by_nbgrader_and_by_ours(course, root):
    from hearts_course.nbgrader.hooks import Export
    from nbgrader.plugins import CsvExportPlugin

    with gradebook(root) as book:
        CsvExportPlugin(to=str(root / "theirs.csv")).export(book)
        Export(to=str(root / "ours.csv")).export(book)
    theirs = (root / "theirs.csv").read_text()
    assert f"{STAGE},2026-10-01 21:59:00,2026-10-01 10:00:00,ada,,,,9.0,0.0,9.0,10.0" in theirs
    assert (root / "ours.csv").read_text().splitlines() == [
        "student,stage,score,max_score,late_penalty,status",
        "ada,01-coins,9.0,10.0,0.0,graded",
        "bob,01-coins,4.0,10.0,0.0,awaits manual grading",
        "cy,01-coins,0.0,10.0,0.0,graded",
        "dee,01-coins,0.0,10.0,0.0,awaits manual grading",
        '"eve, jr",01-coins,3.2,10.0,0.8,awaits manual grading',
        "fay,01-coins,4.0,10.0,0.0,awaits manual grading",
    ]


def what_cannot_be_graded_says_so(course, root):
    well, log = step(root, "autograde", "nobody")
    assert not well
    assert "no submission of nobody" in log


STEPS = (
    every_submission_gets_its_line_and_the_score_that_hearts_grade_gives,
    formgrader_lists_everybody,
    a_program_in_files_is_shown_in_the_notebooks_cells,
    of_a_notebook_only_its_words_are_kept,
    no_link_is_followed,
    a_folder_that_is_in_the_way_of_a_file_of_ours_is_left_out,
    a_person_grades_design_of_whatever_could_be_read,
    a_manual_grade_survives_grading_again,
    what_coming_late_costs_is_taken_off_each_day_begun_after_the_grace,
    feedback_shows_what_is_wrong_and_no_hidden_test,
    scores_are_exported_by_nbgrader_and_by_ours,
    what_cannot_be_graded_says_so,
)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_term_at_the_desk(kind, tmp_path):
    with class_of_six(kind, tmp_path) as (course, root):
        for follow in STEPS:
            follow(course, root)
