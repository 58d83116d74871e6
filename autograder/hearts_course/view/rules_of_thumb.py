"""Rules of thumb for computer players: which card to play, and which ones to pass.

Cards are codes here, such as "QS", because every program has its own class for them.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

RANKS = "23456789TJQKA"  # the ranks, from low to high
SUITS = "CDHS"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
QUEEN = "QS"  # the queen of spades, the card that costs most
HIGH_SPADES = ("QS", "KS", "AS")
GUARDS = 4  # with this many low spades, a hand's high spades are safe
PLAYERS = 4
ENOUGH = 6  # with at least this many unseen cards of a suit, probably everybody can follow suit


def is_code(text: str) -> bool:
    """Return whether this is a card's code."""
    return len(text) == 2 and text[0] in RANKS and text[1] in SUITS


def codes(cards: Iterable[object]) -> list[str]:
    """Return the cards' codes, whatever class the program has for its cards."""
    return [str(card) for card in cards]


def codes_of_tricks(tricks: Iterable[Any]) -> list[str]:
    """Return the codes of all cards of a program's tricks, in the order of play."""
    played: list[str] = []
    for trick in tricks:
        played += codes(trick.cards)
    return played


def card_to_play(legal: Sequence[str], trick: Sequence[str]) -> str:
    """Return the code of the card to play to this trick.

    Lead a low card, stay under the best card of the trick, or discard what hurts most.
    """
    if not trick:
        return min(legal, key=lambda code: (code in HIGH_SPADES, _rank(code)))
    following = [code for code in legal if code[1] == trick[0][1]]
    if not following:
        return max(legal, key=_burden)
    best = max(_rank(code) for code in trick if code[1] == trick[0][1])
    if under := [code for code in following if _rank(code) < best]:
        return max(under, key=_burden)
    over = [code for code in following if code != QUEEN] or following
    if len(trick) == PLAYERS - 1:
        return max(over, key=_rank)  # a player who must take a trick uses up a high card
    return min(over, key=_rank)


def card_of_counter(legal: Sequence[str], trick: Sequence[str], gone: Collection[str]) -> str:
    """Return the card to play for a player who knows which cards are gone.

    This player leads the card with the most unseen cards above it. It plays the queen of spades
    under a higher spade, and plays high in a trick that probably brings no points. Otherwise it
    plays like a player who remembers nothing.
    """
    seen = {*legal, *trick, *gone}
    unseen = [code for code in PACK if code not in seen]

    def above(code: str) -> int:
        """Return how many unseen cards would beat the card if it is led."""
        return sum(card[1] == code[1] and _rank(card) > _rank(code) for card in unseen)

    if not trick:
        return max(legal, key=lambda code: (above(code), -_burden(code)))
    following = [code for code in legal if code[1] == trick[0][1]]
    if QUEEN in following and {"KS", "AS"} & {*trick}:
        return QUEEN
    if following and _is_calm(trick, unseen):
        harmless = [code for code in following if code != QUEEN]
        return max(harmless or following, key=_rank)
    return card_to_play(legal, trick)


def _is_calm(trick: Sequence[str], unseen: Collection[str]) -> bool:
    """Return whether a high card is safe because the trick will probably bring no points.

    The trick must have no points yet. Then the last of four players is safe. For an earlier player,
    ENOUGH cards of the suit that was led must be unseen, so that probably nobody discards. In a
    trick of spades, an earlier player must also have seen the queen of spades.
    """
    if any(code[1] == "H" or code == QUEEN for code in trick):
        return False
    if len(trick) == PLAYERS - 1:
        return True
    led = trick[0][1]
    queen_may_fall = led == "S" and QUEEN in unseen
    return not queen_may_fall and sum(code[1] == led for code in unseen) >= ENOUGH


def cards_to_pass(hand: Sequence[str], count: int) -> list[str]:
    """Return the `count` cards that hurt most.

    A hand with at least GUARDS low spades passes its other cards before its high spades.
    """
    low = [code for code in hand if code[1] == "S" and code not in HIGH_SPADES]
    kept: tuple[str, ...] = ()
    if len(low) >= GUARDS:
        kept = HIGH_SPADES
    return sorted(hand, key=lambda code: (code not in kept, _burden(code)))[-count:]


def _rank(code: str) -> int:
    """Return the card's place among the ranks: 0 for a two, 12 for an ace."""
    return RANKS.index(code[0])


def _burden(code: str) -> int:
    """Return how much a player wants to get rid of the card.

    Use the number only to compare cards: the higher number is the greater burden.
    """
    if code in HIGH_SPADES:
        return 100 + 100 * (code == QUEEN)
    if code[1] == "H":
        return _rank(code) + 4  # a low heart hurts less than an ace
    return _rank(code)
