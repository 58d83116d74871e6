"""The same tricks with a count of points and a word about hearts, and no piles at all."""

from cards import Suit


class Tricks:
    """Three hands on their way to being played out."""

    def __init__(self, hands, hidden):
        """Begin; the extra points are those of the hidden card."""
        self.left = [set(hand) for hand in hands]
        self.extra = self.cost(hidden)
        self.points = [0, 0, 0]
        self.laid = {}
        self.broken = self.started = False
        self.seat = self.left.index(min(self.left, key=min))

    @staticmethod
    def cost(card):
        """Return the points of a card."""
        if card.suit == Suit.HEARTS:
            return 1
        return 13 if str(card) == "QS" else 0

    def legal_plays(self):
        """Return what may be played, the highest first."""
        held = self.left[self.seat]
        if self.laid:
            led = next(iter(self.laid)).suit
            allowed = [card for card in held if card.suit == led]
        elif not self.started:
            allowed = [min(held)]
        else:
            allowed = [card for card in held if self.broken or card.suit != Suit.HEARTS]
        return sorted(allowed or held, reverse=True)

    def play(self, card):
        """Lay the card down, and clear the table after the third."""
        self.left[self.seat].remove(card)
        self.laid[card] = self.seat
        self.seat = (self.seat + 1) % 3
        if self.seat not in self.laid.values():
            return
        led = next(iter(self.laid)).suit
        self.seat = self.laid[max(laid for laid in self.laid if laid.suit == led)]
        self.points[self.seat] += self.extra + sum(map(self.cost, self.laid))
        self.broken = self.broken or any(laid.suit == Suit.HEARTS for laid in self.laid)
        self.extra, self.laid, self.started = 0, {}, True

    def scores(self):
        """Return the points by seat."""
        return self.points[:]
