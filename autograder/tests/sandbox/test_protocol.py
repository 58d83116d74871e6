"""What crosses between client and worker, and what is refused."""

import enum
import io
import json
from typing import Any

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


def no_handle(value: object) -> dict[str, Any]:
    raise AssertionError(f"{value!r} should have crossed by value")


def framed(body: bytes) -> io.BytesIO:
    return io.BytesIO(len(body).to_bytes(4, "big") + body)


@pytest.mark.parametrize(
    "value",
    [
        *(
            None,
            True,
            False,
            0,
            -7,
            10**300,
            0.1,
            float("inf"),
            "",
            "Q♠",
            "\ud800",
            b"",
            b"\x00\xff",
        ),
        *([], (), set(), frozenset(), {}, [1, (2, [3]), {"QS": {4}}]),
        {(1, "C"): [b"x"], None: frozenset({1.5})},
    ],
)
def test_plain_values_cross_with_their_exact_type(value: object) -> None:
    arrived = decode(read_message(io.BytesIO(to_frame(encode(value, no_handle))).read), no_handle)
    assert arrived == value
    assert type(arrived) is type(value)


def test_true_and_one_stay_apart() -> None:
    assert [type(x) for x in decode(encode([True, 1, 1.0], no_handle), no_handle)] == [
        bool,
        int,
        float,
    ]


class Suit(enum.StrEnum):
    HEARTS = "H"


class MyList(list[int]):
    pass


@pytest.mark.parametrize("value", [Suit.HEARTS, MyList(), object(), len])
def test_anything_else_crosses_as_a_handle(value: object) -> None:
    kept: list[object] = []

    def handle(value: object) -> dict[str, Any]:
        kept.append(value)
        return {"handle": 0, "class": "x"}

    assert encode([value], handle) == {"list": [{"handle": 0, "class": "x"}]}
    assert kept == [value]


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ProtocolError, match="too deeply"):
        encode(loop, no_handle)


@pytest.mark.parametrize(
    "data",
    [
        *({}, [], [1], {"unknown": 1}, {"list": 3}, {"set": [{"list": []}]}, {"dict": [[1]]}),
        *({"dict": [[{"list": []}, 1]]}, {"bytes": "not base64!"}, {"bytes": 5}),
        {"list": [1] * MAX_VALUES},
    ],
)
def test_malformed_values_are_refused(data: object) -> None:
    with pytest.raises(ProtocolError):
        decode(data, no_handle)


def test_deep_data_is_refused() -> None:
    data: object = 1
    for _ in range(MAX_DEPTH + 2):
        data = {"list": [data]}
    with pytest.raises(ProtocolError, match="too deeply"):
        decode(data, no_handle)


def test_a_frame_that_announces_too_much_is_refused_unread() -> None:
    stream = io.BytesIO((MAX_FRAME_BYTES + 1).to_bytes(4, "big") + b"x" * 10)
    with pytest.raises(ProtocolError, match="are allowed"):
        read_message(stream.read)
    assert stream.tell() == 4


@pytest.mark.parametrize("body", [b"{", b"\xff", b"", b"[" * 100_000, b"1" * 5000])
def test_a_frame_that_is_not_json_is_refused(body: bytes) -> None:
    with pytest.raises(ProtocolError, match="not JSON"):
        read_message(framed(body).read)


@pytest.mark.parametrize("cut", [0, 3, 6])
def test_a_stream_that_ends_early_is_the_end(cut: int) -> None:
    with pytest.raises(EOFError):
        read_message(io.BytesIO(to_frame([1, 2, 3])[:cut]).read)


def test_a_message_too_large_to_send_is_refused() -> None:
    with pytest.raises(ProtocolError, match="are allowed"):
        to_frame("x" * MAX_FRAME_BYTES)


def test_a_frame_is_its_length_and_json() -> None:
    frame = to_frame({"id": 1})
    assert (int.from_bytes(frame[:4], "big"), json.loads(frame[4:])) == (len(frame) - 4, {"id": 1})
