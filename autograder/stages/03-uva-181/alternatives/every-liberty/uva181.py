"""UVa 181, with every liberty that the brief leaves.

Reading is done by a generator that other code sends words to. A trick has more fields than it
needs. Nothing comes from `legal`, most results are tuples or iterators where that is allowed, and
errors say more than they must.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, chain, cycle, islice
from types import MappingProxyType

from cards import Card, Deck, Hand, Rank

FIELD = 3
WORTH = MappingProxyType({rank: int(rank) for rank in Rank})


class BadInput(ValueError):
    """The input is not a series of decks. The text of the error is one line: where and why."""

    def __init__(self, line: int, fault: str) -> None:
        """Take the number of the line, counted from 1, and say what is wrong in it."""
        super().__init__(f"line {line}: {fault}")


class Strange(BadInput):
    """A fault of one word."""


class Words(Iterator):
    """The words as an iterator of its own, which reads one line at a time."""

    def __init__(self, lines):
        """Begin before the first line."""
        self.lines = iter(lines)
        self.number = 0
        self.waiting = []
        self.over = False

    def __next__(self):
        """Return the next pair."""
        while not self.waiting:
            if self.over:
                raise StopIteration
            self._read()
        return self.waiting.pop()

    def _read(self):
        self.number += 1
        line = next(self.lines, None)
        if line is None:
            self.over = True
            raise BadInput(self.number, "and where is the #?")
        texts = line.replace("#", " # ").split()
        if "#" in texts:
            texts = texts[: texts.index("#") + 1]
            self.over = True
        self.waiting = [(self.number, text) for text in reversed(texts)]


words = Words


def collector():
    """Take pairs, and give a deck for the last card of each deck, otherwise None."""
    deck = []
    found = None
    while True:
        line, word = yield found
        found = None
        if word == "#" and deck:
            raise BadInput(line, f"{52 - len(deck)} cards are missing")
        if word != "#":
            try:
                card = Card.parse(word)
            except ValueError:
                raise Strange(line, f"nobody can play a {word}") from None
            if card in deck:
                raise Strange(line, f"there are two of {card}, the {card.words}")
            deck += [card]
        if len(deck) == 52:
            found, deck = Deck(deck), []


def read_decks(lines):
    """Send each word to the collector."""
    collect = collector()
    next(collect)
    return filter(None, map(collect.send, words(lines)))


def height(card):
    """Return what makes a card high: rank, then suit."""
    return card.rank, card.suit


def trump_suit(exposed):
    """Return the suit of the last card when they are sorted."""
    return sorted(exposed, key=height).pop().suit


def deal(deck):
    """Deal from a circle of hands; return a tuple, as a list of hands and a suit."""
    hands = [Hand() for _ in range(5)]
    cards = iter(deck)
    for hand, card in zip(islice(cycle(hands), 1, 51), cards, strict=False):
        hand.add(card)
    return hands, trump_suit(list(deck)[50:])


def highest(cards, trump):
    """Return the highest card; a trump is half a suit above the spades."""
    ordered = sorted(cards, key=height)
    tops = [card for card in ordered if card.rank == ordered[-1].rank]
    return {card.suit: card for card in tops}.get(trump, tops[-1])


def choose(hand, trick, trump):
    """Return the highest card of the first group that is not empty."""
    led = [trick[0].suit, trump] if trick else []
    groups = [[card for card in hand if card.suit is suit] for suit in led]
    return highest(next(filter(None, groups), hand), trump)


@dataclass(frozen=True)
class Trick:
    """A full trick: the seat that led, the cards as they were played, the seat that takes it."""

    leader: int
    cards: tuple[Card, ...]
    taker: int
    hearts: int = field(init=False, compare=False)

    def __post_init__(self):
        """Count the hearts at once."""
        hearts = sum(WORTH[card.rank] for card in self.cards if card.suit == "H")
        object.__setattr__(self, "hearts", hearts)


def play_trick(hands, leader, trump):
    """Let the cards beat each other as they are played."""
    played = {}
    for seat in islice(cycle(range(5)), leader, leader + 5):
        card = choose(hands[seat], [*played.values()], trump)
        hands[seat].remove(card)
        played[seat] = card

    def better(one, other):
        mine, yours = played[one], played[other]
        if yours.suit == mine.suit:
            return max(one, other, key=lambda seat: played[seat].rank)
        return other if yours.suit == trump else one

    *_, taker = accumulate(played, better)
    return Trick(leader, tuple(played.values()), taker)


def play_out(deck):
    """Return all tricks as a list."""
    hands, trump = deal(deck)
    tricks = [play_trick(hands, 1, trump)]
    while len(tricks) < 10:
        tricks.append(play_trick(hands, tricks[-1].taker, trump))
    return tricks


def count_hearts(tricks):
    """Count in a Counter."""
    scores = Counter()
    for trick in tricks:
        scores[trick.taker] += trick.hearts
    return [scores[seat] for seat in range(5)]


def score_line(scores):
    """Use the old way of writing numbers."""
    return "%3d%3d%3d%3d%3d" % tuple(scores)  # noqa: UP031


def main(source, out, err):
    """Write in one go what there is, then the fault."""
    lines, fault = [], None
    decks = read_decks(source)
    while fault is None:
        try:
            deck = next(decks)
        except StopIteration:
            break
        except BadInput as bad:
            fault = bad
        else:
            lines.append(score_line(count_hearts(play_out(deck))))
    out.write("".join(chain.from_iterable(zip(lines, "\n" * len(lines), strict=True))))
    err.write("" if fault is None else f"{fault!s}\n")
    return int(isinstance(fault, BadInput))


if __name__ == "__main__":
    sys.exit(main(sys.stdin, sys.stdout, sys.stderr))
