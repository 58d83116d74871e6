"""How a student's test ends on a clinic's program, and when that counts."""

import pytest
from hearts_course.course import Limits
from hearts_course.testing import own_tests
from hearts_course.testing.here import ProgramHere
from hearts_course.testing.own_tests import (
    AS_YOU_GOT_IT,
    ASKS_NOTHING,
    CORRECT,
    FAILS,
    NOT_YET_KNOWN,
    PASSES,
    UNWRITTEN,
    YOUR_REPAIR,
    Complaint,
    with_noted_calls,
)

THEIRS = '''"""Twice."""

from math import inf


def twice(x):
    """Double it."""
    return x
'''
REPAIRED = THEIRS.replace("return x", "return 2 * x")
HEAD = "from theirs import twice\n\n\ndef test_it():\n"


@pytest.fixture
def complaint(tmp_path):
    folder = tmp_path / "assignments" / "02-clinic"
    folder.mkdir(parents=True)
    (folder / "theirs.py").write_text(THEIRS)
    return Complaint(folder / "test_clinic.py", "theirs", test="mine.test_it")


def program_with(test, theirs=THEIRS):
    """Return the fixture of that name, for a program with this test."""
    program = ProgramHere(Limits(), {"theirs": theirs, "mine": test})
    return lambda **modules: program.variant(modules).connection


def check_twice(theirs):
    assert theirs.twice(3) == 6


def known_correct(complaint, test, theirs=THEIRS):
    """Return which program is known to be correct, or the reason why none is."""
    give = program_with(HEAD + test, theirs)
    module = give().module("theirs")
    try:
        return complaint.known_correct(give, check_twice, theirs=module)
    except pytest.skip.Exception as skipped:
        return str(skipped)


@pytest.mark.parametrize(
    ("test", "end"),
    [
        ("    assert twice(3) == 6\n", FAILS),
        ("    assert twice(3) == 3\n", PASSES),
        ("    (one,) = [twice(3)] * 2\n", FAILS),
        ("    if twice(3) != 6:\n        raise ValueError\n", FAILS),
        ("    raise NotImplementedError\n", UNWRITTEN),
        ("    assert False\n", ASKS_NOTHING),
        ("    raise ValueError\n", ASKS_NOTHING),
        ("    twise(3)\n", "raises NameError itself: name 'twise' is not defined"),
        ("    twice()\n", "raises TypeError itself: twice() missing 1 required positional"),
        ("    twice(3).next\n", "raises AttributeError itself: 'int' object has no attribute"),
        ("    import theirz\n", "raises ModuleNotFoundError itself: No module named 'theirz'"),
    ],
)
def test_only_a_failure_that_their_answers_may_explain_counts(complaint, test, end):
    your_test = complaint.tried(program_with(HEAD + test))
    assert your_test(on=AS_YOU_GOT_IT).startswith(end)
    assert (your_test(on=AS_YOU_GOT_IT) == FAILS) is (end == FAILS)


def test_whether_it_passes_on_a_correct_program_is_unknown_until_the_repair(complaint):
    right, wrong = "    assert twice(3) == 6\n", "    assert twice(3) == 7\n"
    question = (
        ". On their program it raised AssertionError (mine.py, line 5: {}): is that the complaint?"
    )
    unknown = NOT_YET_KNOWN + question.format(right.strip())
    assert known_correct(complaint, right) == unknown
    assert known_correct(complaint, wrong, REPAIRED).startswith(NOT_YET_KNOWN)
    assert known_correct(complaint, right, REPAIRED) == YOUR_REPAIR
    assert known_correct(complaint, "    twise(3)\n", REPAIRED) == NOT_YET_KNOWN
    assert known_correct(complaint, "    raise NotImplementedError\n") == AS_YOU_GOT_IT


def test_the_grader_has_a_correct_program_and_tells_only_whether_the_test_passes(complaint):
    complaint.correct.parent.mkdir(parents=True)
    complaint.correct.write_text(REPAIRED)
    assert known_correct(complaint, "    assert False\n") == CORRECT
    ends = {"    assert twice(3) == 6\n": PASSES, "    raise ValueError(twice(3))\n": FAILS}
    for test, end in ends.items():
        assert complaint.tried(program_with(HEAD + test))(on=CORRECT) == end


def test_calls_are_noted_in_every_function_and_nothing_else_changes():
    source = '''from __future__ import annotations

TABLE = {}


class Deck:
    def first(self):
        """Return it."""
        return (lambda card: card)(1)

    async def second(self):
        pass


def numbers():
    yield from range(3)


TABLE["numbers"] = list(numbers())
'''
    names = {}
    exec(compile(with_noted_calls(source), "noted", "exec"), names)
    noted = names[own_tests.CALLS]
    assert (names["TABLE"], len(noted)) == ({"numbers": [0, 1, 2]}, 1)
    assert names["Deck"]().first() == 1
    assert len(noted) == 2
