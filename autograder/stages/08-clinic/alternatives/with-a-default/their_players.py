"""Players whose best card on an empty table is nothing at all."""

from abc import ABC, abstractmethod

from cards import Card


class Player(ABC):
    """A player at this table."""

    @abstractmethod
    def choose(self, hand, trick) -> Card:
        """Return a card of the hand."""


class Low(Player):
    """Plays low."""

    def choose(self, hand, trick) -> Card:
        """Return the lowest of the cards that may be played."""
        led = {card.suit for card in trick[:1]}
        follows = {card for card in hand if card.suit in led}
        return self.pick(list(follows or hand), [card for card in trick if card.suit in led])

    def pick(self, cards, rivals):
        """Return the lowest of these cards."""
        return min(cards, key=lambda card: card.rank)


class Sly(Low):
    """Overrides only how it picks."""

    def pick(self, cards, rivals):
        """Return the highest card below the best rival, if there is one."""
        height = max((card.rank for card in rivals), default=0)
        below = [card for card in cards if card.rank < height]
        return max(below, key=lambda card: card.rank) if below else super().pick(cards, rivals)
