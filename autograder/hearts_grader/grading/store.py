"""The output folder; `hearts grade` writes nowhere else.

DIR/results/<student>/<stage>.json    one result with its cache key
DIR/feedback/<student>/<stage>.html   what the student reads; also as .md
DIR/history/<student>/<stage>.jsonl   every result that the submission ever had
DIR/grades.csv                        every result in DIR
DIR/overrides.csv                     points that a person gave in place of the grader's
DIR/manual/*.csv                      manual points, in the tables of assistants who grade by hand
DIR/report.html                       the class at a glance
DIR/report/*.csv                      the same as tables
DIR/report/<stage>.html               a page per stage of a large class
DIR/gradebook.db                      nbgrader's gradebook, unless another one is named
DIR/export/<form>/                    what `hearts export` writes
DIR/.hearts/pending/                  new results that wait until the run can replace the old ones
DIR/.hearts/revealed/                 results that show hidden questions, after the deadline
DIR/.hearts/lock                      a file that the grader at work in DIR keeps locked
DIR/.hearts/adjustments.json          manual points and late penalties
DIR/.hearts/page-adjustments.json     the adjustments that the feedback pages show
DIR/.hearts/gradebook                 the gradebook's URL without its password, if one was named
DIR/.hearts/late                      the path of the file of dates, if one was named
DIR/.hearts/late-found                the path of the file of dates found among the submissions
DIR/.hearts/late-digest               a digest of the dates that the last run used
DIR/.hearts/attempts/                 results of attempts, also of those that do not count
DIR/.hearts/comments                  the comments and rules that the pages show
DIR/.hearts/pace.json                 how long submissions of each stage took
DIR/.hearts/final                     a digest of the results that grades and report are about

Every file is written whole or not at all. No folder in DIR may be a symbolic link; DIR itself may.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hearts_course.errors import UsageError
from hearts_course.files import (
    clean_temporary_files,
    digest,
    disk_error,
    student_file,
    write_whole,
)
from hearts_course.results import Result

from hearts_grader.grading.cache import CacheKey
from hearts_grader.grading.final_scores import apply_all, read_adjustments
from hearts_grader.grading.records import LINKED, Records

try:
    import fcntl
except ImportError:  # Windows, where there is no sandbox either
    fcntl = None  # type: ignore[assignment]

PAGES = (".html", ".md")


@dataclass(frozen=True)
class FeedbackPages:
    """The folder of the students' pages, and a file that records which comments they show."""

    folder: Path
    comments: Path

    def path(self, student: str, stage: str, suffix: str = ".html") -> Path:
        """Return where the student's page is or would be."""
        return student_file(self.folder, student, stage, suffix)

    def are_written(self, student: str, stage: str) -> bool:
        """Return whether all forms of the student's page are there."""
        return all(self.path(student, stage, suffix).exists() for suffix in PAGES)

    def have_comments(self, text: str) -> bool:
        """Return whether the pages show these comments; without the file, they show none."""
        shown = self.comments.read_text(encoding="utf-8") if self.comments.exists() else "()"
        return shown == text

    def note_comments(self, text: str) -> None:
        """Record that the pages show these comments; raise CourseError if writing fails."""
        if not self.have_comments(text):
            write_whole(self.comments, text)


class Store:
    """An output folder; each attribute is a file or folder in it."""

    def __init__(self, root: Path) -> None:
        hidden_folder = root / ".hearts"
        self.root = root
        self.results = Records(root / "results")
        self.pending = Records(hidden_folder / "pending")
        self.revealed = Records(hidden_folder / "revealed")
        self.feedback = FeedbackPages(root / "feedback", hidden_folder / "comments")
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
        self.gradebook = root / "gradebook.db"  # unless the user names another gradebook
        self.named_gradebook = hidden_folder / "gradebook"
        self.late_file = hidden_folder / "late"
        self.found_late_file = hidden_folder / "late-found"
        self.used_dates = hidden_folder / "late-digest"
        self._own = hidden_folder
        self._final = hidden_folder / "final"
        self._by_student = (
            self.results.folder,
            self.feedback.folder,
            self.history,
            self.pending.folder,
        )

    def attempts(self, key: CacheKey) -> Records:
        """Return the records of all attempts with the same submission as in `key`.

        The submission's hash in the key tells which attempts these are.
        """
        return Records(self._own / "attempts" / key.submission[:16])

    def history_path(self, student: str, stage: str) -> Path:
        """Return where the history of the result is or would be."""
        return student_file(self.history, student, stage, ".jsonl")

    def refuse_links(self, *others: Path) -> None:
        """Raise UsageError if a link would lead files out of the output folder."""
        for folder in (self._own, *self._by_student, self.tables, *others):
            if folder.is_symlink():
                raise UsageError(f"{folder}: {LINKED}; make it a folder, or choose another --out")

    def forget(self, student: str) -> None:
        """Delete a student's results, pages, history, attempts and exported files."""
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

    def begin(self) -> None:
        """Prepare for new results; raise CourseError if they could not be written."""
        self.clean_temp_files()
        try:
            self._final.unlink(missing_ok=True)
        except OSError as error:
            raise disk_error(self.root, error) from None
        # If nothing can be written here, fail now and not after the first program was graded.
        write_whole(self.results.folder / ".writable", "").unlink()

    def is_final(self, inputs: str = "") -> bool:
        """Return whether grades and report exist and are up to date.

        `inputs` stands for everything, except the results, that grades and report depend on.
        """
        all_exist = self._final.exists() and self.grades.exists() and self.report.exists()
        if not all_exist:
            return False
        return self._final.read_text(encoding="utf-8") == digest(inputs, *self.results.stamps())

    def write_report(self, grades: str, report: str, tables: Mapping[str, str]) -> None:
        """Write grades and report; `tables` are tables and pages by file name.

        Remove pages of former runs that are not among `tables`. Raise CourseError if the disk
        fails.
        """
        write_whole(self.grades, grades)
        for name, table in tables.items():
            write_whole(self.tables / name, table)
        for page in self.tables.glob("*.html"):
            if page.name not in tables:
                page.unlink(missing_ok=True)
        write_whole(self.report, report)

    def finalize(self, inputs: str = "", *, complete: bool = True) -> None:
        """Remove staged results, and record that the report is about these results and inputs.

        If some results are damaged, they are not `complete`. Then record nothing, so that the next
        run reports the damage again. Raise CourseError if the disk fails.
        """
        shutil.rmtree(self.pending.folder, ignore_errors=True)
        if complete:
            write_whole(self._final, digest(inputs, *self.results.stamps()))

    def load_final(self) -> tuple[tuple[Result, ...], tuple[str, ...]]:
        """Return what `results.load` returns, with final scores instead of the autograder's."""
        results, faults = self.results.load()
        return apply_all(results, read_adjustments(self.adjustments)), faults


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
        # Do not follow a link, because the process id would be written into the link's target.
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}; choose another folder with --out") from None
    try:
        _lock(file, folder)
        with suppress(OSError):  # on a full disk the lock holds without the process id
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(file)


def _lock(file: int, folder: Path) -> None:
    """Lock the file; raise UsageError, naming the process that holds the lock, if that fails."""
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
