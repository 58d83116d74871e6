"""Pairs and groups: `groups.csv` says who works together, and one program counts for all of them.

The columns are `group` and `student`, and `stage` where groups change: a row with a stage goes
before a row without one, and an empty group means that the student works alone. Canvas's own table
of groups has `group_name` and `login_id`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.submissions.find import Layout, SubmissionPath
from hearts_course.submissions.read import read_found
from hearts_course.text import listed, safe_name

from hearts_grader.grading.late_policy import Name, handed_in
from hearts_grader.lms.csv_table import CsvTable, read_table

COLUMNS = ("group", "student", "stage")


@dataclass(frozen=True)
class Groups:
    """The group of each student, by student and stage; the stage "" stands for all others."""

    rows: Mapping[Name, str] = field(default_factory=dict)

    def of(self, student: str, stage: str) -> str:
        """Return the student's group for the stage, "" if the student works alone."""
        return self.rows.get((student, stage), self.rows.get((student, ""), ""))

    def by_name(self, stage: str) -> dict[str, tuple[str, ...]]:
        """Return the members of each group for the stage."""
        members: dict[str, tuple[str, ...]] = {}
        for student in dict.fromkeys(student for student, _ in self.rows):
            if group := self.of(student, stage):
                members[group] = (*members.get(group, ()), student)
        return members

    def partners(self, student: str, stage: str) -> tuple[str, ...]:
        """Return the members of the student's group, and the student first."""
        group = self.of(student, stage)
        members = self.by_name(stage)[group] if group else ()
        return tuple(dict.fromkeys((student, *members)))

    def called(self, name: str) -> str:
        """Return the group that a platform calls so, perhaps without blanks; "" for none.

        A group that is called like a student is never meant: students may choose its name.
        """
        wanted = _squeezed(name)
        if any(_squeezed(student) == wanted for student, _ in self.rows):
            return ""
        groups = {_squeezed(group): group for group in self.rows.values() if group}
        return groups.get(wanted, "")

    def with_teams(
        self, teams: Iterable[tuple[str, Sequence[str]]]
    ) -> tuple["Groups", tuple[str, ...]]:
        """Return the groups with those who handed in together, by stage, and a line for each clash.

        A named group of `groups.csv` wins over the platform's team.
        """
        rows = dict(self.rows)
        faults: dict[str, None] = {}
        for stage, team in teams:
            groups = Groups(rows)
            members_of = groups.by_name(stage)
            names = dict.fromkeys(filter(None, (groups.of(student, stage) for student in team)))
            # A group that is called after its members was made here, of an earlier team.
            others = [
                name
                for name in names
                if name != _name(members_of[name]) and {*members_of[name]} != {*team}
            ]
            if others:
                faults[f"{stage}: {listed(team)} handed in together, but are not a group"] = None
            elif [{*members_of[name]} for name in names] != [{*team}]:
                rows |= {(student, stage): _name(team) for student in team}
        return Groups(rows), tuple(faults)

    def as_text(self) -> str:
        """Return the content of the file."""
        rows = ((group, *name) for name, group in self.rows.items())
        return CsvTable("", (COLUMNS, *rows)).as_text()


def _squeezed(name: str) -> str:
    """Return the name as Canvas writes it in the names of files."""
    return re.sub(r"[\W_]", "", name).casefold()


def _name(members: Iterable[str]) -> str:
    """Return the name of a group that has none."""
    return "+".join(members)


def read_groups(path: Path, course: Course) -> Groups:
    """Return the groups in the file; raise UsageError if it is invalid."""
    table = read_table(path)
    group = table.column("group", "group_name")
    student = table.column("student", "login_id")
    stage = table.column("stage")
    if group is None or student is None:
        raise UsageError(f"{path}: the columns group and student are needed, or also stage")
    rows: dict[Name, str] = {}
    for row in range(1, len(table.rows)):
        student_cell = table.cell(row, student).strip()
        stage_cell = table.cell(row, stage).strip()
        if not student_cell:
            continue
        name = safe_name(unquote(student_cell))
        group_name = safe_name(unquote(table.cell(row, group).strip()))
        try:
            key = name, course.stage(stage_cell).name if stage_cell else ""
        except UsageError as error:
            raise UsageError(f"{path}, line {row + 1}: {error}") from None
        if rows.setdefault(key, group_name) != group_name:
            about = f" for {key[1]}" if key[1] else ""
            clash = f"in the groups {rows[key]} and {group_name}{about}"
            raise UsageError(f"{path}, line {row + 1}: {name} is {clash}; leave one of them")
    return Groups(rows)


def grouped(layout: Layout, course: Course) -> Layout:
    """Return the layout with a place for each member of a group, at the group's program.

    A folder that is named after a group is the group's, unless a student has that name: on some
    platforms students choose the names of their groups. Raise UsageError if `groups.csv`, beside
    the submissions, is invalid.
    """
    if layout.groups_file is None:
        return layout
    groups = read_groups(layout.groups_file, course)
    everybody = {student for student, _ in groups.rows}
    here = {path.student for path in layout.paths}
    paths = {path.name: path for path in layout.paths}
    attempts = dict(layout.attempts)
    warnings = [*layout.warnings]
    for stage in layout.stages:
        for group, members in groups.by_name(stage.name).items():
            folders = members if group in everybody else (group, *members)
            taken = [paths.pop((folder, stage.name)) for folder in folders if folder in here]
            if not taken:
                continue
            taken.sort(key=_is_missing)
            handed_in_by = [attempts.pop(path.name, (path,)) for path in taken if path.path]
            in_order = _in_order(handed_in_by, warnings) or taken[:1]
            for member in members:
                theirs = tuple(_for_member(path, member, members) for path in in_order)
                paths[member, stage.name] = theirs[-1]
                if len(theirs) > 1:
                    attempts[member, stage.name] = theirs
    for student in sorted(everybody & here & set(groups.rows.values())):
        if any(groups.of(student, stage.name) != student for stage in layout.stages):
            warnings.append(
                f"{layout.groups_file.name}: {student} is the name of a group and of a student, "
                "whose folder this is"
            )
    strangers = sorted({student for student, _ in paths} - here)
    if strangers:
        warnings.append(
            f"{layout.groups_file.name}: {listed(strangers)} handed in nothing; check the names, "
            "because each gets the result of a group"
        )
    in_group = {student for (student, _), group in groups.rows.items() if group}
    if absent := sorted(in_group.difference(here, strangers)):
        warnings.append(f"{layout.groups_file.name}: no submission is for {listed(absent)}")
    named = set(groups.rows.values()) - everybody

    def linked(path: SubmissionPath) -> SubmissionPath:
        is_known = path.path and path.student in everybody
        return replace(path, earlier=_earlier(path, groups, layout, course)) if is_known else path

    ours = (path for path in paths.values() if not (path.missing and path.student in named))
    return replace(
        layout,
        paths=tuple(sorted(map(linked, ours), key=lambda path: path.student)),
        warnings=tuple(warnings),
        attempts={name: tuple(map(linked, several)) for name, several in attempts.items()},
    )


def _is_missing(path: SubmissionPath) -> bool:
    return path.missing


def _for_member(path: SubmissionPath, member: str, group: Sequence[str]) -> SubmissionPath:
    """Return the path for a member; nobody hands in what is missing."""
    if path.missing or group == (path.student,):
        return replace(path, student=member)
    return replace(path, student=member, by=path.student, group=tuple(group))


def _in_order(
    several: Sequence[tuple[SubmissionPath, ...]], warnings: list[str]
) -> list[SubmissionPath]:
    """Return the attempts of a group's members, oldest first, as far as a platform says when.

    If none does, the time of the folder has to do, which is added to the warnings unless their
    programs are the same.
    """
    attempts = [path for paths in several for path in paths]
    if len(several) < 2:
        return attempts
    times = {path.path: str(handed_in(path.path) or "") for path in attempts}
    orders = {path.path: path.note.order for path in attempts}
    if all(times.values()):
        return sorted(attempts, key=lambda path: times[path.path])
    if all(orders.values()) and len({path.note.platform for path in attempts}) == 1:
        return sorted(attempts, key=lambda path: orders[path.path])
    attempts.sort(key=lambda path: path.path.lstat().st_mtime if path.path else 0.0)
    if len({read_found(path).digest or path.path for path in attempts}) == 1:
        return attempts
    students = listed(sorted({path.student for path in attempts}))
    last = attempts[-1]
    warnings.append(
        f"{last.stage.name}: nothing says whether {students} handed in last; the newer folder is "
        f"that of {last.student}"
    )
    return attempts


def _earlier(
    path: SubmissionPath, groups: Groups, layout: Layout, course: Course
) -> tuple[tuple[Stage, Path], ...]:
    """Return where earlier stages may be: the author's own, else those of their group then."""
    places: list[tuple[Stage, Path]] = []
    authors = (path.by or path.student, *path.group)
    for earlier in course.prerequisites(path.stage):
        partners = chain.from_iterable(groups.partners(name, earlier.name) for name in authors)
        handed_in_there = (layout.places.get((name, earlier.name)) for name in partners)
        if place := next(filter(None, handed_in_there), None):
            places.append((earlier, place))
        if path.path:  # a submission may hold its earlier stages as well
            places.append((earlier, path.path))
    return tuple(places)


def one_each(paths: Iterable[SubmissionPath]) -> list[SubmissionPath]:
    """Return one path for each program; that of a group goes by the names of its members."""
    programs: dict[object, SubmissionPath] = {}
    for path in paths:
        name = listed(path.group) or path.student
        programs.setdefault(path.path or path.name, replace(path, student=name))
    return list(programs.values())
