"""Many questions at once: the same answers as one by one, and the same faults."""

import operator
from collections.abc import Iterator

import pytest
from hearts_course import each
from hearts_course.course import Limits
from hearts_course.sandbox.answers import RemoteError
from hearts_course.sandbox.client import Connection, local_ask
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.protocol import ProtocolError

PROGRAM = """
class Card:
    def __init__(self, rank, suit="C"):
        self.rank, self.suit = rank, suit
    def __str__(self):
        return f"{self.rank}{self.suit}"
    def __hash__(self):
        return self.rank
class Ranked(Card):
    __hash__ = Card.__hash__
    def __eq__(self, other):
        return self.rank == other.rank
    def __lt__(self, other):
        return self.rank < other.rank
class Vague:
    def __eq__(self, other):
        return 1
class Loud:
    def __str__(self):
        raise ValueError("too loud")
class Sly:
    def __len__(self):
        return True
class Text(str):
    pass
def hand():
    return (Card(rank) for rank in (2, 3))
def without_end():
    while True:
        yield 1
def odd(number):
    return number if number % 2 else None
"""


@pytest.fixture(params=["across", "here"])
def program(request: pytest.FixtureRequest) -> Iterator[object]:
    if request.param == "here":
        names: dict[str, object] = {}
        exec(PROGRAM, names)
        yield Connection(local_ask({"m": type("m", (), names)})).module("m")
        return
    with SubmissionProcess({"m": PROGRAM}, Limits(), "none") as far:
        far.load()
        far.begin()
        yield far.connection.module("m")


def test_a_function_of_the_program(program) -> None:
    assert each(program.odd, [1, 2, 3]) == [1, None, 3]


def test_columns_are_taken_side_by_side(program) -> None:
    assert each(str, each(program.Card, [2, 3], ["C", "D"])) == ["2C", "3D"]


def test_objects_that_are_gone_through_on_the_far_side(program) -> None:
    assert each(str, program.hand()) == ["2C", "3C"]


def test_operators(program) -> None:
    cards = each(program.Card, (2, 3))
    assert [each(hash, cards), each(bool, cards)] == [[2, 3], [True, True]]


def test_attributes(program) -> None:
    cards = each(program.Card, (2, 3), ("C", "D"))
    assert each(getattr, cards, ["suit", "rank"]) == ["C", 3]


def test_what_one_goes_through(program) -> None:
    hands = [program.hand(), program.hand()]
    assert [each(str, hand) for hand in each(list, hands)] == [["2C", "3C"]] * 2
    with pytest.raises(ValueError, match="might never end"):
        each(list, [program.without_end()])


def test_comparisons_are_those_of_the_objects(program) -> None:
    low, high = each(program.Ranked, [2, 3])
    again = program.Ranked(2)
    assert each(operator.lt, [low, high], [high, low]) == [True, False]
    assert each(operator.eq, [low, low], [again, high]) == [True, False]
    assert each(operator.ne, [low, low], [again, high]) == [False, True]


def test_an_object_is_not_asked_about_a_plain_value() -> None:
    asked = Connection(lambda question: {"handle": 0, "class": "C"})
    thing = asked.module("m")
    asked._ask = pytest.fail
    assert each(operator.eq, [thing, 2], [2, thing]) == [False, False]


def test_a_comparison_that_is_no_truth_value_is_refused(program) -> None:
    vague = program.Vague()
    with pytest.raises(TypeError, match="not a bool"):
        each(operator.eq, [vague], [vague])


def test_nothing_to_ask(program) -> None:
    assert [each(str, []), each(program.odd, [])] == [[], []]


def test_plain_values_are_not_sent_anywhere() -> None:
    assert each(str, [1, None]) == ["1", "None"]
    assert each(lambda a, b: a + b, [1, 2], [3, 4]) == [4, 6]


def test_what_one_item_raises_is_raised(program) -> None:
    with pytest.raises(ValueError, match="too loud") as raised:
        each(str, [program.Card(2), program.Loud()])
    assert isinstance(raised.value, RemoteError)


def test_an_iteration_without_end_has_one(program) -> None:
    with pytest.raises(ValueError, match="might never end"):
        each(program.odd, program.without_end())


def test_columns_of_different_lengths(program) -> None:
    with pytest.raises(ValueError, match="zip"):
        each(program.Card, [1, 2], ["C"])


def test_columns_of_different_lengths_here() -> None:
    with pytest.raises(ValueError, match="zip"):
        each(operator.eq, [1, 2], [1])


def test_any_column_will_do(program) -> None:
    assert each(program.odd, range(3)) == [None, 1, None]
    assert each(program.odd, {3: "three"}) == [3]


def test_what_nobody_can_be_asked_for(program) -> None:
    with pytest.raises(RuntimeError, match="cannot ask for <built-in function sorted>"):
        each(sorted, [program.Card(2)])


def test_answers_of_another_type_are_refused() -> None:
    asked = Connection(lambda question: {"handle": 0, "class": "C"})
    thing = asked.module("m")
    for answers in ([True], [{"handle": 1, "class": "str"}], [None]):
        asked._ask = lambda question, found=answers: {"list": found}
        with pytest.raises(TypeError, match="not a int"):
            each(len, [thing])


@pytest.mark.parametrize("answer", [{"list": []}, {"list": [1, 2]}, {"tuple": [1]}, 1, None])
def test_more_or_fewer_answers_are_nonsense(answer) -> None:
    asked = Connection(lambda question: {"handle": 0, "class": "C"})
    thing = asked.module("m")
    asked._ask = lambda question: answer
    with pytest.raises(ProtocolError):
        each(len, [thing])
