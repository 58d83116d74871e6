"""The wire format: frames of JSON, plain values by value, other objects by handle.

    frame    four bytes of length (big-endian), then that many bytes of JSON
    value    None, bool, int, float and str are themselves; all other plain values are tagged:
             {"bytes": base64} {"list": [..]} {"tuple": [..]} {"set": [..]} {"frozenset": [..]}
             {"dict": [[key, value], ..]}
    handle   {"handle": number, "class": name}: an object that stays in the worker until the end of
             the test; {"handle": "cards.Card", ...}: a module, class, function or method that stays
             until the end of the process

Exact types only: a student's `str` subclass crosses as a handle, never as a `str`.
Client and worker use this module; neither trusts what it reads.
"""

import base64
import binascii
import builtins
import json
from collections.abc import Callable
from typing import Any

NAMESPACES = frozenset({"module", "type", "EnumType", "ABCMeta"})  # types of modules and classes
NAMED = NAMESPACES | {"function", "method"}  # types of the objects whose handle is a name
HELLO: dict[str, Any] = {"id": 0, "value": "ready"}  # the greeting before student code arrives
NOT_STARTED = "not started"  # reported for a test if the machine could not start its process
MAX_TEXT = 2_000
MAX_CALLS = 50  # report at most this many of the calls that led to an error
MAX_FRAME_BYTES = 4 * 2**20
# The answers in one test may have this size together. In the course's own tests, they have up to
# 0.2 MB together.
MAX_ANSWERS_BYTES = 2 * MAX_FRAME_BYTES
# The largest size of a frame that carries a program. Each module of the program may have 1 MiB.
MAX_PROGRAM_BYTES = 2**27
MAX_DEPTH = 40
MAX_VALUES = 20_000

_CONTAINERS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_TAGS = {kind: tag for tag, kind in _CONTAINERS.items()}
_ATOMS = frozenset({type(None), bool, int, float, str})
BUILT_IN_ERRORS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and name == kind.__name__
}
Read = Callable[[int], bytes]


class ProtocolError(Exception):
    """A message does not fit the wire format."""


class SizeBudget:
    """Limits how deep a value may be, and how many parts it may have.

    Without a limit on parts, a set of numbers with equal hashes would take quadratic time.
    """

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def spend(self, depth: int, parts: int = 1) -> None:
        """Count parts at that depth; raise ProtocolError if they are too deep or too many."""
        self._left -= parts
        if parts and depth > MAX_DEPTH:
            raise ProtocolError("a value is nested too deeply")
        if self._left < 0:
            raise ProtocolError(f"a value has more than {MAX_VALUES} parts")


def encode(value: Any, handle: Callable[[Any], dict[str, Any]]) -> Any:
    """Return the value as JSON data; `handle` makes the reference to an object.

    Raise ProtocolError if the value is nested too deeply (a list may hold itself) or has too many
    parts.
    """
    if type(value) in _ATOMS:
        return value
    return _encode(value, handle, SizeBudget(), 1)


def _encode(
    value: Any, handle: Callable[[Any], dict[str, Any]], budget: SizeBudget, depth: int
) -> Any:
    """Return the data; `depth` is the depth of the value's parts."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is bytes:
        return {"bytes": base64.b64encode(value).decode("ascii")}
    if kind in _TAGS:
        budget.spend(depth, len(value))
        below = depth + 1
        return {
            _TAGS[kind]: [
                item if type(item) in _ATOMS else _encode(item, handle, budget, below)
                for item in value
            ]
        }
    if kind is dict:
        budget.spend(depth, 2 * len(value))
        pairs = value.items()
        return {"dict": [[_encode(p, handle, budget, depth + 1) for p in pair] for pair in pairs]}
    return handle(value)


def decode(
    data: Any, handle: Callable[[dict[str, Any]], Any], budget: SizeBudget | None = None
) -> Any:
    """Return the value of JSON data. Raise ProtocolError if `encode` cannot have made the data.

    Values in one message share a `budget`.
    """
    budget = budget or SizeBudget()
    budget.spend(0)
    return _decode(data, handle, budget, 1)


def _decode(
    data: Any, handle: Callable[[dict[str, Any]], Any], budget: SizeBudget, depth: int
) -> Any:
    """Return the value; `depth` is the depth of its parts."""
    if type(data) in _ATOMS:
        return data
    if type(data) is not dict or not data:
        raise ProtocolError("a value without a tag")
    tag = next(iter(data))
    if tag == "handle":
        return handle(data)
    try:
        if tag in _CONTAINERS:
            budget.spend(depth, len(data[tag]))
            below = depth + 1
            return _CONTAINERS[tag](
                x if type(x) in _ATOMS else _decode(x, handle, budget, below) for x in data[tag]
            )
        if tag == "dict":
            budget.spend(depth, 2 * len(data[tag]))
            return {
                _decode(key, handle, budget, depth + 1): _decode(item, handle, budget, depth + 1)
                for key, item in data[tag]
            }
        if tag == "bytes":
            return base64.b64decode(data[tag], validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise ProtocolError(f"a bad {tag}: {error}") from None
    raise ProtocolError("a value with an unknown tag")


def _unknown(value: Any) -> Any:
    raise TypeError(f"a {type(value).__name__}")


def _json_encoder() -> Callable[[Any], str]:
    """Return a JSON encoder that is made once; `json.dumps` makes one for each message."""
    make = json.encoder.c_make_encoder  # type: ignore[attr-defined]
    if make is None:
        return json.JSONEncoder(separators=(",", ":")).encode
    ascii_text = json.encoder.encode_basestring_ascii
    encode = make(None, _unknown, ascii_text, None, ":", ",", False, False, True)
    return lambda message: "".join(encode(message, 0))


_to_json = _json_encoder()
# The public method, `JSONDecoder.decode`, would also look for spaces around the message.
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def to_json(message: Any) -> bytes:
    """Return the message as JSON; raise ProtocolError if JSON cannot hold it.

    For example, a number may have too many digits.
    """
    try:
        return _to_json(message).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise ProtocolError(f"a message that JSON cannot hold: {error}") from None


def from_json(text: bytes) -> Any:
    """Return the message; raise ProtocolError if it is malformed."""
    try:
        message, end = _scan(text.decode("ascii"), 0)
    except (ValueError, StopIteration, RecursionError) as error:
        raise ProtocolError(f"a message that is not JSON: {error}") from None
    if end != len(text):
        raise ProtocolError("a message that is not JSON: more follows")
    return message


def numbered(number: int, message: bytes) -> bytes:
    """Put the number into a message as its first item. The message is an object as JSON text."""
    return b'{"id":%d,%b' % (number, message[1:])


def without_number(number: int, message: bytes) -> bytes:
    """Undo `numbered`; raise ProtocolError if the message has another number."""
    front = b'{"id":%d,' % number
    if not message.startswith(front):
        raise ProtocolError("a message with another number")
    return b"{" + message[len(front) :]


def to_frame(message: Any, limit: int = MAX_FRAME_BYTES) -> bytes:
    """Return the message as one frame; raise ProtocolError as `to_json` and `framed` do."""
    return framed(to_json(message), limit)


def framed(message: bytes, limit: int = MAX_FRAME_BYTES) -> bytes:
    """Return the JSON message as one frame; raise ProtocolError if it is too long."""
    _check_size(len(message), limit)
    return len(message).to_bytes(4, "big") + message


def read_message(read: Read, limit: int = MAX_FRAME_BYTES) -> Any:
    """Read a message; raise EOFError if the stream ends, ProtocolError if it is malformed."""
    return from_json(read_frame(read, limit)[4:])


def take_message(received: bytearray, limit: int = MAX_FRAME_BYTES) -> bytes:
    """Take the first frame out of `received`, and return the JSON text in it.

    If the frame is incomplete, leave it there and return b"". If it is too large, raise
    ProtocolError.
    """
    if len(received) < 4:
        return b""
    size = int.from_bytes(received[:4], "big")
    _check_size(size, limit)
    end = 4 + size
    if len(received) < end:
        return b""
    message = bytes(received[4:end])
    del received[:end]
    return message


def read_frame(read: Read, limit: int = MAX_FRAME_BYTES) -> bytes:
    """Read a frame; raise EOFError if the stream ends, ProtocolError if it is too large."""
    head = _exactly(read, 4)
    size = int.from_bytes(head, "big")
    _check_size(size, limit)
    return head + _exactly(read, size)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise ProtocolError(f"a message of {size} bytes; {limit} are allowed")


def _exactly(read: Read, size: int) -> bytes:
    parts = []
    while size:
        part = read(size)
        if not part:
            raise EOFError("the stream has ended")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
