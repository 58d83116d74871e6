"""No double punishment: a stage is judged on the student's earlier stages, or on ours."""

from pathlib import Path

import pytest
from hearts_course.course import Course, Stage
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.results import Prerequisites, Result, Status
from hearts_course.submissions.find import find_submissions
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_found
from tiny_course import REFERENCE, write_course

STAGE_TOML = """\
title = "Shops"
files = ["shop.py"]
builds_on = ["01-coins"]
source = "none"
hours = "1"

[[task]]
id = "price"
title = "A price"
points = 4
blanks = ["price"]
"""
SHOP = '''\
from coins import Coin


def price(faces):
    """What the coins of those faces buy."""
    return sum(Coin(face).worth for face in faces)
'''
VISIBLE = '''\
import pytest


@pytest.mark.task("price")
@pytest.mark.parametrize(("faces", "worth"), [(["penny"], 1), (["dime", "penny"], 11)])
def test_price(shop, faces, worth):
    """Coins add up."""
    assert shop.price(faces) == worth
'''
WRONG_COINS = REFERENCE.replace("10 if", "5 if")
BROKEN_COINS = "def f(:\n"


@pytest.fixture(name="course")
def _course(tmp_path: Path) -> Course:
    course = write_course(tmp_path / "course")
    for place, text in {
        "assignments/02-shop/stage.toml": STAGE_TOML,
        "assignments/02-shop/test_shop.py": VISIBLE,
        "solutions/02-shop/shop.py": SHOP,
    }.items():
        path = course.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Course(course.root)


@pytest.fixture(name="shop")
def _shop(course: Course) -> Stage:
    return course.stage("02-shop")


def grade(shop: Stage, source: str = SHOP, **earlier: str) -> Result:
    return grade_one(
        GradeJob(shop, Submission("ada", shop.name, {"shop": source}, earlier=earlier))
    )


def test_a_stage_runs_on_the_student_s_own_earlier_stages(shop: Stage) -> None:
    own_way = SHOP.replace("Coin(face).worth", "Coin(face).pence")
    own_coins = REFERENCE.replace("def worth", "def pence")
    result = grade(shop, own_way, coins=own_coins)
    assert (result.score, result.prerequisites) == (4.0, Prerequisites(4.0, None))
    assert result.message == ""


@pytest.mark.parametrize(("coins", "own"), [(WRONG_COINS, 2.0), (BROKEN_COINS, 0.0)])
def test_an_earlier_stage_s_fault_costs_nothing_here(shop: Stage, coins: str, own: float) -> None:
    result = grade(shop, coins=coins)
    assert (result.status, result.score) == (Status.GRADED, 4.0)
    assert result.prerequisites == Prerequisites(own, 4.0)
    assert f"({own:g} with them)" in result.message


def test_a_fault_of_the_stage_s_own_is_not_excused(shop: Stage) -> None:
    result = grade(shop, SHOP.replace("sum(", "max("), coins=WRONG_COINS)
    assert (result.score, result.prerequisites) == (2.0, Prerequisites(2.0, 2.0))


def test_without_an_earlier_stage_ours_are_used(shop: Stage) -> None:
    result = grade(shop)
    assert (result.score, result.prerequisites) == (4.0, Prerequisites(None, 4.0))


def test_a_result_with_both_scores_survives_its_file(shop: Stage) -> None:
    result = grade(shop, coins=WRONG_COINS)
    assert Result.from_json(result.as_json()) == result


def test_the_reader_brings_the_earlier_stages_along(course: Course, tmp_path: Path) -> None:
    for place, text in {
        "ada/01-coins/coins.py": WRONG_COINS,
        "ada/02-shop/shop.py": SHOP,
        "bob/02-shop/shop.py": SHOP,
        "cleo/01-coins/purse.py": "misnamed",
        "cleo/02-shop/shop.py": SHOP,
    }.items():
        path = tmp_path / "submissions" / place
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    (course.root / "notebooks/01-coins.ipynb").write_text('{"cells": []}', encoding="utf-8")
    (course.root / "notebooks/02-shop.ipynb").write_text('{"cells": []}', encoding="utf-8")
    for stage, file in (("01-coins", "coins.py"), ("02-shop", "shop.py")):
        (course.root / "assignments" / stage / file).write_text("", encoding="utf-8")
    layout = find_submissions(tmp_path / "submissions", course, ["02-shop"])
    read = {slot.student: dict(read_found(slot).earlier) for slot in layout.paths}
    assert read == {"ada": {"coins": WRONG_COINS}, "bob": {}, "cleo": {}}
