"""Collect the submissions in one archive, and print what became of them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
from hearts_course.cli.common import warn
from hearts_course.course import Course
from hearts_course.errors import CourseError

from hearts_grader.lms.archive import open_archive
from hearts_grader.lms.assign import Assignment
from hearts_grader.lms.downloads import recognise
from hearts_grader.lms.groups import Groups
from hearts_grader.lms.placing import Placed, Placement, SubmissionStore
from hearts_grader.lms.roster import Roster, name_students

Team = tuple[str, tuple[str, ...]]  # a stage, and the students who handed in together


def collect_archive(
    path: Path,
    course: Course,
    store: SubmissionStore,
    groups: Groups,
    roster: Roster | None,
    asked: tuple[str, ...],
    accept_names: bool,
) -> tuple[int, list[Team]]:
    """Collect one archive and report on it.

    Return how many files or students could not be placed, and the teams that handed in together. If
    the platform names a group in place of a student, the files go to the group.
    """
    archive = open_archive(path)
    download = recognise(archive, course)
    submitters = [attempt.submitter for attempt in download.attempts]
    names = name_students(submitters, roster, store.display_names)
    for submitter, (student, _) in names.items():
        # A name that the roster does not know may be a group's: some platforms show the group where
        # the student's name would be.
        is_in_roster = roster is not None and student
        if not is_in_roster and (group := groups.called(submitter.name)):
            names[submitter] = group, ""
    assignment = Assignment(
        archive, download, course, names, asked, store.holds, accept_names=accept_names
    )
    done = []
    unplaced = list(assignment.remarks.unplaced)
    for placement in assignment.placements:
        try:
            done.append((placement, store.place(placement)))
        except CourseError as error:  # go on with the other placements
            unplaced.append(f"{placement.student}: {placement.stage}: {error}")
    teams = []
    for placement in assignment.placements:
        # A member whom the roster does not know has the name ""; a team needs two known members.
        members = {names[submitter][0] for submitter in placement.attempt.group} - {""}
        if len(members) > 1:
            teams.append((placement.stage, tuple(sorted(members))))
    click.echo(", ".join((f"{archive.name}: {download.platform}", *assignment.stages)))
    _print_placed(done, store)
    for note in assignment.remarks.notes:
        click.echo(f"  {note}")
    warn(*(f"{archive.name}: {line}" for line in unplaced))
    return len(unplaced), teams


def _print_placed(done: Sequence[tuple[Placement, Placed]], store: SubmissionStore) -> None:
    """Print what became of the attempts, and the submissions that are marked as late.

    `done` pairs each attempt with the answer of `SubmissionStore.place`. Print the number of
    attempts with each answer. Also name each attempt that replaced another, and each attempt that
    is older than the one that counts.
    """
    counts = Counter(how for _, how in done)
    for how in Placed:
        if counts[how]:
            click.echo(f"  {counts[how]:4} {how}")
    for placement, how in done:
        if how in (Placed.REPLACED, Placed.OLDER):
            click.echo(f"  {placement.student} {placement.stage}: {how}")
    if counts[Placed.REPLACED] or counts[Placed.OLDER]:
        click.echo(f"  attempts that do not count are kept in {store.attempts}")
    for placement, _ in done:
        if store.is_late(placement.student, placement.stage):
            click.echo(f"  {placement.student} {placement.stage}: marked late by Canvas")
