"""The same table as a map: each card is at a place, in a hand, on the table or with its taker."""

from enum import IntEnum

from cards import Suit

HELD, LAID, GONE = "held", "laid", "gone"


class Seat(IntEnum):
    """A seat; the next number sits to its left."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3


class Deal:
    """Where the cards of one deal are."""

    def __init__(self, hands):
        """Note which seat holds which card."""
        self.places = {}
        for seat, hand in zip(Seat, hands, strict=True):
            self.places |= dict.fromkeys(hand, (HELD, seat))
        self.laid = []
        self.turn = self.places[min(self.places)][1]

    def play(self, card):
        """Lay the card on the table; the fourth card ends the trick."""
        if self.places.get(card) != (HELD, self.turn):
            raise ValueError("this card is somewhere else")
        self.places[card] = (LAID, self.turn)
        self.laid.append(card)
        if len(self.laid) < 4:
            self.turn = Seat((self.turn + 1) % 4)
            return None
        best = max(card for card in self.laid if card.suit == self.laid[0].suit)
        self.turn = self.places[best][1]
        self.places |= dict.fromkeys(self.laid, (GONE, self.turn))
        self.laid = []
        return self.turn

    def taken(self, seat):
        """Return the cards that have gone to the seat."""
        return [card for card, place in self.places.items() if place == (GONE, seat)]

    def scores(self):
        """Return four sums: hearts cost 1, the queen of spades costs 13."""
        sums = [0, 0, 0, 0]
        for card, (where, seat) in self.places.items():
            if where == GONE and card.suit == Suit.HEARTS:
                sums[seat] += 1
            if where == GONE and str(card) == "QS":
                sums[seat] += 13
        return sums
