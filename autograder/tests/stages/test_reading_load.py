"""How much students read before the first line that they write, and at most how much that may be.

`python autograder/tests/stages/test_reading_load.py` prints a table of all stages.
"""

import re

import pytest
from hearts_course.course import find_course

COURSE = find_course()
PAGES = COURSE.root / "assignments"
FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")  # seen or read aloud: never both
LINK = re.compile(r"\]\([^)]*\)")
LATER = "## For later"  # the students' page says above this heading that the rest can wait
TERMS = r"^## \w+ terms$"  # a table to look words up in
AT_MOST = {"01-cards": 900, "02-legal-moves": 700}


def count_words(text):
    """Return the words of a Markdown text, without code, pictures and the targets of links."""
    prose = LINK.sub("]", PICTURE.sub("", FENCE.sub("", text)))
    return sum(any(character.isalnum() for character in word) for word in prose.split())


def brief_of(stage):
    return (stage.assignment / "README.md").read_text(encoding="utf-8")


def pages_before_the_first_stage():
    """Return what a student reads before the first brief: how to begin, and the game in short."""
    begin, later, _ = (PAGES / "README.md").read_text("utf-8").partition(LATER)
    game, *terms = re.split(
        TERMS, (PAGES / "hearts-in-a-page.md").read_text("utf-8"), flags=re.MULTILINE
    )
    assert later
    assert terms
    return [begin, game]


def words_before_the_first_line(stage):
    """Return the words that stand before the first line: those of the first task are among them."""
    until_first_task, second, _ = brief_of(stage).partition("\n## Task 2:")
    assert second
    pages = pages_before_the_first_stage() if stage == COURSE.stages[0] else []
    return sum(count_words(page) for page in [*pages, until_first_task])


@pytest.mark.parametrize(("name", "most"), AT_MOST.items(), ids=list(AT_MOST))
def test_few_words_stand_before_the_first_line(name, most):
    assert words_before_the_first_line(COURSE.stage(name)) <= most


def test_words_are_counted_without_code_pictures_and_addresses():
    text = (
        "Two *words* - and\n![a picture](x.svg)\n```pycon\n>>> code\n```\n[a link](y.md) | `name` |"
    )
    assert count_words(text) == 6


if __name__ == "__main__":
    for stage in COURSE.stages:
        if "\n## Task 2:" in brief_of(stage):
            words = count_words(brief_of(stage))
            print(f"{stage.name:20}{words_before_the_first_line(stage):6} of {words}")
