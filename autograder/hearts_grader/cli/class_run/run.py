"""Grade the attempts that count, or show what grading them again would change."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import click
from hearts_course.cli.common import warn
from hearts_course.course import Course
from hearts_course.results import Result
from hearts_course.submissions.find import Layout
from hearts_course.text import count_of

from hearts_grader.cli.class_run.attempt_results import AttemptResults
from hearts_grader.cli.class_run.hidden_questions import HiddenQuestions
from hearts_grader.cli.class_run.programs import StartWorkers, Workers, exit_status, stopped
from hearts_grader.cli.class_run.publication import Publication
from hearts_grader.cli.class_run.summary import ClassSummary, print_changes
from hearts_grader.grading.final_scores import HandIns
from hearts_grader.grading.plan import GradingPlan, Item, WorkState, plan
from hearts_grader.grading.records import not_followed
from hearts_grader.grading.store import Store
from hearts_grader.nbgrader.sync import GradebookSync


@dataclass(frozen=True)
class ClassRun:
    """One run over a class, with the attempts that count.

    `hand_ins` says when these attempts were handed in, and `attempts` has the results of all
    attempts.
    """

    course: Course
    layout: Layout
    hand_ins: HandIns
    store: Store
    sync: GradebookSync
    attempts: AttemptResults
    start_workers: StartWorkers

    def grade(self, hidden: HiddenQuestions) -> int:
        """Grade, then show hidden questions if asked; return the worse of both exit statuses."""
        status = self._bring_up_to_date()
        if hidden.stages:
            shown = hidden.show(self._plan().items, self.start_workers, self._publication)
            status = max(status, shown)
        return status

    def show_changes(self) -> int:
        """Grade the changed submissions again, print the changes, and return the exit status."""
        todo = self._plan()
        self.store.clean_temp_files()
        again = [item for item in todo.to_replace if item.state.to_grade]
        done: list[Result] = []
        try:
            publisher = self._publication.publisher
            left = self.attempts.reuse(again, done, publisher.keep)
            with self.start_workers(left) as workers:
                workers.run(left, done, publisher.keep)
        except KeyboardInterrupt:
            return stopped(self.store.root, len(done), len(again))
        current = [item for item in todo.items if item.state is WorkState.CURRENT]
        # Dates or manual points may change the final score of a current result.
        adjusted = [change for change in publisher.changes(current) if change.difference]
        print_changes([*publisher.changes(todo.to_replace), *adjusted])
        warn(*map(not_followed, self._linked))
        if new := todo.count(WorkState.NEW):
            results = count_of(new, "result")
            click.echo(f"{results} would be added, for new or changed submissions")
        results = count_of(len(current), "result")
        click.echo(f"{results} up to date already; nothing was changed")
        return 1 if self._linked else exit_status(done)

    def _bring_up_to_date(self) -> int:
        """Grade what is new or changed, and write pages and report; return the exit status.

        If the last run finished and nothing has changed since, there is nothing to do. Otherwise at
        least the report is written again. Test sandbox and gradebook before writing anything,
        because a run that cannot grade must leave the folder as it was.
        """
        final = not self._linked and self._summary.is_up_to_date()
        todo = self._plan(intact=final)
        current = [item for item in todo.items if item.state is WorkState.CURRENT]
        stale_pages = self._publication.stale_pages(current)
        if len(current) == len(todo.items) and not stale_pages and final:
            results = count_of(len(current), "result")
            click.echo(f"nothing to grade: {results} up to date already")
            self._summary.print_paths()
            return 0
        with ExitStack() as started:
            workers = started.enter_context(self.start_workers(todo.to_grade))
            self.sync.gradebook.check()
            self.store.begin()
            self._publication.note_adjustments(todo.items)
            return self._grade(todo, stale_pages, workers, started)

    def _grade(
        self, todo: GradingPlan, stale_pages: Sequence[Item], workers: Workers, started: ExitStack
    ) -> int:
        """Grade the plan's submissions, publish the results, and return the exit status.

        `stale_pages` are results that are up to date, but whose pages are missing, or were made
        before the comments or rules changed. Leaving the context `started` ends the workers.

        Publish results of new submissions at once. Publish results that replace earlier results all
        together at the end, after printing whose scores change. If the run is interrupted, write a
        report about the results so far.
        """
        done: list[Result] = []
        try:
            publisher = self._publication.publisher
            with started:  # end the workers once everything is graded
                left = self.attempts.reuse(todo.to_grade, done, publisher.keep)
                workers.run(left, done, publisher.keep, self._summary.write_so_far)
            print_changes(publisher.changes(todo.to_replace))
            kept = publisher.replace(todo.to_replace)
            publisher.write_pages(stale_pages)
            self._publication.note_comments()
            complete = self._summary.finish(done, todo, self._linked)
        except KeyboardInterrupt:
            if self._summary.write_so_far():
                self._summary.print_paths()
            return stopped(self.store.root, len(done), len(todo.to_grade))
        except (Exception, SystemExit):  # rich exits if nobody reads what it prints any more
            self._summary.write_so_far()
            raise
        if kept:
            results = count_of(kept, "result")
            warn(f"{results} could not be regraded; the previous results are kept")
        return exit_status(done) if complete else 1

    def _plan(self, *, intact: bool = False) -> GradingPlan:
        """Return the plan, without students whose folders of results are symbolic links."""
        linked = {link.name for link in self._linked}
        paths = [path for path in self.layout.paths if path.student not in linked]
        keys = self.attempts.keys
        return plan(paths, keys, self.store, self.attempts.sandbox, intact=intact)

    @cached_property
    def _linked(self) -> tuple[Path, ...]:
        """The students' folders in the output that are symbolic links when the run begins."""
        return self.store.linked()

    @cached_property
    def _publication(self) -> Publication:
        """The pages about the attempts that count."""
        comments_file = self.layout.comments_file
        return Publication(self.course, self.store, self.sync, comments_file, self.hand_ins)

    @cached_property
    def _summary(self) -> ClassSummary:
        """Grades and report about the attempts that count."""
        return ClassSummary(
            self.course, self.layout, self.store, self.sync, self.hand_ins, self._publication
        )
