"""Commands for instructors: grade and history.

Grading and rendering are imported only if there is something to grade.
"""

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hearts_course.cli.common import (
    INTERRUPTED,
    PATH,
    SANDBOXES,
    jobs_option,
    say,
    stage_option,
    warn,
)
from hearts_course.cli.executor import MadeExecutor, make_executor
from hearts_course.course import Course, pick
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import write_whole
from hearts_course.grading.attempts import Attempt, attempts_of, choose, graded_before, score_of
from hearts_course.grading.cache import CacheKeys
from hearts_course.grading.final_scores import (
    NO_ADJUSTMENT,
    Counts,
    HandedIn,
    Name,
    adjustments_text,
    apply_all,
    read_adjustments,
)
from hearts_course.grading.plan import GradingPlan, Item, WorkState, plan, read_pace, write_pace
from hearts_course.grading.store import Record, Store, claim, not_followed
from hearts_course.nbgrader.sync import GradebookSync
from hearts_course.results import Result, Status
from hearts_course.submissions.find import Layout, find_submissions
from hearts_course.text import count_of

if TYPE_CHECKING:
    from hearts_course.grading.history import Change
    from hearts_course.grading.publish import Publisher
    from hearts_course.reports.class_report import ClassReport

SECONDS_BETWEEN_REPORTS = 300  # so that even a killed run leaves a report

out_option = click.option(
    "--out",
    metavar="DIR",
    required=True,
    type=PATH,
    help="Folder of results, grades, feedback, report and history.",
)


@click.command()
@click.argument("submissions", type=PATH)
@out_option
@stage_option
@jobs_option
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Grade on the workers of a Dask scheduler: tcp://HOST:PORT or tls://HOST:PORT.",
)
@click.option(
    "--sandbox",
    type=click.Choice(SANDBOXES),
    default="auto",
    help="The sandbox that programs run in; default: the first that works.",
)
@click.option(
    "--gradebook",
    metavar="URL",
    default="",
    help="The nbgrader gradebook for scores and manual points; default: DIR/gradebook.db.",
)
@click.option(
    "--late",
    metavar="FILE",
    type=PATH,
    help="Due dates, extensions and late penalty; default: the last one, else"
    " SUBMISSIONS/late.toml, else autograder/late.toml.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="After a change of tests or limits: show whose score would change, and change nothing.",
)
@click.option(
    "--bound",
    is_flag=True,
    help="Also print how long grading takes at most, if every program uses up all its time.",
)
@click.pass_obj
def grade(
    course: Course,
    submissions: Path,
    out: Path,
    stages: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    sandbox: str,
    gradebook: str,
    late: Path | None,
    dry_run: bool,
    bound: bool,
) -> int:
    """Grade SUBMISSIONS, which holds STUDENT/STAGE/ or STUDENT/STAGE.zip.

    nbgrader's submitted/ folder works as well. A submission is graded again only if something has
    changed. Exit status: 0 if every submission has a result, whatever the scores; 1 if some could
    not be graded; 2 if there is nothing to grade.
    """
    if cluster and jobs:
        raise UsageError("--jobs is for this machine, --cluster for others; leave out one")
    layout = find_submissions(submissions, course, stages)
    refuse_inside(submissions, out)
    warn(*layout.warnings)
    executor = partial(make_executor, course, sandbox, cluster, jobs)
    store, students = Store(out), frozenset(path.student for path in layout.paths)
    dates = GradebookSync(store, course, gradebook, late, layout.late_file, students)
    if unknown := sorted(dates.policy.students - students):
        warn(f"the late policy names students who are not here: {', '.join(unknown)}")
    grader = Grader(course, layout, store, sandbox, executor, dates, bound)
    return grader.dry_run() if dry_run else grader.grade()


@click.command()
@click.argument("student")
@click.argument("stage")
@out_option
@click.pass_obj
def history(course: Course, student: str, stage: str, out: Path) -> None:
    """Show every result that STUDENT ever had for STAGE, and why it changed."""
    from hearts_course.grading.history import read_history
    from hearts_course.reports.terminal import history_table

    store = Store(out)
    chosen = course.stage(stage).name
    students = {folder.name: folder.name for folder in sorted(store.history.glob("*"))}
    path = store.history_path(pick(student, students, "student"), chosen)
    entries = read_history(path)
    if not entries:
        raise UsageError(f"{path}: {student} has had no result for {chosen}")
    say(history_table(entries))


def refuse_inside(submissions: Path, out: Path) -> None:
    """Raise UsageError if the output would be among the submissions."""
    if submissions.resolve() in (out.resolve(), *out.resolve().parents):
        raise UsageError(
            f"{out}: is inside {submissions} and would be graded as a student; choose another --out"
        )


@dataclass(frozen=True)
class Grader:
    """Grades one class into one output folder.

    `sandbox` is the one asked for. With `bound`, print how long grading takes at most. `came` says
    when submissions were handed in, once it is decided which attempts count.
    """

    course: Course
    layout: Layout
    store: Store
    sandbox: str
    make_executor: Callable[[], AbstractContextManager[MadeExecutor]]
    gradebook: GradebookSync
    bound: bool = False
    came: Mapping[Name, HandedIn] = field(default_factory=dict)

    def grade(self) -> int:
        """Bring every result up to date and return the exit status."""
        self.store.refuse_links()
        with claim(self.store.lock, self.store.root):
            return self._with_chosen_attempts(Grader._bring_up_to_date)

    def _bring_up_to_date(self) -> int:
        final = not self._linked and self.store.is_final(self._report_inputs())
        todo = self._plan(intact=final)
        current = [item for item in todo.items if item.state is WorkState.CURRENT]
        pageless = [item for item in current if not self.store.has_pages(*item.name)]
        if len(current) == len(todo.items) and not pageless and final:
            click.echo(f"nothing to grade: {_results(len(current))} up to date already")
            self._print_paths()
            return 0
        self.gradebook.check()
        with self._executor_for(todo.to_grade) as made:
            self.store.begin()
            return self._grade(todo, pageless, made)

    def _with_chosen_attempts(self, act: Callable[["Grader"], int]) -> int:
        """Decide which attempts count, and act; where scores decide, grade all attempts before."""
        entries = self.gradebook.entries() if self.layout.attempts else {}
        policy = self.gradebook.policy
        found = attempts_of(self.layout, policy, entries)
        done: list[Result] = []
        try:
            scores = self._scores(found, done) if policy.counts is Counts.BEST else {}
        except KeyboardInterrupt:
            return self._stopped(len(done), sum(map(len, found.values())))
        layout, came = choose(self.layout, found, policy.counts, scores)
        return act(dataclasses.replace(self, layout=layout, came=came))

    def _scores(
        self, found: Mapping[Name, Sequence[Attempt]], done: list[Result]
    ) -> dict[Name, list[float | None]]:
        """Return the scores of all attempts; grade those that have none yet."""
        keys = CacheKeys(self.course)
        items = {
            name: [Item(one.path, keys.of(one.path), WorkState.NEW) for one in attempts]
            for name, attempts in found.items()
        }
        for together in zip_longest(*items.values()):  # each student has one attempt in it
            todo = [item for item in together if item and self._graded_before(item) is None]
            with self._executor_for(todo) as made:
                self._run(todo, made, done, self._keep_attempt)
        return {
            name: [
                score_of(one.result if one else None) for one in map(self._graded_before, several)
            ]
            for name, several in items.items()
        }

    def _keep_attempt(self, result: Result, item: Item) -> None:
        self.store.attempts(item.key).save(Record(result, item.key))

    def _graded_before(self, item: Item) -> Record | None:
        return graded_before(self.store, item.path, item.key, self.sandbox)

    def _grade(self, todo: GradingPlan, pageless: Sequence[Item], made: MadeExecutor | None) -> int:
        done: list[Result] = []
        try:
            left = self._use_graded_attempts(todo.to_grade, done)
            self._run(left, made, done, self._publisher.keep, self._report_so_far)
            self._print_changes(self._publisher.changes(todo.to_replace))
            kept = self._publisher.replace(todo.to_replace)
            self._publisher.write_pages(pageless)
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
        """Keep the results of attempts that were graded to choose one; return the other items."""
        left = []
        for item in items:
            several = item.name in self.layout.attempts
            if several and (record := self._graded_before(item)):
                self._publisher.keep(record.result, item)
                done.append(dataclasses.replace(record.result, tasks=()))
            else:
                left.append(item)
        return left

    def dry_run(self) -> int:
        """Show how `grade` would change existing results, and return the exit status.

        The new results are kept until the next `grade`, which need not grade them again.
        """
        if not self.store.results.folder.is_dir():
            raise UsageError(f"{self.store.root}: holds no results that could change; grade first")
        self.store.refuse_links()
        with claim(self.store.lock, self.store.root):
            return self._with_chosen_attempts(Grader._show_changes)

    def _show_changes(self) -> int:
        todo = self._plan()
        self.store.clean_temp_files()
        again = [item for item in todo.to_replace if item.state.to_grade]
        done: list[Result] = []
        try:
            left = self._use_graded_attempts(again, done)
            with self._executor_for(left) as made:
                self._run(left, made, done, self._publisher.keep)
        except KeyboardInterrupt:
            return self._stopped(len(done), len(again))
        self._print_changes(self._publisher.changes(todo.to_replace))
        warn(*map(not_followed, self._linked))
        if new := todo.count(WorkState.NEW):
            click.echo(f"{_results(new)} would be added, for new or changed submissions")
        current = _results(todo.count(WorkState.CURRENT))
        click.echo(f"{current} up to date already; nothing was changed")
        return 1 if self._linked else _status(done)

    def _plan(self, *, intact: bool = False) -> GradingPlan:
        linked = {link.name for link in self._linked}
        paths = [path for path in self.layout.paths if path.student not in linked]
        return plan(paths, CacheKeys(self.course), self.store, self.sandbox, intact=intact)

    def _executor_for(self, items: Sequence[Item]) -> AbstractContextManager[MadeExecutor | None]:
        """Return an executor for the items, or None if there are no items.

        Raise NoSandbox, or UsageError if a cluster cannot be reached or used.
        """
        if not items:
            return nullcontext()
        for stage in self.layout.stages:
            if not stage.hidden_tests:
                warn(f"{stage.name}: no hidden tests here, so only the visible ones count")
        return self.make_executor()

    def _run(
        self,
        items: Sequence[Item],
        made: MadeExecutor | None,
        done: list[Result],
        keep: Callable[[Result, Item], None],
        now_and_then: Callable[[], object] = lambda: None,
    ) -> None:
        """Grade the items; append each result to `done`, without its tasks, once it is on disk.

        Also note how long they took, which is shown the next time. Every few minutes act
        `now_and_then`.
        """
        if made is None or not items:
            return
        from rich.console import Console

        from hearts_course.grading.grade import GradeJob, max_seconds
        from hearts_course.grading.pool import grade_all
        from hearts_course.reports.terminal import follow

        executor, sandbox = made
        by_name = {item.name: item for item in items}
        jobs = (GradeJob(item.path.stage, item.path, sandbox) for item in items)
        at_a_time = min(executor.places, len(items))
        pace = read_pace(self.store.pace)
        usual = pace.usual_seconds((item.path.stage.name for item in items), at_a_time)
        most = max_seconds((item.path for item in items), at_a_time) if self.bound else None
        console, last = Console(stderr=True), time.monotonic()
        acted = last
        with closing(grade_all(jobs, executor)) as coming:
            for result in follow(coming, len(items), console, at_a_time, usual, most):
                keep(result, by_name[result.student, result.stage])
                done.append(dataclasses.replace(result, tasks=()))
                begun, last = last, time.monotonic()
                pace = pace.with_result(result.stage, (last - begun) * at_a_time)
                if last - acted >= SECONDS_BETWEEN_REPORTS:
                    acted = last
                    now_and_then()
        write_pace(self.store.pace, pace)

    @cached_property
    def _linked(self) -> tuple[Path, ...]:
        return self.store.linked()

    @cached_property
    def _publisher(self) -> "Publisher":
        """Puts results in their places, with final scores by what is known now."""
        from hearts_course.grading.publish import Publisher
        from hearts_course.reports.feedback import FeedbackWriter

        final = self.gradebook.adjustments(self.came)
        return Publisher(self.store, FeedbackWriter(self.course, final).pages, final)

    def _show_final_scores(self, items: Sequence[Item]) -> None:
        """Rewrite the pages of current results whose manual points or late penalty changed.

        Save the adjustments after the pages, so that an interrupted run writes the pages again.
        """
        shown = read_adjustments(self.store.page_adjustments)
        known = read_adjustments(self.store.adjustments)
        now = {item.name: known.get(item.name, NO_ADJUSTMENT) for item in items}
        changed = [one for one in items if now[one.name] != shown.get(one.name, NO_ADJUSTMENT)]
        if changed:
            current = [item for item in changed if item.state is WorkState.CURRENT]
            self._publisher.write_pages(current)
            if current:
                pages = count_of(len(current), "page")
                click.echo(f"{pages} made again: dates or manual points changed")
            write_whole(self.store.page_adjustments, adjustments_text({**shown, **now}))

    def _report_inputs(self) -> str:
        """Return a text that changes when anything in the report changes, except the results."""
        return f"{self.gradebook.fingerprint()} {sorted(self.came.items())}"

    def _print_changes(self, changes: Sequence["Change"]) -> None:
        if changes:
            from hearts_course.reports.terminal import changes_table

            say(changes_table(changes))

    def _finish(self, done: Sequence[Result], todo: GradingPlan) -> bool:
        """Write grades and report about all results; print what this run did.

        Return False if a result could not be read. Such results are left out of grades and report.
        """
        from hearts_course.reports.terminal import results_table

        results, damaged = self.store.load()
        problems = dict.fromkeys([*map(not_followed, self._linked), *damaged])
        warn(*problems)
        results = self.gradebook.settle(results, self.came)
        self._show_final_scores(todo.items)
        report = self._write_report(results)
        self.store.finalize(self._report_inputs(), complete=not problems)
        if done:
            names = {(result.student, result.stage) for result in done}
            say(results_table([one for one in results if (one.student, one.stage) in names]))
        if current := todo.count(WorkState.CURRENT):
            click.echo(f"{_results(current)} up to date already")
        for stage, students in report.late.items():
            click.echo(f"{stage}: marked late by Canvas: {', '.join(students)}")
        self._print_paths()
        return not problems

    def _write_report(self, results: Sequence[Result]) -> "ClassReport":
        """Write grades, report and tables about these final results."""
        from hearts_course.reports.class_report import About, write_report

        there = {(result.student, result.stage) for result in results}
        waiting = sum(path.name not in there for path in self.layout.paths)
        policy = self.gradebook.policy
        about = About(policy.course, waiting, policy.addresses, self.layout.late)
        return write_report(self.store, results, self.course, about)

    def _report_so_far(self) -> bool:
        """Write the report about the results that there are; return whether that was possible."""
        with suppress(CourseError, OSError):
            if results := self.store.load()[0]:
                self._write_report(apply_all(results, self._publisher.adjustments))
                return True
        return False

    def _print_paths(self) -> None:
        click.echo(f"report    {self.store.report}")
        click.echo(f"grades    {self.store.grades}")
        click.echo(f"feedback  {self.store.feedback}")

    def _stopped(self, done: int, total: int) -> int:
        warn(f"stopped; {done} of {total} graded, in {self.store.root}; run the same command again")
        return INTERRUPTED


def _results(number: int) -> str:
    return count_of(number, "result")


def _status(done: Sequence[Result]) -> int:
    return int(any(result.status is Status.GRADER_ERROR for result in done))
