"""UVa 181: five players who all play by one recipe, from lines of cards to lines of scores.

Here the input is read by a small state machine, `DeckReader`, and the deal is played by objects: a
`Table` with five `Player`s around it. The functions that the brief names stand on these. Who takes
a trick follows from how strong each of its cards is, so nothing of `legal` is needed.
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

# The end mark is a word of its own, even where no blank stands around it.
_WORD = re.compile(rf"{END}|[^\s{END}]+")


class BadInput(ValueError):
    """The input is no series of decks; as a text, one line that says where and why."""

    def __init__(self, line: int, fault: str) -> None:
        """`line` is the number of the line, counted from 1; `fault` is what is wrong in it."""
        super().__init__(f"line {line}: {fault}")


# Reading


def words(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Every word up to the first `#`, that one included, with the number of its line."""
    number = 0
    for number, line in enumerate(lines, start=1):
        for match in _WORD.finditer(line):
            yield number, match[0]
            if match[0] == END:
                return
    raise BadInput(number + 1, f"the input ends without {END}")


class State(Enum):
    """What a reader of decks may be in the middle of."""

    BETWEEN_DECKS = auto()
    IN_DECK = auto()
    DECK_FULL = auto()
    AT_END = auto()


class DeckReader:
    """A machine that takes word after word, and knows when it has a full deck.

    It keeps the line of each card of the deck that it is reading.
    """

    def __init__(self) -> None:
        """A reader that waits for the first word."""
        self.state = State.BETWEEN_DECKS
        self._lines: dict[Card, int] = {}

    def take(self, line: int, word: str) -> None:
        """Go on to the next state. Raises BadInput for a word that may not come here."""
        if word == END:
            self._end(line)
        else:
            self._add(line, word)

    def hand_over(self) -> Deck:
        """The full deck; the next word begins a new one."""
        deck = Deck(self._lines)
        self._lines = {}
        self.state = State.BETWEEN_DECKS
        return deck

    def _end(self, line: int) -> None:
        """The end mark: welcome between decks only."""
        if self.state is State.IN_DECK:
            raise BadInput(line, f"{END} after {len(self._lines)} of {PACK} cards of a deck")
        self.state = State.AT_END

    def _add(self, line: int, word: str) -> None:
        """Any other word: the deck's next card, one that it does not have yet."""
        try:
            card = Card.parse(word)
        except ValueError as error:
            raise BadInput(line, f"{word} is no card ({error})") from error
        if card in self._lines:
            first = self._lines[card]
            raise BadInput(line, f"{card} comes twice in this deck, first in line {first}")
        self._lines[card] = line
        self.state = State.DECK_FULL if len(self._lines) == PACK else State.IN_DECK


def read_decks(lines: Iterable[str]) -> Iterator[Deck]:
    """Every deck, as soon as the last of its cards is read. Raises BadInput at the first fault."""
    reader = DeckReader()
    for line, word in words(lines):
        reader.take(line, word)
        if reader.state is State.DECK_FULL:
            yield reader.hand_over()


# Playing


@dataclass(frozen=True)
class Trick:
    """A full trick: the seat that led, the cards as they were played, the seat that takes them."""

    leader: int
    cards: tuple[Card, ...]
    taker: int


def trump_suit(exposed: Iterable[Card]) -> Suit:
    """The suit of the exposed card of higher rank; of the higher suit if the ranks are equal."""
    _, suit = max((card.rank, card.suit) for card in exposed)
    return suit


def deal(deck: Deck) -> tuple[list[Hand], Suit]:
    """The ten cards of each seat, the dealer's first, and the trumps."""
    hands, exposed = deck.deal(PLAYERS, DEALER)
    return hands, trump_suit(exposed)


def highest(cards: Iterable[Card], trump: Suit) -> Card:
    """The card of highest rank; among equals the trump, or else the one of the highest suit."""
    return max(cards, key=lambda card: (card.rank, card.suit == trump, card.suit))


def choose(hand: Hand, trick: Sequence[Card], trump: Suit) -> Card:
    """The highest card of the first of these that there are: the suit led, trumps, the hand."""
    by_suit: dict[Suit, list[Card]] = {}
    for card in hand:
        by_suit.setdefault(card.suit, []).append(card)
    wanted = [trick[0].suit, trump] if trick else []
    for suit in wanted:
        if suit in by_suit:
            return highest(by_suit[suit], trump)
    return highest(hand, trump)


class Player:
    """Somebody in a seat, who plays by the recipe from a hand of cards."""

    def __init__(self, seat: int, hand: Hand) -> None:
        """The player takes up that very hand, not a copy."""
        self.seat = seat
        self.hand = hand

    def play(self, on_table: Sequence[Card], trump: Suit) -> Card:
        """Give up the card that the recipe says."""
        card = choose(self.hand, on_table, trump)
        self.hand.remove(card)
        return card


class Table:
    """The players of one deal, clockwise, and its trumps."""

    def __init__(self, hands: Sequence[Hand], trump: Suit) -> None:
        """Seat a player behind each hand."""
        self.players = [Player(seat, hand) for seat, hand in enumerate(hands)]
        self.trump = trump

    def trick(self, leader: int) -> Trick:
        """Go round once, from the leader on."""
        turns = self.players[leader:] + self.players[:leader]
        on_table: list[Card] = []
        for player in turns:
            on_table.append(player.play(on_table, self.trump))
        strengths = [self._strength(card, on_table[0].suit) for card in on_table]
        taker = turns[strengths.index(max(strengths))].seat
        return Trick(leader, tuple(on_table), taker)

    def tricks(self, leader: int) -> Iterator[Trick]:
        """Trick after trick, until nobody has a card any more."""
        while any(player.hand for player in self.players):
            trick = self.trick(leader)
            yield trick
            leader = trick.taker

    def _strength(self, card: Card, led: Suit) -> tuple[bool, bool, int]:
        """What decides a trick: trumps first, then the suit that was led, then the rank."""
        return card.suit == self.trump, card.suit == led, card.rank.value


def play_trick(hands: Sequence[Hand], leader: int, trump: Suit) -> Trick:
    """The trick to which that seat leads; every hand, clockwise, gives up the card it plays."""
    return Table(hands, trump).trick(leader)


def play_out(deck: Deck) -> Iterator[Trick]:
    """All tricks of the deal, in order; whoever takes one leads to the next."""
    return Table(*deal(deck)).tricks(leader=DEALER + 1)


# Scoring


def count_hearts(tricks: Iterable[Trick]) -> list[int]:
    """Each seat's score, the dealer's first: the face value of the hearts it has taken."""
    scores = dict.fromkeys(range(PLAYERS), 0)
    for trick in tricks:
        for card in trick.cards:
            if card.suit == Suit.HEARTS:
                scores[trick.taker] += card.rank.value
    return list(scores.values())


def score_line(scores: Iterable[int]) -> str:
    """The scores as the judge wants them: each right justified in a field of width 3."""
    return "".join(str(score).rjust(3) for score in scores)


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


if __name__ == "__main__":
    sys.exit(main(sys.stdin, sys.stdout, sys.stderr))
