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
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache
from random import Random


# %% suits-and-ranks
class Suit(StrEnum):
    """One of the four suits; as a text it is its letter."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    @property
    def symbol(self) -> str:
        """The sign printed on the cards: ♣ ♦ ♥ or ♠."""
        return {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}[self]

    @property
    def word(self) -> str:
        """The suit in words, such as `Spades`."""
        return self.name.capitalize()


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
        return "23456789TJQKA"[self - Rank.TWO]

    @property
    def word(self) -> str:
        """The rank in words: `2` to `10`, then `Jack`, `Queen`, `King` and `Ace`."""
        return str(self.value) if self <= Rank.TEN else self.name.capitalize()


# %% card
@dataclass(frozen=True, order=True)
class Card:
    """One playing card. Cards sort by suit, then by rank, as people hold them."""

    suit: Suit
    rank: Rank

    def __str__(self) -> str:
        """The card's code, such as `QS`."""
        return f"{self.rank.letter}{self.suit}"

    @property
    def symbols(self) -> str:
        """The card's code with the suit's symbol, such as `Q♠`."""
        return f"{self.rank.letter}{self.suit.symbol}"

    @property
    def words(self) -> str:
        """The card's name in words, such as `Queen of Spades`."""
        return f"{self.rank.word} of {self.suit.word}"

    @classmethod
    def parse(cls, text: str) -> "Card":
        """The card that the text names: any of the three ways, `10` for `T`, in any case.

        Raises ValueError, naming the text and what was wanted, if it names no card.
        """
        try:
            return cls._spellings()[text.upper()]
        except KeyError:
            ranks = "".join(rank.letter for rank in Rank)
            suits = "".join(Suit)
            wanted = f"write a rank ({ranks}), then a suit ({suits})"
            raise ValueError(f"{text!r} is not a card: {wanted}") from None

    @classmethod
    @cache
    def _spellings(cls) -> dict[str, "Card"]:
        """Every card, under all that may be written for it, in capitals."""
        cards = [cls(suit, rank) for suit in Suit for rank in Rank]
        codes = {code: card for card in cards for code in (str(card), card.symbols)}
        tens = {code.replace("T", "10"): card for code, card in codes.items()}
        return codes | tens | {card.words.upper(): card for card in cards}


# %% hand
class Hand:
    """The cards that one player holds, none of them twice; only the hand itself changes them."""

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        """A hand of these cards, in this order. Raises ValueError if one comes twice."""
        self._cards: list[Card] = []
        for card in cards:
            self.add(card)

    def add(self, card: Card) -> None:
        """Put the card last. Raises ValueError, naming it, if the hand holds it already."""
        if card in self:
            raise ValueError(f"{card} is already in this hand")
        self._cards.append(card)

    def remove(self, card: Card) -> None:
        """Take the card out. Raises ValueError, naming it, if the hand does not hold it."""
        if card not in self:
            raise ValueError(f"{card} is not in this hand")
        self._cards.remove(card)

    def __len__(self) -> int:
        """How many cards the hand holds."""
        return len(self._cards)

    def __iter__(self) -> Iterator[Card]:
        """The cards, one after the other, in the hand's order."""
        return iter(self._cards)

    def __contains__(self, card: Card) -> bool:
        """Does the hand hold this card?"""
        return card in self._cards

    def __str__(self) -> str:
        """The cards' codes on one line, in the hand's order, such as `QS 2C TH`."""
        return " ".join(str(card) for card in self)

    def sort(self) -> None:
        """Put the cards in order: clubs, diamonds, hearts, spades; in each, 2 up to the ace."""
        self._cards.sort()

    def cards_of(self, suit: Suit) -> list[Card]:
        """A new list of the hand's cards of that suit, in the hand's order."""
        return [card for card in self if card.suit == suit]

    def is_void(self, suit: Suit) -> bool:
        """Does the hand hold no card of that suit?"""
        return not self.cards_of(suit)

    def show(self) -> str:
        """The hand as HEARTS 1.5 showed it: four lines such as `S: AT863`, a bare `C:` if void."""
        lines = []
        for suit in reversed(Suit):
            held = sorted(self.cards_of(suit), reverse=True)
            ranks = "".join(card.rank.letter for card in held)
            lines.append(f"{suit}: {ranks}".rstrip())
        return "\n".join(lines)


# %% deck
class Deck:
    """Cards in the order in which they will be dealt."""

    def __init__(self, cards: Iterable[Card] | None = None) -> None:
        """A deck of these cards, the first on top; without the argument the full pack, sorted."""
        pack = (Card(suit, rank) for suit in Suit for rank in Rank)
        self._cards = list(pack if cards is None else cards)

    def __len__(self) -> int:
        """How many cards the deck holds."""
        return len(self._cards)

    def __iter__(self) -> Iterator[Card]:
        """The cards, one after the other, from the top."""
        return iter(self._cards)

    def shuffle(self, chance: int | Random) -> None:
        """Put the cards in an order that only `chance` decides: a seed, or a generator to use."""
        generator = chance if isinstance(chance, Random) else Random(chance)
        generator.shuffle(self._cards)

    def deal(self, players: int, dealer: int) -> tuple[list[Hand], list[Card]]:
        """Each seat's hand, and the cards left over; the deck itself stays as it is.

        One card at a time goes round, clockwise from the dealer's left, while there is one for all.
        Raises ValueError unless there are 3, 4 or 5 players and the dealer sits in one's seat.
        """
        if players not in (3, 4, 5):
            raise ValueError(f"{players} players: a deal is for 3, 4 or 5")
        if dealer not in range(players):
            raise ValueError(f"no seat {dealer} at a table of {players}: the first is seat 0")
        hands = [Hand() for _ in range(players)]
        dealt = len(self) - len(self) % players
        for seat, card in enumerate(self._cards[:dealt], start=dealer + 1):
            hands[seat % players].add(card)
        return hands, self._cards[dealt:]
