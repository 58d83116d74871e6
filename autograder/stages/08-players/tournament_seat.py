"""Answers for a player at the table of a class tournament, in the player's own sandbox.

The table sends what the seat may know as plain values, and gets codes of cards. Here they become
the view that the player was written for.
"""

import importlib
import random
from typing import Any

import rulebook
from cards import Card
from match import Trick

Facts = dict[str, Any]
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


def sit_down(module: str, seed: str) -> str:
    """Let the module's `enter` make the player; return its alias. Its chance begins with the seed."""
    random.seed(seed)
    CHANCE.seed(seed)
    program = importlib.import_module(module)
    Seat.player = program.enter()
    return str(getattr(program, "ALIAS", ""))


def pass_cards(facts: Facts) -> list[str]:
    """Return the codes of the cards that the player passes."""
    return codes(Seat.player.pass_cards(view(facts)))


def play(facts: Facts) -> list[str]:
    """Return the code of the card that the player plays, alone in a list."""
    return codes([Seat.player.play(view(facts))])


def view(facts: Facts) -> Any:
    """Return what the seat may know, as the player's own module describes it."""
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


def cards(texts: list[str]) -> tuple[Card, ...]:
    """Return the cards with these codes."""
    return tuple(map(Card.parse, texts))


def codes(chosen: object) -> list[str]:
    """Return the codes of the cards."""
    return [str(card) for card in chosen]  # type: ignore[attr-defined]
