"""How long players took for their answers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Decision:
    """How long a player took for one answer of a deal.

    The clock is the table's. The processor time is what the player's process says, at most the
    clock's time: a program can hide what it used, but cannot blame anybody else.
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
