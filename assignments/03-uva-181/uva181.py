"""UVa 181: five players who all play by one recipe, from lines of cards to lines of scores.

    word      what stands between blanks in a line of the input: a card's code, or the last `#`
    deck      the 52 cards of a pack, in the order in which they are dealt
    seat      0 is the dealer's, 1 the one on the dealer's left, and so on, clockwise, up to 4
    exposed   the two cards left over by the deal, face up; the higher one's suit is trumps
    trick     five cards in the order in which they were played, who led and who takes them
    score     the face value of all hearts that a seat has taken

Functions turn what they are given into what they return. Only `main` writes, where it is told to.
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
    """The input is no series of decks; as a text, one line that says where and why."""

    def __init__(self, line: int, fault: str) -> None:
        """`line` is the number of the line, counted from 1; `fault` is what is wrong in it."""
        super().__init__(f"line {line}: {fault}")


def words(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Every word before the first `#`, with the number of its line; then that `#` itself.

    Raises BadInput at the end of lines that hold no `#`.
    """
    raise NotImplementedError("Task 1: Find the words")


def read_decks(lines: Iterable[str]) -> Iterator[Deck]:
    """Every deck, as soon as the last of its cards is read.

    Raises BadInput for a word that is no card, a card that its deck has already, a `#` inside a
    deck, and lines that hold no `#`.
    """
    raise NotImplementedError("Task 2: Read the decks")


def next_card(word: str, line: int, deck: Mapping[Card, int]) -> Card:
    """The card that a word of that line adds to the deck, whose cards come with their own lines.

    Raises BadInput if the word is no card, or the deck has it already.
    """
    raise NotImplementedError("Task 2: Read the decks")


def trump_suit(exposed: Iterable[Card]) -> Suit:
    """The suit of the exposed card of higher rank; of the higher suit if the ranks are equal."""
    raise NotImplementedError("Task 3: Deal and turn up trumps")


def deal(deck: Deck) -> tuple[list[Hand], Suit]:
    """The ten cards of each seat, the dealer's first, and the trumps."""
    raise NotImplementedError("Task 3: Deal and turn up trumps")


def highest(cards: Iterable[Card], trump: Suit) -> Card:
    """The card of highest rank; among equals the trump, or else the one of the highest suit."""
    raise NotImplementedError("Task 4: Lead a card")


def choose(hand: Hand, trick: Sequence[Card], trump: Suit) -> Card:
    """The card that this hand adds to the trick so far, or leads if nothing has been played."""
    raise NotImplementedError("Task 5: Follow a lead")


@dataclass(frozen=True)
class Trick:
    """A full trick: the seat that led, the cards as they were played, the seat that takes them."""

    leader: int
    cards: tuple[Card, ...]
    taker: int


def play_trick(hands: Sequence[Hand], leader: int, trump: Suit) -> Trick:
    """The trick to which that seat leads; every hand, clockwise, gives up the card it plays."""
    raise NotImplementedError("Task 6: Play a trick")


def play_out(deck: Deck) -> Iterator[Trick]:
    """All tricks of the deal, in order; whoever takes one leads to the next."""
    raise NotImplementedError("Task 7: Play the deal out")


def count_hearts(tricks: Iterable[Trick]) -> list[int]:
    """Each seat's score, the dealer's first: the face value of the hearts it has taken."""
    raise NotImplementedError("Task 8: Count the hearts")


def score_line(scores: Iterable[int]) -> str:
    """The scores as the judge wants them: each right justified in a field of width 3."""
    raise NotImplementedError("Task 9: Print the scores")


def main(source: Iterable[str], out: TextIO, err: TextIO) -> int:
    """Write a line of scores for each deck of the source; returns the exit status.

    Bad input is told in one line on `err`, after the scores of the decks before it.
    """
    raise NotImplementedError("Task 9: Print the scores")


if __name__ == "__main__":
    sys.exit(main(sys.stdin, sys.stdout, sys.stderr))
