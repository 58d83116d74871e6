"""Cards, decks and hands, with every liberty that the brief leaves.

There is one object for each card, so cards are equal if they are the same object. Hands and decks
are lists. Errors have classes of their own, and a deal is a named tuple.
"""

from enum import IntEnum, StrEnum
from functools import cache
from operator import attrgetter
from random import Random
from typing import NamedTuple


class NotACard(ValueError):
    """A text names no card."""


class WrongHand(ValueError):
    """A hand cannot take or give this card."""


class NoSuchSeat(ValueError):
    """Nobody sits there."""


class Unchangeable(AttributeError):
    """Somebody wanted to change a card."""


class Suit(StrEnum):
    """One of the four suits, which also knows its colour."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    red = property(lambda self: self in "DH")
    symbol = property(lambda self: dict(zip("CDHS", "♣♦♥♠", strict=True))[self.value])
    word = property(attrgetter("plural"))

    @property
    def plural(self):
        """The suit's name."""
        return self.name.title()


class Rank(IntEnum):
    """One of the thirteen ranks."""

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
    def letter(self):
        """The rank's first character."""
        if self.value < 10:
            return str(self.value)
        return self.name[0]

    @property
    def word(self):
        """The rank's name."""
        return self.name.title() if self.value > 10 else str(self.value)


class Card:
    """A card; making it again gives the same object."""

    def __new__(cls, suit, rank):
        """Return the only card of this suit and rank."""
        return _the_only(suit, rank)

    def __setattr__(self, *_):
        raise Unchangeable("Hands off!")

    __delattr__ = __setattr__

    def __reduce__(self):
        return Card, (self.suit, self.rank)

    def __hash__(self):
        return 13

    def __lt__(self, other):
        return self.place < other.place

    def __le__(self, other):
        return self.place <= other.place

    def __gt__(self, other):
        return self.place > other.place

    def __ge__(self, other):
        return self.place >= other.place

    def __str__(self):
        return self.rank.letter + self.suit

    def __repr__(self):
        return f"<{self.words}>"

    def __format__(self, form):
        return format(self.symbols, form)

    symbols = property(lambda self: self.rank.letter + self.suit.symbol)
    words = property(lambda self: f"{self.rank.word} of {self.suit.word}")

    @staticmethod
    def parse(text, *, strict=True):
        """Look the text up among all spellings of all cards."""
        found = _spellings().get(text.translate(_SMALL))
        if found is None and strict:
            raise NotACard(f"Ranks are 23456789TJQKA and suits are CDHS, so what is {text!r}?")
        return found


_SMALL = {capital: capital + 32 for capital in range(ord("A"), ord("Z") + 1)}


@cache
def _the_only(suit, rank):
    card = object.__new__(Card)
    place = 13 * "CDHS".index(suit) + rank - 2
    vars(card).update(suit=suit, rank=rank, place=place)
    return card


@cache
def _spellings():
    found = {}
    for card in Deck():
        for text in (str(card), card.symbols, card.words):
            found[text.translate(_SMALL)] = card
        if card.rank == 10:
            found[f"10{card.suit}".translate(_SMALL)] = found[f"10{card.suit.symbol}"] = card
    return found


class Hand(list):
    """A list of cards that looks at what it takes and gives."""

    def __init__(self, cards=(), owner="somebody"):
        super().__init__()
        self.owner = owner
        for card in cards:
            self.add(card)

    def add(self, *cards):
        """Add any number of cards."""
        for card in cards:
            if card in self:
                raise WrongHand(f"{self.owner} holds {card!s} already")
            self.append(card)
        return self

    def remove(self, card):
        """Take the card out and return it."""
        if card not in self:
            raise WrongHand(f"where is {card!s}?")
        return self.pop(self.index(card))

    def __str__(self):
        return " ".join(map(str, self))

    def cards_of(self, suit):
        """Return the cards of that suit."""
        return list(filter(lambda card: card.suit is suit, self))

    def is_void(self, suit):
        """Return whether no card is of that suit."""
        return suit not in {card.suit for card in self}

    def show(self):
        """Return a line for each suit."""
        return "\n".join(self._line(suit) for suit in sorted(Suit, reverse=True))

    def _line(self, suit):
        ranks = sorted((card.rank for card in self.cards_of(suit)), reverse=True)
        return " ".join([f"{suit}:", *filter(None, ["".join(rank.letter for rank in ranks)])])


class Dealt(NamedTuple):
    """What comes of a deal."""

    hands: list
    left_over: list


class Deck(list):
    """A list of cards; the first is dealt first."""

    def __init__(self, cards=None):
        super().__init__([Card(s, r) for s in Suit for r in Rank] if cards is None else cards)

    def shuffle(self, rng):
        """Sort the cards by random numbers."""
        chance = Random(rng) if isinstance(rng, int) else rng
        places = {id(card): chance.random() for card in self}
        self.sort(key=lambda card: places[id(card)])
        return self

    def deal(self, players, dealer):
        """Deal round by round."""
        if players not in range(3, 6):
            raise NoSuchSeat(f"not with {players}")
        if dealer not in range(players):
            raise NoSuchSeat(f"nobody sits in seat {dealer}")
        hands, rounds = (
            [Hand(owner=f"seat {seat}") for seat in range(players)],
            len(self) // players,
        )
        cards = iter(self)
        for _ in range(rounds):
            for seat in range(dealer + 1, dealer + 1 + players):
                hands[seat % players].add(next(cards))
        return Dealt(hands, [*cards])
