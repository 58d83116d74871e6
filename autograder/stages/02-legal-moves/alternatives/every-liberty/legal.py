"""Legal moves, with every liberty that the brief leaves.

A rule is an object with a condition and a wish. Lists come back in another order, a face value is a
`Rank`, and an error remembers its cards and says more than it must.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

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


class Narrow:
    """A rule: where it applies, the cards that are wanted are left, if there are any."""

    def __init__(self, applies, wants):
        """Take two functions: of the turn, and of the turn, a card and all cards."""
        self.applies = applies
        self.wants = wants

    def __call__(self, cards, turn):
        """Return the wanted cards, from high to low."""
        wanted = [card for card in cards if self.wants(turn, card, cards)]
        return sorted(wanted if self.applies(turn) and wanted else cards, reverse=True)


def suited(cards, suit):
    """Return the cards of the suit."""
    return {card for card in cards if card.suit == suit}


follow_suit = Narrow(lambda turn: turn.trick, lambda turn, card, _: card.suit == turn.led)
open_low = Narrow(
    lambda turn: turn.first_trick and not turn.trick,
    lambda turn, card, cards: card == min(suited(cards, turn.rules.opening_suit), default=None),
)
play_trump = Narrow(
    lambda turn: turn.trick,
    lambda turn, card, cards: turn.trump == card.suit and not suited(cards, turn.led),
)
keep_hearts_back = Narrow(
    lambda turn: not (turn.trick or turn.hearts_broken) and turn.rules.hearts_must_be_broken,
    lambda _, card, __: card.suit != Suit.HEARTS,
)


def keep_points_back(cards, turn):
    """Return the cheapest kind of cards that the player has."""
    kinds = {}
    for card in cards:
        kind = points(card, turn.rules) != 0
        if kind and turn.rules.hearts_before_queen and is_queen_of_spades(card):
            kind = 2
        kinds.setdefault(kind, []).insert(0, card)
    late = turn.rules.points_on_first_trick or not turn.first_trick
    return [*cards] if late or not kinds else kinds[min(kinds)]


def first_leader(hands, dealer, rules):
    """Return the seat, found by asking round from the dealer's left."""
    round_the_table = [(dealer + step) % len(hands) for step in range(1, len(hands) + 1)]
    nobody = Card(Suit.SPADES, Rank.ACE)
    return min(
        round_the_table,
        key=lambda seat: min(suited(hands[seat], rules.opening_suit), default=nobody),
    )


def points(card, rules):
    """Return the price; a face value comes as the card's rank."""
    heart = card.rank if rules.hearts_at_face_value else 1
    return {Suit.HEARTS: heart}.get(card.suit, is_queen_of_spades(card) and rules.queen_points)


def hearts_broken(played, rules):
    """Return whether the suits or the cards played break hearts."""
    seen = set(played)
    return bool(suited(seen, Suit.HEARTS)) or (
        rules.queen_breaks_hearts and Card(Suit.SPADES, Rank.QUEEN) in seen
    )


def best_card(trick, trump=None):
    """Let the cards beat each other, one after another."""
    best, *others = trick
    for card in others:
        if (card.suit == best.suit and card > best) or card.suit == trump != best.suit:
            best = card
    return best


def winner(trick, leader, trump=None):
    """Count from the leader until the best card comes."""
    best = best_card(trick, trump)
    for seat, card in enumerate(trick, start=leader):
        if card == best:
            return seat % len(trick)
    raise AssertionError("the best card is not in the trick")


class IllegalPlay(ValueError):
    """A card may not be played. The text of the error is one sentence for the player."""

    rule: str  # each subclass has its own words

    def __init__(self, card, allowed, *, polite=True):
        """Remember both, and keep the sentence for `str`."""
        super().__init__(card)
        self.card, self.allowed = card, frozenset(allowed)
        self.polite = polite

    def __str__(self):
        """Say it politely."""
        instead = ", ".join(sorted(map(str, self.allowed)))
        return f"{'Sorry: ' * self.polite}not {self.card}, {self.rule}! What about {instead}?"


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


def legal_plays(turn):
    """Return what is left after the rules, in the order of the words."""
    return sorted(_left_after(turn)[-1], key=lambda card: card.words)


def _left_after(turn):
    """Return the hand, and what each rule leaves of it."""
    left = [list(turn.hand)]
    for rule in RULES_OF_PLAY:
        left.append(rule(left[-1], turn))
    return left


def check_play(card, turn):
    """Look for the first rule after which the card is gone."""
    errors = [NotHeld, *RULES_OF_PLAY.values()]
    for error, left in zip(errors, _left_after(turn), strict=True):
        if card not in left:
            raise error(card, iter(legal_plays(turn)), polite=False)
