"""Which values client and worker can send to each other, and which are refused."""

import enum
import io

import pytest
from hearts_course.sandbox.worker.protocol import (
    MAX_DEPTH,
    MAX_FRAME_BYTES,
    MAX_VALUES,
    ProtocolError,
    decode,
    encode,
    read_message,
    to_frame,
)


def no_handle(value):
    raise AssertionError(f"{value!r} should have crossed by value")


def nested(value, depth):
    for _ in range(depth):
        value = {"list": [value]}
    return value


@pytest.mark.parametrize(
    "value",
    [
        *(
            None,
            True,
            False,
            0,
            1,
            -7,
            10**300,
            0.1,
            float("inf"),
            "",
            "Q♠",
            "\ud800",
            b"",
            b"\xff",
        ),
        *([], (), set(), frozenset(), {}, [1, (2, [3]), {"QS": {4}}]),
        {(1, "C"): [b"x"], None: frozenset({1.5})},
    ],
)
def test_plain_values_cross_with_their_exact_type(value):
    arrived = decode(read_message(io.BytesIO(to_frame(encode(value, no_handle))).read), no_handle)
    assert arrived == value
    assert type(arrived) is type(value)


class Suit(enum.StrEnum):
    HEARTS = "H"


class MyList(list):
    pass


@pytest.mark.parametrize("value", [Suit.HEARTS, MyList(), object(), len])
def test_anything_else_crosses_as_a_handle(value):
    kept = []

    def handle(value):
        kept.append(value)
        return {"handle": 0, "class": "x"}

    assert encode([value], handle) == {"list": [{"handle": 0, "class": "x"}]}
    assert kept == [value]


def test_a_list_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(ProtocolError, match="too deeply"):
        encode(loop, no_handle)


@pytest.mark.parametrize(
    "data",
    [
        *({}, [], [1], {"unknown": 1}, {"list": 3}, {"set": [{"list": []}]}, {"dict": [[1]]}),
        *({"dict": [[{"list": []}, 1]]}, {"bytes": "not base64!"}, {"bytes": 5}),
        *({"list": [1] * MAX_VALUES}, nested(1, MAX_DEPTH + 2)),
    ],
)
def test_malformed_values_are_refused(data):
    with pytest.raises(ProtocolError):
        decode(data, no_handle)


def test_a_frame_that_is_too_large_is_neither_read_nor_sent():
    stream = io.BytesIO((MAX_FRAME_BYTES + 1).to_bytes(4, "big") + b"x" * 10)
    with pytest.raises(ProtocolError, match="are allowed"):
        read_message(stream.read)
    assert stream.tell() == 4
    with pytest.raises(ProtocolError, match="are allowed"):
        to_frame("x" * MAX_FRAME_BYTES)


@pytest.mark.parametrize(
    "body", [b"{", b"\xff", b"", b"[" * 100_000, b"1" * 5000, b"1 ", b" 1", b"{}{}"]
)
def test_a_frame_that_is_not_json_is_refused(body):
    with pytest.raises(ProtocolError, match="not JSON"):
        read_message(io.BytesIO(len(body).to_bytes(4, "big") + body).read)


@pytest.mark.parametrize("cut", [0, 3, 6])
def test_a_stream_that_ends_early_is_the_end(cut):
    assert to_frame([1, 2, 3]) == b"\0\0\0\x07[1,2,3]"
    with pytest.raises(EOFError):
        read_message(io.BytesIO(to_frame([1, 2, 3])[:cut]).read)
