"""A stage's suite, collected once and run for one program after another."""

from collections.abc import Collection, Generator, Iterable
from functools import cache
from pathlib import Path

from hearts_course.course import Stage
from hearts_course.testing.experience import Experience
from hearts_course.testing.job import Job, RunResult, result_of
from hearts_course.testing.reference import Reference
from hearts_course.testing.run import Run
from hearts_course.testing.suite import Suite
from hearts_course.testing.verdicts import Verdicts


class SuiteRunner:
    """Runs a stage's suite for one job after another, and collects it once."""

    def __init__(
        self, stage: Stage, files: Iterable[Path] | None = None, tasks: Collection[str] = ()
    ) -> None:
        """`files` are the test files, by default all visible and hidden test files of the stage.

        With the ids of `tasks`, collect only their tests, which is quicker.
        """
        files = [*stage.visible_tests, *stage.hidden_tests] if files is None else [*files]
        if tasks:
            files = _files_about(tasks, files) or files
        self._verdicts = Verdicts(stage)
        self._suite = Suite(stage, files, tasks)
        self._experience: Experience  # what earlier runs have shown about the collected tests

    def run(self, job: Job) -> RunResult:
        """Return the job's results. Raise SuiteError if the suite is at fault."""
        return result_of(self.in_two_parts(job))

    def in_two_parts(self, job: Job) -> Generator[RunResult, None, RunResult]:
        """Run the visible tests, yield their results, run the hidden ones, and return all results.

        In between, the visible tests of another program may run. Raise SuiteError if the suite is
        at fault. After any error, the next run collects the tests again, because something left in
        the suite could cost another program points.
        """
        self.collect()
        try:
            return (
                yield from Run(job, self._suite, self._experience, self._verdicts).in_two_parts()
            )
        except Exception:
            self.close()
            raise

    def collect(self) -> None:
        """Collect the tests, if that is not done yet; raise SuiteError if the suite is at fault."""
        if self._suite.is_collected:
            return
        self._experience = Experience(Reference(self._suite))
        try:
            self._suite.collect()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let pytest end the session that collected the tests."""
        self._suite.close()


def _files_about(tasks: Collection[str], files: Iterable[Path]) -> list[Path]:
    """Return the test files that contain the id of one of these tasks in quotes, as in a mark."""
    about: list[Path] = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        if any(f'"{task}"' in text for task in tasks):
            about.append(file)
    return about


@cache
def runner_of(stage: Stage) -> SuiteRunner:
    """Return the stage's runner; its tests stay collected while this process runs."""
    return SuiteRunner(stage)
