"""Find the players of a tournament, without running any program."""

import ast
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from random import Random

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import digest
from hearts_course.python_source import UNPARSABLE, parsed
from hearts_course.submissions.find import find_submissions
from hearts_course.submissions.read import read_found
from hearts_course.text import safe_line
from hearts_course.tournament.schedule import HOUSE
from hearts_course.view.players import Opponent

from hearts_grader.grading.grade import reference_before

SEAT = "tournament_seat"  # a module in a stage's hidden folder
ENTER = "enter"  # the function that a student writes to take part
ALIAS = "ALIAS"  # the constant of a student's program that holds the chosen alias
MAX_ALIAS = 24  # characters; a longer alias is cut


@dataclass(frozen=True)
class Entry:
    """One player of a tournament: a student's program, or one of the course's players.

    `enter` names the module in which the student's function `enter` makes the player. `key` changes
    with the program, so that a tournament notices a changed program.
    """

    alias: str
    student: str = ""
    stage: str = ""
    enter: str = ""
    modules: Mapping[str, str] = field(default_factory=dict)
    opponent: str = ""
    key: str = ""


def tournament_stage(course: Course) -> Stage:
    """Return the stage whose table is used; raise UsageError if the course has none.

    It is the first stage whose hidden folder has the module for a seat at the table.
    """
    for stage in course.stages:
        if (stage.autograder / f"{SEAT}.py").is_file():
            return stage
    raise UsageError(f"no stage of this course has a {SEAT}.py, so there is no tournament")


def table_reference(course: Course) -> dict[str, str]:
    """Map the module names of the reference that the table runs to their source texts."""
    stage = tournament_stage(course)
    return {**reference_before(stage), **stage.reference()}


def find_entries(players: Iterable[str], course: Course) -> tuple[list[Entry], list[str]]:
    """Return the entries in the order of aliases, and a line for each student who stays out.

    Each of `players` is a folder of submissions, or the name of one of the course's players. Raise
    UsageError if nobody plays.
    """
    entries: list[Entry] = []
    remarks: list[str] = []
    for player in players:
        # The name of a course's player wins over a folder with the same name.
        if player in [*Opponent]:
            entries.append(Entry(player, opponent=player, key=player))
        elif Path(player).is_dir():
            entries += _submitted(Path(player), course, remarks)
        else:
            names = ", ".join(Opponent)
            raise UsageError(f"{player}: no folder, and no player of the course ({names})")
    if not entries:
        raise UsageError(f"nobody plays: no program has a function `{ENTER}`")
    return _with_aliases(entries), remarks


def _submitted(folder: Path, course: Course, remarks: list[str]) -> list[Entry]:
    """Return the entries of a folder; add a remark for each student who stays out.

    A player may be in the table's stage or in a stage that builds on it. If a student has players
    in two stages, the player in the later stage counts.
    """
    stage = tournament_stage(course)
    stages = []
    for later in course.stages:
        if later == stage or stage in course.prerequisites(later):
            stages.append(later)
    seat = (stage.autograder / f"{SEAT}.py").read_text(encoding="utf-8")
    by_student: dict[str, Entry] = {}
    stays_out: set[str] = set()
    layout = find_submissions(folder, course, [later.name for later in stages if not later.clinic])
    for path in layout.paths:
        submission = read_found(path)
        enter = _module_with_enter(submission.modules)
        if not enter:
            # The student may still have a player in another stage.
            stays_out.add(path.student)
            continue
        reference = reference_before(path.stage)
        by_student[path.student] = Entry(
            _alias(submission.modules[enter]),
            student=path.student,
            stage=path.stage.name,
            enter=enter,
            modules={SEAT: seat, **reference, **submission.modules},
            key=digest(*chain.from_iterable(sorted(submission.modules.items()))),
        )
    for student in sorted(stays_out - by_student.keys()):
        remarks.append(f"{student}: stays out, because no program has a function `{ENTER}`")
    return list(by_student.values())


def _module_with_enter(modules: Mapping[str, str]) -> str:
    """Return the last module that defines `enter`; "" if none does.

    Later modules build on earlier ones, so the last definition is the most complete player.
    """
    module = ""
    for name, text in modules.items():
        for node in _body(text):
            if isinstance(node, ast.FunctionDef) and node.name == ENTER:
                module = name
    return module


def _alias(text: str) -> str:
    """Return the text that the module assigns to ALIAS; "" if it assigns none.

    The program is read and not run, so only a literal text counts. Characters that could control a
    terminal are made harmless, and a long alias is cut.
    """
    alias = ""
    for node in _body(text):
        match node:
            case ast.Assign([ast.Name(name)], ast.Constant(str(value))) if name == ALIAS:
                alias = value
    return safe_line(alias).strip()[:MAX_ALIAS]


def _body(text: str) -> list[ast.stmt]:
    """Return the statements of a module; none if Python cannot read it in reasonable time."""
    try:
        return parsed(text).body
    except UNPARSABLE:
        return []


def _with_aliases(entries: list[Entry]) -> list[Entry]:
    """Return the entries in the order of their aliases; each entry gets an alias of its own.

    A student who has chosen no alias gets a random number, because numbers in the order of names
    would tell who the players are. The random numbers depend on the programs alone. If an alias is
    taken, a number is added to it. No two entries may share an alias, because a player's sandbox is
    found by the alias.
    """
    lot = [entry for entry in entries if not entry.alias]
    lot.sort(key=lambda entry: entry.key)
    Random("".join(entry.key for entry in lot)).shuffle(lot)
    numbers = {id(entry): number for number, entry in enumerate(lot, 1)}
    taken = {HOUSE}
    named: list[Entry] = []
    for entry in sorted(entries, key=lambda entry: (bool(entry.student), entry.key, entry.student)):
        alias = _free_alias(entry.alias or f"player {numbers[id(entry)]}", taken)
        taken.add(alias.casefold())
        named.append(replace(entry, alias=alias))
    return sorted(named, key=lambda entry: entry.alias)


def _free_alias(alias: str, taken: Collection[str]) -> str:
    """Return the alias; if it is taken, add the first number from 2 on that makes it free.

    `taken` has aliases in lower case, because aliases that differ only in capitals look alike.
    """
    free = alias
    for number in count(2):
        if free.casefold() not in taken:
            break
        free = f"{alias} ({number})"
    return free
