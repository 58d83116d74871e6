"""What a student gets: a workspace, and all that installs the tool.

released_stages   these, and those that they build on
bundle            the files
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError
from hearts_course.files import read_text
from hearts_course.release.files import Files
from hearts_course.release.wheel import INSIDE, Wheel
from hearts_course.student.layout import workspace_files
from hearts_course.student.state import StudentState, as_text
from hearts_course.student.workspace import MEMORY_FILE

INSTALL = Path(__file__).with_name("install.md")
CONSTRAINTS = "constraints.txt"
NOTEBOOK = ("jupyterlab>=4.2,<5", "notebook>=7.2,<8")


def released_stages(course: Course, names: Sequence[str]) -> tuple[Stage, ...]:
    """The stages of these names, or all, and those that they build on, in the course's order.

    Raises UsageError if there is no such stage.
    """
    chosen = [course.stage(name) for name in names] or list(course.stages)
    wanted = {stage.name for stage in chosen}
    wanted |= {before.name for stage in chosen for before in course.prerequisites(stage)}
    return tuple(stage for stage in course.stages if stage.name in wanted)


def bundle(course: Course, wheel: Wheel) -> Files:
    """A workspace with the stages that are in the wheel, and the wheel itself."""
    with _inside(wheel) as released:
        files = {name: text.encode() for name, text in workspace_files(released)}
    files[MEMORY_FILE] = as_text(StudentState()).encode()
    files["INSTALL.md"] = INSTALL.read_bytes()
    files[CONSTRAINTS] = _constraints(course).encode()
    files["requirements.txt"] = _lines(f"-c {CONSTRAINTS}", f"./{wheel.name}")
    files["requirements-notebook.txt"] = _lines(f"-c {CONSTRAINTS}", *NOTEBOOK)
    files[wheel.name] = wheel.data
    return files


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _constraints(course: Course) -> str:
    path = course.root / CONSTRAINTS
    if not path.is_file():
        raise CourseError(f"{path}: missing; release from a checkout of the course")
    return read_text(path)


@contextmanager
def _inside(wheel: Wheel) -> Iterator[Course]:
    """The course as it is in the wheel: what a student's installation will know."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in wheel.files.items():
            if name.startswith(INSIDE):
                path = Path(folder) / name.removeprefix(INSIDE)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        yield Course(Path(folder))
