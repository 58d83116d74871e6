"""Whatever a student writes for one definition is graded and explained, without a grader error.

Each definition that a starter leaves blank is changed in turn; the rest is the reference.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hearts_course.course import Limits, Stage, find_course
from hearts_course.results import Outcome, Result, Status
from hearts_course.submissions.model import Submission
from hearts_course.testing import suite
from hearts_course.testing.tests import Test
from hearts_grader.grading.grade import GradeJob, grade_one
from tiny_grade import all_tests

Definition = ast.FunctionDef | ast.ClassDef
OF_SCRIPTS = "test_console_"  # how the files with tests of 04's script begin
RAISE = "raise NotImplementedError"
LOOP = "while True: pass"
TEST_SECONDS = 0.25  # an eighth of the course's limit, so that loops end sooner
WRONG_KINDS = ("None", '"a card"', '("suit", "rank")', "7", 'type("Empty", (), {})')
# A message with one of these parts explains a failure.
EXPLAINS = re.compile(
    r"^  (came back|found|expected|its message|raised|this should be true)"
    r"|it should be a|cannot be used here|what does the brief say it is|ha(s|ve) no attribute `"
    r"|might never end$|^your program|^not written yet",
    re.MULTILINE,
)
BLANKS = [
    (stage, name)
    for stage in find_course().stages
    for name in dict.fromkeys(name for task in stage.tasks for name in task.blanks)
]
CASES = [(*blank, value) for blank in BLANKS for value in WRONG_KINDS]
# Tests that a student writes are left out: an endless test costs the points of the others too.
LOOPING = [blank for blank in BLANKS if not blank[1].startswith("test_")]


def name_of(value: object) -> str:
    return getattr(value, "name", str(value))


def change(source: str, name: str, put: Callable[[Definition], ast.stmt]) -> str:
    """Return the source with another statement in place of a definition such as "Card.parse"."""
    tree: Any = ast.parse(source)
    *classes, last = name.split(".")
    places = [tree]
    for part in classes:
        places = [
            n for p in places for n in p.body if isinstance(n, ast.ClassDef) and n.name == part
        ]
    for place in places:
        place.body = [
            put(node) if isinstance(node, Definition) and node.name == last else node
            for node in place.body
        ]
    return ast.unparse(ast.fix_missing_locations(tree))


def with_value(value: str) -> Callable[[Definition], ast.stmt]:
    """Replace a definition by a value of the same name."""
    return lambda node: ast.parse(f"{node.name} = {value}").body[0]


def with_body(body: str) -> Callable[[Definition], ast.stmt]:
    """Replace the body of a function, or give a class a `__new__` with this body."""

    def put(node: Definition) -> ast.stmt:
        if isinstance(node, ast.ClassDef):
            node.body += ast.parse(f"def __new__(cls, *values, **named):\n    {body}").body
        else:
            node.body = ast.parse(body).body
        return node

    return put


def in_less_time(test: Test) -> Test:
    """Shorten a test's own time limit in the ratio of `TEST_SECONDS` to the usual limit."""
    share = TEST_SECONDS / Limits().test_seconds
    return replace(test, seconds=test.seconds and share * test.seconds)


def grade(
    stage: Stage, name: str, put: Callable[[Definition], ast.stmt], *, examples: bool = True
) -> Result:
    """Grade, without a sandbox, the reference in which `put` changes the definition `name`."""
    modules = {module: change(text, name, put) for module, text in stage.reference().items()}
    assert modules != {m: change(t, name, lambda node: node) for m, t in stage.reference().items()}
    submission = Submission("ada", stage.name, modules)
    return grade_one(GradeJob(stage, submission, "none", examples=examples))


def some(cases: list[tuple[Any, ...]], limit: int) -> list[Any]:
    """Give every case the mark `exhaustive`, and up to `limit` cases of each stage also `proof`.

    Cases of clinics do not get the mark `proof`.
    """
    chosen = set()
    for stage in dict.fromkeys(case[0] for case in cases if not case[0].clinic):
        own = [case for case in cases if case[0] == stage]
        chosen.update(own[:: -(-len(own) // limit)])
    both = [pytest.mark.exhaustive, pytest.mark.proof]
    return [pytest.param(*case, marks=both if case in chosen else both[:1]) for case in cases]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("stage", "name", "value"), some(CASES, 2), ids=name_of)
def test_a_value_of_the_wrong_kind_is_explained(stage: Stage, name: str, value: str) -> None:
    result = grade(stage, name, with_value(value))
    assert result.status is Status.GRADED, result.message
    failed = [test for test in all_tests(result) if test.outcome is not Outcome.PASSED]
    # If the value is a class and takes the place of a student's own test, this test may still pass.
    assert failed or result.score == result.max_score
    shown = [t.message for t in failed if not t.hidden and t.outcome is not Outcome.NOT_REACHED]
    assert shown or result.message or all(test.hidden for test in failed)
    assert [message for message in shown if not EXPLAINS.search(message)] == []


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("stage", "name"), some(LOOPING, 1), ids=name_of)
def test_a_loop_costs_what_an_exception_costs(
    stage: Stage, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test may differ in one way: it passes if the function raises, and times out if it loops.

    A test that runs a program as a script may also fail. What a script has printed into a pipe is
    kept if it raises an error, and lost if it loops and is killed.
    """
    collect = suite.tests_of
    monkeypatch.setattr(suite, "tests_of", lambda *given: [*map(in_less_time, collect(*given))])
    quick = replace(stage, limits=replace(stage.limits, test_seconds=TEST_SECONDS))
    raising, looping = (
        all_tests(grade(quick, name, with_body(body), examples=False)) for body in (RAISE, LOOP)
    )
    passed = {test.name: test.outcome is Outcome.PASSED for test in raising}
    differing = [t for t in looping if (t.outcome is Outcome.PASSED) != passed[t.name]]
    of_functions = [t for t in differing if not t.name.startswith(OF_SCRIPTS)]
    assert {t.outcome for t in of_functions} <= {Outcome.TIMEOUT}
    assert {t.outcome for t in differing} <= {Outcome.TIMEOUT, Outcome.FAILED}
    assert Outcome.NOT_REACHED not in {test.outcome for test in looping}
