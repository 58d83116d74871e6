"""Cards, decks and hands: what every game of Hearts is played with.

    Suit   clubs, diamonds, hearts or spades, in the order of their letters: C < D < H < S
    Rank   2 up to the ace, as the numbers 2 to 14
    Card   a suit and a rank; a value: equal cards are the same card, and no card ever changes
    Hand   the cards that one player holds, in the order in which they came, until it is sorted
    Deck   cards in the order in which they will be dealt
    seat   a place at the table: 0, 1, 2, ... clockwise

A card is written in three ways, and each can be read back:

    QS                 its code: the rank's letter, then the suit's; the ten is T
    Q♠                 its code with the suit's symbol
    Queen of Spades    its name in words
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum, StrEnum
from random import Random


class Suit(StrEnum):
    """One of the four suits; as a text it is its letter."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    @property
    def symbol(self) -> str:
        """The sign printed on the cards: ♣ ♦ ♥ or ♠."""
        raise NotImplementedError("Task 1: Name suits and ranks")

    @property
    def word(self) -> str:
        """The suit in words, such as `Spades`."""
        raise NotImplementedError("Task 1: Name suits and ranks")


class Rank(IntEnum):
    """One of the thirteen ranks; as a number it is 2 to 14, so that the ace is high."""

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
        """The one character that stands for the rank in a code: 2 to 9, T, J, Q, K or A."""
        raise NotImplementedError("Task 1: Name suits and ranks")

    @property
    def word(self) -> str:
        """The rank in words: `2` to `10`, then `Jack`, `Queen`, `King` and `Ace`."""
        raise NotImplementedError("Task 1: Name suits and ranks")


class Card:
    """One playing card. Cards sort by suit, then by rank, as people hold them."""

    def __str__(self) -> str:
        """The card's code, such as `QS`."""
        raise NotImplementedError("Task 3: Write a card")

    @property
    def symbols(self) -> str:
        """The card's code with the suit's symbol, such as `Q♠`."""
        raise NotImplementedError("Task 3: Write a card")

    @property
    def words(self) -> str:
        """The card's name in words, such as `Queen of Spades`."""
        raise NotImplementedError("Task 3: Write a card")

    @classmethod
    def parse(cls, text: str) -> "Card":
        """The card that the text names: any of the three ways, `10` for `T`, in any case.

        Raises ValueError, naming the text and what was wanted, if it names no card.
        """
        raise NotImplementedError("Task 4: Read a card")


class Hand:
    """The cards that one player holds, none of them twice; only the hand itself changes them."""

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        """A hand of these cards, in this order. Raises ValueError if one comes twice."""
        raise NotImplementedError("Task 5: Hold a hand")

    def add(self, card: Card) -> None:
        """Put the card last. Raises ValueError, naming it, if the hand holds it already."""
        raise NotImplementedError("Task 5: Hold a hand")

    def remove(self, card: Card) -> None:
        """Take the card out. Raises ValueError, naming it, if the hand does not hold it."""
        raise NotImplementedError("Task 5: Hold a hand")

    def __len__(self) -> int:
        """How many cards the hand holds."""
        raise NotImplementedError("Task 5: Hold a hand")

    def __iter__(self) -> Iterator[Card]:
        """The cards, one after the other, in the hand's order."""
        raise NotImplementedError("Task 5: Hold a hand")

    def __contains__(self, card: Card) -> bool:
        """Does the hand hold this card?"""
        raise NotImplementedError("Task 5: Hold a hand")

    def __str__(self) -> str:
        """The cards' codes on one line, in the hand's order, such as `QS 2C TH`."""
        raise NotImplementedError("Task 5: Hold a hand")

    def sort(self) -> None:
        """Put the cards in order: clubs, diamonds, hearts, spades; in each, 2 up to the ace."""
        raise NotImplementedError("Task 6: Sort and show a hand")

    def cards_of(self, suit: Suit) -> list[Card]:
        """A new list of the hand's cards of that suit, in the hand's order."""
        raise NotImplementedError("Task 6: Sort and show a hand")

    def is_void(self, suit: Suit) -> bool:
        """Does the hand hold no card of that suit?"""
        raise NotImplementedError("Task 6: Sort and show a hand")

    def show(self) -> str:
        """The hand as HEARTS 1.5 showed it: four lines such as `S: AT863`, a bare `C:` if void."""
        raise NotImplementedError("Task 6: Sort and show a hand")


class Deck:
    """Cards in the order in which they will be dealt."""

    def __init__(self, cards: Iterable[Card] | None = None) -> None:
        """A deck of these cards, the first on top; without the argument the full pack, sorted."""
        raise NotImplementedError("Task 7: Shuffle a deck")

    def __len__(self) -> int:
        """How many cards the deck holds."""
        raise NotImplementedError("Task 7: Shuffle a deck")

    def __iter__(self) -> Iterator[Card]:
        """The cards, one after the other, from the top."""
        raise NotImplementedError("Task 7: Shuffle a deck")

    def shuffle(self, chance: int | Random) -> None:
        """Put the cards in an order that only `chance` decides: a seed, or a generator to use."""
        raise NotImplementedError("Task 7: Shuffle a deck")

    def deal(self, players: int, dealer: int) -> tuple[list[Hand], list[Card]]:
        """Each seat's hand, and the cards left over; the deck itself stays as it is.

        One card at a time goes round, clockwise from the dealer's left, while there is one for all.
        Raises ValueError unless there are 3, 4 or 5 players and the dealer sits in one's seat.
        """
        raise NotImplementedError("Task 8: Deal the cards")
