"""A seat asks its player one question at a time; the table gets codes of cards, or a fault.

A student's player sits in a sandbox of its own. It gets a new process for each deal, so it can keep
nothing from one deal to the next, and its answers do not depend on which deals came before.
"""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hearts_course.course import Limits
from hearts_course.errors import NotStarted
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.protocol import ProtocolError
from hearts_course.view.players import Chance, Opponent
from hearts_course.view.sampler import Knowledge, moon_by_name

from hearts_grader.tournament.entries import SEAT, Entry

DECISION_SECONDS = 2.0  # of processor time: a kill switch, far above what a player needs
DEAL_SECONDS = 14 * DECISION_SECONDS
PASS, PLAY = "pass_cards", "play"
MAX_CARDS = 3
Facts = dict[str, Any]


class RemoteSeat:
    """A student's player in its sandbox."""

    def __init__(
        self, entry: Entry, limits: Limits, sandbox: str, fault: Callable[[str], Exception]
    ) -> None:
        """`fault` makes the error that the table expects."""
        self._entry = entry
        self._fault = fault
        limits = replace(limits, submission_seconds=DEAL_SECONDS, test_seconds=DECISION_SECONDS)
        self._program = SubmissionProcess(entry.modules, limits, sandbox)
        self._program.load([entry.enter])
        self._broken = ""
        self.slowest = 0.0

    def close(self) -> None:
        """End the sandbox."""
        self._program.close()

    def begin(self, seed: str) -> None:
        """Sit down for a deal, in a new process."""
        self._broken = ""
        try:
            self._program.begin(DECISION_SECONDS)
            self._ask("sit_down", self._entry.enter, seed)
        except (RemoteError, SubmissionStopped, ProtocolError) as error:
            self._broken = _kind(error)

    def end(self) -> None:
        """Leave the table after the deal."""
        self._program.end()

    def pass_cards(self, facts: Facts) -> list[str]:
        """Return the codes of the cards that the player passes."""
        return self._answer(PASS, facts)

    def play(self, facts: Facts) -> list[str]:
        """Return the code of the card that the player plays, alone in a list."""
        return self._answer(PLAY, facts)

    def _answer(self, verb: str, facts: Facts) -> list[str]:
        if self._broken:
            raise self._fault(self._broken)
        begun = time.monotonic()
        try:
            self._program.go_on(DECISION_SECONDS)
            answer = self._ask(verb, json.dumps(facts))
        except (RemoteError, SubmissionStopped, ProtocolError) as error:
            self._broken = _kind(error)
            raise self._fault(self._broken) from None
        self.slowest = max(self.slowest, time.monotonic() - begun)
        if not isinstance(answer, list) or len(answer) > MAX_CARDS:
            raise self._fault("illegal")
        if not all(type(code) is str for code in answer):
            raise self._fault("illegal")
        return answer

    def _ask(self, verb: str, *arguments: Any) -> Any:
        return getattr(self._program.connection.module(SEAT), verb)(*arguments)


def _kind(error: Exception) -> str:
    """Return in a word what ended the player."""
    if isinstance(error, SubmissionStopped):
        return "slow" if error.kind == "timeout" else "crashed"
    return f"raised {error.kind}" if isinstance(error, RemoteError) else "crashed"


class LocalSeat:
    """A seat without a sandbox: there is nothing to start and nothing to end."""

    slowest = 0.0

    def close(self) -> None:
        """Do nothing."""

    def begin(self, seed: str) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class AbsentSeat(LocalSeat):
    """A program that cannot be imported: the table plays for it."""

    def __init__(self, reason: str, fault: Callable[[str], Exception]) -> None:
        """`reason` says what is wrong with the program, in a word or two."""
        self._reason = reason
        self._fault = fault

    def pass_cards(self, facts: Facts) -> list[str]:
        """Raise the fault."""
        raise self._fault(self._reason)

    def play(self, facts: Facts) -> list[str]:
        """Raise the fault."""
        raise self._fault(self._reason)


class CourseSeat(LocalSeat):
    """One of the course's players, in this process."""

    def __init__(self, opponent: str) -> None:
        """`opponent` is the kind of player."""
        self._opponent = Opponent(opponent)

    def begin(self, seed: str) -> None:
        """Begin with the chance of that seed."""
        self._chance = Chance(seed)
        self._chance.opponent = self._opponent

    def pass_cards(self, facts: Facts) -> list[str]:
        """Return the codes of the cards that the player passes."""
        with self._chance.helping("passing"):
            return self._chance.sample(facts["hand"], MAX_CARDS)

    def play(self, facts: Facts) -> list[str]:
        """Return the code of the card that the player plays, alone in a list."""
        knowledge = Knowledge(
            trick=facts["trick"],
            gone=[code for _, codes in facts["tricks"] for code in codes],
            hand=facts["hand"],
            passed=facts["gave"],
            receiver=facts["receiver"],
            moon=moon_by_name(facts["moon"]),
        )
        with self._chance.helping("playing", knowledge):
            return [self._chance.choice(facts["legal"])]


AnySeat = RemoteSeat | CourseSeat | AbsentSeat


def seat_for(
    entry: Entry, limits: Limits, sandbox: str, fault: Callable[[str], Exception]
) -> AnySeat:
    """Return a seat for the entry; raise NotStarted if the machine cannot start its sandbox."""
    if entry.opponent:
        return CourseSeat(entry.opponent)
    try:
        return RemoteSeat(entry, limits, sandbox, fault)
    except NotStarted:
        raise
    except (RemoteError, SubmissionStopped):
        return AbsentSeat("cannot be imported", fault)
