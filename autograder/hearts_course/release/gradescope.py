"""An autograder for Gradescope, one for each stage: it runs our grader in Gradescope's container.

It is for instructors, because it holds the hidden tests.
"""

from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.release.bundle import PROJECT_FILES, TOOL, files_below
from hearts_course.release.publish import Files

HERE = Path(__file__).parent
INSIDE = "course"  # where the course is in the zip


def autograder(course: Course, stage: Stage) -> Files:
    """Return the files of the stage's autograder: the tool, the stage, and what it builds on."""
    run = (HERE / "run_autograder").read_text(encoding="utf-8").replace("{stage}", stage.name)
    files = {"setup.sh": (HERE / "setup.sh").read_bytes(), "run_autograder": run.encode()}
    paths = [course.root / name for name in PROJECT_FILES]
    paths += files_below(course.root / TOOL) + files_below(stage.autograder)
    for one in (*course.prerequisites(stage), stage):
        paths += [*files_below(one.assignment), *files_below(one.solution), one.notebook]
    for path in paths:
        files[f"{INSIDE}/{path.relative_to(course.root).as_posix()}"] = path.read_bytes()
    return files
