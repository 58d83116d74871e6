"""Records of results: each result in a file of its own, together with its cache key."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from hearts_course.errors import CourseError
from hearts_course.files import read_json, student_file, to_dataclass, write_whole
from hearts_course.misconceptions import facts
from hearts_course.results import Result, Status, TestResult

from hearts_grader.grading.cache import CacheKey

LINKED = "is a symbolic link, which the grader does not follow"
# Marks the end of the head, which is the part before the tasks. No string in the JSON can contain
# this mark, because JSON escapes line breaks in strings.
BREAK = b'\n "tasks": ['
END = b"]\n}\n"
HEAD_BYTES = 2**15  # enough for the head, even if each character of its message takes twelve bytes
DAMAGED = (CourseError, OSError, ValueError)


@dataclass(frozen=True)
class Record:
    """A result and its cache key; results of an early version have no key.

    Both are in one file, so that a crash cannot leave a result with another result's key. The key
    comes before the tasks, so that the head of the file is enough to check the key.
    """

    result: Result
    key: CacheKey | None

    @property
    def name(self) -> tuple[str, str]:
        """Student and stage."""
        return self.result.student, self.result.stage

    def is_current(self, key: CacheKey, sandbox: str) -> bool:
        """Return whether grading again would give the same result.

        For a grader error, return False, because the grader may succeed the next time.
        """
        return (
            self.key == key
            and self.result.status is not Status.GRADER_ERROR
            and allows(sandbox, self.result.sandbox)
        )

    def as_text(self) -> str:
        """Return the content of the file."""
        data = self.result.as_json()
        tasks = data.pop("tasks")
        key = asdict(self.key) if self.key else None
        return json.dumps({**data, "key": key, "tasks": tasks}, indent=1) + "\n"


def allows(asked: str, used: str) -> bool:
    """Return whether a result from the sandbox `used` is enough if `asked` was requested."""
    return used != "none" if asked == "auto" else used == asked


@dataclass(frozen=True)
class Records:
    """A folder of records: `<student>/<stage>.json`."""

    folder: Path

    def path(self, student: str, stage: str) -> Path:
        """Return where the record is or would be."""
        return student_file(self.folder, student, stage, ".json")

    def save(self, record: Record) -> Path:
        """Write the record; raise CourseError if that fails."""
        return write_whole(self.path(*record.name), record.as_text())

    def head(self, student: str, stage: str) -> Record | None:
        """Return the record without its tasks, quickly; None if it is missing or damaged."""
        with suppress(*DAMAGED):
            return _read_head(self.path(student, stage))
        return None

    def read(self, student: str, stage: str) -> Record | None:
        """Return the record; None if it is missing or damaged."""
        with suppress(*DAMAGED):
            return _read_record(self.path(student, stage))
        return None

    def remove(self, student: str, stage: str) -> None:
        """Remove the record; remove the student's folder if it has no other record."""
        path = self.path(student, stage)
        with suppress(OSError):
            path.unlink()
            path.parent.rmdir()  # this fails if the student has other records

    def files(self) -> list[Path]:
        """Return the records' files, sorted by student and stage; do not follow symbolic links."""
        files = self.folder.glob("*/*.json")
        return sorted(path for path in files if not path.parent.is_symlink())

    def last_written(self) -> datetime | None:
        """Return when the last record was written, in UTC; None if there are no records."""
        times = [path.stat().st_mtime for path in self.files()]
        return datetime.fromtimestamp(max(times), UTC) if times else None

    def stamps(self) -> list[str]:
        """Return a line for each record; the line changes when the record is written again.

        The contents of the records are not read, so this is quick.
        """
        lines = []
        for path in self.files():
            stat = path.stat()
            lines.append(f"{path.parent.name}/{path.name} {stat.st_size} {stat.st_mtime_ns}")
        return lines

    def load(self) -> tuple[tuple[Result, ...], tuple[str, ...]]:
        """Return all results, sorted by student and stage, and a line for each damaged result.

        To save memory, the messages of these results' tests are reduced to the lines that say what
        the program answered.
        """
        links = sorted(path for path in self.folder.glob("*") if path.is_symlink())
        results = []
        faults = [not_followed(path) for path in links]
        for path in self.files():
            try:
                results.append(_without_texts(_read_record(path).result))
            except DAMAGED:
                faults.append(f"{path}: damaged; delete it and grade again")
        return tuple(results), tuple(faults)


def _read_record(path: Path) -> Record:
    """Return the record in the file; raise one of DAMAGED."""
    return _record(read_json(path), path)


def _read_head(path: Path) -> Record:
    """Return the record without its tasks, from the first bytes of the file.

    Check the last bytes too, because a file that was cut off has an intact head. Raise ValueError
    for a file in another form.
    """
    with path.open("rb") as file:
        head, has_break, _ = file.read(HEAD_BYTES).partition(BREAK)
        file.seek(-len(END), os.SEEK_END)
        if not has_break or file.read() != END:
            raise ValueError("not as it was written")
    return _record(json.loads(head + BREAK + END), path)


def _record(data: Any, path: Path) -> Record:
    """Return the record; raise ValueError if it belongs to another student or stage.

    A file that was copied by hand must not give its points to somebody else.
    """
    if not isinstance(data, dict):
        raise ValueError("not a result")
    key = data.pop("key", None)
    record = Record(Result.from_json(data), to_dataclass(CacheKey, key, path) if key else None)
    if record.name != (path.parent.name, path.stem):
        raise ValueError(f"the result of {' and '.join(record.name)}")
    return record


def not_followed(link: Path) -> str:
    """Return a line that says that a student's folder is a link, and what to do."""
    return f"{link}: {LINKED}; remove the link and grade again"


_shared = cache(TestResult)  # to save memory, students whose test ended alike share one object


def _without_texts(result: Result) -> Result:
    """Return the result with only those lines of its messages that tell known mistakes apart."""
    tasks = (replace(task, tests=tuple(map(_without_text, task.tests))) for task in result.tasks)
    return replace(result, tasks=tuple(tasks))


def _without_text(test: TestResult) -> TestResult:
    """Return the test with only those lines of its message that say what the program answered.

    The message of a hidden test becomes empty.
    """
    text = "" if test.hidden else "\n".join(facts(test))
    return _shared(test.name, test.topic, test.hidden, test.outcome, text)
