"""Start the next submission's sandbox while the current submission is graded.

The start takes a tenth of the time that a submission takes, and does not need the submission's
code. The grading worker stays on one processor. The next sandbox may start on any processor, and
moves to the worker's processor when its turn comes.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from hearts_course.course import Limits
from hearts_course.errors import NotStarted
from hearts_course.sandbox.pipes import Process, open_pipes
from hearts_course.sandbox.processors import processors
from hearts_course.sandbox.submission_process import start_process
from hearts_course.sandbox.worker.rlimits import stay_on


class Ahead:
    """At most one sandbox that waits for its submission."""

    def __init__(self, processors: Collection[int]) -> None:
        """`processors` are the numbers of the processors on which a sandbox may start."""
        self._processors = processors
        self._waiting: tuple[str, Limits, Process] | None = None

    def start(self, sandbox: str, limits: Limits) -> None:
        """Start a sandbox with these limits, unless a sandbox waits already.

        If the start fails, no sandbox waits.
        """
        if self._waiting is None:
            with suppress(NotStarted), self._anywhere():
                self._waiting = sandbox, limits, start_process(sandbox, limits)

    def take(self, sandbox: str, limits: Limits) -> Process | None:
        """Return the waiting sandbox if it is of this kind; otherwise end it and return None."""
        waiting = self._waiting
        self._waiting = None
        if waiting is None:
            return None
        *kind, process = waiting
        if kind == [sandbox, limits]:
            return process
        # A sandbox with other limits or of another kind cannot be used, so end it.
        open_pipes(process).close()
        return None

    @contextmanager
    def _anywhere(self) -> Iterator[None]:
        """Inside the block, let each new process use any of the processors."""
        own = processors()
        stay_on(self._processors)
        try:
            yield
        finally:
            stay_on(own)
