"""Find pairs of submissions that share code which neither the starter nor the reference has.

A pair is a reason to look, not proof of copying.

symbol    a word or sign of a program, written as one character; there is one symbol for all names,
          one for all numbers, one for all texts, and none for comments
run       RUN symbols in a row, the shortest passage that counts
explained a run that is not a sign of copying, such as a run of the starter
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from hearts_course.course import Course, Stage
from hearts_course.reports.html import page
from hearts_course.reports.source_excerpt import Passage, SourceLine
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission
from hearts_course.text import count_of, listed, safe_block
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Name, Number, String, Text

from hearts_grader.reports import TEMPLATES
from hearts_grader.safe_csv import as_csv

RUN = 20  # the number of symbols in a run, which is two or three lines of a program
COMMON_SHARE = 5  # a run in more than a fifth of the programs is common
MIN_COMMON = 6  # a run in six programs or fewer is never common
# A program may have the same run many times, for example in a table. Then the run is compared only
# at this many places.
MAX_REPEATS = 10
MAX_READ = 100_000  # characters of a module that are read
# At most this many characters of a line are read, because Pygments takes four times as long for a
# line of twice the length.
MAX_LINE = 500
FIRST_SYMBOL = 0x20000
LAST_SYMBOL = 0x107FFF  # `str` treats each character from FIRST_SYMBOL to here as ordinary
FIRST_BORDER = 0x108000
BORDERS = 0x8000
IGNORED = (Text, Comment, String.Doc)
MIN_SYMBOLS = 40  # a pair is shown only if it shares this many symbols: about five lines
MAX_PAIRS = 50  # pairs of students shown per stage, and pairs with a published program
RECURRING = "Pairs that recur over stages:"
# A program is shown as a copy if a published program has at least this percentage of it. A program
# that was not copied had up to 37 percent in common with a published program.
MIN_COPIED = 50
THE_REFERENCE = "the reference"
MAX_COMPARED = 4 * MAX_PAIRS  # search passages in this many pairs: those that share the most runs
MAX_WIDTH = 160  # characters shown of a line
MAX_LINES = 60  # lines shown of a passage
ABOUT = (
    "A match is a reason to look, not proof of copying. Programs can be alike because their "
    "authors learnt from the same page, because they were allowed to work together, or because "
    "there are not many ways to write something. Between students, passages of the starter, of "
    "published programs (the reference and the alternatives) and of many programs do not count. "
    f"Passages of less than {RUN} symbols, names, numbers, texts and comments never count. "
    "Programs of which at least half is in a published one come last. Ask the students about a "
    "match."
)
COLUMNS = (
    *("stage", "student", "other", "symbols", "passages"),
    *("percent_of_students_own", "percent_of_others_own"),
)


@dataclass(frozen=True)
class SymbolRow:
    """A program's symbols, and the module and line of each."""

    symbols: str
    places: tuple[tuple[str, int], ...]


class Alphabet:
    """Gives each symbol one character, the same in all programs.

    So a program becomes a text, and its runs are slices of the text.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._borders = 0

    def row(self, modules: Mapping[str, str]) -> SymbolRow:
        """Return the program's symbols, with a border after each module.

        A border is a character that occurs nowhere else, so that no passage continues from one
        module into the next. Pygments splits the text into symbols, because it also reads programs
        with errors.
        """
        symbols: list[str] = []
        places: list[tuple[str, int]] = []
        for name, source in modules.items():
            for symbol, line in _symbols(source[:MAX_READ]):
                symbols.append(self._character(symbol))
                places.append((name, line))
            symbols.append(chr(FIRST_BORDER + self._borders % BORDERS))
            places.append((name, 0))
            self._borders += 1
        return SymbolRow("".join(symbols), tuple(places))

    def _character(self, symbol: str) -> str:
        """Return the symbol's character.

        When all characters are used, new symbols share the last one.
        """
        if symbol not in self._known:
            number = min(FIRST_SYMBOL + len(self._known), LAST_SYMBOL)
            self._known[symbol] = chr(number)
        return self._known[symbol]


def _symbols(source: str) -> Iterator[tuple[str, int]]:
    """Yield each symbol with its line number.

    Several texts in a row are one symbol, because Pygments splits a text into parts. Blank lines
    and the ends of long lines are left out, because Pygments takes hours for thousands of spaces in
    a row.
    """
    numbers = []  # the numbers of the lines that are read
    starts = []  # where each of these lines begins in the text that is read
    read = ""
    for number, line in enumerate(source.split("\n"), start=1):
        if line.strip():
            numbers.append(number)
            starts.append(len(read))
            read += f"{line[:MAX_LINE]}\n"
    previous = ""
    for at, kind, text in PythonLexer().get_tokens_unprocessed(read.removesuffix("\n")):
        if any(kind in ignored for ignored in IGNORED):
            continue
        symbol = _symbol(kind, text)
        if not (symbol == previous == "text"):
            yield symbol, numbers[bisect_right(starts, at) - 1]
        previous = symbol


def _symbol(kind: Any, text: str) -> str:
    """Return the symbol of a token of Pygments: "text", "number", "name", or else the token's text.

    A builtin such as `len` is a symbol of its own; `self` is a name like any other.
    """
    if kind in String:
        return "text"
    if kind in Number:
        return "number"
    if kind in Name and (kind not in Name.Builtin or kind in Name.Builtin.Pseudo):
        return "name"
    return text


@dataclass(frozen=True)
class SharedPassage:
    """Where a passage begins in each program, and how many symbols it has."""

    first: int
    second: int
    length: int

    @property
    def here(self) -> slice:
        """The passage's symbols in the first program."""
        return slice(self.first, self.first + self.length)

    @property
    def there(self) -> slice:
        """The passage's symbols in the second program."""
        return slice(self.second, self.second + self.length)


@dataclass(frozen=True)
class Shared:
    """The passages that two programs share.

    A symbol is unexplained if it is in no explained run. `symbols` counts the unexplained symbols
    of the passages, and `own` those of each whole program.
    """

    passages: tuple[SharedPassage, ...]
    symbols: int
    own: tuple[int, int]


def runs(symbols: str) -> Iterator[str]:
    """Yield the runs of a program: one for each symbol with which a run can begin."""
    for at in range(len(symbols) - RUN + 1):
        yield symbols[at : at + RUN]


def common_runs(programs: Sequence[set[str]]) -> set[str]:
    """Return the runs that are in too many programs to say anything about a pair.

    `programs` has the runs of each program. A common passage comes from a page that everybody has
    read, or there is only one way to write it.
    """
    counted: Counter[str] = Counter()
    for program in programs:
        counted.update(program)
    # In a small class a fifth is a few programs, which may well be copies of each other.
    limit = max(MIN_COMMON, len(programs) // COMMON_SHARE)
    return {run for run, count in counted.items() if count > limit}


def closest_pairs(programs: Sequence[set[str]], first: int, limit: int) -> list[tuple[int, int]]:
    """Return the pairs of programs that share the most runs, as indexes; at most `limit` pairs.

    `programs` has the runs of each program. At least one program of each pair is among the `first`
    programs. Pairs that share equally many runs are in the order of their indexes, so that the same
    class always gets the same report.
    """
    holders: dict[str, list[int]] = defaultdict(list)
    for number, program in enumerate(programs):
        for run in program:
            holders[run].append(number)
    counted: Counter[tuple[int, int]] = Counter()
    for numbers in holders.values():
        counted.update(pair for pair in combinations(numbers, 2) if pair[0] < first)
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [pair for pair, _ in ordered[:limit]]


def shared(program: str, other_program: str, explained: set[str]) -> Shared:
    """Return the longest passages that both programs have; a symbol is in at most one passage.

    Explained runs may be inside a passage, but their symbols do not count. A symbol near the end of
    a passage may be in an explained run in one program and not in the other, because the programs
    differ after the passage. Then the counts for the two programs differ, and the smaller count is
    used.
    """
    places = _places(other_program, explained)
    # The longest passages come first, and each marks its symbols as used in both programs.
    taken = bytearray(len(program))
    other_taken = bytearray(len(other_program))
    chosen = []
    for passage in sorted(_passages(program, places), key=lambda each: (-each.length, each.first)):
        if not any(taken[passage.here]) and not any(other_taken[passage.there]):
            taken[passage.here] = other_taken[passage.there] = b"\x01" * passage.length
            chosen.append(passage)
    counted = _unexplained(program, explained)
    other_counted = _unexplained(other_program, explained)
    symbols = 0
    other_symbols = 0
    for passage in chosen:
        symbols += sum(counted[passage.here])
        other_symbols += sum(other_counted[passage.there])
    passages = tuple(sorted(chosen, key=lambda each: each.first))
    return Shared(passages, min(symbols, other_symbols), (sum(counted), sum(other_counted)))


def _places(symbols: str, explained: set[str]) -> dict[str, list[int]]:
    """Return the first MAX_REPEATS places where each unexplained run begins."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, run in enumerate(runs(symbols)):
        if run not in explained and len(places[run]) < MAX_REPEATS:
            places[run].append(at)
    return places


def _passages(program: str, places: Mapping[str, Iterable[int]]) -> Iterator[SharedPassage]:
    """Join the unexplained runs that both programs have into passages, and yield the passages.

    A run's shift is the distance between its beginnings in the two programs. Runs belong to one
    passage if they have the same shift, and touch or overlap.
    """
    shifts: dict[int, list[int]] = defaultdict(list)
    for at, run in enumerate(runs(program)):
        for place in places.get(run, ()):
            shifts[place - at].append(at)
    # Two runs touch or overlap if their beginnings are at most RUN symbols apart. The number added
    # at the end closes the last passage.
    for shift, starts in shifts.items():
        begin = starts[0]
        for start, following in pairwise([*starts, len(program) + RUN]):
            if following - start > RUN:
                yield SharedPassage(begin, begin + shift, start - begin + RUN)
                begin = following


def _unexplained(symbols: str, explained: set[str]) -> bytearray:
    """Return a byte for each symbol: 0 if the symbol is in an explained run, otherwise 1."""
    counted = bytearray(b"\x01" * len(symbols))
    for at, run in enumerate(runs(symbols)):
        if run in explained:
            counted[at : at + RUN] = bytes(RUN)
    return counted


@dataclass(frozen=True)
class SimilarPair:
    """Two similar submissions, and the passages that they share.

    `symbols` is the number of unexplained symbols in these passages. `own` has the number of all
    unexplained symbols of each submission.
    """

    stage: str
    students: tuple[str, str]
    symbols: int
    own: tuple[int, int]
    passages: tuple[tuple[Passage, Passage], ...]

    @property
    def shares(self) -> tuple[int, int]:
        """Shared symbols as a percentage of each student's own symbols."""
        first, second = self.own
        return self._percent_of(first), self._percent_of(second)

    def _percent_of(self, size: int) -> int:
        """Return the shared symbols as a percentage of this number of symbols."""
        return round(100 * min(1, self.symbols / max(1, size)))


@dataclass(frozen=True)
class SimilarPairs:
    """A stage: the number of this term's programs, and the pairs that share the most symbols.

    Each pair in `copies` is a student's program and the published program most similar to it.
    """

    stage: Stage
    programs: int
    pairs: tuple[SimilarPair, ...]
    copies: tuple[SimilarPair, ...] = ()

    @property
    def shown(self) -> tuple[SimilarPair, ...]:
        """All pairs; the pairs with a published program come last."""
        return (*self.pairs, *self.copies)


@dataclass(frozen=True)
class RecurringPair:
    """Two students whose programs share passages in several stages, and how many symbols in all."""

    students: tuple[str, str]
    stages: tuple[str, ...]
    symbols: int

    @property
    def words(self) -> str:
        """The pair in a sentence."""
        first, second = self.students
        return f"{first} and {second}: {listed(self.stages)}, {self.symbols} symbols in all"


def recurring_pairs(results: Iterable[SimilarPairs]) -> tuple[RecurringPair, ...]:
    """Return the pairs of students that are shown in several stages, most stages first.

    One match may be chance, but several matches of the same two students rarely are.
    """
    by_students: dict[tuple[str, str], list[SimilarPair]] = {}
    for stage in results:
        for pair in stage.pairs:
            first, second = sorted(pair.students)
            by_students.setdefault((first, second), []).append(pair)
    recurring = []
    for students, pairs in by_students.items():
        if len(pairs) > 1:
            stages = tuple(pair.stage for pair in pairs)
            recurring.append(RecurringPair(students, stages, sum(pair.symbols for pair in pairs)))
    recurring.sort(key=lambda pair: (-len(pair.stages), -pair.symbols, pair.students))
    return tuple(recurring)


def find_similar(
    stage: Stage, slots: Iterable[SubmissionPath], course: Course, former: Iterable[Submission] = ()
) -> SimilarPairs:
    """Return the stage's similar pairs, the most similar first; leave out unreadable programs.

    `slots` are the paths of this term's submissions. `former` has programs of earlier terms. They
    are compared with this term's programs, but not with each other. When two students' programs are
    compared, passages of published programs do not count. Each student's program is also compared
    with the published programs.
    """
    students = readable(stage, slots)
    handed_in = [*students, *former]
    programs = [*handed_in, *_published(stage)]
    alphabet = Alphabet()
    given_runs: set[str] = set()
    for modules in _given(stage, course):
        given_runs.update(runs(alphabet.row(modules).symbols))
    rows = [alphabet.row(program.modules) for program in programs]
    program_runs = [set(runs(row.symbols)) - given_runs for row in rows]
    published = set().union(*program_runs[len(handed_in) :])
    kept = [program - published for program in program_runs[: len(handed_in)]]
    common = common_runs(kept)
    explained = given_runs | published | common
    similar: list[SimilarPair] = []
    copies: list[SimilarPair] = []
    # If common runs counted here, every program would share something with every other.
    rare = [program - common for program in kept]
    for first, second in closest_pairs(rare, len(students), MAX_COMPARED):
        pair = programs[first], programs[second]
        if alike := _alike(pair, (rows[first], rows[second]), explained):
            similar.append(alike)
    for number, student in enumerate(students):
        sources = range(len(handed_in), len(programs))
        nearest = max(sources, key=lambda source: len(program_runs[number] & program_runs[source]))
        alike = _alike((student, programs[nearest]), (rows[number], rows[nearest]), given_runs)
        if alike and alike.shares[0] >= MIN_COPIED:
            copies.append(alike)
    # Sort by shared symbols and then by names, so that every report has the same order.
    for pairs in (similar, copies):
        pairs.sort(key=lambda pair: (-pair.symbols, pair.students))
    return SimilarPairs(stage, len(students), tuple(similar[:MAX_PAIRS]), tuple(copies[:MAX_PAIRS]))


def readable(stage: Stage, slots: Iterable[SubmissionPath], term: str = "") -> list[Submission]:
    """Return the stage's programs that can be read; `term` is put before the students' names.

    The prefix distinguishes students of an earlier term from students of this term with the same
    names.
    """
    submissions = []
    for slot in slots:
        if slot.stage.name == stage.name:
            submission = read_submission(slot.path, f"{term}{slot.student}", stage)
            if submission.modules:
                submissions.append(submission)
    return submissions


def _given(stage: Stage, course: Course) -> Iterator[Mapping[str, str]]:
    """Yield programs whose passages never count: the starter and earlier stages' references."""
    yield stage.starter()
    for prerequisite in course.prerequisites(stage):
        if all((prerequisite.solution / name).is_file() for name in prerequisite.files):
            yield prerequisite.reference()


def _published(stage: Stage) -> Iterator[Submission]:
    """Yield the correct programs that a student can find: the reference and the alternatives."""
    yield read_submission(stage.solution, THE_REFERENCE, stage)
    for folder in stage.alternatives:
        yield read_submission(folder, f"alternative {folder.name}", stage)


def _alike(
    pair: tuple[Submission, Submission], rows: tuple[SymbolRow, SymbolRow], explained: set[str]
) -> SimilarPair | None:
    """Return the pair with its shared passages; None if these have fewer than MIN_SYMBOLS."""
    common = shared(rows[0].symbols, rows[1].symbols, explained)
    if common.symbols < MIN_SYMBOLS:
        return None
    first, second = pair
    passages = []
    for passage in common.passages:
        in_first = _passage(first, rows[0], passage.here)
        in_second = _passage(second, rows[1], passage.there)
        passages.append((in_first, in_second))
    students = first.student, second.student
    return SimilarPair(first.stage, students, common.symbols, common.own, tuple(passages))


def _passage(submission: Submission, row: SymbolRow, symbols: slice) -> Passage:
    """Return the lines that contain these symbols, with the numbers that the student sees."""
    module, first = row.places[symbols.start]
    _, last = row.places[symbols.stop - 1]
    source = submission.modules[module].split("\n")
    place = submission.place(module, first)[0]
    lines = []
    for number in range(first, min(last, first + MAX_LINES - 1) + 1):
        _, shown_number = submission.place(module, number)
        lines.append(SourceLine(shown_number, source[number - 1][:MAX_WIDTH]))
    return Passage(place, tuple(lines))


def similar_page(results: Sequence[SimilarPairs]) -> str:
    """Return the page, with the passages of each pair side by side."""
    recurring = recurring_pairs(results)
    return page(
        "similar.html.j2", folder=TEMPLATES, found=results, recurring=recurring, about=ABOUT
    )


def similar_csv(results: Sequence[SimilarPairs]) -> str:
    """Return a table with a row for each pair."""
    rows = []
    for stage in results:
        for pair in stage.shown:
            passages = len(pair.passages)
            rows.append((pair.stage, *pair.students, pair.symbols, passages, *pair.shares))
    return as_csv([COLUMNS, *rows])


def similar_text(results: Sequence[SimilarPairs]) -> str:
    """Return the pairs as plain text, one passage below the other."""
    return safe_block("\n".join((ABOUT, "", *_lines(results)))) + "\n"


def _lines(results: Sequence[SimilarPairs]) -> Iterator[str]:
    """Yield the pairs that recur over stages, and then each stage's pairs with their passages."""
    if recurring := recurring_pairs(results):
        yield RECURRING
        for recurrence in recurring:
            yield f"- {recurrence.words}"
        yield ""
    for stage in results:
        name = stage.stage.name
        yield from (name, "=" * len(name))
        yield f"{stage.programs} programs, {len(stage.shown)} pairs that share passages"
        for pair in stage.shown:
            yield from _pair_text(pair)
        yield ""


def _pair_text(pair: SimilarPair) -> Iterator[str]:
    """Yield two lines that say how much a pair shares, then each passage in both programs."""
    first, second = pair.students
    passages_shared = count_of(len(pair.passages), "passage")
    yield from ("", f"{first} and {second}: {pair.symbols} symbols in {passages_shared},")
    yield f"{pair.shares[0]} % of {first}’s own code, {pair.shares[1]} % of {second}’s"
    for passages in pair.passages:
        for student, passage in zip(pair.students, passages, strict=True):
            yield from ("", f"  {student}, {passage.place}, {passage.span}")
            yield from (f"  {line}" for line in passage.lines)
