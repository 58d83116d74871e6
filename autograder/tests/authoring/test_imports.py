"""A starter's imports: what is still used stays, what only the answer needed goes."""

import pytest
from hearts_course.authoring.starter import Cell, without_unused_imports


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
