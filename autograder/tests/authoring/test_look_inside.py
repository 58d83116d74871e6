"""Run the cells in which students look inside their objects, on objects of the reference."""

import json
from contextlib import redirect_stdout
from io import StringIO

import pytest
from hearts_course.course import find_course
from references import loaded

COURSE = find_course()
SHOWN = {
    "01-cards": [
        "False True\n",  # methods are kept in the class, attributes in the object
        "refused: FrozenInstanceError\nchanged: 2S\n",
    ],
    "04-console-game": ["True True\nNorth\nEast\n"],
}


def cells_of(stage):
    """Return the texts of those notebook cells that look inside objects."""
    notebook = json.loads(stage.notebook.read_text(encoding="utf-8"))
    return [
        "".join(cell["source"])
        for cell in notebook["cells"]
        if cell["id"].startswith("look-inside-")
    ]


@pytest.mark.parametrize("name", SHOWN)
def test_what_students_see_inside_their_objects(name):
    stage = COURSE.stage(name)
    shown = []
    with loaded(COURSE, stage) as modules:
        names = {word: value for module in modules.values() for word, value in vars(module).items()}
        for program in cells_of(stage):
            with redirect_stdout(StringIO()) as output:
                exec(program, names)
            shown.append(output.getvalue())
    endings = SHOWN[name]
    assert len(shown) == len(endings)
    assert all(text.endswith(end) for text, end in zip(shown, endings, strict=True))
