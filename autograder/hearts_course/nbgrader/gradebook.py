"""The gradebook: nbgrader's own tables, read and written for a whole class at once.

SQLAlchemy reflects the tables from the database. nbgrader itself takes seconds to import, so it is
imported only when a new gradebook needs its tables.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Interval,
    MetaData,
    Table,
    and_,
    bindparam,
    create_engine,
    event,
    inspect,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from hearts_course.course import Stage
from hearts_course.errors import CourseError, UsageError
from hearts_course.grading.final_scores import CHECK, MANUAL, GradebookEntry, LatePolicy, Name
from hearts_course.results import Result, Status

COURSE = "hearts"  # PostgreSQL needs a course id; nbgrader's default is an empty one
MAX_WAIT = 20  # seconds for another program that writes to the same file

Row = dict[str, Any]


class Gradebook:
    """A gradebook that nbgrader and `hearts grade` share."""

    def __init__(self, url: str, create: bool = True) -> None:
        """Open the gradebook; raise CourseError if that fails.

        An empty database gets nbgrader's tables. Without `create` it is refused, because the
        gradebook that was there may have been lost.
        """
        self._engine = _engine(url)
        with self._one_line_errors():
            names = inspect(self._engine).get_table_names()
            if not names and create:
                _create_tables(self._engine)
        if not names and not create:
            raise self._error("there is nothing in it")
        if names and "submitted_assignment" not in names:
            raise self._error("this database is not a gradebook of nbgrader's")

    def entries(self) -> dict[Name, GradebookEntry]:
        """Return when each submission came, and its manual points; raise CourseError."""
        with self._transaction() as tables:
            return tables.entries()

    def save_scores(
        self,
        results: Sequence[Result],
        stages: Iterable[Stage],
        stamps: Mapping[Name, datetime | None],
        policy: LatePolicy,
    ) -> None:
        """Save the grader's points and leave manual points alone; raise CourseError.

        Results in which the grader failed are left out.
        """
        graded = [one for one in results if one.status is not Status.GRADER_ERROR]
        with self._transaction() as tables:
            for stage in stages:
                of_stage = [one for one in graded if one.stage == stage.name]
                tables.save_scores(stage, of_stage, stamps, policy.due.get(stage.name))

    def set_late_penalties(self, penalties: Mapping[Name, float]) -> None:
        """Save what coming late costs these submissions; raise CourseError."""
        with self._transaction() as tables:
            tables.set_late_penalties(penalties)

    def close(self) -> None:
        """Close the connections to the database."""
        self._engine.dispose()

    @cached_property
    def _tables(self) -> Mapping[str, Table]:
        metadata = MetaData()
        event.listen(metadata, "column_reflect", _reflect_intervals)
        metadata.reflect(self._engine)
        return metadata.tables

    @contextmanager
    def _transaction(self) -> "Iterator[_Tables]":
        with self._one_line_errors(), self._engine.begin() as connection:
            yield _Tables(connection, self._tables)

    @contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise self._error(_line(error)) from None

    def _error(self, reason: str) -> CourseError:
        return CourseError(f"the gradebook {without_password(self._engine.url)}: {reason}")


class _Tables:
    """The tables within one transaction."""

    def __init__(self, connection: Connection, tables: Mapping[str, Table]) -> None:
        self._execute, self._tables = connection.execute, tables

    def entries(self) -> dict[Name, GradebookEntry]:
        submission = self._tables["submitted_assignment"]
        assignment, grade, cell = (self._tables[n] for n in ("assignment", "grade", "base_cell"))
        columns: list[Any] = [
            *submission.c["student_id", "timestamp", "extension"],
            assignment.c.name,
            *grade.c["auto_score", "manual_score", "extra_credit"],
            cell.c.name.label("cell"),
        ]
        rows = self._execute(
            select(*columns)
            .join_from(submission, assignment)
            .outerjoin(self._tables["submitted_notebook"])
            .outerjoin(grade)
            .outerjoin(cell)
        )
        entries: dict[Name, GradebookEntry] = {}
        manual: dict[Name, dict[str, float]] = {}
        for row in rows:
            name = row.student_id, row.name
            given = manual.setdefault(name, {})
            entries[name] = GradebookEntry(row.timestamp, row.extension or timedelta(), given)
            if row.manual_score is not None or row.extra_credit is not None:
                points = row.auto_score if row.manual_score is None else row.manual_score
                given[row.cell] = (points or 0) + (row.extra_credit or 0)
        return entries

    def save_scores(
        self,
        stage: Stage,
        results: Sequence[Result],
        stamps: Mapping[Name, datetime | None],
        due: datetime | None,
    ) -> None:
        name = stage.name
        self._add_missing("course", "id", [COURSE])
        assignment = self._add_missing("assignment", "name", [name], course_id=COURSE)[name]
        if due:
            self._update("assignment", [{"row": assignment, "duedate": due}])
        of_assignment = {"assignment_id": assignment}
        notebook = self._add_missing("notebook", "name", [name], of_assignment)[name]
        of_notebook = {"notebook_id": notebook}
        cells = self._update_cells(stage, notebook)
        students = [one.student for one in results]
        self._add_missing("student", "id", students)
        ids = self._add_missing("submitted_assignment", "student_id", students, of_assignment)
        times = [(ids[student], stamps.get((student, name))) for student in students]
        self._update(
            "submitted_assignment", [{"row": row, "timestamp": time} for row, time in times if time]
        )
        submissions = [ids[student] for student in students]
        ids = self._add_missing(
            "submitted_notebook", "assignment_id", submissions, of_notebook, flagged=False
        )
        notebooks = [ids[submission] for submission in submissions]
        self._add_empty_comments(notebook, notebooks)
        points = {of: _points(one, cells) for of, one in zip(notebooks, results, strict=True)}
        for cell, id_ in cells.items():
            self._save_points(
                id_, {of: by_cell[cell] for of, by_cell in points.items() if cell in by_cell}
            )

    def set_late_penalties(self, penalties: Mapping[Name, float]) -> None:
        """Leave other submissions alone: they may be of another class."""
        submission, assignment = self._tables["submitted_assignment"], self._tables["assignment"]
        notebook = self._tables["submitted_notebook"]
        rows = self._execute(
            select(notebook.c.id, submission.c.student_id, assignment.c.name)
            .join_from(notebook, submission)
            .join(assignment)
        )
        names = {row.id: (row.student_id, row.name) for row in rows}
        self._update(
            "submitted_notebook",
            [
                {"row": row, "late_submission_penalty": penalties[name] or None}
                for row, name in names.items()
                if name in penalties
            ],
        )

    def _update_cells(self, stage: Stage, notebook: str) -> dict[str, str]:
        """Bring the cells that carry points up to date; return their ids by name."""
        points = {f"{CHECK}{task.id}": task.points for task in stage.tasks}
        points |= {f"{MANUAL}{one.id}": one.points for one in stage.manual}
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
        """Let a cell that the stage no longer has give no points; keep what a person gave."""
        grade = self._tables["grade"]
        of_cell = grade.update().where(grade.c.cell_id == cell)
        self._execute(of_cell.values(auto_score=0, needs_manual_grade=False))

    def _add_empty_comments(self, notebook: str, notebooks: Sequence[str]) -> None:
        """Give each cell in which students write the comment that nbgrader expects there."""
        for kind in ("SolutionCell", "TaskCell"):
            for cell in self._ids("base_cell", "name", notebook_id=notebook, type=kind).values():
                self._add_missing("comment", "notebook_id", notebooks, {"cell_id": cell})

    def _save_points(self, cell: str, points: Mapping[str, float | None]) -> None:
        """Save a cell's points, by submitted notebook; None awaits a person's points."""
        ids = self._add_missing(
            "grade", "notebook_id", points, {"cell_id": cell}, needs_manual_grade=False
        )
        grade = self._tables["grade"]
        self._update(
            "grade",
            [{"row": ids[of], "auto_score": n, "is_manual": n is None} for of, n in points.items()],
            needs_manual_grade=and_(bindparam("is_manual"), grade.c.manual_score.is_(None)),
        )

    def _ids(self, table: str, key: str, **where: str) -> dict[str, str]:
        """Return the ids of a table's rows by their value in the column `key`."""
        columns = self._tables[table].c
        wanted = (columns[name] == value for name, value in where.items())
        rows = self._execute(select(columns[key], columns.id).where(*wanted))
        return {str(row[0]): str(row[1]) for row in rows}

    def _add_missing(
        self,
        table: str,
        key: str,
        values: Iterable[str],
        where: Mapping[str, str] | None = None,
        **others: object,
    ) -> dict[str, str]:
        """Insert a row for each value of the column `key` that has none; return all their ids."""
        where = where or {}
        ids = self._ids(table, key, **where)
        new: list[Row] = [
            {"id": uuid4().hex, key: value, **where, **others}
            for value in dict.fromkeys(values)
            if value not in ids
        ]
        if new:
            self._execute(self._tables[table].insert(), new)
        return ids | {row[key]: row["id"] for row in new}

    def _update(self, table: str, rows: list[Row], **computed: Any) -> None:
        """Update rows, each given by the id `row` and the new values of its columns."""
        if rows:
            columns = self._tables[table].c
            values: Row = {name: bindparam(name) for name in rows[0] if name in columns}
            update = self._tables[table].update().where(columns.id == bindparam("row"))
            self._execute(update.values(values | computed), rows)


def _points(result: Result, cells: Iterable[str]) -> dict[str, float | None]:
    """Return the grader's points by cell; None where a person is to give them."""
    manual = None if result.status is Status.GRADED else 0.0
    by_task = {f"{CHECK}{task.task}": task.score for task in result.tasks}
    return {**by_task, **{cell: manual for cell in cells if cell.startswith(MANUAL)}}


def without_password(url: URL) -> str:
    """Return the URL with `***` in place of a password, wherever the password is."""
    if "password" in url.query:
        url = url.difference_update_query(["password"])
        url = url.set(username=url.username or "", password="hidden")
    return url.render_as_string(hide_password=True)


def _engine(url: str) -> Engine:
    try:
        is_file = make_url(url).get_backend_name() == "sqlite"
        return create_engine(url, connect_args={"timeout": MAX_WAIT} if is_file else {})
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise UsageError(
            f"not a gradebook's URL: {_line(error)}; write one such as sqlite:///FILE"
        ) from None
    except ImportError as error:
        raise UsageError(
            f"the gradebook needs {error.name}; run `pip install 'hearts-course[postgres]'`"
        ) from None


def _line(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().split("\n")[0]


def _create_tables(engine: Engine) -> None:
    """Create nbgrader's tables, all or none, with the version that `nbgrader db upgrade` reads."""
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from nbgrader.api import Base
    from nbgrader.dbutil import ALEMBIC_DIR

    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":  # otherwise it would commit after each table
            connection.exec_driver_sql("BEGIN")
        Base.metadata.create_all(connection)
        MigrationContext.configure(connection).stamp(ScriptDirectory(ALEMBIC_DIR), "head")


def _reflect_intervals(_inspector: Any, _table: Table, column: Any) -> None:
    """Reflect nbgrader's only interval as one: SQLite keeps it as a date."""
    if column["name"] == "extension":
        column["type"] = Interval()
