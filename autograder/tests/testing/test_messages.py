"""What a student reads about a test that does not pass."""

from pathlib import Path

import pytest
from hearts_course.results import Outcome, Status
from tiny_course import REFERENCE, write_stage
from tiny_grade import changed, grade, all_tests

WRONG_WORTH = changed("10 if", "5 if")
FACES = "\ndef faces():\n    return {}\n"


def visible_test(body: str, **parameters: object) -> str:
    """Return a suite of one test, with one value for each of its parameters."""
    return f"""
import pytest
from hearts_course import each


@pytest.mark.task("worth")
@pytest.mark.parametrize({list(parameters)}, [{list(parameters.values())}])
def test_worth({", ".join(["coins", *parameters])}):
    '''A coin is worth something.'''
    {body.strip()}
"""


@pytest.mark.parametrize(
    ("suite", "program", "shown"),
    [
        pytest.param(
            visible_test("assert coins.Coin(face).worth == worth", face="dime", worth=10),
            WRONG_WORTH,
            """\
Coin('dime').worth
  came back    5
  expected     10""",
            id="the call, what came back and what was expected",
        ),
        pytest.param(
            visible_test("""
    purse = coins.Purse()
    purse.add(coins.Coin("dime"))
    assert purse.total() == 10
"""),
            WRONG_WORTH,
            """\
purse = Purse()
purse.add(Coin('dime'))
purse.total()
  came back    5
  expected     10""",
            id="each step",
        ),
        pytest.param(
            visible_test("""
    for face, worth in (("penny", 1), ("dime", 10)):
        coin = coins.Coin(face)
        assert coin.worth == worth
        assert str(coin) == face
    assert str(coins.Coin("penny")) == "penny"
"""),
            WRONG_WORTH,
            """\
for face, worth in (('penny', 1), ('dime', 10)):
    coin = Coin(face)
    coin.worth
  came back    5
  expected     10""",
            id="no line after the one that failed",
        ),
        pytest.param(
            visible_test(
                """
    faces = [coins.Coin(face) for face in faces]
    assert sum(coin.worth for coin in faces) == 10
""",
                faces=["dime"],
            ),
            WRONG_WORTH,
            """\
faces = ['dime']
faces = [Coin(face) for face in faces]
sum((coin.worth for coin in faces))
  came back    5
  expected     10""",
            id="a name that the test reassigns",
        ),
        pytest.param(
            visible_test(
                """
    with pytest.raises(ValueError):
        coins.Coin(face).worth
""",
                face="euro",
            ),
            REFERENCE,
            """\
Coin('euro').worth
  raised nothing; expected: ValueError""",
            id="not the line that expects an error",
        ),
        pytest.param(
            visible_test("""
    with pytest.raises(ValueError, match="'euro' is not a face"):
        coins.refuse("euro")
"""),
            "def refuse(face):\n    raise ValueError('no')\n",
            """\
coins.refuse('euro')
  its message  'no'
  should hold  "'euro' is not a face\"""",
            id="the message that an error should have",
        ),
        pytest.param(
            visible_test("assert each(len, coins.faces()) == [5, 4]"),
            FACES.format(None),
            """\
[len(x) for x in coins.faces()]
  coins.faces() is None; it cannot be used here: 'NoneType' object is not iterable""",
            id="an answer that should be a list",
        ),
    ],
)
def test_a_visible_failure_shows(tmp_path: Path, suite: str, program: str, shown: str) -> None:
    reference = REFERENCE + FACES.format(["penny", "dime"])
    stage = write_stage(tmp_path, VISIBLE=suite, REFERENCE=reference, HIDDEN="")
    result = grade(stage, program)
    (failed,) = all_tests(result)
    assert (result.status, failed.outcome, failed.hidden) == (Status.GRADED, Outcome.FAILED, False)
    assert (failed.topic, failed.message) == ("A coin is worth something.", shown)


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
