"""Five minutes of questions that an instructor asks a student about the student's own program.

The questions are made from the program, and most come with the expected answer. So an assistant can
ask them without having read the program.
"""

import ast
import doctest
import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from hearts_course.brief import idea_and_contract, load_brief
from hearts_course.course import Course, Stage, Task, pick
from hearts_course.errors import CourseError, UsageError
from hearts_course.python_source import UNPARSABLE, definitions_in, parsed
from hearts_course.results import Result, Status
from hearts_course.student.explain import Run, chooser, questions
from hearts_course.submissions.find import Layout
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_found
from hearts_course.text import listed, safe_line

from hearts_grader.grading.grade import GradeJob, grade_one

EXAMPLES = "```\n{}\n```"
# A model program in the brief, with its examples. No question is made of these examples, because
# the student has not written the program.
MODELS = re.compile(r"^```python\n(?!>>>).*?^```\s+```pycon\n.*?^```", re.MULTILINE | re.DOTALL)


def oral_text(course: Course, stage: Stage, student: str, layout: Layout, sandbox: str) -> str:
    """Return the questions in Markdown; the same program always gets the same questions.

    The text of the program decides which questions `chooser` draws. Raise UsageError if there is no
    such student, no readable program, or no visible check that passes. Raise CourseError if the
    program cannot be run.

    The program runs in the `sandbox`, with the visible checks: once unchanged, and once for each
    changed line.
    """
    paths = {path.student: path for path in layout.paths}
    submission = read_found(pick(student, paths, "student"))
    if submission.problem:
        raise UsageError(f"{student}: {submission.problem}")
    _check_readable(student, submission)

    def run(modules: Mapping[str, str], tasks: Sequence[str] = ()) -> Result:
        """Return the result of the visible checks alone; the messages of hidden checks are secret.

        Raise CourseError if the grader fails.
        """
        changed = replace(submission, modules=modules, pieces=())
        only = frozenset(tasks) or None
        result = grade_one(GradeJob(stage, changed, sandbox, tests="visible", tasks=only))
        if result.status is Status.GRADER_ERROR:
            raise CourseError(f"{student}: {result.message}")
        return result

    rng = chooser(submission.modules)
    result = run(submission.modules)
    passing = [stage.task(task.task) for task in result.tasks if task.score == task.max_score]
    parts = [
        f"Five minutes with {student} about {stage.name}",
        *_predict(stage, passing, rng),
        *_change(stage, submission, run),
        *_house_rule(stage, submission, rng),
        *_justify(submission, rng),
    ]
    return "\n\n".join(parts) + "\n"


def _check_readable(student: str, submission: Submission) -> None:
    """Raise UsageError if Python cannot read one of the modules, or would take too long."""
    for module, source in submission.modules.items():
        try:
            parsed(source)
        except UNPARSABLE as error:
            line = safe_line(str(error)) or type(error).__name__
            raise UsageError(f"{student}: {module}.py cannot be read as Python: {line}") from None


def _predict(stage: Stage, passing: list[Task], rng: random.Random) -> Iterator[str]:
    """Yield a call and its answer, both from the brief of a task whose checks all pass.

    Because the checks pass, the student's program gives the brief's answer. The lines before the
    call are shown too, because they may make the objects that the call needs.
    """
    sections = load_brief(stage).sections
    parser = doctest.DocTestParser()
    # Collect the calls of all tasks first, so that each of them may be chosen.
    calls = []
    for task in passing:
        _, contract = idea_and_contract(sections[task.id])
        # doctest ends an answer at an empty line, but not at the end of a block of Markdown.
        text = MODELS.sub("", contract).replace("\n```", "\n\n")
        examples = parser.get_examples(text)
        for number, example in enumerate(examples, start=1):
            # A line without an answer only prepares the lines below it.
            if example.want:
                calls.append((task, examples[:number]))
    if calls:
        task, examples = rng.choice(calls)
        lines = "".join(_as_typed(example.source) for example in examples)
        yield f"## Predict\n\nTask {stage.number(task)}, {task.title}; the names are the brief's."
        yield "What does the last line give, and which lines of your program decide it?"
        yield EXAMPLES.format(lines.rstrip())
        yield f"Expected:\n\n{EXAMPLES.format(examples[-1].want.rstrip())}"


def _as_typed(source: str) -> str:
    """Return the lines of an example with Python's prompts."""
    prompted = source.replace("\n", "\n... ")
    # The source ends with a line break, and no line follows it.
    return f">>> {prompted}".removesuffix("... ")


def _change(stage: Stage, submission: Submission, run: Run) -> Iterator[str]:
    """Yield a line to change, and what the visible checks would say after the change."""
    for question in questions(stage, submission.modules, run, kinds=1):
        place = question.place
        where = "{}, line {}".format(*submission.place(place.module, place.line))
        yield f"## Change one line\n\n{where}:\n\n```python\n{place.code}\n```"
        yield f"Suppose that {place.change}. What would happen?"
        if question.breaks:
            topic = question.options[question.right]
            yield f"Expected: this fails: {topic}\n\n```text\n{question.message}\n```"
        else:
            yield "Expected: every visible check passes. For which call would it matter, if any?"


def _house_rule(stage: Stage, submission: Submission, rng: random.Random) -> Iterator[str]:
    """Yield the student's own rule book, one of its rules, and the lines that decide the rule."""
    if not stage.variants:
        return
    book = stage.variants.of(submission.student)
    sentence = rng.choice(book.sentences)
    fields = stage.variants.fields_of(sentence)
    lines = []
    for module, source in submission.modules.items():
        for line in _reading(source, fields):
            lines.append("{}, line {}".format(*submission.place(module, line)))
    yield f"## Their own rule book\n\n```python\n{book.python}\n```"
    yield f"Your book says: {sentence} Which line of your program decides that?"
    names = listed(f"`{field}`" for field in fields)
    yield f"Expected: the lines that read {names}: {'; '.join(lines) or 'none'}."


def _reading(source: str, fields: Collection[str]) -> list[int]:
    """Return the numbers of the lines that read one of these attributes.

    A call of a method with such a name does not count. The source can be parsed, because
    `oral_text` raises UsageError for any other source.
    """
    nodes = list(ast.walk(ast.parse(source)))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    lines = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in fields and node not in called:
            lines.add(node.lineno)
    return sorted(lines)


def _justify(submission: Submission, rng: random.Random) -> Iterator[str]:
    """Yield one of the student's own tests, and ask what it is good for.

    The wording depends on the number of tests, because a single test cannot be compared with
    others.
    """
    tests = []
    for module, source in submission.modules.items():
        for name, node in definitions_in(ast.parse(source)):
            if name.startswith("test_"):
                tests.append((module, node))
    if tests:
        module, node = rng.choice(tests)
        where = "{}, line {}".format(*submission.place(module, node.lineno))
        source_of_test = ast.get_source_segment(submission.modules[module], node)
        yield f"## Justify a test\n\n{where}:\n\n```python\n{source_of_test}\n```"
        if len(tests) > 1:
            yield "Which wrong program does this test catch that none of your other tests catches?"
        else:
            yield "Which wrong program does this test catch?"
