"""What only a run of a stage's programs shows: near examples, and what one mistake costs."""

import pytest
from hearts_course.authoring import checks
from hearts_course.course import Course
from tiny_course import CHAFFS, HIDDEN, REFERENCE, STAGE_TOML, write_course


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


CLINIC_TOML = """\
title = "Clinic"
clinic = "01-coins"
files = ["theirs.py"]
source = "a complaint"
hours = "1"
objectives = { repair = "Repair" }

[[task]]
id = "repair"
title = "Repair it"
points = 1
objectives = ["repair"]
blanks = []
"""


SUM = "sum(coin.worth for coin in self._coins if coin.worth > 0)"
OTHER_SUM = "sum((cent.worth for cent in self._coins if cent.worth > 0))"


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        (OTHER_SUM, f"return {OTHER_SUM}"),
        (f"[{OTHER_SUM}, 0]", OTHER_SUM),
        ("sum(coin.worth for coin in self._coins)", ""),
        ("list(self._coins)", ""),
    ],
    ids=["the body with other names", "an expression", "another expression", "a short one"],
)
def test_a_clinic_holds_no_solution_of_another_stage(tmp_path, returned, problem):
    solution = REFERENCE.replace("sum(coin.worth for coin in self._coins)", SUM)
    write_course(tmp_path, REFERENCE=solution)
    folder = tmp_path / "assignments" / "02-clinic"
    folder.mkdir()
    (folder / "stage.toml").write_text(CLINIC_TOML)
    program = f"class Bag:\n    def sum(self):\n        return {returned}\n"
    (folder / "theirs.py").write_text(program)
    course = Course(tmp_path)
    where = tmp_path / "solutions/02-clinic/theirs.py: Bag.sum"
    line = f"{where}: `{problem}` is a solution of 01-coins: Purse.total; write it differently"
    clinic, stage = course.stage("02-clinic"), course.stage("01-coins")
    assert [*checks.no_solutions_in_clinics(course, clinic)] == ([line] if problem else [])
    assert [*checks.no_solutions_in_clinics(course, stage)] == []
