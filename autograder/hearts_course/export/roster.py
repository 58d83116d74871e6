"""The students in a table, whatever made it: its titles say which cells tell who somebody is.

people_of   them
"""

import re

from hearts_course.export.people import Person
from hearts_course.export.sheet import Sheet

PARTICIPANT = re.compile(r"\D+(\d+)")
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
NUMBERS = {
    *("id", "sis user id", "integration id", "id number", "sid", "student id", "number"),
    *("id-nummer", "matrikelnummer", "numéro d'identification", "número de id"),
}
LOGINS = {
    *("sis login id", "login", "username", "login id", "user id", "student"),
    *("anmeldename", "nom d'utilisateur", "nombre de usuario"),
}
FULL = {
    *("name", "full name", "student", "vollständiger name", "nom complet", "nombre completo"),
    *("nome completo",),
}
FIRST = {"first name", "firstname", "vorname", "prénom", "nombre"}
LAST = {"last name", "lastname", "surname", "nachname", "nom", "nom de famille", "apellido(s)"}
POINTS = "points possible"


def people_of(sheet: Sheet) -> list[Person]:
    """Whoever has a row; rows that tell nothing of a person are left out."""
    titles = [title.strip().casefold() for title in sheet.header]
    people = [_person(sheet, row, titles) for row in range(1, len(sheet.rows))]
    return [p for p in people if p.numbers or p.logins or p.addresses]


def _person(sheet: Sheet, row: int, titles: list[str]) -> Person:
    def under(wanted: set[str]) -> tuple[str, ...]:
        cells = (sheet.cell(row, i).strip() for i, title in enumerate(titles) if title in wanted)
        return tuple(cell for cell in cells if cell)

    first = sheet.cell(row, 0).strip()
    if first.casefold() == POINTS:
        return Person(row)
    participant = PARTICIPANT.fullmatch(first)
    numbers = under(NUMBERS) + ((participant[1],) if participant else ())
    addresses = tuple(c.strip() for c in sheet.rows[row] if ADDRESS.fullmatch(c.strip()))
    name = " ".join((*under(FIRST), *under(LAST)))
    names = (*under(FULL), *((name,) if name else ()))
    logins = tuple(login for login in under(LOGINS) if "," not in login)
    return Person(row, numbers, logins, addresses, names)
