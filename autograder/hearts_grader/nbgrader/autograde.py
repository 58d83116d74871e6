"""Grade submissions for `nbgrader autograde`, and for the button in formgrader that grades.

The programs run in the sandbox, and no notebook is executed. nbgrader's other steps run as usual.
These steps get a notebook that we have made, so a broken notebook of a student cannot stop them.
"""

import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat
import sqlalchemy
from hearts_course.errors import CourseError
from hearts_course.results import Result, Status
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.read import read_found
from hearts_course.submissions.untrusted import TIMESTAMP
from hearts_course.text import MARKUP, fenced, listed, safe_line
from nbformat.v4 import new_markdown_cell, new_output
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor, OverwriteCells
from traitlets import List

from hearts_grader.authoring.notebook import build_notebook
from hearts_grader.grading.final_scores import AWAITS, CHECK
from hearts_grader.grading.late_policy import Name, hand_in_time
from hearts_grader.nbgrader.course import CourseConfig
from hearts_grader.nbgrader.gradebook import open_gradebook
from hearts_grader.nbgrader.grader_view import check_outputs, notebook_to_grade, open_folder
from hearts_grader.nbgrader.hooks import UNREAD
from hearts_grader.nbgrader.late_penalties import set_late_penalties
from hearts_grader.nbgrader.programs import run_programs, store_of_attempts
from hearts_grader.nbgrader.stage_submissions import find_stage_submissions

SANITIZE = [
    "nbgrader.preprocessors.DeduplicateIds",
    "hearts_grader.nbgrader.autograde.RestoreCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
AUTOGRADE = [
    "hearts_grader.nbgrader.autograde.SandboxedExecute",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.CheckCellMetadata",
]
SECRET = "submission_secret.txt"  # holds a secret by which nbgrader's exchange names feedback pages
RESULT = "hearts"  # the result's key among nbconvert's resources
MAX_COPIED = 5 * 2**20  # files with more bytes are not copied


class StageAutograde(CourseConfig, autograde.Autograde):  # type: ignore[misc]
    """nbgrader's Autograde for a stage; it takes submissions in every form that we accept."""

    sanitize_preprocessors = List(SANITIZE)
    autograde_preprocessors = List(AUTOGRADE)

    def init_notebooks(self) -> None:
        """Find the submissions; raise NbGraderException if there are none."""
        wanted = self.coursedir.student_id
        excluded = self.coursedir.student_id_exclude.split(",")
        root = Path(self.coursedir.root) / self.coursedir.submitted_directory
        try:
            self._stage = self.stage(self.coursedir.assignment_id)
            stage_submissions = find_stage_submissions(
                root,
                self.load_course(),
                self._stage,
                warn=lambda line: self.log.warning(safe_line(line)),
            )
            store = store_of_attempts(Path(self.coursedir.root), stage_submissions.policy.counts)
            self._run_programs = partial(
                run_programs,
                course=self.load_course(),
                sandbox=self.sandbox,
                store=store,
                reuse=not self.force,
            )
            self._handed_in = stage_submissions.with_chosen_attempts(
                self.coursedir.db_url, self._grade
            )
        except CourseError as error:
            raise self._failure(str(error)) from None
        self._submissions: dict[str, SubmissionPath] = {}
        for name, path in self._handed_in.by_folder.items():
            is_wanted = name == wanted or fnmatchcase(name, wanted)
            if is_wanted and name not in excluded and not self._is_markup(name):
                self._submissions[name] = path
        if not self._submissions:
            raise self._failure(f"no submission of {wanted}")
        self.assignments = dict.fromkeys(self._submissions, ())

    def _is_markup(self, folder: str) -> bool:
        """Return whether the folder's name has HTML markup; if so, log an error.

        formgrader does not escape names, so it would show such a name as HTML.
        """
        if marks := [mark for mark in MARKUP if mark in folder]:
            self.log.error(
                "%s: not graded: the folder's name contains %s; rename the folder",
                safe_line(folder),
                listed(marks),
            )
        return bool(marks)

    def _grade(self, paths: Sequence[SubmissionPath]) -> dict[Name, Result]:
        """Grade the attempts at `paths`; map each attempt's (student, stage) to its result."""
        results = self._run_programs({path.student: path for path in paths})
        return {(result.student, result.stage): result for _, result in results}

    def convert_notebooks(self) -> None:
        """Grade several submissions at a time, and keep each result as it comes.

        Raise NbGraderException at once if the gradebook cannot be used. If some submissions cannot
        be graded, grade all others first, and raise the exception at the end.
        """
        self._check_gradebook()
        todo = {name: path for name, path in self._submissions.items() if self._is_due(name)}
        if skipped := len(self._submissions) - len(todo):
            self.log.info("%s graded already; --force grades again", skipped)
        results = self._run_programs(todo)
        failed: list[str] = []
        kept: list[Result] = []
        for name, result in results:
            if self._keep(name, result):
                kept.append(replace(result, student=name))
            else:
                failed.append(name)
        # Set the penalties of all submissions again, because a new policy or extension also affects
        # submissions that were not graded in this run.
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            by_status = set_late_penalties(gradebook, self._handed_in, self.load_course())
        for status in (AWAITS, UNREAD):
            if names := by_status.get(status):
                self.log.warning("%s (%s): %s", status, len(names), ", ".join(names))
        with open_gradebook(self.coursedir.db_url) as gradebook:
            gradebook.name_students(self._handed_in.roster)
            gradebook.comment(kept, [self._stage], self._handed_in.comments)
        if failed:
            raise self._failure(f"{len(failed)} not graded: {', '.join(map(safe_line, failed))}")

    def _check_gradebook(self) -> None:
        """Raise NbGraderException unless the gradebook's notebook is the course's.

        Cells are compared by their ids. If the stage was changed after its release, the ids may
        differ, and some points would have no cell.
        """
        name = self._stage.name
        cells = build_notebook(self._stage).cells
        wanted = {cell.id for cell in cells if "nbgrader" in cell.metadata}
        try:
            with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
                stored = {cell.name for cell in gradebook.find_notebook(name, name).source_cells}
        except MissingEntry:
            stored = set()
        if stored != wanted:
            raise self._failure(
                f"the gradebook has {'another' if stored else 'no'} notebook of {name}; "
                "run `hearts nbgrader` on this folder (again)"
            )

    def _is_due(self, student: str) -> bool:
        """Return whether to grade the submission.

        Grade it if `force` is set, if it has no result, or if its time has changed.
        """
        folder = self._destination(student)
        if self.force or not folder.exists():
            return True
        time = self._handed_in.stamp(self._submissions[student])
        graded_time = hand_in_time(folder)
        # Without a time, nothing shows that the submission is new. Only --force grades it again.
        return time is not None and time != graded_time

    def _keep(self, student: str, result: Result) -> bool:
        """Put a result into gradebook and `autograded/`, and log it; return whether that worked.

        After a grader error, nothing changes. If the folder cannot be completed, it is deleted,
        because formgrader would show a half-written one. The secret in an earlier folder is kept,
        because the student's feedback page is named after it.

        Raise NbGraderException if the gradebook cannot be used, because every other submission
        would fail as well.
        """
        name = safe_line(student)
        folder = self._destination(student)
        if result.status is Status.GRADER_ERROR:
            self.log.error("%s: not graded, because the grader failed: %s", name, result.message)
            return False
        secret = next((data for file, data in _files(folder) if file == SECRET), b"")
        try:
            shutil.rmtree(folder, ignore_errors=True)
            self.init_assignment(self._stage.name, student)
            if not (folder / SECRET).exists():
                _write(folder / SECRET, secret or secrets.token_hex().encode())
            self._convert(student, result)
            if result.status is not Status.GRADED:
                self._ask_for_a_look(student)
            for path in folder.rglob("*"):
                if path.is_file():
                    # nbgrader stores an octal mode as a decimal number with the same digits: 664.
                    path.chmod(int(str(self.permissions), 8))
        # Catch Ctrl-C as well, because a half-written folder would look like a graded one.
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, sqlalchemy.exc.OperationalError):
                raise self._failure(f"the gradebook cannot be used: {error.orig}") from None
            if not isinstance(error, Exception):
                raise
            reason = safe_line(str(error))
            self.log.error("%s: not graded: %s: %s", name, type(error).__name__, reason)
            return False
        status = ": ".join(filter(None, (result.status.value, result.message)))
        log = self.log.info if result.status is Status.GRADED else self.log.warning
        log("%s: %g of %s, %s", name, result.score, result.max_score, status)
        return True

    def _ask_for_a_look(self, student: str) -> None:
        """Let formgrader list an ungraded submission for manual grading.

        formgrader lists a submission if one of its cells waits for a person, so mark the first
        task's cell as waiting.
        """
        name = self._stage.name
        cell = f"{CHECK}{self._stage.tasks[0].id}"
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            grade = gradebook.find_grade(cell, name, name, student)
            grade.needs_manual_grade = grade.manual_score is None
            gradebook.db.commit()

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Add the submission to the gradebook; copy its files, then the course's files.

        This method replaces nbgrader's. It copies no notebook, because `_convert` writes one. Every
        member of a group gets the author's files, but not the secret that names the author's
        feedback page.
        """
        path = self._submissions[student_id]
        is_author = path.by in ("", path.student)
        stamp = self._handed_in.stamp(path)
        times = {"timestamp": stamp} if stamp else {}
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            gradebook.update_or_create_student(student_id)
            gradebook.update_or_create_submission(assignment_id, student_id, **times)
        folder = self._destination(student_id)
        folder.mkdir(parents=True)
        students_own = self._stage.files
        source = self.coursedir.format_path(self.coursedir.source_directory, ".", assignment_id)
        ours = {name: data for name, data in _files(Path(source)) if name not in students_own}
        our_files = {f"{assignment_id}.ipynb", *ours}
        our_folders = _folders_of(ours)
        for name, data in _files(path.path):
            # Leave out a student's folder that has the name of one of our files, and a student's
            # file that has the name of one of our folders. They would be in the way. A student's
            # file with the name of one of our files is replaced below.
            is_free = name not in our_folders and our_files.isdisjoint(_folders_of([name]))
            if is_free and (is_author or name != SECRET):
                _write(folder / name, data)
        for name, data in ours.items():
            _write(folder / name, data)
        # nbgrader's release_feedback needs the timestamp file, even if the file is empty.
        _write(folder / TIMESTAMP, f"{stamp} UTC\n".encode() if stamp else b"")

    def _convert(self, student: str, result: Result) -> None:
        """Run nbgrader's steps on the submission's notebook.

        Save the scores in the gradebook, and write the graded notebook into `autograded/`.
        """
        path = self._submissions[student]
        name = self._stage.name
        notebook = notebook_to_grade(self._stage, path.path, read_found(path))
        if note := self._handed_in.group_note(path):
            notebook.cells.append(new_markdown_cell(fenced(safe_line(note)), id="group"))
        ids = {"student": student, "assignment": name, "notebook": name}
        # As in nbgrader, the first pass cleans the notebook, and the second pass saves the scores
        # of the clean notebook.
        for sanitizing in (True, False):
            resources: Any = {"unique_key": name, "output_files_dir": f"{name}_files"}
            resources["nbgrader"] = {**ids, "db_url": self.coursedir.db_url}
            resources[RESULT] = result
            self._sanitizing = sanitizing
            self._init_preprocessors()
            output, _ = self.exporter.from_notebook_node(notebook, resources)
            notebook = nbformat.reads(output, as_version=4)
        _write(self._destination(student) / f"{name}.ipynb", output.encode())

    def _destination(self, student: str) -> Path:
        """Return the student's folder in `autograded/`."""
        return Path(self._format_dest(self._stage.name, student))

    def _failure(self, line: str) -> NbGraderException:
        """Log the line; return the exception that ends nbgrader's command.

        The caller raises it, so that a reader of the code sees `raise` where the command ends.
        """
        self.log.error(line)
        return NbGraderException(line)


def _folders_of(names: Iterable[str]) -> set[str]:
    """Return every folder that contains one of these files, directly or in a folder below it."""
    return {str(folder) for name in names for folder in PurePosixPath(name).parents}


def _files(path: Path | None) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of a folder's ordinary files; leave out notebooks and links."""
    if folder := open_folder(path):
        for name in folder.names:
            if not name.endswith(".ipynb"):
                with suppress(Unreadable):
                    yield name, folder.read(name, MAX_COPIED)


def _write(path: Path, data: bytes) -> None:
    """Write the file, and the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


class SandboxedExecute(CourseConfig, NbGraderPreprocessor):  # type: ignore[misc]
    """Puts the result of grading into the cells from which nbgrader reads scores.

    This step takes the place of nbgrader's step Execute, which would run the cells.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook with the outputs from which nbgrader reads scores.

        Raise NbGraderException if `resources` has no result. This happens if nbgrader runs its own
        Autograde in place of StageAutograde.
        """
        stage = self.stage(resources["nbgrader"]["assignment"])
        if RESULT not in resources:
            raise NbGraderException("call hearts_grader's `configure` in nbgrader_config.py")
        result: Result = resources[RESULT]
        tasks = {f"{CHECK}{task.task}": task for task in result.tasks}
        outputs = check_outputs(result, stage)
        for cell in nb.cells:
            marks = cell.metadata.get("nbgrader", {})
            task = tasks.get(marks.get("grade_id", ""))
            # Remove every output, because a student's outputs were not computed here.
            if cell.cell_type == "code":
                cell.outputs = []
                cell.execution_count = None
            if marks.get("grade") and cell.cell_type == "code" and task:
                # nbgrader takes the number in an `execute_result` as the points of the cell.
                points = repr(float(min(max(task.score, 0), task.max_score)))
                cell.outputs = [
                    new_output("stream", name="stdout", text=outputs[task.task]),
                    new_output("execute_result", {"text/plain": points}, execution_count=1),
                ]
            elif marks.get("grade") and marks.get("solution") and result.status is Status.GRADED:
                marks.pop("checksum", None)  # a checksum makes nbgrader give 0 to an unchanged cell
        return nb, resources


class RestoreCells(OverwriteCells):  # type: ignore[misc]
    """nbgrader's OverwriteCells without warnings, because only our hidden tests are put back."""

    def report_change(self, name: str, attr: str, old: Any, new: Any) -> None:
        """Report nothing."""


def submitted_at(api: Any, assignment_id: str, student_id: str) -> datetime | None:
    """Return when a submission came; formgrader's own function fails on an invalid time."""
    coursedir = api.coursedir
    submitted = coursedir.submitted_directory
    return hand_in_time(Path(coursedir.format_path(submitted, student_id, assignment_id)))
