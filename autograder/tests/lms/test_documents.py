"""A result, written in another system's format: fields, sums, and that no secret is in it."""

import json
from xml.etree import ElementTree

import pytest
from commands import hearts
from hearts_course.reports.classroom50 import Provenance, whole_scores
from hearts_course.results import Outcome, Status, TestResult, score_stage
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from hearts_grader.lms.documents import FORMATS
from tiny_class import STAGE, course_with_starter, result

SECRET = "test_richest[the-input]"
HINT = "Try: richest([Purse(), Purse()])"


@pytest.fixture(name="course")
def _course(tmp_path, monkeypatch):
    course = course_with_starter(tmp_path / "course")
    monkeypatch.chdir(tmp_path)
    return course


def uneven(course):
    """Return a result in which a visible test passes, one fails, and a hidden test times out.

    The message of the visible failure has characters that a terminal or XML would interpret.
    """
    bad = TestResult("t[b]", "A dime is ten.", False, Outcome.FAILED, "\x1b[1m<&>")
    good = TestResult("test_worth[a]", "A dime is ten.", False, Outcome.PASSED)
    hidden = TestResult(SECRET, "The richest purse is worth most.", True, Outcome.TIMEOUT, HINT)
    tests = {"worth": [good, bad], "total": [hidden]}
    return score_stage(course.stages[0], "ada", tests, sandbox="bwrap")


def documents(course, graded):
    """Save the result and export it; return the documents' texts by format."""
    Store(course.root / "../g").results.save(Record(graded, None))
    for form in FORMATS:
        assert hearts("export", "g", "--to", form) == 0
    place = course.root.parent / "g/export"
    paths = {f: place / f / graded.student / STAGE / kind.file for f, kind in FORMATS.items()}
    return {form: path.read_text() for form, path in paths.items()}


def test_each_document_says_the_same(course):
    texts = documents(course, uneven(course))
    grade = json.loads(texts["gradescope"])
    assert (grade["score"], {test["visibility"] for test in grade["tests"]}) == (1.0, {"visible"})
    assert [(t["number"], t["score"], t["max_score"], t["status"]) for t in grade["tests"]] == [
        ("1.1", 1.0, 2.0, "failed"),
        ("3.1", 0.0, 1.0, "failed"),
    ]
    room = json.loads(texts["classroom50"])
    keys = ("schema", "owner", "assignment", "score", "max-score")
    assert [room[key] for key in keys] == ["classroom50/result/v1", "ada", STAGE, 1, 6]
    scores = [(t["passed"], t["score"], t["max-score"]) for t in room["tests"]]
    assert scores == [(False, 1, 2), (False, 0, 3), (False, 0, 1)]
    suite = ElementTree.fromstring(texts["junit"])[0]
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["2", "2", "0", "0"]
    points = {p.get("name"): p.get("value") for p in suite.iter("property")}
    assert (points["score"], points["max_score"], points["score of worth"]) == ("1", "6", "1")
    for form, text in texts.items():
        assert "the-input" not in text
        assert "\x1b" not in text
        assert "The richest purse is worth most." in text or form == "classroom50"


def test_an_unreadable_program_is_an_error_and_not_a_failure(course):
    lost = result(course, "cy", status=Status.UNREADABLE, message="no such file; rename it")
    texts = documents(course, lost)
    suite = ElementTree.fromstring(texts["junit"])[0]
    assert [suite.get(name) for name in ("errors", "failures", "skipped")] == ["1", "0", "2"]
    assert json.loads(texts["gradescope"])["output"] == (
        "Coins and purses: your program could not be read\nno such file; rename it"
    )
    assert json.loads(texts["classroom50"])["score"] == 0


def test_the_environment_says_whose_result_it_is():
    here = Provenance("hearts", "01-coins", "ada", "submit/1", "urn:1", "urn:1", "urn:1", "now")
    assert here.with_environment({}) == here
    github = {"GITHUB_ACTOR": "ada-l", "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "0123456789abcdef"}
    enterprise = here.with_environment(github | {"GITHUB_SERVER_URL": "https://git"})
    url = "https://git/o/r/commit/0123456789abcdef"
    assert enterprise == Provenance(
        "hearts", "01-coins", "ada-l", "submit/0123456789ab", url, url, url, "now"
    )
    runner = {"CLASSROOM": "cs", "OWNER": "ada-l", "COMMIT_URL": "u", "SUBMISSION_TAG": "submit/2"}
    assert here.with_environment(runner) == Provenance(
        "cs", "01-coins", "ada-l", "submit/2", "u", "u", "u", "now"
    )


@pytest.mark.parametrize(
    ("scores", "total", "rounded_scores"),
    [([1.5, 0.5], 2.0, [2, 0]), ([1.33, 1.33, 1.33], 3.99, [2, 1, 1]), ([0.2, 0.2], 0.4, [0, 0])],
)
def test_whole_scores_add_up(scores, total, rounded_scores):
    assert whole_scores(scores, total) == rounded_scores


def test_the_result_of_a_student_with_a_strange_name_stays_in_its_folder(course):
    documents(course, result(course, "%2E%2E"))
    assert not (course.root.parent / "g/export/gradescope" / STAGE).exists()


@pytest.mark.parametrize("link", [".hearts", "export", "export/csv"])
def test_nothing_is_exported_through_a_link(course, tmp_path, link, capsys):
    Store(tmp_path / "g").results.save(Record(result(course, "ada"), None))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "g" / link).parent.mkdir(exist_ok=True)
    (tmp_path / "g" / link).symlink_to(tmp_path / "elsewhere")
    assert hearts("export", "g", "--to", "csv") == 2
    assert capsys.readouterr().err.startswith(f"hearts: g/{link}: is a symbolic link")
    assert not any((tmp_path / "elsewhere").iterdir())
