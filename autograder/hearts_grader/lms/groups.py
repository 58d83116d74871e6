"""Pairs and groups: `groups.csv` says who works together, and one program counts for the group.

The columns are `group` and `student`, and also `stage` if groups change between stages. A row with
a stage wins over a row without a stage. An empty group means that the student works alone. In
Canvas's own table of groups, the columns are `group_name` and `login_id`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.submissions.find import Layout, SubmissionPath
from hearts_course.submissions.read import read_found
from hearts_course.text import listed, safe_name

from hearts_grader.grading.late_policy import Name, hand_in_time
from hearts_grader.lms.csv_table import CsvTable, read_table

COLUMNS = ("group", "student", "stage")


@dataclass(frozen=True)
class Groups:
    """The group of each student, by student and stage; the stage "" means all other stages."""

    rows: Mapping[Name, str] = field(default_factory=dict)

    @property
    def students(self) -> tuple[str, ...]:
        """The students of the file, in its order, each only once."""
        return tuple(dict.fromkeys(student for student, _ in self.rows))

    def of(self, student: str, stage: str) -> str:
        """Return the student's group for the stage, "" if the student works alone."""
        return self.rows.get((student, stage), self.rows.get((student, ""), ""))

    def by_name(self, stage: str) -> dict[str, tuple[str, ...]]:
        """Return the members of each group for the stage, in the order of the file."""
        members: dict[str, tuple[str, ...]] = {}
        for student in self.students:
            if group := self.of(student, stage):
                members[group] = (*members.get(group, ()), student)
        return members

    def partners(self, student: str, stage: str) -> tuple[str, ...]:
        """Return the members of the student's group, and the student first."""
        group = self.of(student, stage)
        if not group:
            return (student,)
        return tuple(dict.fromkeys((student, *self.by_name(stage)[group])))

    def called(self, name: str) -> str:
        """Return the group with this name, also if the name is written as in Canvas's files.

        Return "" if there is no such group, or if a student has the same name: students may choose
        the names of groups.
        """
        wanted = _squeezed(name)
        if wanted in map(_squeezed, self.students):
            return ""
        groups = {_squeezed(group): group for group in self.rows.values() if group}
        return groups.get(wanted, "")

    def with_teams(
        self, teams: Iterable[tuple[str, Sequence[str]]]
    ) -> tuple["Groups", tuple[str, ...]]:
        """Return these groups with a group for each team, and a line for each ignored team.

        `teams` has pairs: a stage, and students who handed it in together according to the
        platform. A named group of `groups.csv` with other members wins over the platform's team.
        """
        rows = dict(self.rows)
        faults: dict[str, None] = {}  # lines, each once even if a team has several attempts
        for stage, team in teams:
            groups = Groups(rows)
            members_of = groups.by_name(stage)
            groups_of_team = [groups.of(student, stage) for student in team]
            names = dict.fromkeys(filter(None, groups_of_team))
            members_of_groups = [set(members_of[name]) for name in names]
            if any(_is_another_group(name, members_of[name], team) for name in names):
                faults[f"{stage}: {listed(team)} handed in together, but are not a group"] = None
            elif members_of_groups != [set(team)]:  # the team is not one of the groups yet
                for student in team:
                    rows[student, stage] = _name(team)
        return Groups(rows), tuple(faults)

    def as_text(self) -> str:
        """Return the groups as the content of a `groups.csv`."""
        rows = ((group, *name) for name, group in self.rows.items())
        return CsvTable("", (COLUMNS, *rows)).as_text()


def _squeezed(name: str) -> str:
    """Return the name as Canvas writes it in the names of files."""
    return re.sub(r"[\W_]", "", name).casefold()


def _name(members: Iterable[str]) -> str:
    """Return the name of a group made from a platform's team: the names of its members."""
    return "+".join(members)


def _is_another_group(name: str, members: Sequence[str], team: Sequence[str]) -> bool:
    """Return whether the group is from `groups.csv` and has other members than the team.

    A group that is named after its members was made from an earlier team. A later team replaces it.
    """
    return name != _name(members) and {*members} != {*team}


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
        # A name copied from a folder is safe already, and must not be made safe twice.
        name = safe_name(unquote(student_cell))
        group_name = safe_name(unquote(table.cell(row, group).strip()))
        try:
            stage_name = course.stage(stage_cell).name if stage_cell else ""
        except UsageError as error:
            raise UsageError(f"{path}, line {row + 1}: {error}") from None
        former_group = rows.setdefault((name, stage_name), group_name)
        if former_group != group_name:
            clash = f"in the groups {former_group} and {group_name}"
            if stage_name:
                clash += f" for {stage_name}"
            raise UsageError(f"{path}, line {row + 1}: {name} is {clash}; leave one of them")
    return Groups(rows)


def grouped(layout: Layout, course: Course) -> Layout:
    """Return the layout in which each member of a group has a path to the group's program.

    A folder named after a group is the group's. If a student has the same name, the folder is the
    student's, because on some platforms students choose the names of groups. Raise UsageError if
    the `groups.csv` beside the submissions is invalid.
    """
    if layout.groups_file is None:
        return layout
    groups = read_groups(layout.groups_file, course)
    everybody = set(groups.students)
    paths = {path.name: path for path in layout.paths}
    attempts = dict(layout.attempts)
    warnings = [*layout.warnings]
    _share_programs(layout, groups, everybody, paths, attempts, warnings)
    warnings += _name_warnings(layout, groups, everybody, {student for student, _ in paths})
    named = set(groups.rows.values()) - everybody

    def linked(path: SubmissionPath) -> SubmissionPath:
        """Return the path, with the places where the program's earlier stages may be."""
        if path.path and path.student in everybody:
            return replace(path, earlier=_earlier(path, groups, layout, course))
        return path

    kept = []
    for path in paths.values():
        if not (path.missing and path.student in named):  # the members have results, not the group
            kept.append(linked(path))
    return replace(
        layout,
        paths=tuple(sorted(kept, key=lambda path: path.student)),
        warnings=tuple(warnings),
        attempts={name: tuple(map(linked, several)) for name, several in attempts.items()},
    )


def _share_programs(
    layout: Layout,
    groups: Groups,
    everybody: Collection[str],
    paths: dict[Name, SubmissionPath],
    attempts: dict[Name, tuple[SubmissionPath, ...]],
    warnings: list[str],
) -> None:
    """Give each member of a group the path and the attempts of the whole group.

    The last attempt of any member counts for all members. If no member handed in, each member gets
    the path of a missing program. `paths`, `attempts` and `warnings` are changed in place.
    """
    here = {path.student for path in layout.paths}
    for stage in layout.stages:
        for group, members in groups.by_name(stage.name).items():
            folders = members if group in everybody else (group, *members)
            taken = [paths.pop((folder, stage.name)) for folder in folders if folder in here]
            if not taken:
                continue
            taken.sort(key=lambda path: path.missing)
            attempts_of_each = [attempts.pop(path.name, (path,)) for path in taken if path.path]
            in_order = _in_order(attempts_of_each, warnings) or taken[:1]
            for member in members:
                theirs = tuple(_for_member(path, member, members) for path in in_order)
                paths[member, stage.name] = theirs[-1]
                if len(theirs) > 1:
                    attempts[member, stage.name] = theirs


def _name_warnings(
    layout: Layout, groups: Groups, everybody: Collection[str], placed: Collection[str]
) -> Iterator[str]:
    """Yield warnings on names in `groups.csv`: ambiguous names, and names without a submission.

    `everybody` has all students of the file. `placed` has the students with a path, which may be
    their group's.
    """
    assert layout.groups_file is not None
    file = layout.groups_file.name
    here = {path.student for path in layout.paths}
    called_like_a_group = set(groups.rows.values()).intersection(everybody, here)
    for student in sorted(called_like_a_group):
        is_in_that_group = all(groups.of(student, stage.name) == student for stage in layout.stages)
        if not is_in_that_group:
            yield (
                f"{file}: {student} is the name of a group and of a student, whose folder this is"
            )
    strangers = sorted({*placed} - here)
    if strangers:
        yield (
            f"{file}: {listed(strangers)} handed in nothing; check the names, "
            "because each gets the result of a group"
        )
    in_group = {student for (student, _), group in groups.rows.items() if group}
    if absent := sorted(in_group.difference(here, strangers)):
        yield f"{file}: no submission is for {listed(absent)}"


def _for_member(path: SubmissionPath, member: str, group: Sequence[str]) -> SubmissionPath:
    """Return the path for a member, with the group and the name of the member who handed in.

    A missing program has neither, because nobody handed it in.
    """
    if path.missing or group == (path.student,):
        return replace(path, student=member)
    return replace(path, student=member, by=path.student, group=tuple(group))


def _in_order(
    several: Sequence[tuple[SubmissionPath, ...]], warnings: list[str]
) -> list[SubmissionPath]:
    """Return the attempts of a group's members, oldest first.

    `several` has the attempts of each member. Sort by the times of hand-in if all are known. Else
    sort by the platform's order if all attempts are from one platform. Otherwise sort by the times
    of the folders; if the programs differ, a warning names the folder that was taken as the last.
    """
    attempts = [*chain.from_iterable(several)]
    if len(several) < 2:
        return attempts
    times = {path.path: str(hand_in_time(path.path) or "") for path in attempts}
    orders = {path.path: path.note.order for path in attempts}
    if all(times.values()):
        return sorted(attempts, key=lambda path: times[path.path])
    if all(orders.values()) and len({path.note.platform for path in attempts}) == 1:
        return sorted(attempts, key=lambda path: orders[path.path])
    attempts.sort(key=lambda path: path.path.lstat().st_mtime if path.path else 0.0)
    programs = {read_found(path).digest or path.path for path in attempts}
    if len(programs) == 1:
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
    """Return the places where a submission's earlier stages may be, the best place first.

    The best place is where an author, or else a partner in that stage, handed in the earlier stage.
    The next place is the submission itself.
    """
    places: list[tuple[Stage, Path]] = []
    authors = (path.by or path.student, *path.group)
    for earlier in course.prerequisites(path.stage):
        if place := _place_of_any(authors, earlier, groups, layout):
            places.append((earlier, place))
        if path.path:  # a submission may hold its earlier stages as well
            places.append((earlier, path.path))
    return tuple(places)


def _place_of_any(
    authors: Iterable[str], stage: Stage, groups: Groups, layout: Layout
) -> Path | None:
    """Return where an author, or else a partner of this author, handed in the stage."""
    for author in authors:
        for partner in groups.partners(author, stage.name):
            if place := layout.places.get((partner, stage.name)):
                return place
    return None


def one_each(paths: Iterable[SubmissionPath]) -> list[SubmissionPath]:
    """Return one path for each program; a group's program gets the names of all its members."""
    programs: dict[object, SubmissionPath] = {}
    for path in paths:
        name = listed(path.group) or path.student
        programs.setdefault(path.path or path.name, replace(path, student=name))
    return list(programs.values())
