"""Keep the results of all attempts, also of those that do not count in the end."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hearts_course.results import Result
from hearts_course.submissions.find import Layout, SubmissionPath

from hearts_grader.cli.class_run.programs import StartWorkers
from hearts_grader.grading.attempts import DatedAttempt, Scores, graded_before, scores_of
from hearts_grader.grading.cache import CacheKeys
from hearts_grader.grading.late_policy import Name
from hearts_grader.grading.plan import Item, WorkState
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store


@dataclass(frozen=True)
class AttemptResults:
    """The results of a class's attempts, stored by cache key so that later runs find them."""

    layout: Layout
    store: Store
    keys: CacheKeys
    sandbox: str
    start_workers: StartWorkers

    def scores(
        self, attempts: Mapping[Name, Sequence[DatedAttempt]], done: list[Result]
    ) -> dict[Name, Scores]:
        """Return the raw scores of all attempts; grade those that have no result yet.

        Append each new result to `done`. Raise NoSandbox if the sandbox does not work, and
        UsageError if a cluster cannot be reached or used.
        """
        return scores_of(attempts, partial(self._grade, done))

    def reuse(
        self, items: Iterable[Item], done: list[Result], keep: Callable[[Result, Item], None]
    ) -> list[Item]:
        """Call `keep` for each item whose result is already known; return the other items.

        Append each known result to `done`, without its tasks.
        """
        left = []
        for item in items:
            may_have_result = item.name in self.layout.attempts or bool(item.path.group)
            if may_have_result and (record := self._graded_before(item)):
                keep(record.result, item)
                done.append(dataclasses.replace(record.result, tasks=()))
            else:
                left.append(item)
        return left

    def _grade(self, done: list[Result], paths: Sequence[SubmissionPath]) -> dict[Name, Result]:
        """Return the results of the attempts; grade those that have none yet."""
        items = [Item(path, self.keys.of(path), WorkState.NEW) for path in paths]
        todo = [item for item in items if self._graded_before(item) is None]
        with self.start_workers(todo) as workers:
            workers.run(todo, done, self._keep)
        results = {}
        for item in items:
            if record := self._graded_before(item):
                results[item.name] = record.result
        return results

    def _keep(self, result: Result, item: Item) -> None:
        """Store an attempt's result under its key, so that any later run finds it."""
        self.store.attempts(item.key).save(Record(result, item.key))

    def _graded_before(self, item: Item) -> Record | None:
        """Return the attempt's record if it was graded before, even for another group member."""
        return graded_before(self.store, item.path, item.key, self.sandbox)
