"""The starter is the reference with definitions left out, and not a character else changed."""

import ast
from pathlib import Path
from textwrap import dedent

import pytest
from hearts_course.authoring.starter import (
    Cell,
    blank,
    definitions,
    join,
    reference_cells,
    split,
    starter_cells,
    without_unused_imports,
)
from tiny_course import REFERENCE, STAGE_TOML, write_stage

STARTER = '''\
"""Coins and what they are worth."""

from dataclasses import dataclass

FACES = ("penny", "dime")  # in order


@dataclass(frozen=True)
class Coin:
    """One coin."""

    face: str

    @property
    def worth(self) -> int:
        """The coin's worth in pence."""
        raise NotImplementedError("Task 1: What a coin is worth")

    def __str__(self) -> str:
        return self.face  # as it is spoken


class Purse:
    """What one person carries."""

    def add(self, coin: Coin) -> None:
        """Put a coin in."""
        raise NotImplementedError("Task 2: A purse")

    def total(self) -> int:
        """The worth of all coins."""
        raise NotImplementedError("Task 3: Add up")


def richest(purses: list[Purse]) -> Purse:
    """The purse that holds most."""
    raise NotImplementedError("Task 3: Add up")
'''


def test_the_starter_of_a_stage(tmp_path):
    assert join(starter_cells(write_stage(tmp_path))) == {"coins": STARTER}


def test_the_reference_without_its_markers(tmp_path):
    whole = join(reference_cells(write_stage(tmp_path)))["coins"]
    assert whole == REFERENCE.replace("# %% coin\n", "").replace("# %% purse\n", "")


@pytest.mark.parametrize(
    ("source", "stub"),
    [
        pytest.param("def f(): return 1", 'def f():\n    raise X("t")', id="one line"),
        pytest.param(
            'def f(): "Doc."; return 1', 'def f():\n    "Doc."\n    raise X("t")', id="one line doc"
        ),
        pytest.param(
            "async def f(a: dict[int, str] = {1: 'x'}, b=lambda x: x,) -> int:  # why\n  return 1",
            "async def f(a: dict[int, str] = {1: 'x'}, b=lambda x: x,) -> int:  # why\n"
            '  raise X("t")',
            id="colons in the signature",
        ),
        pytest.param(
            "@cache\n# with\n@other(1)\ndef f(\n    a,\n    b,\n):\n    # secret\n    return 1",
            '@cache\n# with\n@other(1)\ndef f(\n    a,\n    b,\n):\n    raise X("t")',
            id="decorators and a long signature",
        ),
        pytest.param(
            'def f():\n    """Two\n\n    lines: ♠."""\n    # secret\n    x = "♠"\n    return x\n'
            "    # secret\n\n\n# kept\nx = 1",
            'def f():\n    """Two\n\n    lines: ♠."""\n    raise X("t")\n\n\n# kept\nx = 1',
            id="comments of the body go",
        ),
        pytest.param(
            "@dataclass\nclass f(A, metaclass=B):\n    x: int = 1\n\n    def g(self): return 1",
            "class f(A, metaclass=B):\n    pass",
            id="a class with nothing to keep",
        ),
        pytest.param("class f: x = 1", "class f:\n    pass", id="a class on one line"),
        pytest.param(
            'class f:\n    """Doc."""\n    x = 1\n\n    # secret\ny = 2',
            'class f:\n    """Doc."""\ny = 2',
            id="a class keeps its docstring",
        ),
    ],
)
def test_a_definition_left_blank(source, stub):
    blanked = blank(source, {"f": "t"}).replace("NotImplementedError", "X")
    assert blanked == stub
    ast.parse(blanked)


def test_a_blank_class_keeps_its_blank_methods():
    source = dedent('''\
        @dataclass
        class A(Base):
            """Doc."""

            x: int

            @property
            def p(self):
                return self._p

            @p.setter
            def p(self, value):
                self._p = value

            def q(self):
                return 2

            class Inner:
                def r(self):
                    return 3
        ''')
    assert blank(source, {"A": "1", "A.p": "2", "A.Inner": "3", "A.Inner.r": "3"}) == dedent('''\
        class A(Base):
            """Doc."""

            @property
            def p(self):
                raise NotImplementedError("2")

            @p.setter
            def p(self, value):
                raise NotImplementedError("2")

            class Inner:
                def r(self):
                    raise NotImplementedError("3")
        ''')


def test_a_name_is_qualified_by_its_class():
    source = "def f(): return 1\nclass A:\n    def f(self): return 2"
    assert [name for name, _ in definitions(source)] == ["f", "A", "A.f"]
    assert blank(source, {"A.f": "t"}).startswith("def f(): return 1\nclass A:\n    def f(self):\n")


def test_nothing_to_leave_blank_changes_nothing():
    assert blank(REFERENCE, {"unknown": "t"}) == REFERENCE


def test_what_two_tasks_name_is_the_first_ones_to_write(tmp_path):
    toml = STAGE_TOML.replace('"Purse.total", "richest"', '"Purse.add", "Purse.total", "richest"')
    assert join(starter_cells(write_stage(tmp_path, STAGE_TOML=toml))) == {"coins": STARTER}


def test_cells_know_their_module_name_and_line():
    cells = split(Path("coins.py"), REFERENCE)
    assert [(cell.grade_id, cell.line) for cell in cells] == [
        ("coins-header", 1),
        ("coins-coin", 8),
        ("coins-purse", 24),
    ]


def test_a_module_without_a_header_has_no_header_cell():
    assert [cell.id for cell in split(Path("a.py"), "\n# %% one\nx = 1\n")] == ["one"]


def reduced(*texts: str) -> list[str]:
    cells = [Cell("cards", f"cell-{n}", text) for n, text in enumerate(texts)]
    return [cell.text for cell in without_unused_imports(cells)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import re\nimport sys\n\nsys.exit()\n", "import sys\n\nsys.exit()\n"),
        ("from a import b, c as d\n\nx: d\n", "from a import c as d\n\nx: d\n"),
        ("from a import b, c\n\nx: 'c'\n", "from a import c\n\nx: 'c'\n"),
        ("import os.path\n\nos.path.join()\n", "import os.path\n\nos.path.join()\n"),
        ("from a import (\n    b,\n    c,\n)\n\nc()\n", "from a import c\n\nc()\n"),
        ("# why\nfrom a import b  # how\nb()\n", "# why\nfrom a import b  # how\nb()\n"),
    ],
)
def test_only_used_names_stay(before: str, after: str) -> None:
    assert reduced(before) == [after]


def test_a_name_used_in_another_cell_of_the_module_stays() -> None:
    assert reduced("import re\n", "re.compile('x')\n") == ["import re\n", "re.compile('x')\n"]


def test_a_long_line_is_broken_as_the_formatter_breaks_it() -> None:
    names = [f"a_rather_long_name_{n}" for n in range(6)]
    before = f"from somewhere import ({', '.join(names)}, unused)\n\n{', '.join(names)}\n"
    lines = reduced(before)[0].split("\n")
    assert lines[:3] == ["from somewhere import (", f"    {names[0]},", f"    {names[1]},"]
    assert max(map(len, lines[:8])) <= 100
