"""Where results live on the disk, and nowhere else does the tool write while it grades.

DIR/results/<student>/<stage>.json    one result, written whole or not at all
DIR/feedback/<student>/<stage>.html   what the student reads
DIR/grades.csv                        every result that is in DIR
DIR/report.html                       the class at a glance
"""

import csv
import errno
import io
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hearts_course.errors import CourseError, UsageFault
from hearts_course.grading.results import Result

COLUMNS = ("student", "stage", "score", "max_score", "status")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
FULL = {errno.ENOSPC, errno.EDQUOT}


@dataclass(frozen=True)
class Store:
    """An output folder."""

    root: Path

    @property
    def grades(self) -> Path:
        """The table of all results."""
        return self.root / "grades.csv"

    @property
    def report(self) -> Path:
        """The page about the class."""
        return self.root / "report.html"

    @property
    def results(self) -> Path:
        """The folder of all results."""
        return self.root / "results"

    @property
    def feedback(self) -> Path:
        """The folder of all students' pages."""
        return self.root / "feedback"

    def prepare(self) -> None:
        """Make the folder and try to write; raises CourseError before any time is spent."""
        self._write(self.results / ".writable", "")
        (self.results / ".writable").unlink()

    def save(self, result: Result) -> Path:
        """Write the result; raises CourseError if that fails."""
        path = _place(self.results, result, ".json")
        return self._write(path, json.dumps(result.as_json(), indent=1) + "\n")

    def save_feedback(self, result: Result, page: str) -> Path:
        """Write the student's page; raises CourseError if that fails."""
        return self._write(_place(self.feedback, result, ".html"), page)

    def save_report(self, page: str) -> Path:
        """Write the page about the class; raises CourseError if that fails."""
        return self._write(self.report, page)

    def save_grades(self, results: Iterable[Result]) -> Path:
        """Write the table of results; raises CourseError if that fails."""
        return self._write(self.grades, grades_csv(results))

    def load(self) -> tuple[tuple[Result, ...], tuple[str, ...]]:
        """All results in the folder, by student and stage, and a line for each damaged file."""
        results, faults = [], []
        for path in sorted(self.results.glob("*/*.json")):
            try:
                results.append(_read(path))
            except (OSError, ValueError, KeyError, TypeError):
                faults.append(f"{path}: damaged; delete it and grade again")
        return tuple(results), tuple(faults)

    def _write(self, path: Path, text: str) -> Path:
        try:
            write_whole(path, text)
        except OSError as error:
            raise _fault(self.root, error) from None
        return path


def write_whole(path: Path, text: str) -> None:
    """Write the file so that at any moment it holds all of the old text or all of the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def grades_csv(results: Iterable[Result]) -> str:
    """The table of results; no cell of it is a formula to a spreadsheet."""
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(COLUMNS)
    for r in results:
        table.writerow([_plain(r.student), _plain(r.stage), r.score, r.max_score, r.status.value])
    return buffer.getvalue()


def _plain(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _place(folder: Path, result: Result, suffix: str) -> Path:
    """Raises ValueError for names that lead elsewhere; `safe_name` makes none."""
    for name in (result.student, result.stage):
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise ValueError(f"{name!r} cannot name a file")
    return folder / result.student / f"{result.stage}{suffix}"


def _read(path: Path) -> Result:
    result = Result.from_json(json.loads(path.read_text(encoding="utf-8")))
    if (result.student, result.stage) != (path.parent.name, path.stem):
        raise ValueError(f"the result of {result.student}, {result.stage}")
    return result


def _fault(root: Path, error: OSError) -> CourseError:
    if error.errno in FULL:
        return CourseError(f"{root}: {error.strerror}; make room and run the same command again")
    return UsageFault(f"{root}: {error.strerror}; choose another folder with --out")
