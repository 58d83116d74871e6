"""Strong: counts the higher cards that are still out before it leads."""

from cards import Deck, Suit
from legal import best_card, is_queen_of_spades
from players import Player, by_rank, highest, without_queen

ALIAS = "Counting Crow"


class Crow(Player):
    """Lead the card that the largest number of unseen cards can beat."""

    def pass_cards(self, view):
        """Pass the highest cards."""
        return highest(view.hand, 3)

    def play(self, view):
        """Lead safely, follow below the best card, throw away the queen, then hearts."""
        unseen = set(Deck()) - set(view.hand) - set(view.played)

        def beaten_by(card):
            return sum(other.suit == card.suit and other.rank > card.rank for other in unseen)

        legal = view.legal
        if not view.trick:
            return max(legal, key=lambda card: (beaten_by(card), -card.rank))
        if legal[0].suit == view.trick[0].suit:
            best = best_card(view.trick)
            below = [card for card in legal if card.rank < best.rank]
            if below:
                return max(below, key=by_rank)
            return min(without_queen(legal), key=by_rank)
        queens = [card for card in legal if is_queen_of_spades(card)]
        hearts = [card for card in legal if card.suit == Suit.HEARTS]
        return max(queens or hearts or legal, key=by_rank)


def enter():
    """Return the player."""
    return Crow()
