"""What a suite can do with a submission's objects, and what it never sends to a submission."""

import operator
import types

import pytest
from hearts_course import each
from hearts_course.course import Limits
from hearts_course.sandbox.answers import MAX_EXPRESSION, RemoteError, show
from hearts_course.sandbox.client import Connection, local_ask
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.protocol import ProtocolError

PROGRAM = """
ASKED = []
class Card:
    def __init__(self, code, seen=None):
        if len(code) != 2:
            raise ValueError(f"{code} is not a card")
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
class Vague:
    def __eq__(self, other):
        return 1
class Loud:
    def __str__(self):
        raise ValueError("too loud")
class Lost(LookupError):
    pass
def lose():
    raise Lost("nowhere")
def without_end():
    while True:
        yield 1
def pack():
    return [Card("QS"), {"led": Card("2C")}]
def hand():
    return (Card(code) for code in ("2C", "3C"))
def odd(number):
    return number if number % 2 else None
"""


@pytest.fixture(name="remote")
def _remote():
    module = types.ModuleType("m")
    exec(PROGRAM, vars(module))
    return Connection(local_ask({"m": module})).module("m")


@pytest.fixture(name="either", params=["in the sandbox", "in this process"])
def _either(request, remote):
    if request.param == "in this process":
        yield remote
        return
    with SubmissionProcess({"m": PROGRAM}, Limits(), "none") as program:
        program.begin()
        yield program.connection.module("m")


def answering(answer):
    """Return an object of a submission that gives this answer to every question."""
    connection = Connection(lambda question: {"handle": 0, "class": "C"})
    thing = connection.module("m")
    connection._ask = lambda question: answer
    return thing


def test_calls_attributes_and_operators_are_questions(remote):
    card = remote.Card("QS")
    assert (str(card), card.code, f"{card}") == ("QS", "QS", "QS")
    card.code = "2C"
    assert str(card) == "2C"
    assert card == remote.Card("2C")
    assert card != remote.Card("3C")
    assert card < remote.Card("3C")
    assert len({card, remote.Card("2C")}) == 1
    del card.code
    with pytest.raises(AttributeError):
        str(card)


def test_containers_cross_by_value_and_their_objects_as_proxies(remote):
    cards = remote.pack()
    assert type(cards) is list
    assert [str(cards[0]), str(cards[1]["led"])] == ["QS", "2C"]
    builtins = remote._connection.standard("builtins")
    assert builtins.isinstance(cards[0], remote.Card) is True


def test_an_error_arrives_as_the_nearest_built_in(remote):
    with pytest.raises(ValueError, match="QSS is not a card") as caught:
        remote.Card("QSS")
    assert isinstance(caught.value, RemoteError)
    with pytest.raises(LookupError, match="nowhere") as lost:
        remote.lose()
    assert isinstance(lost.value, RemoteError)
    assert lost.value.kind == "Lost"


@pytest.mark.parametrize("plain", ["QS", 12, [1], None])
def test_an_object_never_equals_a_plain_value_and_never_sees_it(remote, plain):
    lie = remote.Yes()
    assert not lie == plain  # noqa: SIM201
    assert not plain == lie  # noqa: SIM201
    assert lie not in [plain]
    assert each(operator.eq, [lie, plain], [plain, lie]) == [False, False]
    assert remote.ASKED == []


@pytest.mark.parametrize("ask", [lambda x: x != "QS", lambda x: x < "QS", lambda x: x <= "QS"])
def test_comparing_an_object_with_a_plain_value_is_refused(remote, ask):
    with pytest.raises(TypeError, match="not a plain value"):
        ask(remote.Card("QS"))
    assert remote.ASKED == []


def test_an_operator_must_answer_with_its_own_type(remote):
    with pytest.raises((TypeError, RemoteError)):
        len(remote.Yes())
    assert "QS" in remote.Yes()
    assert repr(answering({"error": "repr asks nothing"})) == "<C>"


@pytest.mark.parametrize("own", [object(), [lambda: 1]])
def test_objects_of_the_suite_cannot_be_sent(remote, own):
    with pytest.raises(TypeError, match="plain values only"):
        remote.Card(own)


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda m: m.Card("QS", seen=[1]), "m.Card('QS', seen=[1])"),
        (lambda m: m.Card("QS").code, "m.Card('QS').code"),
        (lambda m: setattr(m.Card("QS"), "code", "2C"), "m.Card('QS').code = '2C'"),
        (lambda m: m.Card("QS") < m.Card("TH"), "m.Card('QS') < m.Card('TH')"),
        (lambda m: "QS" in m.Yes(), "'QS' in m.Yes()"),
        (lambda m: str(m.pack()[0]), "str(m.pack())"),
    ],
)
def test_the_last_question_reads_as_it_was_written(remote, ask, text):
    ask(remote)
    assert remote._connection.last_question == text


def test_an_expression_that_doubles_does_not_grow_without_end():
    """Each table is made by two uses of the one before, as in a test that plays a whole deal."""
    table = Connection(lambda question: {"handle": 1, "class": "Table"}).module("table")
    for _ in range(20):
        table = table.after(table.turn)
    assert len(show(table)) <= MAX_EXPRESSION
    assert "<Table>" in show(table)


@pytest.mark.parametrize("answer", [{"dict": [[{"handle": 1, "class": "Key"}, 1]]}, {"list": []}])
def test_a_key_s_hash_must_be_a_number(answer):
    """The client asks for the hash of a key.

    If the answer could be a dict with such a key, the client would ask again, without end.
    """
    asked = []

    def ask(question):
        asked.append(question)
        return {"set": [{"handle": 1, "class": "Key"}]} if len(asked) == 1 else answer

    with pytest.raises(ProtocolError, match="in the middle of another"):
        Connection(ask).ask("x", do="get")
    assert [question["do"] for question in asked] == ["get", "operate"]


def test_each_answers_many_questions_at_once(either):
    cards = each(either.Card, ("2C", "3D"))
    assert each(either.odd, [1, 2, 3]) == each(either.odd, range(1, 4)) == [1, None, 3]
    assert [each(str, cards), each(bool, cards)] == [["2C", "3D"], [True, True]]
    assert each(str, either.hand()) == ["2C", "3C"]
    assert each(getattr, cards, ["code", "seen"][:1] * 2) == ["2C", "3D"]
    assert [each(str, hand) for hand in each(list, [either.hand()])] == [["2C", "3C"]]
    assert [each(str, []), each(either.odd, [])] == [[], []]


def test_each_compares_the_program_s_objects(either):
    low, high, again = each(either.Card, ["2C", "3C", "2C"])
    assert each(operator.lt, [low, high], [high, low]) == [True, False]
    assert each(operator.eq, [low, low], [again, high]) == [True, False]
    assert each(operator.ne, [low, low], [again, high]) == [False, True]


def test_each_computes_with_plain_values_here():
    assert each(str, [1, None]) == ["1", "None"]
    assert each(lambda a, b: a + b, [1, 2], [3, 4]) == [4, 6]


@pytest.mark.parametrize(
    ("ask", "error", "text"),
    [
        (lambda m: each(str, [m.Card("2C"), m.Loud()]), ValueError, "too loud"),
        (lambda m: each(list, [m.without_end()]), RuntimeError, "might never end"),
        (lambda m: each(m.odd, m.without_end()), RuntimeError, "might never end"),
        (lambda m: list(m.without_end()), RuntimeError, "might never end"),
        (lambda m: each(m.Card, ["2C", "3C"], [1]), ValueError, "zip"),
        (lambda m: each(operator.eq, [1, 2], [1]), ValueError, "zip"),
        (lambda m: each(operator.eq, [m.Vague()], [m.Vague()]), TypeError, "not a bool"),
        (lambda m: each(sorted, [m.Card("2C")]), RuntimeError, "cannot ask for <built-in"),
    ],
)
def test_each_raises_what_one_question_would(either, ask, error, text):
    with pytest.raises(error, match=text):
        ask(either)


@pytest.mark.parametrize("answer", [True, {"handle": 1, "class": "str"}, None])
def test_each_refuses_answers_of_another_type(answer):
    with pytest.raises(TypeError, match="not a int"):
        each(len, [answering({"list": [answer]})])
    for wrong in ({"list": []}, {"list": [answer, answer]}, {"tuple": [1]}, 1, None):
        with pytest.raises(ProtocolError):
            each(len, [answering(wrong)])
