"""Questions about a student's own program: which visible check fails after a change in one place.

The tool finds each answer by trying: it changes the program and runs the visible checks on it.
"""

import ast
import random
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from hearts_course.brief import discussion_section, load_discussion, section_of
from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import disk_error
from hearts_course.python_source import code_text, definitions_in
from hearts_course.questions import LETTERS, load_questions
from hearts_course.results import Outcome, Result
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.student.own_answers import STOPPED, answers_in_program
from hearts_course.student.quiz import shown_answer
from hearts_course.student.work import StageWork, modules_of, read_answers, whole_program
from hearts_course.submissions.model import ANSWERS

Run: TypeAlias = Callable[[Mapping[str, str], Sequence[str]], Result]
Show: TypeAlias = Callable[[Mapping[str, str], Sequence[str]], Sequence[str]]
MAX_TRIES = 3  # changed programs that are checked; to check more would take too long
MIN_WORD = 5  # only this many first letters of two words are compared
WORD = re.compile(r"[a-z]{4,}|[0-9]+")
MAX_TOPICS = 3  # topics to choose from, besides NONE
MAX_WORDS = 160  # characters in the description of a change
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
    """A place in a definition that the task asks for, and what could be there instead.

    `change` describes the change in words that complete "Suppose that ...".
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
        """The lines of the place, without indentation."""
        lines = self._program[self.module].split("\n")
        return textwrap.dedent("\n".join(lines[self.line - 1 : self._node.end_lineno]))

    @property
    def modules(self) -> Mapping[str, str]:
        """The changed program; the lines outside of the place keep their numbers.

        If the new code has fewer lines than the place, empty lines follow. So a message about the
        changed program names lines that the student can find.
        """
        lines = self._program[self.module].encode().split(b"\n")
        first = self.line - 1
        last = self._node.end_lineno or self.line
        head = lines[first][: self._node.col_offset]
        tail = lines[last - 1][self._node.end_col_offset :]
        new = self._new + "\n" * (last - self.line)
        if isinstance(self._node, ast.expr):
            new = f"({new})"
        elif lines[first][self._node.col_offset :].startswith(b"elif"):
            new = f"else: {new}"  # the tree has an `elif` as an `if` inside an `else`
        lines[first:last] = [head + new.encode() + tail]
        return {**self._program, self.module: b"\n".join(lines).decode()}


@dataclass(frozen=True)
class WhatIf:
    """A place, answers to choose from, and the index of the right answer in `options`.

    Without a `call`, the answers are topics of checks, and the question is which topic fails after
    the change. `message` is the message of the failing check, "" if the answer is NONE. With a
    `call`, the question is what the call shows after the change. Then `message` is what the call
    shows before the change.
    """

    place: Place
    options: tuple[str, ...]
    right: int
    message: str = ""
    call: str = ""

    @property
    def breaks(self) -> bool:
        """Whether the change makes a visible check fail, or makes a call show something else."""
        return self.options[self.right] != NONE


def questions(
    stage: Stage,
    modules: Mapping[str, str],
    run: Run,
    kinds: int = 2,
    show: Show | None = None,
) -> tuple[WhatIf, ...]:
    """Return up to two questions, always the same for the same program.

    There are two kinds of questions. In one kind, the change makes a check fail or changes what a
    call shows. In the other kind, the change has no effect. Return one question of each kind if
    both are found, or else up to two of one kind. If `kinds` is 1, end the search at the first
    question. `run` runs the visible checks of some tasks on a program, and `show` returns what
    calls show in a program. Raise UsageError if no check of the tasks passes on the unchanged
    program.
    """
    rng = chooser(modules)
    places = list(changeable_places(stage, modules))
    places = rng.sample(places, min(len(places), MAX_TRIES))
    result = run(modules, _tasks(places))
    tests = _tests(result)
    broken = {test.topic for test in tests if not test.passed}
    passing = [test for test in tests if test.topic not in broken]
    if not passing:
        none_passes = f"{stage.name}: no visible check passes yet; write a task first"
        raise UsageError(result.message or none_passes)  # the message says what is not imported
    asked: list[WhatIf] = []
    for place in places:
        of_task = [test for test in passing if test.task == place.task]
        question = _about_checks(place, of_task, run, rng)
        if question is None and show:
            question = _about_a_call(stage, modules, place, show, rng)
        if question:
            asked.append(question)
        if len({question.breaks for question in asked}) == kinds:
            break
    chosen = asked
    if len(asked) > 2:  # all but the last are of one kind; only the last can be of the other
        chosen = [asked[0], asked[-1]]
    return tuple(rng.sample(chosen, len(chosen)))


def chooser(modules: Mapping[str, str]) -> random.Random:
    """Return a random generator that makes the same choices for the same program."""
    return random.Random(str(sorted(modules.items())))


@dataclass(frozen=True)
class _Test:
    """The facts about a visible test that a question needs."""

    task: str
    topic: str
    passed: bool
    message: str


def _tests(result: Result) -> list[_Test]:
    """Return all tests that were run, in order."""
    tests: list[_Test] = []
    for task in result.tasks:
        for test in task.tests:
            passed = test.outcome is Outcome.PASSED
            tests.append(_Test(task.task, test.topic, passed, test.message))
    return tests


def _tasks(places: Iterable[Place]) -> tuple[str, ...]:
    """Return the ids of the tasks that the places are in, each once."""
    return tuple(dict.fromkeys(place.task for place in places))


def _about_checks(
    place: Place, passing: Sequence[_Test], run: Run, rng: random.Random
) -> WhatIf | None:
    """Return a question whose answers are topics of the place's task, taken from `passing`.

    `passing` are the tests that pass before the change. Return None if no test passes, or if
    comparing words would be enough to find the right answer.
    """
    tests = _tests(run(place.modules, (place.task,)))
    # In reverse, so that each topic keeps its first failing test.
    failing = {test.topic: test for test in reversed(tests) if not test.passed}
    failed = [failing[test.topic] for test in passing if test.topic in failing]
    if not passing:
        return None
    others = list(dict.fromkeys(test.topic for test in passing if test.topic not in failing))
    rng.shuffle(others)
    if not failed:
        topics = others[:MAX_TOPICS]
        return WhatIf(place, (*topics, NONE), len(topics))
    right = failed[0]
    topics = others[: MAX_TOPICS - 1]
    if is_told_by_words(place, right.topic, topics):
        return None
    topics.insert(rng.randrange(len(topics) + 1), right.topic)
    return WhatIf(place, (*topics, NONE), topics.index(right.topic), right.message)


def is_told_by_words(place: Place, right: str, others: Iterable[str]) -> bool:
    """Return whether the right topic shares more words with the place than any other topic.

    Such a question could be answered without understanding the program.
    """
    words = _stems(f"{place.code} {place.change}")
    common = len(words & _stems(right))
    return common > max((len(words & _stems(topic)) for topic in others), default=0)


def _stems(text: str) -> set[str]:
    """Return the numbers in a text, and the beginnings of its longer words."""
    return {word[:MIN_WORD] for word in WORD.findall(text.lower())}


def _about_a_call(
    stage: Stage, modules: Mapping[str, str], place: Place, show: Show, rng: random.Random
) -> WhatIf | None:
    """Return a question about a call that shows something else after the change.

    Return None if there is no such call. This question is asked only if `_about_checks` finds none.
    """
    about_calls = load_questions(stage).predict
    about_task = [question for question in about_calls if question.task == place.task]
    codes = [question.code for question in about_task]
    if not codes:
        return None
    old_answers = show(modules, codes)
    new_answers = show(place.modules, codes)
    for question, old, new in zip(about_task, old_answers, new_answers, strict=True):
        if old != new and STOPPED not in (old, new):
            wrong = (choice for choice in (old, *question.choices) if choice != new)
            options = [new, *dict.fromkeys(wrong)][: len(LETTERS)]
            rng.shuffle(options)
            return WhatIf(place, tuple(options), options.index(new), old, question.code)
    return None


def changeable_places(stage: Stage, modules: Mapping[str, str]) -> Iterator[Place]:
    """Yield the places that a question can be about, in definitions that the stage asks for.

    The condition of a `while` is left out, because a changed program might not end. Formatted
    strings are left out, because Python 3.11 does not know the positions inside them.
    """
    tasks: dict[str, str] = {}  # task ids, by the definitions that the tasks ask for
    for task in stage.tasks:
        tasks |= dict.fromkeys(task.blanks, task.id)
    for module, text in modules.items():
        nodes: dict[ast.AST, str] = {}
        for name, definition in definitions_in(ast.parse(text)):
            if name in tasks:
                nodes |= dict.fromkeys(ast.walk(definition), tasks[name])
        left_out: set[ast.AST] = set()
        for node in nodes:
            if isinstance(node, ast.While):
                left_out.update(ast.walk(node.test))
            elif isinstance(node, ast.JoinedStr):
                left_out.update(ast.walk(node))
        for node, task_id in nodes.items():
            if node in left_out or not isinstance(node, ast.expr | ast.stmt):
                continue
            words, new = _change(node) or ("", "")
            if 0 < len(words) <= MAX_WORDS:
                yield Place(task_id, module, words, modules, node, new)


def _change(node: ast.expr | ast.stmt) -> tuple[str, str] | None:
    """Return a possible change of the node: words that describe it, and the new code.

    If the node has no such change, return None. The changes are small slips: a missing check, a
    missing copy, `min` for `max`, `<` for `<=`, `and` for `or`.
    """
    new: ast.expr
    match node:
        case ast.If(body=[ast.Raise()], orelse=[]):
            return f"`if {code_text(node.test)}:` and its `raise` were missing", "pass"
        case ast.Call(ast.Name(name), [copied]) if name in COPYING and not _is_starred(copied):
            new = copied
        case ast.Call(ast.Name(name)) if name in SWAPPED:
            new = ast.Call(ast.Name(SWAPPED[name]), node.args, node.keywords)
            return f"`{name}(...)` were `{SWAPPED[name]}(...)`", code_text(new)
        case ast.Compare(left, [operator], right) if type(operator) in STRICT:
            new = ast.Compare(left, [STRICT[type(operator)]()], right)
        case ast.BoolOp(operator, values):
            opposite: ast.boolop = ast.And()
            if isinstance(operator, ast.And):
                opposite = ast.Or()
            new = ast.BoolOp(opposite, values)
        case _:
            return None
    return f"`{code_text(node)}` were `{code_text(new)}`", code_text(new)


def _is_starred(node: ast.expr) -> bool:
    """Return whether the argument is starred, like `*cards`, which is valid only inside a call."""
    return isinstance(node, ast.Starred)


def work_questions(course: Course, root: Path, work: StageWork) -> tuple[WhatIf, ...]:
    """Return the questions about the student's work in the folder `root`.

    Raise UsageError if the stage is a clinic, because a clinic has no such questions. Raise it also
    if the program cannot be read or imported, or if no visible check passes yet.
    """
    from hearts_course.testing.in_process import check_program
    from hearts_course.testing.runner import SuiteRunner

    stage = work.stage
    if stage.clinic:
        raise UsageError(f"{stage.name} is a clinic, which has nothing to explain")
    if error := work.syntax_error():
        raise UsageError(error)
    program = modules_of(whole_program(course, root, work))
    with closing(SuiteRunner(stage, stage.visible_tests)) as runner:

        def run(modules: Mapping[str, str], tasks: Sequence[str]) -> Result:
            """Run the visible checks of these tasks on the changed modules."""
            changed = {**program, **modules}
            return check_program(stage, changed, tasks=tasks, apart=True, runner=runner)

        def show(modules: Mapping[str, str], codes: Sequence[str]) -> Sequence[str]:
            """Return what calls show in the changed program; STOPPED for all if it stops."""
            try:
                return answers_in_program(stage, {**program, **modules}, codes)
            except (RemoteError, SubmissionStopped):
                return [STOPPED] * len(codes)

        return questions(stage, work.modules, run, show=show)


def chosen_letters(answers: str, asked: Sequence[WhatIf]) -> str:
    """Return the answers as small letters, one per question, or "" if no answers are given.

    Raise UsageError for any other number of letters, and for letters other than a to d.
    """
    letters = answers.lower()
    if letters and (len(letters) != len(asked) or not set(letters) <= set(LETTERS)):
        raise UsageError(f"{answers!r}: give one letter from a to d for each question")
    return letters


def what_if_text(number: int, question: WhatIf, work: StageWork) -> str:
    """Return the question in Markdown.

    The question quotes the student's own lines and says where they are.
    """
    place = question.place
    where = work.place(place.module, place.line)
    code = f"```python\n{place.code}\n```"
    suppose = (
        f"**Question {number}.** Your program, {where}:\n\n{code}\n\nSuppose that {place.change}."
    )
    lettered = list(zip(LETTERS, question.options, strict=False))
    options = ""
    for letter, option in lettered:
        if question.call:
            option = shown_answer(option)
        options += f"- **{letter})** {option}\n"
    if question.call:
        call = f"```python\n{question.call}\n```"
        return f"{suppose} What would the last line of this show?\n\n{call}\n\n{options}"
    return f"{suppose} Which one of these visible checks would fail?\n\n{options}"


def outcome_text(question: WhatIf, letter: str) -> str:
    """Return, in Markdown, whether the answer is right, and what the change does.

    `letter` is the answer, or "" for a question that was skipped.
    """
    right = LETTERS[question.right]
    words = f"The answer is {right}."
    if letter == right:
        words = f"Yes, {right}."
    elif letter:
        words = f"No. {words}"
    if question.call:
        return f"**{words}** Without the change it shows {shown_answer(question.message)}.\n"
    if question.breaks:
        topic = question.options[question.right]
        return f"**{words}** This is what fails then: {topic}\n\n```text\n{question.message}\n```\n"
    return (
        f"**{words}** Every visible check still passes. Can you think of a call for which the "
        "change makes a difference? If so, hidden checks may try it. If not, is the code needed?\n"
    )


def discussion_text(root: Path, stage: Stage, modules: Mapping[str, str]) -> str:
    """Return a question for discussion, in Markdown, and add it to the student's file of answers.

    If this file already has a section for the stage, add nothing, and return a sentence that says
    where the question is. Return "" if the stage has no questions. Raise CourseError if the file
    cannot be written.
    """
    under = f"`{ANSWERS}`, under `## {stage.name}`. `hearts submit` packs it"
    text = read_answers(root)
    choices = load_discussion(stage)
    if section_of(text, stage.name):
        return f"Your question for discussion is in {under}.\n"
    if not choices:
        return ""
    chosen = discussion_section(chooser(modules).choice(choices))
    gap = ""
    if text:  # an empty line stands before the new section
        gap = "\n"
        if not text.endswith("\n"):
            gap = "\n\n"
    try:
        with (root / ANSWERS).open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{gap}## {stage.name}\n\n{chosen}\n\n")
    except OSError as error:
        raise disk_error(root / ANSWERS, error) from None
    return f"**A question for discussion**\n\n{chosen}\n\nWrite your answer in {under}.\n"
