"""The students in a table, found by name, for collecting submissions and exporting scores.

A student goes by the name of a folder. It may be a number, a login, an address, a person's name,
or a name and a number as in `lovelaceada_4711`, as platforms name what they hand out.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import unquote

from hearts_course.errors import UsageError
from hearts_course.text import listed, safe_line, safe_name

from hearts_grader.lms.archive import Submitter
from hearts_grader.lms.csv_table import CsvTable, read_table

PARTICIPANT = re.compile(r"(\D+)(\d+)")
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
NAME_AND_NUMBER = re.compile(r"(.*)_(\d+)")
# Column titles of Canvas, Gradescope, GitHub Classroom, and of Moodle in English and German.
STUDENT = "student"  # Canvas: the name; perhaps the login in an instructor's own table
NUMBERS = {
    *("id", "sis user id", "integration id", "id number", "sid", "student id", "number"),
    *("id-nummer", "matrikelnummer", "github_id"),
}
LOGINS = {"sis login id", "login", "username", "login id", "user id", "anmeldename"}
GITHUB = "github_username"  # of GitHub Classroom, whose `identifier` names the student
FULL_NAMES = {"name", "full name", STUDENT, "vollständiger name"}
FIRST_NAMES = {"first name", "firstname", "vorname"}
LAST_NAMES = {"last name", "lastname", "surname", "nachname"}
SECTIONS = {"section", "sections", "gruppe", "gruppen"}
POINTS = "points possible"


@dataclass(frozen=True)
class Person:
    """A row of a table and what identifies the person: `keys` are logins, addresses and numbers.

    `numbers` may stand behind a name: they include Moodle's participant number, which changes with
    the assignment and means nothing alone. If `exclusive`, no other number may stand there.
    `parts` are first name, last name and address.
    """

    row: int
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    exclusive: bool = False
    section: str = ""
    parts: tuple[str, str, str] = ("", "", "")

    @property
    def best_name(self) -> str:
        """What to call the student: the login, else the address, else a number, else the name."""
        numbered = (f"{name}_{number}" for name in self.names for number in self.numbers)
        return next(iter((*self.keys, *numbered, *self.names)), "")


class Roster:
    """The people of a table. Ambiguous students are never guessed: they are left out and listed."""

    def __init__(self, people: Iterable[Person]) -> None:
        """Index the people by everything that identifies them."""
        self.people = tuple(people)
        self._by_row = {person.row: person for person in self.people}
        self._keys = self._index(lambda person: person.keys)
        self._numbers = self._index(lambda person: person.numbers)
        self._local_parts = self._index(lambda person: (k.partition("@")[0] for k in person.keys))
        self._names = self._index(_spellings)
        self._exclusive = {person.row for person in self.people if person.exclusive}

    def _index(self, keys: Callable[[Person], Iterable[str]]) -> Mapping[str, set[int]]:
        index: dict[str, set[int]] = {}
        for person in self.people:
            for key in filter(None, map(_folded, keys(person))):
                index.setdefault(key, set()).add(person.row)
        return index

    def _rows_of(self, student: str) -> set[int]:
        """Return the rows that match the student by the best clue that matches any."""
        folded = _folded(student)
        numbered = NAME_AND_NUMBER.fullmatch(student)
        name, number = (_folded(numbered[1]), numbered[2]) if numbered else (folded, "")
        named = self._names.get(name, set())
        hits = self._keys.get(folded, set()) | (self._numbers.get(number, set()) & named)
        last_resort = self._names.get(folded, set()) | (named - self._exclusive)
        return hits or self._local_parts.get(folded, set()) or last_resort

    def match(self, students: Iterable[str]) -> tuple[dict[str, int], list[str]]:
        """Return each student's row, and a line for each student without a row.

        A student who matches no row, several rows, or another student's row has none.
        """
        hits = {student: self._rows_of(student) for student in students}
        by_row: dict[int, list[str]] = {}
        for student, rows in hits.items():
            if len(rows) == 1:
                by_row.setdefault(min(rows), []).append(student)
        unplaced = []
        for student, rows in hits.items():
            lines = ", ".join(str(row + 1) for row in sorted(rows))
            others = [s for s in by_row.get(min(rows, default=0), ()) if s != student]
            if not rows:
                why = "no row has that number, login, address or name"
            elif len(rows) > 1:
                why = f"matches the rows {lines}; name the student by number or login"
            elif others:
                why = f"row {lines} also matches {', '.join(others)}; the same person?"
            else:
                continue
            unplaced.append(f"{student}: {why}")
        return {s[0]: row for row, s in by_row.items() if len(s) == 1}, unplaced

    def sections(self, students: Iterable[str]) -> dict[str, str]:
        """Return the sections of the students that the roster knows."""
        return {name: self._by_row[row].section for name, row in self.match(students)[0].items()}

    def names(self, students: Iterable[str]) -> dict[str, tuple[str, str, str]]:
        """Return first name, last name and address of the students that the roster knows."""
        return {name: self._by_row[row].parts for name, row in self.match(students)[0].items()}

    def name_of(self, submitter: Submitter) -> tuple[str, str]:
        """Return what the roster calls the student and "", or "" and why nobody is meant."""
        name = submitter.name
        number = submitter.number
        if number and not submitter.address:
            number = f"{name}_{number}"
            name = "" if submitter.lasting else name
        several: list[Person] = []
        for clue in filter(None, (number, submitter.address, name)):
            hits = [self._by_row[row] for row in sorted(self._rows_of(clue))]
            if len(hits) == 1:
                return safe_name(hits[0].best_name), ""
            several = several or hits
        return "", _several(several) if several else self._nobody(submitter)

    def _nobody(self, submitter: Submitter) -> str:
        """Say that no row is the student, and name the rows that come near."""
        rows = self._numbers.get(_folded(submitter.number), set()) if submitter.number else set()
        if rows:
            near = f"{submitter.number} is {_rows(self._by_row[row] for row in sorted(rows))}"
        else:
            spelling = _folded(submitter.name)
            close = get_close_matches(spelling, self._names.keys() | self._keys.keys(), n=3)
            rows = set()
            for name in close:
                rows |= self._names.get(name, set()) | self._keys.get(name, set())
            near = f"similar: {_rows(self._by_row[row] for row in sorted(rows))}" if rows else ""
        return "; ".join(filter(None, ("matches no row of the roster", near)))


def _several(people: Sequence[Person]) -> str:
    """Say that rows of the roster are one person's, or that several people could be meant."""
    if len({(person.keys, person.names) for person in people}) == 1:
        return f"the roster has this student twice: {_rows(people)}; delete all rows but one"
    return f"matches {len(people)} rows of the roster: {_rows(people)}"


def _rows(people: Iterable[Person]) -> str:
    """Name the people with their rows, the title's row being the first."""
    lines = []
    for person in people:
        name = next(iter((*person.names, *person.keys)), "")
        lines.append(f"{safe_line(name)} (row {person.row + 1})")
    return listed(lines)


def _spellings(person: Person) -> Iterator[str]:
    """`Lovelace, Ada` is also `Ada Lovelace`, and `lovelaceada` as Canvas squeezes it."""
    for name in person.names:
        last, comma, first = name.partition(",")
        yield name
        yield f"{first} {last}" if comma else name
        yield re.sub(r"\W", "", name)


def _folded(text: str) -> str:
    """Return the text for comparison: in one case and spelling, with safe names undone.

    A login was made safe twice: to name the folder, and to name the student after the folder.
    """
    while (once := unquote(text, errors="surrogateescape")) != text:
        text = once
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def read_roster(path: Path) -> Roster:
    """Return the students in a table; raise UsageError if there are none."""
    people = people_of(read_table(path))
    if not people:
        raise UsageError(f"{path}: no students in it; a table with names and logins is needed")
    return Roster(people)


def people_of(sheet: CsvTable) -> list[Person]:
    """Return the people in the table; rows that identify nobody are left out."""
    worksheet = is_worksheet(sheet)
    people = (_person(sheet, row, worksheet) for row in range(1, len(sheet.rows)))
    return [person for person in people if person.keys or person.numbers]


def _person(sheet: CsvTable, row: int, worksheet: bool) -> Person:
    def under(wanted: set[str]) -> tuple[str, ...]:
        cells = (sheet.cell(row, i).strip() for i, t in enumerate(sheet.titles) if t in wanted)
        return tuple(cell for cell in cells if cell)

    first = sheet.cell(row, 0).strip()
    if first.casefold() == POINTS:
        return Person(row)
    login_titles = {"identifier", GITHUB} if GITHUB in sheet.titles else LOGINS
    logins = (text for text in under(login_titles) or under({STUDENT}) if "," not in text)
    addresses = [c.strip() for c in sheet.rows[row] if ADDRESS.fullmatch(c.strip())]
    parts = " ".join(under(FIRST_NAMES)), " ".join(under(LAST_NAMES))
    names = (*under(FULL_NAMES), *([" ".join(parts).strip()] if any(parts) else []))
    participant = PARTICIPANT.fullmatch(first) if worksheet else None
    numbers = under(NUMBERS)
    return Person(
        row,
        (*logins, *addresses, *numbers),
        names,
        (*numbers, *([participant[2]] if participant else [])),
        is_canvas(sheet),
        next(iter(under(SECTIONS)), ""),
        (*(parts if any(parts) else _first_and_last(*names[:1])), next(iter(addresses), "")),
    )


def _first_and_last(name: str = "") -> tuple[str, str]:
    last, comma, first = name.partition(",")
    return (first.strip(), last.strip()) if comma else name.rpartition(" ")[::2]


def is_worksheet(sheet: CsvTable) -> bool:
    """Return whether this is a grading worksheet of Moodle's.

    The cells of its first column are one word, in the language of whoever downloaded it, and a
    participant's number.
    """
    cells = [sheet.cell(row, 0).strip() for row in range(1, len(sheet.rows))]
    matches = [PARTICIPANT.fullmatch(cell) for cell in cells if cell]
    words = {match[1] if match else "" for match in matches}
    return len(words) == 1 and "" not in words and sheet.titles[0] not in LOGINS | FULL_NAMES


def is_canvas(sheet: CsvTable) -> bool:
    """Return whether the table has the columns of every gradebook of Canvas's."""
    return sheet.column("id") is not None and sheet.column(STUDENT, "lastname") is not None


def name_students(
    submitters: Iterable[Submitter], roster: Roster | None, known_names: Mapping[str, str]
) -> dict[Submitter, tuple[str, str]]:
    """Return each student's name and "", or "" and why there is none.

    Moodle's numbers change with the assignment, so its students go by name alone. Two of one name
    get their numbers; from then on only a roster tells them apart. `before` has the students that
    were named in other downloads, with their own names.
    """
    everybody = {
        submitter: replace(submitter, name=_composed(submitter.name)) for submitter in submitters
    }
    numbers: dict[str, set[str]] = {}
    for submitter in everybody.values():
        numbers.setdefault(submitter.name, set()).add(submitter.number)

    def name(submitter: Submitter) -> tuple[str, str]:
        if roster is not None:
            return roster.name_of(submitter)
        if submitter.address or not submitter.number:  # Gradescope's number is the student's own
            return safe_name(submitter.number or submitter.address or submitter.name), ""
        numbered = submitter.lasting or len(numbers[submitter.name]) > 1
        student = safe_name(f"{submitter.name}_{submitter.number}" if numbered else submitter.name)
        others = [
            namesake
            for namesake, display_name in known_names.items()
            if display_name == submitter.name
        ]
        if not submitter.lasting and others and student not in others:
            return "", f"could be {' or '.join(sorted(others))}; name them by --roster"
        return student, ""

    return {original: name(submitter) for original, submitter in everybody.items()}


def _composed(name: str) -> str:
    """Return the name as most systems write it; macOS separates letters from their accents."""
    return unicodedata.normalize("NFC", name)
