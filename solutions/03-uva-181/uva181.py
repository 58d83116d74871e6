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
from legal import UVA181, Turn, first_leader, legal_plays, points, winner

PACK = 52
PLAYERS = 5
DEALER = 0
END = "#"


# %% find-the-words
class BadInput(ValueError):
    """The input is no series of decks; as a text, one line that says where and why."""

    def __init__(self, line: int, fault: str) -> None:
        """`line` is the number of the line, counted from 1; `fault` is what is wrong in it."""
        super().__init__(f"line {line}: {fault}")


def words(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Every word before the first `#`, with the number of its line; then that `#` itself.

    Raises BadInput at the end of lines that hold no `#`.
    """
    number = 0
    for number, line in enumerate(lines, start=1):
        before, end, _ = line.partition(END)
        yield from ((number, word) for word in before.split())
        if end:
            yield number, end
            return
    raise BadInput(number + 1, f"the input ends without {END}")


# %% read-the-decks
def read_decks(lines: Iterable[str]) -> Iterator[Deck]:
    """Every deck, as soon as the last of its cards is read.

    Raises BadInput for a word that is no card, a card that its deck has already, a `#` inside a
    deck, and lines that hold no `#`.
    """
    deck: dict[Card, int] = {}  # the cards read so far, each with the number of its line
    for number, word in words(lines):
        if word != END:
            deck[next_card(word, number, deck)] = number
        elif deck:
            raise BadInput(number, f"the deck ends after {len(deck)} of its {PACK} cards")
        if len(deck) == PACK:
            yield Deck(deck)
            deck = {}


def next_card(word: str, line: int, deck: Mapping[Card, int]) -> Card:
    """The card that a word of that line adds to the deck, whose cards come with their own lines.

    Raises BadInput if the word is no card, or the deck has it already.
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
    """The suit of the exposed card of higher rank; of the higher suit if the ranks are equal."""
    return max(exposed, key=lambda card: (card.rank, card.suit)).suit


def deal(deck: Deck) -> tuple[list[Hand], Suit]:
    """The ten cards of each seat, the dealer's first, and the trumps."""
    hands, exposed = deck.deal(PLAYERS, DEALER)
    return hands, trump_suit(exposed)


# %% lead-a-card
def highest(cards: Iterable[Card], trump: Suit) -> Card:
    """The card of highest rank; among equals the trump, or else the one of the highest suit."""
    return max(cards, key=lambda card: (card.rank, card.suit == trump, card.suit))


# %% follow-a-lead
def choose(hand: Hand, trick: Sequence[Card], trump: Suit) -> Card:
    """The card that this hand adds to the trick so far, or leads if nothing has been played."""
    return highest(legal_plays(Turn(hand, UVA181, trick, trump=trump)), trump)


# %% play-a-trick
@dataclass(frozen=True)
class Trick:
    """A full trick: the seat that led, the cards as they were played, the seat that takes them."""

    leader: int
    cards: tuple[Card, ...]
    taker: int


def play_trick(hands: Sequence[Hand], leader: int, trump: Suit) -> Trick:
    """The trick to which that seat leads; every hand, clockwise, gives up the card it plays."""
    played: list[Card] = []
    for hand in (*hands[leader:], *hands[:leader]):
        card = choose(hand, played, trump)
        hand.remove(card)
        played.append(card)
    return Trick(leader, tuple(played), winner(played, leader, trump))


# %% play-it-out
def play_out(deck: Deck) -> Iterator[Trick]:
    """All tricks of the deal, in order; whoever takes one leads to the next."""
    hands, trump = deal(deck)
    leader = first_leader(hands, DEALER, UVA181)
    while hands[leader]:
        trick = play_trick(hands, leader, trump)
        yield trick
        leader = trick.taker


# %% count-the-hearts
def count_hearts(tricks: Iterable[Trick]) -> list[int]:
    """Each seat's score, the dealer's first: the face value of the hearts it has taken."""
    scores = [0] * PLAYERS
    for trick in tricks:
        scores[trick.taker] += sum(points(card, UVA181) for card in trick.cards)
    return scores


# %% print-the-scores
def score_line(scores: Iterable[int]) -> str:
    """The scores as the judge wants them: each right justified in a field of width 3."""
    return "".join(f"{score:3}" for score in scores)


def main(source: Iterable[str], out: TextIO, err: TextIO) -> int:
    """Write a line of scores for each deck of the source; returns the exit status.

    Bad input is told in one line on `err`, after the scores of the decks before it.
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
