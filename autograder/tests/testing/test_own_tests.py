"""How a student's test ends on a clinic's program, and which results show the program's slip."""

import pytest
from hearts_course.course import Limits
from hearts_course.results import SourcePosition
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.testing import own_tests
from hearts_course.testing.here import ProgramHere
from hearts_course.testing.own_tests import (
    AS_YOU_GOT_IT,
    ASKS_NOTHING,
    CORRECT,
    FAILS,
    NOT_YET_KNOWN,
    PASSES,
    TOO_LONG,
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
NO_NAME = "name 'twise' is not defined"
LOOP = SourcePosition("theirs.py", 8)  # a line of `twice`
REPAIRED = THEIRS.replace("return x", "return 2 * x")
HEAD = "from theirs import twice\n\n\ndef test_it():\n"


@pytest.fixture
def complaint(tmp_path):
    folder = tmp_path / "assignments" / "02-clinic"
    folder.mkdir(parents=True)
    (folder / "theirs.py").write_text(THEIRS)
    return Complaint(folder / "test_clinic.py", "theirs", test="mine.test_it")


def program_with(test, theirs=THEIRS, **more):
    """Return a function like the fixture `program_with`, for a program with this test.

    `more` maps the names of further modules to their source texts.
    """
    program = ProgramHere(Limits(), {"theirs": theirs, "mine": test, **more})
    return lambda **modules: program.variant(modules).connection


def check_twice(theirs):
    assert theirs.twice(3) == 6


def check_each(theirs):
    """Check a program that returns objects with the attribute `first`."""
    assert [pair.first for pair in theirs.twice(3)] == [3, 3]


def known_correct(complaint, test, theirs=THEIRS, check=check_twice):
    """Return which program is known to be correct, or why no program is."""
    give = program_with(HEAD + test, theirs)
    try:
        return complaint.known_correct(give, check)
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
        (
            "    twise(3)\n",
            "raises NameError itself: name 'twise' is not defined (mine.py, line 5)",
        ),
        ("    twice()\n", "raises TypeError itself: twice() missing 1 required positional"),
        ("    twice(3).next\n", "raises AttributeError itself: 'int' object has no attribute"),
        (
            "    twice(3)\n    open('no.txt')\n",
            "raises FileNotFoundError itself: [Errno 2] No such file or directory: 'no.txt' "
            "(mine.py, line 6; your files need not be there when a check runs your test)",
        ),
        (
            "    open('no.txt')\n",
            f"{ASKS_NOTHING} (FileNotFoundError: [Errno 2] No such file or directory: 'no.txt'; "
            "mine.py, line 5; your files need not be there when a check runs your test)",
        ),
        ("    import theirz\n", "raises ModuleNotFoundError itself: No module named 'theirz'"),
    ],
)
def test_only_a_failure_that_their_answers_may_explain_counts(complaint, test, end):
    your_test = complaint.tried(program_with(HEAD + test))
    assert your_test(on=AS_YOU_GOT_IT).startswith(end)
    assert (your_test(on=AS_YOU_GOT_IT) == FAILS) is (end == FAILS)


def test_a_test_is_written_even_if_it_needs_an_unfinished_file(complaint):
    coins = 'def worth():\n    raise NotImplementedError("Task 4: Count")\n'
    test = f"{HEAD}    import coins\n    coins.worth()\n"
    your_test = complaint.tried(program_with(test, coins=coins))
    with pytest.raises(NotImplementedError, match="Task 4: Count"):
        your_test(on=AS_YOU_GOT_IT)


def test_whether_it_passes_on_a_correct_program_is_unknown_until_the_repair(complaint):
    right = "    assert twice(3) == 6\n"
    wrong = "    assert twice(3) == 7\n"
    question = (
        ". On their program it raised AssertionError (mine.py, line 5: {}): is that the complaint?"
    )
    unknown = NOT_YET_KNOWN + question.format(right.strip())
    assert known_correct(complaint, right) == unknown
    assert known_correct(complaint, wrong, REPAIRED).startswith(NOT_YET_KNOWN)
    assert known_correct(complaint, right, REPAIRED) == YOUR_REPAIR
    assert known_correct(complaint, "    twise(3)\n", REPAIRED) == NOT_YET_KNOWN
    assert known_correct(complaint, "    raise NotImplementedError\n") == AS_YOU_GOT_IT


def test_a_line_of_their_program_is_of_the_program_as_handed_out(complaint):
    """The student's repair has the same file name, and another text on that line."""
    given = THEIRS.replace("return x", "return x + [1].index(x)")
    (complaint.suite.parent / "theirs.py").write_text(given)
    line = "theirs.py as you got it, line 8: return x + [1].index(x); mine.py, line 5 led to it"
    assert line in known_correct(complaint, "    assert twice(3) == 6\n")


@pytest.mark.parametrize("returned", ["None", "5", "[5]", "[(3, 3)]", "[None]", "print"])
def test_a_repair_over_which_the_check_stumbles_is_not_correct(complaint, returned):
    repair = THEIRS.replace("return x", f"return {returned}")
    found = known_correct(complaint, "    assert twice(3) == 6\n", repair, check_each)
    assert found.startswith(NOT_YET_KNOWN)


def test_an_error_of_the_course_s_own_files_is_not_the_repair_s(complaint):
    def check(theirs):
        raise OSError("the course's files cannot be read")

    with pytest.raises(OSError, match="cannot be read"):
        known_correct(complaint, "    assert twice(3) == 6\n", REPAIRED, check)


def test_the_grader_has_a_correct_program_and_tells_only_whether_the_test_passes(complaint):
    complaint.correct.parent.mkdir(parents=True)
    complaint.correct.write_text(REPAIRED)
    assert known_correct(complaint, "    assert False\n") == CORRECT
    ends = {"    assert twice(3) == 6\n": PASSES, "    raise ValueError(twice(3))\n": FAILS}
    for test, end in ends.items():
        assert complaint.tried(program_with(HEAD + test))(on=CORRECT) == end


def test_a_mistake_of_the_test_is_told_beside_a_correct_program_if_theirs_shows_it_too(complaint):
    complaint.correct.parent.mkdir(parents=True)
    complaint.correct.write_text(REPAIRED)
    ends = {
        "    twise(3)\n": "raises the same NameError",
        "    twice(3).next\n": "raises the same AttributeError",
        "    assert twice(3) == 6\n    twise(3)\n": FAILS,
        "    raise TypeError(twice(3))\n": FAILS,
        "    raise ValueError\n": FAILS,
    }
    for test, end in ends.items():
        assert complaint.tried(program_with(HEAD + test))(on=CORRECT) == end


def test_an_error_in_their_program_after_a_wrong_call_is_not_the_complaint(complaint):
    given = THEIRS.replace("return x", "return x.real")
    (complaint.suite.parent / "theirs.py").write_text(given)
    wrong = program_with(f"{HEAD}    assert twice([3]) == 6\n", given)
    text = "'list' object has no attribute 'real'"
    places = "(theirs.py, line 8, called from mine.py, line 5)"
    expected = f"raises AttributeError in their program: {text} {places}"
    assert complaint.tried(wrong)(on=AS_YOU_GOT_IT) == expected
    same = "raises the same AttributeError"
    assert complaint.tried(wrong)(on=YOUR_REPAIR) == same
    complaint.correct.parent.mkdir(parents=True)
    complaint.correct.write_text(given.replace("x.real", "2 * x.real"))
    assert complaint.tried(wrong)(on=CORRECT) == same


@pytest.mark.parametrize(
    ("broken", "end"),
    [
        ("return [][x]", "raises IndexError in your repair: list index out of range ({places})"),
        ("raise NotImplementedError", "raises NotImplementedError in your repair ({places})"),
        ("assert False", "raises AssertionError in your repair ({places})"),
        ("return object()", FAILS),
        ("raise ValueError(object())", "raises ValueError in your repair: <object object at 0x"),
    ],
)
def test_an_error_that_the_repair_raises_is_no_failure_of_an_assert(complaint, broken, end):
    repair = THEIRS.replace("return x", broken)
    your_test = complaint.tried(program_with(f"{HEAD}    assert twice(3) == 6\n", repair))
    places = "theirs.py, line 8, called from mine.py, line 5"
    assert your_test(on=YOUR_REPAIR).startswith(end.format(places=places))


def with_repair_that_loops(test):
    """Return what `program_with` returns, for a repair that did not end in an earlier check."""
    looping = ProgramHere(Limits(), {"theirs": REPAIRED, "mine": HEAD + test})
    looping.avoid(LOOP)
    return lambda **modules: looping.variant(modules).connection


def test_a_repair_that_does_not_end_says_nothing_about_the_test(complaint):
    give = with_repair_that_loops("    assert twice(3) == 6\n")
    your_test = complaint.tried(give)
    assert your_test(on=AS_YOU_GOT_IT) == FAILS
    with pytest.raises(RemoteError) as error:
        your_test(on=YOUR_REPAIR)
    assert error.value.kind == "NotRunAgain"
    with pytest.raises(pytest.skip.Exception, match=f"because your repair {TOO_LONG}: see task 2"):
        complaint.known_correct(give, check_twice)


def test_a_program_that_takes_too_long_is_tried_once_and_its_lines_are_not_the_student_s(complaint):
    tries = []
    calls = (("mine.py", 5), ("theirs.py", 8))

    def give(**modules):
        tries.append("their program" if modules else "repair")
        raise SubmissionStopped("timeout", "took longer than 2 s", calls=calls)

    your_test = complaint.tried(give)
    for program, shown in ((AS_YOU_GOT_IT, calls[:1]), (YOUR_REPAIR, calls)):
        with pytest.raises(SubmissionStopped) as stopped:
            your_test(on=program)
        assert stopped.value.calls == shown
    assert sorted(tries) == ["repair", "their program"]


def test_on_a_correct_program_time_is_no_verdict_on_the_test(complaint):
    complaint.correct.parent.mkdir(parents=True)
    complaint.correct.write_text(REPAIRED)

    def give(**modules):
        raise SubmissionStopped("timeout", "took longer than 2 s")

    assert complaint.tried(give)(on=CORRECT) == TOO_LONG


@pytest.mark.parametrize("kind", ["here", "one process", "a process for each"])
def test_a_function_is_avoided_in_the_text_that_loops_and_in_no_other(kind):
    sources = {"theirs": REPAIRED, "mine": ""}
    if kind == "here":
        looping = ProgramHere(Limits(), sources)
    else:
        looping = SubmissionProcess(sources, Limits(), "none", fork=kind == "a process for each")
    with looping:
        looping.avoid(LOOP)
        theirs = looping.variant({"theirs": THEIRS}).connection.module("theirs")
        assert theirs.twice(3) == 3
        theirs = looping.variant({"mine": "NUMBER = 1"}).connection.module("theirs")
        with pytest.raises(RemoteError) as error:
            theirs.twice(3)
        assert error.value.kind == "NotRunAgain"


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
