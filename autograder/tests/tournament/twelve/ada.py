"""Strong: ducks, throws the queen and high hearts away, passes high spades and a short suit."""

from cards import Suit
from legal import best_card, is_queen_of_spades
from players import Player, by_rank, highest, is_high_spade, is_last, without_queen

ALIAS = "Ducks Unlimited"


class Ducker(Player):
    """Take as few tricks as possible, and never the queen."""

    def pass_cards(self, view):
        """Pass high spades, then the shortest of the other suits."""
        spades = [card for card in view.hand if is_high_spade(card) or is_queen_of_spades(card)]
        others = [card for card in view.hand if card not in spades]
        others.sort(key=lambda card: (self._length(view, card.suit), -card.rank))
        return (spades + others)[:3]

    def _length(self, view, suit):
        return sum(card.suit == suit for card in view.hand)

    def play(self, view):
        """Duck if possible."""
        legal = view.legal
        if not view.trick:
            return min(legal, key=by_rank)
        led = view.trick[0].suit
        if legal[0].suit != led:
            return self.throw(legal)
        best = best_card(view.trick)
        below = [card for card in legal if card.rank < best.rank]
        if below:
            return next(filter(is_queen_of_spades, below), max(below, key=by_rank))
        cost = any(card.suit == Suit.HEARTS or is_queen_of_spades(card) for card in view.trick)
        if is_last(view) and not cost:
            return highest(without_queen(legal), 1)[0]
        return min(without_queen(legal), key=by_rank)

    def throw(self, legal):
        """Throw away what is most dangerous."""
        for card in legal:
            if is_queen_of_spades(card):
                return card
        return max(legal, key=lambda card: (card.suit == Suit.HEARTS, card.rank))


def enter():
    """Return the player."""
    return Ducker()
