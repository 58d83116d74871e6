"""Cards, decks and hands: what every game of Hearts is played with.

Nothing here is generated: a card has its own methods to compare, to hash and to refuse changes. One
regular expression reads it. A hand is the keys of a dictionary, which are ordered and different; a
deck is a deque.
"""

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from enum import IntEnum, StrEnum
from functools import total_ordering
from itertools import islice, product, starmap
from random import Random
from typing import NoReturn


class Suit(StrEnum):
    """One of the four suits. Its value is its letter."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    @property
    def symbol(self) -> str:
        """The symbol printed on the cards."""
        return _SYMBOLS[self]

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
        """The character for the rank in a code."""
        return "T" if self is Rank.TEN else self.word[0]

    @property
    def word(self) -> str:
        """The rank's name: digits up to `10`, then a word."""
        return self.name.capitalize() if self > Rank.TEN else str(self.value)


_SYMBOLS = {Suit.CLUBS: "♣", Suit.DIAMONDS: "♦", Suit.HEARTS: "♥", Suit.SPADES: "♠"}

# All names of ranks and suits, in capitals. (`10` is the word of the ten.)
_RANKS = {name.upper(): rank for rank in Rank for name in (rank.letter, rank.word)}
_SUITS = {name.upper(): suit for suit in Suit for name in (suit.value, suit.symbol, suit.word)}

_RANK_LETTERS = "".join(rank.letter for rank in Rank)
_SUIT_LETTERS = "".join(Suit)

# ASCII: otherwise the Kelvin sign would match K, and the long s would match S.
_SPELLING = re.compile(
    rf"(10|[{_RANK_LETTERS}])([{_SUIT_LETTERS}{''.join(_SYMBOLS.values())}])"
    rf"|({'|'.join(rank.word for rank in Rank)}) of ({'|'.join(suit.word for suit in Suit)})",
    re.IGNORECASE | re.ASCII,
)


@total_ordering
class Card:
    """One playing card, a value. Cards are sorted by suit, then by rank."""

    __slots__ = ("rank", "suit")

    suit: Suit
    rank: Rank

    def __init__(self, suit: Suit, rank: Rank) -> None:
        """Set suit and rank. Nothing else ever sets them."""
        object.__setattr__(self, "suit", suit)
        object.__setattr__(self, "rank", rank)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a card never changes."""
        raise AttributeError(f"a card never changes: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: a card never changes."""
        raise AttributeError(f"a card never changes: cannot delete {name!r}")

    def __reduce__(self) -> tuple[type, tuple[Suit, Rank]]:
        """Copy and pickle by making a new card, because attributes cannot be set."""
        return type(self), (self.suit, self.rank)

    def __eq__(self, other: object) -> bool:
        """Return whether the other is a card of the same suit and rank."""
        if not isinstance(other, Card):
            return NotImplemented
        return self.suit == other.suit and self.rank == other.rank

    def __lt__(self, other: object) -> bool:
        """Return whether this card comes before the other in a sorted hand."""
        if not isinstance(other, Card):
            return NotImplemented
        if self.suit == other.suit:
            return self.rank < other.rank
        return self.suit < other.suit

    def __hash__(self) -> int:
        """Return the same number for equal cards."""
        return hash((self.suit, self.rank))

    def __repr__(self) -> str:
        """Return an expression that makes this card."""
        return f"Card.parse({str(self)!r})"

    def __str__(self) -> str:
        """Return the card's code, such as `QS`."""
        return f"{self.rank.letter}{self.suit.value}"

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
        """Return the card that the text names. Raise ValueError if it names none."""
        match = _SPELLING.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text!r} is not a card: "
                f"write a rank ({_RANK_LETTERS}), then a suit ({_SUIT_LETTERS})"
            )
        rank, suit = (part.upper() for part in match.groups() if part is not None)
        return cls(_SUITS[suit], _RANKS[rank])


class Hand(Collection):
    """The cards that one player holds, each only once."""

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        """Make a hand of these cards, in this order. Raise ValueError if a card comes twice."""
        self._held: dict[Card, None] = {}
        for card in cards:
            self.add(card)

    def add(self, card: Card) -> None:
        """Put the card at the end. Raise ValueError if the hand already holds it."""
        if card in self._held:
            raise ValueError(f"{card} is in this hand already")
        self._held[card] = None

    def remove(self, card: Card) -> None:
        """Take the card out. Raise ValueError if the hand does not hold it."""
        if card not in self._held:
            raise ValueError(f"{card} is not in this hand")
        del self._held[card]

    def __len__(self) -> int:
        """Return the number of cards in the hand."""
        return len(self._held)

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards that the hand holds now, even if it changes meanwhile."""
        return iter(tuple(self._held))

    def __contains__(self, card: object) -> bool:
        """Return whether the hand holds the card."""
        return card in self._held

    def __str__(self) -> str:
        """Return the codes of the cards on one line, in the hand's order."""
        return " ".join(map(str, self._held))

    def sort(self) -> None:
        """Sort the hand by suit, then by rank."""
        self._held = dict.fromkeys(sorted(self._held))

    def cards_of(self, suit: Suit) -> list[Card]:
        """Return a new list of the hand's cards of that suit, in the hand's order."""
        return [card for card in self._held if card.suit == suit]

    def is_void(self, suit: Suit) -> bool:
        """Return whether the hand has no card of that suit."""
        return all(card.suit != suit for card in self._held)

    def show(self) -> str:
        """Return four lines, spades first, each with its ranks from high to low."""
        letters = dict.fromkeys(reversed(Suit), "")
        for card in sorted(self._held, reverse=True):
            letters[card.suit] += card.rank.letter
        return "\n".join(f"{suit.value}: {ranks}".rstrip() for suit, ranks in letters.items())


class Deck(Collection):
    """Cards in the order in which they will be dealt."""

    def __init__(self, cards: Iterable[Card] | None = None) -> None:
        """Make a deck of these cards, the first on top; without `cards`, the full sorted pack."""
        self._pile = deque(starmap(Card, product(Suit, Rank)) if cards is None else cards)

    def __len__(self) -> int:
        """Return the number of cards in the deck."""
        return len(self._pile)

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards, from the top."""
        return iter(self._pile)

    def __contains__(self, card: object) -> bool:
        """Return whether the card is in the deck."""
        return card in self._pile

    def shuffle(self, rng: int | Random) -> None:
        """Put the cards in random order. Only `rng` decides it: a seed, or a generator to use."""
        generator = rng if isinstance(rng, Random) else Random(rng)
        self._pile = deque(generator.sample(list(self._pile), len(self._pile)))

    def deal(self, players: int, dealer: int) -> tuple[list[Hand], list[Card]]:
        """Return the hands by seat, and the cards left over. The deck does not change."""
        if players not in (3, 4, 5):
            raise ValueError(f"Hearts is for 3, 4 or 5 players, not {players}")
        if dealer not in range(players):
            raise ValueError(f"the dealer's seat must be one of 0 to {players - 1}, not {dealer}")
        dealt = len(self) - len(self) % players
        firsts = ((seat - dealer - 1) % players for seat in range(players))
        hands = [Hand(islice(self._pile, first, dealt, players)) for first in firsts]
        return hands, list(islice(self._pile, dealt, None))
