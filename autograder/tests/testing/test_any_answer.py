"""Whatever a program answers, it is judged in limited time, and without an error of the grader.

Hypothesis makes random programs. They mostly answer with a value of the right kind, so that a test
goes on for a while, and sometimes with anything at all.
"""

import base64
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
from hearts_course.course import Course, Stage, find_course
from hearts_course.reports.feedback import feedback, pages
from hearts_course.results import Outcome, Result, Status, score_stage
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.protocol import (
    HELLO,
    MAX_PROGRAM_BYTES,
    ProtocolError,
    read_message,
    to_json,
)
from hearts_course.sandbox.worker.server import BUILT_IN_ERRORS
from hearts_course.submissions.model import Submission
from hearts_course.testing.job import Job
from hearts_course.testing.runner import runner_of
from hearts_grader.grading.records import Record
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

COURSE = Course(find_course().root)
FEW, MANY = 2, 20  # programs for each stage
MAX_QUESTIONS = 150  # of one test; then its time is up
MAX_SECONDS = 60.0  # processor time for all tests of a stage
CANARY = "canary"  # part of each random text that a program answers
LATE = TimeoutError()
GONE = EOFError()
NO_MESSAGE = ProtocolError("no message")

numbers = st.integers() | st.sampled_from([0, 1, 13, 52, -1, 2**63, 10**4000])
texts = st.text(max_size=20).map(CANARY.__add__) | st.sampled_from(["QS", "", "\ud800", "2C\n"])
tagged_bytes = st.binary(max_size=20).map(lambda b: {"bytes": base64.b64encode(b).decode()})
classes = st.sampled_from(["module", "type", "EnumType", "function", "method", "Card", "int", "x"])
handles = st.builds(lambda n, kind: {"handle": n, "class": kind}, st.integers(), classes | texts)
malformed = st.sampled_from(
    [{}, [1], {"list": 3}, {"dict": [1]}, {"no": 1}, {"bytes": "?"}, {"handle": "1", "class": 1}]
)
plain = st.none() | st.booleans() | numbers | st.floats() | texts | tagged_bytes


def containers(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(parts, max_size=4)
    tags = st.sampled_from(["list", "tuple", "set", "frozenset"])
    dicts = st.lists(st.tuples(parts, parts).map(list), max_size=3).map(lambda d: {"dict": d})
    return st.builds(lambda tag, items: {tag: items}, tags, several) | dicts


values = st.recursive(plain | handles, containers, max_leaves=8) | malformed
errors = st.fixed_dictionaries(
    {
        "type": st.sampled_from([*BUILT_IN_ERRORS, "Lost", "SystemExit"]) | texts,
        "base": st.sampled_from([*BUILT_IN_ERRORS, "BaseException"]) | texts,
        "text": texts,
        "where": st.none() | st.tuples(texts, st.integers(), texts).map(list) | values,
    }
)
junk = st.sampled_from([None, 7, "x", [], {}, {"id": 0}, {"value": 1}, LATE, GONE, NO_MESSAGE])


@dataclass(frozen=True)
class Plan:
    """What a program answers; `odd` is the probability that an answer may be of any kind."""

    seed: int
    values: list[Any]
    errors: list[Any]
    junk: list[Any]
    odd: float


plans = st.builds(
    Plan,
    st.integers(0, 2**32),
    st.lists(values, min_size=1, max_size=8),
    st.lists(errors, min_size=1, max_size=3),
    st.lists(junk, min_size=1, max_size=2),
    st.sampled_from([0.01, 0.1, 0.5, 1.0]),
)


class AnyPipes:
    """Stands in for the pipes to a process, and answers by a plan."""

    apart = True

    def __init__(self, plan: Plan) -> None:
        self._plan, self._random = plan, random.Random(plan.seed)
        self._replies: list[Any] = [HELLO]
        self._begun = self._asked = 0

    def send(self, frame: bytes) -> None:
        question = read_message(BytesIO(frame).read, MAX_PROGRAM_BYTES)
        number = question["id"]
        verb = question["do"]
        if verb == "load":
            self._replies.append({"id": number, "value": None})
        elif verb == "begin":
            self._begun, self._asked = number, 0
            self._replies.append({"id": number, "value": None})
        elif verb in ("go_on", "exchange", "end"):
            return
        else:
            self._asked += 1
            late = self._asked > MAX_QUESTIONS
            self._replies.append(LATE if late else self._reply(number, question))

    def receive(self, deadline: float) -> bytes:
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return to_json(reply)

    def start_conversation(self) -> None:
        """Do nothing, because no program prints."""

    def end_of_test(self, deadline: float) -> Any:
        return {"id": self._begun, "ended": ""}

    def close(self) -> None:
        """Do nothing, because there is no process."""

    def _reply(self, number: int, question: dict[str, Any]) -> Any:
        chance = self._random
        if chance.random() < self._plan.odd:
            kind = chance.random()
            if kind < 0.1:
                return chance.choice(self._plan.junk)
            if kind < 0.4:
                return {"id": number, "error": chance.choice(self._plan.errors)}
            return {"id": number, "value": chance.choice(self._plan.values)}
        return {"id": number, "value": self._fitting(question)}

    def _fitting(self, question: dict[str, Any]) -> Any:
        """Return an answer of the kind that the question asks for."""
        chance = self._random
        name = question.get("name", "")
        match question["do"]:
            case "each":
                return {"list": [self._of(name) for _ in range(self._rows(question))]}
            case "iterate":
                return {"list": [self._object() for _ in range(chance.choice([0, 1, 4, 13]))]}
            case "run":
                return {"tuple": [{"bytes": ""}, {"bytes": "UVM="}, chance.choice([0, 1, -9])]}
            case "operate":
                return self._of(name)
            case "start":
                return chance.choice([0, 1])
            case "expect":
                return {"tuple": [CANARY, chance.choice([None, None, 0, 1])]}
            case "finish":
                return {"tuple": [{"bytes": "UVM="}, {"bytes": ""}, chance.choice([0, 1])]}
            case "send" | "interrupt" | "end_input":
                return None
        return self._object()

    def _rows(self, question: dict[str, Any]) -> int:
        known = [len(c["list"]) for c in question["columns"] if list(c) == ["list"]]
        return known[0] if known else self._random.randrange(5)

    def _of(self, operation: str) -> Any:
        chance = self._random
        if operation in ("len", "hash", "int"):
            return chance.choice([0, 1, 4, 13, 52])
        if operation in ("str", "repr", "format"):
            return chance.choice(["QS", "2C", CANARY])
        if operation in ("eq", "ne", "lt", "le", "gt", "ge", "contains", "bool"):
            return chance.random() < 0.5
        return self._object()

    def _object(self) -> Any:
        return {"handle": self._random.randrange(9), "class": "Card"}


class AnyProgram(SubmissionProcess):
    """A program behind `AnyPipes`; everything else is the code that grades real programs."""

    def __init__(self, stage: Stage, plan: Plan) -> None:
        modules = COURSE.whole_reference(stage)
        # Suites cache results by the program's text, so give each plan a different text.
        modules[stage.modules[0]] += f"# {plan!r}\n"
        super().__init__(modules, stage.limits, "none")
        self._stage, self._plan = stage, plan

    def _start(self) -> None:
        self._conversation.open(AnyPipes(self._plan))

    def variant(self, modules: Any) -> "AnyProgram":
        self._variant = AnyProgram(self._stage, self._plan)
        self._variant.begin()
        return self._variant


def graded(stage: Stage, plan: Plan) -> Result:
    """Grade a program that answers by this plan, and return the result.

    Raise SuiteError where the grader would report its own error.
    """
    with AnyProgram(stage, plan) as program:
        run = runner_of(stage).run(Job(program, seconds=stage.limits.submission_seconds))
    return score_stage(
        stage, "ada", run.tests, sandbox="none", message=run.verdict, skipped=run.skipped
    )


def check(stage: Stage, plan: Plan) -> None:
    begun = time.process_time()
    result = graded(stage, plan)
    assert time.process_time() - begun < MAX_SECONDS
    assert result.status is Status.GRADED
    tests = [test for task in result.tasks for test in task.tests]
    assert {test.outcome for test in tests} != {Outcome.NOT_REACHED}
    assert not [test.name for test in tests if test.hidden and CANARY in test.message]
    said = feedback(result, stage, Submission("ada", stage.name, stage.reference()))
    for text in (Record(result, None).as_text(), *pages(said).values()):
        text.encode()


def cases() -> Iterator[Any]:
    """Yield each stage twice: with few programs, and with many programs as an exhaustive case.

    With few programs, the first stage has no mark. Of the stages after it, every third has the mark
    `proof`, and the others have the mark `exhaustive`.
    """
    for number, stage in enumerate(COURSE.stages):
        mark = pytest.mark.exhaustive if number % 3 else pytest.mark.proof
        marks = [] if number == 0 else [mark]
        yield pytest.param(stage, FEW, id=f"{stage.name}-few", marks=marks)
        yield pytest.param(stage, MANY, id=f"{stage.name}-many", marks=[pytest.mark.exhaustive])


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("stage", "examples"), [*cases()])
def test_whatever_a_program_answers_it_is_judged(stage: Stage, examples: int) -> None:
    settled = settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # do not shrink a failure, which takes long
        suppress_health_check=list(HealthCheck),
    )
    settled(given(plan=plans)(lambda plan: check(stage, plan)))()
