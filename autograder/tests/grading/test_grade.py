"""The result of grading one submission; a mistake in an earlier stage costs no points again."""

from dataclasses import replace
from pathlib import Path

import pytest
from hearts_course.course import Course, find_course
from hearts_course.notebook import CellText
from hearts_course.results import (
    Outcome,
    Prerequisites,
    Result,
    SourcePosition,
    Status,
    TestResult,
    rescore,
    score_stage,
)
from hearts_course.submissions.find import SubmissionPath, find_submissions
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_found
from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.grading.grade import GradeJob, grade_one, max_run_seconds, max_seconds
from hearts_grader.lms.groups import grouped
from proofs import proofs_after
from tiny_class import put
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
STARTER = "class Coin: ..."


@pytest.fixture
def course(tmp_path):
    files = {
        "assignments/02-shop/stage.toml": STAGE_TOML,
        "assignments/02-shop/test_shop.py": VISIBLE,
        "solutions/02-shop/shop.py": SHOP,
    }
    return Course(put(write_course(tmp_path / "course").root, files))


@pytest.fixture
def shop(course):
    return course.stage("02-shop")


def grade(shop, source=SHOP, **earlier):
    return grade_one(
        GradeJob(shop, Submission("ada", shop.name, {"shop": source}, earlier=earlier))
    )


@pytest.mark.needs_sandbox
def test_a_stage_runs_on_the_student_s_own_earlier_stages(shop):
    own_way = SHOP.replace("Coin(face).worth", "Coin(face).pence")
    own_coins = REFERENCE.replace("def worth", "def pence")
    result = grade(shop, own_way, coins=own_coins)
    assert (result.score, result.prerequisites) == (4.0, Prerequisites(4.0, None, ("coins",)))
    assert result.message == ""


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(("coins", "own_score"), [(WRONG_COINS, 2.0), (BROKEN_COINS, 0.0)])
def test_an_earlier_stage_s_fault_costs_nothing_here(shop, coins, own_score):
    result = grade(shop, coins=coins)
    assert (result.status, result.score) == (Status.GRADED, 4.0)
    assert result.prerequisites == Prerequisites(own_score, 4.0, ("coins",), (own_score / 4,))
    assert result.message == (
        "graded with the course's coins.py; it scored more than with yours in task 1 "
        f"({own_score:g} of 4 points)"
    )


def test_when_points_change_the_same_tests_tell_what_another_run_would(shop):
    """The kept outcomes give the new score, so the program need not run again.

    The scores decide whether the run with the student's own earlier stages counts, or the run with
    the course's. If the new points change this decision, `rescore` returns None.
    """
    dearer = replace(shop, tasks=(replace(shop.tasks[0], points=7),))
    for source, coins in [(SHOP, REFERENCE), (SHOP, WRONG_COINS), ("", WRONG_COINS)]:
        old_result = grade(shop, source, coins=coins)
        assert rescore(old_result, dearer) == grade(dearer, source, coins=coins)
    two_outcomes = (Outcome.PASSED, Outcome.FAILED)
    passed, failed = (TestResult("test_a", "", True, outcome) for outcome in two_outcomes)
    twice = replace(shop, tasks=(*shop.tasks, replace(shop.tasks[0], id="sale", points=5)))
    with_own_coins = score_stage(
        twice, "ada", {"price": [failed], "sale": [passed]}, sandbox="none"
    )
    with_own_coins = replace(
        with_own_coins, prerequisites=Prerequisites(5.0, 4.0, ("coins",), (1.0, 0.0))
    )
    assert rescore(with_own_coins, twice) == with_own_coins
    assert rescore(with_own_coins, replace(twice, tasks=(dearer.tasks[0], twice.tasks[1]))) is None


@pytest.mark.needs_sandbox
def test_a_fault_in_the_stage_itself_is_not_excused(shop):
    result = grade(shop, SHOP.replace("sum(", "max("), coins=WRONG_COINS)
    assert (result.score, result.prerequisites) == (
        2.0,
        Prerequisites(2.0, 2.0, ("coins",), (0.5,)),
    )


@pytest.mark.needs_sandbox
def test_an_unreadable_earlier_stage_does_not_hide_a_fault_in_the_stage_itself(shop):
    """If it did, the student would learn of this fault only after fixing the earlier stage."""
    result = grade(shop, "def g(:\n", coins=BROKEN_COINS)
    assert (result.status, result.prerequisites) == (Status.UNREADABLE, Prerequisites(None, 0.0))
    assert result.message.startswith("shop.py, line 1 (def g(:)")


HIDDEN = """\
import pytest


@pytest.mark.task("price")
@pytest.mark.parametrize("count", [7919, 7907, 7901])
def test_many(shop, count):
    \"""Many coins add up.\"""
    assert shop.price(["penny"] * count) == count
"""
# If this program runs with its author's module `coins`, it fails, and writes to a file what a
# hidden test asks. If it runs with the course's `coins`, a visible test shows the file's text.
SHOWS_WHAT_IT_WAS_ASKED = """
import os
import coins

NOTE = {note!r}


def price(faces):
    if len(faces) > 2 and hasattr(coins, "MINE"):
        with open(NOTE, "w") as file:
            file.write(str(len(faces)))
        raise ValueError("not on these coins")
    if len(faces) == 2 and os.path.exists(NOTE):
        with open(NOTE) as file:
            raise ValueError("asked for " + file.read())
    return sum(coins.Coin(face).worth for face in faces)
"""


@pytest.mark.parametrize("coins", [REFERENCE, WRONG_COINS], ids=["own passes", "own fails"])
def test_what_a_hidden_test_asks_is_not_shown_by_a_later_visible_one(shop, tmp_path, coins):
    """The program runs without a sandbox, so it can write a file.

    The first run uses the student's own earlier stages, and the second run uses the course's. If
    the first run passes all visible tests, the second run's messages are removed. Otherwise, the
    visible tests of both runs come before all hidden tests.
    """
    put(shop.root, {"autograder/stages/02-shop/test_shop_hidden.py": HIDDEN})
    source = SHOWS_WHAT_IT_WAS_ASKED.format(note=str(tmp_path / "note"))
    earlier = {"coins": f"{coins}MINE = True\n"}
    submission = Submission("eve", shop.name, {"shop": source}, earlier=earlier)
    result = grade_one(GradeJob(shop, submission, sandbox="none"))
    assert (tmp_path / "note").read_text() == "7901"
    assert (result.status, result.prerequisites.own_counts) == (Status.GRADED, False)
    assert "asked for" not in str(result.as_json())
    assert "7901" not in str(result.as_json())


@pytest.mark.needs_sandbox
def test_the_reference_stands_in_for_a_missing_earlier_stage(shop):
    result = grade(shop)
    assert (result.score, result.prerequisites) == (4.0, Prerequisites(None, 4.0))


@pytest.mark.needs_sandbox
def test_a_message_shows_no_line_of_a_file_that_the_student_does_not_have(shop):
    source = "from coins import Purse\n\n\ndef price(faces):\n    purse = Purse()\n"
    source += "    purse.add('not a coin')\n    return purse.total()\n"
    (failed, _) = grade(shop, source).tasks[0].tests
    assert "in           shop.py, line 7: " in failed.message
    assert "which led to the course's coins.py" in failed.message
    assert "coins.py, line" not in failed.message
    assert failed.beside is None
    # The student's own `coins` is as good as the course's, so its line is shown.
    (failed, _) = grade(shop, source, coins=REFERENCE).tasks[0].tests
    assert "which led to coins.py, line 37" in failed.message


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    ("source", "where", "stub"),
    [
        (SHOP, None, None),
        ("def (", SourcePosition("shop.py", 1), None),
        (SHOP.replace("return sum", "return 1 / 0 or sum"), None, None),
        ("def price(faces):\n    raise NotImplementedError('Task 3: A price')\n", None, 3),
    ],
)
def test_a_result_says_where_a_program_failed_and_survives_its_file(shop, source, where, stub):
    result = grade(shop, source, coins=WRONG_COINS)
    assert Result.from_json(result.as_json()) == result
    (task,) = result.tasks
    assert (result.where, task.tests[0].stub) == (where, stub)
    line = 6 if "1 / 0" in source else 2
    failed = {test.where for test in task.tests if test.where}
    assert failed == ({SourcePosition("shop.py", line)} if stub or line == 6 else set())


@pytest.mark.needs_sandbox
def test_a_place_in_a_notebook_is_given_as_cell_and_line(shop):
    cells = (CellText("shop", "the cell of price", first=4, last=6, above=1),)
    source = SHOP.replace("return sum", "return 1 / 0 or sum")
    job = GradeJob(shop, Submission("ada", shop.name, {"shop": source}, pieces=cells))
    (task,) = grade_one(job).tasks
    assert "in           the cell of price, line 4: return 1 / 0" in task.tests[0].message


def test_a_submission_is_read_with_its_earlier_stages(course, tmp_path):
    submissions = {
        "ada/01-coins/coins.py": WRONG_COINS,
        "ada/02-shop/shop.py": SHOP,
        "bob/02-shop/shop.py": SHOP,
        "cleo/01-coins/purse.py": "misnamed",
        "cleo/02-shop/shop.py": SHOP,
        "dan/01-coins/coins.py": REFERENCE,
        "dan/02-shop/shop.py": SHOP,
        "dan/02-shop/earlier/coins.py": WRONG_COINS,
        "eve/01-coins/coins.py": STARTER,
        "eve/02-shop/shop.py": SHOP,
        "eve/02-shop/coins.py": STARTER,
        "fay/02-shop/shop.py": SHOP,
        "groups.csv": "group,student,stage\np,ada,1\np,fay,1\nq,fay,2\nq,gus,2\n",
    }
    released = {
        "notebooks/01-coins.ipynb": '{"cells": []}',
        "notebooks/02-shop.ipynb": '{"cells": []}',
        "assignments/01-coins/coins.py": STARTER,
        "assignments/02-shop/shop.py": "",
    }
    put(course.root, released)
    found = find_submissions(put(tmp_path / "class", submissions), course, ["02-shop"])
    layout = grouped(found, course)  # fay was with ada in stage 1, and is with gus in stage 2
    read = {slot.student: dict(read_found(slot).earlier) for slot in layout.paths}
    own_modules = {"coins": WRONG_COINS}
    assert read == {
        "ada": own_modules,
        "bob": {},
        "cleo": {},
        "dan": own_modules,
        "eve": {},
        "fay": own_modules,
        "gus": own_modules,
    }


def test_the_longest_time_for_a_class_follows_from_its_limits(shop):
    seconds_of_one = max_run_seconds(shop)
    timeouts = 2 * len(shop.tasks) * shop.limits.test_seconds
    assert seconds_of_one >= shop.limits.import_seconds + shop.limits.submission_seconds + timeouts
    once = SubmissionPath("ada", shop, Path("x"))
    twice = SubmissionPath("bob", shop, Path("x"), earlier=((shop, Path("y")),))
    assert max_seconds([], 2) == 0
    assert max_seconds([once], 1) == 2 * seconds_of_one
    assert max_seconds([once, twice, once], 2) == 4 * seconds_of_one


COURSE = find_course()


@pytest.fixture(params=[s for s in COURSE.counted if s.builds_on], ids=lambda stage: stage.name)
def stage(request):
    """A stage that builds on other stages."""
    return request.param


def grade_reference(stage, earlier, tests, sandbox="auto"):
    """Return the result of the stage's reference, submitted with these earlier modules."""
    submission = Submission("ada", stage.name, stage.reference(), earlier=earlier)
    return grade_one(GradeJob(stage, submission, sandbox, tests=tests))


def untouched(stage):
    """Return the earlier stages' modules: the first stage's starter, the others' references."""
    first, *others = COURSE.prerequisites(stage)
    return first.starter() | modules_of(others)


def unreadable(stage):
    """Return the earlier stages' references, but invalid Python for the last of these stages."""
    *others, last = COURSE.prerequisites(stage)
    return modules_of(others) | dict.fromkeys(last.modules, BROKEN_COINS)


def modules_of(stages):
    return {name: text for stage in stages for name, text in stage.reference().items()}


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("broken", proofs_after(0, [untouched, unreadable]))
def test_in_every_stage_a_broken_earlier_one_costs_nothing(stage, broken):
    result = grade_reference(stage, broken(stage), "visible")
    assert [result.status, result.score] == [Status.GRADED, stage.points]
    assert result.prerequisites.own < stage.points
    assert result.prerequisites.reference == stage.points
    assert f"({result.prerequisites.own:g} of {stage.points} points)" in result.message


@pytest.mark.needs_sandbox
@pytest.mark.proof
def test_in_every_stage_an_earlier_misconception_costs_nothing(stage):
    """All tests run, including the hidden tests.

    The last earlier stage is a chaff, that is, its reference with one mistake. The score is full
    whether or not the tests of `stage` notice this mistake. The programs are the course's own, so
    they need no sandbox.
    """
    *others, last = COURSE.prerequisites(stage)
    earlier = modules_of(others) | dict(load_chaffs(last)[0].modules)
    result = grade_reference(stage, earlier, "all", "none")
    assert [result.status, result.score] == [Status.GRADED, stage.points]
    own_score = result.prerequisites.own
    assert result.prerequisites.reference == (None if own_score == stage.points else stage.points)
