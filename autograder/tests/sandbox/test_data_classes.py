"""The methods of data classes are compiled only once, and equal those that Python makes."""

import builtins
import dataclasses
import inspect
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from hearts_course.course import find_course
from hearts_course.sandbox.worker import data_classes

CLASSES = """
import dataclasses
from dataclasses import dataclass, field
from typing import ClassVar

@dataclass
class Plain:
    rank: int
    suit: str = "C"
    made: ClassVar[int] = 0

@dataclass(frozen=True, order=True)
class Ordered:
    rank: int
    more: list = field(default_factory=list, compare=False)

    def worth(self):
        return self.rank

@dataclasses.dataclass(
    kw_only=True,
)
class Named(Plain):
    taken: tuple = dataclasses.field(default=(), repr=False)

    def __post_init__(self):
        self.rank += 1

@dataclass(slots=True)
class Slotted:
    x: int
"""
EFFECT = """
@dataclass
class Loud:
    rank: int = print("run")
    print("run, too")
print("and this")
"""
# Modules from which no data class can be made.
ODD = [
    "@dataclass\nclass (",
    "@dataclass\nclass A:\n    x: int = 0\n    y: int\n",
    "",
    "@dataclass",
]


@pytest.fixture(autouse=True)
def _nothing_compiled() -> Iterator[None]:
    """Begin without compiled methods, and put back the built-in `exec` at the end."""
    data_classes._compiled.clear()
    yield
    vars(dataclasses).pop("exec", None)


def compiled(*texts: str) -> list[str]:
    """Compile the methods of these modules; return a list, which is empty at first.

    Later the list gets each text that `dataclasses` runs although it was not compiled here.
    """
    for text in texts:
        data_classes.compile_methods(text)
    unknown: list[str] = []
    known = data_classes._compiled

    def run(text: str, *names: dict[str, object]) -> None:
        if text not in known:
            unknown.append(text)
        builtins.exec(known.get(text, text), *names)

    setattr(dataclasses, "exec", run)  # noqa: B010
    return unknown


def run(text: str) -> dict[str, object]:
    """Run this text as a module, and return the names that it defines."""
    module = types.ModuleType("m")
    exec(text, vars(module))
    return vars(module)


def test_nothing_is_compiled_again() -> None:
    unknown = compiled(CLASSES)
    run(CLASSES)
    assert unknown == []
    run("from dataclasses import dataclass\n@dataclass\nclass Other:\n    other: int\n")
    assert unknown != []


@pytest.mark.parametrize(
    "stage", ["01-cards", "02-legal-moves", "04-console-game", "05-full-hearts"]
)
def test_our_own_data_classes_are_known(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    course = find_course()
    modules = course.whole_reference(course.stage(stage))
    unknown = compiled(*modules.values())
    for name in modules:
        monkeypatch.delitem(__import__("sys").modules, name, raising=False)
    folders = {path.parent for path in Path(course.root, "solutions").rglob("*.py")}
    for folder in folders:
        monkeypatch.syspath_prepend(folder)
    for name in modules:
        __import__(name)
    assert unknown == []


def test_the_classes_behave_as_python_s_own() -> None:
    own = run(CLASSES)
    compiled(CLASSES)
    ours = run(CLASSES)
    for name in ("Plain", "Ordered", "Named", "Slotted"):
        assert inspect.signature(ours[name]) == inspect.signature(own[name])
        fields = [field.name for field in dataclasses.fields(ours[name])]
        assert fields == [field.name for field in dataclasses.fields(own[name])]
    ordered = ours["Ordered"]
    assert sorted([ordered(3), ordered(2)]) == [ordered(2), ordered(3)]
    assert ordered(1).more is not ordered(1).more
    assert repr(ours["Named"](rank=1)) == repr(own["Named"](rank=1)) == "Named(rank=2, suit='C')"
    with pytest.raises(dataclasses.FrozenInstanceError):
        ordered(1).rank = 2


def test_no_line_of_the_program_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    data_classes.compile_methods(EFFECT)
    assert capsys.readouterr().out == ""
    assert data_classes._compiled != {}


@pytest.mark.parametrize("text", ODD)
def test_a_text_that_is_no_data_class_is_left_to_the_program(text: str) -> None:
    data_classes.compile_methods(text)
    assert data_classes._compiled == {}
