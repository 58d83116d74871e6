"""The students in a table, whatever made it: its titles say which cells tell who somebody is.

people_of      them
is_worksheet   whether the table is a grading worksheet of Moodle's
is_canvas      whether it is a gradebook of Canvas's
"""

import re
from dataclasses import replace

from hearts_course.lms.csv_table import CsvTable
from hearts_course.lms.roster_match import Person

PARTICIPANT = re.compile(r"(\D+)(\d+)")
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
NUMBERS = {
    *("id", "sis user id", "integration id", "id number", "sid", "student id", "number"),
    *("id-nummer", "matrikelnummer", "numéro d'identification", "número de id"),
}
LOGINS = {
    *("sis login id", "login", "username", "login id", "user id"),
    *("anmeldename", "nom d'utilisateur", "nombre de usuario"),
}
STUDENT = "student"  # in Canvas the name, in your own table perhaps the login
FULL = {
    *("name", "full name", STUDENT, "vollständiger name", "nom complet", "nombre completo"),
    *("nome completo",),
}
FIRST = {"first name", "firstname", "vorname", "prénom", "nombre"}
LAST = {"last name", "lastname", "surname", "nachname", "nom", "nom de famille", "apellido(s)"}
POINTS = "points possible"


def people_of(sheet: CsvTable) -> list[Person]:
    """Whoever has a row; rows that tell nothing of a person are left out."""
    titles = [title.strip().casefold() for title in sheet.header]
    people = [_person(sheet, row, titles) for row in range(1, len(sheet.rows))]
    if is_worksheet(sheet):
        people = [replace(p, participants=_participant(sheet, p.row)) for p in people]
    if is_canvas(sheet):
        people = [replace(p, lasting=True) for p in people]
    return [p for p in people if p.numbers or p.logins or p.addresses or p.participants]


def is_worksheet(sheet: CsvTable) -> bool:
    """Whether all cells of the first column are one word, in any language, and a number."""
    cells = [sheet.cell(row, 0).strip() for row in range(1, len(sheet.rows))]
    found = [PARTICIPANT.fullmatch(cell) for cell in cells if cell]
    words = {match[1] if match else "" for match in found}
    title = sheet.header[0].strip().casefold()
    return len(words) == 1 and "" not in words and title not in LOGINS | FULL


def is_canvas(sheet: CsvTable) -> bool:
    """Whether it has the columns that are in each of Canvas's gradebooks."""
    return sheet.column("id") is not None and sheet.column("student", "lastname") is not None


def _participant(sheet: CsvTable, row: int) -> tuple[str, ...]:
    match = PARTICIPANT.fullmatch(sheet.cell(row, 0).strip())
    return (match[2],) if match else ()


def _person(sheet: CsvTable, row: int, titles: list[str]) -> Person:
    def under(wanted: set[str]) -> tuple[str, ...]:
        cells = (sheet.cell(row, i).strip() for i, title in enumerate(titles) if title in wanted)
        return tuple(cell for cell in cells if cell)

    if sheet.cell(row, 0).strip().casefold() == POINTS:
        return Person(row)
    addresses = tuple(c.strip() for c in sheet.rows[row] if ADDRESS.fullmatch(c.strip()))
    name = " ".join((*under(FIRST), *under(LAST)))
    names = (*under(FULL), *((name,) if name else ()))
    logins = under(LOGINS) or under({STUDENT})
    logins = tuple(login for login in logins if "," not in login)
    return Person(row, under(NUMBERS), logins, addresses, names)
