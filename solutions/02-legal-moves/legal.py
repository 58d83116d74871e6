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

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from cards import Card, Hand, Rank, Suit


# %% rule-books
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
    first_trick: bool = field(default=False, kw_only=True)
    hearts_broken: bool = field(default=False, kw_only=True)
    trump: Suit | None = field(default=None, kw_only=True)

    @property
    def led(self) -> Suit | None:
        """The suit that was led, or None if the player is to lead."""
        return self.trick[0].suit if self.trick else None


Rule: TypeAlias = Callable[[list[Card], Turn], list[Card]]


def is_queen_of_spades(card: Card) -> bool:
    """Return whether this is the card that most tables fear."""
    return (card.suit, card.rank) == (Suit.SPADES, Rank.QUEEN)


# %% follow-suit
def follow_suit(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the cards that follow suit, or all cards if none does or no suit was led."""
    return [card for card in cards if card.suit == turn.led] or cards


# %% opening-lead
def first_leader(hands: Sequence[Hand], dealer: int, rules: Rules) -> int:
    """Return the seat that leads to the first trick, after dealing and passing.

    This seat holds the lowest card of the opening suit that is in any hand: 2C, or 3C if 2C was
    left over. Without an opening suit it is the seat on the dealer's left.
    """
    if rules.opening_suit is None:
        return (dealer + 1) % len(hands)
    holders = {
        card: seat for seat, hand in enumerate(hands) for card in hand.cards_of(rules.opening_suit)
    }
    return holders[min(holders)]


def open_low(cards: list[Card], turn: Turn) -> list[Card]:
    """Return only the lowest card of the opening suit if this is the first lead, else all cards."""
    if turn.trick or not turn.first_trick:
        return cards
    openers = [card for card in cards if card.suit == turn.rules.opening_suit]
    return sorted(openers)[:1] or cards


# %% first-trick
def points(card: Card, rules: Rules) -> int:
    """Return what the card costs the player who takes it."""
    if is_queen_of_spades(card):
        return rules.queen_points
    if card.suit != Suit.HEARTS:
        return 0
    return int(card.rank) if rules.hearts_at_face_value else 1


def keep_points_back(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the cards that cost nothing if this is the first trick, or all cards if all cost.

    Even then some rule books keep the queen of spades back while the player has hearts.
    """
    if not turn.first_trick or turn.rules.points_on_first_trick:
        return cards
    cards = [card for card in cards if not points(card, turn.rules)] or cards
    if turn.rules.hearts_before_queen and turn.rules.queen_points:
        cards = [card for card in cards if not is_queen_of_spades(card)] or cards
    return cards


# %% break-hearts
def hearts_broken(played: Iterable[Card], rules: Rules) -> bool:
    """Return whether the cards that were played to tricks so far have broken hearts."""
    return any(
        card.suit == Suit.HEARTS or (rules.queen_breaks_hearts and is_queen_of_spades(card))
        for card in played
    )


def keep_hearts_back(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the cards that are not hearts, if any, for a lead before hearts are broken."""
    if turn.trick or turn.hearts_broken or not turn.rules.hearts_must_be_broken:
        return cards
    return [card for card in cards if card.suit != Suit.HEARTS] or cards


# %% play-trump
def play_trump(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the trumps, if any, when a suit was led and none of the cards follows it."""
    if turn.led is None or any(card.suit == turn.led for card in cards):
        return cards
    return [card for card in cards if card.suit == turn.trump] or cards


# %% take-the-trick
def best_card(trick: Sequence[Card], trump: Suit | None = None) -> Card:
    """Return the card that beats all others: the highest trump, or else of the suit led."""
    led = trick[0].suit
    return max(trick, key=lambda card: (card.suit == trump, card.suit == led, card.rank))


def winner(trick: Sequence[Card], leader: int, trump: Suit | None = None) -> int:
    """Return the seat that takes this full trick, which the seat `leader` led."""
    return (leader + trick.index(best_card(trick, trump))) % len(trick)


# %% legal-plays
class IllegalPlay(ValueError):
    """A card may not be played. The text of the error is one sentence for the player."""

    rule: str  # each subclass has its own words

    def __init__(self, card: Card, allowed: Iterable[Card]) -> None:
        """Name the card, the rule that forbids it, and the cards that are allowed instead."""
        codes = " ".join(str(other) for other in allowed)
        super().__init__(f"{card} may not be played: {self.rule}; you may play {codes}")


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
    cards = list(turn.hand)
    for rule in RULES_OF_PLAY:
        cards = rule(cards, turn)
    return cards


def check_play(card: Card, turn: Turn) -> None:
    """Raise NotHeld, or the error of the first rule that forbids the card, if any does."""
    if card not in turn.hand:
        raise NotHeld(card, legal_plays(turn))
    cards = list(turn.hand)
    for rule, error in RULES_OF_PLAY.items():
        cards = rule(cards, turn)
        if card not in cards:
            raise error(card, legal_plays(turn))
