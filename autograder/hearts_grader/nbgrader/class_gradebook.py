"""The gradebook of a class: where it is, and whether it may be opened or created."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hearts_course.errors import UsageError
from hearts_course.files import write_whole

from hearts_grader.grading.final_scores import GradebookEntry, read_adjustments
from hearts_grader.grading.late_policy import Name
from hearts_grader.grading.store import Store

if TYPE_CHECKING:
    from hearts_grader.nbgrader.gradebook import Gradebook

FILE = "sqlite:///"
INSTALL = "`pip install 'hearts-course[grade]'`"
HIDDEN = ":***@"  # what SQLAlchemy shows in place of a password


@dataclass(frozen=True)
class ClassGradebook:
    """The gradebook that belongs to a class's results in `store`.

    `asked` is the URL of the gradebook that the instructor asked for, or "". Without SQLAlchemy
    there is no gradebook.
    """

    store: Store
    asked: str = ""

    @cached_property
    def url(self) -> str:
        """The gradebook's URL, or "" without SQLAlchemy.

        It is the URL in `asked`, else the URL that the last run used, else the file in the store.
        Raise UsageError if a gradebook is asked for without SQLAlchemy. Also raise it if the last
        run's URL is needed and had a password, because passwords are not kept.
        """
        if find_spec("sqlalchemy") is None:
            if self.asked:
                raise UsageError(f"`--gradebook` needs {INSTALL}")
            return ""
        named = self.store.named_gradebook
        last = named.read_text(encoding="utf-8").strip() if named.exists() else ""
        # The URL was stored without its password, so the gradebook cannot be opened with it.
        if not self.asked and HIDDEN in last:
            raise UsageError(
                f"the gradebook {last}: its password is not kept; name it again with --gradebook"
            )
        return absolute_url(self.asked) or last or absolute_url(f"{FILE}{self.store.gradebook}")

    @property
    def file(self) -> Path | None:
        """The file of an SQLite gradebook; None for another database, or without a gradebook."""
        path = self.url.removeprefix(FILE)
        return Path(path.partition("?")[0]) if path != self.url else None

    @property
    def is_missing(self) -> bool:
        """Whether the gradebook is a file that does not exist; False for a server."""
        return self.file is not None and not self.file.exists()

    @property
    def is_readable(self) -> bool:
        """Whether there is a gradebook that can be read: a file that exists, or a server."""
        return bool(self.url) and not self.is_missing

    def check(self) -> None:
        """Raise CourseError if the gradebook cannot be used; call this before grading takes time.

        Also raise CourseError if the gradebook with manual points is lost, because these points
        would no longer count.
        """
        if not self.asked and self._has_manual_points():
            if not self.url:
                raise UsageError(f"the manual points are in a gradebook, which needs {INSTALL}")
            if self.is_missing:
                raise UsageError(
                    f"{self.file}: missing, and the manual points with it; "
                    "put it back, or name another gradebook with --gradebook"
                )
        if self.url:
            with self.open():
                pass

    def open(self, create: bool = True) -> "AbstractContextManager[Gradebook]":
        """Open the gradebook; without `create`, it must exist.

        If a gradebook with manual points was lost, a new one is created only if `asked` names it.
        Raise CourseError if the gradebook cannot be used.
        """
        from hearts_grader.nbgrader.gradebook import open_gradebook

        create = create and (bool(self.asked) or not self._has_manual_points())
        return open_gradebook(self.url, create)

    def entries(self, create: bool = True) -> Mapping[Name, GradebookEntry]:
        """Read the gradebook in a separate transaction; return the entry of each submission.

        Raise CourseError if the gradebook cannot be used.
        """
        with self.open(create) as gradebook:
            return gradebook.entries()

    def fingerprint(self) -> str:
        """Return a text that changes whenever manual points in the gradebook change."""
        if self.file is not None and self.file.exists():
            # For a file, size and time are enough. From a server, all points must be fetched.
            stat = self.file.stat()
            seen = f"{stat.st_size} {stat.st_mtime_ns}"
        elif self.file is not None or not self.url:
            seen = ""
        else:
            seen = repr(sorted(self.entries().items()))
        return f"{self.url} {seen}"

    def remember(self) -> None:
        """Save the URL of the gradebook that was asked for, without its password."""
        if self.asked:
            from hearts_grader.nbgrader.gradebook import without_password

            write_whole(self.store.named_gradebook, f"{without_password(self.url)}\n")

    def _has_manual_points(self) -> bool:
        """Return whether the last run knew of points that a person gave.

        The answer comes from the adjustments, because the gradebook may be lost.
        """
        former = read_adjustments(self.store.adjustments)
        return any(adjusted.has_manual_points for adjusted in former.values())


def absolute_url(url: str) -> str:
    """Return the URL; the path of an SQLite file becomes absolute."""
    names_no_file = not url.startswith(FILE) or url == FILE
    if names_no_file:
        return url
    return f"{FILE}{Path(url.removeprefix(FILE)).resolve()}"
