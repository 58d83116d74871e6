"""`hearts case` shows hidden questions to an instructor; pages show them after the deadline."""

import pytest
from commands import hearts
from tiny_class import STAGE, course_with_starter, put
from tiny_course import REFERENCE

WRONG = REFERENCE.replace("key=Purse.total", "key=lambda purse: -purse.total()")
CASE = ["case", "ada", STAGE, "total"]


@pytest.fixture(name="place")
def _place(tmp_path, monkeypatch):
    course_with_starter(tmp_path / "course")
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "class/ada" / STAGE, {"coins.py": WRONG})
    return tmp_path


@pytest.mark.parametrize("task", ["total", "3"])
def test_a_case_shows_hidden_questions_both_answers_and_both_programs(place, capsys, task):
    assert hearts(*CASE[:-1], task, "--submissions", "class", "--sandbox", "none") == 0
    out = capsys.readouterr().out
    assert "ada, 01-coins, task 3: Add up" in out
    assert "1 of 2 questions failed" in out
    assert "✗ The richest purse is worth most.  (test_coins_hidden.py::test_richest)" in out
    assert "richest([poor, rich]).total()" in out
    assert "came back    0" in out
    assert "expected     10" in out
    assert "return max(purses, key=lambda purse: -purse.total())" in out
    assert "return max(purses, key=Purse.total)" in out
    assert "10 if" not in out  # this line of the program belongs to another task


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "name the folder that you grade, with --submissions DIR"),
        (["--give", "1"], "--give needs --because TEXT, and excludes --take-back"),
        (["--give", "1", "--because", "x"], "--give and --take-back need --out DIR"),
        (["--give", "9", "--because", "x", "--out", "grades"], "--give 9: total has 1 point"),
        (["--give", "1", "--because", "x", "--out", "grades"], "no student is called 'ada'"),
    ],
)
def test_a_case_that_cannot_be_meant_is_refused(place, capsys, options, complaint):
    assert hearts(*CASE, *options) == 2
    assert complaint in capsys.readouterr().err


def test_points_that_were_not_given_cannot_be_taken_back(place, capsys):
    assert hearts("grade", "class", "--out", "grades", "--sandbox", "none") == 0
    assert hearts(*CASE, "--out", "grades", "--take-back") == 2
    assert "overrides.csv: gives ada no points for total" in capsys.readouterr().err


def test_a_change_of_the_suite_is_not_blamed_for_points_that_were_given(place, capsys):
    grade = ["grade", "class", "--out", "grades", "--sandbox", "none"]
    assert hearts(*grade) == 0
    assert hearts(*CASE, "--out", "grades", "--give", "1", "--because", "She knew it") == 0
    put(place / "course/autograder/stages" / STAGE, {"test_more.py": "# changed\n"})
    capsys.readouterr()
    assert hearts(*grade, "--dry-run") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "because the suite and the manual points changed" in said


MORE = """

@pytest.mark.task("total")
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_many(coins, count):
    \"\"\"A richer purse wins.\"\"\"
    poor, rich = coins.Purse(), coins.Purse()
    for _ in range(count):
        rich.add(coins.Coin("dime"))
    assert coins.richest([poor, rich]).total() == 10 * count


@pytest.mark.task("total")
@pytest.mark.reusable
def test_kept(coins):
    \"\"\"Kept for next year.\"\"\"
    poor, rich = coins.Purse(), coins.Purse()
    rich.add(coins.Coin("penny"))
    assert coins.richest([poor, rich]).total() == 1
"""
REVEAL = ["grade", "class", "--out", "grades", "--sandbox", "none", "--reveal", "1"]


def test_hidden_questions_are_shown_when_nobody_may_hand_in_any_more(place, capsys):
    hidden = place / f"course/autograder/stages/{STAGE}/test_coins_hidden.py"
    hidden.write_text(hidden.read_text() + MORE)
    put(place / "class/bob" / STAGE, {"coins.py": REFERENCE})
    for dates, until in [
        (f"[due]\n{STAGE} = 2126-10-01T00:00:00Z\n", "2126-10-01 00:00 UTC"),
        (
            f"[due]\n{STAGE} = 2026-01-01T00:00:00Z\n[student.ada]\n"
            f"extension_days.{STAGE} = 36524\n",
            "2126-01-01 00:00 UTC",
        ),
    ]:
        put(place / "class", {"late.toml": dates})
        assert hearts(*REVEAL) == 2
        assert f"--reveal {STAGE}: ada may hand in until {until}" in capsys.readouterr().err
        assert not (place / "grades/results").exists()
    put(place / "class", {"late.toml": f"[due]\n{STAGE} = 2026-01-01T00:00:00Z\n"})
    assert hearts(*REVEAL) == 0
    assert "1 page with hidden questions that failed" in capsys.readouterr().out
    for suffix in ("md", "html"):
        page = (place / f"grades/feedback/ada/{STAGE}.{suffix}").read_text()
        shown = page.partition("Hidden questions that failed")[2]
        assert shown.count("Task 3, ") == 3
        assert "expected     10" in shown
        assert "expected     30" not in page
        assert "Kept for next year" not in shown
        page_of_bob = (place / f"grades/feedback/bob/{STAGE}.{suffix}").read_text()
        assert "Hidden questions" not in page_of_bob
    page_of_ada = (place / f"grades/feedback/ada/{STAGE}.md").read_text()
    results = (place / f"grades/results/ada/{STAGE}.json").read_text()
    assert "came back" not in results  # result files never have the answers to hidden questions
    assert hearts(*REVEAL[:-2]) == 0
    assert (place / f"grades/feedback/ada/{STAGE}.md").read_text() == page_of_ada
    # After a new submission, the page shows no hidden questions until those of the new program are
    # revealed.
    put(place / "class/ada" / STAGE, {"coins.py": WRONG + "# again\n"})
    assert hearts(*REVEAL[:-2]) == 0
    assert "Hidden questions" not in (place / f"grades/feedback/ada/{STAGE}.md").read_text()
