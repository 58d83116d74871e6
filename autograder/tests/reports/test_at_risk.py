"""Who may need help, and what a class's numbers, slips and tables come to."""

import csv
import io

import pytest
from hearts_course.grading.misconceptions import load_patterns
from hearts_course.reports.at_risk import needs
from hearts_course.reports.class_report import class_report, report_page
from hearts_course.reports.class_stats import class_stage
from hearts_course.reports.misconception_counts import class_slips
from hearts_course.reports.tables import class_tables
from hearts_course.results import Outcome, Status, TestResult, score_stage
from tiny_class import STAGE, course_with_starter, result
from tiny_course import MANUAL_TOML, write_course

P, F = Outcome.PASSED, Outcome.FAILED
NOTHING = "nothing was handed in for 01-coins"


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path)


@pytest.fixture
def stage(course):
    return course.stages[0]


def made(stage, student, worth=(P, P), purse=(P,), total=(P, P)):
    names = {
        "worth": ["test_coins.py::test_worth[1]", "test_coins.py::test_worth[2]"],
        "purse": ["test_coins.py::test_add"],
        "total": ["test_coins.py::test_total", "test_coins_hidden.py::test_richest"],
    }
    ends = {"worth": worth, "purse": purse, "total": total}
    tests = {
        task: [
            TestResult(name, "A rule.", "hidden" in name, end)
            for name, end in zip(names[task], ends[task], strict=True)
        ]
        for task in ends
    }
    return score_stage(stage, student, tests, sandbox="bwrap")


def signs(results, stages):
    return {
        need.student: [(sign.kind, sign.words) for sign in need.signs]
        for need in needs(results, stages)
    }


def test_silent_unreadable_and_failing_students_are_named(course, stage):
    results = [
        made(stage, "ada"),
        result(course, "bob", status=Status.MISSING, message=NOTHING),
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


def test_nobody_is_silent_where_most_are(course, stage):
    quiet = [result(course, n, status=Status.MISSING, message=NOTHING) for n in ("b", "c")]
    assert signs([made(stage, "a"), *quiet], [stage]) == {}


def test_who_has_nothing_where_most_have_something_is_stuck(stage):
    most = [made(stage, f"s{i}") for i in range(4)]
    stuck = made(stage, "zed", purse=(F,))
    assert signs([*most, stuck], [stage]) == {"zed": [("stuck", "task 2, A purse")]}
    assert signs([*most[1:], stuck], [stage]) == {}


def test_who_falls_from_one_stage_to_the_next_is_named(stage):
    first = made(stage, "ada")
    second = made(stage, "ada", purse=(F,))
    later = type(stage)(**{**vars(stage), "name": "02-more"})
    second = type(second)(**{**vars(second), "stage": "02-more"})
    assert signs([first, second], [stage, later]) == {
        "ada": [("falling", "from 100% in 01-coins to 50%")]
    }


def test_slips_are_counted_and_those_that_look_alike_stand_together(stage):
    results = [
        made(stage, "ada", worth=(F, P)),
        made(stage, "bob", worth=(F, P), total=(F, F)),
        made(stage, "cyd"),
    ]
    (slip,) = class_slips(results, stage, load_patterns(stage))
    assert (slip.task, slip.number, slip.names) == ("worth", 1, ("a dime is worth five",))
    assert (slip.exactly, slip.nearly, slip.count) == (("ada", "bob"), (), 2)


def test_a_check_tells_what_the_rest_of_the_stage_tells(stage):
    good = [made(stage, f"g{i}", worth=(P, F)) for i in range(6)]
    bad = [made(stage, f"b{i}", worth=(F, P), purse=(F,), total=(F, F)) for i in range(6)]
    rows = {r.name: r for t in class_stage(stage, good + bad).tasks for r in t.checks}
    assert rows["test_coins.py::test_add"].tells == pytest.approx(1.0)
    assert rows["test_coins.py::test_worth"].tells is None  # all pass one of its two cases
    few = class_stage(stage, good[:3] + bad[:3]).tasks[1].checks[0]
    assert (few.tells, few.remark) == (None, "")


def test_a_check_that_the_wrong_ones_pass_gets_a_remark(stage):
    good = [made(stage, f"g{i}", purse=(F,)) for i in range(6)]
    bad = [made(stage, f"b{i}", worth=(F, F), total=(F, F)) for i in range(6)]
    row = class_stage(stage, good + bad).tasks[1].checks[0]
    assert (row.share, row.remark) == (50.0, "passed by the wrong ones")


def test_a_task_counts_who_has_all_some_and_nothing(stage):
    results = [made(stage, "a"), made(stage, "b", worth=(P, F)), made(stage, "c", worth=(F, F))]
    row = class_stage(stage, results).tasks[0]
    assert (row.full, row.partly, row.nothing) == (1, 1, 1)


def test_all_that_the_report_tells_is_in_tables_too(course, stage):
    evil = "=cmd|'/c calc'!A1"
    results = [
        made(stage, "ada", worth=(F, P)),
        result(course, evil, status=Status.GRADER_ERROR, message=evil),
        made(stage, "bob", worth=(F, F), purse=(F,)),
    ]
    tables = class_tables(class_report(results, course))
    rows = {name: list(csv.reader(io.StringIO(text))) for name, text in tables.items()}
    assert rows["stages.csv"][1] == [STAGE, "2", "0", "1", "6", "3.0", "3.0"]
    assert rows["spread.csv"][3] == [STAGE, "70–80 %", "0"]
    assert rows["tasks.csv"][1][-4:] == ["0.5", "0", "1", "1"]
    assert rows["checks.csv"][1][2:] == [
        *("test_coins.py::test_worth", "A rule.", "visible", "2", "25.0", "", ""),
    ]
    assert rows["misconceptions.csv"][1:] == [
        [STAGE, "worth", "a dime is worth five", "1", "ada", ""]
    ]
    assert rows["help.csv"][1:] == [["bob", STAGE, "failing", "1 of 6 points"]]
    assert rows["faults.csv"][1:] == [[f"'{evil}", STAGE, f"'{evil}"]]


def test_points_by_hand_count_in_the_table_of_stages_as_on_the_page(tmp_path):
    course = write_course(tmp_path, STAGE_TOML=MANUAL_TOML)
    tables = class_tables(class_report([made(course.stages[0], "ada")], course))
    assert tables["stages.csv"].splitlines()[1] == f"{STAGE},1,0,0,10,6.0,6.0"


def test_students_in_a_table_are_told_apart_though_names_have_spaces(course, stage):
    results = [made(stage, name, worth=(F, P)) for name in ("Ada Lovelace", "Bob Burns")]
    tables = class_tables(class_report(results, course))
    assert "Ada Lovelace; Bob Burns" in tables["misconceptions.csv"]


def test_plots_wait_for_a_class_and_for_matplotlib(course, stage, monkeypatch):
    class_ = [made(stage, f"s{i}") for i in range(5)]
    assert 'role="img"' in report_page(class_report(class_, course))
    assert 'role="img"' not in report_page(class_report(class_[1:], course))
    monkeypatch.setattr("hearts_course.reports.plots.find_spec", lambda name: None)
    page = report_page(class_report(class_, course))
    assert 'role="img"' not in page
    assert "<details open>\n<summary>As a table</summary>" in page
