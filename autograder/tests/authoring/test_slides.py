"""Each slide for the board shows one of the course's pictures, and has a note for the speaker."""

import base64
import re

import nbformat
import pytest
from hearts_course.course import find_course
from hearts_course.errors import StageError
from hearts_grader.authoring.slides import PICTURES, SLIDES, build_slides

COURSE = find_course()
FOLDER = COURSE.root / "assignments/pictures"
DATA = re.compile(r"data:image/svg\+xml;base64,([^)]+)\)")


def test_the_slides_show_six_pictures_of_the_course_as_they_are():
    notebook = nbformat.read(COURSE.root / SLIDES, as_version=4)
    nbformat.validate(notebook)
    kinds = [cell.metadata["slideshow"]["slide_type"] for cell in notebook.cells]
    assert kinds == ["slide", "notes"] * 6
    encoded = [DATA.findall(cell.source) for cell in notebook.cells[::2]]
    shown = [base64.b64decode(picture) for [picture] in encoded]
    assert shown == [(FOLDER / f"{name}.svg").read_bytes() for name in PICTURES]


def test_a_picture_without_words_is_refused(tmp_path):
    (tmp_path / f"{PICTURES[0]}.svg").write_text("<svg><title>Seats</title></svg>")
    with pytest.raises(StageError, match="no <desc>; write both"):
        build_slides(tmp_path)
