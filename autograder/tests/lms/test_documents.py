"""One result as the document of another system: its fields, its sums, and what it does not tell."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hearts_course.cli import export, run
from hearts_course.grading.store import Record, Store
from hearts_course.lms.classroom50 import Provenance, run_in, whole_scores
from hearts_course.lms.documents import FORMATS
from hearts_course.results import Outcome, Status, TestResult, score_stage
from tiny_class import STAGE, course_with_starter, put, result

SECRET = "test_richest[the-input]"
HINT = "The richest purse is worth most.\nTry: richest([Purse(), Purse()])"


@pytest.fixture(name="course")
def _course(tmp_path, monkeypatch):
    course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr(export, "find_course", lambda: course)
    monkeypatch.chdir(tmp_path)
    return course


def uneven(course):
    """A visible topic that holds by half, with a message for a terminal, and a hidden failure."""
    bad = TestResult("t[b]", "A dime is ten.", False, Outcome.FAILED, "A dime is ten.\n\x1b[1m<&>")
    good = TestResult("test_worth[a]", "A dime is ten.", False, Outcome.PASSED)
    hidden = TestResult(SECRET, "The richest purse is worth most.", True, Outcome.TIMEOUT, HINT)
    tests = {"worth": [good, bad], "total": [hidden]}
    return score_stage(course.stages[0], "ada", tests, sandbox="bwrap")


def documents(course, *results):
    for one in results:
        Store(course.root / "../g").results.save(Record(one, None))
    found = {}
    for form, kind in FORMATS.items():
        assert run(["export", "g", "--to", form]) == 0
        for one in results:
            path = course.root.parent / "g/export" / form / one.student / STAGE / kind.file
            found[form, one.student] = path.read_text()
    return found


def test_each_document_says_the_same(course):
    right, wrong = result(course, "bob"), uneven(course)
    found = documents(course, right, wrong)
    assert json.loads(found["gradescope", "bob"])["score"] == right.score == 6 - 3
    grade = json.loads(found["gradescope", "ada"])
    assert grade["score"] == wrong.score == 1.0
    assert [(t["number"], t["score"], t["max_score"], t["status"]) for t in grade["tests"]] == [
        ("1.1", 1.0, 2.0, "failed"),
        ("3.1", 0.0, 1.0, "failed"),
    ]
    assert {test["visibility"] for test in grade["tests"]} == {"visible"}
    room = json.loads(found["classroom50", "ada"])
    assert (
        room["schema"],
        room["owner"],
        room["assignment"],
        room["score"],
        room["max-score"],
    ) == (
        *("classroom50/result/v1", "ada", STAGE),
        *(1, 6),
    )
    assert [(t["passed"], t["score"], t["max-score"]) for t in room["tests"]] == [
        *((False, 1, 2), (False, 0, 3), (False, 0, 1))
    ]
    suite = ElementTree.fromstring(found["junit", "ada"])[0]
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "2", "failures": "2", "errors": "0", "skipped": "0"}
    points = {p.get("name"): p.get("value") for p in suite.iter("property")}
    assert (points["score"], points["max_score"], points["score of worth"]) == ("1", "6", "1")
    exercise = json.loads(found["exercism", "ada"])
    assert (exercise["version"], exercise["status"]) == (3, "fail")
    assert [test["task_id"] for test in exercise["tests"]] == [1, 3]
    assert "def test_worth(coins, face, worth)" in exercise["tests"][0]["test_code"]
    assert "test_code" not in exercise["tests"][1]


def test_no_document_tells_more_of_a_hidden_test_than_its_topic(course):
    for text in documents(course, uneven(course)).values():
        assert "the-input" not in text
        assert "\x1b" not in text
        assert "The richest purse is worth most." in text or "classroom50" in text


def test_what_could_not_be_read_is_an_error_and_not_a_failure(course):
    lost = result(course, "cy", status=Status.UNREADABLE, message="no such file; rename it")
    found = documents(course, lost)
    assert json.loads(found["exercism", "cy"]) == {
        "version": 3,
        "status": "error",
        "message": "Coins and purses: your program could not be read\nno such file; rename it",
    }
    suite = ElementTree.fromstring(found["junit", "cy"])[0]
    assert (suite.get("errors"), suite.get("failures"), suite.get("skipped")) == ("1", "0", "2")
    assert "rename it" in json.loads(found["gradescope", "cy"])["output"]
    assert json.loads(found["classroom50", "cy"])["score"] == 0


def test_github_says_whose_it_is():
    here = Provenance("hearts", "01-coins", "ada", "submit/1", "urn:1", "urn:1", "urn:1", "now")
    told = {"GITHUB_ACTOR": "ada-l", "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "0123456789abcdef"}
    there = run_in(told | {"GITHUB_SERVER_URL": "https://git"}, here)
    url = "https://git/o/r/commit/0123456789abcdef"
    assert (there.owner, there.submission) == ("ada-l", "submit/0123456789ab")
    assert (there.commit, there.release, there.review) == (url, url, url)


def test_a_runner_says_of_which_class_it_is():
    here = Provenance("hearts", "01-coins", "ada", "submit/1", "urn:1", "urn:1", "urn:1", "now")
    told = {"CLASSROOM": "cs1", "OWNER": "ada-l", "COMMIT_URL": "u/c", "SUBMISSION_TAG": "submit/2"}
    assert run_in({}, here) == replace(here)
    assert run_in(told, here) == Provenance(
        "cs1", "01-coins", "ada-l", "submit/2", "u/c", "u/c", "u/c", "now"
    )


@pytest.mark.parametrize(
    ("scores", "total", "whole"),
    [([1.5, 0.5], 2.0, [2, 0]), ([1.33, 1.33, 1.33], 3.99, [2, 1, 1]), ([0.2, 0.2], 0.4, [0, 0])],
)
def test_whole_scores_add_up(scores, total, whole):
    assert whole_scores(scores, total) == whole


def test_a_result_of_a_student_with_a_strange_name_stays_in_its_folder(course):
    put(course.root.parent, {})
    documents(course, result(course, "%2E%2E"))
    assert not (course.root.parent / "g/export/gradescope" / STAGE).exists()


@pytest.mark.parametrize("link", [".hearts", "export", "export/csv"])
def test_nothing_is_exported_through_a_link(course, tmp_path, link, capsys):
    Store(tmp_path / "g").results.save(Record(result(course, "ada"), None))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "g" / link).parent.mkdir(exist_ok=True)
    (tmp_path / "g" / link).symlink_to(tmp_path / "elsewhere")
    assert run(["export", "g", "--to", "csv"]) == 2
    assert capsys.readouterr().err.startswith(f"hearts: g/{link}: is a symbolic link")
    assert not any((tmp_path / "elsewhere").iterdir())
