"""How much time a run's tests may use: the score depends on the program, not on other work.

    TimeBudget   the time of one run, shared out among its tests

The rule:

- A test may use its seconds of processor time. The clock ends it only after three times as long.
- After a task's second timeout each of its remaining tests gets a tenth of its time. Tests that do
  not call the function that loops still pass: a loop costs what an exception would cost.
- All tests together get the stage's `submission_seconds`. A test that timed out costs the time that
  it had. Any other costs the processor time that it used, or a fifth of its time by the clock if
  that is more. Once the time is used up, the remaining tests are not reached.
- Each process of a test imports the program. Of all imports together the first 30 s cost nothing.
- The first two timeouts of each task cost nothing, up to the stage's `test_seconds`. So every task
  gets its turn, whatever the tasks before it did.

Processor time does not depend on how busy the machine is. A program that sleeps, or that lies about
the time it used, is bounded by the clock.
"""

from collections import Counter

from hearts_course.testing.tests import Test

MAX_FULL_TIMEOUTS = 2  # in a task
SHORT = 10  # after these a test gets this part of its time
MIN_SHORT_SECONDS = 0.1
FREE_IMPORT_SECONDS = 30.0
CLOCK_SHARE = 5  # a second by the clock costs this part of one of processor time


class TimeBudget:
    """The time that a run's tests have together, and what each may use of it."""

    def __init__(self, seconds: float, test_seconds: float) -> None:
        """All tests have `seconds` together, each of them `test_seconds` unless it says more."""
        self._left = seconds
        self._free_imports = FREE_IMPORT_SECONDS
        self._test_seconds = test_seconds
        self._timeouts: Counter[str] = Counter()

    @property
    def timed_out(self) -> set[str]:
        """The tasks in which a test has timed out."""
        return set(self._timeouts)

    @property
    def shortened(self) -> set[str]:
        """The tasks whose remaining tests get a part of their time."""
        return {task for task, count in self._timeouts.items() if count >= MAX_FULL_TIMEOUTS}

    def is_used_up(self) -> bool:
        """Whether no further test may run."""
        return self._left < 0

    def limit(self, test: Test) -> float:
        """The seconds that the test may use."""
        most = self._test_seconds
        if test.seconds is not None:
            most = max(most, min(test.seconds, round(self._left, 1)))
        return short(most) if test.task in self.shortened else most

    def spare(self, import_seconds: float) -> None:
        """Give back what an import has used, which the next charge takes off."""
        given = min(import_seconds, self._free_imports)
        self._free_imports -= given
        self._left += given

    def charge(self, cpu_seconds: float, clock_seconds: float) -> None:
        """Take off what a test has used that did not time out."""
        self._left -= max(cpu_seconds, clock_seconds / CLOCK_SHARE)

    def charge_timeout(self, task: str, seconds: float, clock_seconds: float) -> None:
        """Take off the seconds of a test that used them up."""
        cost = max(seconds, clock_seconds / CLOCK_SHARE)
        if task not in self.shortened:
            cost = max(0.0, cost - self._test_seconds)
        self._left -= cost
        self._timeouts[task] += 1


def short(seconds: float) -> float:
    """The part of a test's time that is enough for what does not loop."""
    return min(seconds, max(seconds / SHORT, MIN_SHORT_SECONDS))
