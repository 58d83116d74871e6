"""The folder of an nbgrader course: settings, source notebooks and their release.

`configure` sets up a course that has only stages. `add_stages` adds stages to an instructor's own
course. The modules `converters` and `hooks` change what nbgrader does with a stage.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hearts_course.brief import linked_from_root
from hearts_course.course import Course, Stage, find_course
from hearts_course.edition import NOTEBOOK
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import read_json, read_text, write_whole
from hearts_course.student.workspace import shared_files
from hearts_course.submissions.find import find_late_file
from hearts_course.text import listed, safe_line
from traitlets import Bool, List, Unicode
from traitlets.config import Configurable

from hearts_grader.authoring.checks import suite_tests
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from hearts_grader.grading.final_scores import CHECK
from hearts_grader.grading.late_policy import load_policy
from hearts_grader.nbgrader.class_dates import roster_of_class
from hearts_grader.nbgrader.class_gradebook import absolute_url
from hearts_grader.nbgrader.environment import stop_lines

CONFIG = "nbgrader_config.py"
CONFIG_TEXT = '''\
"""nbgrader's settings for this course, made by `hearts nbgrader`; from now on they are yours."""

from pathlib import Path

c = get_config()  # noqa: F821
try:
    {import_line}

    configure(
        c,
        root=Path(__file__).parent,
        course={course!r},
        gradebook={gradebook!r},  # an SQLAlchemy URL; if empty, gradebook.db beside this file
    )
{stop}'''
FORMER_IMPORT = "from hearts_course.desk.config import configure"
IMPORT = "from hearts_grader.nbgrader.course import configure"
ADDED = """\
try:  # these lines are by `hearts nbgrader`; --remove takes them out
    from hearts_grader.nbgrader.course import add_stages

    add_stages(get_config(), course={course!r}, stages={stages!r})
{stop}"""
ADDED_LINES = re.compile(
    r"^try:  # these lines are by `hearts nbgrader`.*?^    \) from None\n?",
    re.MULTILINE | re.DOTALL,
)
STRUCTURE = "{nbgrader_step}/{student_id}/{assignment_id}"  # nbgrader's default
COURSE_FOLDERS = ("assignments", "solutions", "autograder", "notebooks")
HIDDEN_TESTS = """\
### BEGIN HIDDEN TESTS
# The grader also runs these tests, from autograder/stages/{}; they never run in a notebook.
{}
### END HIDDEN TESTS
"""


class CourseConfig(Configurable):
    """The settings for our stages: the section CourseConfig of `nbgrader_config.py`."""

    course = Unicode("", help="The course's folder; if empty, this tool's own course.").tag(
        config=True
    )
    sandbox = Unicode("auto", help="The sandbox for programs: auto, bwrap, landlock or none.").tag(
        config=True
    )
    stages = List(Unicode(), help="The assignments that are stages.").tag(config=True)
    only_stages = Bool(False, help="Whether there are no others.").tag(config=True)

    def is_stage(self, assignment: str) -> bool:
        """Return whether an assignment is a stage and not the instructor's own assignment."""
        return self.only_stages or assignment in self.stages

    def load_course(self) -> Course:
        """Return the course; raise CourseError if its folder was moved."""
        course = Course(Path(self.course)) if self.course else find_course()
        if not course.stages:
            raise CourseError(f"{course.root}: no course is here; correct `course` in {CONFIG}")
        return course

    def stage(self, assignment: str) -> Stage:
        """Return the stage of an assignment; raise CourseError if there is none."""
        for stage in self.load_course().stages:
            if stage.name == assignment:
                return stage
        raise CourseError(
            f"{assignment}: not a stage of the course, so it has no tests to grade it by; "
            "to have your own assignments beside stages, run `hearts nbgrader` in a course of yours"
        )


def configure(c: Any, root: Path, course: str, gradebook: str = "") -> None:
    """Set up nbgrader's configuration `c` for a course that has only stages.

    Raise CourseError if the course's folder was moved.
    """
    from hearts_grader.nbgrader.gradebook import COURSE

    CourseConfig(course=course).load_course()
    c.CourseDirectory.root = str(root.resolve())
    if gradebook:
        c.CourseDirectory.db_url = gradebook
    c.CourseDirectory.course_id = COURSE
    c.CourseConfig.only_stages = True
    add_stages(c, course, ())


def add_stages(c: Any, course: str, stages: Sequence[str]) -> None:
    """Have nbgrader release and grade stages of the course as `hearts` does.

    `c` is nbgrader's configuration. Nothing changes for other assignments.
    """
    from hearts_grader.nbgrader.converters import replace_converters

    replace_converters()
    c.CourseConfig.course = course
    c.CourseConfig.stages = [*stages]


class NbgraderCourse:
    """nbgrader, set up for a folder in the same way as by nbgrader's own commands."""

    def __init__(self, root: Path) -> None:
        """Read the folder's settings.

        Raise CourseError if nbgrader is missing or the settings cannot be used. nbgrader's own
        messages are not shown on the terminal, because `release` reports its errors.
        """
        try:
            from nbgrader.apps import NbGrader
        except ImportError:
            raise CourseError(
                "nbgrader is missing; run `pip install 'hearts-course[nbgrader]'`"
            ) from None
        self.app = NbGrader()
        # The command may run in the folder of another course, whose settings must not count.
        self.app.load_cwd_config = False
        self.app.log.setLevel(logging.CRITICAL)
        try:
            self.app.initialize([], root=str(root.resolve()))
        except SystemExit as error:  # raised by settings that cannot be used
            raise CourseError(f"{root / CONFIG}: {safe_line(str(error))}") from None
        self.root = Path(self.app.coursedir.root)

    @property
    def gradebook(self) -> str:
        """The gradebook's URL."""
        return str(self.app.coursedir.db_url)

    def check(self, stages: Iterable[Stage]) -> None:
        """Raise UsageError if nbgrader would not grade these stages in the sandbox."""
        settings = CourseConfig(parent=self.app)
        if not all(settings.is_stage(stage.name) for stage in stages):
            raise UsageError(
                f"{self.root / CONFIG}: nbgrader does not read what `hearts nbgrader` writes there;"
                " fix the file, and look whether settings elsewhere override CourseConfig"
            )

    def folder(self, step: str, stage: Stage) -> Path:
        """Return the stage's folder for the step `source` or `release`, as the settings name it."""
        name = getattr(self.app.coursedir, f"{step}_directory")
        return Path(self.app.coursedir.format_path(name, ".", stage.name))

    def own_assignments(self) -> list[str]:
        """Return the names of the folders in `source/` that do not belong to added stages."""
        source = self.root / self.app.coursedir.source_directory
        added = CourseConfig(parent=self.app).stages
        return sorted(path.name for path in source.glob("*/") if path.name not in added)

    def release(self, stage: Stage) -> None:
        """Let nbgrader make the students' version; raise CourseError with nbgrader's last error."""
        from nbgrader.apps import api
        from nbgrader.utils import capture_log

        self.app.coursedir.assignment_id = stage.name
        step = api.GenerateAssignment(coursedir=self.app.coursedir, parent=self.app)
        step.force = True
        handlers = self.app.log.handlers
        self.app.log.handlers = []
        self.app.log.setLevel(logging.INFO)
        try:
            done = capture_log(step)
        finally:
            self.app.log.handlers = handlers
        if not done["success"]:
            errors = [line for line in done.get("log", "").split("\n") if "Error: " in line]
            cause = (errors or done["error"].strip().split("\n"))[-1].strip()
            raise CourseError(f"{stage.name}: nbgrader: {cause}")

    def bring_dates_and_names(self, course: Course) -> None:
        """Copy due dates from the late policy, and names from its roster, into the gradebook."""
        from nbgrader.api import Gradebook

        from hearts_grader.nbgrader.gradebook import open_gradebook

        late_file = find_late_file(self.root)
        with Gradebook(self.gradebook, self.app.coursedir.course_id) as gradebook:
            for name, due in load_policy(course, late_file).due.items():
                if CourseConfig(parent=self.app).is_stage(name):
                    gradebook.update_or_create_assignment(name, duedate=due)
        with open_gradebook(self.gradebook) as ours:
            ours.name_students(roster_of_class(course, late_file))


def make_nbgrader_course(
    course: Course, root: Path, stages: Sequence[Stage], gradebook: str = ""
) -> Iterator[tuple[Stage, Path]]:
    """Write the nbgrader course, or bring it up to date; yield each stage once it is released.

    An instructor's own course gets some lines in its settings; all other existing settings stay.
    Raise UsageError for a folder that cannot be an nbgrader course; raise CourseError if nbgrader
    fails.
    """
    from hearts_grader.nbgrader.gradebook import open_gradebook

    _check_folder(root, course)
    config = root / CONFIG
    former = read_text(config) if config.exists() else None
    if former is None:
        write_whole(config, config_text(course, absolute_url(gradebook)))
    elif gradebook:
        raise UsageError(f"{config}: exists already; change the gradebook in it")
    elif is_own_course(root):
        added = dict.fromkeys((*added_stages(root), *(stage.name for stage in stages)))
        change_settings(root, _with_added(former, course, list(added)))
    try:
        nbgrader_course = NbgraderCourse(root)
        nbgrader_course.check(stages)
        with open_gradebook(nbgrader_course.gradebook):
            pass  # opening creates the gradebook
    except CourseError:
        if former is None:
            config.unlink()  # so that the next call can name another gradebook
        else:
            change_settings(root, former)
        raise
    for stage in stages:
        write_source(stage, nbgrader_course.folder("source", stage))
        nbgrader_course.release(stage)
        yield stage, nbgrader_course.folder("release", stage)
    nbgrader_course.bring_dates_and_names(course)


def change_settings(root: Path, text: str) -> Path:
    """Write an instructor's settings if they change; keep the file's mode; write through a link."""
    path = (root / CONFIG).resolve()
    if text != read_text(path):
        mode = path.stat().st_mode
        write_whole(path, text).chmod(mode)
    return path


def is_own_course(root: Path) -> bool:
    """Return whether the folder is an instructor's own course.

    Otherwise the folder is new, or a course of stages only. Raise UsageError for settings by an
    earlier version of this tool.
    """
    config = root / CONFIG
    text = read_text(config) if config.exists() else IMPORT
    if FORMER_IMPORT in text:
        raise UsageError(f"{config}: of an earlier version; change `{FORMER_IMPORT}` to `{IMPORT}`")
    return IMPORT not in text


def added_stages(root: Path) -> list[str]:
    """Return the stages that were added to an instructor's own course; none in another folder."""
    if not (root / CONFIG).exists() or not is_own_course(root):
        return []
    return list(CourseConfig(parent=NbgraderCourse(root).app).stages)


def additions(course: Course, root: Path, stages: Sequence[Stage]) -> list[str]:
    """Return lines that say how adding stages would change an instructor's own course.

    For any other course, or if the stages were added before, return no lines. Raise UsageError if
    the stages cannot be added.
    """
    from hearts_grader.nbgrader.gradebook import without_password

    _check_folder(root, course)
    if not is_own_course(root):
        return []
    nbgrader_course = NbgraderCourse(root)
    added = added_stages(root)
    if nbgrader_course.app.coursedir.directory_structure != STRUCTURE:
        raise UsageError(f"{root / CONFIG}: stages need the usual directory_structure, {STRUCTURE}")
    new = [stage for stage in stages if stage.name not in added]
    for stage in new:
        folder = nbgrader_course.folder("source", stage)
        if folder.exists() and not _is_ours(folder / f"{stage.name}.ipynb", stage):
            raise UsageError(f"{folder}: an assignment of your own; rename it to add this stage")
    if not new:
        return []
    names = [stage.name for stage in new]
    assignments = listed(nbgrader_course.own_assignments()) or "none yet"
    lines = [
        f"{root} is an nbgrader course of your own, with assignments: {assignments}.",
        f"To add {listed(names)}:",
        f"- {root / CONFIG} gets these lines at its end:",
    ]
    lines += [f"    {line}" for line in _added(course, [*added, *names]).splitlines()]
    for stage in new:
        folder = nbgrader_course.folder("source", stage)
        lines.append(f"- {folder} is written, and nbgrader releases it")
    gradebook = without_password(nbgrader_course.gradebook)
    lines.append(f"- the gradebook {gradebook} gets {listed(names)}")
    lines.append("Your own assignments, and all other settings, stay as they are.")
    return lines


def removal(course: Course, root: Path, stages: Sequence[Stage]) -> tuple[list[str], str]:
    """Return lines on what changes if stages are taken out, and the settings without the stages.

    If `stages` is empty, all added stages are taken out. Raise UsageError if none of the stages was
    added.
    """
    config = root / CONFIG
    added = added_stages(root)
    gone = added
    if stages:
        chosen = {stage.name for stage in stages}
        gone = [name for name in added if name in chosen]
    if not gone:
        raise UsageError(
            f"{root}: nothing to remove; stages added here: {', '.join(added) or 'none'}"
        )
    text = read_text(config)
    lines = [f"To take {listed(gone)} out, these lines of {config} go or change:"]
    for added_lines in ADDED_LINES.findall(text):
        lines += [f"    {line}" for line in added_lines.splitlines()]
    lines += [
        "Folders, submissions and grades stay. nbgrader itself cannot grade these stages, because",
        "the gradebook names a kernel for them that does not exist. To make it forget them:",
    ]
    lines += [f"    nbgrader db assignment remove {name} --force" for name in gone]
    return lines, _with_added(text, course, [name for name in added if name not in gone])


def _with_added(text: str, course: Course, stages: Sequence[str]) -> str:
    """Return the settings with the lines that add these stages, in place of our former lines."""
    other_lines = ADDED_LINES.sub("", text)
    if not stages:
        return other_lines
    if other_lines and not other_lines.endswith("\n"):
        other_lines += "\n"
    return other_lines + _added(course, stages)


def _added(course: Course, stages: Sequence[str]) -> str:
    """Return the lines that add the stages to an instructor's settings."""
    home = str(course.root.resolve())
    return ADDED.format(course=home, stages=list(stages), stop=stop_lines())


def _is_ours(notebook: Path, stage: Stage) -> bool:
    """Return whether this tool wrote the notebook for the stage, so that it may be replaced."""
    try:
        return bool(read_json(notebook)["metadata"]["hearts"]["stage"] == stage.name)
    except (CourseError, ValueError, KeyError, TypeError):
        return False


def config_text(course: Course, gradebook: str = "") -> str:
    """Return the settings of a new nbgrader course that has only stages of `course`."""
    home = str(course.root.resolve())
    return CONFIG_TEXT.format(
        import_line=IMPORT, course=home, gradebook=gradebook, stop=stop_lines()
    )


def _check_folder(root: Path, course: Course) -> None:
    """Raise UsageError if the folder cannot become an nbgrader course.

    It must not be inside the course. If it has files, it must already be an nbgrader course.
    """
    folder = root.resolve()
    home = course.root.resolve()
    if folder == home or any(folder.is_relative_to(home / name) for name in COURSE_FOLDERS):
        raise UsageError(f"{root}: this folder is in the course itself; choose another one")
    if root.is_dir() and any(root.iterdir()) and not (root / CONFIG).exists():
        raise UsageError(
            f"{root}: not empty, and not an nbgrader course (no {CONFIG}); choose another folder"
        )


def write_source(stage: Stage, folder: Path) -> None:
    """Write the stage's folder of `source/`; raise CourseError if that fails.

    nbgrader copies every file to `release/` as it is, except the notebook. So only the notebook may
    hold anything secret.
    """
    write_whole(folder / f"{stage.name}.ipynb", notebook_text(source_notebook(stage)))
    paths = [stage.assignment / name for name in ("README.md", *stage.files)]
    paths += [*stage.visible_tests, *stage.samples]
    for path in paths:
        text = read_text(path)
        if path.suffix == ".md":
            text = NOTEBOOK.text(text)
        write_whole(folder / path.name, linked_from_root(text))
    for name, text in shared_files(Course(stage.root), NOTEBOOK):
        write_whole(folder / name, text)


def source_notebook(stage: Stage) -> Any:
    """Return the notebook with the reference solution, and hidden tests as comments."""
    notebook = reference_notebook(stage)
    hidden = hidden_tests_by_task(stage)
    for cell in notebook.cells:
        if cell.id.startswith(CHECK) and (tests := hidden.get(cell.id.removeprefix(CHECK))):
            lines = "\n\n".join(tests).split("\n")
            commented = "\n".join(f"# {line}".rstrip() for line in lines)
            cell.source = HIDDEN_TESTS.format(stage.name, commented) + cell.source
    return notebook


def hidden_tests_by_task(stage: Stage) -> dict[str, list[str]]:
    """Map the id of each task to the texts of its hidden tests, in the order of the files.

    A test of several tasks is listed only for the first of them.
    """
    tests: dict[str, list[str]] = {}
    for test in suite_tests(stage):
        if test.hidden:
            task = test.tasks[0] if test.tasks else ""
            tests.setdefault(task, []).append(test.source)
    return tests
