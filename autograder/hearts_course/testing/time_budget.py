"""How much time tests may use, so that the score does not depend on the machine's load.

The rule:

- A test may use its seconds of processor time. The clock ends the test only after three times as
  long, and not before 3 s.
- After a task's second timeout each of its remaining tests gets a tenth of its time. Tests that do
  not call the looping function still pass, so a loop costs no more points than an exception.
- All tests together get the stage's `submission_seconds`. A test that timed out costs the time it
  was given. Any other test costs the processor time it used, or a fifth of its time by the clock if
  that is more. Once the time is used up, the remaining tests are not reached.
- A test may run twice: first in a process that it shares with others, with a tenth of its time, and
  then alone. It runs once if it has passed or met an unwritten definition. If the test passes
  alone, the shared try is free, up to 30 s for all such tries. After two tests that were too slow
  in a shared process but passed alone, tests no longer share.
- Each test's process imports the program. The first 30 s of all imports together are free.
- The first two timeouts of each task are free, up to the stage's `test_seconds`. So every task gets
  its turn, whatever the tasks before it did.

Processor time does not depend on how busy the machine is. The clock bounds a program that sleeps or
lies about the time it used.
"""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hearts_course.testing.outcomes import TestOutcome
    from hearts_course.testing.tests import Test

MAX_FULL_TIMEOUTS = 2  # after this many timeouts, the task's remaining tests get less time
SHORT = 10  # after MAX_FULL_TIMEOUTS a test gets a tenth of its time
MIN_SHORT_SECONDS = 0.1
FREE_IMPORT_SECONDS = 30.0
FREE_TRIES_SECONDS = 30.0
# Tests no longer share after this many that were too slow in a shared process but passed alone.
MAX_SLOW_TOGETHER = 2
CLOCK_SHARE = 5  # a second by the clock costs a fifth of a second of processor time


@dataclass(frozen=True)
class SharedTry:
    """A test's try in a shared process: how it ended, and how much time it used.

    `final` is its outcome if the test would end in the same way alone. Otherwise `final` is None,
    and the test must run alone.
    """

    final: "TestOutcome | None" = None
    timed_out: bool = False
    cpu_seconds: float = 0.0
    clock_seconds: float = 0.0


class TimeBudget:
    """The time of one run, shared out among its tests."""

    def __init__(self, seconds: float, test_seconds: float) -> None:
        """All tests get `seconds` together; each gets `test_seconds` unless it asks for more."""
        self._left = seconds
        self._free_imports = FREE_IMPORT_SECONDS
        self._free_tries = FREE_TRIES_SECONDS
        self._slow_together = 0
        self._test_seconds = test_seconds
        self._timeouts: Counter[str] = Counter()

    @property
    def shortened(self) -> set[str]:
        """The tasks whose remaining tests get only a part of their time."""
        return {task for task, count in self._timeouts.items() if count >= MAX_FULL_TIMEOUTS}

    @property
    def may_share(self) -> bool:
        """Whether tests may still share a process."""
        return self._slow_together < MAX_SLOW_TOGETHER

    def is_used_up(self) -> bool:
        """Return whether no further test may run."""
        return self._left < 0

    def limit(self, test: "Test") -> float:
        """Return how many seconds the test may use."""
        most = self._test_seconds
        if test.seconds is not None:
            most = max(most, min(test.seconds, round(self._left, 1)))
        return short(most) if test.task in self.shortened else most

    def refund_import(self, import_seconds: float) -> None:
        """Refund the time of an import, as long as imports are free.

        The next charge covers all that the process used, and so includes the import.
        """
        refund = min(import_seconds, self._free_imports)
        self._free_imports -= refund
        self._left += refund

    def charge(self, cpu_seconds: float, clock_seconds: float) -> None:
        """Charge a test that did not time out."""
        self._left -= max(cpu_seconds, clock_seconds / CLOCK_SHARE)

    def charge_shared_try(self, tried: SharedTry, *, passed_alone: bool) -> None:
        """Charge a failed try in a shared process, after the test has run alone."""
        cost = max(tried.cpu_seconds, tried.clock_seconds / CLOCK_SHARE)
        if passed_alone:
            free = min(cost, self._free_tries)
            self._free_tries -= free
            cost -= free
            self._slow_together += tried.timed_out
        self._left -= cost

    def charge_timeout(self, task: str, seconds: float, clock_seconds: float) -> None:
        """Charge a test that used up its seconds."""
        cost = max(seconds, clock_seconds / CLOCK_SHARE)
        if task not in self.shortened:
            cost = max(0.0, cost - self._test_seconds)
        self._left -= cost
        self._timeouts[task] += 1


def short(seconds: float) -> float:
    """Return the shortened time limit of a test. It suffices for a test that does not loop."""
    return min(seconds, max(seconds / SHORT, MIN_SHORT_SECONDS))
