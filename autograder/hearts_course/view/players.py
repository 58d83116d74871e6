"""Computer players that follow a few rules of thumb, for programs that draw their cards by lot.

A program draws a card with the generator it is given, and `Chance` is such a generator. While it
knows that a computer player is to play or pass, it draws what a sensible player would choose. So
any program gets better opponents, and one that chooses cards by its own rules keeps them.

Cards are codes here, such as "QS", because every program has its own class for them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

RANKS = "23456789TJQKA"
SUITS = "CDHS"
QUEEN = "QS"
HIGH_SPADES = ("QS", "KS", "AS")
GUARDS = 4  # with as many low spades, the high ones are no danger
PLAYERS = 4


class Chance(Random):
    """A generator of random numbers that also draws sensible cards."""

    _helped = ""
    _trick: Sequence[str] = ()

    @contextmanager
    def helping(self, phase: str, trick: Sequence[str] = ()) -> Iterator[None]:
        """Draw sensible cards for computer players: to pass, or in "playing" one for this trick.

        Only one, because a program that draws until a card is legal must not wait for ever.
        """
        self._helped, self._trick = phase, trick
        try:
            yield
        finally:
            self._helped = ""

    def choice(self, seq: Any) -> Any:
        """Draw one of these things."""
        cards = _by_code(seq) if self._helped == "playing" else {}
        if not cards:
            return super().choice(seq)
        self._helped = ""
        return cards[card_to_play(list(cards), self._trick)]

    def sample(self, population: Any, k: int, **counts: Any) -> list[Any]:
        """Draw k of these things."""
        cards = _by_code(population) if self._helped == "passing" else {}
        if 0 < k < len(cards):
            return [cards[code] for code in cards_to_pass(list(cards), k)]
        return super().sample(population, k, **counts)


def _by_code(things: object) -> dict[str, Any]:
    """Return cards by their codes; nothing if these are no cards."""
    if not isinstance(things, Sequence):
        return {}
    cards = {str(thing): thing for thing in things}
    return cards if all(map(is_code, cards)) else {}


def is_code(text: str) -> bool:
    """Return whether this is a card's code."""
    return len(text) == 2 and text[0] in RANKS and text[1] in SUITS


def card_to_play(legal: Sequence[str], trick: Sequence[str]) -> str:
    """Return the card to play to this trick: lead low, stay under it, or throw away what hurts."""
    if not trick:
        return min(legal, key=lambda code: (code in HIGH_SPADES, _rank(code)))
    following = [code for code in legal if code[1] == trick[0][1]]
    if not following:
        return max(legal, key=_burden)
    best = max(_rank(code) for code in trick if code[1] == trick[0][1])
    if under := [code for code in following if _rank(code) < best]:
        return max(under, key=_burden)
    over = [code for code in following if code != QUEEN] or following
    last = len(trick) == PLAYERS - 1
    return (max if last else min)(over, key=_rank)  # whoever must take a trick uses a high card


def cards_to_pass(hand: Sequence[str], count: int) -> list[str]:
    """Return the cards that hurt most; high spades among enough low ones are kept."""
    low = [code for code in hand if code[1] == "S" and code not in HIGH_SPADES]
    kept = HIGH_SPADES if len(low) >= GUARDS else ()
    return sorted(hand, key=lambda code: (code not in kept, _burden(code)))[-count:]


def _rank(code: str) -> int:
    return RANKS.index(code[0])


def _burden(code: str) -> int:
    """Return how much a player wants to be rid of the card."""
    if code in HIGH_SPADES:
        return 100 + 100 * (code == QUEEN)
    return _rank(code) + (4 if code[1] == "H" else 0)  # a low heart hurts less than an ace
