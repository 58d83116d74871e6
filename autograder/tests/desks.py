"""nbgrader courses made by `hearts nbgrader`, for the tests of the instructor's desk."""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hearts_course.authoring.build import build
from hearts_course.course import Course
from hearts_course.nbgrader.course import NbgraderCourse, make_nbgrader_course
from postgres import programs, running
from tiny_course import STAGE_TOML, write_course

STAGE = "01-coins"
BY_HAND = f"""{STAGE_TOML}
[[manual]]
id = "design"
title = "Every class has one job"
points = 4
"""


def tiny_desk(root: Path, gradebook: str = "", **changes: str) -> tuple[Course, Path]:
    """The tiny course, built, and an nbgrader course for it."""
    course = write_course(root / "course", **changes)
    build(course, course.stages)
    list(make_nbgrader_course(course, root / "desk", course.stages, gradebook))
    return course, root / "desk"


def step(root: Path, name: str, student: str = "*") -> tuple[bool, str]:
    """Run one of nbgrader's steps as formgrader does; whether all went well, and its log."""
    from nbgrader.apps.api import NbGraderAPI

    desk = NbgraderCourse(root)
    desk.app.log.setLevel(logging.INFO)
    desk.app.log.handlers = []
    api = NbGraderAPI(desk.app.coursedir, parent=desk.app)
    done = getattr(api, name)(STAGE, student, force=True)
    return done["success"], done.get("log", "")


def gradebook(root: Path) -> Any:
    """The course's gradebook, open."""
    from nbgrader.api import Gradebook

    return Gradebook(NbgraderCourse(root).gradebook, "hearts")


def scores(root: Path) -> dict[str, float]:
    """Each student's score in the gradebook."""
    with gradebook(root) as book:
        found = book.find_assignment(STAGE).submissions
        return {one.student.id: round(one.score, 2) for one in found}


def cells(path: Path) -> list[Any]:
    """A notebook's cells."""
    return list(json.loads(path.read_text(encoding="utf-8"))["cells"])


def source_of(cell: Any) -> str:
    """A cell's text."""
    return "".join(cell["source"])


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """A gradebook's URL: of a file, or of a PostgreSQL that runs meanwhile."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'gradebook.db'}"
        return
    if not os.environ.get("HEARTS_POSTGRES"):
        pytest.skip("PostgreSQL is what `make desk` tests")
    if programs() is None:
        pytest.skip("PostgreSQL is not installed here: apt install postgresql")
    with running() as url:
        yield url
