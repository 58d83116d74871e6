"""Grades and report of a class, and what is printed at the end of a run."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from hearts_course.cli.common import say, warn
from hearts_course.course import Course
from hearts_course.errors import CourseError
from hearts_course.results import Result, Status
from hearts_course.submissions.find import Layout
from hearts_course.text import count_of, listed

from hearts_grader.cli.class_run.publication import Publication
from hearts_grader.grading.final_scores import NO_ENTRY, HandIns, apply_all, read_adjustments
from hearts_grader.grading.plan import GradingPlan, WorkState
from hearts_grader.grading.records import not_followed
from hearts_grader.grading.store import Store
from hearts_grader.nbgrader.sync import GradebookSync

if TYPE_CHECKING:
    from hearts_grader.grading.history import Change
    from hearts_grader.reports.class_report import ClassReport


@dataclass(frozen=True)
class ClassSummary:
    """Writes grades and report of a class, and prints what a run did."""

    course: Course
    layout: Layout
    store: Store
    sync: GradebookSync
    hand_ins: HandIns
    publication: Publication

    def is_up_to_date(self) -> bool:
        """Return whether the last run finished, and its grades and report are still right."""
        return self.store.is_final(self._inputs())

    def finish(self, done: Sequence[Result], todo: GradingPlan, linked: Iterable[Path]) -> bool:
        """Write grades and report about all results; print what this run did.

        Return False if a result could not be read. Such results are left out of grades and report,
        and so are those in the `linked` folders. Raise CourseError if the disk or the gradebook
        fails.
        """
        from hearts_grader.reports.terminal import results_table

        results, damaged = self.store.results.load()
        # `load` also reports linked folders of results. A dict keeps each line only once.
        problems = dict.fromkeys([*map(not_followed, linked), *damaged])
        warn(*problems)
        results = self.sync.settle(results, self.hand_ins, self.publication.comments)
        self.publication.update_pages(todo.items)
        report = self._write_report(results)
        self.store.finalize(self._inputs(), complete=not problems)
        if done:
            names = {(result.student, result.stage) for result in done}
            rows = [result for result in results if (result.student, result.stage) in names]
            say(results_table(rows))
        if current := todo.count(WorkState.CURRENT):
            click.echo(f"{count_of(current, 'result')} up to date already")
        for stage, students in report.late.items():
            click.echo(f"{stage}: marked late by Canvas: {', '.join(students)}")
        for stage, count in self._without_time().items():
            submissions = count_of(count, "submission")
            click.echo(f"{stage}: no time is known for {submissions}: no late penalty")
        self._print_groups()
        _print_sandboxes(done)
        self.print_paths()
        return not problems

    def write_so_far(self) -> bool:
        """Write the report about the results so far; return whether that was possible.

        An error is ignored here. Either the run goes on, or it is about to end with another error.
        """
        with suppress(CourseError, OSError):
            if results := self.store.results.load()[0]:
                self._write_report(apply_all(results, self.publication.adjustments))
                return True
        return False

    def print_paths(self) -> None:
        """Say where the instructor finds what was written."""
        click.echo(f"report    {self.store.report}")
        click.echo(f"grades    {self.store.grades}")
        click.echo(f"feedback  {self.store.feedback.folder}")

    def _inputs(self) -> str:
        """Return a text that changes if anything but the results would change the report."""
        return f"{self.sync.fingerprint()} {sorted(self.hand_ins.items())}"

    def _write_report(self, results: Sequence[Result]) -> "ClassReport":
        """Write grades, report and tables about these final results."""
        from hearts_grader.reports.class_report import About, write_report

        graded = {(result.student, result.stage) for result in results}
        waiting = sum(path.name not in graded for path in self.layout.paths)
        policy = self.sync.dates.policy
        about = About(policy.course, waiting, policy.addresses, self.layout.late)
        return write_report(self.store, results, self.course, about)

    def _without_time(self) -> Counter[str]:
        """Count, for each stage with a due date, the submissions whose time is unknown.

        Submissions from Canvas are not counted, because Canvas marks late ones without a time.
        """
        due = self.sync.dates.policy.due
        entries = self.sync.entries() if due else {}
        counts: Counter[str] = Counter()
        for path in self.layout.paths:
            is_due = path.stage.name in due and not path.missing
            if is_due and path.note.platform != "Canvas":
                entry = entries.get(path.name, NO_ENTRY)
                if not self.hand_ins[path.name].stamp and not entry.stamp:
                    counts[path.stage.name] += 1
        return counts

    def _print_groups(self) -> None:
        """Print a line for each group in which several members handed in a program.

        All members of a group have the same adjustment, so use the first member's.
        """
        for name, applied in read_adjustments(self.store.adjustments).items():
            student, stage = name
            if name in self.hand_ins and applied.group[:1] == (student,) and applied.authors:
                counts = f"{applied.by}'s counts, {applied.attempt_that_counts}"
                click.echo(f"{stage}: {listed(applied.authors)} each handed in a program; {counts}")


def print_changes(changes: Sequence["Change"]) -> None:
    """Print whose score changes, and because of which tests.

    If there are no changes, print nothing.
    """
    if changes:
        from hearts_grader.reports.terminal import changes_table

        say(changes_table(changes))


def _print_sandboxes(done: Iterable[Result]) -> None:
    """Print in which sandboxes programs ran, and what confines a program in each of them."""
    from hearts_grader.sandbox.backends import strength

    for name in sorted({result.sandbox for result in done if result.status is Status.GRADED}):
        click.echo(f"sandbox   {name}: {strength(name)}")
