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
from legal import UVA181, Turn, first_leader, legal_plays, points, winner

PACK = 52
PLAYERS = 5
DEALER = 0
END = "#"


# %% find-the-words
class BadInput(ValueError):
    """The input is not a series of decks. The text of the error is one line: where and why."""

    def __init__(self, line: int, fault: str) -> None:
        """Take the number of the line, counted from 1, and say what is wrong in it."""
        super().__init__(f"line {line}: {fault}")


def words(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Give each word before the first `#` with the number of its line, then the `#` with its own.

    Raise BadInput if the lines end without a `#`.
    """
    number = 0
    for number, line in enumerate(lines, start=1):
        before, end, _ = line.partition(END)
        for word in before.split():
            yield number, word
        if end:
            yield number, END
            return
    raise BadInput(number + 1, f"the input ends without {END}")


# %% read-the-decks
def read_decks(lines: Iterable[str]) -> Iterator[Deck]:
    """Give each deck as soon as its last card is read.

    Raise BadInput for a word that is not a card, a card that the deck already has, a `#` in the
    middle of a deck, and lines that end without a `#`.
    """
    deck: dict[Card, int] = {}  # the cards read so far, with the numbers of their lines
    for number, word in words(lines):
        if word != END:
            deck[next_card(word, number, deck)] = number
        elif deck:
            raise BadInput(number, f"the deck ends after {len(deck)} of its {PACK} cards")
        if len(deck) == PACK:
            yield Deck(deck)
            deck = {}


def next_card(word: str, line: int, deck: Mapping[Card, int]) -> Card:
    """Return the card that this word of the line adds to the deck (its cards with their lines).

    Raise BadInput if the word is not a card, or if the deck already has this card.
    """
    try:
        card = Card.parse(word)
    except ValueError as fault:
        raise BadInput(line, str(fault)) from None
    if card in deck:
        raise BadInput(line, f"{card} is in this deck already, since line {deck[card]}")
    return card


# %% turn-up-trumps
def trump_suit(exposed: Iterable[Card]) -> Suit:
    """Return the suit of the higher exposed card; for equal ranks, the higher suit."""
    return max(exposed, key=lambda card: (card.rank, card.suit)).suit


def deal(deck: Deck) -> tuple[list[Hand], Suit]:
    """Return the hands by seat, the dealer's first, and the trump suit."""
    hands, exposed = deck.deal(PLAYERS, DEALER)
    return hands, trump_suit(exposed)


# %% lead-a-card
def highest(cards: Iterable[Card], trump: Suit) -> Card:
    """Return the card of highest rank; of equal ranks the trump, or else the highest suit."""
    return max(cards, key=lambda card: (card.rank, card.suit == trump, card.suit))


# %% follow-a-lead
def choose(hand: Hand, trick: Sequence[Card], trump: Suit) -> Card:
    """Return the card that the hand plays to the trick so far; it leads if the trick is empty."""
    return highest(legal_plays(Turn(hand, UVA181, trick, trump=trump)), trump)


# %% play-a-trick
@dataclass(frozen=True)
class Trick:
    """A full trick: the seat that led, the cards as they were played, the seat that takes it."""

    leader: int
    cards: tuple[Card, ...]
    taker: int


def play_trick(hands: Sequence[Hand], leader: int, trump: Suit) -> Trick:
    """Play one trick and return it. Each hand, clockwise from the leader, loses one card."""
    played: list[Card] = []
    for hand in (*hands[leader:], *hands[:leader]):
        card = choose(hand, played, trump)
        hand.remove(card)
        played.append(card)
    return Trick(leader, tuple(played), winner(played, leader, trump))


# %% play-it-out
def play_out(deck: Deck) -> Iterator[Trick]:
    """Give all tricks of the deal in order. The seat that takes a trick leads to the next one."""
    hands, trump = deal(deck)
    leader = first_leader(hands, DEALER, UVA181)
    while hands[leader]:
        trick = play_trick(hands, leader, trump)
        yield trick
        leader = trick.taker


# %% count-the-hearts
def count_hearts(tricks: Iterable[Trick]) -> list[int]:
    """Return each seat's score, the dealer's first: the face value of all hearts it has taken."""
    scores = [0] * PLAYERS
    for trick in tricks:
        scores[trick.taker] += sum(points(card, UVA181) for card in trick.cards)
    return scores


# %% print-the-scores
def score_line(scores: Iterable[int]) -> str:
    """Return the line that the judge wants: each score right-aligned in a field of width 3."""
    return "".join(f"{score:3}" for score in scores)


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


# %% script
if __name__ == "__main__":
    sys.exit(main(sys.stdin, sys.stdout, sys.stderr))
