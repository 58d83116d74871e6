"""Show students, after the deadline, the hidden questions that their programs failed."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import click
from hearts_course.errors import UsageError
from hearts_course.results import Result, Status
from hearts_course.submissions.find import SubmissionPath
from hearts_course.text import count_of

from hearts_grader.cli.class_run.programs import StartWorkers, exit_status, stopped
from hearts_grader.cli.class_run.publication import Publication
from hearts_grader.grading.final_scores import entry_of
from hearts_grader.grading.plan import Item
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from hearts_grader.nbgrader.sync import GradebookSync


@dataclass(frozen=True)
class HiddenQuestions:
    """The stages whose failed hidden questions the pages show from now on."""

    stages: tuple[str, ...]
    store: Store

    def refuse_if_early(self, paths: Iterable[SubmissionPath], sync: GradebookSync) -> None:
        """Raise UsageError if somebody may still hand in one of the stages."""
        # The gradebook may have extensions. Read it only if there is a stage to reveal.
        entries = sync.entries() if self.stages else {}
        # Due dates are in UTC and without a zone, as nbgrader stores them.
        current_time = datetime.now(UTC).replace(tzinfo=None)
        for path in paths:
            if path.stage.name in self.stages:
                extension = entry_of(path.name, path.group, entries).extension
                dates = sync.dates.policy.dates_of(path.student)
                until = dates.until(path.stage.name, extension)
                if until is not None and until > current_time:
                    when = f"{until:%Y-%m-%d %H:%M} UTC"
                    raise UsageError(
                        f"--reveal {path.stage.name}: {path.student} may hand in until {when}"
                    )

    def show(
        self, items: Iterable[Item], start_workers: StartWorkers, publication: Publication
    ) -> int:
        """Run failed hidden tests again, show them on the pages, and return the exit status.

        Raise NoSandbox if the sandbox does not work, and UsageError if a cluster cannot be reached
        or used.
        """
        from hearts_grader.grading.grade import OVER

        failed = []
        todo = []
        for item in items:
            record = self.store.results.read(*item.name)
            if item.path.stage.name in self.stages and record and record.result.fails_hidden:
                failed.append(item)
                revealed = self.store.revealed.read(*item.name)
                # Reuse a stored result with hidden questions only if program and suite are the
                # same.
                if revealed is None or revealed.key != item.key:
                    todo.append(item)
        done: list[Result] = []
        try:
            with start_workers(todo) as workers:
                workers.run(todo, done, self._keep, tests=OVER)
        except KeyboardInterrupt:
            return stopped(self.store.root, len(done), len(todo))
        publication.publisher.write_pages(failed)
        click.echo(f"{count_of(len(failed), 'page')} with hidden questions that failed")
        return exit_status(done)

    def _keep(self, result: Result, item: Item) -> None:
        """Keep a result with its hidden questions, apart from the results that count."""
        if result.status is not Status.GRADER_ERROR:
            self.store.revealed.save(Record(result, item.key))
