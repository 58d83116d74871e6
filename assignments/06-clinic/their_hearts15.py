"""The tricks of a deal in HEARTS 1.5, as somebody else wrote them: three seats, one hidden card."""

from collections.abc import Iterable

from cards import Card, Hand, Rank, Suit

QUEEN = Card(Suit.SPADES, Rank.QUEEN)


class Tricks:
    """A deal after passing, while its tricks are played card by card."""

    def __init__(self, hands: Iterable[Hand], hidden: Card) -> None:
        """Begin with copies of three hands; the lowest club that a seat holds opens the deal."""
        self._hands = [Hand(hand) for hand in hands]
        self._hidden = hidden
        self._trick: list[Card] = []
        self._taken: list[list[Card]] = [[], [], []]
        self.seat = min(range(3), key=lambda seat: min(self._hands[seat]))  # plays next

    def legal_plays(self) -> list[Card]:
        """Return the cards that the seat whose turn it is may play."""
        hand = self._hands[self.seat]
        if self._trick:
            return hand.cards_of(self._trick[0].suit) or list(hand)
        if not any(self._taken):
            return [min(hand)]
        if self._hearts_broken():
            return list(hand)
        hearts = hand.cards_of(Suit.HEARTS)
        return [card for card in hand if card not in hearts] or hearts

    def _hearts_broken(self) -> bool:
        """Return whether a heart has been played to an earlier trick."""
        played = (card for cards in self._taken for card in cards)
        return any(card.suit == Suit.HEARTS for card in played)

    def play(self, card: Card) -> None:
        """Play the card, a legal one, for the seat whose turn it is."""
        self._hands[self.seat].remove(card)
        self._trick.append(card)
        self.seat = (self.seat + 1) % 3
        if len(self._trick) == 3:
            self._take_trick()

    def _take_trick(self) -> None:
        """Give the trick to the seat that takes it; the hidden card goes with the first."""
        led = self._trick[0].suit
        best = max(self._trick, key=lambda card: (card.suit == led, card.rank))
        self.seat = (self.seat + self._trick.index(best)) % 3
        if not any(self._taken):
            self._trick.append(self._hidden)
        self._taken[self.seat] += self._trick
        self._trick = []

    def scores(self) -> list[int]:
        """Return the points that each seat has taken so far."""
        hearts = [sum(card.suit == Suit.HEARTS for card in cards) for cards in self._taken]
        return [hearts[seat] + 13 * (QUEEN in self._taken[seat]) for seat in range(3)]
