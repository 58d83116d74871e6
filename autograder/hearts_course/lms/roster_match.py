"""Which row of a table is which student.

    Person    a row of a table: what its cells say of who it is
    Found     each student's row, and a line for each student who has none, or more than one
    find      the rows of students

Students are known by the names of their folders. Such a name may be a number, a login, an address
or a person's own name. It may also be a name with a number behind it, `lovelaceada_4711`, as
platforms name downloads.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

NUMBERED = re.compile(r"(.*)_(\d+)")


@dataclass(frozen=True)
class Person:
    """A row: the numbers, logins and addresses in it, and the person's name.

    The number of a participant is another in each of Moodle's assignments, so that it says who
    somebody is only with the name. `lasting` is whether one of the numbers is what the platform
    puts behind the name, so that whoever has another there is somebody else.
    """

    row: int
    numbers: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    lasting: bool = False


@dataclass(frozen=True)
class RosterMatch:
    """Each student's row; `lost` has a line for every other student."""

    rows: Mapping[str, int]
    lost: tuple[str, ...]


def find(students: Iterable[str], people: Iterable[Person]) -> RosterMatch:
    """The students' rows: by number, login or address; else by the first part of an address; else
    by name. Nobody is guessed at: who could be two people is lost, and so are two who are one.
    """
    index = _Index(tuple(people))
    rows: dict[str, int] = {}
    lost: list[str] = []
    for student in students:
        hits = index.ask(student)
        if len(hits) == 1:
            rows[student] = hits.pop()
        else:
            lost.append(f"{student}: {_why_lost(hits)}")
    return _without_doubles(rows, lost)


class _Index:
    """The rows by all that they say of who it is."""

    def __init__(self, people: tuple[Person, ...]) -> None:
        self._exact = _index(people, _exact)
        self._numbers = _index(people, lambda person: (*person.numbers, *person.participants))
        self._local_parts = _index(people, _local_parts)
        self._names = _index(people, _names)
        self._lasting = {person.row for person in people if person.lasting}

    def ask(self, student: str) -> set[int]:
        """The rows that the student may be."""
        whole = folded(student)
        name, number = _parts(student)
        without_number = self._names.get(name, set())
        numbered = self._numbers.get(number, set()) & without_number
        named = self._names.get(whole, set()) | (without_number - self._lasting)
        hits = self._exact.get(whole, set()) | numbered
        return set(hits or self._local_parts.get(whole, set()) or named)


def _parts(student: str) -> tuple[str, str]:
    numbered = NUMBERED.fullmatch(student)
    return (folded(numbered[1]), numbered[2]) if numbered else (folded(student), "")


def _why_lost(hits: set[int]) -> str:
    if not hits:
        return "no row has that number, login, address or name"
    lines = ", ".join(str(row + 1) for row in sorted(hits))
    return f"could be any of the rows {lines}; name the student by number or login"


def _without_doubles(rows: dict[str, int], lost: list[str]) -> RosterMatch:
    by_row: dict[int, list[str]] = {}
    for student, row in rows.items():
        by_row.setdefault(row, []).append(student)
    for row, students in by_row.items():
        if len(students) > 1:
            for student in students:
                others = ", ".join(other for other in students if other != student)
                lost.append(f"{student}: row {row + 1} would be {others}, too; is it one person?")
                del rows[student]
    return RosterMatch(rows, tuple(sorted(lost)))


def _index(
    people: Iterable[Person], keys: Callable[[Person], Iterable[str]]
) -> Mapping[str, set[int]]:
    index: dict[str, set[int]] = {}
    for person in people:
        for key in keys(person):
            if key.strip():
                index.setdefault(folded(key), set()).add(person.row)
    return index


def _exact(person: Person) -> Iterable[str]:
    return (*person.numbers, *person.logins, *person.addresses)


def _local_parts(person: Person) -> Iterable[str]:
    return (address.partition("@")[0] for address in (*person.addresses, *person.logins))


def _names(person: Person) -> Iterable[str]:
    """`Lovelace, Ada` is also `Ada Lovelace`, and `lovelaceada` where a platform squeezes it."""
    for name in person.names:
        last, comma, first = name.partition(",")
        yield name
        yield f"{first} {last}" if comma else name
        yield re.sub(r"\W", "", name)


def folded(text: str) -> str:
    """The text as it is compared: in one case and spelling, whether it was made safe or not.

    That happens twice to a login that names a folder, from which a student is named.
    """
    while (once := unquote(text, errors="surrogateescape")) != text:
        text = once
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()
