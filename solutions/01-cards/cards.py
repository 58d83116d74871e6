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

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache
from random import Random


# %% suits-and-ranks
class Suit(StrEnum):
    """One of the four suits. Its value is its letter."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    @property
    def symbol(self) -> str:
        """The symbol printed on the cards: ♣ ♦ ♥ or ♠."""
        return {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}[self]

    @property
    def word(self) -> str:
        """The suit's name, such as `Spades`."""
        return self.name.capitalize()


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
        return "23456789TJQKA"[self - Rank.TWO]

    @property
    def word(self) -> str:
        """The rank's name: `2` to `10`, `Jack`, `Queen`, `King` or `Ace`."""
        return str(self.value) if self <= Rank.TEN else self.name.capitalize()


# %% card
@dataclass(frozen=True, order=True)
class Card:
    """One playing card. Cards are sorted by suit, then by rank, as in a sorted hand."""

    suit: Suit
    rank: Rank

    def __str__(self) -> str:
        """Return the card's code, such as `QS`."""
        return f"{self.rank.letter}{self.suit}"

    @property
    def symbols(self) -> str:
        """The rank's letter and the suit's symbol, such as `Q♠`."""
        return f"{self.rank.letter}{self.suit.symbol}"

    @property
    def words(self) -> str:
        """The card's name, such as `Queen of Spades`."""
        return f"{self.rank.word} of {self.suit.word}"

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Return the card that the text names, in any of the three spellings.

        Capital and small letters mean the same. Before a suit's letter or symbol `10` means `T`.
        Raise ValueError if the text names no card; the message says what to write instead.
        """
        # Only A to Z: `upper` would also make an S of the long s, which is another sign.
        capitals = "".join(sign.upper() if sign.isascii() else sign for sign in text)
        rank_text, of, suit_text = capitals.partition(" OF ")
        if not of:
            rank_text, suit_text = rank_text[:-1], rank_text[-1:]
        ranks, suits = cls._words() if of else cls._signs()
        try:
            return cls(suits[suit_text], ranks[rank_text])
        except KeyError:
            letters = "".join(rank.letter for rank in Rank)
            wanted = f"write a rank ({letters}), then a suit ({''.join(Suit)})"
            raise ValueError(f"{text!r} is not a card: {wanted}") from None

    @staticmethod
    @cache
    def _signs() -> tuple[Mapping[str, Rank], Mapping[str, Suit]]:
        """Return each rank and each suit by what stands for it in codes and symbols."""
        ranks = {rank.letter: rank for rank in Rank} | {"10": Rank.TEN}
        suits = {sign: suit for suit in Suit for sign in (suit.value, suit.symbol)}
        return ranks, suits

    @staticmethod
    @cache
    def _words() -> tuple[Mapping[str, Rank], Mapping[str, Suit]]:
        """Return each rank and each suit by its word, in capital letters."""
        ranks = {rank.word.upper(): rank for rank in Rank}
        suits = {suit.word.upper(): suit for suit in Suit}
        return ranks, suits


# %% hand
class Hand:
    """The cards that one player holds, each only once. Only the hand itself changes them."""

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        """Make a hand of these cards, in this order. Raise ValueError if a card comes twice."""
        self._cards: list[Card] = []
        for card in cards:
            self.add(card)

    def add(self, card: Card) -> None:
        """Put the card at the end. Raise ValueError with its code if the hand already holds it."""
        if card in self:
            raise ValueError(f"{card} is already in this hand")
        self._cards.append(card)

    def remove(self, card: Card) -> None:
        """Take the card out. Raise ValueError with its code if the hand does not hold it."""
        if card not in self:
            raise ValueError(f"{card} is not in this hand")
        self._cards.remove(card)

    def __len__(self) -> int:
        """Return the number of cards in the hand."""
        return len(self._cards)

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards, in the hand's order."""
        return iter(self._cards)

    def __contains__(self, card: Card) -> bool:
        """Return whether the hand holds the card."""
        return card in self._cards

    def __str__(self) -> str:
        """Return the codes of the cards on one line, in the hand's order, such as `QS 2C TH`."""
        return " ".join(str(card) for card in self)

    def sort(self) -> None:
        """Sort the hand: clubs, diamonds, hearts, spades, and each suit from the two to the ace."""
        self._cards.sort()

    def cards_of(self, suit: Suit) -> list[Card]:
        """Return a new list of the hand's cards of that suit, in the hand's order."""
        return [card for card in self if card.suit == suit]

    def is_void(self, suit: Suit) -> bool:
        """Return whether the hand has no card of that suit."""
        return not self.cards_of(suit)

    def show(self) -> str:
        """Return four lines as in HEARTS 1.5: `S: AT8` (high to low), or only `S:` if void."""
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
        """Make a deck of these cards, the first on top; without `cards`, the full sorted pack."""
        pack = (Card(suit, rank) for suit in Suit for rank in Rank)
        self._cards = list(pack if cards is None else cards)

    def __len__(self) -> int:
        """Return the number of cards in the deck."""
        return len(self._cards)

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards, from the top."""
        return iter(self._cards)

    def shuffle(self, rng: int | Random) -> None:
        """Put the cards in random order. Only `rng` decides it: a seed, or a generator to use."""
        generator = rng if isinstance(rng, Random) else Random(rng)
        generator.shuffle(self._cards)

    def deal(self, players: int, dealer: int) -> tuple[list[Hand], list[Card]]:
        """Return the hands by seat, and the cards left over. The deck does not change.

        Deal one card at a time, clockwise from the dealer's left, while there is a card for every
        player. Raise ValueError unless there are 3, 4 or 5 players and the dealer has a seat.
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
