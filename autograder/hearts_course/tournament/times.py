"""How long players took for their answers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Decision:
    """How long a player took for one answer of a deal.

    The table measures the time by the clock. The player's process reports its processor time, which
    counts only up to the time by the clock. A program can hide time that it used, but it cannot
    report more than the table has measured.
    """

    move: int  # counts the player's answers in the deal, from 1
    processor_seconds: float
    clock_seconds: float


@dataclass(frozen=True)
class Timed:
    """A decision, and where it was taken; rounds and tables count from 1, turns also."""

    alias: str
    round: int
    table: int
    turn: int
    decision: Decision
