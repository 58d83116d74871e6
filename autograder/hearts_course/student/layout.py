"""What `hearts start` writes: a guide, and every stage's starter, checks, samples, notebook, brief.

Never overwrites: a file that is there already stays as it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import read_text
from hearts_course.student.state import StudentState, keep
from hearts_course.student.workspace import MEMORY_FILE

GUIDE = Path(__file__).with_name("guide.md")
PLACES = ("assignments", "solutions", "autograder")


@dataclass(frozen=True)
class LaidOut:
    """The files that were added and those that were there already, as paths inside `root`."""

    root: Path
    added: tuple[str, ...]
    kept: tuple[str, ...]


def lay_out(course: Course, root: Path) -> LaidOut:
    """Make `root` a workspace, adding only what is missing.

    Raises UsageError if it cannot be one: inside the course itself or another workspace, a file,
    not writable.
    """
    _refuse_course(course, root)
    _refuse_nested(root)
    files = tuple(workspace_files(course))
    added: list[str] = []
    kept: list[str] = []
    try:
        root.mkdir(parents=True, exist_ok=True)
        for name, text in files:
            (added if _write_new(root / name, text) else kept).append(name)
        if not (root / MEMORY_FILE).exists():
            keep(root / MEMORY_FILE, StudentState())
    except OSError as error:
        raise UsageError(
            f"{error.filename or root}: {error.strerror}; choose a folder you can write to"
        ) from None
    return LaidOut(root, tuple(added), tuple(kept))


def holds_course(folder: Path) -> bool:
    """Whether the folder is a checkout of the course, with the sides that students never see."""
    return all((folder / place).is_dir() for place in PLACES)


def _refuse_course(course: Course, root: Path) -> None:
    whole = root.resolve()
    for folder in (whole, *whole.parents):
        if folder == course.root.resolve() or holds_course(folder):
            raise UsageError(
                f"{root} lies inside the course itself; choose a folder elsewhere: "
                "`hearts start DIR`"
            )


def _refuse_nested(root: Path) -> None:
    """A workspace in a workspace would look like one whose work is lost."""
    whole = root.resolve()
    outer = next((folder for folder in whole.parents if (folder / MEMORY_FILE).is_file()), None)
    if outer and not (whole / MEMORY_FILE).is_file():
        raise UsageError(
            f"{root} lies inside your workspace {outer}; go there, or choose a folder elsewhere"
        )


def workspace_files(course: Course) -> Iterator[tuple[str, str]]:
    """The path and text of each file of a workspace, but for what is remembered there."""
    yield "README.md", _guide(course)
    for stage in course.stages:
        yield f"briefs/{stage.name}.md", read_text(stage.assignment / "README.md")
        yield from zip(stage.files, map(read_text, _starters(stage)), strict=True)
        yield f"{stage.name}.ipynb", read_text(stage.notebook)
        for path in (*stage.visible_tests, *stage.samples):
            yield path.name, read_text(path)


def _starters(stage: Stage) -> Iterator[Path]:
    return (stage.assignment / name for name in stage.files)


def _guide(course: Course) -> str:
    rows = "\n".join(
        f"| `{stage.name}` | {stage.title} | [brief](briefs/{stage.name}.md) "
        f"| {', '.join(f'`{name}`' for name in stage.files)} | `{stage.name}.ipynb` "
        f"| {stage.points} | {stage.hours} |"
        for stage in course.stages
    )
    first = course.stages[0]
    return (
        read_text(GUIDE)
        .replace("{stages}", rows)
        .replace("{stage}", first.name)
        .replace("{task}", first.tasks[0].id)
        .replace("{file}", first.files[0])
    )


def _write_new(path: Path, text: str) -> bool:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True
