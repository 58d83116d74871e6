"""The folder of an nbgrader course: written, released, and brought up to date.

Desk        nbgrader, set up in a folder
make_desk   writes source and settings, and has nbgrader release every stage
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import write_whole
from hearts_course.grading.final_scores import load_policy
from hearts_course.nbgrader.config import CONFIG, absolute, config_text
from hearts_course.nbgrader.source import write_source
from hearts_course.nbgrader.tables import opened

PLACES = ("assignments", "solutions", "autograder")
UNSAFE = (
    "with these settings `nbgrader autograde` does not grade in the sandbox, and students' cells "
    "could run with your rights; choose another folder, or put back what `hearts nbgrader` wrote"
)


class NbgraderCourse:
    """nbgrader, set up in a folder as its own commands would be."""

    def __init__(self, root: Path) -> None:
        """Read the folder's settings; raises CourseError if nbgrader is missing or they are bad."""
        try:
            from nbgrader.apps import NbGrader
        except ImportError:
            raise CourseError(
                "nbgrader is missing; run `pip install 'hearts-course[grade]'`"
            ) from None
        app = NbGrader()
        app.load_cwd_config = False
        app.log.setLevel(logging.CRITICAL)
        app.initialize([], root=str(root.resolve()))
        self.app = app

    @property
    def gradebook(self) -> str:
        """The gradebook's URL."""
        return str(self.app.coursedir.db_url)

    def grades_apart(self) -> bool:
        """Whether autograding, as it is set up, runs no cell and takes the grader's result."""
        from nbconvert.preprocessors import ExecutePreprocessor
        from nbgrader.converters import Autograde
        from traitlets import TraitError
        from traitlets.utils.importstring import import_item

        from hearts_course.nbgrader.autograde import SandboxedExecute

        try:
            step = Autograde(coursedir=self.app.coursedir, parent=self.app)
            listed = [*step.sanitize_preprocessors, *step.autograde_preprocessors]
            found = [import_item(one) if isinstance(one, str) else one for one in listed]
            active = [one for one in found if isinstance(one, type) and one(parent=step).enabled]
        except (ImportError, TraitError):
            return False
        runs = any(issubclass(one, ExecutePreprocessor) for one in active)
        return any(issubclass(one, SandboxedExecute) for one in active) and not runs

    def release(self, stage: Stage) -> None:
        """Have nbgrader make the students' version; raises CourseError with what it says."""
        from nbgrader.converters import GenerateAssignment

        self.app.coursedir.assignment_id = stage.name
        step = GenerateAssignment(coursedir=self.app.coursedir, parent=self.app)
        step.force = True
        run(self.app, step, stage.name)

    def set_due(self, due: Mapping[str, datetime]) -> None:
        """Tell the gradebook when stages are due; it keeps what it knows of the others."""
        from nbgrader.api import Gradebook

        with Gradebook(self.gradebook, self.app.coursedir.course_id) as gradebook:
            for name, when in due.items():
                gradebook.update_or_create_assignment(name, duedate=when)


def run(app: Any, step: Any, what: str) -> str:
    """Run one of nbgrader's steps; returns its log. Raises CourseError with its last error."""
    from nbgrader.utils import capture_log

    app.log.setLevel(logging.INFO)
    shown, app.log.handlers = app.log.handlers, []
    try:
        done: dict[str, str] = capture_log(step)
    finally:
        app.log.handlers = shown
    if not done["success"]:
        raise CourseError(f"{what}: nbgrader: {_cause(done)}")
    return done.get("log", "")


def _cause(done: dict[str, str]) -> str:
    """The line that says what went wrong: the last exception in what was logged, if any."""
    lines = [line for line in done.get("log", "").split("\n") if "Error: " in line]
    return (lines or done["error"].strip().split("\n"))[-1].strip()


def make_desk(
    course: Course, root: Path, stages: Iterable[Stage], gradebook: str = ""
) -> Iterator[tuple[Stage, Path]]:
    """Write the nbgrader course, or bring it up to date; yields each stage once it is released.

    Settings that are there stay as they are. Raises UsageError for a folder that cannot be one, or
    whose settings do not grade in the sandbox, CourseError if nbgrader refuses.
    """
    _refuse(root, course)
    config = root / CONFIG
    new = not config.exists()
    if new:
        write_whole(config, config_text(course.root.resolve(), absolute(gradebook)))
    elif gradebook:
        raise UsageError(f"{config}: is there already; change the gradebook in it")
    try:
        desk = NbgraderCourse(root)
        if not desk.grades_apart():
            raise UsageError(f"{config}: {UNSAFE}")
        opened(desk.gradebook).dispose()
    except CourseError:
        if new:  # or every later call would find the same gradebook in it
            config.unlink()
        raise
    for stage in stages:
        write_source(stage, root / "source" / stage.name)
        desk.release(stage)
        yield stage, root / "release" / stage.name
    desk.set_due(load_policy(course).due)


def _refuse(root: Path, course: Course) -> None:
    whole, home = root.resolve(), course.root.resolve()
    places = [home / place for place in (*PLACES, "notebooks")]
    if whole == home or any(whole.is_relative_to(place) for place in places):
        raise UsageError(f"{root}: lies in the course itself; choose a folder of its own")
    if root.is_dir() and any(root.iterdir()) and not (root / CONFIG).exists():
        raise UsageError(
            f"{root}: not empty, and no nbgrader course (no {CONFIG}); choose another folder"
        )
