"""A student's own test, tried on programs that are not the student's, as in a clinic."""

from collections.abc import Callable

from hearts_course.sandbox.answers import RemoteError
from hearts_course.sandbox.client import Connection

PASSES, FAILS, UNWRITTEN = "passes", "fails", "is not written yet"


def ending(program_with: Callable[..., Connection], test: str, **modules: str) -> str:
    """Return how a test, such as `own_tests.test_moon`, ends beside these modules, given as texts.

    Raise RemoteError or SubmissionStopped if the program cannot be imported, and SubmissionStopped
    if the test ends it or takes too long.
    """
    module, _, name = test.partition(".")
    function = getattr(program_with(**modules).module(module), name)
    try:
        function()
    except RemoteError as error:
        return UNWRITTEN if isinstance(error, NotImplementedError) else FAILS
    return PASSES
