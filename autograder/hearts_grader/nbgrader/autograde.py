"""`nbgrader autograde` and formgrader's button: programs run in the sandbox, and no cell is run.

nbgrader's other steps stay. They get a notebook that this tool made, so a broken notebook of a
student cannot stop them.
"""

import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat
import sqlalchemy
from hearts_course.errors import CourseError
from hearts_course.results import Result, Status
from hearts_course.submissions.find import Layout, SubmissionPath, find_submissions
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
from hearts_grader.grading.attempts import attempts_of, choose, graded_before, scores_of
from hearts_grader.grading.cache import CacheKeys
from hearts_grader.grading.final_scores import (
    AWAITS,
    CHECK,
    NO_ENTRY,
    GradebookEntry,
    HandedIn,
    adjustment,
    entry_of,
    penalty,
)
from hearts_grader.grading.grade import GradeJob
from hearts_grader.grading.late_policy import (
    NO_TIME,
    Counts,
    Lateness,
    LatePolicy,
    Name,
    hand_in_time,
)
from hearts_grader.grading.pool import LocalExecutor, grade_all
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from hearts_grader.lms.groups import grouped
from hearts_grader.nbgrader.class_dates import policy_of_class, roster_of_class
from hearts_grader.nbgrader.course import CourseConfig
from hearts_grader.nbgrader.gradebook import open_gradebook
from hearts_grader.nbgrader.grader_view import check_outputs, notebook_to_grade, open_folder
from hearts_grader.nbgrader.hooks import UNREAD, status_of
from hearts_grader.reports.comments import load_comments

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
SECRET = "submission_secret.txt"  # of nbgrader's exchange; it names the page with feedback
RESULT = "hearts"  # the result's key among nbconvert's resources
MAX_COPIED = 5 * 2**20  # bytes of a file


class StageAutograde(CourseConfig, autograde.Autograde):  # type: ignore[misc]
    """nbgrader's Autograde for a stage's submissions, in every form in which they are handed in."""

    sanitize_preprocessors = List(SANITIZE)
    autograde_preprocessors = List(AUTOGRADE)

    def init_notebooks(self) -> None:
        """Find the submissions; raise NbGraderException if there are none."""
        wanted = self.coursedir.student_id
        excluded = self.coursedir.student_id_exclude.split(",")
        root = Path(self.coursedir.root) / self.coursedir.submitted_directory
        try:
            self._stage = self.stage(self.coursedir.assignment_id)
            layout = find_submissions(root, self.load_course(), [self._stage.name])
            # Note each student's own folder first: `grouped` lets the paths of all members lead to
            # the group's program, which may be in another member's folder.
            folder_of = {path.student: path.path.parent.name for path in layout.paths if path.path}
            ungrouped = layout
            layout = grouped(layout, self.load_course())
            for line in layout.warnings[len(ungrouped.warnings) :]:
                self.log.warning(safe_line(line))
            # By student, nbgrader's name for the student: that of the student's folder. A member of
            # a group may have no folder.
            folders = {}
            for path in layout.paths:
                if path.path:
                    folders[path.student] = folder_of.get(path.student, path.student)
            self._policy = policy_of_class(self.load_course(), layout.late_file, folders)
            self._roster = roster_of_class(self.load_course(), layout.late_file)
            self._comments = load_comments(self.load_course(), layout.comments_file)
            layout, self._hand_ins = self._chosen(layout)
        except CourseError as error:
            raise self._failure(str(error)) from None
        self._folders = folders
        self._submissions: dict[str, SubmissionPath] = {}
        for path in layout.paths:
            if path.path:
                name = folders[path.student]
                is_wanted = name == wanted or fnmatchcase(name, wanted)
                if is_wanted and name not in excluded and not self._is_markup(name):
                    self._submissions[name] = path
        if not self._submissions:
            raise self._failure(f"no submission of {wanted}")
        self.assignments = dict.fromkeys(self._submissions, ())

    def _is_markup(self, folder: str) -> bool:
        """Return whether formgrader, which does not escape names, would read this name as HTML."""
        if marks := [mark for mark in MARKUP if mark in folder]:
            self.log.error(
                "%s: not graded: the folder's name contains %s; rename the folder",
                safe_line(folder),
                listed(marks),
            )
        return bool(marks)

    def _chosen(self, layout: Layout) -> tuple[Layout, dict[Name, HandedIn]]:
        """Return the attempts that count, and when each came; grade all if the best counts.

        `HandedIn` says when an attempt came, which attempt it is, and which member of a group
        handed it in. The gradebook knows extensions, which decide whether an attempt was in time.
        """
        # Without earlier attempts there is nothing to choose between, and the gradebook need not be
        # opened.
        if not layout.attempts:
            return choose(layout, {}, self._policy.counts, {})
        with open_gradebook(self.coursedir.db_url) as gradebook:
            attempts = attempts_of(layout, self._policy, gradebook.entries())

        def grade(paths: Sequence[SubmissionPath]) -> dict[Name, Result]:
            """Return the results of these attempts, by student and stage."""
            todo = {path.student: path for path in paths}
            results = self._results(todo, reuse=not self.force)
            return {(result.student, result.stage): result for _, result in results}

        # The latest attempt is known by its time alone; only the best one must be found by grading
        # all.
        scores: Mapping[Name, Sequence[float | None]] = {}
        if self._policy.counts is Counts.BEST:
            scores = scores_of(attempts, grade)
        return choose(layout, attempts, self._policy.counts, scores)

    def convert_notebooks(self) -> None:
        """Grade several submissions at a time, and keep each result as it comes.

        Raise NbGraderException at once if the gradebook cannot be used, and at the end if the
        grader failed on some submissions: the others are graded all the same.
        """
        self._check_gradebook()
        todo = {name: path for name, path in self._submissions.items() if self._is_due(name)}
        if skipped := len(self._submissions) - len(todo):
            self.log.info("%s graded already; --force grades again", skipped)
        results = self._results(todo, reuse=not self.force)
        failed: list[str] = []
        kept: list[Result] = []
        for name, result in results:
            if self._keep(name, result):
                kept.append(replace(result, student=name))
            else:
                failed.append(name)
        # Penalties of all submissions are set again, because a changed policy or extension also
        # changes submissions that were not graded in this run.
        self._set_late_penalties()
        with open_gradebook(self.coursedir.db_url) as gradebook:
            gradebook.name_students(self._roster)
            gradebook.comment(kept, [self._stage], self._comments)
        if failed:
            raise self._failure(f"{len(failed)} not graded: {', '.join(map(safe_line, failed))}")

    def _set_late_penalties(self) -> None:
        """Set due date and late penalties of all submissions by the current dates.

        Log who awaits points by hand, and whose submission could not be read.

        A budget of late days pays for all stages together, so the lateness with other stages is
        read from the gradebook first. Submissions of another class in the same gradebook keep their
        penalties.
        """
        stage = self._stage.name
        waiting: dict[str, list[str]] = {}
        students = {folder: student for student, folder in self._folders.items()}
        entries: dict[Name, GradebookEntry] = {}
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            if due := self._policy.due.get(stage):
                gradebook.update_or_create_assignment(stage, duedate=due)
            every = gradebook.assignment_submissions(stage)
            for submission in every:
                name = students.get(submission.student.id, submission.student.id), stage
                entries[name] = GradebookEntry(
                    submission.timestamp, submission.extension or NO_TIME
                )
            other_stages = {other.name for other in self.load_course().stages} - {stage}
            others = lateness_by_stage(gradebook, other_stages, self._policy, students)
            for submission in every:
                name = students.get(submission.student.id, submission.student.id), stage
                waiting.setdefault(status_of(submission), []).append(
                    safe_line(submission.student.id)
                )
                hand_in = self._hand_ins.get(name)
                if hand_in is None:  # of another class in the same gradebook
                    continue
                entry = entry_of(name, hand_in.group, entries)
                dated = adjustment(name[0], self._stage, entry, self._policy, hand_in)
                late = {stage: dated.late, **others.get(name[0], {})}
                dated = replace(dated, late=self._policy.spend(name[0], late)[stage])
                for notebook in submission.notebooks:
                    points = penalty(notebook.score, dated.lost)
                    notebook.late_submission_penalty = points or None
            gradebook.db.commit()
        for status in (AWAITS, UNREAD):
            if names := waiting.get(status):
                self.log.warning("%s (%s): %s", status, len(names), ", ".join(names))

    def _check_gradebook(self) -> None:
        """Raise NbGraderException unless the gradebook's notebook is the course's.

        The cells are compared by their ids. They differ if the stage was changed after its release,
        and then the points would have no cell to go to.
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
        """Return whether to grade: without a result, with a newer submission, or with `force`."""
        folder = self._destination(student)
        if self.force or not folder.exists():
            return True
        time = self._stamp(student)
        graded_time = hand_in_time(folder)
        # A submission without a time cannot be shown to be newer, so it is left as graded; --force
        # grades it.
        return time is not None and time != graded_time

    def _stamp(self, student: str) -> datetime | None:
        """Return when the submission of the folder `student` came, None if that is unknown."""
        return self._hand_ins[self._submissions[student].name].stamp

    def _results(
        self, todo: dict[str, SubmissionPath], *, reuse: bool
    ) -> Iterator[tuple[str, Result]]:
        """Yield folders and results; a group's program runs once.

        If the best attempt counts, store each result. So an attempt that was graded to find the
        best one is not graded again. With `reuse`, yield stored results.

        A result is yielded once for each member of a group, with the member's name in it. A failure
        of the grader is not stored, so that the next run tries again.
        """
        folders = {path.student: name for name, path in todo.items()}
        store = Store(Path(self.coursedir.root))
        keys = CacheKeys(self.load_course())
        # If the latest attempt counts, nbgrader's own folders tell what is graded already.
        uses_store = self._policy.counts is Counts.BEST
        sharing: dict[Path | None, list[str]] = {}
        for name, path in todo.items():
            key = keys.of(path) if uses_store and reuse else None
            if key and (record := graded_before(store, path, key, self.sandbox)):
                yield name, record.result
            else:
                sharing.setdefault(path.path, []).append(name)
        jobs = []
        for first, *_ in sharing.values():
            jobs.append(GradeJob(todo[first].stage, todo[first], self.sandbox))
        # No more workers than programs: each worker takes time and memory to start.
        executor = LocalExecutor(most=len(jobs))
        with closing(grade_all(jobs, executor)) as results:
            for result in results:
                for name in sharing[todo[folders[result.student]].path]:
                    mine = replace(result, student=todo[name].student)
                    if uses_store and result.status is not Status.GRADER_ERROR:
                        key = keys.of(todo[name])
                        store.attempts(key).save(Record(mine, key))
                    yield name, mine

    def _keep(self, student: str, result: Result) -> bool:
        """Put a result into gradebook and `autograded/`, and log it; return whether that worked.

        Whatever goes wrong, no half-written folder stays, because formgrader would show it. The
        secret of an earlier folder stays: the student's page with feedback is named after it.

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
                    # nbgrader has the digits of the mode as a decimal number, such as 664.
                    path.chmod(int(str(self.permissions), 8))
        # Ctrl-C also ends here, because a half-written folder would look like a graded one.
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
        """Let formgrader list a submission without a program for manual grading.

        formgrader lists a submission if one of its cells waits for a person, so the first task's
        cell waits.
        """
        name = self._stage.name
        cell = f"{CHECK}{self._stage.tasks[0].id}"
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            grade = gradebook.find_grade(cell, name, name, student)
            grade.needs_manual_grade = grade.manual_score is None
            gradebook.db.commit()

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Note the submission in the gradebook; copy its files, then ours, beside the notebook.

        This method replaces nbgrader's. It copies no notebook, because `_convert` writes one. The
        files of a group's author go to every member, except the secret that names the author's page
        with feedback.
        """
        path = self._submissions[student_id]
        is_author = path.by in ("", path.student)
        stamp = self._stamp(student_id)
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
            # file that has the name of one of our folders: ours could not be written then. A file
            # with the name of one of our files is replaced by ours below.
            is_free = name not in our_folders and our_files.isdisjoint(_folders_of([name]))
            if is_free and (is_author or name != SECRET):
                _write(folder / name, data)
        for name, data in ours.items():
            _write(folder / name, data)
        # nbgrader's release_feedback needs the file, even without a time in it.
        _write(folder / TIMESTAMP, f"{stamp} UTC\n".encode() if stamp else b"")

    def _convert(self, student: str, result: Result) -> None:
        """Run nbgrader's steps on the submission's notebook; the last of them save its scores."""
        path = self._submissions[student]
        name = self._stage.name
        notebook = notebook_to_grade(self._stage, path.path, read_found(path))
        if note := self._group_note(student):
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

    def _group_note(self, student: str) -> str:
        """Return who of a group handed the submission in, and which attempt it is; "" for none."""
        hand_in = self._hand_ins[self._submissions[student].name]
        if not hand_in.group:
            return ""
        dated = adjustment(student, self._stage, NO_ENTRY, self._policy, hand_in)
        counting = f" This is {dated.attempt_that_counts}." if dated.attempts else ""
        return f"Handed in by {hand_in.by}, for {listed(hand_in.group)}.{counting}"

    def _destination(self, student: str) -> Path:
        """Return the student's folder in `autograded/`."""
        return Path(self._format_dest(self._stage.name, student))

    def _failure(self, line: str) -> NbGraderException:
        """Log the line; return the exception that ends nbgrader's command.

        It is returned and not raised, so that a reader sees `raise` where the command ends.
        """
        self.log.error(line)
        return NbGraderException(line)


def lateness_by_stage(
    gradebook: Gradebook, stages: Collection[str], policy: LatePolicy, students: Mapping[str, str]
) -> dict[str, dict[str, Lateness]]:
    """Return how late each student was with these stages, because one budget pays for all.

    The result maps a student to the lateness with each stage. `students` maps names in the
    gradebook to the students' names where they differ. Assignments of the instructor's own are left
    out.
    """
    late: dict[str, dict[str, Lateness]] = {}
    for assignment in gradebook.assignments:
        if assignment.name not in stages:
            continue
        for submission in gradebook.assignment_submissions(assignment.name):
            student = students.get(submission.student.id, submission.student.id)
            extension = submission.extension or NO_TIME
            name = student, assignment.name
            lateness = policy.lateness(name, submission.timestamp, extension)
            late.setdefault(student, {})[assignment.name] = lateness
    return late


def _folders_of(names: Iterable[str]) -> set[str]:
    """Return the folders, and the folders around them, in which files of these names are."""
    return {str(folder) for name in names for folder in PurePosixPath(name).parents}


def _files(path: Path | None) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of a folder's ordinary files except notebooks; follow no link."""
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
    """Puts the converter's result into the check cells; takes the place of nbgrader's Execute."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook with the outputs from which nbgrader reads scores.

        Raise NbGraderException without a result, which means that nbgrader's own converter was run.
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
            # What a student's notebook shows was not computed here, so every output is removed.
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
    """nbgrader's OverwriteCells without its warnings: the only changes are our hidden tests."""

    def report_change(self, name: str, attr: str, old: Any, new: Any) -> None:
        """Report nothing."""


def submitted_at(api: Any, assignment_id: str, student_id: str) -> datetime | None:
    """Return when a submission was handed in; formgrader's function stops at an invalid time."""
    coursedir = api.coursedir
    submitted = coursedir.submitted_directory
    return hand_in_time(Path(coursedir.format_path(submitted, student_id, assignment_id)))
