"""The same rules, asked of one card after the other: does anything forbid it?"""

from dataclasses import dataclass

from cards import Card, Hand, Suit


@dataclass
class Rules:
    """What differs from table to table."""

    points_on_first_trick: bool = False
    hearts_must_be_broken: bool = True


@dataclass
class Turn:
    """All that decides which cards may be played."""

    hand: Hand
    rules: Rules
    trick: list[Card] | tuple[Card, ...] = ()
    first_trick: bool = False
    hearts_broken: bool = False


def is_forbidden(card, turn):
    """Return whether another card must be played if there is one."""
    return may_not_follow(card, turn) if turn.trick else may_not_lead(card, turn)


def may_not_lead(card, turn):
    """Return whether a rule about leading forbids the card."""
    clubs = turn.hand.cards_of(Suit.CLUBS)
    if turn.first_trick and clubs:
        return card != min(clubs)
    if turn.hearts_broken or not turn.rules.hearts_must_be_broken:
        return False
    return card.suit == Suit.HEARTS


def may_not_follow(card, turn):
    """Return whether a rule about following forbids the card."""
    led = turn.trick[0].suit
    if turn.hand.cards_of(led):
        return card.suit != led
    if not turn.first_trick or turn.rules.points_on_first_trick:
        return False
    return card.suit == Suit.HEARTS or str(card) == "QS"


def legal_plays(turn):
    """Return the cards that nothing forbids, or the whole hand; the last of the hand first."""
    cards = list(turn.hand)[::-1]
    return [card for card in cards if not is_forbidden(card, turn)] or cards
