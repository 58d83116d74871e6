"""What `hearts grade` does, step by step; its options are in `instructor`.

Grader   one class, one output folder, and how to grade
"""

import dataclasses
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hearts_course.cli.executor import MadeExecutor
from hearts_course.cli.warnings import warn, warn_of_stages
from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import write_whole
from hearts_course.grading.cache import CacheKeys
from hearts_course.grading.final_scores import (
    NO_ADJUSTMENT,
    Adjustments,
    as_text,
    handed_in,
    read_adjustments,
)
from hearts_course.grading.plan import GradingPlan, Item, WorkState, plan
from hearts_course.grading.store import Store, claim, not_followed
from hearts_course.nbgrader.sync import GradebookSync
from hearts_course.results import Result, Status
from hearts_course.submissions.find import Layout

if TYPE_CHECKING:
    from hearts_course.grading.changes import Change
    from hearts_course.grading.publish import Publisher

INTERRUPTED = 130


@dataclass(frozen=True)
class Grader:
    """One class, one output folder, and what grades; `sandbox` is the one asked for.

    `bound` asks for the time that grading takes at the most. Whatever grading and its renderings
    need is imported when there is something to grade.
    """

    course: Course
    layout: Layout
    store: Store
    sandbox: str
    make_executor: Callable[[], AbstractContextManager[MadeExecutor]]
    gradebook: str = ""
    bound: bool = False

    def grade(self) -> int:
        """Bring every result up to date; returns the exit status."""
        self.store.refuse_links()
        with claim(self.store.lock, self.store.root):
            final = not self._linked and self.store.is_final(self._mark())
            todo = self._plan(intact=final)
            held = [item for item in todo.items if item.state is WorkState.CURRENT]
            unseen = [item for item in held if not self.store.has_pages(*item.name)]
            if len(held) == len(todo.items) and not unseen and final:
                click.echo(f"nothing to grade: {_results(len(todo.items))} up to date already")
                self._say_where()
                return 0
            self._sync.check()
            with self._executor_for(todo.to_grade) as made:
                self.store.begin()
                return self._grade(todo, unseen, made)

    def _grade(self, todo: GradingPlan, unseen: Sequence[Item], made: MadeExecutor | None) -> int:
        done: list[Result] = []
        try:
            self._run(todo.to_grade, made, done)
            self._say_changes(self._publisher.changes(todo.to_replace))
            stay = self._publisher.replace(todo.to_replace)
            self._publisher.write_pages(unseen)
            whole = self._conclude(done, todo)
        except KeyboardInterrupt:
            return self._stopped(len(done), len(todo.to_grade))
        if stay:
            warn(f"{_results(stay)} could not be made again: the former ones stay")
        return _status(done) if whole else 1

    def dry_run(self) -> int:
        """Tell what `grade` would change in results that are there; returns the exit status.

        What has to be graded for that waits for `grade`, which will not grade it again.
        """
        if not self.store.results.folder.is_dir():
            raise UsageError(f"{self.store.root}: holds no results that could change; grade first")
        self.store.refuse_links()
        with claim(self.store.lock, self.store.root):
            todo = self._plan()
            self.store.clean_temp_files()
            again = [item for item in todo.to_replace if item.state.to_grade]
            done: list[Result] = []
            try:
                with self._executor_for(again) as made:
                    self._run(again, made, done)
            except KeyboardInterrupt:
                return self._stopped(len(done), len(again))
            self._say_changes(self._publisher.changes(todo.to_replace))
        for link in self._linked:
            warn(not_followed(link))
        if new := todo.count(WorkState.NEW):
            click.echo(f"{_results(new)} would be new: of new or changed submissions")
        click.echo(
            f"{_results(todo.count(WorkState.CURRENT))} up to date already; nothing was changed"
        )
        return 1 if self._linked else _status(done)

    def _plan(self, *, intact: bool = False) -> GradingPlan:
        linked = {link.name for link in self._linked}
        paths = [path for path in self.layout.paths if path.student not in linked]
        return plan(paths, CacheKeys(self.course), self.store, self.sandbox, intact=intact)

    def _executor_for(self, items: Sequence[Item]) -> AbstractContextManager[MadeExecutor | None]:
        """Whoever grades the items; nobody, if there are none.

        Raises NoSandbox, or UsageError if a cluster cannot be reached or used.
        """
        if not items:
            return nullcontext()
        warn_of_stages(self.layout.stages)
        return self.make_executor()

    def _run(self, items: Sequence[Item], made: MadeExecutor | None, done: list[Result]) -> None:
        """Grade the items; `done` grows by each result, without its tasks, once that is kept.

        How long each took is kept for the next time.
        """
        if made is None:
            return
        from rich.console import Console

        from hearts_course.grading.grade import GradeJob
        from hearts_course.grading.plan import read_pace, write_pace
        from hearts_course.grading.pool import grade_all
        from hearts_course.reports.progress import follow

        by_name = {item.name: item for item in items}
        jobs = (GradeJob(item.path.stage, item.path, made.sandbox) for item in items)
        at_a_time = min(made.executor.places, len(items))
        pace = read_pace(self.store.pace)
        usual = pace.usual_seconds((item.path.stage.name for item in items), at_a_time)
        most = self._max_seconds(items, at_a_time)
        console, last = Console(stderr=True), time.monotonic()
        with closing(grade_all(jobs, made.executor)) as coming:
            for result in follow(coming, len(items), console, at_a_time, usual, most):
                self._publisher.keep(result, by_name[result.student, result.stage])
                done.append(dataclasses.replace(result, tasks=()))
                begun, last = last, time.monotonic()
                pace = pace.with_result(result.stage, (last - begun) * at_a_time)
        write_pace(self.store.pace, pace)

    def _max_seconds(self, items: Sequence[Item], at_a_time: int) -> float | None:
        """How long grading them takes at the most, if that was asked for."""
        from hearts_course.grading.grade import max_seconds

        return max_seconds((item.path for item in items), at_a_time) if self.bound else None

    @cached_property
    def _linked(self) -> tuple[Path, ...]:
        return self.store.linked()

    @cached_property
    def _publisher(self) -> "Publisher":
        return self._publisher_with(read_adjustments(self.store.page_adjustments))

    def _publisher_with(self, adjustments: Adjustments) -> "Publisher":
        """Return a publisher whose pages show final scores by these adjustments."""
        from hearts_course.grading.publish import Publisher
        from hearts_course.reports.feedback_pages import FeedbackWriter

        return Publisher(self.store, FeedbackWriter(self.course, adjustments).pages)

    def _show_final_scores(self, items: Sequence[Item]) -> None:
        """Write the pages of which manual points or late penalty changed once more.

        What the pages show is noted after them, so an interrupted run does this again.
        """
        shown = read_adjustments(self.store.page_adjustments)
        known = {
            name: one
            for name, one in read_adjustments(self.store.adjustments).items()
            if one.has_manual_points or one.late_fraction
        }
        changed = [item for item in items if known.get(item.name) != shown.get(item.name)]
        if changed:
            self._publisher_with(known).write_pages(changed)
            now = {item.name: known.get(item.name, NO_ADJUSTMENT) for item in changed}
            write_whole(self.store.page_adjustments, as_text({**shown, **now}))

    @cached_property
    def _sync(self) -> GradebookSync:
        return GradebookSync(self.store, self.course, self.gradebook)

    def _mark(self) -> str:
        """What stands for all that the report rests on beside the results."""
        return f"{self._sync.fingerprint()} {self.layout.late}"

    def _stamps(self) -> dict[tuple[str, str], datetime | None]:
        """When each submission was handed in, as far as it says so."""
        paths = self.layout.paths
        return {(one.student, one.stage.name): handed_in(one.path) for one in paths}

    def _say_changes(self, changes: Sequence["Change"]) -> None:
        if changes:
            from hearts_course.cli.screen import say
            from hearts_course.reports.terminal import changes_table

            say(changes_table(changes))

    def _conclude(self, done: Sequence[Result], todo: GradingPlan) -> bool:
        """Write grades and report from everything in the folder; print what this run did.

        Says whether every result could be read. One that could not is in neither of them.
        """
        from hearts_course.cli.screen import say
        from hearts_course.reports.class_report import class_report, report_page
        from hearts_course.reports.tables import class_tables, grades_csv
        from hearts_course.reports.terminal import results_table

        results, damaged = self.store.load()
        faults = dict.fromkeys([*map(not_followed, self._linked), *damaged])
        for fault in faults:
            warn(fault)
        results = self._sync.settle(results, self._stamps())
        self._show_final_scores(todo.items)
        report = class_report(results, self.course, self.layout.late)
        pages = grades_csv(results), report_page(report), class_tables(report)
        self.store.finalize(*pages, inputs=self._mark(), complete=not faults)
        if done:
            names = {(result.student, result.stage) for result in done}
            say(results_table([one for one in results if (one.student, one.stage) in names]))
        if held := todo.count(WorkState.CURRENT):
            click.echo(f"{_results(held)} up to date already")
        for stage, students in report.late.items():
            click.echo(f"{stage}: marked late by Canvas: {', '.join(students)}")
        self._say_where()
        return not faults

    def _say_where(self) -> None:
        click.echo(f"report    {self.store.report}")
        click.echo(f"grades    {self.store.grades}")
        click.echo(f"feedback  {self.store.feedback}")

    def _stopped(self, done: int, total: int) -> int:
        warn(f"stopped; {done} of {total} graded, in {self.store.root}; run the same command again")
        return INTERRUPTED


def _results(count: int) -> str:
    return f"{count} result{'' if count == 1 else 's'}"


def _status(done: Sequence[Result]) -> int:
    return int(any(result.status is Status.GRADER_ERROR for result in done))
