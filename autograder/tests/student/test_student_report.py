"""What a check tells the student, in text and in HTML."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hearts_course.course import Stage, Task
from hearts_course.results import Outcome, TestResult, score_stage
from hearts_course.student import page, terminal
from hearts_course.student.hints import Hint
from hearts_course.student.report import NOTEBOOK, TERMINAL, TaskStatus, report_on

TASKS = (Task("read", "Read a card", 3, ("parse",)), Task("sort", "Sort", 2, ("sort",)))


@pytest.fixture
def stage(tmp_path):
    return Stage("01-cards", tmp_path, "Cards", ("cards.py",), TASKS, "all", "1")


def ran(*outcomes, topic="T is ten.", message='parse("TH")\n  came back "HT"'):
    return [
        TestResult(f"t{i}", topic, False, outcome, "" if outcome is Outcome.PASSED else message)
        for i, outcome in enumerate(outcomes)
    ]


def report(stage, *, task=None, message="", ways=TERMINAL, **by_task):
    result = score_stage(stage, "", by_task, sandbox="none", message=message)
    return report_on(stage, result, where="cards.py", ways=ways, task=task)


PASSED, FAILED, MISSED = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_REACHED


@pytest.mark.parametrize(
    ("given", "face", "words"),
    [
        (ran(PASSED, PASSED), TaskStatus.PASSED, "passed"),
        (ran(PASSED, FAILED, Outcome.TIMEOUT), TaskStatus.FAILED, "1 of 3 checks pass"),
        (ran(FAILED, message="not written yet: Task 1"), TaskStatus.UNWRITTEN, "not written yet"),
        (ran(FAILED, message="not written yet"), TaskStatus.UNWRITTEN, "not written yet"),
        (ran(PASSED, FAILED, message="not written yet"), TaskStatus.FAILED, "1 of 2 che"),
        (ran(FAILED, message="not written yet: Task 2: Sort"), TaskStatus.FAILED, "0 of 1 che"),
        (ran(FAILED, message="not written yet: Task 12"), TaskStatus.FAILED, "0 of 1 che"),
        (ran(FAILED) + ran(FAILED, message="not written yet"), TaskStatus.FAILED, "0 of 2 che"),
        (ran(MISSED, MISSED), TaskStatus.NOT_REACHED, "could not be checked"),
        ([], TaskStatus.NOT_REACHED, "could not be checked"),
    ],
)
def test_a_task_has_one_of_four_faces(stage, given, face, words):
    first = report(stage, read=given).tasks[0]
    assert first.face is face
    assert first.words.startswith(words)


def test_what_is_wrong_is_said_even_if_the_rest_is_a_stub(stage):
    half = ran(FAILED, topic="Read.") + ran(FAILED, topic="Write.", message="not written yet")
    first = report(stage, read=half).tasks[0]
    assert [failure.topic for failure in first.failures] == ["Read.", "Write."]


def test_a_check_that_was_not_made_is_told_with_its_reason(stage):
    result = score_stage(
        stage, "", {"read": ran(PASSED)}, sandbox="none", skipped={"read": ["no judge", "no judge"]}
    )
    said = report_on(stage, result, where="cards.py", ways=TERMINAL, task=TASKS[0])
    assert said.tasks[0].words == "passed, 2 checks not made"
    assert said.notes == ("2 checks of task 1 could not be made here: no judge",)
    for shown in (terminal.plain(terminal.check(said)), page.check(said)):
        assert "Note: 2 checks of task 1 could not be made here: no judge" in shown


def test_why_a_task_was_not_reached_is_told(stage):
    missed = ran(MISSED, message="your program is no file")
    said = report(stage, task=TASKS[0], read=missed)
    assert [failure.message for failure in said.tasks[0].failures] == ["your program is no file"]


def test_a_task_that_is_known_to_be_untouched_has_no_faults(stage):
    result = score_stage(stage, "", {"read": ran(FAILED), "sort": ran(PASSED)}, sandbox="none")
    ids = frozenset({"read", "sort"})
    said = report_on(stage, result, where="cards.py", ways=TERMINAL, untouched=ids)
    assert [task.face for task in said.tasks] == [TaskStatus.UNWRITTEN, TaskStatus.PASSED]
    assert said.tasks[0].failures == ()
    assert "  A hint: hearts hint read\n" in terminal.plain(terminal.check(said))


def test_a_report_adds_up(stage):
    said = report(stage, read=ran(PASSED, FAILED, PASSED), sort=ran(PASSED))
    assert (said.title, said.where, said.score, said.most) == ("01 Cards", "cards.py", 4, 5)
    assert not said.passed
    assert report(stage, read=ran(PASSED), sort=ran(PASSED)).passed


def test_a_program_that_cannot_be_checked_has_not_passed(stage):
    assert not report(stage, message="gone", read=ran(PASSED), sort=ran(PASSED)).passed


def test_one_task_is_reported_alone(stage):
    said = report(stage, task=TASKS[1], sort=ran(PASSED))
    assert ([task.title for task in said.tasks], said.most, said.passed) == (["Sort"], 2, True)


def test_a_task_waits_for_those_it_builds_on(stage):
    after = replace(TASKS[1], builds_on=("read",))
    stage = replace(stage, tasks=(TASKS[0], after))
    waits = report(stage, read=ran(FAILED), sort=ran(PASSED, FAILED)).tasks[1]
    assert waits.words == "1 of 2 checks pass; needs task 1"
    assert waits.failures == ()
    assert report(stage, read=ran(PASSED), sort=ran(FAILED)).tasks[1].failures
    assert report(stage, task=after, sort=ran(FAILED)).tasks[0].failures
    assert report(stage, read=ran(FAILED), sort=ran(PASSED)).tasks[1].words == "passed"


def test_the_first_failure_speaks_for_its_topic(stage):
    ten = ran(FAILED, FAILED, FAILED)
    case = ran(FAILED, topic="Case does not matter.", message="parse('qs')")
    found = report(stage, read=[ten[0], *case, *ten[1:]]).tasks[0].failures
    assert [(f.topic, f.more) for f in found] == [("T is ten.", 2), ("Case does not matter.", 0)]


def test_a_whole_check_shows_a_few_topics_and_one_task_all(stage):
    many = [test for i in range(5) for test in ran(FAILED, topic=f"Topic {i}.")]
    whole = report(stage, read=many).tasks[0]
    assert (len(whole.failures), whole.left_out) == (3, 2)
    alone = report(stage, task=TASKS[0], read=many).tasks[0]
    assert (len(alone.failures), alone.left_out) == (5, 0)


def test_the_text_shows_every_task_and_what_went_wrong(stage):
    said = terminal.plain(terminal.check(report(stage, read=ran(PASSED, FAILED, FAILED))))
    assert said == (
        "01 Cards  (cards.py)\n"
        "\n"
        " ✗  1  Read a card  1 of 3 points  1 of 3 checks pass\n"
        " ?  2  Sort         0 of 2 points  could not be checked\n"
        "\n"
        "✗ Task 1: Read a card\n"
        "  T is ten.\n"
        '    parse("TH")\n'
        '      came back "HT"\n'
        "  (1 more check of this fails)\n"
        "\n"
        "  A hint: hearts hint read\n"
        "\n"
        "1 of 5 points. Your grade comes from these visible checks and from others about\n"
        "the same rules.\n"
    )


def test_the_text_of_a_program_that_cannot_be_read_is_its_verdict(stage):
    said = terminal.plain(terminal.check(report(stage, message="cards.py, line 3: invalid syntax")))
    assert "✗ cards.py, line 3: invalid syntax\n" in said
    assert "Read a card" not in said


def test_students_text_is_never_markup(stage):
    wild = "[bold]x[/bold] [/] :smile: <b>&amp;</b>"
    said = report(stage, read=ran(FAILED, message=wild))
    assert wild in terminal.plain(terminal.check(said))
    assert "&lt;b&gt;&amp;amp;&lt;/b&gt;" in page.check(said)
    assert "&lt;i&gt;" in page.fault("<i>")


class Tags(HTMLParser):
    """Checks that tags are balanced, and collects them with their attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.attributes = [], set(), set()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_html_is_whole_and_needs_nothing_from_elsewhere(stage):
    many = [test for i in range(5) for test in ran(FAILED, FAILED, topic=f"Topic {i}.")]
    html = page.check(report(stage, ways=NOTEBOOK, read=many, sort=ran(PASSED)))
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert tags.seen == {"div", "section", "span", "b", "pre", "code"}
    assert tags.attributes == {"style"}
    assert not re.search(r"url\(|https?:|@import", html)


def test_the_html_reads_without_colour(stage):
    html = page.check(report(stage, ways=NOTEBOOK, read=ran(FAILED, FAILED)))
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", html)).strip()
    assert words == (
        "✗&ensp;Task 1: Read a card 0 of 2 checks pass&ensp;·&ensp;0 of 3 points "
        "T is ten. parse(&#34;TH&#34;) came back &#34;HT&#34; 1 more check of this fails "
        "Stuck? hint(&#34;read&#34;) takes you one step further. "
        "?&ensp;Task 2: Sort could not be checked&ensp;·&ensp;0 of 2 points "
        "0 of 5 points. Your grade comes from these visible checks and from others about the "
        "same rules."
    )


def test_every_colour_has_a_fallback_outside_of_jupyter(stage):
    html = page.check(report(stage, read=ran(FAILED), sort=ran(PASSED)))
    assert "var(--jp-" in html
    assert not re.search(r"var\(--jp-[a-z0-9-]+\)", html)


def test_a_hint_says_how_many_there_are():
    hint = Hint(TASKS[0], 2, 4, "Look at `str.upper`.\n\n```python\nx = `y`\n```")
    said = terminal.plain(terminal.hint(hint))
    assert "Hint 2 of 4" in said
    assert "Look at `str.upper`." in said
    assert "x = `y`" in said
    assert page.hint(hint).startswith("**Hint 2 of 4** · Read a card\n\nLook at `str.upper`.")


def test_a_repeated_hint_says_that_there_are_no_more():
    hint = Hint(TASKS[0], 4, 4, "Nearly there.")
    assert "Hint 4 of 4; there are no more" in terminal.plain(terminal.hint(hint, new=False))
    assert "**Hint 4 of 4; there are no more**" in page.hint(hint, new=False)
