"""Results and the gradebook brought together: points go in, what people gave comes out.

GradebookSync   one output folder, its gradebook, the course's late policy
"""

from collections.abc import Iterable, Mapping, Sequence
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
    apply_all,
    as_text,
    load_policy,
    read_adjustments,
)
from hearts_course.grading.store import Store
from hearts_course.nbgrader.config import FILE, absolute
from hearts_course.results import Result

if TYPE_CHECKING:
    from hearts_course.nbgrader.gradebook import Gradebook

HIDDEN = ":***@"  # what SQLAlchemy shows of a password


@dataclass(frozen=True)
class GradebookSync:
    """What results come to in the end; `asked` is the gradebook asked for, "" if none was.

    Without SQLAlchemy there is no gradebook, and only coming late is settled.
    """

    store: Store
    course: Course
    asked: str = ""

    @cached_property
    def url(self) -> str:
        """The gradebook's URL: what was asked for now, or last, or the folder's own; "" if none.

        Raises UsageError if one was asked for that cannot be used, now or without its password.
        """
        if find_spec("sqlalchemy") is None:
            if self.asked:
                raise UsageError("`--gradebook` needs `pip install 'hearts-course[grade]'`")
            return ""
        named = self.store.named_gradebook
        last = named.read_text(encoding="utf-8").strip() if named.exists() else ""
        if not self.asked and HIDDEN in last:
            raise UsageError(
                f"the gradebook {last}: its password is not kept; name it again with --gradebook"
            )
        return absolute(self.asked) or last or absolute(f"{FILE}{self.store.gradebook}")

    @cached_property
    def policy(self) -> LatePolicy:
        """What coming late costs."""
        return load_policy(self.course)

    def check(self) -> None:
        """Raises CourseError now for what would keep `settle` from its gradebook later.

        Also if points that people gave would not count any more, since their gradebook is gone.
        """
        if not self.asked and self._given():
            if not self.url:
                needs = "`pip install 'hearts-course[grade]'`"
                raise UsageError(f"people gave points in a gradebook, which needs {needs}")
            if self._is_gone():
                raise UsageError(
                    f"{_file_of(self.url)}: is gone, and with it points that people gave; "
                    "put it back, or name another gradebook with --gradebook"
                )
        if self.url:
            self._book().close()

    def mark(self) -> str:
        """What stands for everything that results are settled by; another one if that changed."""
        file = _file_of(self.url)
        if not self.url or file is not None:
            seen = _stamp(file)
        else:
            seen = repr(sorted(self._entries().items()))
        return f"{self.url} {seen} {self.policy}"

    def settle(
        self, results: Sequence[Result], stamps: Mapping[Name, datetime | None]
    ) -> tuple[Result, ...]:
        """The results as they count, once points and times are in the gradebook.

        Without one whoever has no stamp this time is as late as before. Raises CourseError if the
        gradebook cannot be used.
        """
        if not self.url:
            entries = {name: GradebookEntry(stamp) for name, stamp in stamps.items()}
            return self._settled(results, self._updated(results, entries))
        book = self._book()
        try:
            book.keep(results, self.course.stages, stamps, self.policy)
            entries = book.entries()
            by = self._adjustments(results, entries)
            book.take_off({_name(one): by[_name(one)].late_penalty(one) for one in results})
        finally:
            book.close()
        self._remember()
        return self._settled(results, by)

    def refresh(self) -> str:
        """Take over what people have given since; raises CourseError if the gradebook fails.

        If it is gone what was taken over last stays, and the line that comes back says so.
        """
        if not self.url or not self.store.adjustments.exists():
            return ""
        if self._is_gone():
            return f"{_file_of(self.url)}: is gone; what counts is what was in it last"
        results, _ = self.store.load()
        self._settled(results, self._updated(results, self._entries(create=False)))
        return ""

    def _given(self) -> bool:
        return any(
            one.has_manual_points for one in read_adjustments(self.store.adjustments).values()
        )

    def _is_gone(self) -> bool:
        file = _file_of(self.url)
        return file is not None and not file.exists()

    def _book(self, create: bool = True) -> "Gradebook":
        """The gradebook; a new one only where people gave nothing, or where it was asked for."""
        from hearts_course.nbgrader.gradebook import Gradebook

        return Gradebook(self.url, create and (bool(self.asked) or not self._given()))

    def _entries(self, create: bool = True) -> Mapping[Name, GradebookEntry]:
        book = self._book(create)
        try:
            return book.entries()
        finally:
            book.close()

    def _settled(self, results: Iterable[Result], by: Adjustments) -> tuple[Result, ...]:
        write_whole(self.store.adjustments, as_text(by))
        return apply_all(results, by)

    def _updated(
        self, results: Iterable[Result], entries: Mapping[Name, GradebookEntry]
    ) -> Adjustments:
        """The adjustments by these entries; of whoever has no entry the former ones."""
        former = read_adjustments(self.store.adjustments).items()
        before = {name: one for name, one in former if name not in entries}
        return self._adjustments(results, entries) | before

    def _adjustments(
        self, results: Iterable[Result], entries: Mapping[Name, GradebookEntry]
    ) -> dict[Name, Adjustment]:
        stages = {stage.name: stage for stage in self.course.stages}
        return {
            _name(one): adjustment(
                stages[one.stage], entries.get(_name(one), GradebookEntry()), self.policy
            )
            if one.stage in stages
            else Adjustment()
            for one in results
        }

    def _remember(self) -> None:
        """Note a gradebook that is not the folder's own; of a password only that there is one."""
        if self.asked:
            from sqlalchemy import make_url

            from hearts_course.nbgrader.tables import without_password

            write_whole(self.store.named_gradebook, f"{without_password(make_url(self.url))}\n")


def _name(result: Result) -> Name:
    return result.student, result.stage


def _file_of(url: str) -> Path | None:
    path = url.removeprefix(FILE)
    return Path(path.partition("?")[0]) if path != url else None


def _stamp(file: Path | None) -> str:
    if file is None or not file.exists():
        return ""
    seen = file.stat()
    return f"{seen.st_size} {seen.st_mtime_ns}"
