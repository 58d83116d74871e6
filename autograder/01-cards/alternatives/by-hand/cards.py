"""Cards, decks and hands: what every game of Hearts is played with.

Nothing here is generated: a card compares, hashes and refuses changes by methods of its own. It is
read by one regular expression. A hand is a dictionary's keys, which are ordered and never doubled;
a deck is a deque.
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
    """One of the four suits; as a text it is its letter."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    @property
    def symbol(self) -> str:
        """The sign printed on the cards."""
        return _SYMBOLS[self]

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
        """The one character that stands for the rank in a code."""
        return "T" if self is Rank.TEN else self.word[0]

    @property
    def word(self) -> str:
        """The rank in words: digits up to `10`, then its name."""
        return self.name.capitalize() if self > Rank.TEN else str(self.value)


_SYMBOLS = {Suit.CLUBS: "♣", Suit.DIAMONDS: "♦", Suit.HEARTS: "♥", Suit.SPADES: "♠"}

# Whatever may stand for a rank or a suit, in capitals. (`10` is a rank's word, and the ten's.)
_RANKS = {name.upper(): rank for rank in Rank for name in (rank.letter, rank.word)}
_SUITS = {name.upper(): suit for suit in Suit for name in (suit.value, suit.symbol, suit.word)}

_RANK_LETTERS = "".join(rank.letter for rank in Rank)
_SUIT_LETTERS = "".join(Suit)

# ASCII, because otherwise the Kelvin sign would pass for a K and the long s for an S.
_SPELLING = re.compile(
    rf"(10|[{_RANK_LETTERS}])([{_SUIT_LETTERS}{''.join(_SYMBOLS.values())}])"
    rf"|({'|'.join(rank.word for rank in Rank)}) of ({'|'.join(suit.word for suit in Suit)})",
    re.IGNORECASE | re.ASCII,
)


@total_ordering
class Card:
    """One playing card, a value. Cards sort by suit, then by rank."""

    __slots__ = ("rank", "suit")

    suit: Suit
    rank: Rank

    def __init__(self, suit: Suit, rank: Rank) -> None:
        """The card of that suit and rank. This is the only place that ever sets them."""
        object.__setattr__(self, "suit", suit)
        object.__setattr__(self, "rank", rank)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a card never changes."""
        raise AttributeError(f"a card never changes: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: a card never changes."""
        raise AttributeError(f"a card never changes: cannot delete {name!r}")

    def __reduce__(self) -> tuple[type, tuple[Suit, Rank]]:
        """Copy and pickle by making the card anew, since its attributes cannot be set."""
        return type(self), (self.suit, self.rank)

    def __eq__(self, other: object) -> bool:
        """Is the other a card, of the same suit and rank?"""
        if not isinstance(other, Card):
            return NotImplemented
        return self.suit == other.suit and self.rank == other.rank

    def __lt__(self, other: object) -> bool:
        """Does this card come before the other in a sorted hand?"""
        if not isinstance(other, Card):
            return NotImplemented
        if self.suit == other.suit:
            return self.rank < other.rank
        return self.suit < other.suit

    def __hash__(self) -> int:
        """The same number for equal cards."""
        return hash((self.suit, self.rank))

    def __repr__(self) -> str:
        """The card as one might read it back."""
        return f"Card.parse({str(self)!r})"

    def __str__(self) -> str:
        """The card's code, such as `QS`."""
        return f"{self.rank.letter}{self.suit.value}"

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
        """The card that the text names, or ValueError."""
        match = _SPELLING.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text!r} is not a card: "
                f"write a rank ({_RANK_LETTERS}), then a suit ({_SUIT_LETTERS})"
            )
        rank, suit = (part.upper() for part in match.groups() if part is not None)
        return cls(_SUITS[suit], _RANKS[rank])


class Hand(Collection):
    """The cards that one player holds, none of them twice."""

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        """A hand of these cards, in this order. Raises ValueError if one comes twice."""
        self._held: dict[Card, None] = {}
        for card in cards:
            self.add(card)

    def add(self, card: Card) -> None:
        """Put the card last. Raises ValueError if the hand holds it already."""
        if card in self._held:
            raise ValueError(f"{card} is in this hand already")
        self._held[card] = None

    def remove(self, card: Card) -> None:
        """Take the card out. Raises ValueError if the hand does not hold it."""
        if card not in self._held:
            raise ValueError(f"{card} is not in this hand")
        del self._held[card]

    def __len__(self) -> int:
        """How many cards the hand holds."""
        return len(self._held)

    def __iter__(self) -> Iterator[Card]:
        """The cards in the hand's order, as they are now, even if the hand changes meanwhile."""
        return iter(tuple(self._held))

    def __contains__(self, card: object) -> bool:
        """Does the hand hold this card?"""
        return card in self._held

    def __str__(self) -> str:
        """The cards' codes on one line, in the hand's order."""
        return " ".join(map(str, self._held))

    def sort(self) -> None:
        """Put the cards in order: by suit, then by rank."""
        self._held = dict.fromkeys(sorted(self._held))

    def cards_of(self, suit: Suit) -> list[Card]:
        """A new list of the hand's cards of that suit, in the hand's order."""
        return [card for card in self._held if card.suit == suit]

    def is_void(self, suit: Suit) -> bool:
        """Does the hand hold no card of that suit?"""
        return all(card.suit != suit for card in self._held)

    def show(self) -> str:
        """Four lines, spades first, each with its ranks from high to low."""
        letters = dict.fromkeys(reversed(Suit), "")
        for card in sorted(self._held, reverse=True):
            letters[card.suit] += card.rank.letter
        return "\n".join(f"{suit.value}: {ranks}".rstrip() for suit, ranks in letters.items())


class Deck(Collection):
    """Cards in the order in which they will be dealt."""

    def __init__(self, cards: Iterable[Card] | None = None) -> None:
        """A deck of these cards, the first on top; without the argument the full pack, sorted."""
        self._pile = deque(starmap(Card, product(Suit, Rank)) if cards is None else cards)

    def __len__(self) -> int:
        """How many cards the deck holds."""
        return len(self._pile)

    def __iter__(self) -> Iterator[Card]:
        """The cards, one after the other, from the top."""
        return iter(self._pile)

    def __contains__(self, card: object) -> bool:
        """Is this card in the deck?"""
        return card in self._pile

    def shuffle(self, chance: int | Random) -> None:
        """Put the cards in an order that only `chance` decides: a seed, or a generator to use."""
        generator = chance if isinstance(chance, Random) else Random(chance)
        self._pile = deque(generator.sample(list(self._pile), len(self._pile)))

    def deal(self, players: int, dealer: int) -> tuple[list[Hand], list[Card]]:
        """Each seat's hand, and the cards left over; the deck itself stays as it is."""
        if players not in (3, 4, 5):
            raise ValueError(f"Hearts is for 3, 4 or 5 players, not {players}")
        if dealer not in range(players):
            raise ValueError(f"the dealer's seat must be one of 0 to {players - 1}, not {dealer}")
        dealt = len(self) - len(self) % players
        firsts = ((seat - dealer - 1) % players for seat in range(players))
        hands = [Hand(islice(self._pile, first, dealt, players)) for first in firsts]
        return hands, list(islice(self._pile, dealt, None))
