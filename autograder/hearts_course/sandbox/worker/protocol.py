"""How a question and its answer travel: frames of JSON, plain values by value, the rest by handle.

    frame    four bytes of length (big-endian), then that many bytes of JSON
    value    None, bool, int, float and str are themselves; every other plain value is tagged:
             {"bytes": base64} {"list": [..]} {"tuple": [..]} {"set": [..]} {"frozenset": [..]}
             {"dict": [[key, value], ..]}
    handle   {"handle": number, "class": name}: an object that stays on the far side

Exact types only: a `str` subclass of the student's crosses as a handle, never as a `str`.
Both sides use this module and neither trusts what it reads.
"""

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any

MAX_FRAME_BYTES = 4 * 2**20
MAX_PROGRAM_BYTES = 2**27  # of the frame that carries a program: each module may have 1 MiB
MAX_DEPTH = 40
MAX_VALUES = 20_000

_CONTAINERS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_TAGS = {kind: tag for tag, kind in _CONTAINERS.items()}
_ATOMS = (type(None), bool, int, float, str)


class ProtocolError(Exception):
    """What was to be sent, or what arrived, does not fit the wire format."""


def _unknown(value: Any) -> Any:
    raise TypeError(f"a {type(value).__name__}")


def _json_encoder() -> Callable[[Any], str]:
    """Return what writes JSON: `json` makes its encoder anew each time, which costs more than it.

    Where there is no such encoder, `json` itself writes it.
    """
    make = json.encoder.c_make_encoder  # type: ignore[attr-defined]
    if make is None:
        return json.JSONEncoder(separators=(",", ":")).encode
    ascii_text = json.encoder.encode_basestring_ascii
    encode = make(None, _unknown, ascii_text, None, ":", ",", False, False, True)
    return lambda message: "".join(encode(message, 0))


_to_json = _json_encoder()


def encode(value: Any, handle: Callable[[Any], dict[str, Any]]) -> Any:
    """The value as JSON data; `handle` makes the reference for anything that is not plain.

    Raises ProtocolError if it is nested too deeply, as a list that holds itself is, or has too many
    parts.
    """
    return _encode(value, handle, SizeBudget(), 0)


def _encode(
    value: Any, handle: Callable[[Any], dict[str, Any]], room: "SizeBudget", depth: int
) -> Any:
    room.take_one(depth)
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is bytes:
        return {"bytes": base64.b64encode(value).decode("ascii")}
    if kind in _TAGS:
        return {_TAGS[kind]: [_encode(item, handle, room, depth + 1) for item in value]}
    if kind is dict:
        return {
            "dict": [
                [_encode(part, handle, room, depth + 1) for part in pair] for pair in value.items()
            ]
        }
    return handle(value)


def decode(
    data: Any, handle: Callable[[dict[str, Any]], Any], room: "SizeBudget | None" = None
) -> Any:
    """The value that JSON data stands for; raises ProtocolError for what `encode` never makes.

    Values that come together share a `room`.
    """
    return _decode(data, handle, room or SizeBudget(), 0)


def _decode(
    data: Any, handle: Callable[[dict[str, Any]], Any], room: "SizeBudget", depth: int
) -> Any:
    room.take_one(depth)
    if type(data) in _ATOMS:
        return data
    if type(data) is not dict or not data:
        raise ProtocolError("a value without a tag")
    tag = next(iter(data))
    try:
        if tag in _CONTAINERS:
            return _CONTAINERS[tag]([_decode(item, handle, room, depth + 1) for item in data[tag]])
        if tag == "dict":
            return {
                _decode(key, handle, room, depth + 1): _decode(item, handle, room, depth + 1)
                for key, item in data[tag]
            }
        if tag == "bytes":
            return base64.b64decode(data[tag], validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise ProtocolError(f"a bad {tag}: {error}") from None
    if tag == "handle":
        return handle(data)
    raise ProtocolError("a value with an unknown tag")


class SizeBudget:
    """How deep a value may be, and how many parts it may have.

    Numbers can be chosen to collide in a set, which then takes the square of their count.
    """

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def take_one(self, depth: int) -> None:
        """Raises ProtocolError if the value is too deep, or has no more parts."""
        self._left -= 1
        if depth > MAX_DEPTH:
            raise ProtocolError("a value is nested too deeply")
        if self._left < 0:
            raise ProtocolError(f"a value has more than {MAX_VALUES} parts")


def pack(message: Any, most: int = MAX_FRAME_BYTES) -> bytes:
    """The message as one frame; raises ProtocolError if it or a number in it is too long."""
    try:
        body = _to_json(message).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise ProtocolError(f"a message that JSON cannot hold: {error}") from None
    if len(body) > most:
        raise ProtocolError(f"a message of {len(body)} bytes; {most} are allowed")
    return len(body).to_bytes(4, "big") + body


def unpack(read: Callable[[int], bytes], most: int = MAX_FRAME_BYTES) -> Any:
    """The next message; raises EOFError when the stream has ended, ProtocolError if it is
    malformed."""
    try:
        return json.loads(unpack_frame(read, most)[4:])
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a message that is not JSON: {error}") from None


def unpack_frame(read: Callable[[int], bytes], most: int = MAX_FRAME_BYTES) -> bytes:
    """The next frame as it came; raises EOFError when the stream has ended, ProtocolError if too
    large.

    What is in it is not looked at.
    """
    head = _exactly(read, 4)
    size = int.from_bytes(head, "big")
    if size > most:
        raise ProtocolError(f"a message of {size} bytes; {most} are allowed")
    return head + _exactly(read, size)


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    parts = []
    while size:
        part = read(size)
        if not part:
            raise EOFError("the stream has ended")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
