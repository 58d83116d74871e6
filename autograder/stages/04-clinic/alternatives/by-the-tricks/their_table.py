"""The same table, which remembers only what was played: all else is worked out from that."""

from enum import IntEnum

from cards import Suit

Seat = IntEnum("Seat", "NORTH EAST SOUTH WEST", start=0)


class Deal:
    """A deal as the list of its plays: pairs of a seat and a card."""

    def __init__(self, hands):
        """Remember whose card each is."""
        self.owners = [
            (card, seat) for seat, hand in zip(Seat, hands, strict=True) for card in hand
        ]
        self.plays = []

    @property
    def turn(self):
        """The seat that plays next."""
        if not self.plays:
            return min(self.owners)[1]
        full, extra = divmod(len(self.plays), 4)
        if extra:
            return Seat((self.plays[-1][0] + 1) % 4)
        return self.taker(full - 1)

    def taker(self, number):
        """Return the seat that takes the trick with this number."""
        trick = self.plays[4 * number : 4 * number + 4]
        followed = [(card, seat) for seat, card in trick if card.suit == trick[0][1].suit]
        return max(followed)[1]

    def play(self, card):
        """Play the card."""
        if (card, self.turn) not in self.owners:
            raise ValueError(f"{self.turn.name} does not hold {card}")
        self.plays.append((self.turn, card))
        return None if len(self.plays) % 4 else self.turn

    def taken(self, seat):
        """Return the cards that the seat has taken, sorted."""
        tricks = [number for number in range(len(self.plays) // 4) if self.taker(number) == seat]
        return sorted(card for n in tricks for _, card in self.plays[4 * n : 4 * n + 4])

    def scores(self):
        """Return the points by seat."""
        return [sum(map(cost, self.taken(seat))) for seat in Seat]


def cost(card):
    """Return what a card costs."""
    if str(card) == "QS":
        return 13
    return 1 if card.suit == Suit.HEARTS else 0
