"""UVa 181: five players who follow one recipe, from lines of cards to lines of scores.

A small state machine, `DeckReader`, reads the input, and objects play the deal: a `Table` with five
`Player`s. The functions of the brief use these classes. The strongest card takes the trick, so this
program needs nothing from `legal`.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TextIO

from cards import Card, Deck, Hand, Suit

PACK = 52
PLAYERS = 5
DEALER = 0
END = "#"

# The `#` is a word of its own, even without blanks around it.
_WORD = re.compile(rf"{END}|[^\s{END}]+")


class BadInput(ValueError):
    """The input is not a series of decks. The text of the error is one line: where and why."""

    def __init__(self, line: int, fault: str) -> None:
        """Take the number of the line, counted from 1, and say what is wrong in it."""
        super().__init__(f"line {line}: {fault}")


# Reading


def words(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Give each word with the number of its line, up to the first `#` and including it."""
    number = 0
    for number, line in enumerate(lines, start=1):
        for match in _WORD.finditer(line):
            yield number, match[0]
            if match[0] == END:
                return
    raise BadInput(number + 1, f"the input ends without {END}")


class State(Enum):
    """What the reader of decks expects next."""

    BETWEEN_DECKS = auto()
    IN_DECK = auto()
    DECK_FULL = auto()
    AT_END = auto()


class DeckReader:
    """A machine that takes one word after another and knows when it has a full deck.

    It remembers the line of each card of the current deck.
    """

    def __init__(self) -> None:
        """Wait for the first word."""
        self.state = State.BETWEEN_DECKS
        self._lines: dict[Card, int] = {}

    def take(self, line: int, word: str) -> None:
        """Go to the next state. Raise BadInput for a word that is not allowed here."""
        if word == END:
            self._end(line)
        else:
            self._add(line, word)

    def hand_over(self) -> Deck:
        """Return the full deck. The next word begins a new one."""
        deck = Deck(self._lines)
        self._lines = {}
        self.state = State.BETWEEN_DECKS
        return deck

    def _end(self, line: int) -> None:
        """Accept the `#`, but only between decks."""
        if self.state is State.IN_DECK:
            raise BadInput(line, f"{END} after {len(self._lines)} of {PACK} cards of a deck")
        self.state = State.AT_END

    def _add(self, line: int, word: str) -> None:
        """Add the next card, which the deck must not have yet."""
        try:
            card = Card.parse(word)
        except ValueError as error:
            raise BadInput(line, f"{word} is not a card ({error})") from error
        if card in self._lines:
            first = self._lines[card]
            raise BadInput(line, f"{card} comes twice in this deck, first in line {first}")
        self._lines[card] = line
        self.state = State.DECK_FULL if len(self._lines) == PACK else State.IN_DECK


def read_decks(lines: Iterable[str]) -> Iterator[Deck]:
    """Give each deck as soon as its last card is read. Raise BadInput at the first fault."""
    reader = DeckReader()
    for line, word in words(lines):
        reader.take(line, word)
        if reader.state is State.DECK_FULL:
            yield reader.hand_over()


# Playing


@dataclass(frozen=True)
class Trick:
    """A full trick: the seat that led, the cards as they were played, the seat that takes it."""

    leader: int
    cards: tuple[Card, ...]
    taker: int


def trump_suit(exposed: Iterable[Card]) -> Suit:
    """Return the suit of the higher exposed card; for equal ranks, the higher suit."""
    _, suit = max((card.rank, card.suit) for card in exposed)
    return suit


def deal(deck: Deck) -> tuple[list[Hand], Suit]:
    """Return the hands by seat, the dealer's first, and the trump suit."""
    hands, exposed = deck.deal(PLAYERS, DEALER)
    return hands, trump_suit(exposed)


def highest(cards: Iterable[Card], trump: Suit) -> Card:
    """Return the card of highest rank; of equal ranks the trump, or else the highest suit."""
    return max(cards, key=lambda card: (card.rank, card.suit == trump, card.suit))


def choose(hand: Hand, trick: Sequence[Card], trump: Suit) -> Card:
    """Return the highest card of the suit led, or else of the trumps, or else of the hand."""
    by_suit: dict[Suit, list[Card]] = {}
    for card in hand:
        by_suit.setdefault(card.suit, []).append(card)
    wanted = [trick[0].suit, trump] if trick else []
    for suit in wanted:
        if suit in by_suit:
            return highest(by_suit[suit], trump)
    return highest(hand, trump)


class Player:
    """A player in a seat, with a hand of cards, who follows the recipe."""

    def __init__(self, seat: int, hand: Hand) -> None:
        """Keep this hand itself, not a copy."""
        self.seat = seat
        self.hand = hand

    def play(self, on_table: Sequence[Card], trump: Suit) -> Card:
        """Play the card that the recipe says."""
        card = choose(self.hand, on_table, trump)
        self.hand.remove(card)
        return card


class Table:
    """The players of one deal, clockwise, and its trump suit."""

    def __init__(self, hands: Sequence[Hand], trump: Suit) -> None:
        """Make a player for each hand."""
        self.players = [Player(seat, hand) for seat, hand in enumerate(hands)]
        self.trump = trump

    def trick(self, leader: int) -> Trick:
        """Play one trick, beginning with the leader."""
        turns = self.players[leader:] + self.players[:leader]
        on_table: list[Card] = []
        for player in turns:
            on_table.append(player.play(on_table, self.trump))
        strengths = [self._strength(card, on_table[0].suit) for card in on_table]
        taker = turns[strengths.index(max(strengths))].seat
        return Trick(leader, tuple(on_table), taker)

    def tricks(self, leader: int) -> Iterator[Trick]:
        """Give one trick after another, until all hands are empty."""
        while any(player.hand for player in self.players):
            trick = self.trick(leader)
            yield trick
            leader = trick.taker

    def _strength(self, card: Card, led: Suit) -> tuple[bool, bool, int]:
        """Return the key that decides a trick: trump first, then the suit led, then the rank."""
        return card.suit == self.trump, card.suit == led, card.rank.value


def play_trick(hands: Sequence[Hand], leader: int, trump: Suit) -> Trick:
    """Play one trick and return it. Each hand, clockwise from the leader, loses one card."""
    return Table(hands, trump).trick(leader)


def play_out(deck: Deck) -> Iterator[Trick]:
    """Give all tricks of the deal in order. The seat that takes a trick leads to the next one."""
    return Table(*deal(deck)).tricks(leader=DEALER + 1)


# Scoring


def count_hearts(tricks: Iterable[Trick]) -> list[int]:
    """Return each seat's score, the dealer's first: the face value of all hearts it has taken."""
    scores = dict.fromkeys(range(PLAYERS), 0)
    for trick in tricks:
        for card in trick.cards:
            if card.suit == Suit.HEARTS:
                scores[trick.taker] += card.rank.value
    return list(scores.values())


def score_line(scores: Iterable[int]) -> str:
    """Return the line that the judge wants: each score right-aligned in a field of width 3."""
    return "".join(str(score).rjust(3) for score in scores)


def main(source: Iterable[str], out: TextIO, err: TextIO) -> int:
    """Write a line of scores to `out` for each deck of the source, and return the exit status.

    For bad input, write one line to `err`, after the scores of the decks before it.
    """
    try:
        for deck in read_decks(source):
            print(score_line(count_hearts(play_out(deck))), file=out)
    except BadInput as fault:
        print(fault, file=err)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.stdin, sys.stdout, sys.stderr))
