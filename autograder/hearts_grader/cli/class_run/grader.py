"""Choose which attempts of a class count, and grade these attempts."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.results import Result
from hearts_course.submissions.find import Layout

from hearts_grader.cli.class_run.attempt_results import AttemptResults
from hearts_grader.cli.class_run.hidden_questions import HiddenQuestions
from hearts_grader.cli.class_run.programs import start_workers, stopped
from hearts_grader.cli.class_run.run import ClassRun
from hearts_grader.cli.executor import MadeExecutor
from hearts_grader.grading.attempts import Scores, attempts_of, choose
from hearts_grader.grading.cache import CacheKeys
from hearts_grader.grading.late_policy import Counts, Name
from hearts_grader.grading.store import Store, claim
from hearts_grader.nbgrader.sync import GradebookSync


@dataclass(frozen=True)
class Grader:
    """Grades one class, and writes all results into one output folder.

    `sandbox` is the sandbox that was asked for. If `bound`, print how long grading takes at most.
    `reveal` names stages. From this run on, the pages of these stages show the questions of hidden
    tests that the student's program failed.
    """

    course: Course
    layout: Layout
    store: Store
    sandbox: str
    make_executor: Callable[[int], AbstractContextManager[MadeExecutor]]
    sync: GradebookSync
    bound: bool = False
    reveal: tuple[str, ...] = ()

    def grade(self) -> int:
        """Bring every result up to date and return the exit status.

        Raise UsageError if somebody may still hand in a stage that is to be revealed, and
        CourseError if something else prevents the run.
        """
        self.store.refuse_links()
        with claim(self.store.lock, self.store.root):
            hidden = HiddenQuestions(self.reveal, self.store)
            hidden.refuse_if_early(self.layout.paths, self.sync)
            return self._with_chosen_attempts(lambda run: run.grade(hidden))

    def dry_run(self) -> int:
        """Show how `grade` would change existing results, and return the exit status.

        The new results are kept until the next `grade`, which need not grade them again. Raise
        UsageError if there are no results yet.
        """
        if not self.store.results.folder.is_dir():
            raise UsageError(f"{self.store.root}: holds no results that could change; grade first")
        self.store.refuse_links()
        with claim(self.store.lock, self.store.root):
            return self._with_chosen_attempts(ClassRun.show_changes)

    def _with_chosen_attempts(self, act: Callable[[ClassRun], int]) -> int:
        """Choose the attempts that count, call `act` for a run with them, and return act's status.

        If the best attempt counts, grade all attempts first.
        """
        entries = self.sync.entries() if self.layout.attempts else {}
        policy = self.sync.dates.policy
        attempts = attempts_of(self.layout, policy, entries)
        start = partial(
            start_workers, self.store, self.layout.stages, self.make_executor, self.bound
        )
        # All parts of the run share these keys, because making them reads all suites and our code.
        keys = CacheKeys(self.course)
        results = AttemptResults(self.layout, self.store, keys, self.sandbox, start)
        scores: Mapping[Name, Scores] = {}
        done: list[Result] = []
        try:
            if policy.counts is Counts.BEST:
                scores = results.scores(attempts, done)
        except KeyboardInterrupt:
            return stopped(self.store.root, len(done), sum(map(len, attempts.values())))
        layout, hand_ins = choose(self.layout, attempts, policy.counts, scores)
        store = self.store
        return act(ClassRun(self.course, layout, hand_ins, store, self.sync, results, start))
