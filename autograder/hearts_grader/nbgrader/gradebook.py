"""The gradebook: nbgrader's own tables, read and written for a whole class at once.

SQLAlchemy reflects the tables from the database, because nbgrader takes seconds to import. In a new
SQLite file, `gradebook.sql` creates nbgrader's tables. In any other database, nbgrader itself
creates them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from hearts_course.course import Stage
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import read_json
from hearts_course.misconceptions import load_patterns
from hearts_course.results import Result, Status
from hearts_course.text import MARKUP
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from hearts_grader.grading.final_scores import CHECK, NO_ENTRY, GradebookEntry
from hearts_grader.grading.late_policy import LatePolicy, Name
from hearts_grader.lms.roster import Roster
from hearts_grader.nbgrader.gradebook_tables import Row, Tables
from hearts_grader.nbgrader.stage_scores import StageScores
from hearts_grader.reports.comments import Comment, comments_on

COURSE = "hearts"  # PostgreSQL needs a course id; nbgrader's default is an empty id
SQLITE_TABLES = Path(__file__).with_name("gradebook.sql")
NO_RESPONSE = "No response."  # nbgrader's own comment on a cell that is as it was handed out
MAX_WAIT = 20  # seconds to wait while another program writes to the same file


@contextmanager
def open_gradebook(url: str, create: bool = True) -> "Iterator[Gradebook]":
    """Open the gradebook for one transaction; raise CourseError if anything in it fails.

    An empty database gets nbgrader's tables. Without `create`, raise CourseError for an empty
    database, because the old gradebook may have been lost.
    """
    engine = _engine(url)
    where = f"the gradebook {without_password(url)}"
    try:
        names = sa.inspect(engine).get_table_names()
        if not names and not create:
            raise CourseError(f"{where}: there is nothing in it")
        if not names:
            _create_tables(engine)
        elif "submitted_assignment" not in names:
            raise CourseError(f"{where}: this database is not a gradebook of nbgrader's")
        with engine.begin() as connection:
            yield Gradebook(connection)
    except SQLAlchemyError as error:
        raise CourseError(f"{where}: {_line(error)}") from None
    finally:
        engine.dispose()


class Gradebook:
    """A gradebook that nbgrader and `hearts grade` share, within one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._tables = Tables(connection)

    def entries(self) -> dict[Name, GradebookEntry]:
        """Map student and stage to the time, extension and manual points of each submission.

        As in nbgrader, manual points replace the autograder's points, and extra credit is added.
        """
        submission = self._tables["submitted_assignment"]
        assignment = self._tables["assignment"]
        grade = self._tables["grade"]
        cell = self._tables["base_cell"]
        columns: list[Any] = [
            *submission.c["student_id", "timestamp", "extension"],
            assignment.c.name,
            *grade.c["auto_score", "manual_score", "extra_credit"],
            cell.c.name.label("cell"),
        ]
        rows = self._tables.execute(
            sa.select(*columns)
            .join_from(submission, assignment)
            # Use outer joins, because a submission without points must be returned as well.
            .outerjoin(self._tables["submitted_notebook"])
            .outerjoin(grade)
            .outerjoin(cell)
        )
        entries: dict[Name, GradebookEntry] = {}
        manual: dict[Name, dict[str, float]] = {}
        for row in rows:
            name = row.student_id, row.name
            # There is a row for each cell, and the rows of one submission share its entry.
            points_by_cell = manual.setdefault(name, {})
            entries[name] = GradebookEntry(
                row.timestamp, row.extension or timedelta(), points_by_cell
            )
            if row.manual_score is not None or row.extra_credit is not None:
                points = row.auto_score if row.manual_score is None else row.manual_score
                points_by_cell[row.cell] = (points or 0) + (row.extra_credit or 0)
        return entries

    def save_scores(
        self,
        results: Iterable[Result],
        stages: Iterable[Stage],
        stamps: Mapping[Name, datetime | None],
        policy: LatePolicy,
    ) -> None:
        """Save the autograder's points, except for grader errors; manual points stay.

        `stamps` says when each submission came. An assignment that the gradebook lacks is added.
        The assignment gets the policy's due date if there is one.
        """
        graded = [result for result in results if result.status is not Status.GRADER_ERROR]
        # If the gradebook has an assignment, use the id of its course. An instructor's own course
        # may have another id than COURSE.
        used = sa.select(self._tables["assignment"].c.course_id)
        course = self._tables.execute(used).scalar() or COURSE  # for a new gradebook
        self._tables.add_missing("course", "id", [course])
        self._tables.add_missing("student", "id", [result.student for result in graded])
        for stage in stages:
            name = stage.name
            of_stage = [result for result in graded if result.stage == name]
            if not of_stage:  # an instructor's gradebook gets no empty assignments
                continue
            ids = self._tables.add_missing("assignment", "name", [name], course_id=course)
            assignment = ids[name]
            if due := policy.due.get(name):
                self._tables.update("assignment", [{"row": assignment, "duedate": due}])
            StageScores(self._tables, stage, assignment).save(of_stage, stamps)

    def give(self, entries: Mapping[Name, GradebookEntry]) -> None:
        """Save points that people gave outside of the gradebook, in the same way as formgrader."""
        changed: list[Row] = []
        for row, name, cell in self._graded_cells():
            points = entries.get(name, NO_ENTRY).given
            if cell in points:
                # These points are the whole score of the cell, so remove extra credit.
                changed.append({"row": row, "manual_score": points[cell], "extra_credit": None})
        self._tables.update("grade", changed, needs_manual_grade=sa.false())

    def comment(
        self, results: Iterable[Result], stages: Iterable[Stage], comments: Sequence[Comment]
    ) -> None:
        """Save the comments on each result, and remove comments that no longer apply.

        A comment is saved as nbgrader's automatic comment. formgrader shows it in the field for
        comments, and feedback shows it unless a person wrote another comment in the field.

        Only submissions in `results` change: they lose each comment that is no longer in
        `comments`. All other submissions keep their comments.
        """
        by_stage: dict[str, list[Result]] = {}
        for result in results:
            by_stage.setdefault(result.stage, []).append(result)
        texts: dict[tuple[str, str, str], str] = {}
        names: set[Name] = set()
        for stage in stages:
            of_stage = by_stage.get(stage.name, [])
            names.update((result.student, result.stage) for result in of_stage)
            texts |= _texts_by_cell(of_stage, stage, comments)
        changed: list[Row] = []
        for row, student, stage_name, cell, former in self._comment_rows():
            if (student, stage_name) in names:
                text = texts.get((student, stage_name, cell))
                # nbgrader itself writes NO_RESPONSE for an unchanged answer, so that comment stays.
                if text is None and former == NO_RESPONSE:
                    text = NO_RESPONSE
                if text != former:
                    changed.append({"row": row, "auto_comment": text})
        self._tables.update("comment", changed)

    def _comment_rows(self) -> Iterator[Sequence[Any]]:
        """Yield each comment's id, student, stage, cell, and automatic text."""
        submission = self._tables["submitted_assignment"]
        assignment = self._tables["assignment"]
        comment = self._tables["comment"]
        cell = self._tables["base_cell"]
        yield from self._tables.execute(
            sa.select(
                comment.c.id,
                submission.c.student_id,
                assignment.c.name,
                cell.c.name,
                comment.c.auto_comment,
            )
            .join_from(submission, assignment)
            .join(self._tables["submitted_notebook"])
            .join(comment)
            .join(cell)
        )

    def take_back(self, names: Collection[Name], cell: str) -> None:
        """Remove a person's points for a cell, so that the autograder's points count again.

        `names` are pairs of student and stage; extra credit stays.
        """
        changed: list[Row] = []
        for row, name, graded_cell in self._graded_cells():
            if name in names and graded_cell == cell:
                changed.append({"row": row, "manual_score": None})
        self._tables.update("grade", changed)

    def forget(self, student: str) -> None:
        """Delete a student and all that the gradebook has of them.

        A row is deleted after all rows that refer to it.
        """
        submission = self._tables["submitted_assignment"]
        notebook = self._tables["submitted_notebook"]
        submissions = sa.select(submission.c.id).where(submission.c.student_id == student)
        notebooks = sa.select(notebook.c.id).where(notebook.c.assignment_id.in_(submissions))
        for name in ("grade", "comment"):
            table = self._tables[name]
            self._tables.execute(table.delete().where(table.c.notebook_id.in_(notebooks)))
        self._tables.execute(notebook.delete().where(notebook.c.assignment_id.in_(submissions)))
        self._tables.execute(submission.delete().where(submission.c.student_id == student))
        people = self._tables["student"]
        self._tables.execute(people.delete().where(people.c.id == student))

    def _graded_cells(self) -> Iterator[tuple[str, Name, str]]:
        """Yield the id of each row of points, with student and stage, and its cell's name."""
        submission = self._tables["submitted_assignment"]
        assignment = self._tables["assignment"]
        grade = self._tables["grade"]
        cell = self._tables["base_cell"]
        rows = self._tables.execute(
            sa.select(grade.c.id, submission.c.student_id, assignment.c.name, cell.c.name)
            .join_from(submission, assignment)
            .join(self._tables["submitted_notebook"])
            .join(grade)
            .join(cell)
        )
        for row, student, stage, name in rows:
            yield row, (student, stage), name

    def name_students(self, roster: Roster) -> None:
        """Copy names and addresses from the roster to students who have no name in the gradebook.

        Markup in names is removed, because formgrader's pages do not escape names, and students
        choose their names on some platforms.
        """
        no_markup = str.maketrans("", "", MARKUP)
        student = self._tables["student"]
        # A name that somebody entered in formgrader stays.
        nameless = student.c.first_name.is_(None) & student.c.last_name.is_(None)
        ids = [str(row.id) for row in self._tables.execute(sa.select(student.c.id).where(nameless))]
        named: list[Row] = []
        for id_, (first, last, address) in roster.names(ids).items():
            if first or last:
                row: Row = {"row": id_}
                row["first_name"] = first.translate(no_markup)
                row["last_name"] = last.translate(no_markup)
                row["email"] = address or None
                named.append(row)
        # If the gradebook has an address but no name, the address stays.
        keeping_address = sa.func.coalesce(student.c.email, sa.bindparam("email"))
        self._tables.update("student", named, email=keeping_address)

    def set_late_penalties(self, penalties: Mapping[Name, float]) -> None:
        """Save late penalties.

        `penalties` maps student and stage to the points to subtract; 0 removes a penalty. Other
        submissions keep their penalties, because they may be from another class.
        """
        submission = self._tables["submitted_assignment"]
        assignment = self._tables["assignment"]
        notebook = self._tables["submitted_notebook"]
        rows = self._tables.execute(
            sa.select(notebook.c.id, submission.c.student_id, assignment.c.name)
            .join_from(notebook, submission)
            .join(assignment)
        )
        changed: list[Row] = []
        for row in rows:
            name = row.student_id, row.name
            if name in penalties:
                penalty = penalties[name] or None
                changed.append({"row": row.id, "late_submission_penalty": penalty})
        self._tables.update("submitted_notebook", changed)


def _texts_by_cell(
    results: Iterable[Result], stage: Stage, comments: Sequence[Comment]
) -> dict[tuple[str, str, str], str]:
    """Map student, stage and the solution cell of the task to the comments' text."""
    tasks = {task.id for task in stage.tasks}
    if not any(comment.task in tasks for comment in comments):
        return {}
    patterns = load_patterns(stage)
    cells = _solution_cells(stage)
    lines: dict[tuple[str, str, str], list[str]] = {}
    for result in results:
        for task, text in comments_on(result, stage, patterns, comments):
            place = result.student, stage.name, cells.get(task, "")
            lines.setdefault(place, []).append(text)
    return {place: "\n\n".join(paragraphs) for place, paragraphs in lines.items()}


def _solution_cells(stage: Stage) -> dict[str, str]:
    """Map each task to the name of the solution cell above the task's check.

    If the stage's notebook is not as `hearts build` writes it, some tasks are missing.
    """
    try:
        notebook = read_json(stage.notebook)["cells"]
    except (CourseError, KeyError, TypeError):
        return {}
    cells = {}
    last = ""
    for cell in notebook:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution"):
            last = marks["grade_id"]
        elif marks.get("grade"):
            cells[marks["grade_id"].removeprefix(CHECK)] = last
    return cells


def without_password(url: str) -> str:
    """Return the URL with `***` in place of a password, even if the password is in the query."""
    parts = sa.make_url(url)
    if "password" in parts.query:
        parts = parts.difference_update_query(["password"])
        parts = parts.set(username=parts.username or "", password="hidden")
    return parts.render_as_string(hide_password=True)


def _engine(url: str) -> sa.Engine:
    """Return SQLAlchemy's engine for the database; raise UsageError if the URL is unusable."""
    try:
        is_file = sa.make_url(url).get_backend_name() == "sqlite"
        options = {"timeout": MAX_WAIT} if is_file else {}
        return sa.create_engine(url, connect_args=options)
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise UsageError(
            f"not a gradebook's URL: {_line(error)}; write one such as sqlite:///FILE"
        ) from None
    except ImportError as error:
        raise UsageError(
            f"the gradebook needs {error.name}; run `pip install 'hearts-course[postgres]'`"
        ) from None


def _line(error: Exception) -> str:
    """Return the first line of the driver's own error, without SQLAlchemy's words around it."""
    return str(getattr(error, "orig", None) or error).strip().split("\n")[0]


def _create_tables(engine: sa.Engine) -> None:
    """Create nbgrader's tables, all or none."""
    with engine.begin() as connection:
        if engine.dialect.name != "sqlite":
            create_tables_with_nbgrader(connection)
        else:
            connection.exec_driver_sql("BEGIN")  # so that all tables are committed together
            for statement in SQLITE_TABLES.read_text(encoding="utf-8").split(";\n"):
                connection.exec_driver_sql(statement)


def create_tables_with_nbgrader(connection: sa.Connection) -> None:
    """Create the tables, and record their version for `nbgrader db upgrade`; this takes seconds."""
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from nbgrader.api import Base
    from nbgrader.dbutil import ALEMBIC_DIR

    Base.metadata.create_all(connection)
    MigrationContext.configure(connection).stamp(ScriptDirectory(ALEMBIC_DIR), "head")
