"""Commands that ask about a student's own program, and that show programs side by side."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hearts_course import cli
from hearts_course.brief import load_discussion
from hearts_course.course import INSTALLED, Course, find_course
from hearts_course.files import zipped
from hearts_course.results import Outcome, TestResult, score_stage
from hearts_course.student.explain import NONE, changeable_places, discussion_text, questions
from hearts_course.student.packing import pack_work
from hearts_course.student.work import find_work
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.read import read_found
from hearts_grader.nbgrader.grader_view import notebook_to_grade
from hearts_grader.reports.student_pages import FeedbackWriter
from proofs import slow_as_proofs
from student_course import start_workspace, student_course, use
from surroundings import typed
from tiny_course import BRIEF, REFERENCE, STAGE_TOML
from transcripts import case_names, replay

CASES = Path(__file__).with_name("cases") / "student"
NOTICE = "## What a reader should notice\n\n- `max` needs no loop.\n"
MODEL = "\n\n```python\ndef two():\n    return 2\n```\n\n```pycon\n>>> two()\n2\n```"
LESSON = BRIEF.replace("Coins differ.", "Coins differ.\n\n```pycon\n>>> 1 + 1\n2\n```")
HOUSE_RULES = """
[variants]
book = "Purse({})"
standard = "Purse()"
[[variants.choice]]
"face=1" = "All coins have one face."
[[variants.choice]]
"worth=3, add=2" = "Only dimes are worth something."
"""
DIME = {
    "task": "worth",
    "code": 'Coin("dime").worth',
    "right": "10",
    "choices": ["5", "10"],
    "why": "a dime is worth ten",
}
DISCUSS = "# For discussion\n\n## Other coins\n\nWhat if there were a crown?\n"


@pytest.mark.parametrize("case", slow_as_proofs(["alone", "reflect"], case_names(CASES)))
def test_transcript(case, tmp_path, monkeypatch, capsys):
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    course = student_course(
        tmp_path / (INSTALLED if case == "alone" else "course"),
        BRIEF=LESSON.replace("### Exactly", f"### Exactly{MODEL}", 1),
        STAGE_TOML=STAGE_TOML + HOUSE_RULES * (case == "reflect"),
    )
    (stage,) = course.stages
    (stage.assignment / "discuss.md").write_text(DISCUSS, encoding="utf-8")
    if case == "reflect":
        stage.questions.write_text(json.dumps({"predict": [DIME]}), encoding="utf-8")
    (stage.solution / "design.md").write_text(NOTICE, encoding="utf-8")
    third = stage.autograder / "alternatives/third"
    third.mkdir(parents=True)
    (third / "coins.py").write_text(REFERENCE.replace("sum(", "1 * sum("), encoding="utf-8")
    use(course, monkeypatch)

    def copy(names):
        target = Path(names[1])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(names[0], target)

    def write(words):
        Path(words[0]).write_text(words[1], encoding="utf-8")

    replay(
        CASES / case,
        capsys,
        enter=lambda names: os.chdir(names[0]),
        copy=copy,
        type=lambda words: typed(monkeypatch, words),
        hide=lambda names: shutil.rmtree(course.root / names[0]),
        solve=lambda names: write([names[0], REFERENCE]),
        write=write,
        remove=lambda names: Path(names[0]).unlink(),
    )


PLACES = """\
def richest(cards, low, high):
    if low > high:
        raise ValueError(f"{list(cards)}")
    elif not cards:
        raise IndexError
    while low < high:
        low += 1
    return min(sorted(
        cards, reverse=True)) if low and cards else tuple(*cards)

def own(cards):
    return list(cards)
"""


def test_a_clinic_has_nothing_to_explain(tmp_path, monkeypatch, capsys):
    use(find_course(), monkeypatch)
    monkeypatch.chdir(start_workspace(find_course(), tmp_path).root)
    assert cli.run(["explain", "02-clinic"]) == 2
    assert "02-clinic is a clinic, which has nothing to explain" in capsys.readouterr().err


def test_each_change_is_a_program_in_which_the_other_lines_keep_their_numbers(tmp_path):
    (stage,) = student_course(tmp_path).stages
    places = sorted(changeable_places(stage, {"coins": PLACES}), key=lambda one: one.change)
    assert [(place.line, place.change) for place in places] == [
        (4, "`if not cards:` and its `raise` were missing"),
        (2, "`low > high` were `low >= high`"),
        (9, "`low and cards` were `low or cards`"),
        (8, "`min(...)` were `max(...)`"),
        (8, "`sorted(cards, reverse=True)` were `cards`"),
    ]
    for place in places:
        text = place.modules["coins"]
        compile(text, "coins.py", "exec")
        assert text.split("\n")[11:] == PLACES.split("\n")[11:]


def test_a_check_that_failed_before_the_change_is_not_asked_about(tmp_path):
    (stage,) = student_course(tmp_path).stages
    program = {"coins": PLACES}

    def run(modules, tasks):
        passing = {"always": True, "never": False, "before": modules == program}
        tests = [
            TestResult(topic, topic, False, Outcome.PASSED if passes else Outcome.FAILED)
            for topic, passes in passing.items()
        ]
        return score_stage(stage, "", {"total": tests}, sandbox="none")

    asked = questions(stage, program, run)
    again = questions(stage, program, run)
    assert [question.place.line for question in asked] == [
        question.place.line for question in again
    ]
    assert [question.options[question.right] for question in asked] == ["before", "before"]
    assert [set(question.options) for question in asked] == [{"always", "before", NONE}] * 2


# A topic that shares words with exactly one place in the program below.
TOLD = "If there are no cards, richest raises IndexError"


@pytest.mark.parametrize("topics", [["Other things"], []])
def test_an_answer_that_words_give_away_becomes_a_question_about_a_call(tmp_path, topics):
    (stage,) = student_course(tmp_path).stages
    asked = [
        {"task": "total", "code": c, "right": "1", "choices": ["1", "2"], "why": ""} for c in "xy"
    ]
    stage.questions.write_text(json.dumps({"predict": asked}), encoding="utf-8")
    source = "def richest(cards):\n    if not cards:\n        raise IndexError('no cards')\n"
    program = {"coins": source}

    def run(modules, tasks):
        outcome = Outcome.PASSED if modules == program else Outcome.FAILED
        tests = [TestResult(TOLD, TOLD, False, outcome)]
        tests += [TestResult(topic, topic, False, Outcome.PASSED) for topic in topics]
        assert tasks == ("total",)
        return score_stage(stage, "", {"total": tests}, sandbox="none")

    def show(modules, codes):
        return ["7", "1" if modules == program else "7"]

    assert questions(stage, program, run) == ()
    (question,) = questions(stage, program, run, show=show)
    assert (question.call, question.message) == ("y", "1")
    assert set(question.options) == {"7", "1", "2"}
    assert question.options[question.right] == "7"


def test_no_more_programs_are_tried_than_a_student_waits_for(tmp_path):
    (stage,) = student_course(tmp_path).stages
    runs = []

    def run(modules, tasks):
        runs.append(tasks)
        tests = [TestResult(topic, topic, False, Outcome.PASSED) for topic in "ab"]
        return score_stage(stage, "", {"total": tests}, sandbox="none")

    questions(stage, {"coins": PLACES}, run)
    assert runs == [("total",)] * 4


def test_an_answer_is_shown_as_text_to_whoever_grades(tmp_path):
    course = student_course(tmp_path / "course")
    (stage,) = course.stages
    root = start_workspace(course, tmp_path / "mine").root
    (root / "coins.py").write_text(REFERENCE, encoding="utf-8")
    text = f"## {stage.name}\n\n<b>No.</b>\n\n## 02-bank\n\nYes.\n"
    (root / "answers.md").write_text(text, encoding="utf-8")
    path = pack_work(root, find_work(root, stage)).path
    slot = SubmissionPath("ada", stage, path)
    submission = read_found(slot)
    assert (submission.problem, submission.note) == ("", "")
    assert submission.answers == f"## {stage.name}\n\n<b>No.</b>"
    result = replace(score_stage(stage, "ada", {}, sandbox="none"), score=stage.points)
    pages = FeedbackWriter(course).pages(result, slot)
    assert "&lt;b&gt;No.&lt;/b&gt;" in pages[".html"]
    assert f"```text\n{submission.answers}\n```" in pages[".md"]
    assert notebook_to_grade(stage, path, submission).cells[-1].source.endswith("<b>No.</b>\n```")


def test_a_question_without_an_answer_is_not_handed_in(tmp_path):
    stage = student_course(tmp_path / "course").stages[0]
    (stage.assignment / "discuss.md").write_text("# For discussion\n\n## Why?\n\nSay it.\n")
    root = start_workspace(Course(stage.root), tmp_path / "mine").root
    (root / "coins.py").write_text(REFERENCE, encoding="utf-8")
    work = find_work(root, stage)
    assert "Why?" in discussion_text(root, stage, work.modules)
    asked = (root / "answers.md").read_text(encoding="utf-8")
    assert asked.startswith("## 01-coins\n\n### Why?")
    assert read_found(SubmissionPath("ada", stage, pack_work(root, work).path)).answers == ""
    (root / "answers.md").write_text(f"{asked}Because.\n", encoding="utf-8")
    answers = read_found(SubmissionPath("ada", stage, pack_work(root, work).path)).answers
    assert answers.endswith("Because.")
    zipped_before = zipped({"coins.py": REFERENCE.encode(), "answers.md": asked.encode()})
    (tmp_path / "old.zip").write_bytes(zipped_before)
    assert read_found(SubmissionPath("ada", stage, tmp_path / "old.zip")).answers == ""


def test_every_stage_has_questions_for_discussion():
    for stage in find_course().counted:
        assert 2 <= len(load_discussion(stage)) <= 4, stage.name
