"""Legal moves: which cards a player may play, who takes the trick, and why a card is refused.

    Rules    a rule book: what the games disagree about, as data
    Turn     what players know when it is their turn: hand, trick so far, state of the deal
    trick    the cards on the table in the order in which they were played; the first was led
    rule     a function from cards to those of them that it allows; it always allows at least one

There are five rule books: UVA181, ESTELL, HEART, CIT590 and DYNACOMP. A card that may not be played
is refused with one of these errors:

    ValueError
    └── IllegalPlay            its text names the card, the rule and the cards that are allowed
        ├── NotHeld            the card is not in the player's hand
        ├── WrongOpening       another card must open the deal
        ├── Revoke             the player can follow suit but does not (in America: a renege)
        ├── MustTrump          the player cannot follow suit, has a trump, but does not play it
        ├── PointsTooEarly     the card costs points, and this is the first trick
        └── HeartsNotBroken    the player leads a heart before hearts are broken
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import reduce
from typing import ClassVar, TypeAlias

from cards import Card, Hand, Rank, Suit


@dataclass(frozen=True, kw_only=True)
class Rules:
    """A rule book. The defaults are what most tables play."""

    opening_suit: Suit | None = Suit.CLUBS  # its lowest card opens the deal; None: any card may
    points_on_first_trick: bool = False
    hearts_before_queen: bool = False  # when a player must play points on the first trick
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
    """What players know when it is their turn to play a card."""

    hand: Hand
    rules: Rules
    trick: Sequence[Card] = ()
    _: KW_ONLY
    first_trick: bool = False
    hearts_broken: bool = False
    trump: Suit | None = None

    @property
    def led(self) -> Suit | None:
        """The suit that was led, or None if the player is to lead."""
        return self.trick[0].suit if self.trick else None


Rule: TypeAlias = Callable[[list[Card], Turn], list[Card]]


def is_queen_of_spades(card: Card) -> bool:
    """Return whether this is the card that most tables fear."""
    return (card.suit, card.rank) == (Suit.SPADES, Rank.QUEEN)


def only_if_any(cards: list[Card], wanted: Iterable[Card]) -> list[Card]:
    """Return the cards that are wanted, or a copy of all cards if none is wanted."""
    chosen = set(wanted)
    return [card for card in cards if not chosen or card in chosen]


def suited(cards: Iterable[Card], suit: Suit | None) -> Iterator[Card]:
    """Give the cards of that suit, or none if the suit is None."""
    for card in cards:
        if card.suit == suit:
            yield card


def from_low_to_high(suit: Suit) -> Iterator[Card]:
    """Give the thirteen cards of the suit, from the two to the ace."""
    for rank in Rank:
        yield Card(suit, rank)


def follow_suit(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the cards that follow suit, or all cards if none does or no suit was led."""
    return only_if_any(cards, suited(cards, turn.led))


def first_leader(hands: Sequence[Hand], dealer: int, rules: Rules) -> int:
    """Return the seat that leads to the first trick, after dealing and passing.

    This seat holds the lowest card of the opening suit that is in any hand: 2C, or 3C if 2C was
    left over. Without an opening suit it is the seat on the dealer's left.
    """
    if rules.opening_suit is not None:
        for card in from_low_to_high(rules.opening_suit):
            for seat, hand in enumerate(hands):
                if card in hand:
                    return seat
    return (dealer + 1) % len(hands)


def open_low(cards: list[Card], turn: Turn) -> list[Card]:
    """Return only the lowest card of the opening suit if this is the first lead, else all cards."""
    suit = turn.rules.opening_suit
    if turn.first_trick and turn.led is None and suit is not None:
        for lowest in from_low_to_high(suit):
            if lowest in cards:
                return [lowest]
    return list(cards)


def points(card: Card, rules: Rules) -> int:
    """Return what the card costs the player who takes it."""
    if is_queen_of_spades(card):
        return rules.queen_points
    if card.suit != Suit.HEARTS:
        return 0
    return card.rank.value if rules.hearts_at_face_value else 1


def keep_points_back(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the cards that cost nothing if this is the first trick, or all cards if all cost.

    Even then some rule books keep the queen of spades back while the player has hearts.
    """
    if not turn.first_trick or turn.rules.points_on_first_trick:
        return list(cards)
    free = {card for card in cards if points(card, turn.rules) == 0}
    if not free and turn.rules.hearts_before_queen:
        free.update(suited(cards, Suit.HEARTS))
    return only_if_any(cards, free)


def hearts_broken(played: Iterable[Card], rules: Rules) -> bool:
    """Return whether the cards that were played to tricks so far have broken hearts."""
    for card in played:
        if card.suit == Suit.HEARTS:
            return True
        if rules.queen_breaks_hearts and is_queen_of_spades(card):
            return True
    return False


def keep_hearts_back(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the cards that are not hearts, if any, for a lead before hearts are broken."""
    if turn.led is not None or turn.hearts_broken or not turn.rules.hearts_must_be_broken:
        return list(cards)
    return only_if_any(cards, set(cards).difference(suited(cards, Suit.HEARTS)))


def play_trump(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the trumps, if any, when a suit was led and none of the cards follows it."""
    if turn.led is None or set(suited(cards, turn.led)):
        return list(cards)
    return only_if_any(cards, suited(cards, turn.trump))


def best_card(trick: Sequence[Card], trump: Suit | None = None) -> Card:
    """Return the card that beats all others: the highest trump, or else of the suit led."""
    ranks: defaultdict[Suit, set[Rank]] = defaultdict(set)
    for card in trick:
        ranks[card.suit].add(card.rank)
    suit = trump if trump is not None and trump in ranks else trick[0].suit
    return Card(suit, max(ranks[suit]))


def winner(trick: Sequence[Card], leader: int, trump: Suit | None = None) -> int:
    """Return the seat that takes this full trick, which the seat `leader` led."""
    seats = deque(range(len(trick)))
    seats.rotate(-leader)
    return dict(zip(trick, seats, strict=True))[best_card(trick, trump)]


class IllegalPlay(ValueError):
    """A card may not be played. The text of the error is one sentence for the player."""

    rule: ClassVar[str]

    def __init__(self, card: Card, allowed: Iterable[Card]) -> None:
        """Name the card, the rule that forbids it, and the cards that are allowed instead."""
        instead = " ".join(map(str, allowed))
        super().__init__(f"{card} is refused because {self.rule}, so choose from {instead}")


class NotHeld(IllegalPlay):
    """The card is not in the player's hand."""

    rule = "you do not hold it"


class WrongOpening(IllegalPlay):
    """Another card must open the deal."""

    rule = "the opening lead is fixed"


class Revoke(IllegalPlay):
    """The player can follow suit but does not."""

    rule = "you must follow suit"


class MustTrump(IllegalPlay):
    """The player cannot follow suit and has a trump, but does not play it."""

    rule = "you must trump"


class PointsTooEarly(IllegalPlay):
    """The card costs points, and this is the first trick."""

    rule = "points are kept out of the first trick"


class HeartsNotBroken(IllegalPlay):
    """The player leads a heart before hearts are broken."""

    rule = "hearts are not broken"


# Each rule with its error, in the order in which `check_play` reports them.
RULES_OF_PLAY: dict[Rule, type[IllegalPlay]] = {
    open_low: WrongOpening,
    follow_suit: Revoke,
    play_trump: MustTrump,
    keep_points_back: PointsTooEarly,
    keep_hearts_back: HeartsNotBroken,
}


def legal_plays(turn: Turn) -> list[Card]:
    """Return the cards that the player may play: those that are left after every rule."""
    return reduce(lambda left, rule: rule(left, turn), RULES_OF_PLAY, list(turn.hand))


def check_play(card: Card, turn: Turn) -> None:
    """Raise NotHeld, or the error of the first rule that forbids the card, if any does."""
    if card not in turn.hand:
        raise NotHeld(card, legal_plays(turn))
    left = list(turn.hand)
    for rule, error in RULES_OF_PLAY.items():
        before, left = left, rule(left, turn)
        if card in set(before) - set(left):
            raise error(card, legal_plays(turn))
