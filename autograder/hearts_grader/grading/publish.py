"""Put results in their places: in the history, on the student's pages, and as a file.

The order matters. The result's file is written last, so it shows that history and pages are
complete. A killed run therefore never leaves a result that only looks finished.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from hearts_course.files import write_whole
from hearts_course.results import Result, Status
from hearts_course.submissions.find import SubmissionPath

from hearts_grader.grading import history
from hearts_grader.grading.final_scores import (
    NO_ADJUSTMENT,
    Adjustment,
    Adjustments,
    read_adjustments,
)
from hearts_grader.grading.history import Change, TestChange, change_between, changed_parts
from hearts_grader.grading.late_policy import Name
from hearts_grader.grading.plan import Item, WorkState, rescored
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store

Pages = Callable[[Result, SubmissionPath], Mapping[str, str]]


@dataclass(frozen=True)
class Publisher:
    """Puts results in their places.

    `pages` is a function that returns the texts of a student's pages by file suffix. Pages and
    history show the `adjustments`. `shown` has the adjustments on the pages that were written so
    far. Every method raises CourseError if the disk fails.
    """

    store: Store
    pages: Pages
    adjustments: Adjustments = field(default_factory=dict)
    shown: dict[Name, Adjustment] = field(default_factory=dict)

    def keep(self, result: Result, item: Item) -> None:
        """Publish the result of a new submission; stage a result that would replace another.

        A staged result waits until `replace`. A grader error is not staged, so it replaces nothing.
        """
        record = Record(result, item.key)
        if item.state is WorkState.NEW:
            self.publish(record, item.path)
        elif result.status is not Status.GRADER_ERROR:
            self.store.pending.save(record)

    def changes(self, items: Iterable[Item]) -> list[Change]:
        """Return what the staged results would change in final scores; nothing is written.

        The old score in each change is the score that the student's page shows.
        """
        shown = read_adjustments(self.store.page_adjustments)
        found = []
        for item in items:
            before = self.store.results.read(*item.name)
            # A current result stays, but dates or manual points may change its final score.
            after = before if item.state is WorkState.CURRENT else self._staged(item)
            if before is not None and after is not None:
                old = shown.get(item.name, NO_ADJUSTMENT).apply(before.result)
                new = self.adjustments.get(item.name, NO_ADJUSTMENT).apply(after.result)
                why = (*item.why, *changed_parts(old.parts, new.score_parts))
                found.append(change_between(old, new, why))
        return found

    def replace(self, items: Iterable[Item]) -> int:
        """Publish the items' new results; return the number of items whose old result stays."""
        stay = 0
        for item in items:
            record = self._staged(item)
            if record is None:
                stay += 1
            else:
                self.publish(record, item.path)
            self.store.pending.remove(*item.name)
        return stay

    def _staged(self, item: Item) -> Record | None:
        """Return the record that replaces the item's result; None if no new one is up to date."""
        if item.state is WorkState.RESCORE:
            return rescored(self.store.results, item.path, item.key)
        record = self.store.pending.read(*item.name)
        return record if record is not None and record.key == item.key else None

    def publish(self, record: Record, path: SubmissionPath) -> None:
        """Write the record to the history, the student's pages, and last the result's file.

        If the result's file exists, history and pages are complete. If it is missing, the next run
        writes all three again with the same content.
        """
        before = self.store.results.read(*record.name)
        tests = change_between(before.result, record.result).tests if before else ()
        self._add_to_history(record, tests)
        self._write_pages(record.result, path)
        self.store.results.save(record)

    def write_pages(self, items: Iterable[Item]) -> None:
        """Write the pages of existing results, and add new final scores to the history."""
        for item in items:
            record = self.store.results.read(*item.name)
            if record is not None:
                self._add_to_history(record)
                self._write_pages(record.result, item.path)

    def _add_to_history(self, record: Record, tests: tuple[TestChange, ...] = ()) -> None:
        """Add the record with its final score; `tests` are those that changed the score."""
        adjustment = self.adjustments.get(record.name, NO_ADJUSTMENT)
        history.add(self.store.history_path(*record.name), record, tests, adjustment)

    def _write_pages(self, result: Result, path: SubmissionPath) -> None:
        """Write the student's pages, and record which adjustment they show."""
        self.shown[path.name] = self.adjustments.get(path.name, NO_ADJUSTMENT)
        for suffix, text in self.pages(result, path).items():
            write_whole(self.store.feedback.path(result.student, result.stage, suffix), text)
