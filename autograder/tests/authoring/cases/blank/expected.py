# Every definition whose name begins with `blank` or `Blank` is left blank; all else stays.
import re
from dataclasses import dataclass


def kept(): return 1


def blank_one_line():
    raise NotImplementedError("todo")
def blank_one_line_with_docstring():
    "Doc."
    raise NotImplementedError("todo")


async def blank_colons_in_the_signature(a: dict[int, str] = {1: '♠'}, b=lambda x: x,) -> int:  # why
  raise NotImplementedError("todo")


@cache
# with
@other(1)
def blank_decorators_and_a_long_signature(
    a,
    b,
):
    raise NotImplementedError("todo")


def blank_comments_of_the_body_go():
    """Two

    lines: ♠."""
    raise NotImplementedError("todo")


# kept
x = 1


def blank_that_begins_with_a_decorator():
    raise NotImplementedError("todo")


class BlankWithNothingToKeep(A, metaclass=B):
    pass


class BlankOnOneLine:
    pass


class BlankWithDocstring:
    """Doc."""
y = 2


class Kept:
    def kept(self): return 1

    def blank(self):
        raise NotImplementedError("todo")

    def blank_too(self):
        raise NotImplementedError("todo")


class BlankWithBlankMethods(Base):
    """Doc."""

    @property
    def blank(self):
        raise NotImplementedError("todo")

    @blank.setter
    def blank(self, value):
        raise NotImplementedError("todo")

    class BlankInner:
        def blank(self):
            raise NotImplementedError("todo")
