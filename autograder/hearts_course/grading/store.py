"""Where results live on the disk, and nowhere else does the tool write while it grades.

DIR/results/<student>/<stage>.json    one result, with its key
DIR/feedback/<student>/<stage>.html   what the student reads; also as .md and .txt
DIR/history/<student>/<stage>.jsonl   every result there ever was, in `history`
DIR/grades.csv                        every result that is in DIR
DIR/report.html                       the class at a glance
DIR/report/*.csv                      the same as tables
DIR/.hearts/pending/                  what is to replace results, once all of it is known
DIR/.hearts/lock                      who is at work here
DIR/.hearts/adjustments.json          what people gave, and what coming late costs
DIR/.hearts/gradebook                 the gradebook's URL without its password, if it has been named
DIR/.hearts/pace.json                 how long the submissions of each stage have taken so far
DIR/.hearts/concluded                 grades and report tell of just these results

Every file is written whole or not at all. No folder in DIR may be a symbolic link; DIR itself may.
"""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from hearts_course.errors import UsageError
from hearts_course.files import clean_temporary_files, disk_error, student_file, write_whole
from hearts_course.grading.cache import digest
from hearts_course.grading.final_scores import adjusted, read_manual_scores
from hearts_course.grading.records import DAMAGED, Records, read_thin
from hearts_course.results import Result

NO_TABLES: Mapping[str, str] = MappingProxyType({})
PAGES = (".html", ".md", ".txt")
LINKED = "is a symbolic link, which the grader does not follow"


@dataclass(frozen=True)
class Store:
    """An output folder."""

    root: Path

    @property
    def results(self) -> Records:
        """The results."""
        return Records(self.root / "results")

    @property
    def pending(self) -> Records:
        """The results that are to replace others."""
        return Records(self._own / "pending")

    @property
    def feedback(self) -> Path:
        """The folder of all students' pages."""
        return self.root / "feedback"

    @property
    def history(self) -> Path:
        """The folder of what there ever was."""
        return self.root / "history"

    @property
    def grades(self) -> Path:
        """The table of all results."""
        return self.root / "grades.csv"

    @property
    def report(self) -> Path:
        """The page about the class."""
        return self.root / "report.html"

    @property
    def tables(self) -> Path:
        """The folder of the report's tables."""
        return self.root / "report"

    @property
    def lock(self) -> Path:
        """The file that a grader holds while it is at work here."""
        return self._own / "lock"

    @property
    def adjustments(self) -> Path:
        """What is to be added to results and taken from them."""
        return self._own / "adjustments.json"

    @property
    def pace(self) -> Path:
        """How long the submissions of each stage have taken so far."""
        return self._own / "pace.json"

    @property
    def gradebook(self) -> Path:
        """nbgrader's gradebook, unless another one is named."""
        return self.root / "gradebook.db"

    @property
    def named_gradebook(self) -> Path:
        """The file that names another one."""
        return self._own / "gradebook"

    @property
    def _own(self) -> Path:
        return self.root / ".hearts"

    @property
    def _concluded(self) -> Path:
        return self._own / "concluded"

    def page(self, student: str, stage: str, ending: str = ".html") -> Path:
        """Where what the student reads is or would be."""
        return student_file(self.feedback, student, stage, ending)

    def has_pages(self, student: str, stage: str) -> bool:
        """Whether all that the student reads is there."""
        return all(self.page(student, stage, ending).exists() for ending in PAGES)

    def told(self, student: str, stage: str) -> Path:
        """Where the history of the result is or would be."""
        return student_file(self.history, student, stage, ".jsonl")

    def refuse_links(self, *others: Path) -> None:
        """Raises UsageError if something would be written through a link, outside the folder."""
        for folder in (self._own, *self._by_student, self.tables, *others):
            if folder.is_symlink():
                raise UsageError(f"{folder}: {LINKED}; make it a folder, or choose another --out")

    def linked(self) -> tuple[Path, ...]:
        """The folders of single students that are links: nothing is read or written there."""
        inside = (folder.glob("*") for folder in self._by_student)
        return tuple(path for paths in inside for path in sorted(paths) if path.is_symlink())

    @property
    def _by_student(self) -> tuple[Path, ...]:
        return self.results.folder, self.feedback, self.history, self.pending.folder

    def tidy(self) -> None:
        """Remove what a run that was killed has left half written; raises CourseError."""
        clean_temporary_files(self._own if self._concluded.exists() else self.root)

    def begin(self) -> None:
        """Get ready for new results; raises CourseError if they could not be written."""
        self.tidy()
        try:
            self._concluded.unlink(missing_ok=True)
        except OSError as error:
            raise disk_error(self.root, error) from None
        write_whole(self.results.folder / ".writable", "").unlink()

    def concluded(self, desk: str = "") -> bool:
        """Whether grades and report are there, and tell of just the results that are.

        `desk` stands for whatever else they depend on.
        """
        there = self._concluded.exists() and self.grades.exists() and self.report.exists()
        return there and self._concluded.read_text(encoding="utf-8") == self._listing(desk)

    def conclude(
        self,
        grades: str,
        report: str,
        tables: Mapping[str, str] = NO_TABLES,
        desk: str = "",
        *,
        whole: bool = True,
    ) -> None:
        """Write what is about all results; raises CourseError if that fails.

        The tables are the report's, by the names of their files. If it is not the `whole`, because
        some results are damaged, nothing is concluded, and the next run says so again.
        """
        write_whole(self.grades, grades)
        for name, table in tables.items():
            write_whole(self.tables / name, table)
        write_whole(self.report, report)
        shutil.rmtree(self.pending.folder, ignore_errors=True)
        if whole:
            write_whole(self._concluded, self._listing(desk))

    def load(self) -> tuple[tuple[Result, ...], tuple[str, ...]]:
        """All results by student and stage, without what their tests say, and the damaged ones.

        Of those a line each, which says what to do.
        """
        results = []
        faults = [
            not_followed(path) for path in self.linked() if path.parent == self.results.folder
        ]
        for path in self.results.files():
            try:
                results.append(read_thin(path).result)
            except DAMAGED:
                faults.append(f"{path}: damaged; delete it and grade again")
        return tuple(results), tuple(faults)

    def counted(self) -> tuple[tuple[Result, ...], tuple[str, ...]]:
        """The same as they count: with what people gave, and without what coming late costs."""
        results, faults = self.load()
        return adjusted(results, read_manual_scores(self.adjustments)), faults

    def _listing(self, desk: str) -> str:
        return digest(desk, *self._stamps())

    def _stamps(self) -> Iterator[str]:
        for path in self.results.files():
            stat = path.stat()
            yield f"{path.parent.name}/{path.name} {stat.st_size} {stat.st_mtime_ns}"


def not_followed(link: Path) -> str:
    """Say that a student's folder is a link, and what to do."""
    return f"{link}: {LINKED}; remove the link and grade again"
