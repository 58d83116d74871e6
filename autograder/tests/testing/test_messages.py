"""What a student reads about a test that does not pass."""

from pathlib import Path

import pytest
from hearts_course.results import Outcome, Status
from tiny_course import HIDDEN, REFERENCE, write_stage
from tiny_grade import all_tests, changed, grade

pytestmark = pytest.mark.needs_sandbox

MORE = """
def faces():
    return {}

class NoFace(ValueError):
    pass

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

def coin_on_top():
    return {}

def faces_of(coins):
    return {}

def faces_of_none():
    return {}

def ever():
    yield "dime"
    while {}:
        yield "dime"

def until():
    yield "dime"
    while {}:
        yield "dime"
    raise ValueError("the end")

def change(face):
    return [1] if face == "dime" else {}

class Box:
    lid = {}

    def top(self):
        return {}
"""
RIGHT = REFERENCE + MORE.format(
    ["penny", "dime"],
    'NoFace("euro is not a face: line 1, ZZ")',
    '"dime"',
    '"dime"',
    'Coin("dime")',
    "list(map(str, coins))",
    ["dime"],
    False,
    False,
    [1],
    [1],
    [1],
)
WRONG = changed("10 if", "5 if") + MORE.format(
    None, 'ValueError("no")', "None", "input()", 3, None, [], True, True, None, None, None
)
CASE = Path(__file__).with_name("messages")


def test_a_visible_failure_shows(tmp_path: Path) -> None:
    """`suite.txt` is the suite, and `expected.txt` what each of its tests says."""
    suite = (CASE / "suite.txt").read_text()
    result = grade(write_stage(tmp_path, VISIBLE=suite, REFERENCE=RIGHT, HIDDEN=""), WRONG)
    assert (result.status, result.message) == (Status.GRADED, "")
    tests = all_tests(result)
    assert {(test.outcome, test.hidden) for test in tests} == {(Outcome.FAILED, False)}
    assert tests[0].topic == "A coin is worth something."
    names = [test.name.split("::")[1].split("[")[0] for test in tests]
    shown = [f"# {name}\n{test.message}\n" for name, test in zip(names, tests, strict=True)]
    assert "\n".join(shown) == (CASE / "expected.txt").read_text()


TRY = """\
from coins import Coin, Purse, richest
purse = Purse()
purse.add(Coin("dime"))
richest([purse]).total()"""


@pytest.mark.parametrize(
    ("instead", "example"),
    [
        ("return min(", ""),  # what the example asks is right here
        ("raise ValueError(purses[1].total()); return max(", TRY),
        ("print(purses[1].total()); min(", TRY),
        ("return purses and [][0] or max(", TRY),
    ],
)
def test_a_hidden_failure_shows_a_near_example_only_if_it_fails(
    tmp_path: Path, instead: str, example: str
) -> None:
    result = grade(write_stage(tmp_path), changed("return max(", instead))
    hidden = all_tests(result)[-1]
    assert (hidden.hidden, hidden.outcome) == (True, Outcome.FAILED)
    assert (hidden.message, hidden.example) == ("", example)


def test_a_sentence_to_try_is_said_as_one(tmp_path: Path) -> None:
    before, _, rest = HIDDEN.partition("Try:")
    sentence = "Try: a game with\n    two purses\n    "
    stage = write_stage(tmp_path, HIDDEN=before + sentence + rest[rest.index('"""') :])
    last = all_tests(grade(stage, changed("return max(", "return min(")))[-1]
    assert (last.message, last.example) == ("Try: a game with two purses", "")
