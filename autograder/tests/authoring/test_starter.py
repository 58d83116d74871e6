"""The starter is the reference without some definitions; no other character changes.

The blanks of a task are the names of the definitions that a student writes for it.
"""

import ast
from pathlib import Path

import pytest
from hearts_course.errors import StageError
from hearts_grader.authoring.starter import (
    Cell,
    blank,
    definitions,
    join,
    split,
    stage_cells,
    starter_cells,
    without_unused_imports,
)
from tiny_course import REFERENCE, STAGE_TOML, write_stage

BLANK = Path(__file__).parent / "cases/blank"
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
    stage = write_stage(tmp_path)
    reference_text = join(stage_cells(stage, stage.reference()))["coins"]
    assert reference_text == REFERENCE.replace("# %% coin\n", "").replace("# %% purse\n", "")


def test_definitions_are_left_blank_and_nothing_else_changes():
    reference_text, expected = ((BLANK / name).read_text() for name in ("in.py", "expected.py"))
    names = [name for name, _ in definitions(reference_text)]
    assert "Kept.blank" in names, "a name is qualified by its class"
    blanks = [name for name in names if name.rpartition(".")[2].lower().startswith("blank")]
    assert blank(reference_text, dict.fromkeys(blanks, "todo")) == expected
    ast.parse(expected)


def test_what_a_task_leaves_out_has_no_name_in_the_starter(tmp_path):
    toml = STAGE_TOML.replace('"richest"]', '"richest"]\nleft_out = ["richest"]')
    assert toml != STAGE_TOML
    starter = join(starter_cells(write_stage(tmp_path, STAGE_TOML=toml)))
    assert starter == {"coins": STARTER.partition("\n\ndef richest")[0]}


def test_only_other_blanks_than_the_first_are_left_out(tmp_path):
    """A task's first blank cannot be left out: it decides to which cell the task belongs."""
    toml = STAGE_TOML.replace('"richest"]', '"richest"]\nleft_out = ["Purse.total"]')
    with pytest.raises(StageError, match=r"has 'Purse\.total'; name blanks of"):
        starter_cells(write_stage(tmp_path, STAGE_TOML=toml))


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
    ("full_import", "needed_import"),
    [
        ("import re\nimport sys\n\nsys.exit()\n", "import sys\n\nsys.exit()\n"),
        ("from a import b, c as d\n\nx: d\n", "from a import c as d\n\nx: d\n"),
        ("from a import b, c\n\nx: 'c'\n", "from a import c\n\nx: 'c'\n"),
        ("import os.path\n\nos.path.join()\n", "import os.path\n\nos.path.join()\n"),
        ("from a import (\n    b,\n    c,\n)\n\nc()\n", "from a import c\n\nc()\n"),
        ("# why\nfrom a import b  # how\nb()\n", "# why\nfrom a import b  # how\nb()\n"),
    ],
)
def test_only_used_names_stay(full_import: str, needed_import: str) -> None:
    assert reduced(full_import) == [needed_import]


def test_a_name_used_in_another_cell_of_the_module_stays() -> None:
    assert reduced("import re\n", "re.compile('x')\n") == ["import re\n", "re.compile('x')\n"]


def test_a_long_line_is_broken_as_the_formatter_breaks_it() -> None:
    names = [f"a_rather_long_name_{n}" for n in range(6)]
    long_line = f"from somewhere import ({', '.join(names)}, unused)\n\n{', '.join(names)}\n"
    lines = reduced(long_line)[0].split("\n")
    assert lines[:3] == ["from somewhere import (", f"    {names[0]},", f"    {names[1]},"]
    assert max(map(len, lines[:8])) <= 100
