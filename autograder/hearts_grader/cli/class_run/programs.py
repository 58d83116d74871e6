"""Run the programs of a class on workers, and keep each result as soon as it is known."""

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from hearts_course.cli.common import INTERRUPTED, warn
from hearts_course.course import Stage
from hearts_course.results import Result, Status

from hearts_grader.cli.executor import MadeExecutor
from hearts_grader.grading.late_policy import Name
from hearts_grader.grading.plan import Item, read_pace, write_pace
from hearts_grader.grading.store import Store

if TYPE_CHECKING:
    from hearts_grader.grading.grade import GradeJob

SECONDS_BETWEEN_REPORTS = 300  # so that even a killed run leaves a report of its results


@dataclass(frozen=True)
class Workers:
    """Workers that run programs in a sandbox.

    `executor_and_sandbox` is None if no program has to run. With `bound`, print how long grading
    takes at most.
    """

    store: Store
    executor_and_sandbox: MadeExecutor | None
    bound: bool

    def run(
        self,
        items: Sequence[Item],
        done: list[Result],
        keep: Callable[[Result, Item], None],
        report_so_far: Callable[[], object] = lambda: None,
        tests: str = "all",
    ) -> None:
        """Grade the items; append each result to `done` once it is on disk.

        The results in `done` have no tasks. A group's program runs once, and each member gets the
        result. Also record how long grading took, so that the next run can estimate its time. Call
        `report_so_far` every few minutes.
        """
        if self.executor_and_sandbox is None or not items:
            return
        from rich.console import Console

        from hearts_grader.grading.grade import max_seconds
        from hearts_grader.grading.pool import grade_all
        from hearts_grader.reports.terminal import follow

        executor, sandbox = self.executor_and_sandbox
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
        last_report = last_result
        with closing(grade_all(_jobs(first, sandbox, tests), executor)) as coming:
            for result in follow(coming, len(first), console, at_a_time, usual, most):
                for item in by_name[result.student, result.stage]:
                    members_result = dataclasses.replace(result, student=item.path.student)
                    keep(members_result, item)
                    done.append(dataclasses.replace(members_result, tasks=()))
                now = time.monotonic()
                # The time of all workers together since the last result counts for this result.
                pace = pace.with_result(result.stage, (now - last_result) * at_a_time)
                last_result = now
                if now - last_report >= SECONDS_BETWEEN_REPORTS:
                    last_report = now
                    report_so_far()
        write_pace(self.store.pace, pace)


StartWorkers = Callable[[Sequence[Item]], AbstractContextManager[Workers]]


@contextmanager
def start_workers(
    store: Store,
    stages: Iterable[Stage],
    make_executor: Callable[[int], AbstractContextManager[MadeExecutor]],
    bound: bool,
    items: Sequence[Item],
) -> Iterator[Workers]:
    """Yield workers for the items, or no workers if there are no items.

    Warn about each of the class's stages without hidden tests. Raise NoSandbox if the sandbox does
    not work, and UsageError if a cluster cannot be reached or used.
    """
    if not items:
        yield Workers(store, None, bound)
        return
    for stage in stages:
        if not stage.hidden_tests:
            warn(f"{stage.name}: no hidden tests here, so only the visible ones count")
    with make_executor(len(items)) as executor_and_sandbox:
        yield Workers(store, executor_and_sandbox, bound)


def stopped(root: Path, done: int, total: int) -> int:
    """Say how many submissions are graded so far; return the exit status of an interruption."""
    warn(f"stopped; {done} of {total} graded, in {root}; run the same command again")
    return INTERRUPTED


def exit_status(done: Iterable[Result]) -> int:
    """Return the exit status: 1 if the grader failed on a submission, otherwise 0."""
    return int(any(result.status is Status.GRADER_ERROR for result in done))


def _by_program(items: Iterable[Item]) -> dict[Name, list[Item]]:
    """Map the name of each program's first item to all items with the same program.

    The members of a group share the program of the member who handed it in.
    """
    shared: dict[Name, list[Item]] = {}
    for item in items:
        author = item.path.by or item.path.student
        shared.setdefault((author, item.path.stage.name), []).append(item)
    return {group_items[0].name: group_items for group_items in shared.values()}


def _jobs(items: Sequence[Item], sandbox: str, tests: str) -> Iterator["GradeJob"]:
    """Yield each item's job; after the first job, load the modules for pages in a thread.

    Workers run the first programs during the loading, so the run takes no longer.
    """
    from hearts_grader.grading.grade import GradeJob

    jobs = (GradeJob(item.path.stage, item.path, sandbox, tests) for item in items)
    yield next(jobs)
    Thread(target=_prepare_reports, daemon=True).start()
    yield from jobs


def _prepare_reports() -> None:
    """Load the modules and templates of pages and report before they are needed."""
    from hearts_course.reports.html import compile_templates

    from hearts_grader.reports import TEMPLATES, class_report, student_pages  # noqa: F401

    compile_templates()
    compile_templates(TEMPLATES)
