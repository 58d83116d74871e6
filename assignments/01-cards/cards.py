"""Cards, decks and hands: what every game of Hearts is played with.

    Suit   clubs, diamonds, hearts or spades; sorted by letter: C < D < H < S
    Rank   2 to ace, as the numbers 2 to 14
    Card   a suit and a rank; a value: equal cards are the same card, and a card never changes
    Hand   the cards that one player holds, in the order in which they were added, until sorted
    Deck   cards in the order in which they will be dealt
    seat   a place at the table: 0, 1, 2, ... clockwise

A card has three spellings, and `Card.parse` reads all of them:

    QS                 code: the rank's letter, then the suit's letter; the ten is T
    Q♠                 symbols: the rank's letter, then the suit's symbol
    Queen of Spades    words
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum, StrEnum
from random import Random


class Suit(StrEnum):
    """One of the four suits. Its value is its letter."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    @property
    def symbol(self) -> str:
        """The symbol printed on the cards: ♣ ♦ ♥ or ♠."""
        raise NotImplementedError("Task 1: Name suits and ranks")

    @property
    def word(self) -> str:
        """The suit's name, such as `Spades`."""
        raise NotImplementedError("Task 1: Name suits and ranks")


class Rank(IntEnum):
    """One of the thirteen ranks. Its value is a number from 2 to 14, because the ace is high."""

    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14

    @property
    def letter(self) -> str:
        """The character for the rank in a code: 2 to 9, T, J, Q, K or A."""
        raise NotImplementedError("Task 1: Name suits and ranks")

    @property
    def word(self) -> str:
        """The rank's name: `2` to `10`, `Jack`, `Queen`, `King` or `Ace`."""
        raise NotImplementedError("Task 1: Name suits and ranks")


class Card:
    """One playing card. Cards are sorted by suit, then by rank, as in a sorted hand."""

    def __str__(self) -> str:
        """Return the card's code, such as `QS`."""
        raise NotImplementedError("Task 3: Write a card")

    @property
    def symbols(self) -> str:
        """The rank's letter and the suit's symbol, such as `Q♠`."""
        raise NotImplementedError("Task 3: Write a card")

    @property
    def words(self) -> str:
        """The card's name, such as `Queen of Spades`."""
        raise NotImplementedError("Task 3: Write a card")

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Return the card that the text names, in any of the three spellings.

        Capital and small letters mean the same. Before a suit's letter or symbol `10` means `T`.
        Raise ValueError if the text names no card; the message says what to write instead.
        """
        raise NotImplementedError("Task 4: Read a card")


class Hand:
    """The cards that one player holds, each only once. Only the hand itself changes them."""

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        """Make a hand of these cards, in this order. Raise ValueError if a card comes twice."""
        raise NotImplementedError("Task 5: Hold a hand")

    def add(self, card: Card) -> None:
        """Put the card at the end. Raise ValueError with its code if the hand already holds it."""
        raise NotImplementedError("Task 5: Hold a hand")

    def remove(self, card: Card) -> None:
        """Take the card out. Raise ValueError with its code if the hand does not hold it."""
        raise NotImplementedError("Task 5: Hold a hand")

    def __len__(self) -> int:
        """Return the number of cards in the hand."""
        raise NotImplementedError("Task 5: Hold a hand")

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards, in the hand's order."""
        raise NotImplementedError("Task 5: Hold a hand")

    def __contains__(self, card: Card) -> bool:
        """Return whether the hand holds the card."""
        raise NotImplementedError("Task 5: Hold a hand")

    def __str__(self) -> str:
        """Return the codes of the cards on one line, in the hand's order, such as `QS 2C TH`."""
        raise NotImplementedError("Task 5: Hold a hand")

    def sort(self) -> None:
        """Sort the hand: clubs, diamonds, hearts, spades, and each suit from the two to the ace."""
        raise NotImplementedError("Task 6: Sort and show a hand")

    def cards_of(self, suit: Suit) -> list[Card]:
        """Return a new list of the hand's cards of that suit, in the hand's order."""
        raise NotImplementedError("Task 6: Sort and show a hand")

    def is_void(self, suit: Suit) -> bool:
        """Return whether the hand has no card of that suit."""
        raise NotImplementedError("Task 6: Sort and show a hand")

    def show(self) -> str:
        """Return four lines as in HEARTS 1.5: `S: AT8` (high to low), or only `S:` if void."""
        raise NotImplementedError("Task 6: Sort and show a hand")


class Deck:
    """Cards in the order in which they will be dealt."""

    def __init__(self, cards: Iterable[Card] | None = None) -> None:
        """Make a deck of these cards, the first on top; without `cards`, the full sorted pack."""
        raise NotImplementedError("Task 7: Shuffle a deck")

    def __len__(self) -> int:
        """Return the number of cards in the deck."""
        raise NotImplementedError("Task 7: Shuffle a deck")

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards, from the top."""
        raise NotImplementedError("Task 7: Shuffle a deck")

    def shuffle(self, rng: int | Random) -> None:
        """Put the cards in random order. Only `rng` decides it: a seed, or a generator to use."""
        raise NotImplementedError("Task 7: Shuffle a deck")

    def deal(self, players: int, dealer: int) -> tuple[list[Hand], list[Card]]:
        """Return the hands by seat, and the cards left over. The deck does not change.

        Deal one card at a time, clockwise from the dealer's left, while there is a card for every
        player. Raise ValueError unless there are 3, 4 or 5 players and the dealer has a seat.
        """
        raise NotImplementedError("Task 8: Deal the cards")
