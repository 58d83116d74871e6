"""Checks of a stage: near examples, the points that one mistake costs, and other checks.

A near example is code that a student may try when a hidden test fails.
"""

import pytest
from hearts_course.course import Course
from hearts_grader.authoring import checks
from hearts_grader.authoring.build import near_examples_file
from tiny_course import HIDDEN, REFERENCE, STAGE_TOML, write_course


def found(check, course):
    return [line.replace(f"{course.root}/", "") for line in check(course, course.stages[0])]


EXAMPLE = """purse = Purse()
        purse.add(Coin("dime"))
        richest([purse]).total()"""
WHERE = "autograder/stages/01-coins/test_coins_hidden.py:5: test_richest"
MISTAKE = "'counts the coins instead of their worth'"


@pytest.mark.parametrize(
    ("example", "problems"),
    [
        (EXAMPLE, []),
        ("a = Purse()\n        richest([a]).total()", [f"`Try:` does not show {MISTAKE}"]),
        ("print('fails', Purse)\n        open('none')", [f"`Try:` does not show {MISTAKE}"]),
        ("purses[0].total()", ["`Try:` uses a name that the reader does not know"]),
        (EXAMPLE.replace("\n        ", "; "), ["`Try:` has several statements on a line"]),
        ("purse = Purse()", ["`Try:` shows nothing"]),
        ("a purse with two coins", []),
        ("purses[0].total() of your own purses", []),
    ],
    ids=["value", "same", "error", "unknown", "one line", "nothing", "a sentence", "a sketch"],
)
def test_a_near_example_shows_what_its_test_finds(tmp_path, example, problems):
    course = write_course(tmp_path, HIDDEN=HIDDEN.replace(EXAMPLE, example))
    file = near_examples_file(course, course.stages[0])
    file.write()
    lines = found(checks.near_examples, course)
    assert all(any(f"{WHERE}: {problem}" in line for line in lines) for problem in problems)
    assert bool(lines) is bool(problems)


def test_one_of_several_near_examples_shows_each_mistake_and_each_shows_one(tmp_path):
    two_examples = f"{EXAMPLE}\n\n    Try: Purse().total()"
    course = write_course(tmp_path, HIDDEN=HIDDEN.replace(EXAMPLE, two_examples))
    line = f"{WHERE}: the `Try:` number 2 shows no known mistake; remove it or ask for more"
    assert found(checks.near_examples, course) == [line]


def test_a_near_example_shows_the_same_in_every_correct_program(tmp_path):
    course = write_course(tmp_path)
    alternative = course.root / "autograder/stages/01-coins/alternatives/other/coins.py"
    alternative.parent.mkdir(parents=True)
    for total, problems in (("sum(", 0), ("1.0 * sum(", 1)):
        alternative.write_text(REFERENCE.replace("sum(", total), encoding="utf-8")
        lines = found(checks.near_examples, course)
        assert ["in the correct program 'other'" in line for line in lines] == [True] * problems


def test_what_near_examples_show_is_in_a_file(tmp_path):
    course = write_course(tmp_path, EXAMPLES="{}")
    (line,) = found(checks.near_examples, course)
    assert line.endswith("examples.json: out of date; run `hearts build 01-coins --patterns`")


def test_a_mistake_in_the_first_task_costs_at_most_a_third(tmp_path):
    """A stage with fewer than four tasks is exempt: it may give more than a third for task 1."""
    three = STAGE_TOML.replace("points = 2", "points = 3")
    assert found(checks.fair_points, write_course(tmp_path / "three", STAGE_TOML=three)) == []
    four = f'{three}\n[[task]]\nid = "more"\ntitle = "More"\npoints = 1\nblanks = []\n'
    assert found(checks.fair_points, write_course(tmp_path / "four", STAGE_TOML=four)) == [
        "01-coins: 'a dime is worth five' may cost 3.0 of 8 points; "
        "make the tests of later tasks depend less on the first"
    ]


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
    clinic = course.stage("02-clinic")
    stage = course.stage("01-coins")
    assert [*checks.no_solutions_in_clinics(course, clinic)] == ([line] if problem else [])
    assert [*checks.no_solutions_in_clinics(course, stage)] == []


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("## Why?\n\nSo.\n\n**Must name:** what follows.\n", ""),
        ("## Why?\n\nSo.\n", "Why?: add a line '**Must name:**'"),
        ("## Why not?\n\nSo.\n\n**Must name:** what follows.\n", "no section `## Why?`"),
    ],
)
def test_a_question_for_discussion_needs_a_model_answer_that_names_a_consequence(
    tmp_path, answer, problem
):
    course = write_course(tmp_path)
    (stage,) = course.stages
    (stage.assignment / "discuss.md").write_text("# For discussion\n\n## Why?\n\nSay.\n")
    (stage.autograder / "model-answers.md").write_text(f"# Model answers\n\n{answer}")
    lines = found(checks.model_answers, course)
    assert [problem in line for line in lines] == ([True] if problem else [])
