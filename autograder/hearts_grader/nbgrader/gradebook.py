"""The gradebook: nbgrader's own tables, read and written for a whole class at once.

SQLAlchemy reflects the tables from the database, because nbgrader takes seconds to import. A new
SQLite file gets them from `gradebook.sql`, which nbgrader made; another database gets them from
nbgrader itself.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from hearts_course.course import Stage
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import read_json
from hearts_course.misconceptions import load_patterns
from hearts_course.results import Result, Status
from hearts_course.text import MARKUP
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from hearts_grader.grading.final_scores import CHECK, MANUAL, NO_ENTRY, GradebookEntry
from hearts_grader.grading.late_policy import LatePolicy, Name
from hearts_grader.lms.roster import Roster
from hearts_grader.reports.comments import Comment, comments_on

COURSE = "hearts"  # PostgreSQL needs a course id; nbgrader's default is an empty one
SQLITE_TABLES = Path(__file__).with_name("gradebook.sql")
NO_RESPONSE = "No response."  # nbgrader's own comment on a cell that is as it was handed out
MAX_WAIT = 20  # seconds for another program that writes to the same file

Row = dict[str, Any]
Points = tuple[float | None, bool]  # the grader's points, and whether the cell waits for a person


@contextmanager
def open_gradebook(url: str, create: bool = True) -> "Iterator[Gradebook]":
    """Open the gradebook for one transaction; raise CourseError if anything in it fails.

    An empty database gets nbgrader's tables. Without `create`, raise CourseError for an empty one:
    the old gradebook may have been lost.
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
        self._connection = connection
        self._execute = connection.execute

    @cached_property
    def _tables(self) -> Mapping[str, sa.Table]:
        """The tables by name, as they are in this database."""
        metadata = sa.MetaData()
        sa.event.listen(metadata, "column_reflect", _reflect_intervals)
        metadata.reflect(self._connection)
        return metadata.tables

    def entries(self) -> dict[Name, GradebookEntry]:
        """Return the time of each submission and its manual points.

        As in nbgrader, manual points take the place of the grader's, and extra credit is added.
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
        rows = self._execute(
            sa.select(*columns)
            .join_from(submission, assignment)
            # A submission has a time even before it has any points.
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
        """Save the grader's points, leaving out grader errors; leave manual points alone.

        `stamps` says when each submission came. An assignment that the gradebook lacks is added,
        with the due date of the policy if there is one.
        """
        graded = [result for result in results if result.status is not Status.GRADER_ERROR]
        # If the gradebook has an assignment, use the id of its course. An instructor's own course
        # may have another id than COURSE.
        used = sa.select(self._tables["assignment"].c.course_id)
        course = self._execute(used).scalar() or COURSE  # for a new gradebook
        self._add_missing("course", "id", [course])
        self._add_missing("student", "id", [result.student for result in graded])
        for stage in stages:
            name = stage.name
            of_stage = [result for result in graded if result.stage == name]
            if not of_stage:  # an instructor's gradebook gets no empty assignments
                continue
            assignment = self._add_missing("assignment", "name", [name], course_id=course)[name]
            if due := policy.due.get(name):
                self._update("assignment", [{"row": assignment, "duedate": due}])
            self._save_stage(stage, assignment, of_stage, stamps)

    def _save_stage(
        self,
        stage: Stage,
        assignment: str,
        results: Sequence[Result],
        stamps: Mapping[Name, datetime | None],
    ) -> None:
        """Save a stage's results: in each table the rows of all students at once."""
        of_assignment = {"assignment_id": assignment}
        notebook = self._add_missing("notebook", "name", [stage.name], of_assignment)[stage.name]
        cells = self._update_cells(stage, notebook)
        students = [result.student for result in results]
        ids = self._add_missing("submitted_assignment", "student_id", students, of_assignment)
        submissions = [ids[student] for student in students]
        # A submission whose time is unknown here keeps the time that the gradebook has.
        times = {ids[student]: stamps.get((student, stage.name)) for student in students}
        self._update(
            "submitted_assignment",
            [{"row": row, "timestamp": time} for row, time in times.items() if time],
        )
        # In this table of nbgrader's, `assignment_id` is the id of the submission.
        notebook_ids = self._add_missing(
            "submitted_notebook",
            "assignment_id",
            submissions,
            {"notebook_id": notebook},
            flagged=False,
        )
        notebooks = [notebook_ids[submission] for submission in submissions]
        self._add_empty_comments(notebook, notebooks)
        points_by_cell: dict[str, dict[str, Points]] = {cell: {} for cell in cells}
        # Turned round, from points by student to points by cell, so that each cell takes one
        # statement for the whole class.
        for id_, result in zip(notebooks, results, strict=True):
            for cell, points in _points(result, stage).items():
                if cell in cells:
                    points_by_cell[cell][id_] = points
        for cell, points_by_notebook in points_by_cell.items():
            self._save_points(cells[cell], points_by_notebook)

    def give(self, entries: Mapping[Name, GradebookEntry]) -> None:
        """Save the points that persons gave elsewhere, by cell, as formgrader would."""
        changed: list[Row] = []
        for row, name, cell in self._graded_cells():
            points = entries.get(name, NO_ENTRY).given
            if cell in points:
                # These points are the whole score of the cell, so remove extra credit.
                changed.append({"row": row, "manual_score": points[cell], "extra_credit": None})
        self._update("grade", changed, needs_manual_grade=sa.false())

    def comment(
        self, results: Iterable[Result], stages: Iterable[Stage], comments: Sequence[Comment]
    ) -> None:
        """Save what comments say on each result, and remove what they no longer say.

        A comment stands where nbgrader has its own automatic comments. formgrader shows it in the
        field for comments, and feedback has it unless a person has written another comment there.

        `results` are the only submissions that change: a comment that is no longer in `comments` is
        removed from them, and other submissions keep theirs.
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
        self._update("comment", changed)

    def _comment_rows(self) -> Iterator[Sequence[Any]]:
        """Yield each comment's id, student, stage, cell, and automatic text."""
        submission = self._tables["submitted_assignment"]
        assignment = self._tables["assignment"]
        comment = self._tables["comment"]
        cell = self._tables["base_cell"]
        yield from self._execute(
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
        """Remove the points that a person gave for a cell, so that the grader's count again.

        `names` are pairs of student and stage; extra credit stays.
        """
        changed: list[Row] = []
        for row, name, graded_cell in self._graded_cells():
            if name in names and graded_cell == cell:
                changed.append({"row": row, "manual_score": None})
        self._update("grade", changed)

    def forget(self, student: str) -> None:
        """Delete a student and all that the gradebook has of them.

        Rows that others refer to are deleted last.
        """
        submission = self._tables["submitted_assignment"]
        notebook = self._tables["submitted_notebook"]
        submissions = sa.select(submission.c.id).where(submission.c.student_id == student)
        notebooks = sa.select(notebook.c.id).where(notebook.c.assignment_id.in_(submissions))
        for name in ("grade", "comment"):
            table = self._tables[name]
            self._execute(table.delete().where(table.c.notebook_id.in_(notebooks)))
        self._execute(notebook.delete().where(notebook.c.assignment_id.in_(submissions)))
        self._execute(submission.delete().where(submission.c.student_id == student))
        people = self._tables["student"]
        self._execute(people.delete().where(people.c.id == student))

    def _graded_cells(self) -> Iterator[tuple[str, Name, str]]:
        """Yield the id of each row of points, with student and stage, and its cell's name."""
        submission = self._tables["submitted_assignment"]
        assignment = self._tables["assignment"]
        grade = self._tables["grade"]
        cell = self._tables["base_cell"]
        rows = self._execute(
            sa.select(grade.c.id, submission.c.student_id, assignment.c.name, cell.c.name)
            .join_from(submission, assignment)
            .join(self._tables["submitted_notebook"])
            .join(grade)
            .join(cell)
        )
        for row, student, stage, name in rows:
            yield row, (student, stage), name

    def name_students(self, roster: Roster) -> None:
        """Give students without a name in the gradebook the roster's name and address.

        formgrader's pages do not escape names, and some platforms let students choose theirs.
        """
        no_markup = str.maketrans("", "", MARKUP)
        student = self._tables["student"]
        # A name that somebody entered in formgrader stays.
        nameless = student.c.first_name.is_(None) & student.c.last_name.is_(None)
        ids = [str(row.id) for row in self._execute(sa.select(student.c.id).where(nameless))]
        named: list[Row] = []
        for id_, (first, last, address) in roster.names(ids).items():
            if first or last:
                row: Row = {"row": id_}
                row["first_name"] = first.translate(no_markup)
                row["last_name"] = last.translate(no_markup)
                row["email"] = address or None
                named.append(row)
        # An address in the gradebook stays too, even where the name was missing.
        keeping_address = sa.func.coalesce(student.c.email, sa.bindparam("email"))
        self._update("student", named, email=keeping_address)

    def set_late_penalties(self, penalties: Mapping[Name, float]) -> None:
        """Save late penalties; leave other submissions alone, which may be of another class.

        `penalties` has points to subtract by student and stage; 0 removes the penalty.
        """
        submission = self._tables["submitted_assignment"]
        assignment = self._tables["assignment"]
        notebook = self._tables["submitted_notebook"]
        rows = self._execute(
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
        self._update("submitted_notebook", changed)

    def _update_cells(self, stage: Stage, notebook: str) -> dict[str, str]:
        """Bring the cells that carry points up to date; return their ids by name.

        A cell that lost its task is kept with a maximum of 0 points, because deleting it would
        delete the manual points that hang on it.
        """
        points = {f"{CHECK}{task.id}": task.points for task in stage.tasks}
        points |= {f"{MANUAL}{part.id}": part.points for part in stage.manual}
        graded = {"notebook_id": notebook, "type": "GradeCell"}
        ids = self._add_missing("base_cell", "name", points, graded)
        for name, cell in ids.items():
            if name.startswith((CHECK, MANUAL)):
                kind = "markdown" if name.startswith(MANUAL) else "code"
                self._add_missing("grade_cells", "id", [cell], max_score=0, cell_type=kind)
                self._update("grade_cells", [{"row": cell, "max_score": points.get(name, 0)}])
                if name not in points:
                    self._retire(cell)
        return {name: ids[name] for name in points}

    def _retire(self, cell: str) -> None:
        """Set a cell that is no longer in the stage to zero points; keep manual points."""
        grade = self._tables["grade"]
        of_cell = grade.update().where(grade.c.cell_id == cell)
        self._execute(of_cell.values(auto_score=0, needs_manual_grade=False))

    def _add_empty_comments(self, notebook: str, notebooks: Sequence[str]) -> None:
        """Add the comment that nbgrader expects to every cell that students write in."""
        for kind in ("SolutionCell", "TaskCell"):
            for cell in self._ids("base_cell", "name", notebook_id=notebook, type=kind).values():
                self._add_missing("comment", "notebook_id", notebooks, {"cell_id": cell})

    def _save_points(self, cell: str, points: Mapping[str, Points]) -> None:
        """Save a cell's points, by submitted notebook; a cell with manual points never waits."""
        ids = self._add_missing(
            "grade", "notebook_id", points, {"cell_id": cell}, needs_manual_grade=False
        )
        rows: list[Row] = []
        for notebook, (score, waits) in points.items():
            rows.append({"row": ids[notebook], "auto_score": score, "waits": waits})
        has_no_points = self._tables["grade"].c.manual_score.is_(None)
        needs_person = sa.and_(sa.bindparam("waits"), has_no_points)
        self._update("grade", rows, needs_manual_grade=needs_person)

    def _ids(self, table: str, key: str, **where: str) -> dict[str, str]:
        """Return the ids of a table's rows by their value in the column `key`."""
        columns = self._tables[table].c
        wanted = (columns[name] == value for name, value in where.items())
        rows = self._execute(sa.select(columns[key], columns.id).where(*wanted))
        return {str(row[0]): str(row[1]) for row in rows}

    def _add_missing(
        self,
        table: str,
        key: str,
        values: Iterable[str],
        where: Mapping[str, str] | None = None,
        **others: object,
    ) -> dict[str, str]:
        """Insert the rows that are missing for the values of column `key`; return all ids."""
        where = where or {}
        ids = self._ids(table, key, **where)
        new: list[Row] = []
        for value in dict.fromkeys(values):
            if value not in ids:
                # If the key is the column `id` itself, its value takes the place of the new id.
                new.append({"id": uuid4().hex, key: value, **where, **others})
        if new:
            self._execute(self._tables[table].insert(), new)
        return ids | {row[key]: row["id"] for row in new}

    def _update(self, table: str, rows: list[Row], **computed: Any) -> None:
        """Update rows, each given by the id `row` and the new values of its columns.

        All rows have the same columns: the database gets one statement for all of them. A column in
        `computed` gets an expression, which may use any value of the row.
        """
        if rows:
            columns = self._tables[table].c
            values: Row = {name: sa.bindparam(name) for name in rows[0] if name in columns}
            update = self._tables[table].update().where(columns.id == sa.bindparam("row"))
            self._execute(update.values(values | computed), rows)


def _texts_by_cell(
    results: Iterable[Result], stage: Stage, comments: Sequence[Comment]
) -> dict[tuple[str, str, str], str]:
    """Return what comments say, by student, stage and the cell that the task is written in."""
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
    """Return the name of the solution cell above each task's check, by task.

    Where the stage's notebook is not as `hearts build` makes it, some tasks are missing.
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


def _points(result: Result, stage: Stage) -> dict[str, Points]:
    """Return the points by cell; an unreadable submission waits for a person."""
    graded = result.status is Status.GRADED
    waiting_task = ""  # formgrader lists a submission if one of its cells waits
    if result.status is Status.UNREADABLE:
        waiting_task = stage.tasks[0].id
    points: dict[str, Points] = {}
    for part in stage.manual:
        points[f"{MANUAL}{part.id}"] = (None, True) if graded else (0.0, False)
    for task in result.tasks:
        points[f"{CHECK}{task.task}"] = task.score, task.task == waiting_task
    return points


def without_password(url: str) -> str:
    """Return the URL with `***` in place of a password, which may also be a query's parameter."""
    parts = sa.make_url(url)
    if "password" in parts.query:
        parts = parts.difference_update_query(["password"])
        parts = parts.set(username=parts.username or "", password="hidden")
    return parts.render_as_string(hide_password=True)


def _engine(url: str) -> sa.Engine:
    """Return SQLAlchemy's way to the database; raise UsageError if the URL cannot be used."""
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
            connection.exec_driver_sql("BEGIN")  # otherwise each table would be committed alone
            for statement in SQLITE_TABLES.read_text(encoding="utf-8").split(";\n"):
                connection.exec_driver_sql(statement)


def create_tables_with_nbgrader(connection: sa.Connection) -> None:
    """Create the tables, with the version that `nbgrader db upgrade` reads; takes seconds."""
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from nbgrader.api import Base
    from nbgrader.dbutil import ALEMBIC_DIR

    Base.metadata.create_all(connection)
    MigrationContext.configure(connection).stamp(ScriptDirectory(ALEMBIC_DIR), "head")


def _reflect_intervals(_inspector: Any, _table: sa.Table, column: Any) -> None:
    """Read nbgrader's one interval column as an interval, because SQLite stores it as a date."""
    if column["name"] == "extension":
        column["type"] = sa.Interval()
