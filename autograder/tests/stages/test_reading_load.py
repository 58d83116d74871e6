"""Count the words that students read before they write their first line, and limit the number.

`PYTHONPATH=autograder/tests/support python autograder/tests/stages/test_reading_load.py` prints the
table of all stages for TEACHING.md.
"""

import re
from collections.abc import Iterator

import pytest
from hearts_course.course import find_course
from hearts_grader.authoring.build import build
from prose import counts_of
from tiny_course import write_course

COURSE = find_course()
PAGES = COURSE.root / "assignments"
FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")  # a page shows the picture and not this text
LINK = re.compile(r"\]\([^)]*\)")
LATER = "## For later"  # the page for students says that everything below this heading can wait
TERMS = r"^## \w+ terms$"  # heading of a table to look terms up in
HEAD = "| stage | words before the first line | words in all | lines to write | words a line |\n"
A_TENTH = 0.1  # the numbers in TEACHING.md may differ from today's count by a tenth
AT_MOST = {"01-cards": 900, "02-legal-moves": 700}


def count_words(text):
    """Return how many words a Markdown text has, without code, pictures and targets of links."""
    prose = LINK.sub("]", PICTURE.sub("", FENCE.sub("", text)))
    return sum(any(character.isalnum() for character in word) for word in prose.split())


def lines_to_write(stage):
    """Return how many more lines of code the reference has than the starter."""
    blank = re.compile(r"^ *raise NotImplementedError\(.*\n", re.MULTILINE)
    starter = [blank.sub("    pass\n", text) for text in stage.starter().values()]
    given = sum(counts_of(text)["code"] - text.count("    pass\n") for text in starter)
    return sum(counts_of(text)["code"] for text in stage.reference().values()) - given


def brief_of(stage):
    return (stage.assignment / "README.md").read_text(encoding="utf-8")


def pages_before_the_first_stage():
    """Return two texts that a student reads before the first brief: how to begin, and the game."""
    begin, later, _ = (PAGES / "README.md").read_text("utf-8").partition(LATER)
    game, *terms = re.split(
        TERMS, (PAGES / "hearts-in-a-page.md").read_text("utf-8"), flags=re.MULTILINE
    )
    assert later
    assert terms
    return [begin, game]


def words_before_the_first_line(stage):
    """Return how many words a student reads before the first line of code for task 1."""
    until_first_task, _, _ = brief_of(stage).partition("\n## Task 2:")
    pages = pages_before_the_first_stage() if stage == COURSE.stages[0] else []
    return sum(count_words(page) for page in [*pages, until_first_task])


@pytest.mark.parametrize(("name", "most"), AT_MOST.items(), ids=list(AT_MOST))
def test_few_words_stand_before_the_first_line(name, most):
    assert words_before_the_first_line(COURSE.stage(name)) <= most


def test_the_lines_to_write_are_those_that_the_starter_lacks(tmp_path):
    course = write_course(tmp_path)
    build(course, course.stages)
    # Four functions have a body of one line; `Purse.__init__` is not in the starter at all.
    assert lines_to_write(course.stages[0]) == 4 + 2


def rows() -> Iterator[tuple[str, int, int, int, int]]:
    """Yield a row of the table for each stage, except clinics, which repair a program."""
    for stage in COURSE.stages:
        if not stage.clinic:
            words, lines = count_words(brief_of(stage)), lines_to_write(stage)
            before = words_before_the_first_line(stage)
            yield stage.name, before, words, lines, round(words / lines)


def test_the_page_for_teachers_says_how_much_there_is_to_read():
    page = (COURSE.root / "autograder/docs/TEACHING.md").read_text(encoding="utf-8")
    table = page.partition(HEAD)[2].partition("\n\n")[0]
    shown = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.split("\n")[1:]]
    assert [cells[0] for cells in shown] == [name for name, *_ in rows()]
    for cells, (_, *numbers) in zip(shown, rows(), strict=True):
        assert [float(cell.replace(",", "")) for cell in cells[1:]] == pytest.approx(
            numbers, rel=A_TENTH
        ), cells[0]


def test_words_are_counted_without_code_pictures_and_addresses():
    text = (
        "Two *words* - and\n![a picture](x.svg)\n```pycon\n>>> code\n```\n[a link](y.md) | `name` |"
    )
    assert count_words(text) == 6


if __name__ == "__main__":
    print(f"{HEAD}|---|--:|--:|--:|--:|")
    for name, *numbers in rows():
        print(f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |")
