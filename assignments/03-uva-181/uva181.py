"""UVa 181: five players who follow one recipe, from lines of cards to lines of scores.

    word      text between blanks in a line of the input: a card's code, or the `#` at the end
    deck      the 52 cards of a pack, in the order in which they are dealt
    seat      0 is the dealer, 1 is on the dealer's left, and so on, clockwise, up to 4
    exposed   the two cards left over by the deal, face up; the higher card's suit is trumps
    trick     five cards in the order in which they were played, who led and who takes them
    score     the face value of all hearts that a seat has taken

Only `main` writes anything, and its arguments say where.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from cards import Card, Deck, Hand, Suit

PACK = 52
PLAYERS = 5
DEALER = 0
END = "#"


class BadInput(ValueError):
    """The input is not a series of decks. The text of the error is one line: where and why."""

    def __init__(self, line: int, fault: str) -> None:
        """Take the number of the line, counted from 1, and say what is wrong in it."""
        super().__init__(f"line {line}: {fault}")


def words(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Give each word before the first `#` with the number of its line, then the `#` with its own.

    Raise BadInput if the lines end without a `#`.
    """
    raise NotImplementedError("Task 1: Find the words")


def read_decks(lines: Iterable[str]) -> Iterator[Deck]:
    """Give each deck as soon as its last card is read.

    Raise BadInput for a word that is not a card, a card that the deck already has, a `#` in the
    middle of a deck, and lines that end without a `#`.
    """
    raise NotImplementedError("Task 2: Read the decks")


def next_card(word: str, line: int, deck: Mapping[Card, int]) -> Card:
    """Return the card that this word of the line adds to the deck (its cards with their lines).

    Raise BadInput if the word is not a card, or if the deck already has this card.
    """
    raise NotImplementedError("Task 2: Read the decks")


def trump_suit(exposed: Iterable[Card]) -> Suit:
    """Return the suit of the higher exposed card; for equal ranks, the higher suit."""
    raise NotImplementedError("Task 3: Deal and turn up trumps")


def deal(deck: Deck) -> tuple[list[Hand], Suit]:
    """Return the hands by seat, the dealer's first, and the trump suit."""
    raise NotImplementedError("Task 3: Deal and turn up trumps")


def highest(cards: Iterable[Card], trump: Suit) -> Card:
    """Return the card of highest rank; of equal ranks the trump, or else the highest suit."""
    raise NotImplementedError("Task 4: Lead a card")


def choose(hand: Hand, trick: Sequence[Card], trump: Suit) -> Card:
    """Return the card that the hand plays to the trick so far; it leads if the trick is empty."""
    raise NotImplementedError("Task 5: Follow a lead")


@dataclass(frozen=True)
class Trick:
    """A full trick: the seat that led, the cards as they were played, the seat that takes it."""

    leader: int
    cards: tuple[Card, ...]
    taker: int


def play_trick(hands: Sequence[Hand], leader: int, trump: Suit) -> Trick:
    """Play one trick and return it. Each hand, clockwise from the leader, loses one card."""
    raise NotImplementedError("Task 6: Play a trick")


def play_out(deck: Deck) -> Iterator[Trick]:
    """Give all tricks of the deal in order. The seat that takes a trick leads to the next one."""
    raise NotImplementedError("Task 7: Play the deal out")


def count_hearts(tricks: Iterable[Trick]) -> list[int]:
    """Return each seat's score, the dealer's first: the face value of all hearts it has taken."""
    raise NotImplementedError("Task 8: Count the hearts")


def score_line(scores: Iterable[int]) -> str:
    """Return the line that the judge wants: each score right-aligned in a field of width 3."""
    raise NotImplementedError("Task 9: Print the scores")


def main(source: Iterable[str], out: TextIO, err: TextIO) -> int:
    """Write a line of scores to `out` for each deck of the source, and return the exit status.

    For bad input, write one line to `err`, after the scores of the decks before it.
    """
    raise NotImplementedError("Task 9: Print the scores")


if __name__ == "__main__":
    sys.exit(main(sys.stdin, sys.stdout, sys.stderr))
