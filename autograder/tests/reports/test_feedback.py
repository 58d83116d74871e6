"""Feedback in its three forms: the same said in each, and nothing a student wrote is markup."""

from dataclasses import replace

import pytest
from hearts_course.course import Manual
from hearts_course.grading.misconceptions import load_patterns
from hearts_course.reports.feedback import RENDERINGS, feedback, pages
from hearts_course.reports.feedback_markdown import plain
from hearts_course.results import Prerequisites, Status
from hearts_course.submissions.model import Submission
from tiny_class import STAGE, course_with_starter, result
from tiny_course import REFERENCE

WRONG = REFERENCE.replace("10 if", "5 if")
EVIL = "</pre><script>alert(1)</script>`````\n# x [a](javascript:b) \x1b[2J\u202e"
FORMS = pytest.mark.parametrize("form", RENDERINGS)


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path)


@pytest.fixture
def stage(course):
    return course.stages[0]


def told(stage, given, source=WRONG, after=None):
    submission = Submission(given.student, STAGE, {"coins": source})
    return feedback(given, stage, submission, load_patterns(stage), after)


def failing(course, **changes):
    """A result that fails just what a dime that is worth five fails."""
    given = result(course, "ada", 1)
    worth = replace(given.tasks[0].tests[1], name="test_coins.py::test_worth[1]")
    first = replace(given.tasks[0], tests=(given.tasks[0].tests[0], worth))
    return replace(given, tasks=(first, *given.tasks[1:]), **changes)


@FORMS
def test_each_form_says_the_points_the_rule_the_code_the_slip_and_what_to_read(course, stage, form):
    text = pages(told(stage, failing(course)))[form]
    for words in (
        "1 of 2",
        "1 of 2 checks pass: 1 of 2 points; each of them is worth 1 point",
        "A dime is worth ten pence.",
        "came back    5",
        "Your code, coins.py, lines",
        "return 5 if self.face",
        "just like one that has this slip: “a dime is worth five”",
        "Task 1: What a coin is worth",
        "hearts hint worth",
    ):
        assert words in " ".join(text.split()) or words in text, words


@FORMS
def test_nothing_that_a_student_wrote_is_markup_or_steers_anything(course, stage, form):
    given = result(course, EVIL, 1, message=EVIL, text=f"{EVIL}\n  in  coins.py, line 3: x")
    text = pages(told(stage, given, f"class Coin:\n    def worth(self):\n        {EVIL}\n"))[form]
    assert all(character.isprintable() or character == "\n" for character in text)
    if form == ".html":
        assert "<script" not in text
    if form == ".md":
        fences = [line for line in text.split("\n") if line.startswith("``````")]
        assert fences[0::2] == ["``````text"] * len(fences[0::2])
        assert fences[1::2] == ["``````"] * len(fences[0::2])
        outside = "".join(part for i, part in enumerate(text.split("``````")) if i % 2 == 0)
        assert "<script" not in outside.replace("\\<", "")


def test_markdown_takes_a_students_words_as_words():
    assert plain("[a](b) <i>\n*x* `y`") == r"\[a\]\(b\) \<i\> \*x\* \`y\`"


@FORMS
def test_an_unreadable_program_is_shown_where_it_cannot_be_read(course, stage, form):
    given = result(
        course, "ada", status=Status.UNREADABLE, message="coins.py, line 2 (class): cannot read"
    )
    text = pages(told(stage, given, "import os\nclass\nx = 1\n"))[form]
    assert "Your code, coins.py, lines 1 to 4" in text
    assert "Mend what is said above" in text


@FORMS
def test_who_handed_in_nothing_has_pages(course, stage, form):
    given = result(
        course, "ada", status=Status.MISSING, message="nothing was handed in for 01-coins"
    )
    assert "nothing was handed in" in pages(feedback(given, stage))[form]


@FORMS
def test_earlier_stages_and_what_was_not_made_are_said(course, stage, form):
    given = failing(course, prerequisites=Prerequisites(1.0, 2.5))
    first = replace(given.tasks[0], skipped=("no terminal here", "no terminal here"))
    given = replace(given, tasks=(first, *given.tasks[1:]))
    text = " ".join(pages(told(stage, given))[form].split())
    assert "your own earlier stages this comes to 1 points, with ours to 2.5" in text
    assert "Not made (2): no terminal here" in text


@FORMS
def test_what_is_not_in_the_points_is_said(course, stage, form):
    by_hand = (Manual("design", "Design", 4), Manual("names", "Names", 1))
    text = " ".join(pages(told(replace(stage, manual=by_hand), failing(course)))[form].split())
    assert "Design: up to 4 points more, which a person gives." in text
    assert "Names: up to 1 point more, which a person gives." in text
    assert "What a person gives and what coming late costs are not in these points." in text


def test_who_has_all_is_sent_on(course, stage):
    full = result(course, "ada")
    full = replace(full, tasks=tuple(replace(t, score=t.max_score) for t in full.tasks))
    later = replace(stage, title="Banks", name="02-banks")
    onward = pages(told(stage, full, after=later))[".txt"]
    assert "The next stage is Banks.\nRead briefs/02-banks.md." in onward
    assert "this was the last stage" in pages(told(stage, full))[".txt"]


def test_text_keeps_to_its_width(course, stage):
    given = failing(course, message="a word " * 60)
    lines = pages(told(stage, given))[".txt"].split("\n")
    assert max(map(len, lines)) <= 100
