"""How long a submission may take: processor time, and a longer time by the clock."""

import time
from dataclasses import dataclass

END_SECONDS = 1.0
# The wall-clock limit of a test is longer than its limit of processor time, because a busy machine
# must not cost a student points. So the wall-clock limit only stops tests that sleep or wait.
PATIENCE, MIN_CLOCK_SECONDS = 3, 3.0
ALARM_SECONDS = 0.5  # the time from the alarm in a test's process until the process is killed


@dataclass(frozen=True)
class TimeLimit:
    """The time limit of one step, such as an import or a test.

    `seconds` is the limit of processor time. `begun` and `deadline` are times of
    `time.monotonic`: the step began at the first, and must end at the second.
    """

    seconds: float
    begun: float
    deadline: float

    @classmethod
    def from_now(cls, seconds: float, clock: float | None = None) -> "TimeLimit":
        """Return a limit of `seconds` of processor time and `clock` seconds by the wall clock.

        Without `clock`, both limits are `seconds`.
        """
        now = time.monotonic()
        return cls(seconds, now, now + (clock or seconds))

    @property
    def is_over(self) -> bool:
        """Whether the wall-clock limit is over."""
        return time.monotonic() > self.deadline

    @property
    def is_late(self) -> bool:
        """Whether the step has lasted longer than `seconds` by the wall clock."""
        return time.monotonic() > self.begun + self.seconds

    @property
    def excess(self) -> str:
        """What to tell the program's author if the time is used up."""
        return f"took longer than {self.seconds:g} s"

    def is_in_last_quarter(self, moment: float) -> bool:
        """Return whether the moment lies in the last quarter of the time since the step began."""
        now = time.monotonic()
        return now - moment < (now - self.begun) / 4


def clock_seconds(seconds: float) -> float:
    """Return the wall-clock limit for a test with this limit of processor time."""
    return max(PATIENCE * seconds, MIN_CLOCK_SECONDS)
