"""A deal and a match, written with every liberty that the brief leaves.

    Refused   a ValueError of this module's own, for calls at the wrong time

Hands, received and taken cards come in an order of their own. A deal remembers what it was dealt,
the gifts and the plays, and computes everything else.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

import legal
import rulebook
from cards import Card, Deck, Hand
from legal import Turn, winner
from rulebook import SEATS, Book, IllegalPass, Pass
from scoring import ScoreSheet, costs, deal_scores

NAMES = ("North", "East", "South", "West")


class Phase(Enum):
    """What a deal is waiting for."""

    PASSING = auto()
    PLAYING = auto()
    OVER = auto()


@dataclass(frozen=True)
class Trick:
    """A full trick: the seat that led, and the cards in the order in which they were played."""

    leader: int
    cards: tuple[Card, ...]

    @property
    def taker(self) -> int:
        """The seat that takes the trick."""
        return winner(self.cards, self.leader)


class Refused(ValueError):
    """A call that is not allowed now."""


class FullDeal:
    """One deal; every answer is computed from the dealt hands, the gifts and the plays."""

    def __init__(
        self, hands: Iterable[Hand], book: Book, direction: Pass = Pass.HOLD, *, name: str = ""
    ) -> None:
        """Begin with copies of the hands; `name` is for programs that show several deals."""
        self.name = name
        self.__dealt = tuple(Hand(hand) for hand in hands)
        self.__book = book
        self.__direction = direction
        self.__gifts: dict[int, frozenset[Card]] = {}
        self.__plays: list[Card] = []
        self.__hands_now = self.__dealt  # after the passing: the new hands

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return self.phase is Phase.PLAYING  # a deal that cannot be played now is false

    @property
    def direction(self) -> Pass:
        """Which way cards are passed."""
        return self.__direction

    @property
    def phase(self) -> Phase:
        """What the deal is waiting for."""
        if self.still_to_pass:
            return Phase.PASSING
        left = sum(map(len, self.__dealt)) - len(self.__plays)
        return Phase.PLAYING if left else Phase.OVER

    @property
    def still_to_pass(self) -> list[int]:
        """The seats that must still choose."""
        return sorted(set(SEATS) - set(self.__gifts)) if self.__direction else []

    def give(self, seat: int, cards: Iterable[Card]) -> None:
        """Choose the cards that the seat passes."""
        gift = list(cards)
        if seat not in self.still_to_pass:
            raise IllegalPass
        rulebook.check_pass(gift, self.__dealt[seat])
        self.__gifts[seat] = frozenset(gift)
        if not self.still_to_pass:
            gifts = [list(self.__gifts[giver]) for giver in SEATS]
            passed = rulebook.pass_cards(list(self.__dealt), gifts, self.__direction)
            self.__hands_now = tuple(passed)

    def hand(self, seat: int) -> list[Card]:
        """Return the cards that the seat holds, the highest first."""
        return sorted(set(self.__hands_now[seat]) - set(self.__plays), reverse=True)

    def received(self, seat: int) -> list[Card]:
        """Return the cards that were passed to the seat, the highest first."""
        if self.still_to_pass or not self.__direction:
            return []
        [giver] = [giver for giver in SEATS if self.__direction.receiver(giver) == seat]
        return sorted(self.__gifts[giver], reverse=True)

    def __tricks(self) -> Iterator[Trick]:
        """Yield all tricks; the last one may have fewer than four cards, or none."""
        seat = legal.first_leader(self.__hands_now, 3, self.__book.play)
        rest = tuple(self.__plays)
        while len(rest) >= len(SEATS):
            trick = Trick(seat, rest[: len(SEATS)])
            yield trick
            seat, rest = trick.taker, rest[len(SEATS) :]
        yield Trick(seat, rest)

    @property
    def __now(self) -> Trick:
        return list(self.__tricks())[-1]

    @property
    def leader(self) -> int | None:
        """The seat that has led, or leads next."""
        return self.__now.leader if self.phase is Phase.PLAYING else None

    @property
    def turn(self) -> int | None:
        """The seat that plays the next card."""
        if self.phase is not Phase.PLAYING:
            return None
        return (self.__now.leader + len(self.__now.cards)) % len(SEATS)

    @property
    def trick(self) -> list[Card]:
        """The cards on the table."""
        return [] if self.phase is Phase.PASSING else [*self.__now.cards]

    @property
    def tricks(self) -> list[Trick]:
        """All full tricks."""
        return [] if self.phase is Phase.PASSING else list(self.__tricks())[:-1]

    @property
    def hearts_broken(self) -> bool:
        """Whether the cards played so far have broken hearts."""
        return legal.hearts_broken(self.__plays, self.__book.play)

    def view(self) -> Turn:
        """Return what the player whose turn it is may know."""
        if (seat := self.turn) is None:
            raise Refused(f"nobody plays while the deal is {self.phase.name}")
        return Turn(
            Hand(self.hand(seat)),
            self.__book.play,
            self.trick,
            first_trick=len(self.__plays) < len(SEATS),
            hearts_broken=self.hearts_broken,
        )

    def legal_plays(self) -> list[Card]:
        """Return the cards that may be played now, the highest first."""
        cards = legal.legal_plays(self.view()) if self.phase is Phase.PLAYING else []
        return sorted(cards, reverse=True)

    def play(self, card: Card) -> int | None:
        """Play the card, and return who takes a full trick."""
        legal.check_play(card, self.view())
        self.__plays.append(card)
        full, *later = list(self.__tricks())[-2:]
        return full.taker if later and not later[0].cards else None

    def taken(self, seat: int) -> list[Card]:
        """Return the cards that the seat has taken, the highest first."""
        return sorted(
            (card for trick in self.tricks if trick.taker == seat for card in trick.cards),
            reverse=True,
        )

    def costs(self) -> list[int]:
        """Return what each seat's taken cards cost."""
        return costs([*map(self.taken, SEATS)], self.__book.play)

    def scores(self, totals: Sequence[int] | None = None) -> list[int]:
        """Return the scores of the deal."""
        if self.phase is not Phase.OVER:
            raise Refused
        return deal_scores([*map(self.taken, SEATS)], self.__book, totals)


class OwnSheet(ScoreSheet):
    """The sheet of a match, which knows how many deals it has."""

    @property
    def number(self) -> int:
        """The number of the next deal."""
        return len(self.rows)


class Match:
    """A series of deals on one sheet."""

    NAMES = NAMES

    def __init__(self, book: Book, names: Iterable[str] | None = None) -> None:
        """Begin a match."""
        self.__book, self.__sheet = book, OwnSheet(names or self.NAMES, book)
        self.__deals: list[FullDeal] = []  # all deals that were started

    @property
    def book(self) -> Book:
        """The rule book."""
        return self.__book

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet."""
        return self.__sheet

    @property
    def deal(self) -> FullDeal | None:
        """The deal that is not finished yet."""
        return self.__deals[0] if self.__deals else None

    def start(self, hands: Iterable[Hand]) -> FullDeal:
        """Start the next deal."""
        if self.__deals or self.is_over():
            raise Refused("not now")
        number = self.__sheet.number
        self.__deals = [
            FullDeal(hands, self.__book, self.__book.pass_for(number), name=f"{number}")
        ]
        return self.__deals[0]

    def start_shuffled(self, rng: int | random.Random) -> FullDeal:
        """Start the next deal with a shuffled pack; this draws even if the start is refused."""
        deck = Deck()
        deck.shuffle(rng)
        return self.start(deck.deal(len(SEATS), self.__sheet.number % len(SEATS))[0])

    def finish(self) -> list[int]:
        """Enter the scores of the deal."""
        for deal in self.__deals:
            scores = deal.scores(self.__sheet.totals)
            self.__sheet.enter(tuple(scores))
            self.__deals = []
            return scores
        raise Refused("no deal")

    def is_over(self) -> bool:
        """Return whether the match is over."""
        return self.__sheet.is_over()

    def winners(self) -> list[int]:
        """Return the seats that lead."""
        return self.__sheet.winners()
