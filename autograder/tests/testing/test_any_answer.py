"""Whatever a program answers, it is graded in bounded time and never called a grader error.

The programs are random. They mostly answer with the kind of value that was asked for, so that a
test goes on for a while, and sometimes with anything at all.
"""

import base64
import math
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hearts_course.course import Course, Stage, find_course
from hearts_course.grading.store import Record
from hearts_course.reports.feedback import feedback
from hearts_course.reports.feedback_pages import pages
from hearts_course.results import Outcome, Result, Status, score_stage
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.protocol import MAX_PROGRAM_BYTES, ProtocolError, read_message
from hearts_course.sandbox.worker.server import BUILT_IN_ERRORS
from hearts_course.submissions.model import Submission
from hearts_course.testing.job import Job
from hearts_course.testing.runner import SuiteRunner
from tiny_course import REFERENCE, VISIBLE, write_stage
from tiny_grade import EVERY_FIXTURE, SCRIPT, all_tests

PROGRAMS, PROGRAMS_OF_A_STAGE = 100, 20
ODD_SHARES = (0.01, 0.1, 0.5, 1.0)  # how often a program answers with anything at all
MAX_QUESTIONS = 150  # in a test, before its time is up
MAX_SECONDS = 60.0  # of processor time, for a whole stage
CANARY = "canary"  # in the texts of programs; no hidden test's message may show it
NUMBERS = (0, 1, 13, 52, -1, 2**63, 10**4000, 0.5, math.nan, math.inf, None, True, False)
CLASSES = ("module", "type", "EnumType", "function", "method", "Card", "int", "x")
MALFORMED = (
    *({}, [1], {"list": 3}, {"dict": [1]}, {"no": 1}, {"bytes": "?"}),
    {"handle": "1", "class": 1},
)
JUNK = (None, 7, "x", [], {}, {"id": 0}, {"value": 1})
BROKEN = (TimeoutError(), EOFError(), ProtocolError("not a message"))


def any_text(rng: Random) -> str:
    drawn = CANARY + "".join(chr(rng.randrange(0x110000)) for _ in range(rng.randrange(20)))
    return rng.choice(["QS", "", "\ud800", "2C\n", drawn, drawn])


def any_value(rng: Random, depth: int = 3) -> Any:
    """Return any value as the protocol writes it, or nearly so."""

    def several() -> list[Any]:
        return [any_value(rng, depth - 1) for _ in range(rng.randrange(5))]

    simple: list[Callable[[], Any]] = [
        lambda: rng.choice(NUMBERS),
        lambda: any_text(rng),
        lambda: {"bytes": base64.b64encode(rng.randbytes(rng.randrange(20))).decode()},
        lambda: {"handle": rng.randrange(-9, 99), "class": rng.choice([*CLASSES, any_text(rng)])},
        lambda: rng.choice(MALFORMED),
    ]
    containers: list[Callable[[], Any]] = [
        lambda: {rng.choice(["list", "tuple", "set", "frozenset"]): several()},
        lambda: {"dict": [[any_value(rng, depth - 1), item] for item in several()]},
    ]
    return rng.choice([*simple, *(containers if depth else [])])()


def any_error(rng: Random) -> dict[str, Any]:
    where = [any_text(rng), rng.randrange(100), any_text(rng)]
    return {
        "type": rng.choice([*BUILT_IN_ERRORS, "Lost", "SystemExit", any_text(rng)]),
        "base": rng.choice([*BUILT_IN_ERRORS, "BaseException", any_text(rng)]),
        "text": any_text(rng),
        "where": rng.choice([None, where, any_value(rng)]),
    }


class AnyPipes:
    """The pipes of a process that answers at random."""

    def __init__(self, seed: int) -> None:
        self._rng = rng = Random(seed)
        self._odd_share = rng.choice(ODD_SHARES)
        self._values = [any_value(rng) for _ in range(8)]
        self._errors = [any_error(rng) for _ in range(3)]
        self._junk = rng.choices([*JUNK, *BROKEN], k=2)
        self._replies: list[Any] = []
        self._begun = self._asked = 0

    def send(self, frame: bytes) -> None:
        question = read_message(BytesIO(frame).read, MAX_PROGRAM_BYTES)
        number, verb = question["id"], question["do"]
        if verb in ("load", "begin"):
            self._begun, self._asked = number, 0
            self._replies.append({"id": number, "value": None})
        elif verb not in ("go_on", "exchange", "end"):
            self._asked += 1
            late = self._asked > MAX_QUESTIONS
            self._replies.append(TimeoutError() if late else self._reply(number, question))

    def receive(self, deadline: float) -> Any:
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def end_of_test(self, deadline: float) -> Any:
        return {"id": self._begun, "ended": ""}

    def close(self) -> None:
        """Do nothing: there is no process."""

    def _reply(self, number: int, question: dict[str, Any]) -> Any:
        rng = self._rng
        if rng.random() > self._odd_share:
            return {"id": number, "value": self._fitting(question)}
        kind = rng.random()
        if kind < 0.1:
            return rng.choice(self._junk)
        if kind < 0.4:
            return {"id": number, "error": rng.choice(self._errors)}
        return {"id": number, "value": rng.choice(self._values)}

    def _fitting(self, question: dict[str, Any]) -> Any:
        """Return an answer of the kind that the question asks for."""
        rng, name = self._rng, question.get("name", "")
        match question["do"]:
            case "each":
                columns = [c["list"] for c in question["columns"] if list(c) == ["list"]]
                rows = len(columns[0]) if columns else rng.randrange(5)
                return {"list": [self._result_of(name) for _ in range(rows)]}
            case "iterate":
                return {"list": [self._object() for _ in range(rng.choice([0, 1, 4, 13]))]}
            case "run":
                return {"tuple": [{"bytes": ""}, {"bytes": "UVM="}, rng.choice([0, 1, -9])]}
            case "operate":
                return self._result_of(name)
            case "start":
                return rng.choice([0, 1])
            case "expect":
                return {"tuple": [CANARY, rng.choice([None, None, 0, 1])]}
            case "finish":
                return {"tuple": [{"bytes": "UVM="}, {"bytes": ""}, rng.choice([0, 1])]}
            case "send" | "interrupt" | "end_input":
                return None
        return self._object()

    def _result_of(self, operation: str) -> Any:
        if operation in ("len", "hash", "int"):
            return self._rng.choice([0, 1, 4, 13, 52])
        if operation in ("str", "repr", "format"):
            return self._rng.choice(["QS", "2C", CANARY])
        if operation in ("eq", "ne", "lt", "le", "gt", "ge", "contains", "bool"):
            return self._rng.random() < 0.5
        return self._object()

    def _object(self) -> Any:
        return {"handle": self._rng.randrange(9), "class": "Card"}


class AnyProgram(SubmissionProcess):
    """A program behind such pipes; everything else is what grades real ones."""

    def __init__(self, stage: Stage, seed: int) -> None:
        modules = Course(stage.root).whole_reference(stage)
        modules[stage.modules[0]] += f"# {seed}\n"  # suites keep what they know of a text
        super().__init__(modules, stage.limits, "none")
        self._stage, self._seed = stage, seed

    def _start(self) -> None:
        self.stopped = None
        self._pipes = AnyPipes(self._seed)

    def variant(self, modules: Any) -> "AnyProgram":
        self._variants.append(AnyProgram(self._stage, self._seed))
        return self._variants[-1]  # type: ignore[return-value]


def graded(stage: Stage, suite: SuiteRunner, seed: int) -> Result:
    """Return the program's result; raise SuiteError where the grader would report an error."""
    with AnyProgram(stage, seed) as program:
        run = suite.run(Job(program, seconds=stage.limits.submission_seconds))
    return score_stage(
        stage, "ada", run.tests, sandbox="none", message=run.verdict, skipped=run.skipped
    )


def expect_graded(stage: Stage, programs: int) -> set[str]:
    """Grade random programs, and return all outcomes of their tests."""
    suite, seen = SuiteRunner(stage), set()
    for seed in range(programs):
        begun = time.process_time()
        result = graded(stage, suite, seed)
        assert time.process_time() - begun < MAX_SECONDS
        assert result.status is Status.GRADED
        tests = all_tests(result)
        assert {test.outcome for test in tests} != {Outcome.NOT_REACHED}
        assert not [test.name for test in tests if test.hidden and CANARY in test.message]
        submission = Submission("ada", stage.name, stage.reference())
        shown = pages(feedback(result, stage, submission)).values()
        for text in (Record(result, None).as_text(), *shown):
            text.encode()
        seen |= {test.outcome for test in tests}
    return seen


def test_whatever_a_program_answers_it_is_graded(tmp_path: Path) -> None:
    stage = write_stage(tmp_path, VISIBLE=VISIBLE + EVERY_FIXTURE, REFERENCE=REFERENCE + SCRIPT)
    assert expect_graded(stage, PROGRAMS) == {"failed", "timeout", "crashed"}


@pytest.mark.proof
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("stage", find_course().stages, ids=lambda stage: stage.name)
def test_whatever_a_program_answers_it_is_graded_in_each_stage(stage: Stage) -> None:
    expect_graded(stage, PROGRAMS_OF_A_STAGE)
