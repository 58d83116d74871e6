"""Unusual programs for stage 04: one does everything that the brief allows, others are long."""

import pytest
from hearts_course.course import find_course
from hearts_course.misconceptions import diagnose, load_patterns
from hearts_course.results import Outcome, Status
from hearts_course.submissions.model import Submission
from hearts_course.testing.in_process import check_program
from hearts_course.testing.messages import PRINTED_AS_WELL
from hearts_grader.grading.grade import GradeJob, grade_one, reference_before
from tiny_grade import all_tests, changed

STAGE = find_course().stage("04-console-game")

# For each module: lines of the reference, and lines that a program may have instead.
SAYS_MORE = {
    "table": {
        "        yield Dealt(dealer)\n": """\
        yield "Usually North deals."
        yield Dealt(dealer)
        yield "North deals. Let us begin!"
""",
        "        yield Scored(tuple(totals))\n": """\
        yield Scored(tuple(totals))
        yield "So far nobody wins. Or maybe East wins."
""",
        "    yield Won(tuple(winners(totals)))\n": """\
    yield "And now: South wins."
    yield Won(tuple(winners(totals)))
    yield "Thanks for playing!"
""",
    },
    "console": {
        "                self._write(CARD_HELP)\n": """\
                self._write("Your hand: the cards that nobody else sees.")
                self._write("You may play: what follows suit.")
                self._write("As a rule, South plays the Queen of Spades.")
                self._write("The highest card takes the trick.")
                self._write(CARD_HELP)
""",
        '"\\nGoodbye. The': '"\\nGoodbye. Your card? Keep it.\\n\\n" or "The',
        "    return 0\n": '    write("Thanks again.\\n")\n    return 0\n',
    },
}
ANOTHER_DEALER_FOR_EACH_DEAL = {
    "table": {
        "    while not game_over(totals):\n": """\
    bots = [seat for seat in Seat if isinstance(players[seat], Bot)]
    while not game_over(totals):
        dealer = rng.choice(bots)
"""
    },
}
REFUSES_A_PLAIN_NUMBER_AS_A_SEAT = {
    "table": {
        f"        return list(self._{pile}[seat])\n": f"""\
        if not isinstance(seat, Seat):
            raise TypeError("not a seat")
        return list(self._{pile}[seat])
"""
        for pile in ("hands", "taken")
    },
}
HAS_AN_ABSTRACT_METHOD_A_METHOD_OPEN_AND_A_NAMED_TUPLE = {
    "table": {
        "class Bot:\n": '''\
class Somebody:
    """Anybody who can play."""

    def choose(self, view: View) -> Card:
        """The card that is played."""
        raise NotImplementedError

    def open(self, view: View) -> Card:
        """The first legal card."""
        return Pair(view.legal[0], None)._replace(second=view).first


class Bot(Somebody):
''',
        "GAME = 100\n": 'GAME = 100\nPair = namedtuple("Pair", "first second")\n',
        "from dataclasses": "from collections import namedtuple\nfrom dataclasses",
        "return self._rng.choice(view.legal)": "return self.open(view)",
    },
}
RETURNS_A_STATUS_INSTEAD_OF_EXITING = {
    "console": {
        "    flags = read_flags(arguments)\n": """\
    try:
        flags = read_flags(arguments)
    except SystemExit as end:
        return end.code
"""
    },
}


@pytest.mark.proof
def test_a_program_that_does_all_that_the_brief_leaves_open_gets_full_points():
    modules = STAGE.reference()
    for edits in (
        SAYS_MORE,
        ANOTHER_DEALER_FOR_EACH_DEAL,
        REFUSES_A_PLAIN_NUMBER_AS_A_SEAT,
        HAS_AN_ABSTRACT_METHOD_A_METHOD_OPEN_AND_A_NAMED_TUPLE,
        RETURNS_A_STATUS_INSTEAD_OF_EXITING,
    ):
        for module, replacements in edits.items():
            for old, new in replacements.items():
                modules[module] = changed(old, new, modules[module])
    result = grade_one(GradeJob(STAGE, Submission("ada", STAGE.name, modules)))
    failed = [t for t in all_tests(result) if t.outcome is not Outcome.PASSED]
    assert (result.status, failed) == (Status.GRADED, [])


HARD_TO_READ = {
    "a sum of 700 terms": "x = " + "+".join("1" * 700),
    "a raise of 700 terms": "def f():\n    raise ValueError(" + "+".join("1" * 700) + ")",
    "700 calls": "def f(a):\n    return a" + "()" * 700,
    "700 attributes": "def f(a):\n    return a" + ".b" * 700,
    "a sum of 940 terms": "x = " + "+".join("1" * 940),
    "700 minuses": "x = " + "-" * 700 + "1",
    "a very long number": f"x = 0x{'f' * 9000}",
    "90 brackets": "x = " + "[" * 90 + "]" * 90,
    "an invalid escape": 'x = "\\d"',
    "a comparison that warns": "x = 1 is 1",
    "a sum that Python cannot read": "x = " + "+".join("1" * 3000),
    "minuses that Python cannot read": "x = " + "-" * 60000 + "1",
    "a null byte": "x = 1\0",
}


@pytest.mark.proof
@pytest.mark.parametrize("text", HARD_TO_READ.values(), ids=HARD_TO_READ.keys())
def test_a_program_that_is_hard_to_read_is_no_grader_error(text):
    modules = STAGE.reference()
    modules["table"] += f"\n\n{text}\n"
    submission = Submission("ada", STAGE.name, modules)
    reading = frozenset({"keep-things-apart"})
    result = grade_one(GradeJob(STAGE, submission, "none", tests="visible", tasks=reading))
    assert result.status is not Status.GRADER_ERROR, result.message


def test_an_event_that_is_printed_and_not_yielded_is_asked_about():
    """The checks see only what is yielded, so they cannot say that a printed sentence is wrong."""
    task = "report-a-deal"
    reference = STAGE.reference()
    yielded = "        yield Played(seat, card, leads)\n"
    assert yielded in reference["table"]
    printing = reference["table"].replace(yielded, yielded.replace("yield ", "print(")[:-1] + ")\n")
    modules = reference_before(STAGE) | reference | {"table": printing}
    result = check_program(STAGE, modules, tasks=[task])
    messages = [test.message for test in all_tests(result) if test.outcome is Outcome.FAILED]
    assert messages
    assert all(PRINTED_AS_WELL in message for message in messages)
    assert any("no sentence is about a card" in message for message in messages)
    diagnosis = diagnose(result, STAGE, load_patterns(STAGE, visible=True))
    names = [name for match in diagnosis.matches.values() for name in match.names]
    assert all("is missing" in name for name in names)
