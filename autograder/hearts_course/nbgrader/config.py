"""How nbgrader is told to work for the course: `nbgrader_config.py` calls `configure`.

absolute      a gradebook's URL that holds wherever one stands
configure     every setting that makes nbgrader's steps ours
config_text   the file that a new course gets
"""

from pathlib import Path
from typing import Any

COURSE = "hearts"  # PostgreSQL wants a name, where nbgrader is content with none
CONFIG = "nbgrader_config.py"
FILE = "sqlite:///"
TEXT = '''\
"""nbgrader's settings for this course, made by `hearts nbgrader`; from now on they are yours."""

from pathlib import Path

from hearts_course.nbgrader.config import configure

c = get_config()  # noqa: F821
configure(
    c,
    root=Path(__file__).parent,
    course={course!r},
    gradebook={gradebook!r},  # an SQLAlchemy URL; if empty, gradebook.db beside this file
)
'''


def absolute(url: str) -> str:
    """The URL; a file that it names is named from the root on."""
    path = url.removeprefix(FILE)
    return url if path in (url, "") else f"{FILE}{Path(path).resolve()}"


def config_text(course: Path, gradebook: str = "") -> str:
    """The settings of an nbgrader course for the course that lies there."""
    return TEXT.format(course=str(course), gradebook=gradebook)


def configure(c: Any, root: Path, course: str, gradebook: str = "") -> None:
    """Have nbgrader release and grade the course's stages; `c` is its configuration.

    Raises CourseError if the course is not where it was.
    """
    from hearts_course.nbgrader.autograde import install
    from hearts_course.nbgrader.settings import CourseConfig

    install()
    home = CourseConfig(course=course).the_course()
    c.CourseDirectory.root = str(root.resolve())
    if gradebook:
        c.CourseDirectory.db_url = gradebook
    c.CourseDirectory.course_id = COURSE
    c.CourseConfig.course = course
    c.GenerateAssignment.preprocessors = [*RELEASE]  # copies: the settings may be edited
    c.Autograde.sanitize_preprocessors = [*SANITIZE]
    c.Autograde.autograde_preprocessors = [*GRADE]
    c.AssignLatePenalties.plugin_class = "hearts_course.nbgrader.hooks.LatePenalty"
    c.GenerateFeedback.exporter_class = "hearts_course.nbgrader.feedback.FeedbackPage"
    c.HTMLExporter.filters = {"markdown2html": "hearts_course.nbgrader.feedback.escaped_markdown"}
    c.Autograde.exclude_overwriting = {stage.name: list(stage.files) for stage in home.stages}


RELEASE = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "hearts_course.nbgrader.release.StarterCells",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]
SANITIZE = [
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "hearts_course.nbgrader.autograde.KeepCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
GRADE = [
    "hearts_course.nbgrader.autograde.SandboxedExecute",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
