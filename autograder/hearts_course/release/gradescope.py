"""An autograder for Gradescope: it runs our grader in Gradescope's container, a stage each.

It is for instructors: the hidden tests are in it.

autograder   its files
"""

from collections.abc import Iterator
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.release.files import Files

HERE = Path(__file__).parent
PLACE = "course"  # in the zip
BESIDE = ("pyproject.toml", "constraints.txt", "README.md", "LICENSE")
TOOL = "autograder/hearts_course"
UNWANTED = {"__pycache__", ".pytest_cache"}


def autograder(course: Course, stage: Stage) -> Files:
    """The files of the stage's autograder: the tool, the stage, and those that it builds on."""
    run = (HERE / "run_autograder").read_text(encoding="utf-8").replace("{stage}", stage.name)
    files = {"setup.sh": (HERE / "setup.sh").read_bytes(), "run_autograder": run.encode()}
    for path in _wanted(course, stage):
        files[f"{PLACE}/{path.relative_to(course.root).as_posix()}"] = path.read_bytes()
    return files


def _wanted(course: Course, stage: Stage) -> Iterator[Path]:
    yield from (course.root / name for name in BESIDE)
    yield from _below(course.root / TOOL)
    yield from _below(stage.autograder)
    for one in (*course.prerequisites(stage), stage):
        yield from _below(one.assignment)
        yield from _below(one.solution)
        yield one.notebook


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not UNWANTED & set(path.parts):
            yield path
