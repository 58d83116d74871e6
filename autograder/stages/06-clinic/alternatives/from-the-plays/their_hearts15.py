"""The same tricks from one list: who played which card. All else is worked out from the list."""

from cards import Suit


class Tricks:
    """Three hands, the hidden card, and the plays so far."""

    def __init__(self, hands, hidden):
        """Begin with no plays."""
        self.dealt = [list(hand) for hand in hands]
        self.hidden = hidden
        self.plays = []

    @property
    def seat(self):
        """The seat that plays next."""
        full, extra = divmod(len(self.plays), 3)
        if extra:
            return (self.plays[-1][0] + 1) % 3
        return self.taker(full) if full else min((min(self.dealt[n]), n) for n in range(3))[1]

    def trick(self, number):
        """Return the plays of a full trick, counted from 1."""
        return self.plays[3 * number - 3 : 3 * number]

    def taker(self, number):
        """Return the seat that takes the trick."""
        (_, led), *_ = self.trick(number)
        return max((card, seat) for seat, card in self.trick(number) if card.suit == led.suit)[1]

    def legal_plays(self):
        """Return the cards that may be played, in the order of the deal."""
        held = [card for card in self.dealt[self.seat] if (self.seat, card) not in self.plays]
        extra = len(self.plays) % 3
        if extra:
            led = self.plays[-extra][1].suit
            return [card for card in held if card.suit == led] or held
        if not self.plays:
            return [min(held)]
        broken = any(card.suit == Suit.HEARTS for _, card in self.plays)
        return [card for card in held if broken or card.suit != Suit.HEARTS] or held

    def play(self, card):
        """Note who plays the card."""
        self.plays.append((self.seat, card))

    def scores(self):
        """Return the points of the three seats."""
        scores = [0, 0, 0]
        for number in range(1, len(self.plays) // 3 + 1):
            cards = [card for _, card in self.trick(number)]
            if number == 1:
                cards.append(self.hidden)
            for card in cards:
                scores[self.taker(number)] += 13 * (str(card) == "QS") + (card.suit == Suit.HEARTS)
        return scores
