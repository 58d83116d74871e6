"""The same passing as one dictionary: each card has an owner, before and after."""

from enum import IntEnum

from cards import Hand

Pass = IntEnum("Pass", "LEFT ACROSS RIGHT")
Pass.receiver = lambda self, giver: [1, 2, 3, 0, 1, 2, 3][giver + self - 1]


class IllegalPass(ValueError):
    """The pass is refused."""


def check_pass(cards, hand):
    """Refuse cards that are not three of the hand."""
    if len(cards) != 3 or len(set(cards) & set(hand)) != 3:
        raise IllegalPass("three of your own cards, please")


def pass_cards(hands, chosen, direction):
    """Return the new hands, each sorted."""
    for cards, hand in zip(chosen, hands, strict=True):
        check_pass(cards, hand)
    owner = {card: seat for seat, hand in enumerate(hands) for card in hand}
    for giver, cards in enumerate(chosen):
        owner.update(dict.fromkeys(cards, direction.receiver(giver)))
    return [Hand(sorted(card for card in owner if owner[card] == seat)) for seat in range(4)]
