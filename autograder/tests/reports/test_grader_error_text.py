"""The text of a grader error is for the instructor: no form that reaches a student repeats it.

A program can put its own words into this text, such as what a hidden test asked.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hearts_course.cli import run
from hearts_course.course import Course
from hearts_course.reports.feedback import RENDERINGS, feedback
from hearts_course.results import NOT_GRADED, Result, Status
from hearts_course.submissions.model import Submission
from hearts_grader.cli.exporting import FORMS
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from hearts_grader.lms import documents
from hearts_grader.lms.feedback_files import PLATFORMS
from hearts_grader.nbgrader.grader_view import check_outputs
from hearts_grader.release import in_gradescope
from student_course import use
from tiny_class import STAGE, course_with_starter, put, result, zipped
from tiny_course import HIDDEN, REFERENCE

ORIGIN = documents.Provenance.of_digest(STAGE, "mallory", "0" * 64, "2026-10-01T10:00:00Z")
CANARY = "HIDDEN INPUTS: dime, penny"
TELLING = f'{REFERENCE}\nrichest.__name__ = "coins.py, line 3: {CANARY}"\n'
# This suite fails with the reference too, so the result is a grader error. The program chooses the
# text of the error.
BROKEN = HIDDEN.replace(
    "poor, rich =", "raise SystemError(coins.richest.__name__)\n    poor, rich ="
)
FOR_THE_INSTRUCTOR = {
    f"results/mallory/{STAGE}.json",
    f"history/mallory/{STAGE}.jsonl",
    "report.html",
    "report/faults.csv",
}
TABLES = {
    "canvas": "Student,ID,Coins (01-coins) (4711)\n    Points Possible,,6.00\nada,1201,\n",
    "moodle": 'Identifier,"Full name",Grade,"Maximum Grade"\n"Participant 501",ada,,6.00\n',
}


@pytest.fixture(name="course")
def _course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    course = course_with_starter(tmp_path / "course")
    (course.root / f"autograder/stages/{STAGE}/test_coins_hidden.py").write_text(BROKEN)
    use(course, monkeypatch)
    monkeypatch.chdir(tmp_path)
    return course


def failed(course: Course) -> Result:
    """Return a grader error that has tests, and a message with a line number and the canary."""
    full_result = result(course, "mallory", status=Status.GRADER_ERROR)
    return replace(full_result, message=f"coins.py, line 3: {CANARY}")


def test_only_files_of_the_instructor_say_why_the_grader_failed(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    put(Path("class/mallory") / STAGE, {"coins.py": TELLING})
    assert run(["grade", "class", "--out", "out", "--sandbox", "none", "--jobs", "1"]) == 1
    assert CANARY in " ".join(capsys.readouterr().out.split())
    record = json.loads(Path(f"out/results/mallory/{STAGE}.json").read_text())
    assert (record["status"], CANARY in record["message"]) == ("grader-error", True)
    files = {path for path in Path("out").rglob("*") if path.is_file()}
    telling = {path for path in files if CANARY.encode() in path.read_bytes()}
    assert {path.relative_to("out").as_posix() for path in telling} == FOR_THE_INSTRUCTOR
    for ending in RENDERINGS:
        page = Path(f"out/feedback/mallory/{STAGE}{ending}").read_text(encoding="utf-8")
        assert NOT_GRADED in " ".join(page.split())


@pytest.mark.parametrize("form", FORMS)
def test_no_export_says_why_the_grader_failed(
    course: Course, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for exported in (failed(course), result(course, "ada")):
        Store(Path("grades")).results.save(Record(exported, None))
    command = ["export", "grades", "--to", form]
    if form in TABLES:
        put(Path(), {"table.csv": TABLES[form]})
        command += ["--into", "table.csv"]
    if form in PLATFORMS:
        folder = "ada_1_assignsubmission_file/" if form == "moodle-feedback" else "ada_1_2_"
        put(Path(), {"class.zip": zipped({f"{folder}coins.py": ""})})
        command += ["--into", "class.zip"]
    assert run(command) == 1
    out = Path("grades/manual" if form == "manual" else "grades/export")
    written = [path for path in out.rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if CANARY.encode() in path.read_bytes()]
    assert CANARY not in "".join(capsys.readouterr())


RENDERED = {
    **{
        f"feedback {ending}": lambda one, stage, render=render: render(
            feedback(one, stage, Submission("mallory", STAGE, {"coins": REFERENCE}))
        )
        for ending, render in RENDERINGS.items()
    },
    **{
        f"export {name}": lambda one, stage, form=form: form.text(one, stage, ORIGIN)
        for name, form in documents.FORMATS.items()
    },
    "the verdict of an export": documents.result_text,
    "a check cell in nbgrader": lambda one, stage: check_outputs(one, stage)["worth"],
}


@pytest.mark.parametrize("name", RENDERED)
def test_no_form_for_students_says_why_the_grader_failed(course: Course, name: str) -> None:
    """Test even the forms that no command uses for a grader error today."""
    text = RENDERED[name](failed(course), course.stages[0])
    assert CANARY not in text
    assert "line 3" not in text
    if name != "export classroom50":  # this export has only scores
        assert NOT_GRADED in " ".join(text.replace("\\", "").split())
        assert "could not be read" not in text


def test_on_gradescope_only_the_output_for_staff_says_it(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    put(Path("there/submission"), {"coins.py": TELLING})
    status = in_gradescope.main("01-coins", Path("there"), course=course, sandbox="none")
    assert status == 1
    assert CANARY in capsys.readouterr().err
    assert not Path("there/results").exists()
