"""Write what an instructor downloads from a platform: submissions, or the list of a class."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hearts_course.files import zipped

EXPORT = "assignment_7_export"


@dataclass(frozen=True)
class Student:
    """A student; `number` is the place in the class list, and decides the account and section."""

    number: int
    first: str
    last: str

    @property
    def login(self) -> str:
        return f"{self.first}.{self.last}".lower()

    @property
    def address(self) -> str:
        return f"{self.login}@uni.example"

    @property
    def is_evening(self) -> bool:
        """Whether the student is in the evening section."""
        return self.number % 4 == 1

    @property
    def account(self) -> str:
        """The name of the student's account on GitHub."""
        return f"{self.last[:3]}{self.first}{self.number}".lower()


@dataclass(frozen=True)
class HandIn:
    """What a student handed in at one time, perhaps with a `partner`.

    `late` says whether `time` is after the due date.
    """

    student: Student
    files: Mapping[str, str]
    time: datetime
    late: bool = False
    partner: Student | None = None


HandIns = Iterable[HandIn]


def class_list(students: Iterable[Student], stages: Iterable[tuple[str, int]]) -> str:
    """Return Canvas's gradebook as CSV; `stages` has the name and the points of each stage."""
    names, points = zip(*stages, strict=True)
    columns = ",".join(f"{name} (47{at})" for at, name in enumerate(names))
    lines = [f"Student,ID,SIS Login ID,Section,{columns}"]
    lines += [f"    Points Possible,,,,{','.join(map(str, points))}"]
    for student in students:
        section = "evening" if student.is_evening else "morning"
        empty = "," * (len(names) - 1)
        name = f'"{student.last}, {student.first}"'
        lines.append(f"{name},{1200 + student.number},{student.address},{section},{empty}")
    return "\n".join(lines) + "\n"


def github_list(students: Iterable[Student]) -> str:
    """Return GitHub Classroom's list of students as CSV."""
    lines = (
        f'"{student.address}","{student.account}","{7000 + student.number}",""'
        for student in students
    )
    return "\n".join(['"identifier","github_username","github_id","name"', *lines]) + "\n"


def canvas(path: Path, hand_ins: HandIns, upload: int = 88000) -> None:
    """Write Canvas's zip of everybody's latest files: no times, but LATE in a late file's name."""
    files = {}
    for number, hand_in in enumerate(hand_ins, start=upload):
        name = f"{hand_in.student.last}{hand_in.student.first}".lower() + "_LATE" * hand_in.late
        for file, text in hand_in.files.items():
            files[f"{name}_{1200 + hand_in.student.number}_{number}_{file}"] = text.encode()
    path.write_bytes(zipped(files))


def moodle(path: Path, hand_ins: HandIns) -> None:
    """Write Moodle's zip, with a folder for each student, named by the student and a number."""
    files = {}
    for hand_in in hand_ins:
        who = f"{hand_in.student.first} {hand_in.student.last}_{500 + hand_in.student.number}"
        for file, text in hand_in.files.items():
            files[f"{who}_assignsubmission_file/{file}"] = text.encode()
    path.write_bytes(zipped(files))


def gradescope(path: Path, hand_ins: HandIns) -> None:
    """Write Gradescope's export: each attempt with its time and its one or two students."""
    files = {}
    listed = []
    for number, hand_in in enumerate(hand_ins, start=9):
        listed += [f"submission_{number}:", "  :submitters:"]
        for student in filter(None, (hand_in.student, hand_in.partner)):
            listed += [f"  - :name: {student.first} {student.last}"]
            listed += [f"    :email: {student.address}"]
        listed += [f"  :created_at: {hand_in.time:%Y-%m-%d %H:%M:%S}.000000000 Z"]
        for file, text in hand_in.files.items():
            files[f"{EXPORT}/submission_{number}/{file}"] = text.encode()
    files[f"{EXPORT}/submission_metadata.yml"] = "\n".join(listed).encode()
    path.write_bytes(zipped(files))


def clones(folder: Path, hand_ins: HandIns) -> None:
    """Write the repositories of an assignment, as GitHub Classroom's tool clones them."""
    for hand_in in hand_ins:
        for file, text in {".git/HEAD": "ref: refs/heads/main\n", **hand_in.files}.items():
            path = folder / f"hw3-{hand_in.student.account}" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def exchange(folder: Path, stage: str, hand_ins: HandIns) -> None:
    """Write the folder of nbgrader's exchange: each attempt with its time and its notebook."""
    for hand_in in hand_ins:
        stamp = f"{hand_in.time:%Y-%m-%d %H:%M:%S.%f} UTC"
        inbound = folder / "inbound" / f"{hand_in.student.login}+{stage}+{stamp}+x1"
        inbound.mkdir(parents=True)
        for file, text in hand_in.files.items():
            (inbound / file).write_text(text, encoding="utf-8")
