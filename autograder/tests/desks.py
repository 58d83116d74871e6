"""nbgrader courses made by `hearts nbgrader`, for the tests of the instructor's desk."""

import json
from pathlib import Path
from typing import Any

from hearts_course.authoring.build import build
from hearts_course.course import Course
from hearts_course.desk.course import make_desk
from tiny_course import write_course

STAGE = "01-coins"


def tiny_desk(root: Path, gradebook: str = "", **changes: str) -> tuple[Course, Path]:
    """The tiny course, built, and an nbgrader course for it."""
    course = write_course(root / "course", **changes)
    build(course, course.stages)
    list(make_desk(course, root / "desk", course.stages, gradebook))
    return course, root / "desk"


def cells(path: Path) -> list[Any]:
    """A notebook's cells."""
    return list(json.loads(path.read_text(encoding="utf-8"))["cells"])


def source_of(cell: Any) -> str:
    """A cell's text."""
    return "".join(cell["source"])
