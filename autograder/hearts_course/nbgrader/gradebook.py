"""The gradebook: nbgrader's tables, written and read a class at a time.

Book   a gradebook; `keep` puts results in, `entries` says what people have added
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Table, bindparam, select
from sqlalchemy.exc import SQLAlchemyError

from hearts_course.course import Stage
from hearts_course.grading.final_scores import CHECK, MANUAL, GradebookEntry, LatePolicy, Name
from hearts_course.nbgrader import tables as t
from hearts_course.nbgrader.config import COURSE
from hearts_course.results import Result, Status

Row = dict[str, Any]


class Gradebook:
    """A gradebook."""

    def __init__(self, url: str, create: bool = True) -> None:
        """Reach it, and make its tables if there are none and it may be new; raises CourseError."""
        self._engine = t.opened(url, create)

    def entries(self) -> dict[Name, GradebookEntry]:
        """What is known of each submission; raises CourseError if the gradebook fails."""
        try:
            with self._engine.connect() as connection:
                return _entries(connection)
        except SQLAlchemyError as error:
            raise t.unreachable(self._engine, error) from None

    def keep(
        self,
        results: Sequence[Result],
        stages: Iterable[Stage],
        stamps: Mapping[Name, datetime | None],
        policy: LatePolicy,
    ) -> None:
        """Put the grader's points in; what people gave stays. Raises CourseError if that fails.

        Results in which the grader failed are left out.
        """
        try:
            with self._engine.begin() as connection:
                writer = _Writer(connection)
                for stage in stages:
                    mine = [one for one in results if one.stage == stage.name]
                    writer.keep(stage, mine, stamps, policy)
        except SQLAlchemyError as error:
            raise t.unreachable(self._engine, error) from None

    def take_off(self, lost: Mapping[Name, float]) -> None:
        """Note what coming late costs each submission; raises CourseError if that fails."""
        try:
            with self._engine.begin() as connection:
                _Writer(connection).take_off(lost)
        except SQLAlchemyError as error:
            raise t.unreachable(self._engine, error) from None

    def close(self) -> None:
        """Let go of it."""
        self._engine.dispose()


def _entries(connection: Connection) -> dict[Name, GradebookEntry]:
    submission, cell = t.submitted_assignment, t.base_cell
    of = select(
        submission.c.id, submission.c.student_id, t.assignment.c.name,
        submission.c.timestamp, submission.c.extension,
    ).join_from(submission, t.assignment)  # fmt: skip
    found = {row.id: row for row in connection.execute(of)}
    grades = (
        select(t.submitted_notebook.c.assignment_id, cell.c.name, t.grade)
        .join_from(t.grade, t.submitted_notebook)
        .join(cell, cell.c.id == t.grade.c.cell_id)
        .where(t.grade.c.manual_score.is_not(None) | t.grade.c.extra_credit.is_not(None))
    )
    given: dict[str, dict[str, float]] = {}
    for row in connection.execute(grades):
        base = row.auto_score if row.manual_score is None else row.manual_score
        given.setdefault(row.assignment_id, {})[row.name] = (base or 0) + (row.extra_credit or 0)
    return {
        (row.student_id, row.name): GradebookEntry(
            row.timestamp, row.extension or timedelta(), given.get(id_, {})
        )
        for id_, row in found.items()
    }


class _Writer:
    """Writes into a gradebook what is not there yet, or differs."""

    def __init__(self, connection: Connection) -> None:
        self._do = connection

    def keep(
        self,
        stage: Stage,
        results: Sequence[Result],
        stamps: Mapping[Name, datetime | None],
        policy: LatePolicy,
    ) -> None:
        due = {"duedate": policy.due[stage.name]} if stage.name in policy.due else {}
        self._course()
        assignment = self._one(t.assignment, {"name": stage.name}, {"course_id": COURSE}, due)
        notebook = self._one(t.notebook, {"name": stage.name, "assignment_id": assignment}, {})
        cells = self._cells(stage, notebook)
        kept = [one for one in results if one.status is not Status.GRADER_ERROR]
        self._all(t.student, "id", [{"id": one.student} for one in kept])
        self._all(
            t.submitted_assignment,
            "student_id",
            [_submitted(one, assignment, stamps) for one in kept],
            {"assignment_id": assignment},
        )
        submissions = self._ids(t.submitted_assignment, "student_id", assignment_id=assignment)
        self._all(
            t.submitted_notebook,
            "assignment_id",
            [_submitted_notebook(submissions[one.student], notebook) for one in kept],
            {"notebook_id": notebook},
        )
        notebooks = self._ids(t.submitted_notebook, "assignment_id", notebook_id=notebook)
        where = {one.student: notebooks[submissions[one.student]] for one in kept}
        self._comments(where.values(), notebook)
        self._grades(kept, where, cells, notebook)

    def take_off(self, lost: Mapping[Name, float]) -> None:
        """Note what coming late costs; whoever is not among them may be of another class."""
        submission, notebook = t.submitted_assignment, t.submitted_notebook
        of = (
            select(notebook.c.id, submission.c.student_id, t.assignment.c.name)
            .join_from(notebook, submission)
            .join(t.assignment)
        )
        rows = [
            {"which": row.id, "amount": lost[row.student_id, row.name] or None}
            for row in self._do.execute(of)
            if (row.student_id, row.name) in lost
        ]
        if rows:
            self._do.execute(
                notebook.update()
                .where(notebook.c.id == bindparam("which"))
                .values(late_submission_penalty=bindparam("amount")),
                rows,
            )

    def _course(self) -> None:
        if self._do.execute(select(t.course).where(t.course.c.id == COURSE)).first() is None:
            self._do.execute(t.course.insert().values(id=COURSE))

    def _cells(self, stage: Stage, notebook: str) -> dict[str, str]:
        """The id of each cell that carries points, as the stage has them now."""
        points = {f"{CHECK}{task.id}": (task.points, "code") for task in stage.tasks}
        points |= {f"{MANUAL}{one.id}": (one.points, "markdown") for one in stage.manual}
        ids = self._ids(t.base_cell, "name", notebook_id=notebook, type="GradeCell")
        for name, (most, kind) in points.items():
            if name not in ids:
                ids[name] = _new()
                row = {"id": ids[name], "name": name, "notebook_id": notebook, "type": "GradeCell"}
                self._do.execute(t.base_cell.insert().values(**row))
                self._do.execute(
                    t.grade_cells.insert().values(id=ids[name], max_score=most, cell_type=kind)
                )
            else:
                self._worth(ids[name], most)
        for name in ids.keys() - points.keys():
            if name.startswith((CHECK, MANUAL)):
                self._out_of_use(ids[name])
        return {name: ids[name] for name in points}

    def _worth(self, cell: str, most: float) -> None:
        points = t.grade_cells.c
        self._do.execute(
            t.grade_cells.update()
            .where(points.id == cell, points.max_score != most)
            .values(max_score=most)
        )

    def _out_of_use(self, cell: str) -> None:
        """Have the cell give no points and wait for none; what a person gave stays to be seen."""
        self._worth(cell, 0)
        of = t.grade.c
        self._do.execute(
            t.grade.update()
            .where(of.cell_id == cell, of.needs_manual_grade | (of.auto_score != 0))
            .values(auto_score=0, needs_manual_grade=False)
        )

    def _comments(self, notebooks: Iterable[str], notebook: str) -> None:
        """nbgrader wants a comment for each cell that a student writes in, if an empty one."""
        for kind in ("SolutionCell", "TaskCell"):
            for cell in self._ids(t.base_cell, "name", notebook_id=notebook, type=kind).values():
                rows = [{"id": _new(), "notebook_id": one, "cell_id": cell} for one in notebooks]
                self._all(t.comment, "notebook_id", rows, {"cell_id": cell})

    def _grades(
        self,
        results: Iterable[Result],
        where: Mapping[str, str],
        cells: Mapping[str, str],
        notebook: str,
    ) -> None:
        grade = t.grade
        inside = select(t.submitted_notebook.c.id).where(
            t.submitted_notebook.c.notebook_id == notebook
        )
        there = {
            (row.notebook_id, row.cell_id): row
            for row in self._do.execute(select(grade).where(grade.c.notebook_id.in_(inside)))
        }
        new, changed = [], []
        for result in results:
            for name, points in _points(result, cells):
                row = _grade(where[result.student], cells[name], points, result)
                old = there.get((row["notebook_id"], row["cell_id"]))
                if old is None:
                    new.append({"id": _new(), **row})
                elif old.auto_score != points or _waits(old, row) != old.needs_manual_grade:
                    waits = _waits(old, row)
                    changed.append({"which": old.id, "points": points, "waits": waits})
        if new:
            self._do.execute(grade.insert(), new)
        if changed:
            self._do.execute(
                grade.update()
                .where(grade.c.id == bindparam("which"))
                .values(auto_score=bindparam("points"), needs_manual_grade=bindparam("waits")),
                changed,
            )

    def _one(self, table: Table, by: Row, new: Row, always: Row | None = None) -> str:
        """The id of the row, made if it is not there."""
        wanted = [table.c[name] == value for name, value in by.items()]
        found = self._do.execute(select(table.c.id).where(*wanted)).scalar()
        if found is None:
            found = _new()
            self._do.execute(table.insert().values(id=found, **by, **new, **(always or {})))
        elif always:
            self._do.execute(table.update().where(table.c.id == found).values(**always))
        return str(found)

    def _ids(self, table: Table, by: str, **where: str) -> dict[str, str]:
        wanted = [table.c[name] == value for name, value in where.items()]
        return {
            row[0]: row[1]
            for row in self._do.execute(select(table.c[by], table.c.id).where(*wanted))
        }

    def _all(self, table: Table, by: str, rows: list[Row], where: Row | None = None) -> None:
        """Insert the rows that are not there; of the others bring the time up to date."""
        wanted = [table.c[name] == value for name, value in (where or {}).items()]
        there = {row[0] for row in self._do.execute(select(table.c[by]).where(*wanted))}
        if new := [row for row in rows if row[by] not in there]:
            self._do.execute(table.insert(), new)
        old = [row for row in rows if row[by] in there and row.get("timestamp")]
        if old:
            self._do.execute(
                table.update()
                .where(table.c[by] == bindparam("which"), *wanted)
                .values(timestamp=bindparam("stamp")),
                [{"which": row[by], "stamp": row["timestamp"]} for row in old],
            )


def _new() -> str:
    return uuid4().hex


def _submitted(result: Result, assignment: str, stamps: Mapping[Name, datetime | None]) -> Row:
    stamp = stamps.get((result.student, result.stage))
    by = {"student_id": result.student, "assignment_id": assignment}
    return {"id": _new(), **by, "timestamp": stamp, "extension": None}


def _submitted_notebook(submission: str, notebook: str) -> Row:
    return {"id": _new(), "assignment_id": submission, "notebook_id": notebook, "flagged": False}


def _points(result: Result, cells: Mapping[str, str]) -> Iterator[tuple[str, float | None]]:
    """Each cell's name and the points that the grader gives; None where a person is to."""
    for task in result.tasks:
        if f"{CHECK}{task.task}" in cells:  # the result may be of a former suite
            yield f"{CHECK}{task.task}", task.score
    for name in cells:
        if name.startswith(MANUAL):
            yield name, None if result.status is Status.GRADED else 0.0


def _grade(notebook: str, cell: str, points: float | None, result: Result) -> Row:
    waits = points is None
    row = {"notebook_id": notebook, "cell_id": cell, "auto_score": points}
    return {**row, "needs_manual_grade": waits}


def _waits(old: Any, row: Row) -> bool:
    """Whether a person is to look: where only they can, and have not."""
    return bool(row["needs_manual_grade"]) and old.manual_score is None
