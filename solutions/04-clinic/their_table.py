"""One deal of Hearts for four, card by card, as somebody else wrote it."""

from collections.abc import Iterable
from enum import IntEnum

from cards import Card, Hand, Rank, Suit

QUEEN = Card(Suit.SPADES, Rank.QUEEN)


# %% seats
class Seat(IntEnum):
    """One of the four places at the table, clockwise."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3


def points(card: Card) -> int:
    """Return what the card costs."""
    return 13 if card == QUEEN else int(card.suit == Suit.HEARTS)


# %% deal
class Deal:
    """Cards that were dealt to four players and are now played."""

    def __init__(self, hands: Iterable[Hand]) -> None:
        """Make a deal of copies of these hands, North's first; the lowest card begins."""
        self._hands = [Hand(hand) for hand in hands]
        self._trick: list[Card] = []
        self._taken: dict[Seat, list[Card]] = {seat: [] for seat in Seat}
        self._turn = min(Seat, key=lambda seat: min(self._hands[seat]))

    @property
    def turn(self) -> Seat:
        """The seat whose turn it is."""
        return self._turn

    def taken(self, seat: Seat) -> list[Card]:
        """Return the cards of all tricks that the seat has taken."""
        return self._taken[seat].copy()

    def scores(self) -> list[int]:
        """Return what the cards taken so far cost each seat, North's first."""
        return [sum(points(card) for card in self._taken[seat]) for seat in Seat]

    def play(self, card: Card) -> Seat | None:
        """Play the card for the seat whose turn it is; return the taker if the trick is full."""
        self._hands[self._turn].remove(card)
        self._trick.append(card)
        self._turn = Seat((self._turn + 1) % 4)
        return self._take_trick() if len(self._trick) == 4 else None

    def _take_trick(self) -> Seat:
        """Give the trick to the seat with the best card, which leads next; return the seat."""
        led = self._trick[0].suit
        best = max(self._trick, key=lambda card: (card.suit == led, card.rank))
        self._turn = Seat((self._turn + self._trick.index(best)) % 4)
        self._taken[self._turn] += self._trick
        self._trick = []
        return self._turn
