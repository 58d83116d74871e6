"""What crosses the boundary, and what is refused."""

import enum
import io
import json
from typing import Any

import pytest
from hearts_course.sandbox.worker import protocol


def no_handle(value: object) -> dict[str, Any]:
    raise AssertionError(f"{value!r} should have crossed by value")


def across(value: object) -> object:
    frame = protocol.to_frame(protocol.encode(value, no_handle))
    return protocol.decode(protocol.read_message(io.BytesIO(frame).read), no_handle)


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
        *([], (), set(), frozenset(), {}),
        [1, (2, [3]), {"QS": {4}}],
        {(1, "C"): [b"x"], None: frozenset({1.5})},
    ],
)
def test_plain_values_cross_with_their_exact_type(value: object) -> None:
    there = across(value)
    assert there == value
    assert type(there) is type(value)


def test_true_and_one_stay_apart() -> None:
    assert [type(x) for x in across([True, 1, 1.0])] == [bool, int, float]  # type: ignore[attr-defined]


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

    assert protocol.encode([value], handle) == {"list": [{"handle": 0, "class": "x"}]}
    assert kept == [value]


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(protocol.ProtocolError, match="too deeply"):
        protocol.encode(loop, no_handle)


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        [1],
        {"unknown": 1},
        {"list": 3},
        {"set": [{"list": []}]},
        {"dict": [[1]]},
        {"dict": [[{"list": []}, 1]]},
        {"bytes": "not base64!"},
        {"bytes": 5},
    ],
)
def test_malformed_values_are_refused(data: object) -> None:
    with pytest.raises(protocol.ProtocolError):
        protocol.decode(data, no_handle)


def test_deep_data_is_refused() -> None:
    data: object = 1
    for _ in range(protocol.MAX_DEPTH + 2):
        data = {"list": [data]}
    with pytest.raises(protocol.ProtocolError, match="too deeply"):
        protocol.decode(data, no_handle)


def test_a_frame_that_announces_too_much_is_refused_unread() -> None:
    stream = io.BytesIO((protocol.MAX_FRAME_BYTES + 1).to_bytes(4, "big") + b"x" * 10)
    with pytest.raises(protocol.ProtocolError, match="are allowed"):
        protocol.read_message(stream.read)
    assert stream.tell() == 4


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000, b"1" * 5000])
def test_a_frame_that_is_not_json_is_refused(body: bytes) -> None:
    with pytest.raises(protocol.ProtocolError, match="not JSON"):
        protocol.read_message(io.BytesIO(len(body).to_bytes(4, "big") + body).read)


@pytest.mark.parametrize("cut", [0, 3, 6])
def test_a_stream_that_ends_early_is_the_end(cut: int) -> None:
    with pytest.raises(EOFError):
        protocol.read_message(io.BytesIO(protocol.to_frame([1, 2, 3])[:cut]).read)


def test_a_message_too_large_to_send_is_refused() -> None:
    with pytest.raises(protocol.ProtocolError, match="are allowed"):
        protocol.to_frame("x" * protocol.MAX_FRAME_BYTES)


def test_a_frame_is_its_length_and_json() -> None:
    frame = protocol.to_frame({"id": 1})
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
    assert json.loads(frame[4:]) == {"id": 1}
