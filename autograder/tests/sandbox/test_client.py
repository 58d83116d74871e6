"""What a suite can do with a submission's objects, and what it is never told."""

import types
from typing import Any

import pytest
from hearts_course.sandbox.answers import RemoteError
from hearts_course.sandbox.client import Connection, local_ask
from hearts_course.sandbox.worker.protocol import ProtocolError
from hearts_course.sandbox.worker.server import MAX_ITEMS

PROGRAM = """
class Card:
    def __init__(self, code, seen=None):
        if len(code) != 2:
            raise ValueError(f"{code} is no card")
        self.code = code
    def __str__(self):
        return self.code
    def __eq__(self, other):
        ASKED.append(other)
        return isinstance(other, Card) and self.code == other.code
    def __lt__(self, other):
        ASKED.append(other)
        return self.code < other.code
    def __hash__(self):
        return hash(self.code)

class Yes:
    def __eq__(self, other):
        ASKED.append(other)
        return True
    def __len__(self):
        return "many"
    def __contains__(self, item):
        return item == "QS"

class Lost(LookupError):
    pass

ASKED = []

def lose():
    raise Lost("nowhere")

def count_up():
    import itertools
    return itertools.count()

def pack():
    return [Card("QS"), {"led": Card("2C")}]
"""


@pytest.fixture(name="far")
def _far() -> Any:
    module = types.ModuleType("m")
    exec(PROGRAM, vars(module))
    return Connection(local_ask({"m": module})).module("m")


def test_calls_attributes_and_operators_travel(far: Any) -> None:
    card = far.Card("QS")
    assert (str(card), card.code, f"{card}") == ("QS", "QS", "QS")
    card.code = "2C"
    assert str(card) == "2C"
    assert card == far.Card("2C")
    assert card != far.Card("3C")
    assert card < far.Card("3C")
    assert len({card, far.Card("2C")}) == 1
    del card.code
    with pytest.raises(AttributeError):
        str(card)


def test_containers_cross_by_value_and_their_objects_as_proxies(far: Any) -> None:
    cards = far.pack()
    assert type(cards) is list
    assert str(cards[0]) == "QS"
    assert str(cards[1]["led"]) == "2C"


def test_what_the_program_raises_arrives_as_the_nearest_built_in(far: Any) -> None:
    with pytest.raises(ValueError, match="QSS is no card") as caught:
        far.Card("QSS")
    assert isinstance(caught.value, RemoteError)
    with pytest.raises(LookupError, match="nowhere") as lost:
        far.lose()
    assert isinstance(lost.value, RemoteError)
    assert lost.value.kind == "Lost"


@pytest.mark.parametrize("plain", ["QS", 12, [1], None])
def test_an_object_never_equals_a_plain_value_and_is_not_told_of_it(
    far: Any, plain: object
) -> None:
    lie = far.Yes()
    assert not lie == plain  # noqa: SIM201
    assert not plain == lie  # noqa: SIM201
    assert lie not in [plain]
    assert far.ASKED == []


@pytest.mark.parametrize("ask", [lambda x: x != "QS", lambda x: x < "QS", lambda x: x <= "QS"])
def test_questions_whose_yes_would_be_worthless_are_refused(far: Any, ask: Any) -> None:
    with pytest.raises(TypeError, match="not a plain value"):
        ask(far.Card("QS"))
    assert far.ASKED == []


def test_an_operator_must_answer_with_its_own_type(far: Any) -> None:
    with pytest.raises((TypeError, RemoteError)):
        len(far.Yes())
    assert "QS" in far.Yes()


def test_an_endless_iteration_ends(far: Any) -> None:
    with pytest.raises(ValueError, match=str(MAX_ITEMS)):
        list(far.count_up())


def test_repr_asks_nobody(far: Any) -> None:
    assert repr(far.Card("QS")) == "<Card>"


def test_objects_of_the_suite_cannot_be_handed_over(far: Any) -> None:
    with pytest.raises(TypeError, match="plain values only"):
        far.Card(object())
    with pytest.raises(TypeError, match="plain values only"):
        far.Card([lambda: 1])


def test_the_standard_library_is_asked_on_the_far_side(far: Any) -> None:
    builtins = far._connection.standard("builtins")
    assert builtins.isinstance(far.Card("QS"), far.Card) is True
    assert builtins.repr("QS") == "'QS'"


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda far: far.Card("QS", seen=[1]), "m.Card('QS', seen=[1])"),
        (lambda far: far.Card("QS").code, "m.Card('QS').code"),
        (lambda far: setattr(far.Card("QS"), "code", "2C"), "m.Card('QS').code = '2C'"),
        (lambda far: far.Card("QS") < far.Card("TH"), "m.Card('QS') < m.Card('TH')"),
        (lambda far: "QS" in far.Yes(), "'QS' in m.Yes()"),
        (lambda far: str(far.pack()[0]), "str(m.pack())"),
    ],
)
def test_the_last_question_reads_as_it_was_written(far: Any, ask: Any, text: str) -> None:
    ask(far)
    assert far._connection.last_question == text


@pytest.mark.parametrize("answer", [{"dict": [[{"handle": 1, "class": "Key"}, 1]]}, {"list": []}])
def test_a_key_that_is_asked_for_its_hash_answers_with_a_number(answer: dict[str, Any]) -> None:
    """Were its answer a dict again, whose key is asked for its hash, that would never end."""
    asked: list[dict[str, Any]] = []

    def ask(question: dict[str, Any]) -> Any:
        asked.append(question)
        return {"set": [{"handle": 1, "class": "Key"}]} if len(asked) == 1 else answer

    with pytest.raises(ProtocolError, match="in the middle of another"):
        Connection(ask).ask("x", do="get")
    assert [question["do"] for question in asked] == ["get", "operate"]
