"""A program that gives the same answer to everything gets no points, in every stage."""

from collections.abc import Iterator
from typing import Any

import pytest
from hearts_course.course import find_course
from hearts_course.results import Outcome
from hearts_course.submissions.model import Submission
from hearts_grader.grading.grade import GradeJob, grade_one

# A module in which every name is the same object. This object allows every call and operation.
OBJECT = """
class Liar:
    def __init__(self, *args, **named):
        pass
    def __call__(self, *args, **named):
        return self
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self
    def __setitem__(self, key, value):
        pass
    __setattr__ = __setitem__
    def __delitem__(self, key):
        pass
    __delattr__ = __delitem__
    def __add__(self, other=None):
        return self
    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __pos__ = __add__
    __or__ = __and__ = __xor__ = __mod__ = __truediv__ = __floordiv__ = __add__
    __enter__ = __iadd__ = __getitem__ = __add__
    def __exit__(self, *args):
        return True
    def __hash__(self):
        return 1
    __int__ = __index__ = __len__ = __hash__
    __float__ = lambda self: 1.0
    __bool__ = __instancecheck__ = __subclasscheck__ = lambda *args: True
    __str__ = __repr__ = lambda self: "QS"
    __format__ = lambda self, spec: "QS"
    __iter__ = __reversed__ = lambda self: iter([self])
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = lambda s, o: {truth}

LIAR = Liar()

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return LIAR
"""
# A module in which every name is the same function.
FUNCTION = """
def liar(*args, **named):
    {does}

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return liar
"""
LIARS = {
    "an object that says yes": OBJECT.format(truth=True),
    "an object that says no": OBJECT.format(truth=False),
    "always True": FUNCTION.format(does="return True"),
    "always its last argument": FUNCTION.format(does="return args[-1] if args else None"),
    "always a ValueError": FUNCTION.format(does="raise ValueError('not a card: ' * 20)"),
}
LONG_SECONDS = 60.0  # a stage with a longer limit is slow, so only one liar is tried on it


def liars() -> Iterator[Any]:
    """Yield pairs of a stage and a liar; a long stage is paired with one liar only.

    One pair of each stage has the mark `proof`, and all other pairs have the mark `exhaustive`.
    """
    for number, stage in enumerate(find_course().stages):
        is_quick = stage.limits.submission_seconds <= LONG_SECONDS
        names = [*LIARS] if is_quick else [*LIARS][:1]
        for index, name in enumerate(names):
            mark = "proof" if index == number % len(names) else "exhaustive"
            identity = f"{stage.name}-{name}"
            yield pytest.param(stage, name, id=identity, marks=getattr(pytest.mark, mark))


@pytest.mark.parametrize(("stage", "name"), [*liars()])
def test_a_liar_earns_nothing(stage, name):
    """Use no sandbox and no examples in messages: they would take time and change no points."""
    modules = dict.fromkeys(stage.modules, LIARS[name])
    submission = Submission("liar", stage.name, modules)
    result = grade_one(GradeJob(stage, submission, "none", examples=False))
    tests = [test for task in result.tasks for test in task.tests]
    passed = [test.name for test in tests if test.outcome is Outcome.PASSED]
    assert (passed, result.score) == ([], 0)
