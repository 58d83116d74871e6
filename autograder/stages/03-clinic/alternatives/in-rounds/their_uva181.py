"""The same table as a circle of players that turns until the next leader stands in front."""

from collections import deque, namedtuple

from cards import Suit

Round = namedtuple("Round", ["leader", "cards", "taker"])


def highest(cards, trump):
    """Return the highest card; the trump suit counts most among equal ranks."""
    return sorted(cards, key=lambda card: (card.rank, card.suit == trump, card.suit))[-1]


def chosen(hand, led, trump):
    """Return the card that a player with this hand plays; nobody has led if `led` is None."""
    if led is not None:
        for suit in (led, trump):
            if fitting := hand.cards_of(suit):
                return highest(fitting, trump)
    return highest(hand, trump)


def strength(card, led, trump):
    """Return how strong a card is in a trick."""
    if card.suit == trump:
        return 200 + card.rank
    return 100 + card.rank if card.suit == led else card.rank


def play_out(deck):
    """Yield one round after the other."""
    hands, exposed = deck.deal(5, 0)
    trump = sorted(exposed, key=lambda card: (card.rank, card.suit))[-1].suit
    circle = deque([1, 2, 3, 4, 0])
    while hands[circle[0]]:
        leader, led, laid = circle[0], None, {}
        for seat in circle:
            laid[seat] = chosen(hands[seat], led, trump)
            hands[seat].remove(laid[seat])
            led = laid[leader].suit
        best = max(strength(card, led, trump) for card in laid.values())
        while strength(laid[circle[0]], led, trump) != best:
            circle.rotate(-1)
        yield Round(leader, [*laid.values()], circle[0])


def count_hearts(rounds):
    """Return the scores as a list."""
    scores = dict.fromkeys(range(5), 0)
    for played in rounds:
        for card in played.cards:
            if card.suit == Suit.HEARTS:
                scores[played.taker] += int(card.rank)
    return list(scores.values())
