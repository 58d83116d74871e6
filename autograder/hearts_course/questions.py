"""A stage's questions: what a call returns, and which calls find the mistakes.

An author writes `questions.toml`. `hearts build` answers its questions by running the reference and
the chaffs, which are programs with one known mistake each. It writes the answers to
`questions.json`, which students get.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from hearts_course.course import Stage
from hearts_course.files import read_json, to_dataclass

LETTERS = "abcd"  # letters that stand for the choices, in their order
RAISES = "raises "  # the beginning of an answer that names an error
NOTHING = "nothing"  # the answer if the screen stays empty
PICKS = 3  # calls that a player of `catch` chooses at a time


@dataclass(frozen=True)
class Question:
    """A piece of code, what it shows, and the choices: the right answer among wrong ones.

    `why` is a sentence of the brief, or says where to read. `because` is a sentence on what Python
    does in this code. `mistakes` maps a wrong answer to the known mistake that gives it. `task` is
    the id of the task before which the question is asked, "" if it is asked before the stage.
    """

    code: str
    right: str
    choices: tuple[str, ...]
    why: str
    task: str = ""
    mistakes: Mapping[str, str] = field(default_factory=dict)
    because: str = ""

    @property
    def key(self) -> str:
        """The name under which a workspace remembers how the question was answered."""
        return hashlib.sha256(self.code.encode()).hexdigest()[:10]


@dataclass(frozen=True)
class Call:
    """A call that a player of `catch` may choose, its right answer, and what it unmasks.

    It unmasks a mistake if a program with this mistake answers the call wrongly.
    """

    code: str
    right: str
    unmasks: frozenset[str]


@dataclass(frozen=True)
class Questions:
    """All questions of a stage.

    `know` are asked before the stage, and `predict` before its tasks. `calls` are for the game of
    `catch`. A student who answers fewer than `enough` of the `know` questions correctly should read
    something first.
    """

    know: tuple[Question, ...] = ()
    predict: tuple[Question, ...] = ()
    calls: tuple[Call, ...] = ()
    enough: int = 0

    @property
    def mistakes(self) -> frozenset[str]:
        """The mistakes that at least one of the calls unmasks."""
        return mistakes_unmasked_by(self.calls)

    def best(self) -> tuple[Call, ...]:
        """Return the PICKS calls that together unmask the largest number of mistakes."""
        return max(combinations(self.calls, PICKS), key=unmasked_by)


def mistakes_unmasked_by(calls: Iterable[Call]) -> frozenset[str]:
    """Return the mistakes that at least one of the calls unmasks."""
    return frozenset().union(*(call.unmasks for call in calls))


def unmasked_by(calls: Iterable[Call]) -> int:
    """Return how many mistakes the calls unmask together."""
    return len(mistakes_unmasked_by(calls))


def load_questions(stage: Stage) -> Questions:
    """Return the stage's questions, or none if it has no file of questions.

    Raise StageError if the file is not valid.
    """
    path = stage.questions
    if not path.is_file():
        return Questions()
    return to_dataclass(Questions, read_json(path), path)
