"""Computer players, as somebody else wrote them: what every player promises, and two kinds."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from cards import Card, Hand, Rank


class Player(ABC):
    """A computer player."""

    @abstractmethod
    def choose(self, hand: Hand, trick: Sequence[Card]) -> Card:
        """Return a card of the hand for this trick, which follows suit if the hand can."""


def by_rank(card: Card) -> Rank:
    """Return the rank of the card, as a key."""
    return card.rank


def playable(hand: Hand, trick: Sequence[Card]) -> list[Card]:
    """Return the cards that follow suit, or all cards if none does or no suit was led."""
    return [card for card in hand if trick and card.suit == trick[0].suit] or list(hand)


class Low(Player):
    """A player that always plays a card of the lowest rank."""

    def choose(self, hand: Hand, trick: Sequence[Card]) -> Card:
        """Return the lowest card that may be played."""
        return min(playable(hand, trick), key=by_rank)


class Sly(Low):
    """A low player that gets rid of higher cards where that is free."""

    def choose(self, hand: Hand, trick: Sequence[Card]) -> Card:
        """Return the highest card below the best one, or else the lowest."""
        best = max(card.rank for card in trick if card.suit == trick[0].suit)
        below = [card for card in playable(hand, trick) if card.rank < best]
        return max(below, key=by_rank) if below else super().choose(hand, trick)
