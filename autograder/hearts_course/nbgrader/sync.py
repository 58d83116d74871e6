"""Keep results and a gradebook in step: scores go in, manual points come out."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import write_whole
from hearts_course.grading.final_scores import (
    Adjustment,
    Adjustments,
    GradebookEntry,
    LatePolicy,
    Name,
    adjustment,
    adjustments_text,
    apply_all,
    load_policy,
    read_adjustments,
)
from hearts_course.grading.store import Store
from hearts_course.results import Result

if TYPE_CHECKING:
    from hearts_course.nbgrader.gradebook import Gradebook

FILE = "sqlite:///"
INSTALL = "`pip install 'hearts-course[grade]'`"
HIDDEN = ":***@"  # what SQLAlchemy shows of a password


@dataclass(frozen=True)
class GradebookSync:
    """The results in `store`, the course's late policy, and the gradebook.

    `asked` is the URL that was asked for, or "". Without SQLAlchemy there is no gradebook, so final
    scores have late penalties only.
    """

    store: Store
    course: Course
    asked: str = ""

    @cached_property
    def url(self) -> str:
        """The gradebook asked for now, else the last one, else the store's own; "" for none.

        Raise UsageError if it cannot be used: without SQLAlchemy, or without its password.
        """
        if find_spec("sqlalchemy") is None:
            if self.asked:
                raise UsageError(f"`--gradebook` needs {INSTALL}")
            return ""
        named = self.store.named_gradebook
        last = named.read_text(encoding="utf-8").strip() if named.exists() else ""
        if not self.asked and HIDDEN in last:
            raise UsageError(
                f"the gradebook {last}: its password is not kept; name it again with --gradebook"
            )
        return absolute_url(self.asked) or last or absolute_url(f"{FILE}{self.store.gradebook}")

    @cached_property
    def policy(self) -> LatePolicy:
        """The course's late policy."""
        return load_policy(self.course)

    def check(self) -> None:
        """Raise CourseError now for anything that would stop `settle` later.

        A lost gradebook with manual points is included, because they would no longer count.
        """
        if not self.asked and self._has_manual_points():
            if not self.url:
                raise UsageError(f"the manual points are in a gradebook, which needs {INSTALL}")
            if self._is_missing():
                raise UsageError(
                    f"{_file_of(self.url)}: missing, and the manual points with it; "
                    "put it back, or name another gradebook with --gradebook"
                )
        if self.url:
            with self._open():
                pass

    def fingerprint(self) -> str:
        """Return a text that changes whenever manual points or the late policy do."""
        file = _file_of(self.url)
        if file is not None and file.exists():
            seen = f"{file.stat().st_size} {file.stat().st_mtime_ns}"
        elif file is not None or not self.url:
            seen = ""
        else:
            seen = repr(sorted(self._entries().items()))
        return f"{self.url} {seen} {self.policy}"

    def settle(
        self, results: Sequence[Result], stamps: Mapping[Name, datetime | None]
    ) -> tuple[Result, ...]:
        """Return the final results, once scores and times are in the gradebook; raise CourseError.

        Without a gradebook, a submission without a stamp is as late as it was the last time.
        """
        if not self.url:
            entries = {name: GradebookEntry(stamp) for name, stamp in stamps.items()}
            return self._save(results, self._updated(results, entries))
        with self._open() as gradebook:
            gradebook.save_scores(results, self.course.stages, stamps, self.policy)
            by_name = self._adjustments(results, gradebook.entries())
            gradebook.set_late_penalties(
                {_name(one): by_name[_name(one)].late_penalty(one) for one in results}
            )
        self._remember()
        return self._save(results, by_name)

    def refresh(self) -> str:
        """Fetch manual points given since the last time; raise CourseError if that fails.

        If the gradebook is missing, keep those fetched last, and return a line that says so.
        """
        if not self.url or not self.store.adjustments.exists():
            return ""
        if self._is_missing():
            return f"{_file_of(self.url)}: missing; the scores saved last still count"
        results, _ = self.store.load()
        self._save(results, self._updated(results, self._entries(create=False)))
        return ""

    def _has_manual_points(self) -> bool:
        former = read_adjustments(self.store.adjustments)
        return any(one.has_manual_points for one in former.values())

    def _is_missing(self) -> bool:
        file = _file_of(self.url)
        return file is not None and not file.exists()

    def _open(self, create: bool = True) -> "AbstractContextManager[Gradebook]":
        """Open the gradebook; never replace one with manual points that was lost."""
        from hearts_course.nbgrader.gradebook import open_gradebook

        create = create and (bool(self.asked) or not self._has_manual_points())
        return open_gradebook(self.url, create)

    def _entries(self, create: bool = True) -> Mapping[Name, GradebookEntry]:
        with self._open(create) as gradebook:
            return gradebook.entries()

    def _save(self, results: Iterable[Result], by_name: Adjustments) -> tuple[Result, ...]:
        write_whole(self.store.adjustments, adjustments_text(by_name))
        return apply_all(results, by_name)

    def _updated(
        self, results: Iterable[Result], entries: Mapping[Name, GradebookEntry]
    ) -> Adjustments:
        """Return adjustments from these entries; keep the former one where there is no entry."""
        former = read_adjustments(self.store.adjustments).items()
        kept = {name: one for name, one in former if name not in entries}
        return self._adjustments(results, entries) | kept

    def _adjustments(
        self, results: Iterable[Result], entries: Mapping[Name, GradebookEntry]
    ) -> dict[Name, Adjustment]:
        stages = {stage.name: stage for stage in self.course.stages}
        return {
            name: adjustment(stages[name[1]], entries.get(name, GradebookEntry()), self.policy)
            if name[1] in stages
            else Adjustment()
            for name in map(_name, results)
        }

    def _remember(self) -> None:
        """Note which gradebook was asked for, without its password."""
        if self.asked:
            from hearts_course.nbgrader.gradebook import without_password

            write_whole(self.store.named_gradebook, f"{without_password(self.url)}\n")


def absolute_url(url: str) -> str:
    """Return the URL with the absolute path of the file that it names, if it names one."""
    path = url.removeprefix(FILE)
    return url if path in (url, "") else f"{FILE}{Path(path).resolve()}"


def _name(result: Result) -> Name:
    return result.student, result.stage


def _file_of(url: str) -> Path | None:
    path = url.removeprefix(FILE)
    return Path(path.partition("?")[0]) if path != url else None
