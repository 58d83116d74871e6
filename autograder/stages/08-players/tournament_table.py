"""The table of a class tournament: it deals, asks each seat in turn, and notes what was played.

It runs the reference of the stages, never a student's program. A seat answers with codes of cards.
An answer that is no answer, or against the rules, is a fault: from then on, until the deal is over,
the seat passes and plays its lowest legal cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

import rulebook
from cards import Card, Hand, Suit
from legal import is_queen_of_spades
from match import FullDeal
from players import View, look, shuffled_deals
from rulebook import PASSED, SEATS, check_pass

BOOK = "_BOOK"  # how the name of a rule book ends in its module
ALL_HEARTS = 13


class SeatFault(Exception):
    """A seat gave no answer; the text says why in a word or two."""


class Seat(Protocol):
    """Whoever answers for a seat; both raise SeatFault."""

    def pass_cards(self, facts: dict[str, Any]) -> list[str]:
        """Return the codes of three cards."""

    def play(self, facts: dict[str, Any]) -> list[str]:
        """Return the code of one card, alone in a list."""


def books() -> list[str]:
    """Return the names of the rule books."""
    return [name.removesuffix(BOOK) for name in vars(rulebook) if name.endswith(BOOK)]


def hands_of(rng: Random) -> list[Hand]:
    """Return the four hands of a shuffled pack."""
    (hands,) = shuffled_deals(1, rng)
    return hands


def play_deal(
    seats: Sequence[Seat], hands: Sequence[Hand], book: str, number: int
) -> dict[str, Any]:
    """Let the seats play these hands as the deal of that number in a match; return the record."""
    table = Table(f"{book}{BOOK}", hands, number)
    table.let_pass(seats)
    table.let_play(seats)
    return table.record()


@dataclass
class Table:
    """One deal, and what there is to tell about it."""

    book: str
    hands: Sequence[Hand]
    number: int
    faults: dict[int, tuple[int, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Deal the hands."""
        self._book = getattr(rulebook, self.book)
        self._deal = FullDeal(self.hands, self._book, self._book.pass_for(self.number))
        self._passed: dict[int, list[Card]] = {}

    def let_pass(self, seats: Sequence[Seat]) -> None:
        """Ask every seat for the cards that it passes."""
        for seat in self._deal.still_to_pass:
            self._passed[seat] = self._cards_to_pass(seat, seats[seat])
        for seat, cards in self._passed.items():
            self._deal.give(seat, cards)

    def _cards_to_pass(self, seat: int, player: Seat) -> list[Card]:
        view = look(self._deal, seat, self._book)
        try:
            cards = [Card.parse(code) for code in player.pass_cards(self._facts(view))]
            check_pass(cards, Hand(view.hand))
        except SeatFault as fault:
            self._note(seat, str(fault))
        except Exception:
            self._note(seat, "illegal")
        else:
            return cards
        return sorted(view.hand, key=low)[:PASSED]

    def let_play(self, seats: Sequence[Seat]) -> None:
        """Ask the seat whose turn it is for a card until the deal is over."""
        while (seat := self._deal.turn) is not None:
            self._deal.play(self._card_to_play(seat, seats[seat]))

    def _card_to_play(self, seat: int, player: Seat) -> Card:
        view = look(self._deal, seat, self._book)
        legal = view.legal
        if seat not in self.faults:
            try:
                (code,) = player.play(self._facts(view) | {"legal": codes(legal)})
                card = Card.parse(code)
            except SeatFault as fault:
                self._note(seat, str(fault))
            except Exception:
                self._note(seat, "illegal")
            else:
                if card in legal:
                    return card
                self._note(seat, "illegal")
        return min(legal, key=low)

    def _note(self, seat: int, fault: str) -> None:
        moves = sum(len(trick.cards) for trick in self._deal.tricks) + len(self._deal.trick)
        self.faults[seat] = moves, fault

    def _facts(self, view: View) -> dict[str, Any]:
        return {
            "seat": view.seat,
            "book": self.book,
            "direction": view.direction.name,
            "receiver": view.direction.receiver(view.seat),
            "moon": self._book.moon.name,
            "hand": codes(view.hand),
            "gave": codes(view.gave),
            "received": codes(view.received),
            "tricks": [(trick.leader, codes(trick.cards)) for trick in view.tricks],
            "trick": codes(view.trick),
        }

    def record(self) -> dict[str, Any]:
        """Return hands, passes, tricks, scores and faults of the deal that is over."""
        taken: list[list[Card]] = [[] for _ in SEATS]
        for trick in self._deal.tricks:
            taken[trick.taker].extend(trick.cards)
        hearts = [sum(card.suit == Suit.HEARTS for card in cards) for cards in taken]
        queens = [sum(map(is_queen_of_spades, cards)) for cards in taken]
        return {
            "direction": self._deal.direction.name,
            "hands": ["".join(codes(hand)) for hand in self.hands],
            "passed": ["".join(codes(self._passed.get(seat, []))) for seat in SEATS],
            "tricks": [[trick.leader, "".join(codes(trick.cards))] for trick in self._deal.tricks],
            "scores": self._deal.scores(),
            "hearts": hearts,
            "queen": queens,
            "moon": [seat for seat in SEATS if hearts[seat] == ALL_HEARTS and queens[seat]],
            "faults": [[seat, move, what] for seat, (move, what) in sorted(self.faults.items())],
        }


def low(card: Card) -> tuple[int, Card]:
    """Return the card's place where low ranks come first."""
    return card.rank, card


def codes(cards: Sequence[Card] | Hand) -> list[str]:
    """Return the codes of the cards."""
    return [str(card) for card in cards]
