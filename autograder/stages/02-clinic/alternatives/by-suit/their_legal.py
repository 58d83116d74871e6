"""The same rules as a list of wishes: the first that some card fulfils is the law."""

from dataclasses import dataclass
from typing import Any

from cards import Card, Hand, Suit


@dataclass(frozen=True)
class Rules:
    """The two questions that our tables answer differently."""

    points_on_first_trick: bool = False
    hearts_must_be_broken: bool = True


@dataclass
class Turn:
    """A player's view of the table."""

    hand: Hand
    rules: Rules
    trick: Any = ()
    first_trick: bool = False
    hearts_broken: bool = False


def harmless(card: Card) -> bool:
    """Return whether nobody minds this card."""
    return card.suit != Suit.HEARTS and str(card) != "QS"


def wishes(turn: Turn) -> Any:
    """Yield what a card should be, the most important wish first."""
    if turn.trick:
        yield lambda card: card.suit == turn.trick[0].suit
        if turn.first_trick and not turn.rules.points_on_first_trick:
            yield harmless
    else:
        if turn.first_trick:
            clubs = turn.hand.cards_of(Suit.CLUBS)
            yield lambda card: card in clubs and card == min(clubs)
        if turn.rules.hearts_must_be_broken and not turn.hearts_broken:
            yield lambda card: card.suit != Suit.HEARTS


def legal_plays(turn: Turn) -> list[Card]:
    """Return the cards that fulfil the first wish that can be fulfilled, from low to high."""
    for wish in wishes(turn):
        if cards := sorted(filter(wish, turn.hand), key=str):
            return cards
    return list(turn.hand)
