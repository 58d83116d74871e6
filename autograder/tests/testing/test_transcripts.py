"""A test is not run again if an earlier program gave the same answers and passed.

The results are the same as with a new run of the test.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hearts_course.course import Stage, find_course
from hearts_course.results import Result
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission
from hearts_course.testing import transcripts
from hearts_course.testing.runner import runner_of
from hearts_course.testing.tests import Test
from hearts_course.testing.transcripts import Exchange, Transcripts
from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.grading.grade import GradeJob, grade_one
from tiny_course import REFERENCE, write_stage
from tiny_grade import grade, outcomes, suite

pytestmark = pytest.mark.needs_sandbox

COURSE = find_course()
# A program that refuses some faces. A test may look at the error, at its text, or at its class.
PICKY = f"""{REFERENCE}
class Unknown(ValueError):
    pass

def pick(face):
    if face == "euro":
        raise Unknown("no euro")
    return Coin(face)
"""
LOOKS = {
    "the error": "except ValueError:\n        assert True",
    "its text": 'except ValueError as error:\n        assert "euro" in str(error)',
    "its class": 'except ValueError as error:\n        assert error.kind.startswith("Un")',
}
ASKS = 'coins.Coin("dime").worth == 10'


@pytest.fixture(name="called")
def _called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the name of each test whose function is called."""
    called: list[str] = []
    call = Test.call

    def noting(self: Test, connection: object) -> None:
        called.append(self.name)
        call(self, connection)

    monkeypatch.setattr(Test, "call", noting)
    return called


def stage_that(root: Path, looks: str) -> Stage:
    """Return a stage with a test that looks at this part of an error, and six other tests."""
    test = f"""
@pytest.mark.task("worth")
def test_picky(coins):
    \"\"\"A face that is unknown is refused.\"\"\"
    try:
        coins.pick("euro")
    {LOOKS[looks]}
    else:
        assert False
"""
    visible = suite(ASKS, "test_visible")
    return write_stage(root, VISIBLE=visible + test, HIDDEN=suite(ASKS, "test_hidden"))


@pytest.mark.parametrize(
    ("looks", "old", "new", "again"),
    [
        ("the error", "REFERENCE", "REFERENCE", 0),
        ("the error", "no euro", "what is that", 0),
        ("the error", "Unknown", "Lost", 0),
        ("its text", "no euro", "not a euro", 1),
        ("its text", "Unknown", "Lost", 0),
        ("its class", "Unknown", "Unheard", 1),
        ("its class", "no euro", "what is that", 0),
    ],
)
def test_what_has_passed_is_not_tried_again(
    tmp_path: Path, called: list[str], looks: str, old: str, new: str, again: int
) -> None:
    stage = stage_that(tmp_path, looks)
    other = PICKY.replace(old, new)
    for source, calls in ((PICKY, 7), (other, again), (other, 0), (PICKY, 0)):
        called.clear()
        assert outcomes(grade(stage, source)) == ["passed"] * 7
        assert len(called) == calls


@pytest.mark.parametrize(
    ("looks", "old", "new"),
    [
        ("its text", "no euro", "what is that"),
        ("its class", "Unknown", "Lost"),
        ("the error", "class Unknown(ValueError)", "class Unknown(KeyError)"),
        ("the error", 'raise Unknown("no euro")', "return None"),
    ],
)
def test_an_answer_that_has_not_passed_is_judged(
    tmp_path: Path, looks: str, old: str, new: str
) -> None:
    stage = stage_that(tmp_path, looks)
    assert outcomes(grade(stage, PICKY)) == ["passed"] * 7
    assert old in PICKY
    wrong = outcomes(grade(stage, PICKY.replace(old, new)))
    assert sorted(wrong) == ["failed", *["passed"] * 6]


def test_a_test_that_goes_on_gets_the_former_answers_once_more(
    tmp_path: Path, called: list[str]
) -> None:
    line = "[coins.note(), coins.note() > 0, coins.noted()] == [1, True, 2]"
    stage = write_stage(tmp_path, VISIBLE=suite(line, "test_visible"), HIDDEN="")
    program = """
NOTES = []
def note():
    NOTES.append(1)
    return len(NOTES) if len(NOTES) < 2 else SECOND
def noted():
    found = len(NOTES)
    NOTES.clear()
    return found
"""
    for second, calls in ((2, 3), (3, 3), (2, 0)):
        called.clear()
        source = f"{REFERENCE}\nSECOND = {second}\n{program}"
        assert outcomes(grade(stage, source)) == ["passed"] * 3
        assert len(called) == calls


class Answered(Exchange):
    """An exchange with a program that answers each question with 1."""

    def __init__(self) -> None:
        """Begin without a question."""
        self.questions = []
        self.answers = []
        self.errors = {}

    def put(self, question: bytes) -> bytes:
        """Return the answer."""
        self.questions.append(question)
        self.answers.append(b"1")
        return b"1"


@pytest.mark.parametrize(("max_bytes", "kept"), [(9, True), (8, False)])
def test_memory_has_a_limit(max_bytes: int, kept: bool) -> None:
    first = Answered()
    first.put(b"question")
    of_suite = Transcripts(max_bytes)
    of_suite.keep("test", first)
    assert of_suite.passes("test", Answered()) is kept


def results(stage: Stage, every: int) -> list[Result]:
    """Return the results of reference, starter, alternatives, and some of the chaffs.

    The programs run without a sandbox, because starting sandboxes would take half of the time.
    """
    folders = sorted((stage.autograder / "alternatives").glob("*/"))
    alternatives = [read_submission(folder, "ada", stage) for folder in folders]
    chaffs = [chaff.modules for chaff in load_chaffs(stage)[::every]]
    ours = [stage.reference(), stage.starter(), *chaffs]
    programs = [*(Submission("ada", stage.name, modules) for modules in ours), *alternatives]
    return [grade_one(GradeJob(stage, program, "none")) for program in programs]


def programs_of_all_stages() -> Iterator[Any]:
    """Yield a stage and a number n: every n-th of the stage's chaffs is to be graded.

    A chaff is the reference with one mistake. The case with a few chaffs of the first stage gets
    the mark `proof`. The cases with all chaffs of a stage get the mark `exhaustive`.
    """
    yield pytest.param(COURSE.stages[0], 60, id=COURSE.stages[0].name, marks=pytest.mark.proof)
    for stage in COURSE.stages:
        yield pytest.param(stage, 1, id=f"{stage.name}-all", marks=pytest.mark.exhaustive)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("stage", "every"), [*programs_of_all_stages()])
def test_no_result_depends_on_other_programs(
    stage: Stage, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner_of.cache_clear()
    remembering = results(stage, every)
    monkeypatch.setattr(transcripts, "MAX_TRANSCRIPTS", 0)
    runner_of.cache_clear()
    assert results(stage, every) == remembering
