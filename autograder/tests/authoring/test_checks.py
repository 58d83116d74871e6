"""What only a run of a stage's programs shows: near examples, and what one mistake costs."""

import pytest
from hearts_course.authoring import checks
from tiny_course import CHAFFS, HIDDEN, STAGE_TOML, write_course


def found(check, course):
    return [line.replace(f"{course.root}/", "") for line in check(course, course.stages[0])]


@pytest.mark.parametrize(
    ("example", "shows"),
    [
        ("purse = Purse(); richest([purse]).total()", False),
        ("purse = Purse(); purse.add(Coin('dime')); 1, purse.total()", True),
        ("purse = Purse(); print('fails', purse); open('none')", False),
        ("a purse with two coins", True),
        ("purses[0].total() of your own purses", True),
        ("purses[0].total()", True),
    ],
    ids=["same value", "other value", "same error", "a sentence", "a sketch", "undefined names"],
)
def test_a_near_example_shows_what_its_test_finds(tmp_path, example, shows):
    text = HIDDEN.replace(
        'purse = Purse(); purse.add(Coin("dime")); richest([purse]).total()', example
    )
    problems = found(checks.near_examples, write_course(tmp_path, HIDDEN=text))
    where = "autograder/01-coins/test_coins_hidden.py:5: test_richest"
    mistake = "'counts the coins instead of their worth'"
    line = f"{where}: `Try:` does not show {mistake}; ask for more"
    assert problems == ([] if shows else [line])


def test_a_mistake_in_the_first_task_costs_at_most_a_third(tmp_path):
    text = STAGE_TOML.replace("points = 2", "points = 3")
    assert found(checks.fair_points, write_course(tmp_path, STAGE_TOML=text)) == [
        "01-coins: 'a dime is worth five' may cost 3.0 of 7 points; "
        "make the tests of later tasks depend less on the first"
    ]


def test_a_near_example_that_never_ends_shows_a_mistake(tmp_path):
    chaffs = CHAFFS.replace("1 for", "1 for _ in iter(int, 1) for")
    text = HIDDEN.replace('purse.add(Coin("dime")); ', "")
    course = write_course(tmp_path, CHAFFS=chaffs, HIDDEN=text)
    assert found(checks.near_examples, course) == []
