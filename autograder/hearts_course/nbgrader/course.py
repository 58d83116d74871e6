"""The folder of an nbgrader course: settings, source notebooks and their release.

nbgrader's parts that differ from its own are in `hooks` and `autograde`; `configure` names them.
"""

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from traitlets import TraitError, Unicode
from traitlets.config import Configurable
from traitlets.utils.importstring import import_item

from hearts_course.authoring.checks import suite_tests
from hearts_course.authoring.notebook import notebook_text, reference_notebook
from hearts_course.course import Course, Stage, find_course
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import read_text, write_whole
from hearts_course.grading.final_scores import CHECK, load_policy
from hearts_course.nbgrader.sync import absolute_url
from hearts_course.submissions.find import find_late_file

CONFIG = "nbgrader_config.py"
CONFIG_TEXT = '''\
"""nbgrader's settings for this course, made by `hearts nbgrader`; from now on they are yours."""

from pathlib import Path

{import_line}

c = get_config()  # noqa: F821
configure(
    c,
    root=Path(__file__).parent,
    course={course!r},
    gradebook={gradebook!r},  # an SQLAlchemy URL; if empty, gradebook.db beside this file
)
'''
FORMER_IMPORT = "from hearts_course.desk.config import configure"
IMPORT = "from hearts_course.nbgrader.course import configure"
COURSE_FOLDERS = ("assignments", "solutions", "autograder", "notebooks")
UNSAFE = (
    "with these settings `nbgrader autograde` does not grade in the sandbox, and students' cells "
    "could run with your rights; choose another folder, or put back what `hearts nbgrader` wrote"
)
HIDDEN_TESTS = """\
### BEGIN HIDDEN TESTS
# The grader also runs these tests, from autograder/{}; they never run in a notebook.
{}
### END HIDDEN TESTS
"""
GENERATE = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "hearts_course.nbgrader.hooks.StarterCells",
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
    "hearts_course.nbgrader.autograde.RestoreCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
AUTOGRADE = [
    "hearts_course.nbgrader.autograde.SandboxedExecute",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.CheckCellMetadata",
]


class CourseConfig(Configurable):
    """A part of nbgrader that works for a course; a section of `nbgrader_config.py`."""

    course = Unicode("", help="The course's folder; if empty, this tool's own course.").tag(
        config=True
    )
    sandbox = Unicode("auto", help="The sandbox for programs: auto, bwrap, sandlock or none.").tag(
        config=True
    )

    def load_course(self) -> Course:
        """Return the course; raise CourseError if its folder was moved."""
        course = Course(Path(self.course)) if self.course else find_course()
        if not course.stages:
            raise CourseError(
                f"{course.root}: no course is here; correct CourseConfig.course in {CONFIG}"
            )
        return course

    def stage(self, assignment: str) -> Stage:
        """Return the stage of an assignment; raise CourseError if there is none."""
        for stage in self.load_course().stages:
            if stage.name == assignment:
                return stage
        raise CourseError(
            f"{assignment}: not a stage of the course, so it has no tests to grade it by; "
            "keep assignments of your own in another nbgrader course"
        )


def configure(c: Any, root: Path, course: str, gradebook: str = "") -> None:
    """Have nbgrader release and grade the course's stages; `c` is its configuration.

    Raise CourseError if the course's folder was moved.
    """
    from hearts_course.nbgrader.autograde import replace_converter
    from hearts_course.nbgrader.gradebook import COURSE

    replace_converter()
    stages = CourseConfig(course=course).load_course().stages
    c.CourseDirectory.root = str(root.resolve())
    if gradebook:
        c.CourseDirectory.db_url = gradebook
    c.CourseDirectory.course_id = COURSE
    c.CourseConfig.course = course
    c.GenerateAssignment.preprocessors = [*GENERATE]  # copies, because settings may change them
    c.Autograde.sanitize_preprocessors = [*SANITIZE]
    c.Autograde.autograde_preprocessors = [*AUTOGRADE]
    c.GenerateFeedback.exporter_class = "hearts_course.nbgrader.hooks.FeedbackPage"
    c.HTMLExporter.filters = {"markdown2html": "hearts_course.nbgrader.hooks.escaped_markdown"}
    c.Autograde.exclude_overwriting = {stage.name: list(stage.files) for stage in stages}


class NbgraderCourse:
    """nbgrader, set up for a folder as its own commands set it up."""

    def __init__(self, root: Path) -> None:
        """Read the folder's settings; raise CourseError if nbgrader is missing or they are bad."""
        try:
            from nbgrader.apps import NbGrader
        except ImportError:
            raise CourseError(
                "nbgrader is missing; run `pip install 'hearts-course[nbgrader]'`"
            ) from None
        self.app = NbGrader()
        self.app.load_cwd_config = False
        self.app.log.setLevel(logging.CRITICAL)
        self.app.initialize([], root=str(root.resolve()))

    @property
    def gradebook(self) -> str:
        """The gradebook's URL."""
        return str(self.app.coursedir.db_url)

    def grades_in_sandbox(self) -> bool:
        """Return whether the settings let autograding take our result and run no cell."""
        from nbconvert.preprocessors import ExecutePreprocessor
        from nbgrader.converters import Autograde

        from hearts_course.nbgrader.autograde import SandboxedExecute

        try:
            step = Autograde(coursedir=self.app.coursedir, parent=self.app)
            listed = [*step.sanitize_preprocessors, *step.autograde_preprocessors]
            found = [import_item(one) if isinstance(one, str) else one for one in listed]
            active = [one for one in found if isinstance(one, type) and one(parent=step).enabled]
        except (ImportError, TraitError):
            return False
        runs_cells = any(issubclass(one, ExecutePreprocessor) for one in active)
        return any(issubclass(one, SandboxedExecute) for one in active) and not runs_cells

    def release(self, stage: Stage) -> None:
        """Have nbgrader make the students' version; raise CourseError with its last error."""
        from nbgrader.converters import GenerateAssignment
        from nbgrader.utils import capture_log

        self.app.coursedir.assignment_id = stage.name
        step = GenerateAssignment(coursedir=self.app.coursedir, parent=self.app)
        step.force = True
        handlers, self.app.log.handlers = self.app.log.handlers, []
        self.app.log.setLevel(logging.INFO)
        try:
            done = capture_log(step)
        finally:
            self.app.log.handlers = handlers
        if not done["success"]:
            errors = [line for line in done.get("log", "").split("\n") if "Error: " in line]
            cause = (errors or done["error"].strip().split("\n"))[-1].strip()
            raise CourseError(f"{stage.name}: nbgrader: {cause}")

    def set_due_dates(self, course: Course) -> None:
        """Copy due dates from the late policy; leave the other stages' alone."""
        from nbgrader.api import Gradebook

        with Gradebook(self.gradebook, self.app.coursedir.course_id) as gradebook:
            policy = load_policy(course, find_late_file(Path(self.app.coursedir.root)))
            for name, due in policy.due.items():
                gradebook.update_or_create_assignment(name, duedate=due)


def make_nbgrader_course(
    course: Course, root: Path, stages: Iterable[Stage], gradebook: str = ""
) -> Iterator[tuple[Stage, Path]]:
    """Write the nbgrader course, or bring it up to date; yield each stage once it is released.

    Existing settings stay. Raise UsageError for a folder that cannot be an nbgrader course, or
    whose settings do not grade in the sandbox; raise CourseError if nbgrader fails.
    """
    from hearts_course.nbgrader.gradebook import open_gradebook

    _check_folder(root, course)
    config = root / CONFIG
    is_new = not config.exists()
    if is_new:
        write_whole(config, config_text(course, absolute_url(gradebook)))
    elif gradebook:
        raise UsageError(f"{config}: exists already; change the gradebook in it")
    elif FORMER_IMPORT in read_text(config):
        raise UsageError(f"{config}: of an earlier version; change `{FORMER_IMPORT}` to `{IMPORT}`")
    try:
        made = NbgraderCourse(root)
        if not made.grades_in_sandbox():
            raise UsageError(f"{config}: {UNSAFE}")
        with open_gradebook(made.gradebook):
            pass  # opening makes it
    except CourseError:
        if is_new:  # otherwise the next call would find the same gradebook in it
            config.unlink()
        raise
    for stage in stages:
        write_source(stage, root / "source" / stage.name)
        made.release(stage)
        yield stage, root / "release" / stage.name
    made.set_due_dates(course)


def config_text(course: Course, gradebook: str = "") -> str:
    """Return the settings of a new nbgrader course for the course."""
    home = str(course.root.resolve())
    return CONFIG_TEXT.format(import_line=IMPORT, course=home, gradebook=gradebook)


def _check_folder(root: Path, course: Course) -> None:
    folder, home = root.resolve(), course.root.resolve()
    if folder == home or any(folder.is_relative_to(home / name) for name in COURSE_FOLDERS):
        raise UsageError(f"{root}: this folder is in the course itself; choose another one")
    if root.is_dir() and any(root.iterdir()) and not (root / CONFIG).exists():
        raise UsageError(
            f"{root}: not empty, and not an nbgrader course (no {CONFIG}); choose another folder"
        )


def write_source(stage: Stage, folder: Path) -> None:
    """Write the stage's folder of `source/`; raise CourseError.

    nbgrader copies every file but the notebook to `release/` as it is, so no other file may hold
    anything secret.
    """
    write_whole(folder / f"{stage.name}.ipynb", notebook_text(source_notebook(stage)))
    names = ("README.md", *stage.files)
    tests = (*stage.visible_tests, *stage.samples)
    for path in (*(stage.assignment / name for name in names), *tests):
        write_whole(folder / path.name, read_text(path).replace("](../", "]("))
    for path in Course(stage.root).shared:
        write_whole(folder / path.relative_to(stage.assignment.parent), read_text(path))


def source_notebook(stage: Stage) -> Any:
    """Return the notebook with the reference, and hidden tests as comments; raise StageError."""
    notebook = reference_notebook(stage)
    hidden = hidden_tests_by_task(stage)
    for cell in notebook.cells:
        if cell.id.startswith(CHECK) and (tests := hidden.get(cell.id.removeprefix(CHECK))):
            lines = "\n\n".join(tests).split("\n")
            commented = "\n".join(f"# {line}".rstrip() for line in lines)
            cell.source = HIDDEN_TESTS.format(stage.name, commented) + cell.source
    return notebook


def hidden_tests_by_task(stage: Stage) -> dict[str, list[str]]:
    """Return the text of every hidden test, by its task's id, in the order of the files."""
    found: dict[str, list[str]] = {}
    for test in suite_tests(stage):
        if test.hidden:
            found.setdefault(test.tasks[0] if test.tasks else "", []).append(test.source)
    return found
