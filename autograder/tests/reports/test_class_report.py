"""The class report as pages and as tables; all pages have the strict security policy."""

import base64
import csv
import hashlib
import re
import shutil
import time
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from hearts_course.course import Course
from hearts_course.reports.feedback import as_page, feedback
from hearts_course.results import Outcome, Status, TestResult, score_stage
from hearts_grader.reports.class_report import (
    class_report,
    class_tables,
    grades_csv,
    report_page,
    stage_pages,
)
from tiny_class import STAGE, result
from tiny_course import MANUAL_TOML, write_course

P = Outcome.PASSED
F = Outcome.FAILED
CASES = Path(__file__).with_name("classes")
EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u202e"
FIVE_PENCE = "  came back    5\n  expected     10"
TESTS = {
    "worth": ["test_coins.py::test_worth[1]", "test_coins.py::test_worth[2]"],
    "purse": ["test_coins.py::test_add"],
    "total": ["test_coins.py::test_total", "test_coins_hidden.py::test_richest"],
}


def made(stage, student, worth=(P, P), purse=(P,), total=(P, P)):
    outcomes = {"worth": worth, "purse": purse, "total": total}
    tests = {
        task: [
            TestResult(name, "A rule.", "hidden" in name, outcome, FIVE_PENCE)
            for name, outcome in zip(names, outcomes[task], strict=True)
        ]
        for task, names in TESTS.items()
    }
    return score_stage(stage, student, tests, sandbox="bwrap")


def page_of(results, course):
    return Page(report_page(class_report(results, course)))


class Page(HTMLParser):
    """The tags of a page with their attributes, and the text of the page."""

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
        if not {"style", "script"} & {*self.open}:
            self.words.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


def read_case(line, course):
    """Return the result that a line of a case describes.

    The line has the student, perhaps the stage, and then a status with a message or, for each task,
    a letter for each test.
    """
    student, *stage, detail = line.rstrip().split(": ", 2) if ": 0" in line else line.split(": ", 1)
    stage = course.stage(*(stage or [STAGE]))
    if " P" not in detail and " F" not in detail:
        status, message = detail.split(": ")
        return result(course, student, status=Status(status), message=message)
    tasks = dict(task.split() for task in detail.split(", "))
    outcomes = {task: [P if mark == "P" else F for mark in marks] for task, marks in tasks.items()}
    return made(stage, student, **outcomes)


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_a_class_has_these_tables(course, case):
    """`in.txt` has the results, and the folder `expected` has the tables to compare."""
    shutil.copytree(course.stages[0].assignment, course.root / "assignments/02-more")
    course = Course(course.root)
    results = [read_case(line, course) for line in (case / "in.txt").read_text().splitlines()]
    tables = class_tables(class_report(results, course))
    expected = {file.name: file.read_text() for file in (case / "expected").iterdir()}
    assert {name: tables[name] for name in expected} == expected


def test_manual_points_count_in_the_maximum(tmp_path, stage):
    manual = write_course(tmp_path / "manual", STAGE_TOML=MANUAL_TOML)
    (_, row) = class_tables(class_report([made(stage, "ada")], manual))["stages.csv"].splitlines()
    assert row == f"{STAGE},1,0,0,0,10,6.0,6.0"


@pytest.mark.parametrize("start", ["", "=", "+", "-", "@", "\t", "＝"])
def test_no_student_is_a_formula_in_the_table_of_grades(course, start):
    name = f'{start}cmd|"/c, calc"!A1'
    header, row = csv.reader(grades_csv([result(course, name, 1)]).splitlines())
    assert header[:6] == ["student", "stage", "score", "max_score", "status", "raw_score"]
    assert row[:6] == [f"'{name}" if start else name, STAGE, "2.0", "6", "graded", "2.0"]


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
    assert "Students can Tasks Points Classes 1, 2, 3 50 %" in page.text
    assert "without a sandbox" not in page.text
    assert "nobody passes" in page_of([result(course, "ada", 0)], course).text


def test_a_class_without_a_graded_result_has_a_report(course):
    statuses = {"ada": Status.UNREADABLE, "bob": Status.MISSING}
    page = page_of(
        [result(course, name, status=status) for name, status in statuses.items()], course
    )
    assert "graded 0 missing 1 unreadable 1 grader error 0 mean, of 6 0.0" in page.text
    assert "No check was reached." in page.text


def test_plots_need_some_students(course, stage):
    students = [made(stage, f"s{i}") for i in range(5)]
    assert 'role="img"' in report_page(class_report(students, course))
    page = report_page(class_report(students[1:], course))
    assert 'role="img"' not in page
    assert "<details open>\n<summary>As a table</summary>" in page


def test_a_large_class_has_quick_pages_for_its_stages_with_plots_that_keep_to_the_policy(course):
    many = [result(course, f"student{i}", i % 3) for i in range(500)]
    start = time.process_time()
    report = class_report(many, course)
    front = Page(report_page(report))
    pages = stage_pages(report)
    assert time.process_time() - start < 3
    assert f"report/{STAGE}.html" in [link["href"] for link in front.all("a")]
    (html,) = pages.values()
    page = Page(html)
    assert f"../feedback/student7/{STAGE}.html" in [link["href"] for link in page.all("a")]
    assert stage_pages(class_report(many[:40], course)) == {}
    plots = re.findall(r'<svg class="plot".*?</svg>', html, re.DOTALL)
    spread, tasks, _ = (re.findall(r">([^<\n]+)</text>", plot) for plot in plots)
    assert [word for word in spread if word.isdigit()][:3] == ["167", "167", "166"]
    assert [word for word in tasks if word.isdigit()] == ["166", "167", "167", "500", "333", "167"]
    assert plots[2].count("<circle") + plots[2].count('class="all"') == 2
    assert 'aria-label="Students by their share of the points: 167 have' in plots[0]
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
    assert len(page.all("script")) == html.count("<script>")
    assert page.all("img") == []
    assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
    assert EVIL.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e") in page.text
    assert all(character.isprintable() or character in "\n" for character in html)


def test_a_page_loads_nothing_and_allows_its_own_style_and_script_only(html):
    page = Page(html)
    allowed = ["default-src 'none'"]
    for tag in ("style", "script"):
        for text in re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            allowed.append(f"{tag}-src 'sha256-{digest}'")
    policy = "; ".join([*allowed, "base-uri 'none'", "form-action 'none'"])
    assert [a["content"] for a in page.all("meta") if "http-equiv" in a] == [policy]
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
    assert all(next_level <= level + 1 for level, next_level in pairwise(levels))
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.all("th"))
    assert all(
        svg.get("aria-hidden") == "true" or (svg["role"], bool(svg["aria-label"])) == ("img", True)
        for svg in page.all("svg")
    )
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    assert {a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a} <= ids
    assert {a["href"][1:] for a in page.all("a") if a["href"].startswith("#")} <= ids


def test_students_who_fail_alike_are_groups_with_what_to_write_for_all_of_them(tmp_path):
    """Known mistakes are named; a new mistake of three or more students is offered as a chaff."""
    course = write_course(tmp_path)
    stage = course.stages[0]
    results = [made(stage, who, worth=(F, P)) for who in ("ada", "bob")]
    results += [made(stage, who, total=(P, F)) for who in ("cyd", "dee", "eve")]
    results += [made(stage, "fay", purse=(F,)), made(stage, "gil", total=(P, F), worth=(F, P))]
    report = class_report(results, course)
    total, worth = report.stages[0].groups
    assert (total.task, total.students, total.is_offered) == (
        "total", ("cyd", "dee", "eve", "gil"), True,
    )  # fmt: skip
    assert (worth.task, worth.students, worth.is_offered) == ("worth", ("ada", "bob", "gil"), False)
    page = report_page(report)
    part = page.partition("Students who fail alike</h3>")[2].partition("<h3")[0]
    assert "Task 3: 4 students, no known mistake: worth a chaff" in part
    assert "Task 1: 3 students, “a dime is worth five”" in part
    entry = f'<pre>[[comment]]\ntask = "total"\ngroup = "{total.id}"\ntext = "..."</pre>'
    assert unescape(entry) in unescape(part)
    assert f'<a href="feedback/gil/{STAGE}.html">gil</a>' in part
    assert "fay" not in part
    alone = report_page(class_report(results[-2:-1], course))
    assert "Students who fail alike" not in alone
