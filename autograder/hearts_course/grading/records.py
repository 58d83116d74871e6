"""Results on the disk, each with what it rests on.

Both are in one file because one write then keeps both, or neither: no crash can leave a result
under the key of another. The key stands before the tasks, so that who asks only whether a result
still holds reads the head of the file and not its hundreds of tests.

Record    a result and its key
Records   a folder of them
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from hearts_course.files import student_file, write_whole
from hearts_course.grading.cache import CacheKey
from hearts_course.results import Outcome, Result, Status, TaskResult, TestResult

BREAK = b'\n "tasks": ['  # no text in JSON holds the end of a line
END = b"]\n}\n"
HEAD_BYTES = 8192
DAMAGED = (OSError, ValueError, KeyError, TypeError, AttributeError)


@dataclass(frozen=True)
class Record:
    """A result and what it rests on; None for one that was made before there were keys."""

    result: Result
    key: CacheKey | None

    @property
    def name(self) -> tuple[str, str]:
        """Whose result, and of which stage."""
        return self.result.student, self.result.stage

    def holds(self, key: CacheKey, sandbox: str) -> bool:
        """Whether grading again would come to the same; a fault of ours never holds."""
        return (
            self.key == key
            and self.result.status is not Status.GRADER_ERROR
            and allows(sandbox, self.result.sandbox)
        )

    def as_text(self) -> str:
        """The content of the file."""
        data = self.result.as_json()
        tasks = data.pop("tasks")
        key = asdict(self.key) if self.key else None
        return json.dumps({**data, "key": key, "tasks": tasks}, indent=1) + "\n"


def allows(asked: str, used: str) -> bool:
    """Whether a result from the one sandbox will do where the other was asked for."""
    return used != "none" if asked == "auto" else used == asked


@dataclass(frozen=True)
class Records:
    """A folder of records: `<student>/<stage>.json`."""

    folder: Path

    def path(self, student: str, stage: str) -> Path:
        """Where the record is or would be."""
        return student_file(self.folder, student, stage, ".json")

    def save(self, record: Record) -> Path:
        """Write the record; raises CourseError if that fails."""
        return write_whole(self.path(*record.name), record.as_text())

    def head(self, student: str, stage: str) -> Record | None:
        """The record without its tasks, quickly; None if there is none, or a damaged one."""
        return _unless_damaged(read_head, self.path(student, stage))

    def read(self, student: str, stage: str) -> Record | None:
        """The record; None if there is none, or a damaged one."""
        return _unless_damaged(read_record, self.path(student, stage))

    def remove(self, student: str, stage: str) -> None:
        """Take the record away, and its folder with the last one."""
        path = self.path(student, stage)
        with suppress(OSError):
            path.unlink()
            path.parent.rmdir()

    def files(self) -> list[Path]:
        """The records' files, by student and stage; none through a symbolic link."""
        found = self.folder.glob("*/*.json")
        return sorted(path for path in found if not path.parent.is_symlink())


def read_record(path: Path) -> Record:
    """The record in a file; raises one of DAMAGED if there is none."""
    return _record(json.loads(path.read_text(encoding="utf-8")), path)


def read_head(path: Path) -> Record:
    """The same without the tasks; raises one of DAMAGED if there is none."""
    with path.open("rb") as file:
        head, found, _ = file.read(HEAD_BYTES).partition(BREAK)
        file.seek(-len(END), 2)
        if not found or file.read() != END:
            raise ValueError("not as it was written")
    return _record(json.loads(head + BREAK + END), path)


def read_thin(path: Path) -> Record:
    """The same without what the tests say, so that a class's results take little memory.

    Raises one of DAMAGED if there is none.
    """
    record = read_record(path)
    tasks = tuple(map(_thin, record.result.tasks))
    return replace(record, result=replace(record.result, tasks=tasks))


def _unless_damaged(read: Callable[[Path], Record], path: Path) -> Record | None:
    try:
        return read(path)
    except DAMAGED:
        return None


def _record(data: dict[str, Any], path: Path) -> Record:
    key = data.pop("key", None)
    record = Record(Result.from_json(data), CacheKey(**key) if key else None)
    if record.name != (path.parent.name, path.stem):
        raise ValueError(f"the result of {' and '.join(record.name)}")
    return record


def _thin(task: TaskResult) -> TaskResult:
    tests = (_shared(test.name, test.topic, test.hidden, test.outcome) for test in task.tests)
    return replace(task, tests=tuple(tests))


@cache
def _shared(name: str, topic: str, hidden: bool, outcome: Outcome) -> TestResult:
    """One object for all students whose test ended so."""
    return TestResult(name, topic, hidden, outcome)
