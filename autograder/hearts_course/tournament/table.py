"""The table of a tournament: it deals, asks each seat in turn, and notes what was played.

It plays by a program's own names, which are those that the briefs ask for: `FullDeal`, `View` and
so on. A seat answers with codes of cards. An answer that is no answer, or against the rules, is a
fault: from then on, until the deal is over, the seat passes and plays its lowest legal cards.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from hearts_course.tournament.schedule import SEATS

BOOK = "_BOOK"  # how the name of a rule book ends in its module
NEEDED = ("Book", "Card", "FullDeal", "Hand", "look", "shuffled_deals")
QUEEN, HEART = "QS", "H"
ALL_HEARTS, PASSED = 13, 3


class SeatFault(Exception):
    """A seat gave no answer; the text says why in a word or two."""


class Seat(Protocol):
    """Whoever answers for a seat; both methods raise SeatFault."""

    @property
    def takes_views(self) -> bool:
        """Whether it is given the program's own view, and not the same as plain values."""

    def pass_cards(self, facts: Any) -> list[str]:
        """Return the codes of three cards."""

    def play(self, facts: Any) -> list[str]:
        """Return the code of one card, alone in a list."""


@dataclass(frozen=True)
class Rules:
    """What the table plays by: a program's names, and its rule books."""

    names: Mapping[str, Any]
    books: Mapping[str, Any]

    @classmethod
    def of(cls, names: Mapping[str, Any]) -> "Rules":
        """Return the rules of a program; raise KeyError if it lacks a name."""
        needed = {name: names[name] for name in NEEDED}
        module = vars(importlib.import_module(needed["Book"].__module__))
        needed["check_pass"] = module["check_pass"]
        books = {name.removesuffix(BOOK): module[name] for name in module if name.endswith(BOOK)}
        return cls(needed, books)

    def hands(self, rng: Random) -> Sequence[Any]:
        """Return the four hands of a shuffled pack."""
        (hands,) = self.names["shuffled_deals"](1, rng)
        dealt: Sequence[Any] = hands
        return dealt


def play_deal(
    seats: Sequence[Seat], hands: Sequence[Any], rules: Rules, book: str, number: int
) -> dict[str, Any]:
    """Let the seats play these hands as the deal of that number in a match; return the record."""
    table = Table(rules, book, hands, number)
    table.let_pass(seats)
    table.let_play(seats)
    return table.record()


@dataclass
class Table:
    """One deal, and what there is to tell about it."""

    rules: Rules
    book: str
    hands: Sequence[Any]
    number: int
    faults: dict[int, tuple[int, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Deal the hands."""
        self._names = self.rules.names
        self._book = self.rules.books[self.book]
        direction = self._book.pass_for(self.number)
        self._deal = self._names["FullDeal"](self.hands, self._book, direction)
        self._passed: dict[int, list[Any]] = {}

    def let_pass(self, seats: Sequence[Seat]) -> None:
        """Ask every seat for the cards that it passes."""
        for seat in self._deal.still_to_pass:
            self._passed[seat] = self._cards_to_pass(seat, seats[seat])
        for seat, cards in self._passed.items():
            self._deal.give(seat, cards)

    def _cards_to_pass(self, seat: int, player: Seat) -> list[Any]:
        """Return the cards that the player passes; the lowest ones after a fault."""
        view = self._names["look"](self._deal, seat, self._book)
        try:
            chosen = player.pass_cards(view if player.takes_views else self._facts(view))
            cards = [self._names["Card"].parse(code) for code in chosen]
            self._names["check_pass"](cards, self._names["Hand"](view.hand))
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

    def _card_to_play(self, seat: int, player: Seat) -> Any:
        """Return the card that the player plays; from its first fault on, the lowest legal one."""
        view = self._names["look"](self._deal, seat, self._book)
        legal = view.legal
        if seat not in self.faults:
            try:
                facts = view if player.takes_views else self._facts(view) | {"legal": codes(legal)}
                (code,) = player.play(facts)
                card = self._names["Card"].parse(code)
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

    def _facts(self, view: Any) -> dict[str, Any]:
        return {
            "seat": view.seat,
            "book": f"{self.book}{BOOK}",
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
        taken: list[list[str]] = [[] for _ in range(SEATS)]
        for trick in self._deal.tricks:
            taken[trick.taker].extend(codes(trick.cards))
        hearts = [sum(code.endswith(HEART) for code in cards) for cards in taken]
        queens = [cards.count(QUEEN) for cards in taken]
        seats = range(SEATS)
        return {
            "direction": self._deal.direction.name,
            "hands": ["".join(codes(hand)) for hand in self.hands],
            "passed": ["".join(codes(self._passed.get(seat, []))) for seat in seats],
            "tricks": [[trick.leader, "".join(codes(trick.cards))] for trick in self._deal.tricks],
            "scores": self._deal.scores(),
            "hearts": hearts,
            "queen": queens,
            "moon": [seat for seat in seats if hearts[seat] == ALL_HEARTS and queens[seat]],
            "faults": [[seat, move, fault] for seat, (move, fault) in sorted(self.faults.items())],
        }


def low(card: Any) -> tuple[Any, Any]:
    """Return the card's place where low ranks come first."""
    return card.rank, card


def codes(cards: Any) -> list[str]:
    """Return the codes of the cards."""
    return [str(card) for card in cards]
