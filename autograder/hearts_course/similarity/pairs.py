"""A class's submissions for a stage, compared in pairs.

Alike         two students' submissions, and the passages that they share
Side          such a passage in one of the two
find_alike    the pairs of a stage that share most
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hearts_course.course import Course, Stage
from hearts_course.reports.source_excerpt import Passage, SourceLine
from hearts_course.similarity.compare import Shared, candidates, common, runs, shared
from hearts_course.similarity.sources import Alphabet, Row
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission

LEAST = 40  # symbols that a pair must share: some five lines
MOST_PAIRS = 50  # of a stage
TRIED = 4 * MOST_PAIRS
MAX_WIDTH = 160
MAX_LINES = 60  # of a passage


@dataclass(frozen=True)
class Alike:
    """Two students whose submissions share passages, by how many symbols and of how many."""

    stage: str
    students: tuple[str, str]
    symbols: int
    own: tuple[int, int]
    passages: tuple[tuple[Passage, Passage], ...]

    @property
    def shares(self) -> tuple[int, int]:
        """How much of what is each student's own that is, in percent."""
        first, second = (round(100 * min(1, self.symbols / max(1, own))) for own in self.own)
        return first, second


@dataclass(frozen=True)
class Compared:
    """What became of a stage: how many programs were compared, and which pairs share most."""

    stage: Stage
    programs: int
    pairs: tuple[Alike, ...]


def find_alike(stage: Stage, slots: Iterable[SubmissionPath], course: Course) -> Compared:
    """The stage's pairs, those that share most first; who handed in nothing is left out."""
    read = (read_submission(slot.path, slot.student, stage) for slot in slots)
    submissions = [submission for submission in read if submission.modules]
    alphabet = Alphabet()
    explained = {
        run
        for modules in _explanations(stage, course)
        for run in runs(alphabet.row(modules).symbols)
    }
    rows = [alphabet.row(submission.modules) for submission in submissions]
    own = [set(runs(row.symbols)) - explained for row in rows]
    usual = common(own)
    explained |= usual
    found = []
    for first, second in candidates([row - usual for row in own], TRIED):
        both = shared(rows[first].symbols, rows[second].symbols, explained)
        if both.symbols >= LEAST:
            pair = submissions[first], submissions[second]
            found.append(_alike(pair, (rows[first], rows[second]), both))
    found.sort(key=lambda alike: (-alike.symbols, alike.students))
    return Compared(stage, len(submissions), tuple(found[:MOST_PAIRS]))


def _explanations(stage: Stage, course: Course) -> Iterator[Mapping[str, str]]:
    """What nobody has to have from anybody else: what is given out, and what we wrote ourselves."""
    yield stage.starter()
    for one in (*course.prerequisites(stage), stage):
        if all((one.solution / name).is_file() for name in one.files):
            yield one.reference()
    for folder in sorted((stage.autograder / "alternatives").glob("*/")):
        yield read_submission(folder, "", stage).modules


def _alike(pair: tuple[Submission, Submission], rows: tuple[Row, Row], both: Shared) -> Alike:
    passages = tuple(
        (
            _passage(pair[0], rows[0], tile.first, tile.length),
            _passage(pair[1], rows[1], tile.second, tile.length),
        )
        for tile in both.tiles
    )
    students = pair[0].student, pair[1].student
    return Alike(pair[0].stage, students, both.symbols, both.own, passages)


def _passage(submission: Submission, row: Row, start: int, length: int) -> Passage:
    """The lines that the symbols are from, as the student counts them."""
    module, first = row.places[start]
    _, last = row.places[start + length - 1]
    source = submission.modules[module].split("\n")
    place = submission.place(module, first)[0]
    lines = [
        SourceLine(submission.place(module, number)[1], source[number - 1][:MAX_WIDTH])
        for number in range(first, min(last, first + MAX_LINES - 1) + 1)
    ]
    return Passage(place, tuple(lines))
