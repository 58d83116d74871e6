"""Find the answers to a stage's questions by running programs.

The reference gives the right answers. Wrong answers come from chaffs: copies of the reference with
one plausible mistake each. An author writes the questions in `questions.toml`:

enough = 5            # right [[know]] answers; with fewer, `hearts predict` says what to read

[[know]]              # what a student should know before the stage
code = '''len({1, 1})'''
wrong = ["2"]
why = "Python tutorial, 5.4 Sets"
because = "A set holds equal things once."   # why the answer is right: one sentence

[[predict]]           # what comes back, asked before the task is written
task = "make-a-card"
code = '''queen == "QS"'''
why = "A card never equals something that is not a card"  # words of the brief
wrong = []            # answers that no chaff gives; may be left out
families = [{ answer = "True", name = "a card equals its code" }]  # what several mistakes share

[[call]]              # for `hearts catch`: which three calls unmask as many chaffs as possible?
code = '''Card.parse("qs")'''

[[try_it]]            # a cell to run in the notebook before the task is written; it asks nothing
task = "make-a-card"
code = '''Suit("S") == "S"'''

The statements of `code` run one after another, and the last one gives the answer. An earlier error
does not stop them and would go unnoticed, so only the last statement may raise an error.

A question offers four answers at most. The right answer is chosen first, then the wrong answer that
most chaffs give, if several give it. Then come the author's wrong answers, and then the other wrong
answers, by how many chaffs give them. A question for which `about_objects` is true needs `because`.
"""

import ast
import builtins
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from hearts_course.course import QUESTIONS, Course, Stage
from hearts_course.errors import StageError
from hearts_course.files import read_text, read_toml, to_dataclass
from hearts_course.questions import LETTERS, NOTHING, RAISES

from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.authoring.examples import NO_NAME, show_in_programs

MIN_SECRET = 8  # characters; a question must not have a text this long that a hidden test also has
MAX_NAMES = 2  # if more mistakes give the same answer, the author names the family
MAX_BECAUSE = 25  # words of a `because`
# Calls of methods of `str` in a question. A question with more calls is refused, because it asks
# about texts more than about the stage.
MAX_TEXT_CALLS = 1
TEXT_METHODS = {name for name in dir(str) if name.isalpha()} - {"count", "index"}
OBJECT_FUNCTIONS = {"next", "iter", "hash", "copy", "deepcopy"}  # `about_objects` looks for calls
CHANGES = {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "shuffle", "sort"}


@dataclass(frozen=True)
class Family:
    """A wrong answer that several mistakes give, and what they have in common."""

    answer: str
    name: str


@dataclass(frozen=True)
class Source:
    """A question as its author writes it."""

    code: str
    why: str = ""
    task: str = ""
    wrong: tuple[str, ...] = ()
    because: str = ""
    families: tuple[Family, ...] = ()


@dataclass(frozen=True)
class Sources:
    """The tables of a `questions.toml`."""

    know: tuple[Source, ...] = ()
    predict: tuple[Source, ...] = ()
    call: tuple[Source, ...] = ()
    try_it: tuple[Source, ...] = ()
    enough: int = 0


def load_sources(stage: Stage) -> Sources:
    """Return the content of `questions.toml`; no questions if the file is missing.

    Raise StageError for

    - an unknown task,
    - a reason that does not quote the brief,
    - code that ends with a tuple or uses a text of a hidden test,
    - a question about Python's objects without a sentence that explains the answer.
    """
    path = stage.assignment / QUESTIONS[0]
    if not path.is_file():
        return Sources()
    sources = to_dataclass(Sources, read_toml(path), path)
    brief = " ".join(read_text(stage.assignment / "README.md").split())
    hidden = "".join(map(read_text, stage.hidden_tests))
    for source in sources.try_it:
        stage.task_in(path, source.task)
    for source in (*sources.know, *sources.predict, *sources.call):
        for problem in _problems(ast.parse(source.code), hidden):
            raise StageError(f"{path}: {source.code.strip()!r}: {problem}")
    for source in sources.predict:
        stage.task_in(path, source.task)
        for problem in _problems_of_predict(source, brief):
            raise StageError(f"{path}: {source.code.strip()!r}: {problem}")
    return sources


def _problems(code: ast.Module, hidden: str) -> Iterator[str]:
    """Yield what is wrong with the code of any question; `hidden` are the hidden tests."""
    last = code.body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Tuple):
        yield "ends with a tuple; ask for a list"
    for node in ast.walk(code):
        text = node.value if isinstance(node, ast.Constant) else ""
        if isinstance(text, str) and len(text) >= MIN_SECRET and text in hidden:
            yield f"a hidden test uses {text!r}; take another value"


def _problems_of_predict(source: Source, brief: str) -> Iterator[str]:
    """Yield what is wrong with a `[[predict]]` question, which is asked before a task."""
    if " ".join(source.why.split()) not in brief:
        yield f"the brief does not say {source.why!r}; quote it"
    code = ast.parse(source.code)
    texts = []
    for node in ast.walk(code):
        match node:
            case ast.Call(ast.Attribute(attr=name)) if name in TEXT_METHODS:
                texts.append(name)
    if len(texts) > MAX_TEXT_CALLS:
        yield f"asks about texts more than about the stage ({', '.join(texts)}); ask more directly"
    words = len(source.because.split())
    if about_objects(code) and not words:
        yield "is about copies, changes, iterators or sets; say in `because` what Python does"
    is_sentence = source.because.endswith(".") and ". " not in source.because
    if words and (words > MAX_BECAUSE or not is_sentence):
        yield f"`because` has {words} words; write one sentence of at most {MAX_BECAUSE}"


def about_objects(code: ast.Module) -> bool:
    """Return whether the answer depends on how Python's objects behave, and not only on the brief.

    This is so if the code changes, copies or hashes an object, takes an item from an iterator, or
    makes a set. It is also so if the code asks whether two names mean the same object. Bodies of
    functions that the code defines are not searched.
    """
    inside: set[ast.AST] = set()
    for node in ast.walk(code):
        if isinstance(node, ast.FunctionDef):
            inside.update(ast.walk(node))
    for node in set(ast.walk(code)) - inside:
        match node:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Call(ast.Name(name)) if name in OBJECT_FUNCTIONS:
                return True
            case ast.Call(ast.Attribute(attr=name)) if name in CHANGES:
                return True
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[other]):
                if not isinstance(other, ast.Constant):
                    return True
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                return True
    return False


def questions_text(course: Course, stage: Stage) -> str:
    """Return the content of `questions.json`, "" if the stage has no questions.

    Chaffs answer the questions as well, because their answers are wrong answers to choose from. A
    question before a task is answered by the chaffs of this task, and a call by all chaffs. Raise
    StageError if a question is invalid, for example because every chaff answers it right.
    """
    sources = load_sources(stage)
    if sources == Sources():
        return ""
    reference = course.whole_reference(stage)
    right, wrong_answers = _answers(course, stage, sources, reference)
    for source in (*sources.predict, *sources.call):
        if not wrong_answers[source]:
            where = stage.assignment / QUESTIONS[0]
            raise StageError(f"{where}: {source.code.strip()!r}: no chaff answers otherwise")
    errors = ErrorTypes(reference)
    predict = []
    calls = []
    try:
        know = [_question(source, right[source], {}, errors) for source in sources.know]
        for source in sources.predict:
            predict.append(_question(source, right[source], wrong_answers[source], errors))
        for source in sources.call:
            calls.append(_call(source, right[source], wrong_answers[source]))
    except ValueError as problem:
        raise StageError(f"{stage.assignment / QUESTIONS[0]}: {problem}") from None
    content = {"know": know, "predict": predict, "calls": calls, "enough": sources.enough}
    return f"{json.dumps(content, indent=1, ensure_ascii=False)}\n"


def _answers(
    course: Course, stage: Stage, sources: Sources, reference: Mapping[str, str]
) -> tuple[dict[Source, str], dict[Source, dict[str, list[str]]]]:
    """Return the right answer to each question, and the chaffs that give each wrong answer."""
    chaffs = load_chaffs(stage)
    every = [*sources.know, *sources.predict, *sources.call]
    asked = [every]  # the questions for each program, first those for the reference
    programs = [(reference, [source.code for source in every])]
    for chaff in chaffs:
        about_task = [source for source in sources.predict if source.task == chaff.task]
        asked.append([*about_task, *sources.call])
        codes = [source.code for source in asked[-1]]
        programs.append(({**reference, **chaff.modules}, codes))
    brief = read_text(stage.assignment / "README.md")
    shown = show_in_programs(course, stage, brief, programs)
    right = dict(zip(every, map(_answer, shown[0]), strict=True))
    wrong_answers: dict[Source, dict[str, list[str]]] = {source: {} for source in every}
    for chaff, about, steps in zip(chaffs, asked[1:], shown[1:], strict=True):
        for source, answer in zip(about, map(_answer, steps), strict=True):
            if answer not in (right[source], NO_NAME):
                wrong_answers[source].setdefault(answer, []).append(chaff.name)
    return right, wrong_answers


class ErrorTypes:
    """Knows how error classes inherit from each other: Python's classes and a program's own."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        """Take the bases of each class from the program's text."""
        self._bases: dict[str, list[str]] = {}
        for text in modules.values():
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef):
                    self._bases[node.name] = [ast.unparse(base) for base in node.bases]

    def related(self, answer: str, second_answer: str) -> bool:
        """Return whether both answers are errors, and one error is a kind of the other."""
        if not (answer.startswith(RAISES) and second_answer.startswith(RAISES)):
            return False
        name = answer.removeprefix(RAISES)
        second_name = second_answer.removeprefix(RAISES)
        return name in self._kinds(second_name) or second_name in self._kinds(name)

    def _kinds(self, name: str) -> set[str]:
        """Return the names of the error and of its bases, without those that every error has."""
        error = getattr(builtins, name, None)
        bases = self._bases.get(name) or [base.__name__ for base in getattr(error, "__bases__", ())]
        kinds = {name}
        for base in bases:
            kinds |= self._kinds(base)
        return kinds - {"Exception", "BaseException", "object"}


def _answer(steps: list[str]) -> str:
    """Return what the last step of an example shows; for an error, only its type."""
    shown = steps[-1].strip()
    if shown.startswith(RAISES):
        return " ".join(shown.split()[:2])
    return shown or NOTHING


def _question(
    source: Source, right: str, wrong_answers: Mapping[str, Sequence[str]], errors: ErrorTypes
) -> dict[str, object]:
    """Return a question with at most four answers, in an order that gives nothing away.

    `wrong_answers` maps each wrong answer to the names of the mistakes that give it. Raise
    ValueError if no mistake gives an answer that `families` lists, or if many mistakes give an
    answer that is not listed there.
    """
    by_frequency = sorted(wrong_answers, key=lambda answer: -len(wrong_answers[answer]))
    commonest = by_frequency[:1]
    # An answer that only one mistake gives comes after the author's wrong answers.
    if commonest and len(wrong_answers[commonest[0]]) < 2:
        commonest = []
    choices = _distinct([right, *commonest, *source.wrong, *by_frequency], errors)
    choices = choices[: len(LETTERS)]
    mistakes = {}
    families = {family.answer: family.name for family in source.families}
    for answer in families.keys() - wrong_answers.keys():
        raise ValueError(
            f"{source.code.strip()!r}: no chaff answers {answer!r}; correct `families`"
        )
    for answer in choices[1:]:
        names = wrong_answers.get(answer, ())
        if len(names) > MAX_NAMES and answer not in families:
            raise ValueError(
                f"{source.code.strip()!r}: {len(names)} mistakes answer {answer!r}; name what they "
                f"share in `families`: {'; '.join(names)}"
            )
        if names:
            mistakes[answer] = families.get(answer) or " or ".join(names)

    def by_chance(answer: str) -> bytes:
        """Return a key to sort answers by; it tells nothing, and is the same in every build."""
        return hashlib.sha256(f"{source.code}{answer}".encode()).digest()

    return {
        "code": source.code.strip(),
        "right": right,
        "choices": sorted(choices, key=by_chance),
        "why": " ".join(source.why.split()),
        "task": source.task,
        "because": source.because,
        "mistakes": mistakes,
    }


def _distinct(answers: Sequence[str], errors: ErrorTypes) -> list[str]:
    """Return the answers in their order, without answers that mean the same as an earlier one.

    Two answers mean the same if they differ only in spaces at the ends of lines, which nobody sees.
    Two errors mean the same if one is a kind of the other. For example, `ValueError` is not wrong
    where the right answer is a kind of `ValueError`.
    """
    distinct: list[str] = []
    for answer in answers:
        if not any(_same(answer, earlier, errors) for earlier in distinct):
            distinct.append(answer)
    return distinct


def _same(answer: str, earlier: str, errors: ErrorTypes) -> bool:
    """Return whether two answers mean the same; `_distinct` explains when they do."""
    return _look(answer) == _look(earlier) or errors.related(answer, earlier)


def _look(answer: str) -> str:
    """Return the answer as a reader sees it."""
    return "\n".join(line.rstrip() for line in answer.split("\n"))


def _call(source: Source, right: str, wrong_answers: Mapping[str, list[str]]) -> dict[str, object]:
    """Return a call with its right answer, and the names of all chaffs that give another answer."""
    unmasks = sorted(chain.from_iterable(wrong_answers.values()))
    return {"code": source.code.strip(), "right": right, "unmasks": unmasks}
