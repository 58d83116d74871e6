"""The brief and the hints are divided by headings that agree with stage.toml."""

import re

import pytest
from hearts_course.brief import load_brief, load_hints
from hearts_course.course import find_course
from tiny_course import BRIEF, write_stage


def test_a_brief_is_divided_among_its_tasks(tmp_path):
    brief = load_brief(write_stage(tmp_path))
    assert brief.intro.startswith("# 01 Coins and purses\n\nMoney")
    assert brief.intro.endswith("- Classes.")
    assert list(brief.sections) == ["worth", "purse", "total"]
    assert brief.sections["purse"] == (
        "## Task 2: A purse (3 points)\n\nA purse changes.\n\n### Exactly\n\n"
        "Write `Purse` and its `add`."
    )
    assert brief.end == "## Out of scope\n\nBanks.\n\n## Sources\n\nNone."


def test_the_parts_are_the_whole_brief(tmp_path):
    brief = load_brief(write_stage(tmp_path))
    assert "\n\n".join([brief.intro, *brief.sections.values(), brief.end]) + "\n" == BRIEF


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_heading_inside_code_is_no_heading(tmp_path, fence):
    code = f"Money.\n\n{fence}text\n## Task 9: no\n```python\n## Out of scope\n{fence}"
    brief = load_brief(write_stage(tmp_path, BRIEF=BRIEF.replace("Money, in short.", code)))
    assert "## Task 9: no" in brief.intro


def test_hints_climb_one_rung_at_a_time(tmp_path):
    hints = load_hints(write_stage(tmp_path))
    assert hints == {
        "worth": ("How many coins are there?", "Look at `if`."),
        "purse": ("What grows?",),
        "total": ("Which built-in adds?",),
    }


def test_each_sentence_of_a_source_names_tasks_that_exist():
    course = find_course()
    tasks = {
        f"{stage.name[:2]}-{stage.number(task)}" for stage in course.counted for task in stage.tasks
    }
    text = (course.root / "autograder/docs/SOURCES.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.split("\n") if line.startswith("| ")][2:]
    assert len({words for _, words, _ in rows}) == len(rows) > 60
    named = {task for *_, where in rows for task in re.findall(r"\b\d\d-\d+\b", where)}
    assert named <= tasks
    stages = {number for *_, where in rows for number in re.findall(r"\b(0\d)\b", where)}
    assert stages == {"01", "02", "03", "04", "05", "06", "07"}
    assert {source for source, *_ in rows} == {
        "CIT 590",
        "Estell",
        "Heart",
        "UVa 181",
        "HEARTS 1.5",
    }
