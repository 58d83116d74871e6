"""nbgrader's tables, as it makes them itself, for whoever has no seconds to import all of it.

    TABLES             the tables, by SQLAlchemy
    opened             a gradebook by its URL, with all tables in it
    without_password   a gradebook's URL as it may be shown and kept

A test holds them against nbgrader's own.
"""

from contextlib import suppress
from typing import Any

from sqlalchemy import (
    URL,
    Boolean,
    Column,
    DateTime,
    Engine,
    Enum,
    Float,
    ForeignKey,
    Interval,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    inspect,
    text,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from hearts_course.errors import CourseError, UsageError
from hearts_course.nbgrader.config import COURSE

REVISION = "e43177bfe90b"  # nbgrader's name of this shape

TABLES = MetaData()


def _id(*of: ForeignKey) -> "Column[str]":
    return Column("id", String(32), *of, primary_key=True, nullable=False)


def _to(name: str, table: str, size: int = 32, **more: Any) -> "Column[Any]":
    return Column(name, String(size), ForeignKey(f"{table}.id"), **more)


def _points(kind: str) -> Table:
    return Table(
        kind,
        TABLES,
        _id(ForeignKey("base_cell.id")),
        Column("max_score", Float, nullable=False),
        Column("cell_type", Enum("code", "markdown", name="grade_cell_type"), nullable=False),
    )


course = Table(
    "course", TABLES, Column("id", String(128), primary_key=True), UniqueConstraint("id")
)
student = Table(
    "student",
    TABLES,
    Column("id", String(128), primary_key=True),
    *(Column(name, String(128)) for name in ("first_name", "last_name", "email", "lms_user_id")),
)
assignment = Table(
    "assignment",
    TABLES,
    _id(),
    Column("name", String(128), nullable=False),
    Column("duedate", DateTime),
    _to("course_id", "course", 128, nullable=False),
    UniqueConstraint("name"),
)
notebook = Table(
    "notebook",
    TABLES,
    _id(),
    Column("name", String(128), nullable=False),
    _to("assignment_id", "assignment"),
    Column("kernelspec", String(1024)),
    UniqueConstraint("name", "assignment_id"),
)
submitted_assignment = Table(
    "submitted_assignment",
    TABLES,
    _id(),
    _to("assignment_id", "assignment"),
    _to("student_id", "student", 128),
    Column("timestamp", DateTime),
    Column("extension", Interval),
    UniqueConstraint("assignment_id", "student_id"),
)
base_cell = Table(
    "base_cell",
    TABLES,
    _id(),
    Column("name", String(128), nullable=False),
    _to("notebook_id", "notebook", nullable=False),
    Column("type", String(50)),
    UniqueConstraint("name", "notebook_id", "type"),
)
source_cell = Table(
    "source_cell",
    TABLES,
    _id(),
    Column("name", String(128), nullable=False),
    Column("cell_type", Enum("code", "markdown", name="source_cell_type"), nullable=False),
    Column("locked", Boolean, nullable=False),
    Column("source", Text),
    Column("checksum", String(128)),
    _to("notebook_id", "notebook"),
    UniqueConstraint("name", "notebook_id"),
)
submitted_notebook = Table(
    "submitted_notebook",
    TABLES,
    _id(),
    _to("assignment_id", "submitted_assignment"),
    _to("notebook_id", "notebook"),
    Column("flagged", Boolean),
    Column("late_submission_penalty", Float(0)),
    UniqueConstraint("notebook_id", "assignment_id"),
)
comment = Table(
    "comment",
    TABLES,
    _id(),
    _to("notebook_id", "submitted_notebook"),
    _to("cell_id", "base_cell"),
    Column("auto_comment", Text),
    Column("manual_comment", Text),
    UniqueConstraint("cell_id", "notebook_id"),
)
grade = Table(
    "grade",
    TABLES,
    _id(),
    _to("notebook_id", "submitted_notebook"),
    _to("cell_id", "base_cell"),
    *(Column(name, Float) for name in ("auto_score", "manual_score", "extra_credit")),
    Column("needs_manual_grade", Boolean, nullable=False),
    UniqueConstraint("cell_id", "notebook_id"),
)
grade_cells = _points("grade_cells")
solution_cells = Table("solution_cells", TABLES, _id(ForeignKey("base_cell.id")))
task_cells = _points("task_cells")


def opened(url: str, create: bool = True) -> Engine:
    """The gradebook at the URL, with its tables; raises CourseError if it cannot be reached.

    One that is new gets its tables; without `create` it is a fault, as it may have been emptied.
    nbgrader would start a program of its own to learn the name of the tables' shape.
    """
    try:
        engine = create_engine(url)
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise UsageError(f"no gradebook's URL: {_line(error)}; as in sqlite:///FILE") from None
    except ImportError as error:
        raise UsageError(
            f"the gradebook needs {error.name}; run `pip install 'hearts-course[postgres]'`"
        ) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _patient)
    try:
        if create:
            _create(engine)
        elif _is_new(engine):
            raise CourseError(
                f"the gradebook {without_password(engine.url)}: there is nothing in it"
            )
    except SQLAlchemyError as error:
        raise unreachable(engine, error) from None
    return engine


def unreachable(engine: Engine, error: Exception) -> CourseError:
    """What is the matter with a gradebook, without the password in its URL."""
    return CourseError(f"the gradebook {without_password(engine.url)}: {_line(error)}")


def without_password(url: URL) -> str:
    """The URL as it may be shown and kept: a password, wherever it is in it, is `***`."""
    if "password" in url.query:
        url = url.difference_update_query(["password"])
        url = url.set(username=url.username or "", password="hidden")
    return url.render_as_string(hide_password=True)


def _line(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return str(cause).strip().split("\n")[0]


def _is_new(engine: Engine) -> bool:
    return not inspect(engine).get_table_names()


def _create(engine: Engine) -> None:
    if not _is_new(engine):
        return
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":  # else each table would be made for itself
            connection.exec_driver_sql("BEGIN")
        TABLES.create_all(connection)
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text(f"INSERT INTO alembic_version VALUES ('{REVISION}')"))
        connection.execute(course.insert().values(id=COURSE))


def _patient(connection: Any, _: Any) -> None:
    """Wait for whoever else is writing."""
    with suppress(Exception):
        connection.execute("PRAGMA busy_timeout = 20000")
