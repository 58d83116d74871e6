"""Legal moves: which cards a player may play, who takes the trick, and why a card is refused.

    Rules    a rule book: what the games disagree about, as data
    Turn     what a player knows when it is their turn: hand, trick so far, state of the deal
    trick    the cards on the table in the order in which they were played, the led one first
    rule     a function that narrows cards down to those it allows; it never leaves none

Five rule books are at hand: UVA181, ESTELL, HEART, CIT590 and DYNACOMP. A card that may not be
played is refused with one of these errors:

    ValueError
    └── IllegalPlay            its text names the card, the rule and the way out
        ├── NotHeld            the card is not in the player's hand
        ├── WrongOpening       the deal opens with another card
        ├── Revoke             not following suit when able (in America: a renege)
        ├── MustTrump          neither following suit nor trumping when able
        ├── PointsTooEarly     a card that costs points, on the first trick
        └── HeartsNotBroken    leading a heart before hearts are broken
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import reduce
from typing import ClassVar, TypeAlias

from cards import Card, Hand, Rank, Suit


@dataclass(frozen=True, kw_only=True)
class Rules:
    """A rule book. What it does not say otherwise is as most tables play it."""

    opening_suit: Suit | None = Suit.CLUBS  # its lowest card opens the deal; None: any card does
    points_on_first_trick: bool = False
    hearts_before_queen: bool = False  # if points must fall on the first trick: not yet QS
    hearts_must_be_broken: bool = True
    queen_breaks_hearts: bool = False
    queen_points: int = 13
    hearts_at_face_value: bool = False


UVA181 = Rules(
    opening_suit=None,
    points_on_first_trick=True,
    hearts_must_be_broken=False,
    queen_points=0,
    hearts_at_face_value=True,
)
ESTELL = Rules(queen_breaks_hearts=True)
HEART = Rules(hearts_before_queen=True)
CIT590 = Rules(points_on_first_trick=True, hearts_must_be_broken=False)
DYNACOMP = Rules(points_on_first_trick=True)


@dataclass(frozen=True)
class Turn:
    """What a player knows when it is their turn to play a card."""

    hand: Hand
    rules: Rules
    trick: Sequence[Card] = ()
    _: KW_ONLY
    first_trick: bool = False
    hearts_broken: bool = False
    trump: Suit | None = None

    @property
    def led(self) -> Suit | None:
        """The suit that was led; None if the player is to lead."""
        return self.trick[0].suit if self.trick else None


Rule: TypeAlias = Callable[[list[Card], Turn], list[Card]]


def is_queen_of_spades(card: Card) -> bool:
    """Is this the card that most tables fear?"""
    return (card.suit, card.rank) == (Suit.SPADES, Rank.QUEEN)


def only_if_any(cards: list[Card], wanted: Iterable[Card]) -> list[Card]:
    """Those of the cards that are wanted; a copy of them all if that would leave none."""
    chosen = set(wanted)
    return [card for card in cards if not chosen or card in chosen]


def suited(cards: Iterable[Card], suit: Suit | None) -> Iterator[Card]:
    """One by one the cards of that suit; none where there is no suit."""
    for card in cards:
        if card.suit == suit:
            yield card


def from_low_to_high(suit: Suit) -> Iterator[Card]:
    """The thirteen cards of the suit, from its two to its ace, whoever holds them."""
    for rank in Rank:
        yield Card(suit, rank)


def follow_suit(cards: list[Card], turn: Turn) -> list[Card]:
    """Those of the cards that follow suit; all of them if none does, or none was led."""
    return only_if_any(cards, suited(cards, turn.led))


def first_leader(hands: Sequence[Hand], dealer: int, rules: Rules) -> int:
    """The seat that leads to the first trick, once the cards are dealt and passed.

    It holds the lowest card of the opening suit that anybody holds: 2C, or 3C if 2C is the card
    left over. Where there is no opening suit, it is the seat on the dealer's left.
    """
    if rules.opening_suit is not None:
        for card in from_low_to_high(rules.opening_suit):
            for seat, hand in enumerate(hands):
                if card in hand:
                    return seat
    return (dealer + 1) % len(hands)


def open_low(cards: list[Card], turn: Turn) -> list[Card]:
    """For the lead to the first trick only the lowest card of the opening suit, if there is one."""
    suit = turn.rules.opening_suit
    if turn.first_trick and turn.led is None and suit is not None:
        for lowest in from_low_to_high(suit):
            if lowest in cards:
                return [lowest]
    return list(cards)


def points(card: Card, rules: Rules) -> int:
    """What the card costs whoever takes it."""
    if is_queen_of_spades(card):
        return rules.queen_points
    if card.suit != Suit.HEARTS:
        return 0
    return card.rank.value if rules.hearts_at_face_value else 1


def keep_points_back(cards: list[Card], turn: Turn) -> list[Card]:
    """On the first trick those of the cards that cost nothing; all of them if none is free.

    Some rule books still keep the queen of spades back then, for as long as there are hearts.
    """
    if not turn.first_trick or turn.rules.points_on_first_trick:
        return list(cards)
    free = {card for card in cards if points(card, turn.rules) == 0}
    if not free and turn.rules.hearts_before_queen:
        free.update(suited(cards, Suit.HEARTS))
    return only_if_any(cards, free)


def hearts_broken(played: Iterable[Card], rules: Rules) -> bool:
    """Have the cards that were played to tricks so far broken hearts?"""
    for card in played:
        if card.suit == Suit.HEARTS:
            return True
        if rules.queen_breaks_hearts and is_queen_of_spades(card):
            return True
    return False


def keep_hearts_back(cards: list[Card], turn: Turn) -> list[Card]:
    """For a lead before hearts are broken, those of the cards that are no hearts, if any."""
    if turn.led is not None or turn.hearts_broken or not turn.rules.hearts_must_be_broken:
        return list(cards)
    return only_if_any(cards, set(cards).difference(suited(cards, Suit.HEARTS)))


def play_trump(cards: list[Card], turn: Turn) -> list[Card]:
    """Where none of the cards follows suit, those that are trumps, if any."""
    if turn.led is None or set(suited(cards, turn.led)):
        return list(cards)
    return only_if_any(cards, suited(cards, turn.trump))


def best_card(trick: Sequence[Card], trump: Suit | None = None) -> Card:
    """The card that beats all others of the trick so far: a trump, else one of the suit led."""
    ranks: defaultdict[Suit, set[Rank]] = defaultdict(set)
    for card in trick:
        ranks[card.suit].add(card.rank)
    suit = trump if trump is not None and trump in ranks else trick[0].suit
    return Card(suit, max(ranks[suit]))


def winner(trick: Sequence[Card], leader: int, trump: Suit | None = None) -> int:
    """The seat that takes the full trick to which the seat `leader` led."""
    seats = deque(range(len(trick)))
    seats.rotate(-leader)
    return dict(zip(trick, seats, strict=True))[best_card(trick, trump)]


class IllegalPlay(ValueError):
    """A card that may not be played; as a text, one sentence for the player."""

    rule: ClassVar[str]

    def __init__(self, card: Card, allowed: Iterable[Card]) -> None:
        """Refuses the card, names the rule, and shows which cards are allowed instead."""
        instead = " ".join(map(str, allowed))
        super().__init__(f"{card} is refused because {self.rule}, so choose from {instead}")


class NotHeld(IllegalPlay):
    """The card is not in the player's hand."""

    rule = "you do not hold it"


class WrongOpening(IllegalPlay):
    """The deal opens with another card."""

    rule = "the opening lead is fixed"


class Revoke(IllegalPlay):
    """The player can follow suit and does not."""

    rule = "you must follow suit"


class MustTrump(IllegalPlay):
    """The player cannot follow suit, can trump, and does not."""

    rule = "you must trump"


class PointsTooEarly(IllegalPlay):
    """The card costs points, and this is the first trick."""

    rule = "points are kept out of the first trick"


class HeartsNotBroken(IllegalPlay):
    """The player leads a heart before hearts are broken."""

    rule = "hearts are not broken"


# Every rule of play with the error of who breaks it, in the order in which players are told.
RULES_OF_PLAY: dict[Rule, type[IllegalPlay]] = {
    open_low: WrongOpening,
    follow_suit: Revoke,
    play_trump: MustTrump,
    keep_points_back: PointsTooEarly,
    keep_hearts_back: HeartsNotBroken,
}


def legal_plays(turn: Turn) -> list[Card]:
    """The cards that the player may play: what every rule, one after the other, leaves."""
    return reduce(lambda left, rule: rule(left, turn), RULES_OF_PLAY, list(turn.hand))


def check_play(card: Card, turn: Turn) -> None:
    """Raises the IllegalPlay of the first rule that forbids the card, or NotHeld before that."""
    if card not in turn.hand:
        raise NotHeld(card, legal_plays(turn))
    left = list(turn.hand)
    for rule, error in RULES_OF_PLAY.items():
        before, left = left, rule(left, turn)
        if card in set(before) - set(left):
            raise error(card, legal_plays(turn))
