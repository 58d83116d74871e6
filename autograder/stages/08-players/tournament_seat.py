"""Answers for a player at the table of a class tournament, in the player's own sandbox.

The table sends what the seat may know as a text in JSON, and gets codes of cards. Here the text
becomes the view that the player was written for.
"""

import importlib
import json
import random
import time
from collections.abc import Callable
from typing import Any

import rulebook
from cards import Deck
from match import Trick

CARDS = {str(card): card for card in Deck()}
CHANCE = random.Random("before a deal")  # what an unseeded generator begins with


class Repeatable(random.Random):
    """A generator that begins in the same way in each replay of a deal, also without a seed."""

    def __init__(self, x: Any = None) -> None:
        """Begin with the seed, if there is one."""
        super().__init__(CHANCE.random() if x is None else x)


random.Random = Repeatable  # type: ignore[misc]  # before the player's module imports it


class Seat:
    """A player that has sat down for a deal."""

    player: Any
    spent: list[float]  # processor time of each answer


def sit_down(module: str, seed: str) -> None:
    """Let the module's `enter` make the player; its chance begins with the seed."""
    random.seed(seed)
    CHANCE.seed(seed)
    Seat.spent = []
    Seat.player = importlib.import_module(module).enter()


def pass_cards(facts: str) -> list[str]:
    """Return the codes of the cards that the player passes."""
    return timed(lambda view: Seat.player.pass_cards(view), facts)


def play(facts: str) -> list[str]:
    """Return the code of the card that the player plays, alone in a list."""
    return timed(lambda view: [Seat.player.play(view)], facts)


def timed(choose: Callable[[Any], object], facts: str) -> list[str]:
    """Return the codes of the cards that the player chooses; note the processor time."""
    begun = time.process_time()
    chosen = codes(choose(view(facts)))
    Seat.spent.append(time.process_time() - begun)
    return chosen


def spent() -> list[float]:
    """Return the processor time of each answer of the deal, in seconds."""
    return Seat.spent


def view(text: str) -> Any:
    """Return what the seat may know, as the player's own module describes it."""
    facts = json.loads(text)
    return importlib.import_module("players").View(
        seat=facts["seat"],
        hand=cards(facts["hand"]),
        book=getattr(rulebook, facts["book"]),
        direction=rulebook.Pass[facts["direction"]],
        gave=cards(facts["gave"]),
        received=cards(facts["received"]),
        tricks=tuple(Trick(leader, cards(played)) for leader, played in facts["tricks"]),
        trick=cards(facts["trick"]),
    )


def cards(texts: list[str]) -> tuple[Any, ...]:
    """Return the cards with these codes."""
    return tuple(CARDS[text] for text in texts)


def codes(chosen: object) -> list[str]:
    """Return the codes of the cards."""
    return [str(card) for card in chosen]  # type: ignore[attr-defined]
