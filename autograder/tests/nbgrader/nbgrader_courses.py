"""nbgrader courses made by `hearts nbgrader`, and databases for their gradebooks."""

import json
import logging
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hearts_course.course import Course
from hearts_grader.authoring.build import build
from hearts_grader.nbgrader.course import NbgraderCourse, make_nbgrader_course
from tiny_class import STAGE
from tiny_course import REFERENCE, write_course

WRONG = REFERENCE.replace("10 if", "5 if")
LATE = """\
grace_days = 1
percent_per_day = 10

[due]
01-coins = 2026-10-01T23:59:00+02:00
"""


def built_course(root: Path, **changes: str) -> Course:
    course = write_course(root, **changes)
    build(course, course.stages)
    return course


def tiny_nbgrader_course(root: Path, gradebook: str = "", **changes: str) -> tuple[Course, Path]:
    course = built_course(root / "course", **changes)
    list(make_nbgrader_course(course, root / "nbgrader", course.stages, gradebook))
    return course, root / "nbgrader"


def nbgrader_api(root: Path):
    from nbgrader.apps.api import NbGraderAPI

    made = NbgraderCourse(root)
    made.app.log.setLevel(logging.INFO)
    made.app.log.handlers = []
    return NbGraderAPI(made.app.coursedir, parent=made.app)


def step(root: Path, name: str, student: str = "*") -> tuple[bool, str]:
    """Run one of nbgrader's steps as formgrader does; return whether it worked, and its log."""
    done = getattr(nbgrader_api(root), name)(STAGE, student, force=True)
    return done["success"], done.get("log", "")


def nbgraders_gradebook(url: str):
    from nbgrader.api import Gradebook

    return Gradebook(url, "hearts")


def give(url: str, student: str, cell: str, points: float) -> None:
    """Give points for a cell as a person does in formgrader."""
    with nbgraders_gradebook(url) as book:
        grade = book.find_grade(cell, STAGE, STAGE, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def submissions(url: str) -> dict[str, tuple[float, float, float, bool]]:
    """Map students to score, maximum, late penalty, and whether manual points are still missing."""
    with nbgraders_gradebook(url) as book:
        return {
            s.student.id: (s.score, s.max_score, s.late_submission_penalty, s.needs_manual_grade)
            for s in book.find_assignment(STAGE).submissions
        }


def cells(path: Path) -> list:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source_of(cell) -> str:
    return "".join(cell["source"])


@contextmanager
def database(kind: str, folder: Path):
    """Yield the URL of an empty gradebook: a file, or a PostgreSQL server that this starts."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'gradebook.db'}"
        return
    if not os.environ.get("HEARTS_POSTGRES"):
        pytest.skip("only `make test-nbgrader` tests PostgreSQL")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parts[4]))
    if not found:
        pytest.skip("PostgreSQL is not installed here: apt install postgresql")
    root = Path(tempfile.mkdtemp(prefix="hearts-pg-"))
    user = {}
    if not os.getuid():  # PostgreSQL refuses to run as root
        shutil.chown(root, "postgres")
        user = {"user": "postgres", "group": "postgres", "extra_groups": []}

    def program(name, *arguments):
        command = [found[-1] / name, "-D", root / "data", *arguments]
        subprocess.run(
            command, check=True, capture_output=True, timeout=60, cwd="/", env={"LC_ALL": "C"},
            **user,
        )  # fmt: skip

    options = f"-c listen_addresses='' -c unix_socket_directories={root} -c fsync=off"
    try:
        program("initdb", "-U", "hearts", "-A", "trust", "-E", "UTF8", "-N")
        program("pg_ctl", "-l", root / "log", "-w", "-o", options, "start")
        try:
            yield f"postgresql+psycopg://hearts@/postgres?host={root}"
        finally:
            program("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(root, ignore_errors=True)
