"""The brief and the hints are divided by headings that agree with stage.toml."""

import pytest
from hearts_course.brief import load_brief, load_hints
from hearts_course.errors import StageError
from tiny_course import BRIEF, HINTS, write_stage


def test_a_brief_is_divided_among_its_tasks(tmp_path):
    brief = load_brief(write_stage(tmp_path))
    assert brief.intro.startswith("# 01 Coins and purses\n\nMoney")
    assert brief.intro.endswith("- Classes.")
    assert list(brief.sections) == ["worth", "purse", "total"]
    assert brief.sections["purse"] == (
        "## Task 2: A purse (3 points)\n\nWrite `Purse` and its `add`."
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


@pytest.mark.parametrize(
    ("find", "put", "fault"),
    [
        ("# 01 Coins and purses", "# 1 Coins", ":1: the brief begins with '# 1 Coins'; write"),
        ("worth (2 points)", "worth (3 points)", ":9: found '## Task 1: What a coin is worth (3"),
        ("(1 point)", "(1 points)", ":22: found '## Task 3: Add up (1 points)'"),
        ("Task 2: A purse", "Task 2: A bag", ":18: found '## Task 2: A bag (3 points)' where"),
        ("## Task 2: A purse (3 points)", "", "where stage.toml asks for '## Task 2: A purse"),
        ("## Out of scope", "## Task 4: More (1 point)", "asks for '## Out of scope'"),
        ("## Out of scope", "Out of scope", "asks for '## Out of scope'"),
        ("## Sources", "## Task 4: More (1 point)", ":30: '## Task 4: More (1 point)' comes"),
    ],
)
def test_a_heading_that_contradicts_the_stage_is_a_fault(tmp_path, find, put, fault):
    stage = write_stage(tmp_path, BRIEF=BRIEF.replace(find, put, 1))
    with pytest.raises(StageError) as raised:
        load_brief(stage)
    assert str(raised.value).startswith(f"{stage.assignment / 'README.md'}:")
    assert fault in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_brief_without_tasks_says_what_is_missing(tmp_path):
    stage = write_stage(tmp_path, BRIEF="# 01 Coins and purses\n")
    with pytest.raises(StageError, match="no heading '## Task 1: What a coin is worth"):
        load_brief(stage)


def test_hints_climb_one_rung_at_a_time(tmp_path):
    hints = load_hints(write_stage(tmp_path))
    assert hints == {
        "worth": ("How many coins are there?", "Look at `if`."),
        "purse": ("What grows?",),
        "total": ("Which built-in adds?",),
    }


@pytest.mark.parametrize(
    ("find", "put", "fault"),
    [
        ("## Task 2: A purse", "## Task 2: A bag", ":13: found '## Task 2: A bag'"),
        ("### 2\n", "### 3\n", ":9: found '### 3'; write '### 2'"),
        ("Look at `if`.", "", ":9: hint 2 is empty"),
        ("### 1\n\nWhat grows?\n", "", ":13: '## Task 2: A purse' has no hint"),
        ("## Task 3: Add up\n\n### 1\n\nWhich built-in adds?\n", "", "no heading '## Task 3"),
        ("Which built-in adds?", "Which?\n\n## Task 4: More", ":25: stage.toml has no task"),
    ],
)
def test_a_gap_in_the_hints_is_a_fault(tmp_path, find, put, fault):
    stage = write_stage(tmp_path, HINTS=HINTS.replace(find, put, 1))
    with pytest.raises(StageError) as raised:
        load_hints(stage)
    assert fault in str(raised.value)


@pytest.mark.parametrize(("name", "load"), [("README.md", load_brief), ("hints.md", load_hints)])
def test_a_missing_file_is_named(tmp_path, name, load):
    stage = write_stage(tmp_path)
    (stage.assignment / name).unlink()
    with pytest.raises(StageError, match=name):
        load(stage)
