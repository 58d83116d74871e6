"""What a student reads about a test that does not pass."""

from pathlib import Path

import pytest
from hearts_course.results import Outcome, Status
from tiny_course import REFERENCE, write_stage
from tiny_grade import all_tests, changed, grade

MORE = """
def faces():
    return {}

def refuse(face):
    raise {}

def dimes():
    yield Coin("dime")

def typed():
    raise EOFError

def said():
    print("dime")
    return {}

def asked():
    return {}
"""
RIGHT = REFERENCE + MORE.format(
    ["penny", "dime"], 'ValueError("euro is not a face: line 1, ZZ")', '"dime"', '"dime"'
)
WRONG = changed("10 if", "5 if") + MORE.format(None, 'ValueError("no")', "None", "input()")
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


def test_message_with_a_pattern(coins):
    with pytest.raises(ValueError, match=r"line 1\\b.*ZZ"):
        coins.refuse("euro")


def test_another_error(coins):
    with pytest.raises((KeyError, AttributeError)):
        coins.refuse("euro")


def test_answer_that_should_be_a_list(coins):
    assert each(len, coins.faces()) == [5, 4]


def test_list_of_objects(coins):
    assert list(coins.dimes()) == ["dime"]


def test_container(coins):
    assert "penny" in str(coins.Coin("dime"))


def test_alternatives(coins):
    assert coins.Coin("dime").worth in (10, 20)


def test_no_single_comparison(coins):
    assert coins.Coin("penny").worth == 1 and coins.Coin("dime").worth == 10


def test_input_that_ends(coins):
    coins.typed()


def test_nobody_types(coins):
    assert coins.asked() == "dime"


def test_printed(coins):
    assert coins.said() == "dime"


def test_printed_and_used(coins):
    assert coins.said().upper() == "DIME"


def test_none_without_print(coins):
    assert [coins.faces(), coins.faces()] == [[], []]
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
    "test_message_with_a_pattern": """\
coins.refuse('euro')
  its message  'no'
  must contain 'line 1', then 'ZZ'""",
    "test_another_error": """\
coins.refuse('euro')
  raised       ValueError: no
  in           coins.py, line 48: raise ValueError("no")
  expected     KeyError or AttributeError""",
    "test_list_of_objects": """\
list(coins.dimes())
  came back    [<Coin>]
  expected     ['dime']""",
    "test_container": """\
str(Coin('dime'))
  came back    'dime'
  expected     to contain 'penny'""",
    "test_alternatives": """\
Coin('dime').worth
  came back    5
  expected     in (10, 20)""",
    "test_no_single_comparison": """\
Coin('penny').worth == 1 and Coin('dime').worth == 10
  this should be true""",
    "test_input_that_ends": """\
coins.typed()
  raised EOFError
  in           coins.py, line 54: raise EOFError
  the input ended here, and the program does not handle that""",
    "test_nobody_types": """\
coins.asked()
  raised       EOFError: EOF when reading a line
  in           coins.py, line 61: return input()
  input() has nothing to read: during a check nobody is at the keyboard""",
    "test_printed": """\
coins.said()
  came back    None
  expected     'dime'
  did you print it instead of returning it?""",
    "test_printed_and_used": """\
coins.said().upper()
  coins.said() is None; did you print it instead of returning it?""",
    "test_none_without_print": """\
[coins.faces(), coins.faces()]
  came back    [None, None]
  expected     [[], []]""",
    "test_answer_that_should_be_a_list": """\
[len(x) for x in coins.faces()]
  coins.faces() is None; it cannot be used here: 'NoneType' object is not iterable""",
}


@pytest.fixture(name="shown", scope="module")
def _shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("course")
    result = grade(write_stage(root, VISIBLE=SUITE, REFERENCE=RIGHT, HIDDEN=""), WRONG)
    assert result.status is Status.GRADED, result.message
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
