# Every definition whose name begins with `blank` or `Blank` is left blank; all else stays.
import re
from dataclasses import dataclass


def kept(): return 1


def blank_one_line(): return 1
def blank_one_line_with_docstring(): "Doc."; return 1


async def blank_colons_in_the_signature(a: dict[int, str] = {1: '♠'}, b=lambda x: x,) -> int:  # why
  return 1


@cache
# with
@other(1)
def blank_decorators_and_a_long_signature(
    a,
    b,
):
    # secret
    return 1


def blank_comments_of_the_body_go():
    """Two

    lines: ♠."""
    # secret
    x = "♠"
    return x
    # secret


# kept
x = 1


def blank_that_begins_with_a_decorator():

    # secret: this
    @cache
    def inner():
        return 1
    return inner


@dataclass
class BlankWithNothingToKeep(A, metaclass=B):
    x: int = 1

    def g(self): return 1


class BlankOnOneLine: x = 1


class BlankWithDocstring:
    """Doc."""
    x = 1

    # secret
y = 2


class Kept:
    def kept(self): return 1

    def blank(self):
        return 2

    def blank_too(self):
        return 3


@dataclass
class BlankWithBlankMethods(Base):
    """Doc."""

    x: int

    @property
    def blank(self):
        return self._p

    @blank.setter
    def blank(self, value):
        self._p = value

    def gone(self):
        return 2

    class BlankInner:
        def blank(self):
            return 3
