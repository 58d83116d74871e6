"""The table of a tournament: it deals, asks each seat in turn, and notes what was played.

It uses the classes and functions of one program, such as `FullDeal` and `look`, and finds them by
the names that the briefs ask for. A seat answers with codes of cards. A missing or illegal answer
is a fault. After a fault, the table passes and plays the seat's lowest legal cards until the deal
is over.
"""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Protocol

from hearts_course.tournament.schedule import SEATS, lot, seating
from hearts_course.view.rules_of_thumb import codes

BOOK = "_BOOK"  # the end of a rule book's name in its module
NEEDED = ("Book", "Card", "FullDeal", "Hand", "look", "shuffled_deals")
QUEEN, HEART = "QS", "H"
ALL_HEARTS, PASSED = 13, 3  # numbers of cards


class SeatFault(Exception):
    """A seat gave no answer; the text says why in a few words."""


class Seat(Protocol):
    """A player in a seat; `pass_cards` and `play` raise SeatFault if there is no answer."""

    @property
    def takes_views(self) -> bool:
        """Whether the seat gets the program's own object that says what a player may see.

        Otherwise the seat gets the same facts as plain values.
        """

    def begin(self, seed: str) -> None:
        """Begin a deal with random numbers from this seed."""

    def end(self) -> None:
        """End the deal."""

    def pass_cards(self, facts: Any) -> list[str]:
        """Return the codes of three cards."""

    def play(self, facts: Any) -> list[str]:
        """Return the code of one card, alone in a list."""


@dataclass(frozen=True)
class Rules:
    """What the table needs of a program: its classes and functions by name, and its rule books.

    The names are read before the first deal, so a program that lacks a name fails at once.
    """

    names: Mapping[str, Any]
    books: Mapping[str, Any]

    @classmethod
    def of(cls, names: Mapping[str, Any]) -> "Rules":
        """Return the rules of a program; raise KeyError if the program lacks a name."""
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


@dataclass(frozen=True)
class Round:
    """A round of a tournament: everybody plays the same four hands, once from every seat."""

    rules: Rules
    book: str
    seed: str
    number: int  # the round's number, counted from 1

    @cached_property
    def hands(self) -> Sequence[Any]:
        """The four hands that are dealt at every table."""
        return self.rules.hands(Random(lot(self.seed, "deal", self.number)))

    def deals(self, aliases: Sequence[str], seats: Sequence[Seat]) -> Iterator[dict[str, Any]]:
        """Play the hands at one table four times, and yield each deal's record.

        After each deal, everybody moves on by one seat. A record has the scores in the order of the
        seats. Its list `order` has, for each seat, the index of the seat's player in `aliases`.
        """
        for turn in range(SEATS):
            order = seating(turn)
            for place, seat in enumerate(seats):
                seat.begin(self.chance(turn, place, aliases[place]))
            try:
                sitting = [seats[place] for place in order]
                record = play_deal(sitting, self.hands, self.rules, self.book, self.number - 1)
            finally:
                for seat in seats:
                    seat.end()
            yield {"order": order, **record}

    def chance(self, turn: int, place: int, alias: str) -> str:
        """Return the seed of the player's random numbers in this deal."""
        return lot(self.seed, "chance", self.number, turn, place, alias)


def play_deal(
    seats: Sequence[Seat], hands: Sequence[Any], rules: Rules, book: str, number: int
) -> dict[str, Any]:
    """Let the seats play a deal with these hands, and return its record.

    `number` is the number of the deal in its match; it decides the direction of passing.
    """
    table = Table(rules, book, hands, number)
    table.let_pass(seats)
    table.let_play(seats)
    return table.record()


@dataclass
class Table:
    """One deal at a table, and the faults of its seats.

    `faults` maps each seat with a fault to the number of cards that had been played before the
    fault, and to what the seat did wrong.
    """

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
        """Ask every seat for the cards that it passes.

        All are asked before any card changes hands, so nobody sees a received card before passing.
        """
        for seat in self._deal.still_to_pass:
            self._passed[seat] = self._cards_to_pass(seat, seats[seat])
        for seat, cards in self._passed.items():
            self._deal.give(seat, cards)

    def _cards_to_pass(self, seat: int, player: Seat) -> list[Any]:
        """Return the cards that the player passes, or the lowest cards if the answer is a fault.

        Any error counts as an illegal answer: a code that is not a card, three equal cards, or a
        card that the seat does not hold.
        """
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
        """Return the card that the player plays.

        From the player's first fault on, return the lowest legal card instead. Check the card here,
        because `FullDeal` would raise an error for an illegal card, and the deal would end.
        """
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
        """Record a seat's fault, and how many cards had been played by then.

        The page that replays the deal shows the fault at this point.
        """
        moves = sum(len(trick.cards) for trick in self._deal.tricks) + len(self._deal.trick)
        self.faults[seat] = moves, fault

    def _facts(self, view: Any) -> dict[str, Any]:
        """Return the view as plain values, for a player that gets no objects of the program."""
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
        """Return hands, passes, tricks, scores and faults of the finished deal, as plain values.

        A hand is a single text with two characters for each card, because a tournament keeps
        thousands of deals.
        """
        taken: list[list[str]] = [[] for _ in range(SEATS)]
        tricks: list[list[Any]] = []
        for trick in self._deal.tricks:
            played = codes(trick.cards)
            taken[trick.taker] += played
            tricks.append([trick.leader, "".join(played)])
        hearts = list(map(_hearts_among, taken))
        queens = [cards.count(QUEEN) for cards in taken]
        passed: list[str] = []
        moon: list[int] = []
        for seat in range(SEATS):
            passed.append("".join(codes(self._passed.get(seat, []))))
            if hearts[seat] == ALL_HEARTS and queens[seat]:
                moon.append(seat)
        return {
            "direction": self._deal.direction.name,
            "hands": ["".join(codes(hand)) for hand in self.hands],
            "passed": passed,
            "tricks": tricks,
            "scores": self._deal.scores(),
            "hearts": hearts,
            "queen": queens,
            "moon": moon,
            "faults": [[seat, *fault] for seat, fault in sorted(self.faults.items())],
        }


def _hearts_among(cards: Sequence[str]) -> int:
    """Return how many of the codes are hearts."""
    return sum(code.endswith(HEART) for code in cards)


def low(card: Any) -> tuple[Any, Any]:
    """Return a key that sorts low ranks first."""
    return card.rank, card
