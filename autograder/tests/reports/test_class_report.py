"""A class in numbers, as a page and as tables; both kinds of page keep to the strict policy."""

import base64
import csv
import hashlib
import io
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import unquote

import pytest
from hearts_course.reports.at_risk import at_risk
from hearts_course.reports.class_report import class_report, report_page
from hearts_course.reports.class_stats import stage_stats
from hearts_course.reports.feedback import feedback
from hearts_course.reports.feedback_pages import as_page
from hearts_course.reports.tables import class_tables, grades_csv
from hearts_course.results import Outcome, Status, TestResult, score_stage
from tiny_class import STAGE, result
from tiny_course import MANUAL_TOML, write_course

P, F = Outcome.PASSED, Outcome.FAILED
EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u202e"
FORMULA = "=cmd|'/c calc'!A1"
TESTS = {
    "worth": ["test_coins.py::test_worth[1]", "test_coins.py::test_worth[2]"],
    "purse": ["test_coins.py::test_add"],
    "total": ["test_coins.py::test_total", "test_coins_hidden.py::test_richest"],
}


def made(stage, student, worth=(P, P), purse=(P,), total=(P, P)):
    outcomes = {"worth": worth, "purse": purse, "total": total}
    tests = {
        task: [
            TestResult(name, "A rule.", "hidden" in name, outcome)
            for name, outcome in zip(names, outcomes[task], strict=True)
        ]
        for task, names in TESTS.items()
    }
    return score_stage(stage, student, tests, sandbox="bwrap")


def page_of(results, course):
    return Page(report_page(class_report(results, course)))


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


def signs(results, stages):
    return {
        one.student: [(sign.kind, sign.words) for sign in one.signs]
        for one in at_risk(results, stages)
    }


def test_silent_unreadable_and_failing_students_are_at_risk(course, stage):
    results = [
        made(stage, "ada"),
        result(course, "bob", status=Status.MISSING),
        result(course, "cyd", status=Status.UNREADABLE, message="cards.py is empty"),
        made(stage, "dan", purse=(F,)),
        made(stage, "eve", worth=(F, F), purse=(F,)),
        result(course, "fay", status=Status.GRADER_ERROR, message="ours"),
    ]
    assert signs(results, [stage]) == {
        "bob": [("silent", "5 of 6 students handed it in")],
        "cyd": [("unreadable", "cards.py is empty")],
        "eve": [("failing", "1 of 6 points")],
    }
    assert signs([results[0], results[1], replace(results[1], student="b")], [stage]) == {}


def test_no_points_where_most_students_have_some_is_stuck(stage):
    most = [made(stage, f"s{i}") for i in range(4)]
    stuck = made(stage, "zed", purse=(F,))
    assert signs([*most, stuck], [stage]) == {"zed": [("stuck", "task 2, A purse")]}
    assert signs([*most[1:], stuck], [stage]) == {}


def test_losing_many_points_since_the_last_stage_is_falling(stage):
    second = replace(made(stage, "ada", purse=(F,)), stage="02-more")
    assert signs([made(stage, "ada"), second], [stage, replace(stage, name="02-more")]) == {
        "ada": [("falling", "from 100% in 01-coins to 50%")]
    }


def test_only_graded_results_are_averaged(course, stage):
    results = [result(course, name, i) for i, name in enumerate(("cyd", "bob", "ada"))]
    results.append(result(course, "dan", status=Status.UNREADABLE))
    stats = stage_stats(stage, [*results, result(course, "eve", status=Status.MISSING)])
    assert [stats.counts[status] for status in Status] == [3, 1, 1, 0]
    assert (stats.mean, stats.median) == (pytest.approx(5 / 3), 2.0)
    assert [b.label for b in stats.bins if b.count] == ["50–60 %", "30–40 %", "0–10 %"]
    task, check = stats.tasks[0], stats.tasks[0].checks[0]
    assert (task.mean, task.counts) == (1.0, (1, 1, 1))
    assert (check.name, check.cases, check.share) == ("test_worth", 2, 50.0)


def test_a_check_tells_as_much_as_it_correlates_with_the_rest_of_the_stage(stage):
    good = [made(stage, f"g{i}", worth=(P, F)) for i in range(6)]
    bad = [made(stage, f"b{i}", worth=(F, P), purse=(F,), total=(F, F)) for i in range(6)]
    rows = {r.name: r for t in stage_stats(stage, good + bad).tasks for r in t.checks}
    assert rows["test_coins.py::test_add"].tells == pytest.approx(1.0)
    assert rows["test_coins.py::test_worth"].tells is None  # all pass one of its two cases
    few = stage_stats(stage, good[:3] + bad[:3]).tasks[1].checks[0]
    assert (few.tells, few.remark) == (None, "")
    worse = [made(stage, f"g{i}", purse=(F,)) for i in range(6)]
    better = [made(stage, f"b{i}", worth=(F, F), total=(F, F)) for i in range(6)]
    row = stage_stats(stage, worse + better).tasks[1].checks[0]
    assert (row.share, row.remark) == (50.0, "passed by the weaker ones")


def test_everything_in_the_report_is_in_tables(tmp_path, course, stage):
    results = [
        *(made(stage, name, worth=(F, P)) for name in ("Ada Lovelace", "Bob Burns")),
        result(course, FORMULA, status=Status.GRADER_ERROR, message=FORMULA),
        result(course, "dan", status=Status.MISSING),
        made(stage, "eve", worth=(F, F), purse=(F,)),
    ]
    tables = class_tables(class_report(results, course))
    rows = {name: list(csv.reader(io.StringIO(text))) for name, text in tables.items()}
    assert rows["stages.csv"] == [
        *(
            [
                "stage",
                "graded",
                "missing",
                "unreadable",
                "grader_error",
                "points",
                "mean",
                "median",
            ],
        ),
        [STAGE, "3", "1", "0", "1", "6", "3.67", "5.0"],
    ]
    assert rows["spread.csv"][2] == [STAGE, "80–90 %", "2"]
    assert rows["tasks.csv"][1][-4:] == ["0.67", "0", "2", "1"]
    assert rows["checks.csv"][1][2:] == [
        *("test_coins.py::test_worth", "A rule.", "visible", "2", "33.3", "", ""),
    ]
    assert rows["misconceptions.csv"][1:] == [
        [STAGE, "worth", "a dime is worth five", "2", "Ada Lovelace; Bob Burns", ""]
    ]
    assert ["eve", STAGE, "failing", "1 of 6 points"] in rows["help.csv"]
    assert rows["faults.csv"][1:] == [[f"'{FORMULA}", STAGE, f"'{FORMULA}"]]
    manual = write_course(tmp_path / "manual", STAGE_TOML=MANUAL_TOML)
    (_, row) = class_tables(class_report(results[:1], manual))["stages.csv"].splitlines()
    assert row == f"{STAGE},1,0,0,0,10,5.0,5.0"  # manual points count in the maximum


@pytest.mark.parametrize("start", ["", "=", "+", "-", "@", "\t", "＝"])
def test_no_student_is_a_formula_in_the_table_of_grades(course, start):
    name = f'{start}cmd|"/c, calc"!A1'
    header, row = csv.reader(grades_csv([result(course, name, 1)]).splitlines())
    assert header == ["student", "stage", "score", "max_score", "status"]
    assert row == [f"'{name}" if start else name, STAGE, "2.0", "6", "graded"]


def test_the_report_links_everybody_to_their_page(course):
    names = ["bob", "Ada & Eve", "100%25", "#1?x"]
    page = page_of([result(course, name, i % 3) for i, name in enumerate(names)], course)
    links = [unquote(a["href"]) for a in page.all("a")][-len(names) :]
    assert links == [f"feedback/{name}/{STAGE}.html" for name in sorted(names, key=str.casefold)]
    assert "4 students, 1 stage" in page.text
    assert "without a sandbox" in page.text


def test_checks_and_sandboxes_get_remarks_where_they_need_one(course):
    safe = [replace(result(course, name, 2), sandbox="bwrap") for name in ("ada", "bob")]
    page = page_of(safe, course)
    assert "visible; everybody passes" in page.text
    assert "without a sandbox" not in page.text
    assert "nobody passes" in page_of([result(course, "ada", 0)], course).text


def test_a_class_without_a_graded_result_has_a_report(course):
    statuses = {"ada": Status.UNREADABLE, "bob": Status.MISSING}
    page = page_of([result(course, name, status=one) for name, one in statuses.items()], course)
    assert "graded 0 missing 1 unreadable 1 grader error 0 mean, of 6 0.0" in page.text
    assert "No check was reached." in page.text


def test_plots_need_some_students(course, stage):
    students = [made(stage, f"s{i}") for i in range(5)]
    assert 'role="img"' in report_page(class_report(students, course))
    page = report_page(class_report(students[1:], course))
    assert 'role="img"' not in page
    assert "<details open>\n<summary>As a table</summary>" in page


def test_the_report_of_a_large_class_is_quick_and_its_plots_keep_to_the_policy(course):
    many = [result(course, f"student{i}", i % 3) for i in range(500)]
    start = time.process_time()
    html = report_page(class_report(many, course))
    assert time.process_time() - start < 3
    page = Page(html)
    plots = [attrs for attrs in page.all("svg") if attrs.get("role") == "img"]
    assert len(plots) == 3
    assert plots[0]["aria-label"].startswith("Students by their share of the points: 167 have")
    assert not [attrs for _, attrs in page.tags if "style" in attrs]
    assert "url(" not in html


@pytest.fixture(params=["feedback", "report"])
def html(request, course, stage):
    evil = result(course, EVIL, 1, message=EVIL, text=EVIL)
    if request.param == "feedback":
        return as_page(feedback(evil, stage))
    return report_page(class_report([evil], course))


def test_nothing_that_a_student_wrote_is_markup_or_steers_anything(html):
    page = Page(html)
    assert page.all("script") == page.all("img") == []
    assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
    assert EVIL.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e") in page.text
    assert all(character.isprintable() or character in "\n" for character in html)


def test_a_page_loads_nothing_and_allows_its_own_style_only(html):
    page = Page(html)
    (style,) = re.findall("<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert next(a["content"] for a in page.all("meta") if "http-equiv" in a) == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    forbidden = {"src", "style", "srcset", "data", "action"}
    assert not [attrs for _, attrs in page.tags if forbidden & set(attrs)]
    assert page.all("link") == []
    assert "url(" not in html
    assert "@import" not in html


def test_a_page_can_be_read_by_a_screen_reader(html):
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
    assert {a["href"][1:] for a in page.all("a") if a["href"].startswith("#")} <= ids
