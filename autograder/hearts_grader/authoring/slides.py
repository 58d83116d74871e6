"""Slides for the board: a notebook in which each slide shows one of the course's pictures.

Jupyter shows the slides with RISE; `jupyter nbconvert --to slides` makes a page of them. The
speaker's note is the picture's description for people who cannot see the picture.
"""

import base64
import re
from pathlib import Path
from typing import Any

from hearts_course.errors import StageError
from hearts_course.files import read_text
from nbformat.v4 import new_markdown_cell, new_notebook

PICTURES = ("seats", "trick", "course", "deal-states", "match-states", "modules")
SLIDES = "autograder/docs/slides.ipynb"
TITLE = re.compile(r"<title>(.+?)</title>", re.DOTALL)
DESCRIPTION = re.compile(r"<desc>(.+?)</desc>", re.DOTALL)


def build_slides(folder: Path) -> Any:
    """Return a notebook of the pictures; raise StageError for a missing title or description."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    cells = []
    for name in PICTURES:
        cells += _slide(folder / f"{name}.svg")
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _slide(picture: Path) -> list[Any]:
    """Return two cells: a slide with the picture, and the speaker's note on it.

    Raise StageError if the picture has no title or no description.
    """
    svg = read_text(picture)
    title = TITLE.search(svg)
    description = DESCRIPTION.search(svg)
    if not title or not description:
        raise StageError(f"{picture}: no <title> or no <desc>; write both")
    data = base64.b64encode(svg.encode()).decode()
    note = " ".join(description[1].split())
    image = f"![{note}](data:image/svg+xml;base64,{data})"
    return [
        _cell(f"## {title[1]}\n\n{image}", picture.stem, "slide"),
        _cell(note, f"{picture.stem}-note", "notes"),
    ]


def _cell(text: str, name: str, kind: str) -> Any:
    """Return a cell with the text, shown as a slide or as the speaker's notes."""
    return new_markdown_cell(text, id=name, metadata={"slideshow": {"slide_type": kind}})
