"""The pairs of a class that share passages, a stage at a time."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hearts_course.course import Course, Stage
from hearts_course.reports.source_excerpt import Passage, SourceLine
from hearts_course.similarity import compare
from hearts_course.similarity.compare import Alphabet, Shared, SymbolRow, runs
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission

MIN_SYMBOLS = 40  # that a pair must share: about five lines
MAX_PAIRS = 50  # of a stage
MAX_COMPARED = 4 * MAX_PAIRS
MAX_WIDTH = 160
MAX_LINES = 60  # of a passage


@dataclass(frozen=True)
class SimilarPair:
    """Two students' submissions: how many symbols they share, and how many are each one's own."""

    stage: str
    students: tuple[str, str]
    symbols: int
    own: tuple[int, int]
    passages: tuple[tuple[Passage, Passage], ...]

    @property
    def shares(self) -> tuple[int, int]:
        """What is shared as a percentage of what is each student's own."""
        first, second = (round(100 * min(1, self.symbols / max(1, own))) for own in self.own)
        return first, second


@dataclass(frozen=True)
class SimilarPairs:
    """A stage: how many programs were compared, and the pairs that share most."""

    stage: Stage
    programs: int
    pairs: tuple[SimilarPair, ...]


def find_similar(stage: Stage, slots: Iterable[SubmissionPath], course: Course) -> SimilarPairs:
    """Return the stage's pairs, those that share most first; unreadable programs are left out."""
    read = (read_submission(slot.path, slot.student, stage) for slot in slots)
    submissions = [submission for submission in read if submission.modules]
    alphabet = Alphabet()
    known = [alphabet.row(modules).symbols for modules in _explanations(stage, course)]
    explained = {run for symbols in known for run in runs(symbols)}
    rows = [alphabet.row(submission.modules) for submission in submissions]
    own = [set(runs(row.symbols)) - explained for row in rows]
    common = compare.common_runs(own)
    explained |= common
    found = []
    for first, second in compare.closest_pairs([program - common for program in own], MAX_COMPARED):
        both = compare.shared(rows[first].symbols, rows[second].symbols, explained)
        if both.symbols >= MIN_SYMBOLS:
            pair = submissions[first], submissions[second]
            found.append(_pair(pair, (rows[first], rows[second]), both))
    found.sort(key=lambda pair: (-pair.symbols, pair.students))
    return SimilarPairs(stage, len(submissions), tuple(found[:MAX_PAIRS]))


def _explanations(stage: Stage, course: Course) -> Iterator[Mapping[str, str]]:
    """Yield programs that explain what is shared: the starter, references, other correct ones."""
    yield stage.starter()
    for one in (*course.prerequisites(stage), stage):
        if all((one.solution / name).is_file() for name in one.files):
            yield one.reference()
    for folder in sorted((stage.autograder / "alternatives").glob("*/")):
        yield read_submission(folder, "", stage).modules


def _pair(
    pair: tuple[Submission, Submission], rows: tuple[SymbolRow, SymbolRow], both: Shared
) -> SimilarPair:
    passages = tuple(
        (
            _passage(pair[0], rows[0], one.first, one.length),
            _passage(pair[1], rows[1], one.second, one.length),
        )
        for one in both.passages
    )
    students = pair[0].student, pair[1].student
    return SimilarPair(pair[0].stage, students, both.symbols, both.own, passages)


def _passage(submission: Submission, row: SymbolRow, start: int, length: int) -> Passage:
    """Return the lines that the symbols are from, numbered as the student counts them."""
    module, first = row.places[start]
    _, last = row.places[start + length - 1]
    source = submission.modules[module].split("\n")
    place = submission.place(module, first)[0]
    lines = [
        SourceLine(submission.place(module, number)[1], source[number - 1][:MAX_WIDTH])
        for number in range(first, min(last, first + MAX_LINES - 1) + 1)
    ]
    return Passage(place, tuple(lines))
