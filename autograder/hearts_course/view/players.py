"""Computer players for programs that draw their cards at random.

A program draws a card with a generator of random numbers that it is given, and `Chance` is such a
generator. When it is a computer player's turn to play or pass, `Chance` draws what a sensible
player would choose. So any program that draws at random gets better opponents. A program that
chooses cards by its own rules keeps its own opponents.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from random import Random
from typing import Any

from hearts_course.view.rules_of_thumb import card_of_counter, card_to_play, cards_to_pass, is_code
from hearts_course.view.sampler import Knowledge, card_of_sampler


class Opponent(StrEnum):
    """The kinds of computer players, the weakest first."""

    RANDOM = "random"  # draws cards at random
    CAUTIOUS = "cautious"  # leads low, ducks, and discards points; remembers nothing
    COUNTER = "counter"  # also knows which cards are gone
    SAMPLER = "sampler"  # imagines the other players' hands, and tries its cards against them


NOTHING_KNOWN = Knowledge()


class Chance(Random):
    """A generator of random numbers that also draws the cards of an opponent.

    The class inherits from `Random`, so that a program's own code can use it. The program calls
    `choice` or `sample` as usual, and does not know that this draws a sensible card.
    """

    opponent = Opponent.CAUTIOUS
    _helped = ""
    _knowledge = NOTHING_KNOWN

    @contextmanager
    def helping(self, phase: str, knowledge: Knowledge = NOTHING_KNOWN) -> Iterator[None]:
        """Within the block, draw the cards that the opponent passes, or the one card that it plays.

        `phase` is "passing" or "playing"; with "", all draws are random. After the one card that
        the opponent plays, draw at random again. Otherwise a program that draws until a card is
        legal might draw the same card for ever.
        """
        if self.opponent is not Opponent.RANDOM:
            self._helped = phase
        self._knowledge = knowledge
        try:
            yield
        finally:
            self._helped = ""

    def choice(self, seq: Any) -> Any:
        """Return an element of `seq`. If a computer player plays a card, return the one it prefers.

        If `seq` has anything but cards, draw at random. So if a program also rolls dice, the dice
        stay random.
        """
        if self._helped != "playing":
            return super().choice(seq)
        cards = _by_code(seq)
        if not cards:
            return super().choice(seq)
        self._helped = ""
        return cards[self._card(list(cards))]

    def _card(self, legal: Sequence[str]) -> str:
        """Return the card that the opponent plays."""
        knowledge = self._knowledge
        match self.opponent:
            case Opponent.SAMPLER:
                return card_of_sampler(legal, knowledge, self)
            case Opponent.COUNTER:
                return card_of_counter(legal, knowledge.trick, knowledge.gone)
        return card_to_play(legal, knowledge.trick)

    def sample(self, population: Any, k: int, **counts: Any) -> list[Any]:
        """Return `k` elements. If a computer player passes cards, return those that hurt it most.

        If all elements are drawn, draw at random, because a program may shuffle cards in this way.
        """
        if self._helped == "passing":
            cards = _by_code(population)
            if 0 < k < len(cards):
                return [cards[code] for code in cards_to_pass(list(cards), k)]
        return super().sample(population, k, **counts)


def _by_code(population: object) -> dict[str, Any]:
    """Map the codes of the cards in a sequence to the cards.

    If anything in the sequence is not a card, return {}. A program has its own class for cards.
    Only one thing is needed: `str(card)` is the card's code.
    """
    if not isinstance(population, Sequence):
        return {}
    cards = {str(card): card for card in population}
    if not all(map(is_code, cards)):
        return {}
    return cards
