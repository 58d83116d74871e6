"""What a student reads about a test that does not pass."""

from pathlib import Path

import pytest
from hearts_course.results import Outcome
from tiny_course import REFERENCE, write_stage
from tiny_grade import all_tests, changed, grade

MORE = "\n\ndef faces():\n    return {}\n\n\ndef refuse(face):\n    raise ValueError('{}')\n"
RIGHT = REFERENCE + MORE.format(["penny", "dime"], "euro is not a face")
WRONG = changed("10 if", "5 if") + MORE.format(None, "no")
SUITE = '''
import pytest
from hearts_course import each

pytestmark = pytest.mark.task("worth")


@pytest.mark.parametrize(("face", "worth"), [("dime", 10)])
def test_call(coins, face, worth):
    """A coin is worth something."""
    assert coins.Coin(face).worth == worth


def test_steps(coins):
    purse = coins.Purse()
    purse.add(coins.Coin("dime"))
    assert purse.total() == 10


def test_no_line_after_the_one_that_failed(coins):
    for face, worth in (("penny", 1), ("dime", 10)):
        coin = coins.Coin(face)
        assert coin.worth == worth
        assert str(coin) == face
    assert str(coins.Coin("penny")) == "penny"


@pytest.mark.parametrize("faces", [["dime"]])
def test_parameter_that_is_reassigned(coins, faces):
    faces = [coins.Coin(face) for face in faces]
    assert sum(coin.worth for coin in faces) == 10


def test_error_that_is_not_raised(coins):
    with pytest.raises(ValueError):
        coins.Coin("euro").worth


def test_message_of_an_error(coins):
    with pytest.raises(ValueError, match="euro is not a face"):
        coins.refuse("euro")


def test_answer_that_should_be_a_list(coins):
    assert each(len, coins.faces()) == [5, 4]
'''
SHOWN = {
    "test_call": "Coin('dime').worth\n  came back    5\n  expected     10",
    "test_steps": """\
purse = Purse()
purse.add(Coin('dime'))
purse.total()
  came back    5
  expected     10""",
    "test_no_line_after_the_one_that_failed": """\
for face, worth in (('penny', 1), ('dime', 10)):
    coin = Coin(face)
    coin.worth
  came back    5
  expected     10""",
    "test_parameter_that_is_reassigned": """\
faces = ['dime']
faces = [Coin(face) for face in faces]
sum((coin.worth for coin in faces))
  came back    5
  expected     10""",
    "test_error_that_is_not_raised": "Coin('euro').worth\n  raised nothing; expected: ValueError",
    "test_message_of_an_error": """\
coins.refuse('euro')
  its message  'no'
  must contain 'euro is not a face'""",
    "test_answer_that_should_be_a_list": """\
[len(x) for x in coins.faces()]
  coins.faces() is None; it cannot be used here: 'NoneType' object is not iterable""",
}


@pytest.fixture(name="shown", scope="module")
def _shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("course")
    result = grade(write_stage(root, VISIBLE=SUITE, REFERENCE=RIGHT, HIDDEN=""), WRONG)
    tests = all_tests(result)
    assert {(test.outcome, test.hidden) for test in tests} == {(Outcome.FAILED, False)}
    assert tests[0].topic == "A coin is worth something."
    return {test.name.split("::")[1].split("[")[0]: test.message for test in tests}


@pytest.mark.parametrize("test", SHOWN)
def test_a_visible_failure_shows(shown: dict[str, str], test: str) -> None:
    assert shown[test] == SHOWN[test]


@pytest.mark.parametrize(
    "instead",
    [
        "return min(",
        "raise ValueError(purses[1].total()); return max(",
        "print(purses[1].total()); min(",
    ],
)
def test_a_hidden_failure_shows_its_topic_and_a_near_example_only(
    tmp_path: Path, instead: str
) -> None:
    result = grade(write_stage(tmp_path), changed("return max(", instead))
    hidden = all_tests(result)[-1]
    assert (hidden.hidden, hidden.outcome) == (True, Outcome.FAILED)
    assert hidden.message == "The richest purse is worth most.\nTry: richest([Purse(), Purse()])"
