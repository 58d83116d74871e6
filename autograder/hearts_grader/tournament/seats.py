"""A seat asks its player one question at a time; the table gets codes of cards, or a fault.

A student's player runs in its own sandbox, in a new process for each deal. So the player keeps
nothing from one deal to the next, and its answers do not depend on earlier deals.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hearts_course.course import Limits
from hearts_course.errors import NotStarted
from hearts_course.sandbox.answers import Proxy, RemoteError, SubmissionStopped
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.protocol import ProtocolError
from hearts_course.tournament.seats import CourseSeat
from hearts_course.tournament.table import SeatFault
from hearts_course.tournament.times import Decision

from hearts_grader.tournament.entries import SEAT, Entry

DECISION_SECONDS = 2.0  # processor time for one answer: far more than a player needs
DEAL_SECONDS = 14 * DECISION_SECONDS  # a player passes cards once and plays 13 cards
PASS, PLAY = "pass_cards", "play"
MAX_CARDS = 3  # a player passes three cards, and plays one
MAX_CODE = 3  # characters of a card's code
SLOW = "slow"  # the fault of a player whose time has run out
MAX_KIND = 40  # characters of an error's name in the report
Facts = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a player answered to a question."""

    verb: str
    facts: str  # the facts that the question gave the player, in JSON
    codes: tuple[str, ...]


class RemoteSeat:
    """A student's player in its sandbox.

    `answers` has the player's answers in the current deal. When the deal has ended, `decisions` has
    the time that each answer took.
    """

    takes_views = False

    def __init__(self, entry: Entry, limits: Limits, sandbox: str) -> None:
        """Start the program; raise RemoteError or SubmissionStopped if it cannot be imported."""
        self._entry = entry
        # The kernel's limit holds for the whole deal. Each answer has a limit of its own.
        limits = replace(limits, submission_seconds=DEAL_SECONDS, test_seconds=DEAL_SECONDS)
        self._program = SubmissionProcess(entry.modules, limits, sandbox)
        self._program.load([entry.enter])
        self._broken = ""
        self._clock_seconds: list[float] = []
        self.answers: list[Answer] = []
        self.decisions: list[Decision] = []

    def close(self) -> None:
        """End the sandbox."""
        self._program.close()

    def begin(self, seed: str) -> None:
        """Let the player sit down for a deal, in a new process."""
        self._broken = ""
        self._clock_seconds = []
        self.answers = []
        self.decisions = []
        try:
            self._program.begin(DEAL_SECONDS)
            self._program.go_on(DECISION_SECONDS)
            self._ask("sit_down", self._entry.enter, seed)
            self._program.rest()
        except (RemoteError, SubmissionStopped, ProtocolError) as error:
            self._broken = _kind(error)

    def end(self) -> None:
        """Leave the table after the deal."""
        if not self._broken:
            self.decisions = self._timed()
        self._program.end()

    def _timed(self) -> list[Decision]:
        """Return how long each answer took; an empty list if the program gives no valid times."""
        try:
            self._program.go_on(DECISION_SECONDS)
            spent = self._ask("spent")
        except (RemoteError, SubmissionStopped, ProtocolError):
            return []
        # The student's program could give any answer, so accept only possible times.
        if not isinstance(spent, list) or len(spent) != len(self._clock_seconds):
            return []
        if not all(type(seconds) is float and seconds >= 0 for seconds in spent):
            return []
        decisions = []
        pairs = zip(spent, self._clock_seconds, strict=True)
        for move, (processor, clock) in enumerate(pairs, 1):
            decisions.append(Decision(move, min(processor, clock), clock))
        return decisions

    def repeats(self, seed: str, answers: Sequence[Answer]) -> bool | None:
        """Ask the questions of an earlier deal again; return whether the answers are the same.

        A player that uses only its view gives the same answers at any time. Return None if the
        player's time ran out, because the time may be enough at another try.
        """
        self.begin(seed)
        try:
            if self._broken:
                return _same_if_broken(self._broken)
            for answer in answers:
                if tuple(self._codes(answer.verb, answer.facts)) != answer.codes:
                    return False
        except (RemoteError, SubmissionStopped, ProtocolError) as error:
            return _same_if_broken(_kind(error))
        finally:
            self._program.end()
        return True

    def pass_cards(self, facts: Facts) -> list[str]:
        """Return the codes of the cards that the player passes."""
        return self._answer(PASS, facts)

    def play(self, facts: Facts) -> list[str]:
        """Return the code of the card that the player plays, alone in a list."""
        return self._answer(PLAY, facts)

    def _answer(self, verb: str, facts: Facts) -> list[str]:
        """Return the player's answer; raise SeatFault if the table cannot use it.

        After an error, the player answers no more questions until the end of the deal.
        """
        if self._broken:
            raise SeatFault(self._broken)
        text = json.dumps(facts)
        begun = time.monotonic()
        try:
            codes = self._codes(verb, text)
        except (RemoteError, SubmissionStopped, ProtocolError) as error:
            self._broken = _kind(error)
            raise SeatFault(self._broken) from None
        self._clock_seconds.append(time.monotonic() - begun)
        self.answers.append(Answer(verb, text, tuple(codes)))
        if not codes:
            raise SeatFault("illegal")
        return codes

    def _codes(self, verb: str, facts: str) -> list[str]:
        """Return the codes that the player answers; an empty list if the answer is invalid."""
        self._program.go_on(DECISION_SECONDS)
        answer = self._ask(verb, facts)
        self._program.rest()  # the process may wait while the other players think
        if not isinstance(answer, list) or len(answer) > MAX_CARDS:
            return []
        if not all(type(code) is str and len(code) <= MAX_CODE for code in answer):
            return []
        return answer

    def _ask(self, verb: str, *arguments: Any) -> Any:
        """Return the answer of a function of the seat module.

        Raise ProtocolError if the player's program has replaced the function.
        """
        seat = self._program.connection.module(SEAT)
        function = getattr(seat, verb) if isinstance(seat, Proxy) else None
        if not isinstance(function, Proxy):
            raise ProtocolError(f"{verb} is not a function any more")
        return function(*arguments)


def _same_if_broken(kind: str) -> bool | None:
    """Return the result of `repeats` after a fault: None if time ran out, otherwise False."""
    return None if kind == SLOW else False


def _kind(error: Exception) -> str:
    """Return in a few words what ended the player.

    Everybody reads these words, so the player must not choose them. The only exception is the name
    of an error, if it looks like a name.
    """
    if isinstance(error, SubmissionStopped):
        return SLOW if error.kind == "timeout" else "crashed"
    if not isinstance(error, RemoteError):
        return "crashed"
    if error.kind.isascii() and error.kind.isidentifier() and len(error.kind) <= MAX_KIND:
        return f"raised {error.kind}"
    return "raised an error without a proper name"


class UnsandboxedSeat:
    """A seat whose player needs no sandbox, so there is nothing to start or end."""

    takes_views = False
    decisions: Sequence[Decision] = ()
    answers: Sequence[Answer] = ()

    def close(self) -> None:
        """Do nothing."""

    def begin(self, seed: str) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class AbsentSeat(UnsandboxedSeat):
    """The seat of a program that cannot be imported: the table plays for it after each fault."""

    def __init__(self, reason: str) -> None:
        """Remember the reason: a few words on what is wrong with the program."""
        self._reason = reason

    def pass_cards(self, facts: Facts) -> list[str]:
        """Raise the fault."""
        raise SeatFault(self._reason)

    def play(self, facts: Facts) -> list[str]:
        """Raise the fault."""
        raise SeatFault(self._reason)


class CoursePlayerSeat(CourseSeat, UnsandboxedSeat):
    """One of the course's players, in this process."""


AnySeat = RemoteSeat | CoursePlayerSeat | AbsentSeat


def seat_for(entry: Entry, limits: Limits, sandbox: str) -> AnySeat:
    """Return a seat for the entry; raise NotStarted if the machine cannot start its sandbox."""
    if entry.opponent:
        return CoursePlayerSeat(entry.opponent)
    try:
        return RemoteSeat(entry, limits, sandbox)
    except NotStarted:
        raise
    except (RemoteError, SubmissionStopped):
        return AbsentSeat("cannot be imported")
