"""How long players took for their answers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Decision:
    """How long a player took for one answer of a deal.

    The table measures the time by the clock. The player's process reports its processor time. If
    this is more than the time by the clock, only the time by the clock counts. So a program may
    report less time than it used, but never more time than the clock shows.
    """

    move: int  # counts the player's answers in the deal, from 1
    processor_seconds: float
    clock_seconds: float


@dataclass(frozen=True)
class Timed:
    """A decision, the player, and where it was taken; rounds, tables and turns count from 1."""

    alias: str
    round: int
    table: int
    turn: int
    decision: Decision
