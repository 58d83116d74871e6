"""Pairs and groups: `groups.csv` says who works together, and one program counts for all of them.

The columns are `group` and `student`, and `stage` where groups change: a row with a stage goes
before a row without one, and an empty group means that the student works alone. Canvas's own table
of groups has `group_name` and `login_id`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
        found: dict[str, tuple[str, ...]] = {}
        for student in dict.fromkeys(student for student, _ in self.rows):
            if group := self.of(student, stage):
                found[group] = (*found.get(group, ()), student)
        return found

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
        known = {_squeezed(group): group for group in self.rows.values() if group}
        return known.get(wanted, "")

    def with_teams(
        self, teams: Iterable[tuple[str, Sequence[str]]]
    ) -> tuple["Groups", tuple[str, ...]]:
        """Return the groups with those who handed in together, by stage, and a line for each clash.

        A group with a name of its own goes before what a platform says.
        """
        rows, faults = dict(self.rows), dict[str, None]()
        for stage, members in teams:
            now = Groups(rows)
            named = (now.of(one, stage) for one in members)
            known = {group: now.by_name(stage)[group] for group in named if group}
            if any(group != _name(own) and {*own} != {*members} for group, own in known.items()):
                faults[f"{stage}: {listed(members)} handed in together, but are not a group"] = None
            elif [{*own} for own in known.values()] != [{*members}]:
                rows |= {(one, stage): _name(members) for one in members}
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
    group, student = table.column("group", "group_name"), table.column("student", "login_id")
    stage = table.column("stage")
    if group is None or student is None:
        raise UsageError(f"{path}: the columns group and student are needed, or also stage")
    rows: dict[Name, str] = {}
    for row in range(1, len(table.rows)):
        own, who, where = (table.cell(row, column).strip() for column in (group, student, stage))
        if not who:
            continue
        name, own = (safe_name(unquote(text)) for text in (who, own))
        try:
            key = name, course.stage(where).name if where else ""
        except UsageError as error:
            raise UsageError(f"{path}, line {row + 1}: {error}") from None
        if rows.setdefault(key, own) != own:
            about = f" for {key[1]}" if key[1] else ""
            both = f"in the groups {rows[key]} and {own}{about}"
            raise UsageError(f"{path}, line {row + 1}: {name} is {both}; leave one of them")
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
    attempts, warnings = dict(layout.attempts), [*layout.warnings]
    for stage in layout.stages:
        for group, members in groups.by_name(stage.name).items():
            folders = members if group in everybody else (group, *members)
            own = [one for one in folders if one in here]
            there = sorted((paths.pop((one, stage.name)) for one in own), key=_is_missing)
            several = [attempts.pop(path.name, (path,)) for path in there if path.path]
            found = _in_order(several, warnings) or there[:1]
            for member in members if there else ():
                every = tuple(_for_member(one, member, members) for one in found)
                paths[member, stage.name] = every[-1]
                if len(every) > 1:
                    attempts[member, stage.name] = every
    for student in sorted(everybody & here & set(groups.rows.values())):
        if any(groups.of(student, stage.name) != student for stage in layout.stages):
            what = "is the name of a group and of a student, whose folder this is"
            warnings.append(f"{layout.groups_file.name}: {student} {what}")
    strangers = sorted({student for student, _ in paths} - here)
    if strangers:
        what = "handed in nothing; check the names, because each gets the result of a group"
        warnings.append(f"{layout.groups_file.name}: {listed(strangers)} {what}")
    in_group = {student for (student, _), group in groups.rows.items() if group}
    if absent := sorted(in_group.difference(here, strangers)):
        warnings.append(f"{layout.groups_file.name}: no submission is for {listed(absent)}")
    named = set(groups.rows.values()) - everybody

    def linked(path: SubmissionPath) -> SubmissionPath:
        is_known = path.path and path.student in everybody
        return replace(path, earlier=_earlier(path, groups, layout, course)) if is_known else path

    ours = (one for one in paths.values() if not (one.missing and one.student in named))
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
    found = [path for paths in several for path in paths]
    if len(several) < 2:
        return found
    times = {path.path: str(handed_in(path.path) or "") for path in found}
    orders = {path.path: path.note.order for path in found}
    if all(times.values()):
        return sorted(found, key=lambda path: times[path.path])
    if all(orders.values()) and len({path.note.platform for path in found}) == 1:
        return sorted(found, key=lambda path: orders[path.path])
    found.sort(key=lambda path: path.path.lstat().st_mtime if path.path else 0.0)
    if len({read_found(path).digest or path.path for path in found}) == 1:
        return found
    who, last = listed(sorted({path.student for path in found})), found[-1]
    warnings.append(
        f"{last.stage.name}: nothing says whether {who} handed in last; the newer folder is that "
        f"of {last.student}"
    )
    return found


def _earlier(
    path: SubmissionPath, groups: Groups, layout: Layout, course: Course
) -> tuple[tuple[Stage, Path], ...]:
    """Return where earlier stages may be: the author's own, else those of their group then."""
    found = []
    for before in course.prerequisites(path.stage):
        authors = (path.by or path.student, *path.group)
        people = (one for author in authors for one in groups.partners(author, before.name))
        places = (layout.places.get((one, before.name)) for one in people)
        found += [(before, p) for p in (next(filter(None, places), None), path.path) if p]
    return tuple(found)


def one_each(paths: Iterable[SubmissionPath]) -> list[SubmissionPath]:
    """Return one path for each program; that of a group goes by the names of its members."""
    found: dict[object, SubmissionPath] = {}
    for path in paths:
        name = listed(path.group) or path.student
        found.setdefault(path.path or path.name, replace(path, student=name))
    return list(found.values())
