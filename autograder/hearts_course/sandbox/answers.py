"""What comes back instead of a value: what the submission raised, or that it no longer answers.

RemoteError   what the submission raised, as its nearest built-in exception
SubmissionStopped    the submission did not answer: too slow, gone, or talking nonsense
"""

import functools
from typing import Any

from hearts_course.sandbox.worker.protocol import ProtocolError
from hearts_course.sandbox.worker.server import BUILT_IN_ERRORS, MAX_TEXT

MAX_NAME = 100


class SubmissionStopped(Exception):
    """The submission did not answer; it answers nothing more in this test, whoever catches this.

    No BaseException: pytest does not clean up after a fixture that raises one.
    """

    def __init__(self, kind: str, text: str, *, killed: bool = False) -> None:
        """`kind` is "timeout" or "crashed"; `text` is a sentence for the student.

        `killed` tells that its process was ended in a way in which others could have ended it.
        """
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.killed = killed


class RemoteError(Exception):
    """Something the submission raised; also an instance of its nearest built-in exception."""

    text: str
    kind: str
    where: tuple[str, int, str] | None

    def __str__(self) -> str:
        return self.text


@functools.cache
def _error_class(name: str) -> type[RemoteError]:
    built_in = BUILT_IN_ERRORS[name]
    try:
        kind = type(built_in.__name__, (RemoteError, built_in), {})
        kind("")
    except TypeError:
        return RemoteError
    return kind


def far_error(data: Any) -> RemoteError:
    """The exception that an answer describes; raises ProtocolError if it describes none."""
    match data:
        case {"type": str(kind), "base": str(base), "text": str(text), "where": where}:
            error = _error_class(base if base in BUILT_IN_ERRORS else "Exception")(text)
            error.text, error.kind, error.where = text[:MAX_TEXT], kind[:MAX_NAME], _place(where)
            return error
    raise ProtocolError("an error without a description")


def _place(where: Any) -> tuple[str, int, str] | None:
    match where:
        case [str(file), int(line), str(text)]:
            return file[:MAX_NAME], line, text[:MAX_TEXT]
    return None
