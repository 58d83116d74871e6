"""Players that look at ranks as numbers and sort what they hold."""

from cards import Card, Hand


class Player:
    """Whoever can choose."""

    def choose(self, hand, trick):
        """Return a card."""
        raise NotImplementedError


class Low(Player):
    """Low, and of two equal cards the last one in the hand."""

    def choose(self, hand, trick):
        """Return the lowest card."""
        return self._allowed(hand, trick)[0]

    def _allowed(self, hand, trick):
        cards = list(hand)[::-1]
        cards.sort(key=lambda card: int(card.rank))
        if not trick:
            return cards
        led, *_ = trick
        return [card for card in cards if card.suit == led.suit] or cards


class Sly(Low):
    """Low, unless something higher is free."""

    def choose(self, hand: Hand, trick: list[Card]) -> Card:
        """Return the last allowed card that is below all ranks of the suit led."""
        cards = self._allowed(hand, trick)
        ranks = [int(card.rank) for card in trick if card.suit == trick[0].suit]
        below = [card for card in cards if ranks and int(card.rank) < max(ranks)]
        return below[-1] if below else cards[0]
