"""Write the students' pages: final scores, the instructor's comments, and advice on form.

Advice on the form of a program comes from the instructor's rules in `structure.toml`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click
from hearts_course.cli.common import warn
from hearts_course.course import Course
from hearts_course.files import write_whole
from hearts_course.submissions.find import COMMENTS_FILE
from hearts_course.text import count_of, listed

from hearts_grader.grading.final_scores import (
    NO_ADJUSTMENT,
    Adjustments,
    HandIns,
    adjustments_text,
    read_adjustments,
)
from hearts_grader.grading.plan import Item, WorkState
from hearts_grader.grading.store import Store
from hearts_grader.nbgrader.sync import GradebookSync

if TYPE_CHECKING:
    from hearts_grader.grading.publish import Publisher
    from hearts_grader.reports.comments import Comment
    from hearts_grader.reports.structure import Rule


@dataclass(frozen=True)
class Publication:
    """The students' pages, and what the pages show in addition to the autograder's results.

    `comments_file` is the instructor's file of comments beside the students' folders, None without
    such a file. `hand_ins` says when the submissions were handed in.
    """

    course: Course
    store: Store
    sync: GradebookSync
    comments_file: Path | None
    hand_ins: HandIns

    @cached_property
    def adjustments(self) -> Adjustments:
        """The manual points and late penalties, as they are known when the run begins."""
        return self.sync.adjustments_for(self.hand_ins)

    @cached_property
    def comments(self) -> "tuple[Comment, ...]":
        """The instructor's comments, from all three places.

        The course, the folder of submissions and the output folder may each have comments.
        """
        from hearts_grader.reports.comments import load_comments

        ours = self.store.root / COMMENTS_FILE
        return load_comments(self.course, self.comments_file, ours)

    @cached_property
    def publisher(self) -> "Publisher":
        """The publisher of results, with the adjustments that are known when the run begins."""
        return self._publisher_with(self.adjustments)

    def stale_pages(self, items: Iterable[Item]) -> list[Item]:
        """Return the items whose pages are missing, or older than the comments or rules on form."""
        same_comments = self.store.feedback.have_comments(self._advice)
        stale = []
        for item in items:
            if not (same_comments and self.store.feedback.are_written(*item.name)):
                stale.append(item)
        return stale

    def note_comments(self) -> None:
        """Record on disk that all pages show the latest comments and rules on form.

        Raise CourseError if that fails.
        """
        self.store.feedback.note_comments(self._advice)

    def note_adjustments(self, items: Iterable[Item]) -> None:
        """Write the adjustments to disk; raise CourseError if that fails.

        Call this before results are written. Otherwise a killed run would leave results that are
        exported without late penalties.
        """
        new = [item.name for item in items if item.state is WorkState.NEW]
        shown = dict(read_adjustments(self.store.page_adjustments))
        shown.update((name, self.adjustments.get(name, NO_ADJUSTMENT)) for name in new)
        write_whole(self.store.page_adjustments, adjustments_text(shown))
        write_whole(self.store.adjustments, adjustments_text(self.adjustments))

    def update_pages(self, items: Iterable[Item]) -> None:
        """Rewrite the pages that show outdated manual points or late penalties.

        They may be outdated because an adjustment has changed while this run was grading.

        Save the adjustments only after the pages. If this run is interrupted in between, the next
        run writes the pages again. Raise CourseError if the disk fails.
        """
        shown = {**read_adjustments(self.store.page_adjustments), **self.publisher.shown}
        adjustments = read_adjustments(self.store.adjustments)
        changed = []
        for item in items:
            adjusted = adjustments.get(item.name, NO_ADJUSTMENT)
            if adjusted != shown.get(item.name, NO_ADJUSTMENT):
                changed.append(item)
        if changed:
            publisher = self._publisher_with(adjustments)
            publisher.write_pages(changed)
            pages = count_of(len(changed), "page")
            click.echo(f"{pages} made again: dates or manual points changed")
            shown |= publisher.shown
        write_whole(self.store.page_adjustments, adjustments_text(shown))
        if others := self.sync.adjustments.newer_than_pages(adjustments):
            points = f"manual points of {listed(others)} are newer than their pages"
            warn(f"{points}; run `hearts grade` without --stage")

    def _publisher_with(self, adjustments: Adjustments) -> "Publisher":
        """Return a publisher of results; it computes final scores with these adjustments."""
        from hearts_grader.grading.publish import Publisher
        from hearts_grader.reports.student_pages import FeedbackWriter

        writer = FeedbackWriter(
            self.course,
            adjustments,
            comments=self.comments,
            revealed=self.store.revealed,
            rules=self._rules,
        )
        return Publisher(self.store, writer.pages, adjustments)

    @cached_property
    def _rules(self) -> "tuple[Rule, ...]":
        """The instructor's rules about the form of programs."""
        from hearts_grader.reports.structure import load_rules

        return load_rules(self.course, self.store.root)

    @property
    def _advice(self) -> str:
        """A text that changes whenever a comment or a rule on form changes."""
        return repr((*self.comments, *self._rules))
