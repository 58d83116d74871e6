"""Find students in the rows of a table, to collect submissions and to export scores.

A student is known by the name of a folder: a number, a login, an address or a person's name. In a
platform's download, the folder's name may be a name and a number, as in `lovelaceada_4711`.
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
STUDENT = "student"  # a column of names in Canvas; it may have logins in an instructor's own table
NUMBERS = {
    *("id", "sis user id", "integration id", "id number", "sid", "student id", "number"),
    *("id-nummer", "matrikelnummer", "github_id"),
}
LOGINS = {"sis login id", "login", "username", "login id", "user id", "anmeldename"}
# A column title of GitHub Classroom. If a table has it, the column `identifier` has logins too.
GITHUB = "github_username"
FULL_NAMES = {"name", "full name", STUDENT, "vollständiger name"}
FIRST_NAMES = {"first name", "firstname", "vorname"}
LAST_NAMES = {"last name", "lastname", "surname", "nachname"}
SECTIONS = {"section", "sections", "gruppe", "gruppen"}
POINTS = "points possible"  # the first cell of Canvas's row of maximum points


@dataclass(frozen=True)
class Person:
    """A row of a table, and what identifies the person in the row.

    `keys` are logins, addresses and numbers: one of them is enough to identify the person.
    `numbers` may follow a name, as in `ada_501`. Moodle's participant number is only among
    `numbers`, because it changes with each assignment. If the row is `exclusive`, a folder
    `name_number` does not match this person unless the number is among `numbers`: the folder may
    belong to somebody with the same name. `parts` are first name, last name and address.
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
        """What to call the student: login, else address, else number, else name and number."""
        if self.keys:
            return self.keys[0]
        if self.names and self.numbers:
            return f"{self.names[0]}_{self.numbers[0]}"
        return self.names[0] if self.names else ""


class Roster:
    """The people of a table. Ambiguous students are never guessed: they are left out and listed."""

    def __init__(self, people: Iterable[Person]) -> None:
        """Index the people by everything that identifies them."""
        self.people = tuple(people)
        self._by_row = {person.row: person for person in self.people}
        self._keys = self._index(lambda person: person.keys)
        self._numbers = self._index(lambda person: person.numbers)
        self._local_parts = self._index(_local_parts)
        self._names = self._index(_spellings)
        self._exclusive = {person.row for person in self.people if person.exclusive}

    def _index(self, keys: Callable[[Person], Iterable[str]]) -> Mapping[str, set[int]]:
        """Map each key to the numbers of the rows that have it; `keys` returns a person's keys.

        The keys are folded: `_folded` removes differences in writing that do not matter.
        """
        index: dict[str, set[int]] = {}
        for person in self.people:
            for key in filter(None, map(_folded, keys(person))):
                index.setdefault(key, set()).add(person.row)
        return index

    def _rows_of(self, student: str) -> set[int]:
        """Return the rows that match the student, by the first clue that matches any row.

        The clues are tried from the best to the worst. First comes a login, an address or a number;
        a number may also follow a name, as in `ada_501`. Then comes the part of an address before
        the `@`, and last comes a name alone.
        """
        folded = _folded(student)
        name = folded
        number = ""
        if numbered := NAME_AND_NUMBER.fullmatch(student):
            name = _folded(numbered[1])
            number = numbered[2]
        named = self._names.get(name, set())
        hits = self._keys.get(folded, set()) | (self._numbers.get(number, set()) & named)
        # If the number after the name is unknown, the name alone may match. But it must not match a
        # person whose row is `exclusive`.
        named_with_any_number = named - self._exclusive
        last_resort = self._names.get(folded, set()) | named_with_any_number
        return hits or self._local_parts.get(folded, set()) or last_resort

    def match(self, students: Iterable[str]) -> tuple[dict[str, int], list[str]]:
        """Map each student to a row; also return a line for each student without a row.

        A student has no row if no row or several rows match, or if another student matches the same
        row.
        """
        hits = {student: self._rows_of(student) for student in students}
        by_row: dict[int, list[str]] = {}
        for student, rows in hits.items():
            if len(rows) == 1:
                by_row.setdefault(min(rows), []).append(student)
        unplaced = []
        for student, rows in hits.items():
            lines = ", ".join(str(row + 1) for row in sorted(rows))
            students_of_row = by_row.get(min(rows), []) if rows else []
            others = [other for other in students_of_row if other != student]
            if not rows:
                why = "no row has that number, login, address or name"
            elif len(rows) > 1:
                why = f"matches the rows {lines}; name the student by number or login"
            elif others:
                why = f"row {lines} also matches {', '.join(others)}; the same person?"
            else:
                continue
            unplaced.append(f"{student}: {why}")
        row_by_student = {}
        for row, students_of_row in by_row.items():
            if len(students_of_row) == 1:
                row_by_student[students_of_row[0]] = row
        return row_by_student, unplaced

    def sections(self, students: Iterable[str]) -> dict[str, str]:
        """Map each student that the roster knows to the student's section."""
        rows, _ = self.match(students)
        return {name: self._by_row[row].section for name, row in rows.items()}

    def names(self, students: Iterable[str]) -> dict[str, tuple[str, str, str]]:
        """Map each student that the roster knows to first name, last name and address."""
        rows, _ = self.match(students)
        return {name: self._by_row[row].parts for name, row in rows.items()}

    def name_of(self, submitter: Submitter) -> tuple[str, str]:
        """Return two texts: the roster's name for the student, and why no row matches.

        One of the two texts is always "". The clues are the number, the address and the name, tried
        in this order. If the platform gives no address, the number is the platform's own id and not
        the student number. Then the number is a clue only together with the name, as in `ada_4711`.
        """
        name = submitter.name
        number = submitter.number
        if number and not submitter.address:
            number = f"{name}_{number}"
            if submitter.lasting:  # the number decides, and never the name alone
                name = ""
        several: list[Person] = []
        for clue in filter(None, (number, submitter.address, name)):
            hits = [self._by_row[row] for row in sorted(self._rows_of(clue))]
            if len(hits) == 1:
                return safe_name(hits[0].best_name), ""
            several = several or hits
        return "", _several(several) if several else self._nobody(submitter)

    def _nobody(self, submitter: Submitter) -> str:
        """Return a line that says that no row matches, and names similar rows if there are any."""
        problem = "matches no row of the roster"
        if submitter.number:
            rows = self._numbers.get(_folded(submitter.number), set())
            if rows:
                return f"{problem}; {submitter.number} is {self._people_in(rows)}"
        spelling = _folded(submitter.name)
        close = get_close_matches(spelling, self._names.keys() | self._keys.keys(), n=3)
        similar: set[int] = set()
        for name in close:
            similar |= self._names.get(name, set()) | self._keys.get(name, set())
        if similar:
            return f"{problem}; similar: {self._people_in(similar)}"
        return problem

    def _people_in(self, rows: Iterable[int]) -> str:
        """Return the names of the people in these rows, in the order of the roster."""
        return _rows(self._by_row[row] for row in sorted(rows))


def _several(people: Sequence[Person]) -> str:
    """Return a line for several matches: one person with two rows, or different people.

    If all rows have equal keys and names, they are one person who was exported twice.
    """
    if len({(person.keys, person.names) for person in people}) == 1:
        return f"the roster has this student twice: {_rows(people)}; delete all rows but one"
    return f"matches {len(people)} rows of the roster: {_rows(people)}"


def _rows(people: Iterable[Person]) -> str:
    """Return the people's names with their row numbers; the row of titles is number 1."""
    lines = []
    for person in people:
        name = next(iter((*person.names, *person.keys)), "")
        lines.append(f"{safe_line(name)} (row {person.row + 1})")
    return listed(lines)


def _local_parts(person: Person) -> Iterator[str]:
    """Yield the part of each address before the `@`; a student may go by that part alone."""
    for key in person.keys:
        yield key.partition("@")[0]


def _spellings(person: Person) -> Iterator[str]:
    """Yield each name in all spellings: `Lovelace, Ada`, `Ada Lovelace`, Canvas's `lovelaceada`."""
    for name in person.names:
        yield name
        last, comma, first = name.partition(",")
        if comma:
            yield f"{first} {last}"
        yield re.sub(r"\W", "", name)


def _folded(text: str) -> str:
    """Return the text for comparison: lower case, one Unicode form, and `safe_name` undone.

    `safe_name` may have been applied twice: when the student's folder was made, and when the
    student's name was read from the folder. So undo it until nothing changes.
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
    """Return the people in the table; leave out rows without login, address and number."""
    worksheet = is_worksheet(sheet)
    people = (_person(sheet, row, worksheet) for row in range(1, len(sheet.rows)))
    return [person for person in people if person.keys or person.numbers]


def _person(sheet: CsvTable, row: int, worksheet: bool) -> Person:
    """Return the person in the row, from the cells under titles that are known."""

    def under(titles: set[str]) -> list[str]:
        """Return the texts in the columns with one of these titles, without empty ones."""
        cells = []
        for column, title in enumerate(sheet.titles):
            text = sheet.cell(row, column).strip()
            if title in titles and text:
                cells.append(text)
        return cells

    first = sheet.cell(row, 0).strip()
    # Canvas's row of maximum points is not a person. `people_of` drops a row without keys.
    if first.casefold() == POINTS:
        return Person(row)
    login_titles = {"identifier", GITHUB} if GITHUB in sheet.titles else LOGINS
    # A text with a comma under `Student` is a name, as in Canvas.
    logins = [text for text in under(login_titles) or under({STUDENT}) if "," not in text]
    addresses = list(filter(ADDRESS.fullmatch, map(str.strip, sheet.rows[row])))
    names = under(FULL_NAMES)
    first_name = " ".join(under(FIRST_NAMES))
    last_name = " ".join(under(LAST_NAMES))
    if first_name or last_name:
        names.append(f"{first_name} {last_name}".strip())
    elif names:
        first_name, last_name = _first_and_last(names[0])
    keys = under(NUMBERS)
    numbers = list(keys)
    if worksheet and (participant := PARTICIPANT.fullmatch(first)):
        numbers.append(participant[2])
    return Person(
        row,
        (*logins, *addresses, *keys),
        tuple(names),
        tuple(numbers),
        is_canvas(sheet),
        next(iter(under(SECTIONS)), ""),
        (first_name, last_name, next(iter(addresses), "")),
    )


def _first_and_last(name: str) -> tuple[str, str]:
    """Return the parts of `Lovelace, Ada` or `Ada Lovelace`; the last word is the last name."""
    last, comma, first = name.partition(",")
    if comma:
        return first.strip(), last.strip()
    first, _, last = name.rpartition(" ")
    return first, last


def is_worksheet(sheet: CsvTable) -> bool:
    """Return whether the table is a grading worksheet of Moodle's.

    Each cell in a worksheet's first column is a word and a number, as in `Participant 501`. The
    word is the same in all rows, in the language of the download. Logins such as `user17` look the
    same. So if the first column's title stands for logins or names, the table is not a worksheet.
    """
    if sheet.titles[0] in LOGINS | FULL_NAMES:
        return False
    words = set()
    for row in range(1, len(sheet.rows)):
        if text := sheet.cell(row, 0).strip():
            match = PARTICIPANT.fullmatch(text)
            words.add(match[1] if match else "")
    return len(words) == 1 and "" not in words


def is_canvas(sheet: CsvTable) -> bool:
    """Return whether the table has the columns that every Canvas gradebook has."""
    return sheet.column("id") is not None and sheet.column(STUDENT, "lastname") is not None


def name_students(
    submitters: Iterable[Submitter], roster: Roster | None, known_names: Mapping[str, str]
) -> dict[Submitter, tuple[str, str]]:
    """Map each student to two texts: a name, and the reason why the student has no name.

    One of the two texts is always "". Moodle's numbers change with the assignment, so Moodle's
    students are called by their name alone. Two students with the same name are called by name and
    number; in the next download only a roster tells them apart. `known_names` comes from earlier
    downloads. It maps the name of a student's folder to the student's name on the platform.
    """
    everybody = {}
    numbers: dict[str, set[str]] = {}
    for original in submitters:
        submitter = replace(original, name=_composed(original.name))
        everybody[original] = submitter
        numbers.setdefault(submitter.name, set()).add(submitter.number)

    def name(submitter: Submitter) -> tuple[str, str]:
        """Return the two texts for a student; if there is a roster, only the roster decides."""
        if roster is not None:
            return roster.name_of(submitter)
        # If the platform gives an address, as Gradescope does, the number is the student number. So
        # the number is enough to name the student.
        if submitter.address or not submitter.number:
            return safe_name(submitter.number or submitter.address or submitter.name), ""
        student = submitter.name
        if submitter.lasting or len(numbers[submitter.name]) > 1:
            student = f"{submitter.name}_{submitter.number}"
        student = safe_name(student)
        others = []
        for namesake, display_name in known_names.items():
            if display_name == submitter.name:
                others.append(namesake)
        if not submitter.lasting and others and student not in others:
            return "", f"could be {' or '.join(sorted(others))}; name them by --roster"
        return student, ""

    return {original: name(submitter) for original, submitter in everybody.items()}


def _composed(name: str) -> str:
    """Return the name with accents joined to their letters; macOS separates the two."""
    return unicodedata.normalize("NFC", name)
