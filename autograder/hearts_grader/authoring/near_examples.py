"""The near examples of hidden tests: what they show in the reference and in other programs.

A near example is code that a student may try when a hidden test fails. It stands in the test's
docstring, after `Try:`. This module adds what a new Python session needs before the example:
imports, and what the brief's first examples define. A chaff is a copy of the reference with one
plausible mistake.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import chain, islice
from queue import SimpleQueue

from hearts_course.brief import first_examples
from hearts_course.course import Course, Stage
from hearts_course.files import read_text
from hearts_course.misconceptions import load_patterns
from hearts_course.sandbox.processors import processors
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.submissions.read import read_submission
from hearts_course.testing.messages import Docs, docs_from
from hearts_course.testing.near_examples import (
    STOPPED,
    NearExample,
    free_names,
    pasteable,
    shown_together,
    shows,
    statements_of,
)
from hearts_course.testing.start import WITHOUT_SANDBOX

from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.authoring.starter import join, starter_cells

Shown = dict[str, list[tuple[str, ...]]]  # by test function: what each of its examples shows
# Processor time for an example. In the reference, all examples of a stage take half a second.
EXAMPLE_SECONDS = 5.0
UNKNOWN = "raises NameError"  # what an example shows if a name is not defined
IMPORT = re.compile(r"from \w+(?= import )")


def docs_of_tests(stage: Stage) -> dict[str, Docs]:
    """Map each hidden test, as `FILE::FUNCTION`, to the parts of its docstring.

    pytest writes the names of tests in the same form. The tests are parsed and not imported,
    because importing them needs a program to test.
    """
    docs = {}
    for path in stage.hidden_tests:
        for node in ast.walk(ast.parse(read_text(path), str(path))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                docs[f"{path.name}::{node.name}"] = docs_from(ast.get_docstring(node) or "")
    return docs


def near_examples_of(
    course: Course, stage: Stage, docs: Mapping[str, Docs]
) -> dict[str, list[str]]:
    """Map each test that has examples to its examples, in a form that a student can paste.

    The imports and definitions that an example needs are put before it.
    """
    prelude = Prelude(course, stage)
    examples: dict[str, list[str]] = {}
    for test, parts in docs.items():
        for example in parts.examples:
            code = pasteable(prelude.before(example) + example)
            examples.setdefault(test, []).append(code)
    return examples


def solved(course: Course, stage: Stage, docs: Mapping[str, Docs]) -> dict[str, list[NearExample]]:
    """Map each test that has examples to its examples, with what the reference shows for them."""
    codes = near_examples_of(course, stage, docs)
    reference = course.whole_reference(stage)
    (shown,) = shown_in(stage, [(reference, codes)])
    examples = {}
    for test, codes_of_test in codes.items():
        pairs = zip(codes_of_test, shown[test], strict=True)
        examples[test] = [NearExample(code, lines) for code, lines in pairs]
    return examples


def shown_in(
    stage: Stage, programs: Sequence[tuple[Mapping[str, str], Mapping[str, Sequence[str]]]]
) -> list[Shown]:
    """Return what the examples show in each program.

    Each item of `programs` is a program, and a mapping of tests to their examples. The programs
    share a few processes that start further ones, because a new interpreter takes longer to start
    than most examples take to run.
    """
    idle: SimpleQueue[SubmissionProcess] = SimpleQueue()

    def show(program: tuple[Mapping[str, str], Mapping[str, Sequence[str]]]) -> Shown:
        modules, codes = program
        process = idle.get()
        try:
            process.exchange(modules)
            return _shown_in_one(process, codes)
        finally:
            idle.put(process)

    reference = Course(stage.root).whole_reference(stage)
    with ExitStack() as processes, ThreadPoolExecutor(len(processors())) as threads:
        for _ in processors():
            process = SubmissionProcess(reference, stage.limits, WITHOUT_SANDBOX)
            idle.put(processes.enter_context(process))
        return list(threads.map(show, programs))


def _shown_in_one(program: SubmissionProcess, codes: Mapping[str, Sequence[str]]) -> Shown:
    """Map each test to what its examples show in the program, in the examples' order.

    All examples run in one process, which is quick. If the process stops at an example, this
    example runs again alone, unless it was the only one, because an earlier example may have been
    the reason.
    """
    examples = [statements_of(code) for code in chain.from_iterable(codes.values())]
    answers = []
    together = shown_together(program, examples, EXAMPLE_SECONDS)
    for statements, answer in zip(examples, together, strict=True):
        if answer == STOPPED and len(examples) > 1:
            answer = shows(program, statements, EXAMPLE_SECONDS)
        answers.append(answer)
    # The answers are in one list, in the order of the examples. Divide it by test again.
    left = iter(answers)
    return {test: list(islice(left, len(codes_of_test))) for test, codes_of_test in codes.items()}


class Prelude:
    """What has to be typed before an example: imports, and definitions of the brief."""

    def __init__(self, course: Course, stage: Stage) -> None:
        """Find out which names the reader of the brief knows."""
        self._exports: dict[str, str] = {}
        for known in (*course.prerequisites(stage), stage):
            for module, text in join(starter_cells(known)).items():
                for node in ast.parse(text).body:
                    # A reader imports a name from the module that defines it. So names that a
                    # module only imports are left out.
                    if not isinstance(node, ast.ImportFrom):
                        self._exports |= dict.fromkeys(_bound(node), module)
        self._given: dict[str, str] = {}  # statements by the names that they define
        for statement in statements_of(first_examples(read_text(stage.assignment / "README.md"))):
            self._given |= dict.fromkeys(_bound(ast.parse(statement).body[0]), statement)

    def before(self, example: str) -> str:
        """Return the lines that define the names of the example."""
        imports: dict[str, list[str]] = {}
        given: set[str] = set()
        # A definition of the brief may use further names, so names are looked up until none is new.
        todo = list(free_names(example))
        seen: set[str] = set()
        while todo:
            name = todo.pop(0)
            if name in seen:
                continue
            seen.add(name)
            statement = self._given.get(name, "")
            imported = IMPORT.match(statement)
            if name in self._exports:
                imports.setdefault(f"from {self._exports[name]}", []).append(name)
            elif imported:
                imports.setdefault(imported[0], []).append(name)
            elif statement:
                given.add(statement)
                # The names that this statement reads must be defined as well.
                todo += free_names(statement)
            elif name in sys.stdlib_module_names:
                imports[f"import {name}"] = []
        lines = []
        for start in sorted(imports, key=_by_module):
            names = ", ".join(sorted(imports[start]))
            lines.append(f"{start} import {names}" if names else start)
        for statement in dict.fromkeys(self._given.values()):
            if statement in given:
                lines.append(statement)
        return "".join(f"{line}\n" for line in lines)


def _by_module(start: str) -> tuple[str, str]:
    """Return the key that sorts beginnings of imports, such as `from cards`, by their modules."""
    keyword, module = start.split()
    return module, keyword


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def untrue_examples(
    course: Course,
    stage: Stage,
    docs: Mapping[str, Docs],
    where: Callable[[str], str],
) -> Iterator[str]:
    """Yield what is wrong with the examples of these tests.

    An example must show the same in all correct programs, because a student's program may resemble
    any of them.
    """
    solutions = solved(course, stage, docs)
    for test, examples in solutions.items():
        for example in examples:
            for problem in _form(example):
                yield f"{where(test)}: {problem}"
    codes = {test: _codes(of_test) for test, of_test in solutions.items()}
    earlier = course.whole_reference(stage)
    alternatives = stage.alternatives
    programs = []
    for folder in alternatives:
        modules = read_submission(folder, "", stage).modules
        programs.append(({**earlier, **modules}, codes))
    for folder, shown in zip(alternatives, shown_in(stage, programs), strict=True):
        for test, examples in solutions.items():
            answers = zip(examples, shown[test], strict=True)
            if any(example.fails(answer) for example, answer in answers):
                yield (
                    f"{where(test)}: `Try:` shows something else in the correct program "
                    f"{folder.name!r}; ask for what the brief promises"
                )
    yield from _unseen_mistakes(stage, earlier, solutions, where)


def _codes(examples: Iterable[NearExample]) -> list[str]:
    """Return the code of each example, without what the reference shows."""
    return [example.code for example in examples]


def _form(example: NearExample) -> Iterator[str]:
    """Yield what is wrong with the example for a reader who pastes it."""
    if any(UNKNOWN in text for text in example.shows):
        yield "`Try:` uses a name that the reader does not know; define it there"
    starts = [node.lineno for node in ast.parse(example.code).body]
    if len(set(starts)) < len(starts):
        yield "`Try:` has several statements on a line; write one on each"
    if not "".join(example.shows).strip():
        yield "`Try:` shows nothing; end it with a value"


def _unseen_mistakes(
    stage: Stage,
    earlier: Mapping[str, str],
    solutions: Mapping[str, Sequence[NearExample]],
    where: Callable[[str], str],
) -> Iterator[str]:
    """Yield a line for each chaff that a test finds but none of the test's examples shows.

    Yield also a line for each example that shows no chaff.
    """
    fails = {}
    for pattern in load_patterns(stage):
        tests_of_task = pattern.fails.get(pattern.task, ())
        # All cases of a test share its docstring, and so its examples.
        fails[pattern.name] = {test.partition("[")[0] for test in tests_of_task}
    chaffs = load_chaffs(stage)
    programs = []
    for chaff in chaffs:
        tests = sorted(fails.get(chaff.name, set()) & set(solutions))
        codes = {test: _codes(solutions[test]) for test in tests}
        programs.append(({**earlier, **chaff.modules}, codes))
    seen: dict[tuple[str, int], bool] = {}
    for chaff, shown in zip(chaffs, shown_in(stage, programs), strict=True):
        for test, answers in shown.items():
            is_shown = False
            for number, answer in enumerate(answers):
                differs = solutions[test][number].fails(answer)
                seen[test, number] = seen.get((test, number), False) or differs
                is_shown = is_shown or differs
            if not is_shown:
                yield f"{where(test)}: `Try:` does not show {chaff.name!r}; ask for more"
    for (test, number), shows_one in seen.items():
        if not shows_one:
            ordinal = "`Try:`"
            if len(solutions[test]) > 1:
                ordinal = f"the `Try:` number {number + 1}"
            yield f"{where(test)}: {ordinal} shows no known mistake; remove it or ask for more"
