"""One run of `hearts grade`: what is graded, in which order it is published, what is printed.

Grading and rendering are imported only if there is something to grade.
"""

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click
from hearts_course.cli.common import INTERRUPTED, say, warn
from hearts_course.course import Course
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import write_whole
from hearts_course.results import Result, Status
from hearts_course.submissions.find import COMMENTS_FILE, Layout, SubmissionPath
from hearts_course.text import count_of, listed

from hearts_grader.cli.executor import MadeExecutor
from hearts_grader.grading.attempts import attempts_of, choose, graded_before, scores_of
from hearts_grader.grading.cache import CacheKeys
from hearts_grader.grading.final_scores import (
    NO_ADJUSTMENT,
    NO_ENTRY,
    Adjustments,
    HandedIn,
    adjustments_text,
    apply_all,
    entry_of,
    read_adjustments,
)
from hearts_grader.grading.late_policy import Counts, Name
from hearts_grader.grading.plan import GradingPlan, Item, WorkState, plan, read_pace, write_pace
from hearts_grader.grading.store import Record, Store, claim, not_followed
from hearts_grader.nbgrader.sync import GradebookSync

if TYPE_CHECKING:
    from hearts_grader.grading.grade import GradeJob
    from hearts_grader.grading.history import Change
    from hearts_grader.grading.publish import Publisher
    from hearts_grader.reports.class_report import ClassReport
    from hearts_grader.reports.comments import Comment
    from hearts_grader.reports.structure import Rule

SECONDS_BETWEEN_REPORTS = 300  # so that even a killed run leaves a report


@dataclass(frozen=True)
class Grader:
    """Grades one class into one output folder.

    `sandbox` is the sandbox that was asked for. With `bound`, print how long grading takes at most.
    `reveal` are the stages whose hidden questions the pages show from now on. `hand_ins` says when
    submissions were handed in; it is empty until the attempts that count are chosen.
    """

    course: Course
    layout: Layout
    store: Store
    sandbox: str
    make_executor: Callable[[int], AbstractContextManager[MadeExecutor]]
    gradebook: GradebookSync
    bound: bool = False
    reveal: tuple[str, ...] = ()
    hand_ins: Mapping[Name, HandedIn] = field(default_factory=dict)

    def grade(self) -> int:
        """Bring every result up to date and return the exit status."""
        self.store.refuse_links()
        with claim(self.store.lock, self.store.root):
            self._refuse_early_reveal()
            return self._with_chosen_attempts(Grader._grade_and_reveal)

    def _refuse_early_reveal(self) -> None:
        """Raise UsageError if somebody may still hand in a stage that is to be revealed."""
        # The gradebook is read for its extensions. It is only needed if there is a stage to reveal.
        entries = self.gradebook.entries() if self.reveal else {}
        # Due dates are in UTC and without a zone, as nbgrader stores them.
        current_time = datetime.now(UTC).replace(tzinfo=None)
        for path in self.layout.paths:
            if path.stage.name in self.reveal:
                extension = entry_of(path.name, path.group, entries).extension
                dates = self.gradebook.policy.dates_of(path.student)
                until = dates.until(path.stage.name, extension)
                if until is not None and until > current_time:
                    when = f"{until:%Y-%m-%d %H:%M} UTC"
                    raise UsageError(
                        f"--reveal {path.stage.name}: {path.student} may hand in until {when}"
                    )

    def _grade_and_reveal(self) -> int:
        """Grade, and then reveal what was asked for; return the worse exit status of both."""
        status = self._bring_up_to_date()
        if self.reveal:
            status = max(status, self._show_hidden_questions())
        return status

    def _show_hidden_questions(self) -> int:
        """Ask failed hidden questions again and write them to the pages; return the exit status."""
        from hearts_grader.grading.grade import OVER

        items = []
        todo = []
        for item in self._plan().items:
            record = self.store.results.read(*item.name)
            if item.path.stage.name in self.reveal and record and record.result.fails_hidden:
                items.append(item)
                revealed = self.store.revealed.read(*item.name)
                # A stored revealed result is reused only if it is about the same program and the
                # same suite.
                if revealed is None or revealed.key != item.key:
                    todo.append(item)
        done: list[Result] = []
        try:
            with self._executor_for(todo) as executor:
                self._run(todo, executor, done, self._keep_revealed, tests=OVER)
        except KeyboardInterrupt:
            return self._stopped(len(done), len(todo))
        self._publisher.write_pages(items)
        click.echo(f"{count_of(len(items), 'page')} with hidden questions that failed")
        return _status(done)

    def _keep_revealed(self, result: Result, item: Item) -> None:
        """Keep a result with its hidden questions, apart from the results that count."""
        if result.status is not Status.GRADER_ERROR:
            self.store.revealed.save(Record(result, item.key))

    def _bring_up_to_date(self) -> int:
        """Grade what is new or changed, and write pages and report; return the exit status.

        If the last run finished and nothing has changed since, there is nothing to do. Otherwise at
        least the report is written again. Sandbox and gradebook are tried before anything is
        written, because a run that cannot grade must leave the folder as it was.
        """
        final = not self._linked and self.store.is_final(self._report_inputs())
        todo = self._plan(intact=final)
        current = [item for item in todo.items if item.state is WorkState.CURRENT]
        same_comments = self.store.has_comments(self._advice)
        stale_pages = []
        for item in current:
            if not (same_comments and self.store.has_pages(*item.name)):
                stale_pages.append(item)
        if len(current) == len(todo.items) and not stale_pages and final:
            click.echo(f"nothing to grade: {_results(len(current))} up to date already")
            self._print_paths()
            return 0
        with ExitStack() as workers:
            executor = workers.enter_context(self._executor_for(todo.to_grade))
            self.gradebook.check()
            self.store.begin()
            self._note_final_scores(todo.items)
            return self._grade(todo, stale_pages, executor, workers)

    def _with_chosen_attempts(self, act: Callable[["Grader"], int]) -> int:
        """Decide which attempts count, and return what `act` returns for a grader of these.

        If scores decide which attempts count, grade all attempts first.
        """
        entries = self.gradebook.entries() if self.layout.attempts else {}
        policy = self.gradebook.policy
        attempts = attempts_of(self.layout, policy, entries)
        scores: Mapping[Name, Sequence[float | None]] = {}
        done: list[Result] = []
        try:
            if policy.counts is Counts.BEST:
                scores = scores_of(attempts, partial(self._grade_attempts, done))
        except KeyboardInterrupt:
            return self._stopped(len(done), sum(map(len, attempts.values())))
        layout, hand_ins = choose(self.layout, attempts, policy.counts, scores)
        return act(dataclasses.replace(self, layout=layout, hand_ins=hand_ins))

    def _grade_attempts(
        self, done: list[Result], paths: Sequence[SubmissionPath]
    ) -> dict[Name, Result]:
        """Return the results of the attempts; grade those that have none yet."""
        items = [Item(path, self._keys.of(path), WorkState.NEW) for path in paths]
        todo = [item for item in items if self._graded_before(item) is None]
        with self._executor_for(todo) as executor:
            self._run(todo, executor, done, self._keep_attempt)
        results = {}
        for item in items:
            if record := self._graded_before(item):
                results[item.name] = record.result
        return results

    def _keep_attempt(self, result: Result, item: Item) -> None:
        """Keep an attempt's result by its key, so that any later run finds it again."""
        self.store.attempts(item.key).save(Record(result, item.key))

    def _graded_before(self, item: Item) -> Record | None:
        """Return the attempt's record if it was graded before, even for another group member."""
        return graded_before(self.store, item.path, item.key, self.sandbox)

    def _grade(
        self,
        todo: GradingPlan,
        stale_pages: Sequence[Item],
        executor: MadeExecutor | None,
        workers: ExitStack,
    ) -> int:
        """Grade the plan's submissions, publish the results, and return the exit status.

        `stale_pages` are current results whose pages are missing, or show other comments.

        New results are kept as they come. Results that replace others are published together, after
        a table of the students whose scores change. If the run is interrupted, a report about the
        results so far is written.
        """
        done: list[Result] = []
        try:
            with workers:  # end the workers once everything is graded
                left = self._use_graded_attempts(todo.to_grade, done)
                self._run(left, executor, done, self._publisher.keep, self._report_so_far)
            self._print_changes(self._publisher.changes(todo.to_replace))
            kept = self._publisher.replace(todo.to_replace)
            self._publisher.write_pages(stale_pages)
            self.store.note_comments(self._advice)
            complete = self._finish(done, todo)
        except KeyboardInterrupt:
            if self._report_so_far():
                self._print_paths()
            return self._stopped(len(done), len(todo.to_grade))
        except (Exception, SystemExit):  # rich exits if nobody reads what it prints any more
            self._report_so_far()
            raise
        if kept:
            warn(f"{_results(kept)} could not be regraded; the previous results are kept")
        return _status(done) if complete else 1

    def _use_graded_attempts(self, items: Iterable[Item], done: list[Result]) -> list[Item]:
        """Keep results of attempts that were graded to find the best; return the other items."""
        left = []
        for item in items:
            may_have_result = item.name in self.layout.attempts or bool(item.path.group)
            if may_have_result and (record := self._graded_before(item)):
                self._publisher.keep(record.result, item)
                done.append(dataclasses.replace(record.result, tasks=()))
            else:
                left.append(item)
        return left

    def dry_run(self) -> int:
        """Show how `grade` would change existing results, and return the exit status.

        The new results are kept until the next `grade`, which need not grade them again. Raise
        UsageError if there are no results yet.
        """
        if not self.store.results.folder.is_dir():
            raise UsageError(f"{self.store.root}: holds no results that could change; grade first")
        self.store.refuse_links()
        with claim(self.store.lock, self.store.root):
            return self._with_chosen_attempts(Grader._show_changes)

    def _show_changes(self) -> int:
        """Grade the changed submissions again, print the changes, and return the exit status."""
        todo = self._plan()
        self.store.clean_temp_files()
        again = [item for item in todo.to_replace if item.state.to_grade]
        done: list[Result] = []
        try:
            left = self._use_graded_attempts(again, done)
            with self._executor_for(left) as executor:
                self._run(left, executor, done, self._publisher.keep)
        except KeyboardInterrupt:
            return self._stopped(len(done), len(again))
        current = [item for item in todo.items if item.state is WorkState.CURRENT]
        # Dates or manual points may change the final score of a current result.
        adjusted = [change for change in self._publisher.changes(current) if change.difference]
        self._print_changes([*self._publisher.changes(todo.to_replace), *adjusted])
        warn(*map(not_followed, self._linked))
        if new := todo.count(WorkState.NEW):
            click.echo(f"{_results(new)} would be added, for new or changed submissions")
        click.echo(f"{_results(len(current))} up to date already; nothing was changed")
        return 1 if self._linked else _status(done)

    def _plan(self, *, intact: bool = False) -> GradingPlan:
        """Return what is to grade, without students whose results are links to somewhere else."""
        linked = {link.name for link in self._linked}
        paths = [path for path in self.layout.paths if path.student not in linked]
        return plan(paths, self._keys, self.store, self.sandbox, intact=intact)

    def _executor_for(self, items: Sequence[Item]) -> AbstractContextManager[MadeExecutor | None]:
        """Return an executor for the items, or None if there are no items.

        Raise NoSandbox, or UsageError if a cluster cannot be reached or used.
        """
        if not items:
            return nullcontext()
        for stage in self.layout.stages:
            if not stage.hidden_tests:
                warn(f"{stage.name}: no hidden tests here, so only the visible ones count")
        return self.make_executor(len(items))

    def _run(
        self,
        items: Sequence[Item],
        executor_and_sandbox: MadeExecutor | None,
        done: list[Result],
        keep: Callable[[Result, Item], None],
        now_and_then: Callable[[], object] = lambda: None,
        tests: str = "all",
    ) -> None:
        """Grade the items; append each result to `done`, without its tasks, once it is on disk.

        A group's program runs once, and each member gets the result. Also note how long grading
        took, which is shown the next time. Call `now_and_then` every few minutes.
        """
        if executor_and_sandbox is None or not items:
            return
        from rich.console import Console

        from hearts_grader.grading.grade import max_seconds
        from hearts_grader.grading.pool import grade_all
        from hearts_grader.reports.terminal import follow

        executor, sandbox = executor_and_sandbox
        by_name = _by_program(items)
        first = [group_items[0] for group_items in by_name.values()]
        at_a_time = min(executor.places, len(first))
        pace = read_pace(self.store.pace)
        usual = pace.usual_seconds((item.path.stage.name for item in first), at_a_time)
        most = None
        if self.bound:
            most = max_seconds((item.path for item in first), at_a_time)
        console = Console(stderr=True)
        last_result = time.monotonic()
        last_call = last_result
        with closing(grade_all(_jobs(first, sandbox, tests), executor)) as coming:
            for result in follow(coming, len(first), console, at_a_time, usual, most):
                for item in by_name[result.student, result.stage]:
                    members_result = dataclasses.replace(result, student=item.path.student)
                    keep(members_result, item)
                    done.append(dataclasses.replace(members_result, tasks=()))
                now = time.monotonic()
                # All workers together needed this time for one result.
                pace = pace.with_result(result.stage, (now - last_result) * at_a_time)
                last_result = now
                if now - last_call >= SECONDS_BETWEEN_REPORTS:
                    last_call = now
                    now_and_then()
        write_pace(self.store.pace, pace)

    @cached_property
    def _keys(self) -> CacheKeys:
        """The cache keys of this run, which reads suites and tool only once."""
        return CacheKeys(self.course)

    @cached_property
    def _linked(self) -> tuple[Path, ...]:
        """The students' folders that are links, as they are when the run begins."""
        return self.store.linked()

    @cached_property
    def _adjustments(self) -> Adjustments:
        """The manual points and late penalties, by what is known when the run begins."""
        return self.gradebook.adjustments(self.hand_ins)

    @cached_property
    def _comments(self) -> "tuple[Comment, ...]":
        """The instructor's comments: the course's, those beside submissions and in the folder."""
        from hearts_grader.reports.comments import load_comments

        ours = self.store.root / COMMENTS_FILE
        return load_comments(self.course, self.layout.comments_file, ours)

    @cached_property
    def _rules(self) -> "tuple[Rule, ...]":
        """The instructor's rules about the form of programs."""
        from hearts_grader.reports.structure import load_rules

        return load_rules(self.course, self.store.root)

    @property
    def _advice(self) -> str:
        """A text that changes when comments or rules do."""
        return repr((*self._comments, *self._rules))

    @cached_property
    def _publisher(self) -> "Publisher":
        """What publishes results, with the adjustments that are known when the run begins."""
        return self._publisher_with(self._adjustments)

    def _publisher_with(self, adjustments: Adjustments) -> "Publisher":
        """Return what puts results in their places, with final scores by these adjustments."""
        from hearts_grader.grading.publish import Publisher
        from hearts_grader.reports.student_pages import FeedbackWriter

        writer = FeedbackWriter(
            self.course,
            adjustments,
            comments=self._comments,
            revealed=self.store.revealed,
            rules=self._rules,
        )
        return Publisher(self.store, writer.pages, adjustments)

    def _note_final_scores(self, items: Sequence[Item]) -> None:
        """Write down the adjustments before the results.

        Otherwise a run that is killed would leave results that are exported without late penalties.
        """
        new = [item.name for item in items if item.state is WorkState.NEW]
        shown = dict(read_adjustments(self.store.page_adjustments))
        shown.update((name, self._adjustments.get(name, NO_ADJUSTMENT)) for name in new)
        write_whole(self.store.page_adjustments, adjustments_text(shown))
        write_whole(self.store.adjustments, adjustments_text(self._adjustments))

    def _show_final_scores(self, items: Sequence[Item]) -> None:
        """Rewrite the pages whose manual points or late penalty changed, also during this run.

        Save the adjustments after the pages, so that an interrupted run writes the pages again.
        """
        shown = {**read_adjustments(self.store.page_adjustments), **self._publisher.shown}
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
        if others := self.gradebook.newer_than_pages(adjustments):
            points = f"manual points of {listed(others)} are newer than their pages"
            warn(f"{points}; run `hearts grade` without --stage")

    def _report_inputs(self) -> str:
        """Return a text that changes when anything in the report changes, except the results."""
        return f"{self.gradebook.fingerprint()} {sorted(self.hand_ins.items())}"

    def _print_changes(self, changes: Sequence["Change"]) -> None:
        """Print whose score changes, and in which tests."""
        if changes:
            from hearts_grader.reports.terminal import changes_table

            say(changes_table(changes))

    def _finish(self, done: Sequence[Result], todo: GradingPlan) -> bool:
        """Write grades and report about all results; print what this run did.

        Return False if a result could not be read. Such results are left out of grades and report.
        """
        from hearts_grader.reports.terminal import results_table

        results, damaged = self.store.load()
        # `load` also reports linked folders of results, so a line may come twice: a dict keeps it
        # once.
        problems = dict.fromkeys([*map(not_followed, self._linked), *damaged])
        warn(*problems)
        results = self.gradebook.settle(results, self.hand_ins, self._comments)
        self._show_final_scores(todo.items)
        report = self._write_report(results)
        self.store.finalize(self._report_inputs(), complete=not problems)
        if done:
            names = {(result.student, result.stage) for result in done}
            rows = [result for result in results if (result.student, result.stage) in names]
            say(results_table(rows))
        if current := todo.count(WorkState.CURRENT):
            click.echo(f"{_results(current)} up to date already")
        for stage, students in report.late.items():
            click.echo(f"{stage}: marked late by Canvas: {', '.join(students)}")
        for stage, count in self._without_time().items():
            submissions = count_of(count, "submission")
            click.echo(f"{stage}: no time is known for {submissions}: no late penalty")
        self._print_groups()
        _print_sandboxes(done)
        self._print_paths()
        return not problems

    def _print_groups(self) -> None:
        """Print a line for each group of which several members handed in a program.

        All members have the same adjustment, so the line is made from the first member's.
        """
        for name, applied in read_adjustments(self.store.adjustments).items():
            student, stage = name
            if name in self.hand_ins and applied.group[:1] == (student,) and applied.authors:
                counts = f"{applied.by}'s counts, {applied.attempt_that_counts}"
                click.echo(f"{stage}: {listed(applied.authors)} each handed in a program; {counts}")

    def _without_time(self) -> Counter[str]:
        """Count, for each stage with a due date, the submissions whose time is unknown.

        Canvas states no times, but marks what is late, so its submissions are not counted.
        """
        due = self.gradebook.policy.due
        entries = self.gradebook.entries() if due else {}
        counts: Counter[str] = Counter()
        for path in self.layout.paths:
            is_due = path.stage.name in due and not path.missing
            if is_due and path.note.platform != "Canvas":
                entry = entries.get(path.name, NO_ENTRY)
                if not self.hand_ins[path.name].stamp and not entry.stamp:
                    counts[path.stage.name] += 1
        return counts

    def _write_report(self, results: Sequence[Result]) -> "ClassReport":
        """Write grades, report and tables about these final results."""
        from hearts_grader.reports.class_report import About, write_report

        graded = {(result.student, result.stage) for result in results}
        waiting = sum(path.name not in graded for path in self.layout.paths)
        policy = self.gradebook.policy
        about = About(policy.course, waiting, policy.addresses, self.layout.late)
        return write_report(self.store, results, self.course, about)

    def _report_so_far(self) -> bool:
        """Write the report about the results so far; return whether that was possible.

        An error is ignored here. Either the run goes on, or it is about to end with another error.
        """
        with suppress(CourseError, OSError):
            if results := self.store.load()[0]:
                self._write_report(apply_all(results, self._adjustments))
                return True
        return False

    def _print_paths(self) -> None:
        """Say where the instructor finds what was written."""
        click.echo(f"report    {self.store.report}")
        click.echo(f"grades    {self.store.grades}")
        click.echo(f"feedback  {self.store.feedback}")

    def _stopped(self, done: int, total: int) -> int:
        """Say how far the run came; return the exit status of an interruption."""
        warn(f"stopped; {done} of {total} graded, in {self.store.root}; run the same command again")
        return INTERRUPTED


def _by_program(items: Iterable[Item]) -> dict[Name, list[Item]]:
    """Return the items that share a program, by the name of the first of them.

    The members of a group share the program of the member who handed it in.
    """
    shared: dict[Name, list[Item]] = {}
    for item in items:
        author = item.path.by or item.path.student
        shared.setdefault((author, item.path.stage.name), []).append(item)
    return {group_items[0].name: group_items for group_items in shared.values()}


def _print_sandboxes(done: Iterable[Result]) -> None:
    """Print in which sandboxes programs ran, and how these sandboxes contain them."""
    from hearts_grader.sandbox.backends import strength

    for name in sorted({result.sandbox for result in done if result.status is Status.GRADED}):
        click.echo(f"sandbox   {name}: {strength(name)}")


def _jobs(items: Sequence[Item], sandbox: str, tests: str) -> Iterator["GradeJob"]:
    """Yield each item's job; load the modules for reports once the first job is submitted.

    So the programs run while this process loads, and the load costs no time.
    """
    from hearts_grader.grading.grade import GradeJob

    jobs = (GradeJob(item.path.stage, item.path, sandbox, tests) for item in items)
    yield next(jobs)
    Thread(target=_prepare_reports, daemon=True).start()
    yield from jobs


def _prepare_reports() -> None:
    """Load the modules and templates of the reports before they are needed."""
    from hearts_course.reports.html import compile_templates

    from hearts_grader.reports import TEMPLATES, class_report  # noqa: F401 (loaded early)

    compile_templates(TEMPLATES)


def _results(number: int) -> str:
    return count_of(number, "result")


def _status(done: Sequence[Result]) -> int:
    """Return the exit status: 1 if the grader failed on a submission."""
    return int(any(result.status is Status.GRADER_ERROR for result in done))
