"""Five players who follow one recipe, as somebody else wrote it: from a deck to the scores."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from cards import Card, Deck, Hand, Suit

SEATS = [0, 1, 2, 3, 4]
DEALER = 0


def highest(cards: Sequence[Card], trump: Suit | None = None) -> Card:
    """Return the card of highest rank; of equal ranks the trump, or else the highest suit."""
    top_rank = max(card.rank for card in cards)
    equals = [card for card in cards if card.rank == top_rank]
    trumps = [card for card in equals if card.suit == trump]
    return max(trumps or equals)


def choose(hand: Hand, trick: Sequence[Card], trump: Suit) -> Card:
    """Return the card that the hand plays to the trick so far; it leads if the trick is empty."""
    following = (hand.cards_of(trick[0].suit) or hand.cards_of(trump)) if trick else []
    return highest(following or list(hand), trump)


def taking_card(trick: Sequence[Card], trump: Suit) -> Card:
    """Return the card that takes the trick."""
    trumps = [card for card in trick if card.suit == trump]
    return max(trumps or [card for card in trick if card.suit == trick[0].suit])


class Trick(NamedTuple):
    """A full trick: the seat that led, the cards as they were played, the seat that takes it."""

    leader: int
    cards: tuple[Card, ...]
    taker: int


def play_out(deck: Deck) -> Iterator[Trick]:
    """Give all tricks of the deal in order."""
    hands, exposed = deck.deal(len(SEATS), DEALER)
    trump = highest(exposed).suit
    order, leader = SEATS, 1
    while hands[leader]:
        order = order[leader:] + order[:leader]
        cards: list[Card] = []
        for seat in order:
            card = choose(hands[seat], cards, trump)
            hands[seat].remove(card)
            cards.append(card)
        taker = order[cards.index(taking_card(cards, trump))]
        yield Trick(leader=order[0], cards=tuple(cards), taker=taker)
        leader = taker


def count_hearts(tricks: Iterable[Trick]) -> list[int]:
    """Return each seat's score, the dealer's first: the face value of all hearts it has taken."""
    scores = [0 for _ in SEATS]
    for trick in tricks:
        scores[trick.taker] += sum(card.rank for card in trick.cards if card.suit == Suit.HEARTS)
    return scores
