"""Liberties that the console game's brief leaves: a program that takes them all scores full."""

import pytest
from hearts_course.course import find_course
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.results import Outcome, Status
from hearts_course.submissions.model import Submission

# In which module, what stands there in the reference, and what may as well stand there.
TALK = [
    (
        "table",
        "        yield Dealt(dealer)\n",
        """\
        yield "Usually North deals."
        yield Dealt(dealer)
        yield "North deals. Let us begin!"
""",
    ),
    (
        "table",
        "        yield Scored(tuple(totals))\n",
        """\
        yield Scored(tuple(totals))
        yield "So far nobody wins. Or maybe East wins."
""",
    ),
    (
        "table",
        "    yield Won(tuple(winners(totals)))\n",
        """\
    yield "And now: South wins."
    yield Won(tuple(winners(totals)))
    yield "Thanks for playing!"
""",
    ),
    (
        "console",
        "                self._write(CARD_HELP)\n",
        """\
                self._write("Your hand: the cards that nobody else sees.")
                self._write("You may play: what follows suit.")
                self._write("As a rule, South plays the Queen of Spades.")
                self._write("The highest card takes the trick.")
                self._write(CARD_HELP)
""",
    ),
    ("console", '"\\nGoodbye. The', '"\\nGoodbye. Your card? Keep it.\\n\\n" or "The'),
    ("console", "    return 0\n", '    write("Thanks again.\\n")\n    return 0\n'),
]
ANOTHER_DEALER_EACH_TIME = [
    (
        "table",
        "    while not game_over(totals):\n",
        """\
    bots = [seat for seat in Seat if isinstance(players[seat], Bot)]
    while not game_over(totals):
        dealer = rng.choice(bots)
""",
    ),
]
A_SEAT_IS_NO_PLAIN_NUMBER = [
    (
        "table",
        f"        return list(self._{pile}[seat])\n",
        f"""\
        if not isinstance(seat, Seat):
            raise TypeError("no seat")
        return list(self._{pile}[seat])
""",
    )
    for pile in ("hands", "taken")
]
A_METHOD_LEFT_TO_HEIRS_ONE_CALLED_OPEN_AND_A_NAMED_TUPLE = [
    (
        "table",
        "class Bot:\n",
        '''\
class Somebody:
    """Anybody who could play."""

    def choose(self, view: View) -> Card:
        """The card that is played."""
        raise NotImplementedError

    def open(self, view: View) -> Card:
        """The first card that may be played."""
        return Pair(view.legal[0], None)._replace(second=view).first


class Bot(Somebody):
''',
    ),
    ("table", "MOON = 26\n", 'MOON = 26\nPair = namedtuple("Pair", "first second")\n'),
    ("table", "from dataclasses", "from collections import namedtuple\nfrom dataclasses"),
    ("table", "return self._rng.choice(view.legal)", "return self.open(view)"),
]
A_STATUS_INSTEAD_OF_SYSTEM_EXIT = [
    (
        "console",
        "    flags = read_flags(arguments)\n",
        """\
    try:
        flags = read_flags(arguments)
    except SystemExit as end:
        return end.code
""",
    ),
]


@pytest.mark.proof
def test_a_program_that_takes_every_liberty_scores_full():
    stage = find_course().stage("04-console-game")
    modules = stage.reference()
    for module, before, after in (
        *TALK,
        *ANOTHER_DEALER_EACH_TIME,
        *A_SEAT_IS_NO_PLAIN_NUMBER,
        *A_METHOD_LEFT_TO_HEIRS_ONE_CALLED_OPEN_AND_A_NAMED_TUPLE,
        *A_STATUS_INSTEAD_OF_SYSTEM_EXIT,
    ):
        assert modules[module].count(before) == 1, before
        modules[module] = modules[module].replace(before, after)
    result = grade_one(GradeJob(stage, Submission("ada", stage.name, modules)))
    tests = [test for task in result.tasks for test in task.tests]
    failed = [(t.name, t.message) for t in tests if t.outcome is not Outcome.PASSED]
    assert [result.status, failed] == [Status.GRADED, []]
