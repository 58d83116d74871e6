import base64
import hashlib
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import unquote

import pytest
from hearts_course.reports.class_report import class_report
from hearts_course.reports.class_report import report_page as page_about
from hearts_course.reports.class_stats import class_stage
from hearts_course.reports.feedback import as_page, feedback
from hearts_course.reports.task_summary import TopicStatus, summarise
from hearts_course.results import Outcome, Status, TestResult, score_stage
from tiny_class import STAGE, course_with_starter, result

EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u202e"


def feedback_page(result, stage):
    return as_page(feedback(result, stage))


def report_page(results, course):
    return page_about(class_report(results, course))


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path)


@pytest.fixture
def stage(course):
    return course.stages[0]


class Page(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    VOID = ("meta", "br")

    def __init__(self, html):
        super().__init__()
        self.tags, self.words, self.open = [], [], []
        self.feed(html)
        self.close()
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


def checks(*outcomes, topic="A rule.", hidden=False, message="call\n  came back 5"):
    return [
        TestResult(f"test_a[{i}]", topic, hidden, o, "" if o is Outcome.PASSED else message)
        for i, o in enumerate(outcomes)
    ]


P, F, N, T = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_REACHED, Outcome.TIMEOUT


def summary_of(stage, tests):
    return summarise(1, score_stage(stage, "ada", {"purse": tests}, sandbox="none").tasks[1])


# What tests come to


@pytest.mark.parametrize(
    ("tests", "face", "sentence"),
    [
        (checks(P, P), TopicStatus.PASSED, "2 of 2 checks pass: 3 of 3 points"),
        (checks(P, P, P, P, P, F), TopicStatus.PARTLY, "5 of 6 checks pass: 2.5 of 3 points"),
        (checks(F), TopicStatus.FAILED, "0 of 1 check passes: 0 of 3 points"),
        (
            checks(F, message="not written yet"),
            TopicStatus.UNWRITTEN,
            "0 of 1 check passes: 0 of 3 points",
        ),
        (checks(N, N), TopicStatus.NOT_REACHED, "0 of 2 checks pass: 0 of 3 points"),
        ([], TopicStatus.NOT_REACHED, "0 of 0 checks pass: 0 of 3 points"),
    ],
)
def test_a_task_is_a_face_and_a_sentence(stage, tests, face, sentence):
    summary = summary_of(stage, tests)
    assert (summary.face, summary.sentence) == (face, sentence)


def test_one_message_is_said_once_with_its_number(stage):
    tests = checks(P, F, F) + checks(F, message="other") + checks(T, message="")
    (finding,) = summary_of(stage, tests).failing
    assert [(note.message, note.count) for note in finding.notes] == [
        ("call\n  came back 5", 2),
        ("other", 1),
        ("this took too long", 1),
    ]
    assert (finding.passed, finding.total) == (1, 5)


def test_a_hidden_topic_is_not_repeated_and_stays_apart_from_a_visible_one(stage):
    tests = checks(F) + checks(F, hidden=True, message="A rule.\nTry: Purse()")
    visible, hidden = summary_of(stage, tests).failing
    assert (visible.hidden, hidden.hidden) == (False, True)
    assert hidden.notes[0].message == "Try: Purse()"


# A student's page


def test_the_page_shows_scores_failures_topics_and_what_holds(course, stage):
    page = Page(feedback_page(result(course, "ada", 1, message="coins.py counts"), stage))
    assert "2 of 6 points" in page.text
    assert "Please note coins.py counts" in page.text
    assert "1 of 2 checks pass: 1 of 2 points; each of them is worth 1 point." in page.text
    assert "visible 1 of its 2 checks pass. dime came back 5 expected 10" in page.text
    assert "What already holds (1) The richest purse is worth most." in page.text
    assert "hearts hint worth" in page.text


def test_a_hidden_failure_shows_its_topic_and_near_example(course, stage):
    page = Page(feedback_page(result(course, "ada", 0), stage))
    assert "The richest purse is worth most. hidden Try: richest([Purse(), Purse()])" in page.text


def test_many_messages_are_folded(stage):
    tests = [t for i in range(5) for t in checks(F, message=f"message {i}")]
    whole = score_stage(stage, "ada", {"purse": tests}, sandbox="none")
    page = Page(feedback_page(whole, stage))
    assert all(f"message {i}" in page.text for i in range(5))
    assert "message 2 2 more message 3" in page.text


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status.UNREADABLE, "Your program could not be read rename it"),
        (Status.GRADER_ERROR, "This is no fault of yours"),
    ],
)
def test_a_page_without_grades_says_whose_turn_it_is(course, stage, status, words):
    page = Page(feedback_page(result(course, "ada", status=status, message="rename it"), stage))
    assert words in page.text
    assert page.all("section") == []


def test_a_program_that_could_not_be_run_says_so(stage):
    whole = score_stage(stage, "ada", {"purse": checks(N)}, sandbox="bwrap", message="it loops")
    assert "Your program could not be run it loops" in Page(feedback_page(whole, stage)).text


@pytest.mark.parametrize(
    ("topic", "shown"),
    [
        ("With `10` for `T`.", "With <code>10</code> for <code>T</code>."),
        ("`<b>` and \x1b", "<code>&lt;b&gt;</code> and \\x1b"),
        ("Half a ` only.", "Half a ` only."),
    ],
)
def test_what_stands_between_backticks_is_code(stage, topic, shown):
    whole = score_stage(stage, "ada", {"purse": checks(P, topic=topic)}, sandbox="bwrap")
    assert f"<li>{shown}</li>" in feedback_page(whole, stage)


# The class's page


def test_the_report_shows_everybody_with_a_way_to_their_page(course):
    names = ["bob", "Ada & Eve", "100%25", "#1?x"]
    page = Page(report_page([result(course, name, i % 3) for i, name in enumerate(names)], course))
    links = [a["href"] for a in page.all("a")]
    pages = [f"feedback/{name}/{STAGE}.html" for name in sorted(names, key=str.casefold)]
    assert [unquote(link) for link in links][-len(names) :] == pages
    assert "4 students, 1 stage" in page.text


def test_the_report_counts_and_averages_graded_results_only(course, stage):
    results = [
        result(course, "ada", 2),
        result(course, "bob", 1),
        result(course, "cyd", 0),
        result(course, "dan", status=Status.UNREADABLE),
    ]
    numbers = class_stage(stage, results)
    assert numbers.counts == {Status.GRADED: 3, Status.UNREADABLE: 1, Status.GRADER_ERROR: 0}
    assert (numbers.mean, numbers.median) == (pytest.approx(5 / 3), 2.0)
    assert [(b.label, b.count) for b in numbers.bins if b.count] == [
        ("50–60 %", 1),
        ("30–40 %", 1),
        ("0–10 %", 1),
    ]
    check, hidden = numbers.tasks[0].checks[0], numbers.tasks[2].checks[0]
    assert (check.name, check.cases, check.share) == ("test_worth", 2, 50.0)
    assert (hidden.hidden, hidden.share) == (True, pytest.approx(200 / 3))
    assert numbers.tasks[0].mean == 1.0


def test_a_class_without_a_graded_result_has_a_report(course):
    page = Page(report_page([result(course, "ada", status=Status.UNREADABLE)], course))
    assert "graded 0 unreadable 1 grader error 0 mean, of 6 0.0" in page.text
    assert "No check has been reached." in page.text


def test_checks_that_nobody_or_everybody_passes_are_named(course):
    whole = [result(course, "ada", 2), result(course, "bob", 2)]
    assert "visible; everybody passes" in Page(report_page(whole, course)).text
    assert "nobody passes" in Page(report_page([result(course, "ada", 0)], course)).text


def test_results_made_without_a_sandbox_are_marked(course):
    page = report_page([result(course, "ada")], course)
    assert "without a sandbox" in page
    safe = replace(result(course, "ada"), sandbox="bwrap")
    assert "without a sandbox" not in report_page([safe], course)


def test_a_large_class_is_a_matter_of_moments(course):
    many = [result(course, f"student{i}", i % 3) for i in range(500)]
    start = time.process_time()
    html = report_page(many, course)
    assert time.process_time() - start < 3
    page = Page(html)
    plots = [attrs for attrs in page.all("svg") if attrs.get("role") == "img"]
    assert len(plots) == 3
    assert plots[0]["aria-label"].startswith("Students by their share of the points: 167 have")
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {attrs["href"][1:] for attrs in page.all("use")} <= set(ids)
    assert not [attrs for _, attrs in page.tags if "style" in attrs]
    assert "url(" not in html


# Both


@pytest.fixture(params=["feedback", "report"])
def html(request, course, stage):
    evil = result(course, EVIL, 1, message=EVIL, text=EVIL)
    return (
        feedback_page(evil, stage) if request.param == "feedback" else report_page([evil], course)
    )


def test_nothing_that_a_student_wrote_is_markup_or_steers_anything(html):
    page = Page(html)
    assert page.all("script") == page.all("img") == []
    assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
    assert EVIL.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e") in page.text
    assert all(character.isprintable() or character in "\n" for character in html)


def test_the_policy_allows_the_page_s_own_style_and_nothing_else(html):
    policy = next(a["content"] for a in Page(html).all("meta") if "http-equiv" in a)
    (style,) = re.findall("<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def test_the_page_loads_nothing_and_needs_no_attribute_that_the_policy_forbids(html):
    page = Page(html)
    forbidden = {"src", "style", "srcset", "data", "action"}
    assert not [attrs for _, attrs in page.tags if forbidden & set(attrs)]
    assert page.all("link") == []
    assert "url(" not in html
    assert "@import" not in html


def test_the_page_can_be_heard(html):
    page = Page(html)
    assert page.all("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.all("th"))
    assert all(
        svg.get("aria-hidden") == "true" or (svg["role"], bool(svg["aria-label"])) == ("img", True)
        for svg in page.all("svg")
    )
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    assert {a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a} <= ids
    targets = {a["href"][1:] for a in page.all("a") if a["href"].startswith("#")}
    assert targets <= ids
