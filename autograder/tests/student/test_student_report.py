"""What a check tells the student, in text and in HTML."""

import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hearts_course.course import Stage, Task
from hearts_course.reports.task_summary import TopicStatus
from hearts_course.results import Outcome, TestResult, score_stage
from hearts_course.student.page import error_html, hint_markdown, progress_markdown, report_html
from hearts_course.student.progress import Hint, stage_progress
from hearts_course.student.report import NOTEBOOK, TERMINAL, lines_by_kind, report_on
from hearts_course.student.state import LastCheck, StudentState
from hearts_course.student.terminal import (
    command_line,
    error_text,
    hint_text,
    markdown_text,
    report_text,
    without_colour,
)
from hearts_course.testing.messages import TO_TRY
from rich.console import Console, Group
from student_course import student_course

TASKS = (Task("read", "Read a card", 3, ("parse",)), Task("sort", "Sort", 2, ("sort",)))
PASSED = Outcome.PASSED
FAILED = Outcome.FAILED
MISSED = Outcome.NOT_REACHED


@pytest.fixture
def stage(tmp_path):
    return Stage("01-cards", tmp_path, "Cards", ("cards.py",), TASKS, "all", "1")


def ran(*outcomes, topic="T is ten.", message='parse("TH")\n  came back "HT"', stub=None):
    """Return a test result for each outcome.

    `stub` is the number of the task whose unwritten definition was called.
    """
    return [
        TestResult(f"t{i}", topic, False, outcome, message, stub=stub)
        if outcome is not PASSED
        else TestResult(f"t{i}", topic, False, outcome)
        for i, outcome in enumerate(outcomes)
    ]


def report(stage, *, task=None, message="", commands=TERMINAL, skipped=None, untouched=(), **tests):
    result = score_stage(stage, "", tests, sandbox="none", message=message, skipped=skipped or {})
    result = result.with_untouched(untouched)
    return report_on(stage, result, where="cards.py", commands=commands, task=task)


def text_of(report):
    return without_colour(report_text(report))


@pytest.mark.parametrize(
    ("tests", "status", "words"),
    [
        (ran(PASSED, PASSED), TopicStatus.PASSED, "passed"),
        (ran(PASSED, FAILED, Outcome.TIMEOUT), TopicStatus.PARTLY, "1 of 3 checks pass"),
        (ran(FAILED, stub=1), TopicStatus.BEGUN, "not finished yet"),
        (ran(FAILED, stub=0), TopicStatus.BEGUN, "not finished yet"),
        (ran(PASSED, FAILED, stub=1), TopicStatus.BEGUN, "not finished yet"),
        (ran(FAILED, stub=2), TopicStatus.FAILED, "0 of 1 check passes"),
        (ran(FAILED) + ran(FAILED, stub=1), TopicStatus.FAILED, "0 of 2 checks pass"),
        (ran(FAILED, message="not written yet"), TopicStatus.FAILED, "0 of 1 check passes"),
        (ran(MISSED, MISSED), TopicStatus.NOT_REACHED, "not reached"),
        ([], TopicStatus.NOT_REACHED, "not reached"),
    ],
)
def test_the_status_of_a_task(stage, tests, status, words):
    first = report(stage, read=tests).tasks[0]
    assert (first.status, first.words) == (status, words)


def test_skipped_checks_are_noted_with_the_reason(stage):
    skipped = {"read": ["no judge", "no judge"]}
    checked = report(stage, read=ran(PASSED), sort=ran(PASSED), skipped=skipped)
    assert checked.tasks[0].words == "passed, 2 checks not run"
    assert (checked.tasks[0].points, checked.score, checked.max_score) == ("? of 3 points", 2, 2)
    for shown in (text_of(checked), report_html(checked)):
        assert "? of 3 points" in shown
        assert "2 of 2 points; 3 points can only be given by the grader." in shown
        assert "Note: 2 checks of task 1 could not be run here: no judge" in shown


def test_what_is_not_saved_comes_first(stage):
    checked = replace(report(stage, read=ran(PASSED)), unsaved="save it")
    assert text_of(checked).startswith("Note: save it\n01 Cards")
    html = report_html(checked)
    assert html.index("Note: save it.") < html.index("Task 1")


def test_an_untouched_task_has_no_failures(stage):
    checked = report(stage, read=ran(FAILED), sort=ran(PASSED), untouched={"read", "sort"})
    assert [task.status for task in checked.tasks] == [TopicStatus.UNWRITTEN, TopicStatus.PASSED]
    assert checked.tasks[0].failures == ()
    assert "  A hint: hearts hint read\n" in text_of(checked)


def test_in_a_clinic_the_fault_may_be_in_the_test_so_its_hint_is_offered_too(stage):
    later_task = replace(TASKS[1], builds_on=("read",))
    stage = replace(stage, tasks=(TASKS[0], later_task))
    for clinic, hints in (("", ()), ("01-cards", ("hearts hint read",))):
        checked = report(replace(stage, clinic=clinic), read=ran(PASSED), sort=ran(FAILED))
        assert checked.tasks[1].other_hints == hints
        assert ("  A hint: hearts hint sort\n  Or: hearts hint read\n" in text_of(checked)) is bool(
            hints
        )
        assert ("<code>hearts hint read</code>" in report_html(checked)) is bool(hints)


def test_the_points_of_the_tasks_are_added(stage):
    checked = report(stage, read=ran(PASSED, FAILED, PASSED), sort=ran(PASSED))
    assert (checked.score, checked.max_score, checked.passed) == (4, 5, False)
    assert report(stage, read=ran(PASSED), sort=ran(PASSED)).passed
    alone = report(stage, task=TASKS[1], sort=ran(PASSED))
    assert ([task.summary.title for task in alone.tasks], alone.max_score) == (["Sort"], 2)


def test_a_task_shows_no_failures_while_a_task_it_builds_on_fails(stage):
    later_task = replace(TASKS[1], builds_on=("read",))
    stage = replace(stage, tasks=(TASKS[0], later_task))
    waits = report(stage, read=ran(FAILED), sort=ran(PASSED, FAILED)).tasks[1]
    assert (waits.words, waits.failures) == ("may follow from task 1", ())
    assert report(stage, read=ran(PASSED), sort=ran(FAILED)).tasks[1].failures
    assert report(stage, task=later_task, sort=ran(FAILED)).tasks[0].failures
    assert report(stage, read=ran(FAILED), sort=ran(PASSED)).tasks[1].words == "passed"


@pytest.mark.parametrize(("task", "shown", "left_out"), [(None, 3, 2), (TASKS[0], 5, 0)])
def test_only_the_check_of_one_task_shows_all_topics(stage, task, shown, left_out):
    many = [test for i in range(5) for test in ran(FAILED, topic=f"Topic {i}.")]
    task_report = report(stage, task=task, read=many).tasks[0]
    assert (len(task_report.failures), task_report.left_out) == (shown, left_out)


def test_the_text_shows_every_task_and_its_failures(stage):
    assert text_of(report(stage, read=ran(PASSED, FAILED, FAILED))) == (
        "01 Cards  (cards.py)\n"
        "\n"
        " ◐  1  Read a card  1 of 3 points  1 of 3 checks pass\n"
        " –  2  Sort         0 of 2 points  not reached\n"
        "\n"
        "✗ Task 1: Read a card\n"
        "  T is ten.\n"
        'parse("TH")\n'
        '      came back "HT"\n'
        "  (1 more check of this fails)\n"
        "\n"
        "  A hint: hearts hint read\n"
        "\n"
        "1 of 5 points. Your grade comes from these visible checks and from others about\n"
        "the same rules.\n"
    )


def test_a_block_to_type_first_ends_with_an_empty_line(stage):
    block = f"total([])\n  came back 1\n{TO_TRY}\n    def total(coins):\n        return sum(coins)"
    shown = text_of(report(stage, read=ran(FAILED, FAILED, message=block)))
    assert "\n    return sum(coins)\n\n  (1 more check of this fails)" in shown
    line = f"total([])\n  came back 1\n{TO_TRY}\n    from coins import total"
    shown = text_of(report(stage, read=ran(FAILED, FAILED, message=line)))
    assert "import total\n  (1 more" in shown


def test_checks_that_were_not_run_are_not_said_to_fail(stage):
    assert "more check" not in text_of(report(stage, read=ran(FAILED, MISSED, MISSED)))


def test_why_a_check_was_not_run_is_said_once(stage):
    """A failing task shows the reason below its failures; for all other tasks, a note shows it."""
    missed = ran(MISSED, topic="T is in order.", message="`parse` did not end in another check")
    failing = [*ran(Outcome.TIMEOUT), *missed]
    shown = text_of(report(stage, read=failing, sort=ran(PASSED)))
    assert "1 check not tried: `parse` did not end in another check" in shown
    assert shown.count("`parse` did not end") == 1
    both = report(stage, read=failing, sort=missed)
    assert len(both.not_run) == 1
    assert [note for note in both.notes if "did not end" in note] == [
        "1 more check was not run: `parse` did not end in another check"
    ]


def test_checks_that_were_not_tried_are_counted_alike_in_all_places(stage):
    """A topic may have checks that were tried, and others that were not."""
    missed = ran(MISSED, topic="T is in order.", message="`parse` did not end in another check")
    shown = text_of(report(stage, read=[*ran(Outcome.TIMEOUT, MISSED), *missed]))
    assert "0 of 3 checks pass, 2 not tried" in shown
    assert "2 checks not tried: `parse` did not end" in shown


def test_a_task_that_may_follow_is_shown_once_with_its_unreached_checks(stage):
    later_task = replace(TASKS[1], builds_on=("read",))
    stage = replace(stage, tasks=(TASKS[0], later_task))
    missed = ran(MISSED, topic="T is in order.", message="`parse` did not end in another check")
    shown = text_of(report(stage, read=ran(FAILED), sort=[*ran(FAILED), *missed]))
    assert shown.count("✗ Task 2: Sort") == 1
    assert shown.index("✗ Task 2") < shown.index("1 check not tried: `parse`")


def test_a_task_that_is_checked_alone_names_the_task_below_it_that_did_not_pass(stage):
    later_task = replace(TASKS[1], builds_on=("read",))
    stage = replace(stage, tasks=(TASKS[0], later_task))
    result = score_stage(stage, "", {"sort": ran(FAILED)}, sandbox="none")

    def begins(**checks):
        state = StudentState(checks=checks)
        checked = report_on(
            stage, result, where="cards.py", commands=TERMINAL, task=later_task, state=state
        )
        return checked.begin_with

    said = "Task 1 did not pass when last checked, and task 2 may build on it."
    assert begins(read=LastCheck(0, 1, 0)) == said
    assert begins(read=LastCheck(1, 1, 3)) == ""
    assert begins() == ""


def test_a_program_that_cannot_be_checked_shows_only_why(stage):
    shown_report = report(stage, message="cards.py, line 3: expected ':'", read=ran(MISSED))
    assert not shown_report.passed
    assert "✗ cards.py, line 3: expected ':'\n" in text_of(shown_report)
    assert "Read a card" not in text_of(shown_report)
    assert "Read a card" not in report_html(shown_report)


def test_what_could_be_checked_is_shown_beside_a_module_that_cannot_be_read(stage):
    message = "scoring.py, line 3: expected ':'; the rest was tested"
    shown_report = report(stage, message=message, read=ran(PASSED))
    assert not shown_report.passed
    assert f"✗ {message}\n" in text_of(shown_report)
    assert "Read a card" in text_of(shown_report)
    assert "Read a card" in report_html(shown_report)


def test_the_students_text_is_never_markup(stage):
    wild = "[bold]x[/bold] [/] :smile: <b>&amp;</b>"
    checked = report(stage, read=ran(FAILED, message=wild))
    assert wild in text_of(checked)
    assert "&lt;b&gt;&amp;amp;&lt;/b&gt;" in report_html(checked)
    assert "&lt;i&gt;" in error_html("<i>")


class Tags(HTMLParser):
    """Collects the tags and attributes of a page, and asserts that each tag is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.attributes = [], set(), set()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_html_is_well_formed_and_loads_nothing(stage):
    many = [test for i in range(5) for test in ran(FAILED, FAILED, topic=f"Topic {i}.")]
    html = report_html(report(stage, commands=NOTEBOOK, read=many, sort=ran(PASSED)))
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert tags.seen == {"div", "section", "span", "b", "pre", "code"}
    assert tags.attributes == {"style"}
    assert not re.search(r"url\(|https?:|@import", html)
    assert not re.search(r"var\(--jp-[a-z0-9-]+\)", html)  # no variable without a fallback


@pytest.mark.parametrize(
    "line",
    [command_line("A hint", "hearts hint " + "long-" * 20), error_text("/a" * 50 + ": lost")],
)
def test_a_path_or_a_command_is_never_broken(line):
    """The line stays whole both alone and in a group with other lines."""
    assert max(map(len, without_colour(line).splitlines())) > 80
    assert max(map(len, without_colour(Group("", line)).splitlines())) > 80


def test_the_html_is_readable_without_colour(stage):
    html = report_html(report(stage, commands=NOTEBOOK, read=ran(FAILED, FAILED)))
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", html)).strip()
    assert words == (
        "✗&ensp;Task 1: Read a card 0 of 2 checks pass&ensp;·&ensp;0 of 3 points "
        "T is ten. parse(&#34;TH&#34;) came back &#34;HT&#34; 1 more check of this fails "
        "Stuck? hint(&#34;read&#34;) takes you one step further. "
        "–&ensp;Task 2: Sort not reached&ensp;·&ensp;0 of 2 points "
        "0 of 5 points. Your grade comes from these visible checks and from others about the "
        "same rules."
    )


def test_words_of_python_in_a_topic_are_shown_as_code(stage):
    shown = report_html(report(stage, read=ran(FAILED, topic="`len` works with <hands>.")))
    assert "<code>len</code> works with &lt;hands&gt;." in shown


def test_a_hint_shows_its_number_and_its_code():
    hint = Hint(TASKS[0], 2, 4, "Look at `str.upper`.\n\n```python\nx = `y`\n```")
    text = without_colour(hint_text(hint))
    for words in ("Hint 2 of 4", "Look at `str.upper`.", "x = `y`"):
        assert words in text
    assert hint_markdown(hint).startswith("**Hint 2 of 4** · Read a card\n\nLook at `str.upper`.")
    assert "Hint 2 of 4; there are no more" in without_colour(hint_text(hint, new=False))
    assert "**Hint 2 of 4; there are no more**" in hint_markdown(hint, new=False)


@pytest.mark.parametrize("skipped", [{}, {"worth": ["no terminal here"]}])
def test_progress_says_the_same_about_points_as_the_check(tmp_path, skipped):
    stage = student_course(tmp_path / "course").stages[0]
    tests = {task.id: ran(PASSED) for task in stage.tasks}
    result = score_stage(stage, "", tests, sandbox="none", skipped=skipped)
    checked = report_on(stage, result, where="coins.py", commands=TERMINAL)
    progress = stage_progress(StudentState().with_checks(result), stage)
    assert progress.points == checked.points
    assert progress.bar == "■" * 30
    for progress_of_task, task in zip(progress.tasks, checked.tasks, strict=True):
        assert task.points.startswith(f"{progress_of_task.points} point")
        assert task.words == progress_of_task.status[1]
    assert ("? of 2" in progress_markdown(progress)) is bool(skipped)


def test_a_glance_tells_what_came_back_from_what_was_expected():
    message = "f(1)\n  came back    2\n  expected     3\nWhy it matters: three.\nTo try it:"
    kinds = [kind for kind, _ in lines_by_kind(message)]
    assert kinds == ["", "came", "expected", "why", ""]
    assert "\n".join(line for _, line in lines_by_kind(message)) == message


def test_code_that_goes_on_in_the_next_line_is_shown_as_code():
    screen = io.StringIO()
    Console(file=screen, width=80).print(
        markdown_text("Call `print(text,\nfile=out)` in a `try`.\n\nOne ` alone")
    )
    shown = screen.getvalue().split()
    assert shown == ["Call", "`print(text,", "file=out)`", "in", "a", "`try`.", "One", "`", "alone"]
