"""The same table as a clock: seats are counted from the leader, and tricks come in a list."""

from cards import Suit


class Trick:
    """What is written down about a trick."""

    def __init__(self, leader, cards, taker):
        """Write it down."""
        self.leader, self.cards, self.taker = leader, cards, taker


class Table:
    """Five hands, the trumps, and the seat that leads."""

    def __init__(self, deck):
        """Deal, and turn up the trumps."""
        self.hands, (one, two) = deck.deal(5, 0)
        higher = one if (one.rank, one.suit) > (two.rank, two.suit) else two
        self.trump, self.leader = higher.suit, 1

    def wish(self, card, led):
        """Return how gladly a player plays this card."""
        if led is None:
            return (card.rank, card.suit == self.trump, card.suit)
        return (card.suit == led, card.suit == self.trump, card.rank, card.suit)

    def one_trick(self):
        """Play a trick and return it."""
        led, laid, best = None, [], None
        for step in range(5):
            seat = (self.leader + step) % 5
            card = sorted(self.hands[seat], key=lambda card: self.wish(card, led))[-1]
            self.hands[seat].remove(card)
            laid.append(card)
            led = led or card.suit
            if best is None or self.beats(card, best[0]):
                best = card, seat
        trick, self.leader = Trick(self.leader, laid, best[1]), best[1]
        return trick

    def beats(self, card, other):
        """Return whether the later card takes the trick from the other."""
        if card.suit == other.suit:
            return card.rank > other.rank
        return card.suit == self.trump


def play_out(deck):
    """Return the list of all tricks."""
    table, tricks = Table(deck), []
    while table.hands[table.leader]:
        tricks.append(table.one_trick())
    return tricks


def count_hearts(tricks):
    """Return the five scores, the dealer's first."""
    taken = [(trick.taker, card) for trick in tricks for card in trick.cards]
    return [
        sum(int(card.rank) for taker, card in taken if (taker, card.suit) == (seat, Suit.HEARTS))
        for seat in range(5)
    ]
