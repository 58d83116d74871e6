"""Which cards a player may play, as somebody else wrote it, at a table without trumps."""

from collections.abc import Sequence
from dataclasses import dataclass

from cards import Card, Hand, Rank, Suit

QUEEN = Card(Suit.SPADES, Rank.QUEEN)


@dataclass(frozen=True)
class Rules:
    """What our tables disagree about."""

    points_on_first_trick: bool = False
    hearts_must_be_broken: bool = True


@dataclass(frozen=True)
class Turn:
    """What players know when it is their turn to play a card."""

    hand: Hand
    rules: Rules
    trick: Sequence[Card] = ()
    first_trick: bool = False
    hearts_broken: bool = False


def lead(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the cards that may be led."""
    clubs = [card for card in cards if card.suit == Suit.CLUBS]
    if turn.first_trick and clubs:
        return [min(clubs)]
    hearts_are_free = turn.hearts_broken or not turn.rules.hearts_must_be_broken
    allowed = []
    for card in cards:
        if hearts_are_free or card.suit != Suit.HEARTS:
            allowed.append(card)
    return allowed or cards


def follow(cards: list[Card], turn: Turn) -> list[Card]:
    """Return the cards that may be played to a card that was led."""
    following = [card for card in cards if card.suit == turn.trick[0].suit]
    if following:
        return following
    points_stay_home = turn.first_trick and not turn.rules.points_on_first_trick
    if not points_stay_home:
        return cards
    return [card for card in cards if card.suit != Suit.HEARTS or card != QUEEN] or cards


def legal_plays(turn: Turn) -> list[Card]:
    """Return the cards that the player may play."""
    cards = list(turn.hand)
    return follow(cards, turn) if turn.trick else lead(cards, turn)
