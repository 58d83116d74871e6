"""The class report in a browser: sorting, filtering, accessibility, and reading on a phone."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hearts_course.course import find_course
from hearts_course.results import Outcome, ScoreParts, Status, TestResult, score_stage
from hearts_grader.reports.class_report import About, class_report, report_page, stage_pages
from tiny_class import STAGE, course_with_starter, opened, put, result

WIDTHS = {"light": 1280, "dark": 390}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The folder of a report about 45 students: s05 is best, and one submission is unreadable."""
    folder = tmp_path_factory.mktemp("report")
    course = course_with_starter(folder / "course")
    results = [result(course, f"s{i:02}", i % 3) for i in range(44)]
    results[5] = replace(results[5], score=6.0, parts=ScoreParts(6, late="2 days late"))
    long = "ada-" * 9
    results.append(result(course, long, status=Status.UNREADABLE, message="cards.py is empty"))
    given = class_report(results, course, About(last=datetime(2026, 11, 1, tzinfo=UTC), waiting=1))
    pages = {f"report/{name}": text for name, text in stage_pages(given).items()}
    return put(folder / "out", {"report.html": report_page(given), **pages})


@pytest.fixture(scope="module")
def term(tmp_path_factory):
    """The folder of a report about 180 students in every stage; all are late and have a remark."""
    course = find_course()
    message = "graded with the course's legal.py; it scored more than with yours in task 5"
    results = []
    for stage in course.counted:
        tests = {
            task.id: [
                TestResult(f"test_{number}", "A rule of the task holds.", False, outcome)
                for number, outcome in enumerate([Outcome.PASSED, Outcome.PASSED, Outcome.FAILED])
            ]
            for task in stage.tasks
        }
        graded = score_stage(stage, "", tests, sandbox="landlock", message=message)
        parts = ScoreParts(graded.score, late="2 late days spent, 2 days late", penalty=1.25)
        one = replace(graded, parts=parts)
        results += [replace(one, student=f"featherstonehaugh_{1000 + i}") for i in range(180)]
    given = class_report(results, course, About(last=datetime(2026, 11, 1, tzinfo=UTC)))
    pages = {f"report/{name}": text for name, text in stage_pages(given).items()}
    return put(tmp_path_factory.mktemp("term"), {"report.html": report_page(given), **pages})


def students(page):
    rows = page.locator("table.term tbody tr:visible")
    return [text.split("\t")[0] for text in rows.all_inner_texts()]


def test_the_class_is_sorted_and_filtered_with_the_keyboard(report, new_page):
    page = opened(new_page(), report)
    assert len(students(page)) == 45
    page.get_by_role("searchbox").first.focus()
    page.keyboard.type("S0 Late")
    assert students(page) == ["s05"]
    assert page.get_by_role("status").inner_text() == "1 of 45"
    page.keyboard.press("Control+A")
    page.keyboard.type("s0")
    for _ in range(3):  # first the scrolling table, then its first and second column
        page.keyboard.press("Tab")
    for direction, first in (("ascending", ["s00", "s03"]), ("descending", ["s05", "s02"])):
        page.keyboard.press("Enter")
        assert students(page)[:2] == first
        sorted_by = page.locator("[aria-sort]")
        assert (sorted_by.inner_text(), sorted_by.get_attribute("aria-sort")) == ("Sum", direction)


def test_without_scripts_the_class_is_all_there(report, new_page):
    page = opened(new_page(java_script_enabled=False), report)
    assert len(students(page)) == 45
    assert page.get_by_role("searchbox").count() == page.locator("th button").count() == 0


@pytest.mark.parametrize("scheme", WIDTHS)
def test_the_report_can_be_read_by_everybody(report, new_page, axe, shot, scheme):
    page = new_page(width=WIDTHS[scheme], color_scheme=scheme, bypass_csp=True)
    for name in ("report.html", f"report/{STAGE}.html"):
        opened(page, report, name)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert axe(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        plots = page.locator("figure.plot").all()
        assert [plot.bounding_box()["width"] for plot in plots] == (
            [page.locator("main").bounding_box()["width"]] * len(plots)
        )
        shot(page, f"report-{name.partition('/')[0].split('.')[0]}-{scheme}")


@pytest.mark.parametrize("scheme", WIDTHS)
def test_nothing_of_a_class_of_180_is_out_of_sight(term, new_page, scheme):
    """On a wide page, no table scrolls sideways. On a phone, each remark is below its name."""
    width = WIDTHS[scheme]
    widest = max(find_course().counted, key=lambda stage: len(stage.tasks))
    page = new_page(width=width, color_scheme=scheme)
    for name in ("report.html", f"report/{widest.name}.html"):
        opened(page, term, name)
        table = page.locator("table.class")
        assert table.locator("tbody tr").count() == 180
        if width > 1000:
            table_width = table.bounding_box()["width"]
            assert table_width <= page.locator("main").bounding_box()["width"], name
        elif name != "report.html":
            assert not table.locator("td.verdict").first.is_visible()
            remarks = table.locator(".remarks").first
            assert "2 days late; graded with the course" in remarks.inner_text()
            box = remarks.bounding_box()
            score = table.locator("td strong").first.bounding_box()
            assert box["x"] + box["width"] <= score["x"], (box, score)
            assert score["x"] + score["width"] <= width, (box, score)
