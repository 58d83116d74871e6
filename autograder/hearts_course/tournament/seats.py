"""Seats of players that need no sandbox: the course's players, and players of this process."""

from collections.abc import Callable
from typing import Any

from hearts_course.tournament.table import PASSED, SeatFault
from hearts_course.view.players import Chance, Opponent
from hearts_course.view.rules_of_thumb import PLAYERS
from hearts_course.view.sampler import Knowledge, moon_by_name


class CourseSeat:
    """One of the course's players.

    It gets the facts of the deal as plain values, so it needs no class of the program.
    """

    takes_views = False

    def __init__(self, opponent: str) -> None:
        """Play as this kind of opponent does."""
        self._opponent = Opponent(opponent)

    def begin(self, seed: str) -> None:
        """Begin a deal with random numbers from this seed.

        With the same seed and the same facts, the player plays the same cards.
        """
        self._chance = Chance(seed)
        self._chance.opponent = self._opponent

    def end(self) -> None:
        """Do nothing: the next deal begins with a new generator."""

    def pass_cards(self, facts: Any) -> list[str]:
        """Return the codes of the cards that the player passes."""
        with self._chance.helping("passing"):
            return self._chance.sample(facts["hand"], PASSED)

    def play(self, facts: Any) -> list[str]:
        """Return the code of the card that the player plays, alone in a list."""
        gone: list[str] = []
        for _, codes in facts["tricks"]:
            gone += codes
        knowledge = Knowledge(
            trick=facts["trick"],
            gone=gone,
            hand=facts["hand"],
            passed=facts["gave"],
            receiver=(facts["receiver"] - facts["seat"]) % PLAYERS,
            moon=moon_by_name(facts["moon"]),
        )
        with self._chance.helping("playing", knowledge):
            return [self._chance.choice(facts["legal"])]


class OwnSeat:
    """A player of a program in this process; the player is made anew for each deal.

    The player is trusted: no sandbox confines it, and no clock stops it.
    """

    takes_views = True

    def __init__(self, enter: Callable[[], Any]) -> None:
        """Call `enter` to make the player of each deal."""
        self._enter = enter
        self._player: Any = None
        self._fault = ""

    def begin(self, seed: str) -> None:
        """Begin a deal; the seed is not used, because the player has its own random numbers."""
        self._fault = ""
        try:
            self._player = self._enter()
        except Exception as error:
            self._fault = f"raised {type(error).__name__}"

    def end(self) -> None:
        """Do nothing: the next deal begins with a new player."""

    def pass_cards(self, view: Any) -> list[str]:
        """Return the codes of the cards that the player passes."""
        return self._answer(lambda: [str(card) for card in self._player.pass_cards(view)])

    def play(self, view: Any) -> list[str]:
        """Return the code of the card that the player plays, alone in a list."""
        return self._answer(lambda: [str(self._player.play(view))])

    def _answer(self, ask: Callable[[], list[str]]) -> list[str]:
        """Return the player's answer; raise SeatFault if the player raises an error.

        After a player's first fault, raise this fault again for the rest of the deal. The player is
        not asked again, because its state may be broken.
        """
        if self._fault:
            raise SeatFault(self._fault)
        try:
            return ask()
        except Exception as error:
            self._fault = f"raised {type(error).__name__}"
            raise SeatFault(self._fault) from error
