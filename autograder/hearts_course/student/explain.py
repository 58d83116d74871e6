"""Questions about a student's own program: change one place, and which visible check fails then?

The tool finds each answer by trying: it changes the program and runs the visible checks on it.
"""

import ast
import random
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from hearts_course.brief import discussion_section, load_discussion, section_of
from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import disk_error
from hearts_course.python_source import definitions_in
from hearts_course.questions import LETTERS
from hearts_course.results import Outcome, Result
from hearts_course.student.work import StageWork, check_work, read_answers
from hearts_course.submissions.model import ANSWERS

Run: TypeAlias = Callable[[Mapping[str, str]], Result]
MAX_TRIES = 5  # changed programs on which the checks are run
MAX_TOPICS = 3
MAX_WORDS = 160  # characters in the words of a change
NONE = "none of them"
COPYING = {"list", "tuple", "sorted", "dict", "set", "frozenset"}
SWAPPED = {"min": "max", "max": "min"}
STRICT: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}


@dataclass(frozen=True)
class Place:
    """A place in a program, in a definition of this task, and what could be there instead.

    `change` says that and completes "Suppose that ...".
    """

    task: str
    module: str
    change: str
    _program: Mapping[str, str]
    _node: ast.expr | ast.stmt
    _new: str

    @property
    def line(self) -> int:
        """The first line of the place in its module."""
        return self._node.lineno

    @property
    def code(self) -> str:
        """The lines of the place."""
        lines = self._program[self.module].split("\n")
        return textwrap.dedent("\n".join(lines[self.line - 1 : self._node.end_lineno]))

    @property
    def modules(self) -> Mapping[str, str]:
        """The program with the change; each other line keeps its number."""
        lines = self._program[self.module].encode().split(b"\n")
        first, last = self.line - 1, self._node.end_lineno or self.line
        before = lines[first][: self._node.col_offset]
        after = lines[last - 1][self._node.end_col_offset :]
        new = self._new + "\n" * (last - self.line)
        if isinstance(self._node, ast.expr):
            new = f"({new})"
        elif lines[first][self._node.col_offset :].startswith(b"elif"):
            new = f"else: {new}"
        lines[first:last] = [before + new.encode() + after]
        return {**self._program, self.module: b"\n".join(lines).decode()}


@dataclass(frozen=True)
class WhatIf:
    """A place, topics of checks to choose from, the right one, and how it fails; "" for NONE."""

    place: Place
    options: tuple[str, ...]
    right: int
    message: str = ""

    @property
    def breaks(self) -> bool:
        """Whether a visible check fails after the change."""
        return self.options[self.right] != NONE


def questions(
    stage: Stage, modules: Mapping[str, str], run: Run, kinds: int = 2
) -> tuple[WhatIf, ...]:
    """Return up to two questions, always the same for the same program.

    One has a check that fails, the other has none, if two such places are found; of one kind only,
    the first that is found will do. `run` runs the visible checks on a program. Raise UsageError if
    none of them passes before any change.
    """
    tests = _tests(run(modules))
    broken = {test.topic for test in tests if not test.passed}
    before = [test for test in tests if test.topic not in broken]
    if not before:
        raise UsageError(f"{stage.name}: no visible check passes yet; write a task first")
    rng = chooser(modules)
    places = list(changeable_places(stage, modules))
    tried: list[WhatIf] = []
    for place in rng.sample(places, min(len(places), MAX_TRIES)):
        tests = _tests(run(place.modules))
        failing = {test.topic: test for test in reversed(tests) if not test.passed}
        known = [test for test in before if test.topic not in failing]
        if known:
            failed = [failing[test.topic] for test in before if test.topic in failing]
            tried.append(_question(place, failed, known, rng))
        if len({one.breaks for one in tried}) == kinds:
            break
    chosen = [*tried[:1], *tried[1:][-1:]]  # the last one is the first of its kind, if any is
    return tuple(rng.sample(chosen, len(chosen)))


def chooser(modules: Mapping[str, str]) -> random.Random:
    """Return a generator that makes the same choices for the same program."""
    return random.Random(str(sorted(modules.items())))


@dataclass(frozen=True)
class _Test:
    task: str
    topic: str
    passed: bool
    message: str


def _tests(result: Result) -> list[_Test]:
    return [
        _Test(task.task, test.topic, test.outcome is Outcome.PASSED, test.message)
        for task in result.tasks
        for test in task.tests
    ]


def _question(
    place: Place, failed: Iterable[_Test], passed: Iterable[_Test], rng: random.Random
) -> WhatIf:
    """Return the question; topics of the place's own task are preferred."""
    right = min(failed, key=lambda test: test.task != place.task, default=None)
    others = list(dict.fromkeys((test.task != place.task, test.topic) for test in passed))
    rng.shuffle(others)
    others.sort(key=lambda other: other[0])
    topics = [topic for _, topic in others][: MAX_TOPICS - (right is not None)]
    if right is None:
        return WhatIf(place, (*topics, NONE), len(topics))
    topics.insert(rng.randrange(len(topics) + 1), right.topic)
    return WhatIf(place, (*topics, NONE), topics.index(right.topic), right.message)


def changeable_places(stage: Stage, modules: Mapping[str, str]) -> Iterator[Place]:
    """Yield the places, inside definitions that the stage asks for, that a question can be about.

    What keeps a `while` going is not changed, because the program might not end. Nor is what stands
    in a formatted string, because Python 3.11 does not know its position.
    """
    tasks = {name: task.id for task in stage.tasks for name in task.blanks}
    for module, text in modules.items():
        nodes: dict[ast.AST, str] = {}
        for name, definition in definitions_in(ast.parse(text)):
            if name in tasks:
                nodes |= dict.fromkeys(ast.walk(definition), tasks[name])
        left_out = {
            part
            for node in nodes
            if isinstance(node, ast.JoinedStr | ast.While)
            for part in ast.walk(node.test if isinstance(node, ast.While) else node)
        }
        for node, task in nodes.items():
            if node in left_out or not isinstance(node, ast.expr | ast.stmt):
                continue
            words, new = _change(node) or ("", "")
            if 0 < len(words) <= MAX_WORDS:
                yield Place(task, module, words, modules, node, new)


def _change(node: ast.expr | ast.stmt) -> tuple[str, str] | None:
    """Return the change in words, and what to write instead of the node; None if there is none."""
    new: ast.expr
    match node:
        case ast.If(body=[ast.Raise()], orelse=[]):
            return f"`if {ast.unparse(node.test)}:` and its `raise` were missing", "pass"
        case ast.Call(ast.Name(name), [new]) if name in COPYING and not _is_starred(new):
            pass
        case ast.Call(ast.Name(name)) if name in SWAPPED:
            new = ast.Call(ast.Name(SWAPPED[name]), node.args, node.keywords)
            return f"`{name}(...)` were `{SWAPPED[name]}(...)`", ast.unparse(new)
        case ast.Compare(left, [operator], right) if type(operator) in STRICT:
            new = ast.Compare(left, [STRICT[type(operator)]()], right)
        case ast.BoolOp(operator, values):
            new = ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case _:
            return None
    return f"`{ast.unparse(node)}` were `{ast.unparse(new)}`", ast.unparse(new)


def _is_starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def work_questions(course: Course, root: Path, work: StageWork) -> tuple[WhatIf, ...]:
    """Return the questions about the student's work in the folder `root`.

    Raise UsageError if the stage has none, or if no visible check passes yet.
    """
    from hearts_course.testing.runner import SuiteRunner

    if work.stage.clinic:
        raise UsageError(f"{work.stage.name} is a clinic, which has nothing to explain")
    with closing(SuiteRunner(work.stage, work.stage.visible_tests)) as runner:

        def run(modules: Mapping[str, str]) -> Result:
            return check_work(course, root, replace(work, modules=modules), runner=runner)

        return questions(work.stage, work.modules, run)


def chosen_letters(answers: str, asked: Sequence[WhatIf]) -> str:
    """Return the letters given, one per question; raise UsageError for others."""
    letters = answers.lower()
    if letters and (len(letters) != len(asked) or not set(letters) <= set(LETTERS)):
        raise UsageError(f"{answers!r}: give one letter from a to d for each question")
    return letters


def what_if_text(number: int, question: WhatIf, work: StageWork) -> str:
    """Return the question in Markdown."""
    place = question.place
    where = work.place(place.module, place.line)
    options = "".join(f"- **{x})** {o}\n" for x, o in zip(LETTERS, question.options, strict=False))
    return (
        f"**Question {number}.** Your program, {where}:\n\n```python\n{place.code}\n```\n\n"
        f"Suppose that {place.change}. Which one of these visible checks would fail?\n\n{options}"
    )


def outcome_text(question: WhatIf, given: str) -> str:
    """Return, in Markdown, whether the answer is right, and what the changed program does.

    `given` is a letter, or "" for a question that was skipped.
    """
    right = LETTERS[question.right]
    words = f"The answer is {right}." if given != right else f"Yes, {right}."
    if given not in ("", right):
        words = f"No. {words}"
    if question.breaks:
        topic = question.options[question.right]
        return f"**{words}** This is what fails then: {topic}\n\n```text\n{question.message}\n```\n"
    return (
        f"**{words}** Every visible check still passes. Can you think of a call for which the "
        "change makes a difference? If so, hidden checks may try it. If not, is the code needed?\n"
    )


def discussion_text(root: Path, stage: Stage, modules: Mapping[str, str]) -> str:
    """Return one question for discussion, in Markdown, and add it to the student's answers.

    What is there already stays. A stage without questions has an empty text.
    """
    under = f"`{ANSWERS}`, under `## {stage.name}`. `hearts submit` packs it"
    text, choices = read_answers(root), load_discussion(stage)
    if section_of(text, stage.name):
        return f"Your question for discussion is in {under}.\n"
    if not choices:
        return ""
    chosen = discussion_section(chooser(modules).choice(choices))
    begin = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    try:
        with (root / ANSWERS).open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{begin}## {stage.name}\n\n{chosen}\n\n")
    except OSError as error:
        raise disk_error(root / ANSWERS, error) from None
    return f"**A question for discussion**\n\n{chosen}\n\nWrite your answer in {under}.\n"
