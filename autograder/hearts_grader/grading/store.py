"""The output folder; the tool writes nowhere else while it grades.

DIR/results/<student>/<stage>.json    one result with its cache key
DIR/feedback/<student>/<stage>.html   what the student reads; also as .md
DIR/history/<student>/<stage>.jsonl   every result that it ever had
DIR/grades.csv                        every result in DIR
DIR/overrides.csv                     points that a person gave in place of the grader's
DIR/manual/*.csv                      manual points, as readers write them
DIR/report.html                       the class at a glance
DIR/report/*.csv                      the same as tables
DIR/report/<stage>.html               a page per stage of a large class
DIR/.hearts/pending/                  results that will replace others when all are known
DIR/.hearts/revealed/                 results that show hidden questions, after the deadline
DIR/.hearts/lock                      held by the grader that works here
DIR/.hearts/adjustments.json          manual points and late penalties
DIR/.hearts/page-adjustments.json     the adjustments that the feedback pages show
DIR/.hearts/gradebook                 the gradebook's URL without its password, if one was named
DIR/.hearts/late                      the file of dates, if one was named
DIR/.hearts/late-found                the file of dates that was found among the submissions
DIR/.hearts/late-digest               what was in the file of dates that was used
DIR/.hearts/attempts/                 results of attempts, where the best one counts
DIR/.hearts/comments                  the comments that the pages show
DIR/.hearts/pace.json                 how long submissions of each stage took
DIR/.hearts/final                     the results that grades and report are about

Every file is written whole or not at all. No folder in DIR may be a symbolic link; DIR itself may.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from hearts_course.errors import CourseError, UsageError
from hearts_course.files import (
    clean_temporary_files,
    digest,
    disk_error,
    read_json,
    student_file,
    to_dataclass,
    write_whole,
)
from hearts_course.misconceptions import facts
from hearts_course.results import Result, Status, TestResult

from hearts_grader.grading.cache import CacheKey
from hearts_grader.grading.final_scores import apply_all, read_adjustments

try:
    import fcntl
except ImportError:  # Windows, where there is no sandbox either
    fcntl = None  # type: ignore[assignment]

PAGES = (".html", ".md")
LINKED = "is a symbolic link, which the grader does not follow"
BREAK = b'\n "tasks": ['  # no text in JSON contains a line break
END = b"]\n}\n"
HEAD_BYTES = 2**15  # enough even if each character of the message takes twelve bytes
DAMAGED = (CourseError, OSError, ValueError)


@dataclass(frozen=True)
class Record:
    """A result and its cache key, or None for a result of an early version without keys.

    Both are in one file, so that no crash can leave a result with the key of another. The key comes
    before the tasks, so that the head of the file is enough to check it.
    """

    result: Result
    key: CacheKey | None

    @property
    def name(self) -> tuple[str, str]:
        """Student and stage."""
        return self.result.student, self.result.stage

    def is_current(self, key: CacheKey, sandbox: str) -> bool:
        """Return whether grading again would give the same result; never for a grader error."""
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
        """Remove the record, and its folder with the last one."""
        path = self.path(student, stage)
        with suppress(OSError):
            path.unlink()
            path.parent.rmdir()  # fails where the student has other records

    def files(self) -> list[Path]:
        """Return the records' files, by student and stage; none through a symbolic link."""
        files = self.folder.glob("*/*.json")
        return sorted(path for path in files if not path.parent.is_symlink())


def _read_record(path: Path) -> Record:
    """Return the record in the file; raise one of DAMAGED."""
    return _record(read_json(path), path)


def _read_head(path: Path) -> Record:
    """Return the record without its tasks, from the first bytes of the file.

    The last bytes are compared as well, because a file that was cut off has an intact head. Raise
    ValueError for a file in another form.
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


class Store:
    """An output folder; each attribute is a file or folder in it."""

    def __init__(self, root: Path) -> None:
        hidden_folder = root / ".hearts"
        self.root = root
        self.results = Records(root / "results")
        self.pending = Records(hidden_folder / "pending")
        self.revealed = Records(hidden_folder / "revealed")
        self.feedback = root / "feedback"
        self.history = root / "history"
        self.grades = root / "grades.csv"
        self.overrides = root / "overrides.csv"
        self.manual = root / "manual"
        self.report = root / "report.html"
        self.tables = root / "report"
        self.lock = hidden_folder / "lock"
        self.adjustments = hidden_folder / "adjustments.json"
        self.page_adjustments = hidden_folder / "page-adjustments.json"
        self.pace = hidden_folder / "pace.json"
        self.gradebook = root / "gradebook.db"  # nbgrader's, unless another one is named
        self.named_gradebook = hidden_folder / "gradebook"
        self.late_file = hidden_folder / "late"
        self.found_late_file = hidden_folder / "late-found"
        self.used_dates = hidden_folder / "late-digest"
        self._own = hidden_folder
        self._final = hidden_folder / "final"
        self._comments = hidden_folder / "comments"
        self._by_student = self.results.folder, self.feedback, self.history, self.pending.folder

    def attempts(self, key: CacheKey) -> Records:
        """Return the records of attempts of these contents."""
        return Records(self._own / "attempts" / key.submission[:16])

    def page(self, student: str, stage: str, suffix: str = ".html") -> Path:
        """Return where the student's page is or would be."""
        return student_file(self.feedback, student, stage, suffix)

    def has_pages(self, student: str, stage: str) -> bool:
        """Return whether all forms of the student's page are there."""
        return all(self.page(student, stage, suffix).exists() for suffix in PAGES)

    def history_path(self, student: str, stage: str) -> Path:
        """Return where the history of the result is or would be."""
        return student_file(self.history, student, stage, ".jsonl")

    def refuse_links(self, *others: Path) -> None:
        """Raise UsageError if something would be written through a link, outside the folder."""
        for folder in (self._own, *self._by_student, self.tables, *others):
            if folder.is_symlink():
                raise UsageError(f"{folder}: {LINKED}; make it a folder, or choose another --out")

    def forget(self, student: str) -> None:
        """Delete a student's results, pages, history, attempts and rows of points."""
        folders = [*self._by_student, self.revealed.folder, *(self._own / "attempts").glob("*/")]
        folders += (self.root / "export").glob("*/")
        for folder in folders:
            students_folder = folder / student
            if students_folder.is_dir() and not students_folder.is_symlink():
                shutil.rmtree(students_folder)
        self._final.unlink(missing_ok=True)

    def linked(self) -> tuple[Path, ...]:
        """Return the students' folders that are links, which are neither read nor written."""
        links = []
        for folder in self._by_student:
            links += sorted(path for path in folder.glob("*") if path.is_symlink())
        return tuple(links)

    def clean_temp_files(self) -> None:
        """Remove half-written files of a killed run; raise CourseError if that fails."""
        clean_temporary_files(self._own if self._final.exists() else self.root)

    def has_comments(self, text: str) -> bool:
        """Return whether the pages show these comments; without a note, they show no comments."""
        shown = self._comments.read_text(encoding="utf-8") if self._comments.exists() else "()"
        return shown == text

    def note_comments(self, text: str) -> None:
        """Note that the pages show these comments; raise CourseError if that fails."""
        if not self.has_comments(text):
            write_whole(self._comments, text)

    def begin(self) -> None:
        """Prepare for new results; raise CourseError if they could not be written."""
        self.clean_temp_files()
        try:
            self._final.unlink(missing_ok=True)
        except OSError as error:
            raise disk_error(self.root, error) from None
        # Fail now if nothing can be written here, and not after the first program was graded.
        write_whole(self.results.folder / ".writable", "").unlink()

    def is_final(self, inputs: str = "") -> bool:
        """Return whether grades and report exist and are up to date.

        `inputs` stands for everything else that they depend on.
        """
        all_exist = self._final.exists() and self.grades.exists() and self.report.exists()
        return all_exist and self._final.read_text(encoding="utf-8") == self._listing(inputs)

    def write_report(self, grades: str, report: str, tables: Mapping[str, str]) -> None:
        """Write grades, report, and by file name its tables and pages; raise CourseError."""
        write_whole(self.grades, grades)
        for name, table in tables.items():
            write_whole(self.tables / name, table)
        for page in self.tables.glob("*.html"):
            if page.name not in tables:
                page.unlink(missing_ok=True)
        write_whole(self.report, report)

    def finalize(self, inputs: str = "", *, complete: bool = True) -> None:
        """Note that the report is about these results and inputs; raise CourseError.

        If some results are damaged, they are not `complete`. Then the folder is not final, so that
        the next run reports the damage again.
        """
        shutil.rmtree(self.pending.folder, ignore_errors=True)
        if complete:
            write_whole(self._final, self._listing(inputs))

    def last_graded(self) -> datetime | None:
        """Return when the last result was written, in UTC; None without results."""
        times = [path.stat().st_mtime for path in self.results.files()]
        return datetime.fromtimestamp(max(times), UTC) if times else None

    def load(self) -> tuple[tuple[Result, ...], tuple[str, ...]]:
        """Return all results by student and stage, and a line for each damaged one.

        To save memory, the tests in these results have no messages, only the program's answers.
        """
        links = (path for path in self.linked() if path.parent == self.results.folder)
        results = []
        faults = [not_followed(path) for path in links]
        for path in self.results.files():
            try:
                results.append(_without_texts(_read_record(path).result))
            except DAMAGED:
                faults.append(f"{path}: damaged; delete it and grade again")
        return tuple(results), tuple(faults)

    def load_final(self) -> tuple[tuple[Result, ...], tuple[str, ...]]:
        """Return what `load` returns, with final scores instead of the autograder's."""
        results, faults = self.load()
        return apply_all(results, read_adjustments(self.adjustments)), faults

    def _listing(self, inputs: str) -> str:
        """Return a digest of the inputs and of the results' names, sizes and times.

        Their contents are not read: this runs each time, also when there is nothing to grade.
        """
        stamps = []
        for path in self.results.files():
            stat = path.stat()
            stamps.append(f"{path.parent.name}/{path.name} {stat.st_size} {stat.st_mtime_ns}")
        return digest(inputs, *stamps)


def not_followed(link: Path) -> str:
    """Return a line that says that a student's folder is a link, and what to do."""
    return f"{link}: {LINKED}; remove the link and grade again"


_shared = cache(TestResult)  # one object for all students whose test ended alike, to save memory


def _without_texts(result: Result) -> Result:
    """Return the result with only those parts of its messages that tell known mistakes apart."""
    tasks = (replace(task, tests=tuple(map(_without_text, task.tests))) for task in result.tasks)
    return replace(result, tasks=tuple(tasks))


def _without_text(test: TestResult) -> TestResult:
    """Return the test with the facts that tell mistakes apart; a hidden test has no facts."""
    text = "" if test.hidden else "\n".join(facts(test))
    return _shared(test.name, test.topic, test.hidden, test.outcome, text)


@contextmanager
def claim(path: Path, folder: Path) -> Iterator[None]:
    """Hold the folder by a lock on the file `path`; raise UsageError if another grader holds it.

    The kernel releases the lock when the process ends, however it ends.
    """
    if fcntl is None:
        yield
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # No link is followed, because the holder's number would be written into the link's target.
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}; choose another folder with --out") from None
    try:
        _lock(file, folder)
        with suppress(OSError):  # on a full disk the lock holds without the holder's name
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(file)


def _lock(file: int, folder: Path) -> None:
    """Lock the file; raise UsageError, with the process that holds it, if that is not possible."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(file, 20, 0).decode("ascii", "replace") or "that has just started"
        reason = f"another grader, process {holder}, is at work in it; wait until it has ended, or"
    except OSError as error:
        reason = f"cannot be locked ({error.strerror});"
    else:
        return
    raise UsageError(f"{folder}: {reason} choose another folder with --out")
