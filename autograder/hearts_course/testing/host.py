"""One stage's suite, imported and collected once, then run for one submission after another.

A `SuiteHost` lives in a thread of a grading worker; `run_once` runs a suite where it is called.
"""

import queue
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from hearts_course.course import Stage
from hearts_course.testing.job import Job, RunResult
from hearts_course.testing.runner import Suite


class SuiteHost:
    """A suite that stays collected in a thread and answers one job at a time."""

    def __init__(self, stage: Stage) -> None:
        """Collects with the first job: pytest has state that two collections would share."""
        self._stage = stage
        self._files = [*stage.visible_tests, *stage.hidden_tests]
        self._thread: threading.Thread | None = None

    def _start(self) -> threading.Thread:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._suite = Suite(self._stage, iter(self._jobs.get, None))
        thread = threading.Thread(target=self._serve, args=(self._suite,), daemon=True)
        thread.start()
        return thread

    def _serve(self, suite: Suite) -> None:
        try:
            suite.collect_and_run(self._files)
        except BaseException as error:
            suite.done.put(error)

    def run(self, job: Job) -> RunResult:
        """The job's results; raises SuiteError if the suite is at fault.

        After a fault pytest starts afresh: no program must pay for what another one left of it.
        """
        thread = self._thread = self._thread or self._start()
        self._jobs.put(job)
        done = self._suite.done.get()
        if isinstance(done, BaseException):
            self._jobs.put(None)
            thread.join()
            self._thread = None
            raise done
        return done


@cache
def host_of(stage: Stage) -> SuiteHost:
    """The stage's suite, collected once in this process."""
    return SuiteHost(stage)


def run_once(stage: Stage, job: Job, files: Iterable[Path]) -> RunResult:
    """The job's results, run in the calling thread; raises SuiteError if the suite is at fault."""
    suite = Suite(stage, [job])
    suite.collect_and_run(files)
    done = suite.done.get_nowait()
    if isinstance(done, BaseException):
        raise done
    return done
