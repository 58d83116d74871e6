"""`nbgrader autograde`, and formgrader's button, across the trust boundary.

    Autograde    takes the place of nbgrader's converter: no submission can stop another
    SandboxedExecute   takes the place of its Execute: no cell runs, the grader's result is put in
    install      has nbgrader's commands and formgrader use the converter

nbgrader's other steps stay: they find a notebook in which there is nothing to be surprised by.
"""

import shutil
import warnings
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat
import sqlalchemy
from nbformat.v4 import new_output
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import autograde as theirs
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor, OverwriteCells

from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.grading.final_scores import CHECK, handed_in
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.nbgrader.grader_view import shown, verdict
from hearts_course.nbgrader.settings import CourseConfig
from hearts_course.results import Result, Status
from hearts_course.submissions.find import SubmissionPath, find_submissions
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.read import read_submission
from hearts_course.submissions.untrusted import TIMESTAMP, Folder
from hearts_course.text import safe_line

RESULT = "hearts"  # where a result lies among nbconvert's resources
MOST_COPIED = 5 * 2**20


class Autograde(CourseConfig, theirs.Autograde):  # type: ignore[misc]
    """nbgrader's Autograde for a stage's submissions, of whatever form they are."""

    def init_notebooks(self) -> None:
        """Find the submissions; raises NbGraderException if there is nothing to grade."""
        try:
            slots = list(self._slots())
        except CourseError as fault:
            raise self._refused(str(fault)) from None
        if not slots:
            raise self._refused(f"nothing of {self.coursedir.student_id} was handed in")
        self._by_student = {slot.path.parent.name: slot for slot in slots if slot.path}
        self.assignments = dict.fromkeys(self._by_student, ())

    def _slots(self) -> Iterator[SubmissionPath]:
        self._stage = self.stage(self.coursedir.assignment_id)
        root = Path(self.coursedir.root) / self.coursedir.submitted_directory
        wanted = self.coursedir.student_id
        excluded = self.coursedir.student_id_exclude.split(",")
        for slot in find_submissions(root, self.the_course(), [self._stage.name]).paths:
            if slot.path is None:
                continue
            student = slot.path.parent.name
            if student not in excluded and (student == wanted or fnmatchcase(student, wanted)):
                yield slot

    def convert_notebooks(self) -> None:
        """Grade them, several at a time, and keep each result as it comes.

        Raises NbGraderException, at the end, if some could not be graded through no fault of
        theirs, and at once if the gradebook cannot be used.
        """
        self._check_gradebook()
        todo = {name: slot for name, slot in self._by_student.items() if self._is_due(name)}
        skipped = len(self._by_student) - len(todo)
        if skipped:
            self.log.info("%s graded already; --force grades again", skipped)
        failed = [name for name, result in self._results(todo) if not self._keep(name, result)]
        if failed:
            raise self._refused(f"{len(failed)} not graded: {', '.join(map(safe_line, failed))}")

    def _check_gradebook(self) -> None:
        """Raises NbGraderException if the gradebook's notebook is not the course's."""
        from hearts_course.authoring.notebook import build_notebook

        name = self._stage.name
        wanted = {
            cell.id for cell in build_notebook(self._stage).cells if "nbgrader" in cell.metadata
        }
        try:
            with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
                there = {cell.name for cell in gradebook.find_notebook(name, name).source_cells}
        except MissingEntry:
            there = set()
        if there != wanted:
            raise self._refused(
                f"the gradebook has {'another' if there else 'no'} notebook of {name}; "
                "run `hearts nbgrader` on this folder (again)"
            )

    def _is_due(self, student: str) -> bool:
        """Whether there is no result, or one of an older submission, or grading is forced."""
        place = Path(self._format_dest(self._stage.name, student))
        if self.force or not place.exists():
            return True
        new, old = handed_in(self._by_student[student].path), handed_in(place)
        return new is not None and old is not None and new > old

    def _results(self, todo: dict[str, SubmissionPath]) -> Iterator[tuple[str, Result]]:
        """Each student's result, as they are ready."""
        from hearts_course.grading.pool import LocalExecutor, grade_all

        folders = {slot.student: name for name, slot in todo.items()}
        units = [GradeJob(slot.stage, slot, self.sandbox) for slot in todo.values()]
        crew = LocalExecutor(min(LocalExecutor().places, max(1, len(units))))
        with closing(grade_all(units, crew)) as coming:
            for result in coming:
                yield folders[result.student], result

    def _keep(self, student: str, result: Result) -> bool:
        """Put a result into gradebook and `autograded/`; says in one line how that went."""
        name = safe_line(student)
        if result.status is Status.GRADER_ERROR:
            self.log.error("%s: not graded, through no fault of theirs: %s", name, result.message)
            return False
        place = Path(self._format_dest(self._stage.name, student))
        try:
            shutil.rmtree(place, ignore_errors=True)
            self.init_assignment(self._stage.name, student)
            self._convert(student, result)
            _lock(place, int(str(self.permissions), 8))
        except sqlalchemy.exc.OperationalError as error:
            shutil.rmtree(place, ignore_errors=True)
            raise self._refused(f"the gradebook cannot be used: {error.orig}") from None
        except BaseException as error:
            shutil.rmtree(place, ignore_errors=True)
            if not isinstance(error, Exception):
                raise
            self.log.error(
                "%s: not graded: %s: %s", name, type(error).__name__, safe_line(str(error))
            )
            return False
        said = f"{result.status.value}: {result.message}" if result.message else result.status.value
        self.log.info("%s: %g of %s, %s", name, result.score, result.max_score, said)
        return True

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Note the submission in the gradebook; copy its files, and ours, beside the notebook."""
        slot = self._by_student[student_id]
        stamp = handed_in(slot.path)
        known = {"timestamp": stamp} if stamp else {}
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            gradebook.update_or_create_student(student_id)
            gradebook.update_or_create_submission(assignment_id, student_id, **known)
        place = Path(self._format_dest(assignment_id, student_id))
        place.mkdir(parents=True)
        kept = self.exclude_overwriting.get(assignment_id, [])
        source = Path(
            self.coursedir.format_path(self.coursedir.source_directory, ".", assignment_id)
        )
        ours = {name: data for name, data in _files(source) if name not in kept}
        files = {f"{assignment_id}.ipynb", *ours}
        for name, data in _files(slot.path):
            if files.isdisjoint(map(str, PurePosixPath(name).parents)):  # no folder in our way
                _write(place / name, data)
        for name, data in ours.items():
            _write(place / name, data)
        if stamp:
            _write(place / TIMESTAMP, f"{stamp} UTC\n".encode())

    def _convert(self, student: str, result: Result) -> None:
        """Run nbgrader's steps on the notebook of the submission; the last ones keep its scores."""
        slot, name = self._by_student[student], self._stage.name
        notebook = shown(self._stage, slot.path, read_submission(slot.path, student, self._stage))
        for sanitizing in (True, False):
            about = {"student": student, "assignment": name, "notebook": name}
            resources: Any = {"unique_key": name, "output_files_dir": f"{name}_files"}
            resources["nbgrader"] = {**about, "db_url": self.coursedir.db_url}
            resources[RESULT] = result
            self._sanitizing = sanitizing
            self._init_preprocessors()
            output, resources = self.exporter.from_notebook_node(notebook, resources)
            notebook = nbformat.reads(output, as_version=4)
        _write(Path(self._format_dest(name, student)) / f"{name}.ipynb", output.encode())

    def _refused(self, line: str) -> NbGraderException:
        """The exception that ends nbgrader's command, with a line that says why."""
        self.log.error(line)
        return NbGraderException(line)


def _files(folder: Path | None) -> Iterator[tuple[str, bytes]]:
    """The ordinary files of a folder that are no notebooks, by their path in it; never a link."""
    try:
        box = Folder(folder) if folder and folder.is_dir() and not folder.is_symlink() else None
    except Unreadable:
        return
    for name in box.names if box else ():
        if not name.endswith(".ipynb"):
            with suppress(Unreadable):
                yield name, box.read(name, MOST_COPIED) if box else b""


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _lock(place: Path, permissions: int) -> None:
    for path in place.rglob("*"):
        if path.is_file():
            path.chmod(permissions)


class SandboxedExecute(CourseConfig, NbGraderPreprocessor):  # type: ignore[misc]
    """Puts the grader's result into the check cells; no cell is ever executed.

    The result comes from the converter. Without ours, as when only the preprocessor is configured,
    the submission is graded here, by the same functions.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """The notebook with the outputs that nbgrader reads scores from."""
        about = resources["nbgrader"]
        stage = self.stage(about["assignment"])
        result = resources.get(RESULT) or self._graded(stage, about["student"])
        tasks = {task.task: task for task in result.tasks}
        for cell in nb.cells:
            marks = cell.metadata.get("nbgrader", {})
            task = marks.get("grade_id", "").removeprefix(CHECK)
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
            if marks.get("grade") and cell.cell_type == "code" and task in tasks:
                number = stage.number(stage.task(task))
                cell.outputs = _outputs(result, tasks[task], number)
            elif marks.get("grade") and marks.get("solution") and result.status is Status.GRADED:
                marks.pop("checksum", None)  # unchanged or not: a person is to look at the program
        return nb, resources

    def _graded(self, stage: Stage, student: str) -> Result:
        course = self.config.CourseDirectory
        root = Path(course.get("root", ".")) / course.get("submitted_directory", "submitted")
        slots = find_submissions(root, self.the_course(), [stage.name]).paths
        (slot,) = (slot for slot in slots if slot.path and slot.path.parent.name == student)
        result = grade_one(GradeJob(stage, slot, self.sandbox))
        if result.status is Status.GRADER_ERROR:
            raise NbGraderException(f"{student}: {result.message}")
        return result


def _outputs(result: Result, task: Any, number: int) -> list[Any]:
    """What a check says, and, as its value, the points: a bare number, never above the most."""
    points = float(min(max(task.score, 0), task.max_score))
    return [
        new_output("stream", name="stdout", text=verdict(result, task, number)),
        new_output("execute_result", {"text/plain": repr(points)}, execution_count=1),
    ]


class KeepCells(OverwriteCells):  # type: ignore[misc]
    """nbgrader's OverwriteCells, silent about the hidden tests that it puts back."""

    def report_change(self, name: str, attr: str, old: Any, new: Any) -> None:
        """Nothing: the cells are ours, and no student's change has come this far."""


def submitted_at(api: Any, assignment_id: str, student_id: str) -> datetime | None:
    """When a submission was handed in, for formgrader, which a time it cannot read would stop."""
    coursedir = api.coursedir
    place = coursedir.format_path(coursedir.submitted_directory, student_id, assignment_id)
    return handed_in(Path(place))


def install() -> None:
    """Have nbgrader's commands and formgrader use our converter: they name theirs outright."""
    from nbgrader.apps import api, autogradeapp

    warnings.filterwarnings("ignore", category=sqlalchemy.exc.SAWarning, module="nbgrader")
    api.Autograde = autogradeapp.Autograde = Autograde
    api.NbGraderAPI.get_submitted_timestamp = submitted_at
