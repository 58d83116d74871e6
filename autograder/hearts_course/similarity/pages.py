"""Pairs that share passages, as a page, as text and as a table."""

from collections.abc import Iterator, Sequence

from hearts_course.reports.class_report import as_csv
from hearts_course.reports.html import page
from hearts_course.similarity.compare import RUN
from hearts_course.similarity.pairs import SimilarPair, SimilarPairs
from hearts_course.text import safe_block

ABOUT = (
    "A match is a reason to look, not proof of copying. Programs can be alike because their "
    "authors learnt from the same page, because they were allowed to work together, or because "
    "there are not many ways to write something. Left out is what is in the starter, in the "
    f"reference or in many programs, and every passage of less than {RUN} symbols. Names, numbers, "
    "texts and comments do not count. Ask the students what it means."
)
COLUMNS = (
    *("stage", "student", "other", "symbols", "passages"),
    *("percent_of_students_own", "percent_of_others_own"),
)


def similar_page(found: Sequence[SimilarPairs]) -> str:
    """Return the page, with the passages of each pair side by side."""
    return page("similar.html.j2", found=found, about=ABOUT)


def similar_csv(found: Sequence[SimilarPairs]) -> str:
    """Return a table with a row for each pair."""
    return as_csv(
        COLUMNS,
        (
            (one.stage, *one.students, one.symbols, len(one.passages), *one.shares)
            for stage in found
            for one in stage.pairs
        ),
    )


def similar_text(found: Sequence[SimilarPairs]) -> str:
    """Return the pairs as plain text, one passage below the other."""
    return safe_block("\n".join((ABOUT, "", *_lines(found)))) + "\n"


def _lines(found: Sequence[SimilarPairs]) -> Iterator[str]:
    for stage in found:
        name = stage.stage.name
        yield from (name, "=" * len(name))
        yield f"{stage.programs} programs, {len(stage.pairs)} pairs that share passages"
        for pair in stage.pairs:
            yield from _pair(pair)
        yield ""


def _pair(pair: SimilarPair) -> Iterator[str]:
    first, second = pair.students
    yield from (
        "",
        f"{first} and {second}: {pair.symbols} symbols in {len(pair.passages)} passages,",
    )
    yield f"{pair.shares[0]} % of {first}’s own code, {pair.shares[1]} % of {second}’s"
    for passages in pair.passages:
        for student, passage in zip(pair.students, passages, strict=True):
            yield from ("", f"  {student}, {passage.place}, {passage.span}")
            yield from (f"  {line}" for line in passage.lines)
