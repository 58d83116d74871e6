"""Pairs of submissions that share passages, as a page, as text and as a table.

similar_page, similar_text, similar_csv   the renderings
"""

from collections.abc import Iterator, Sequence

from hearts_course.reports.html import page
from hearts_course.reports.source_excerpt import Passage
from hearts_course.reports.tables import as_csv
from hearts_course.similarity.compare import RUN
from hearts_course.similarity.pairs import Alike, Compared
from hearts_course.text import safe_block

ABOUT = (
    "This is a reason for a look, and nothing more. Programs can be alike because their authors "
    "learnt from the same page, because they were allowed to work together, or because there are "
    "not many ways to write it. What is in the starter, in the reference or in the programs of "
    f"many is left out, and so are passages of less than {RUN} symbols; names, numbers, texts and "
    "comments do not count. What it means only the people themselves can tell."
)
COLUMNS = (
    *("stage", "student", "other", "symbols", "passages"),
    *("percent_of_students_own", "percent_of_others_own"),
)


def similar_page(found: Sequence[Compared]) -> str:
    """The page: each pair with its passages side by side."""
    return page("similar.html.j2", found=found, about=ABOUT)


def similar_csv(found: Sequence[Compared]) -> str:
    """A row for each pair."""
    pairs = (pair for compared in found for pair in compared.pairs)
    rows = (
        (one.stage, *one.students, one.symbols, len(one.passages), *one.shares) for one in pairs
    )
    return as_csv(COLUMNS, rows)


def similar_text(found: Sequence[Compared]) -> str:
    """The same as plain text, one passage under the other."""
    lines = [ABOUT, "", *(line for compared in found for line in _stage(compared))]
    return safe_block("\n".join(lines)) + "\n"


def _stage(compared: Compared) -> Iterator[str]:
    name = compared.stage.name
    yield from (name, "=" * len(name))
    yield f"{compared.programs} programs, {len(compared.pairs)} pairs that share passages"
    for pair in compared.pairs:
        yield from ("", *_pair(pair))
    yield ""


def _pair(pair: Alike) -> Iterator[str]:
    first, second = pair.students
    yield f"{first} and {second}: {pair.symbols} symbols in {len(pair.passages)} passages, "
    yield f"{pair.shares[0]} % of what is {first}’s own, {pair.shares[1]} % of {second}’s"
    for passages in pair.passages:
        for student, passage in zip(pair.students, passages, strict=True):
            yield from ("", *_passage(student, passage))


def _passage(student: str, passage: Passage) -> Iterator[str]:
    yield f"  {student}, {passage.place}, {passage.span}"
    for line in passage.lines:
        yield f"  {line.number:>5}  {line.text}".rstrip()
