"""What a student reads about a test that does not pass."""

from pathlib import Path

import pytest
from hearts_course.course import find_course
from hearts_course.results import Outcome, Status
from hearts_course.sandbox.answers import RemoteError, remote_error, show_plain
from hearts_course.testing import outcomes, student_code
from hearts_course.testing.in_process import check_program
from hearts_course.testing.messages import (
    INTERRUPT,
    TO_TRY,
    Comparison,
    Docs,
    _unusable,
    explain_visible,
)
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

class Row:
    def __init__(self, coins):
        self.coins = coins

    def __len__(self):
        return len(self.coins)

    def __iter__(self):
        return iter([{}])

    def __eq__(self, other):
        return {}

    def first(self):
        return {}

def pair():
    return "dime", {}

def row():
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
    'Coin("dime")',
    True,
    'Coin("dime")',
    ["penny"],
    '[Coin("dime")]',
)
RIGHT += "\n\ndef only_here(face):\n    return face\n"  # a name that the wrong program lacks
WRONG = changed("10 if", "5 if") + MORE.format(
    None,
    'ValueError("no")',
    "None",
    "input()",
    3,
    None,
    [],
    True,
    True,
    None,
    None,
    None,
    '"dime"',
    None,
    None,
    1,
    '"dime"',
)
CASE = Path(__file__).with_name("messages")


def test_a_visible_failure_shows(tmp_path: Path) -> None:
    """`suite.txt` is a suite, and `expected.txt` has the message of each of its tests."""
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
        ("return min(", ""),  # this program answers the example correctly
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


NOT_ITERABLE = TypeError("'int' object is not iterable")
NO_LEADER = AttributeError("'tuple' object has no attribute 'leader'")
NO_WORD = AttributeError("'str' object has no attribute 'word'")
LONG_CALL = f"Deal({['2C'] * 30}).play(Card.parse('9C'))"
NESTED = f"give([Hand([Card(Suit('C'), {'2, ' * 60})])], [[<Card>], [<Card>]])"
NO_TOTAL = AttributeError("'list' object has no attribute 'total'")


@pytest.mark.parametrize(
    ("error", "asked", "value", "lines", "told"),
    [
        (NOT_ITERABLE, "count(purse)", 3, ["count(purse)"], "count(purse) is 3; it cannot be used"),
        (NOT_ITERABLE, "hash(Coin('dime'))", 3, ["clues.homes"], "what came back cannot be used"),
        (NO_TOTAL, "list(purses())", [["dime"]], ["list(purses())"], "what came back cannot be"),
        (NO_TOTAL, "list(purses())", ["dime"], ["list(purses())"], "list(purses()) is ['dime'];"),
        (NO_LEADER, "list(play(3))", [(1, 2)], ["play(3)"], "play(3) holds (1, 2); the type"),
        (NO_LEADER, "list(play(3))", ["dime"], ["play(3)"], "what came back cannot be used"),
        (NO_LEADER, "play(3)", {(1, 2): "leader"}, ["play(3)"], "its keys have no attribute"),
        (NOT_ITERABLE, NESTED, 3, ["give(hands, 1)"], "give(hands, 1) is 3; it cannot be used"),
        (NO_WORD, LONG_CALL, "2", ["last(deal)"], "what `play` gave back is '2'; the type str has"),
        (RuntimeError("each cannot ask for <f at 0x7>"), "f", 1, ["f"], "what does the brief say"),
    ],
)
def test_only_a_value_that_is_surely_meant_is_named(error, asked, value, lines, told):
    code = student_code.TestCode(lambda: None)
    message = _unusable(error, outcomes.TestOutcome(error, answers=((asked, value),)), code, lines)
    assert told in message
    assert "0x7" not in message


@pytest.mark.parametrize(
    ("asked", "later", "told"),
    [
        (LONG_CALL, (), "what `play` gave back is 3"),
        (LONG_CALL, (("f", ""),), "what came back cannot be used"),  # too long to show
        ("last(deal)", (("f", ""),), "last(deal) is 3"),
        ("last(deal)", (("f", ""), ("rows()", [3, 4])), "what came back cannot be used"),
        ("last(deal)", (("rows()", {"dime": 3}), ("f", "")), "what came back cannot be used"),
    ],
)
def test_an_answer_is_named_only_if_no_later_one_may_be_the_cause(asked, later, told):
    code = student_code.TestCode(lambda: None)
    ended = outcomes.TestOutcome(NOT_ITERABLE, answers=((asked, 3), *later))
    assert told in _unusable(NOT_ITERABLE, ended, code, ["last(deal)"])


def test_a_program_that_has_ended_is_not_said_to_go_on(tmp_path: Path) -> None:
    program = changed("return 10 if", "__import__('os')._exit(3); return 10 if")
    message = all_tests(grade(write_stage(tmp_path), program))[0].message
    assert "ended by itself" in message
    assert TO_TRY in message
    assert INTERRUPT not in message


def a_test_of_a_loop(run):
    for entries in ("many", "few"):
        assert run("console", stdin=entries) == entries


def a_test_of_flags(run):
    for flags in ("--play up", "--dance"):
        assert run("console", *flags.split()) == flags


def a_test_of_a_member(refused):
    assert "follow suit" in refused("5D")


def told_of(function, kind, text):
    """Return what a student reads about an error that no line of the program raised."""
    data = {"type": kind, "base": kind, "text": text, "where": None}
    ended = outcomes.TestOutcome(remote_error(data))
    docs = Docs("It works.", "It matters.")
    return explain_visible(docs, ended, student_code.TestCode(function))


def a_test_of_a_world(by_rejection):
    world = by_rejection(3)
    assert world == "fits"


def a_test_of_worlds(by_rejection):
    for tries in (3,):
        assert [by_rejection(tries), by_rejection(tries)] == ["fits", "fits"]


@pytest.mark.parametrize("function", [a_test_of_a_world, a_test_of_worlds])
@pytest.mark.parametrize("is_right", [True, False])
def test_where_none_can_be_right_no_path_without_return_is_looked_for(function, is_right):
    with pytest.raises(AssertionError) as failed:
        function(lambda tries: None)
    left, right = (None, "fits") if function is a_test_of_a_world else ([None] * 2, ["fits"] * 2)
    ended = outcomes.TestOutcome(failed.value, Comparison("==", left, right))
    names = {"by_rejection"} if is_right else set()
    code = student_code.TestCode(
        function, modules=["by_rejection"], may_give_none=lambda: frozenset(names)
    )
    message = explain_visible(Docs("It works.", "It matters."), ended, code)
    assert ("does every path" in message) is not is_right
    assert ("It matters." in message) is is_right


def test_the_starter_says_where_none_can_be_right() -> None:
    course = find_course()
    stage = course.stage("09-sampler")
    modules = course.whole_reference(stage)
    modules["sampler"] += "\n\ndef by_rejection(clues, rng, tries):\n    return None\n"
    result = check_program(stage, modules, tasks=["guess-and-reject"])
    (told,) = [test.message for task in result.tasks for test in task.tests if test.message]
    assert "by_rejection(clues, rng, 1000) is None; what does the brief say it is?" in told


def test_a_value_that_python_does_not_write_is_said_to_be_too_large() -> None:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    shown = [show_plain(10**10_000), show_plain(nested)]
    assert shown == ["<int, too large to show>", "<list, too large to show>"]


NO_WORLD = AttributeError("'NoneType' object has no attribute 'hands'")


@pytest.mark.parametrize(
    ("names", "asked"),
    [({"by_rejection"}, "what does the brief say it is?"), ({"guess"}, "does every path of")],
)
def test_none_that_cannot_be_used_may_be_an_answer_elsewhere(names, asked):
    code = student_code.TestCode(lambda: None, may_give_none=lambda: names)
    ended = outcomes.TestOutcome(NO_WORLD, answers=(("by_rejection(3)", None),))
    message = _unusable(NO_WORLD, ended, code, ["by_rejection(3).hands"])
    assert message.startswith(f"by_rejection(3) is None; {asked}")


def test_a_program_that_prints_without_end_has_raised_nothing():
    message = told_of(a_test_of_a_member, "ValueError", "the program printed more than 1024 KiB")
    assert "the program printed more than 1024 KiB and was stopped: which loop" in message
    assert "raised" not in message


def test_a_comparison_that_cannot_be_made_is_shown_whole():
    message = told_of(a_test_of_a_member, "TypeError", "argument of type 'Revoke' is not iterable")
    assert message.startswith("'follow suit' in refused('5D')\n  raised       TypeError: argument")
    assert "It matters" not in message, "the program stopped before it kept or broke the rule"


class NoBooks:
    """A module without the rule books that a test asks for."""

    def __getattr__(self, name):
        kind = "AttributeError"
        raise remote_error({"type": kind, "base": kind, "text": name, "where": None})


def a_test_of_books(rulebook):
    for rules in (rulebook.HEART, rulebook.MOON):
        assert rules.points == 26


def a_test_of_all_books(rulebook):
    for rules in rulebook.books():
        assert rules.points == 26


def a_test_of_some_books(rulebook):
    if rulebook.has_moon():
        assert rulebook.MOON == 26


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (a_test_of_books, "(rulebook.HEART, rulebook.MOON)"),
        (a_test_of_all_books, "list(rulebook.books())"),
        (a_test_of_some_books, "rulebook.has_moon()"),
    ],
)
def test_a_block_that_did_not_begin_is_not_shown(function, call):
    with pytest.raises(RemoteError) as failed:
        function(NoBooks())
    code = student_code.TestCode(function)
    message = explain_visible(Docs("It works.", ""), outcomes.TestOutcome(failed.value), code)
    assert message.startswith(f"{call}\n  raised       AttributeError")


def test_the_arguments_of_a_script_may_be_computed():
    with pytest.raises(AssertionError) as failed:
        a_test_of_flags(lambda *_: "nothing")
    ended = outcomes.TestOutcome(failed.value)
    message = explain_visible(Docs("It works.", ""), ended, student_code.TestCode(a_test_of_flags))
    assert "python console.py --play up" in message


def test_a_test_that_was_stopped_before_its_first_line_shows_no_script():
    assert "python" not in told_of(a_test_of_a_loop, "MemoryError", "")
