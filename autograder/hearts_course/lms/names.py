"""What a student's folder is called: by a roster, or else as the platform names the student.

Roster        the students of a class
read_roster   the one in a table: a gradebook, a worksheet, a roster of Gradescope's, or your own
Namer         the names of a crate's students
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hearts_course.errors import UsageError
from hearts_course.lms.attempt import Who
from hearts_course.lms.csv_table import read_sheet
from hearts_course.lms.roster import people_of
from hearts_course.lms.roster_match import Person, find
from hearts_course.text import safe_name


@dataclass(frozen=True)
class Roster:
    """The students of a class."""

    people: tuple[Person, ...]

    def name(self, who: Who) -> str:
        """What the student is called: the login, else the address, else the number; "" if nobody
        is found, or more than one.
        """
        number = who.number if who.address else f"{who.name}_{who.number}" if who.number else ""
        name = "" if who.number and who.lasting and not who.address else who.name
        for clue in filter(None, (number, who.address, name)):
            rows = find([clue], self.people).rows
            if rows:
                person = next(p for p in self.people if p.row == rows[clue])
                return safe_name(_best(person))
        return ""


def _best(person: Person) -> str:
    numbered = (f"{name}_{n}" for name in person.names for n in person.participants)
    every = (*person.logins, *person.addresses, *person.numbers, *numbered, *person.names)
    return next(text for text in every if text.strip())


def read_roster(path: Path) -> Roster:
    """The roster in a table; raises UsageError if there are no students in it."""
    people = people_of(read_sheet(path))
    if not people:
        raise UsageError(f"{path}: no students in it; a table with names and logins is needed")
    return Roster(tuple(people))


class Namer:
    """The names of a crate's students.

    Where a platform's number changes from assignment to assignment, as Moodle's does, a student is
    called by name alone; two of one name get their numbers, and are then told apart no more in
    another crate, but by a roster.
    """

    def __init__(
        self, everybody: Iterable[Who], roster: Roster | None, before: Mapping[str, str]
    ) -> None:
        """`before` has the names that were given, and to whom, from other crates."""
        self._roster = roster
        self._before = before
        numbers: dict[str, set[str]] = {}
        for who in everybody:
            name = unicodedata.normalize("NFC", who.name)
            numbers.setdefault(name, set()).add(who.number)
        self._shared = {name for name, all_of in numbers.items() if len(all_of) > 1}

    def name(self, who: Who) -> tuple[str, str]:
        """The student's name, and "", or "" and why there is none."""
        who = replace(who, name=unicodedata.normalize("NFC", who.name))  # macOS parts letters
        if self._roster is not None:
            found = self._roster.name(who)
            return found, "" if found else "nobody in the roster, or more than one"
        if not who.number:
            return safe_name(who.address or who.name), ""
        if who.address:  # Gradescope's number is the student's own
            return safe_name(who.number), ""
        if who.lasting:
            return safe_name(f"{who.name}_{who.number}"), ""
        shared = who.name in self._shared
        name = safe_name(f"{who.name}_{who.number}" if shared else who.name)
        others = [other for other, plain in self._before.items() if plain == who.name]
        if others and name not in others:
            return "", f"could be {' or '.join(sorted(others))}; name them by --roster"
        return name, ""
