"""Answer a stage's questions with the reference, and find the mistakes that answer otherwise.

enough = 5            # know items to have right; below that, `hearts predict` says what to read

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

[[call]]              # a dozen, of which three unmask most of the wrong programs
code = '''Card.parse("qs")'''

[[try_it]]            # a cell to run in the notebook, before the task is written; no question
task = "make-a-card"
code = '''Suit("S") == "S"'''

The statements of `code` run one after another, even after an error: only the last may raise one.
"""

import ast
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from hearts_course.course import QUESTIONS, Course, Stage
from hearts_course.errors import StageError
from hearts_course.files import read_text, read_toml, to_dataclass
from hearts_course.questions import LETTERS, NOTHING, RAISES

from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.authoring.examples import NO_NAME, show_in_programs

MIN_SECRET = 8  # characters of a text that only a hidden test has
MAX_NAMES = 2  # if more mistakes give the same answer, none is named


@dataclass(frozen=True)
class Source:
    """A question as its author writes it."""

    code: str
    why: str = ""
    task: str = ""
    wrong: tuple[str, ...] = ()
    because: str = ""


@dataclass(frozen=True)
class Sources:
    """The tables of a `questions.toml`."""

    know: tuple[Source, ...] = ()
    predict: tuple[Source, ...] = ()
    call: tuple[Source, ...] = ()
    try_it: tuple[Source, ...] = ()
    enough: int = 0


def load_sources(stage: Stage) -> Sources:
    """Return what `questions.toml` holds, nothing without the file.

    Raise StageError for an unknown task, for a reason that does not quote the brief, and for code
    that ends with a tuple or uses a text of a hidden test.
    """
    path = stage.assignment / QUESTIONS[0]
    if not path.is_file():
        return Sources()
    found = to_dataclass(Sources, read_toml(path), path)
    brief = " ".join(read_text(stage.assignment / "README.md").split())
    hidden = "".join(map(read_text, stage.hidden_tests))
    for source in found.try_it:
        stage.task(source.task)
    for source in (*found.know, *found.predict, *found.call):
        where = f"{path}: {source.code.strip()!r}"
        *_, last = body = ast.parse(source.code).body
        if isinstance(last, ast.Expr) and isinstance(last.value, ast.Tuple):
            raise StageError(f"{where}: ends with a tuple; ask for a list")
        for node in (node for step in body for node in ast.walk(step)):
            text = node.value if isinstance(node, ast.Constant) else ""
            if isinstance(text, str) and len(text) >= MIN_SECRET and text in hidden:
                raise StageError(f"{where}: a hidden test uses {text!r}; take another value")
        if source in found.predict:
            stage.task(source.task)
            if " ".join(source.why.split()) not in brief:
                raise StageError(f"{where}: the brief does not say {source.why!r}; quote it")
    return found


def questions_text(course: Course, stage: Stage) -> str:
    """Return the content of `questions.json`, "" if the stage has no questions; raise StageError.

    The wrong programs of a question's own task answer it too, and all of them the calls.
    """
    sources = load_sources(stage)
    if sources == Sources():
        return ""
    chaffs = load_chaffs(stage)
    every = [*sources.know, *sources.predict, *sources.call]
    whole = course.whole_reference(stage)
    asked = [
        [*(one for one in sources.predict if one.task == chaff.task), *sources.call]
        for chaff in chaffs
    ]
    wrong = [whole | dict(chaff.modules) for chaff in chaffs]
    programs = [(whole, every), *zip(wrong, asked, strict=True)]
    brief = read_text(stage.assignment / "README.md")
    codes = [(modules, [source.code for source in about]) for modules, about in programs]
    shown = show_in_programs(course, stage, brief, codes)
    first, *others = [[_answer(steps) for steps in program] for program in shown]
    right = dict(zip(every, first, strict=True))
    given: dict[Source, dict[str, list[str]]] = {source: {} for source in every}
    for chaff, about, answers in zip(chaffs, asked, others, strict=True):
        for source, answer in zip(about, answers, strict=True):
            if answer not in (right[source], NO_NAME):
                given[source].setdefault(answer, []).append(chaff.name)
    for source in (*sources.predict, *sources.call):
        if not given[source]:
            where = stage.assignment / QUESTIONS[0]
            raise StageError(f"{where}: {source.code.strip()!r}: no chaff answers otherwise")
    content = {
        "know": [_question(source, right[source], {}) for source in sources.know],
        "predict": [_question(one, right[one], given[one]) for one in sources.predict],
        "calls": [_call(source, right[source], given[source]) for source in sources.call],
        "enough": sources.enough,
    }
    return f"{json.dumps(content, indent=1, ensure_ascii=False)}\n"


def _answer(steps: list[str]) -> str:
    """Return what the last step of an example shows; of an error only its type."""
    shown = steps[-1].strip()
    if shown.startswith(RAISES):
        return " ".join(shown.split()[:2])
    return shown or NOTHING


def _question(source: Source, right: str, given: Mapping[str, list[str]]) -> dict[str, object]:
    """Return a question with at most four answers, in an order that gives nothing away.

    Answers that differ in blanks at the ends of lines look the same, so only one of them is there.
    """
    named = {answer: names for answer, names in given.items() if len(names) <= MAX_NAMES}
    looks = {_look(right): right}
    for one in (*source.wrong, *named, *given):
        looks.setdefault(_look(one), one)
    choices = list(looks.values())[: len(LETTERS)]

    def by_chance(answer: str) -> bytes:
        return hashlib.sha256(f"{source.code}{answer}".encode()).digest()

    return {
        "code": source.code.strip(),
        "right": right,
        "choices": sorted(choices, key=by_chance),
        "why": " ".join(source.why.split()),
        "task": source.task,
        "because": source.because,
        "mistakes": {one: " or ".join(named[one]) for one in choices[1:] if one in named},
    }


def _look(answer: str) -> str:
    return "\n".join(line.rstrip() for line in answer.split("\n"))


def _call(source: Source, right: str, given: Mapping[str, list[str]]) -> dict[str, object]:
    unmasks = sorted(name for names in given.values() for name in names)
    return {"code": source.code.strip(), "right": right, "unmasks": unmasks}
