"""A match: one deal after the other, passed and played by a rule book, until somebody has enough.

    FullDeal    one pack that was dealt to four players: cards are passed, then played, one by one
    Phase       what a deal is waiting for: cards to pass, a card to play, or nothing more
    Trick       four cards that were played, and who led them
    Match       the deals of a game, and its score sheet

Nothing is printed and nobody is asked. Whoever shows a deal on a screen finds here all that there
is to show, and hands in what a player has chosen by `give` and `play`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from cards import Card, Deck, Hand
from legal import Turn, check_play, first_leader, hearts_broken, legal_plays, winner
from rulebook import SEATS, Book, IllegalPass, Pass, check_pass, clockwise, pass_cards
from scoring import NO_TOTALS, ScoreSheet, costs, deal_scores

NAMES = ("North", "East", "South", "West")


# %% full-deal
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


class FullDeal:
    """One pack that was dealt to four players, is passed by a rule book and played out by it."""

    def __init__(self, hands: Iterable[Hand], book: Book, direction: Pass = Pass.HOLD) -> None:
        """A deal of copies of these four hands, seat 0's first, before cards are passed."""
        self._hands = [Hand(hand) for hand in hands]
        self._book = book
        self._direction = direction
        # In a hold everybody has given from the start, and nothing.
        self._given: dict[int, list[Card]] = {} if direction else {seat: [] for seat in SEATS}
        # Who leads unless the opening card is passed. Where a club opens, who dealt is no matter.
        self._leader = first_leader(self._hands, 0, book.play)
        self._trick: list[Card] = []
        self._tricks: list[Trick] = []

    @property
    def direction(self) -> Pass:
        """Which way cards are passed in this deal."""
        return self._direction

    @property
    def phase(self) -> Phase:
        """What the deal is waiting for."""
        if self.still_to_pass:
            return Phase.PASSING
        return Phase.PLAYING if any(self._hands) else Phase.OVER

    @property
    def still_to_pass(self) -> list[int]:
        """The seats that must still choose cards to pass, in order."""
        return [seat for seat in SEATS if seat not in self._given]

    def hand(self, seat: int) -> list[Card]:
        """The cards that the seat holds. Chosen ones are among them until all seats have chosen."""
        return sorted(self._hands[seat])

    def give(self, seat: int, cards: Sequence[Card]) -> None:
        """Choose the cards that the seat passes. When all seats have chosen, the cards move.

        Raises IllegalPass, and changes nothing, if the seat may not pass these cards now.
        """
        if seat not in self.still_to_pass:
            raise IllegalPass("you have no cards to pass now")
        check_pass(cards, self._hands[seat])
        self._given[seat] = list(cards)
        if not self.still_to_pass:
            chosen = [self._given[giver] for giver in SEATS]
            self._hands = pass_cards(self._hands, chosen, self._direction)
            self._leader = first_leader(self._hands, 0, self._book.play)

    def received(self, seat: int) -> list[Card]:
        """The cards that were passed to the seat; none before the cards have moved."""
        if self.still_to_pass:
            return []
        return list(self._given[clockwise(seat, -self._direction)])

    @property
    def leader(self) -> int | None:
        """The seat that has led to the trick on the table, or is to lead; None unless one plays."""
        return self._leader if self._is_in(Phase.PLAYING) else None

    @property
    def turn(self) -> int | None:
        """The seat whose turn it is to play; None unless one plays."""
        return self._next if self._is_in(Phase.PLAYING) else None

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        return list(self._trick)

    @property
    def tricks(self) -> list[Trick]:
        """The full tricks so far, in order."""
        return list(self._tricks)

    @property
    def hearts_broken(self) -> bool:
        """Have the cards that were played so far broken hearts?"""
        played = [card for trick in self._tricks for card in trick.cards]
        return hearts_broken([*played, *self._trick], self._book.play)

    def view(self) -> Turn:
        """What the player whose turn it is may know. Raises ValueError unless one plays."""
        if not self._is_in(Phase.PLAYING):
            raise ValueError("no card can be played now")
        return Turn(
            Hand(self.hand(self._next)),
            self._book.play,
            self.trick,
            first_trick=not self._tricks,
            hearts_broken=self.hearts_broken,
        )

    def legal_plays(self) -> list[Card]:
        """The cards that may be played now; none unless one plays."""
        return legal_plays(self.view()) if self._is_in(Phase.PLAYING) else []

    def play(self, card: Card) -> int | None:
        """Play the card for the seat whose turn it is; returns who takes the trick if it is full.

        Raises ValueError, and changes nothing, if the card may not be played now: IllegalPlay if
        it is for a rule of play.
        """
        check_play(card, self.view())
        self._hands[self._next].remove(card)
        self._trick.append(card)
        return self._take_trick() if len(self._trick) == len(SEATS) else None

    def taken(self, seat: int) -> list[Card]:
        """The cards of all tricks that the seat has taken."""
        return [card for trick in self._tricks if trick.taker == seat for card in trick.cards]

    def costs(self) -> list[int]:
        """What the cards cost that each seat has taken so far, with no regard to the moon."""
        return costs([self.taken(seat) for seat in SEATS], self._book.play)

    def scores(self, totals: Sequence[int] = NO_TOTALS) -> list[int]:
        """What each seat is charged, given the totals before the deal.

        Raises ValueError before the deal is over.
        """
        if not self._is_in(Phase.OVER):
            raise ValueError("the deal is not over")
        return deal_scores([self.taken(seat) for seat in SEATS], self._book, totals)

    def _is_in(self, phase: Phase) -> bool:
        """Is the deal in this phase?"""
        return self.phase == phase

    @property
    def _next(self) -> int:
        """The seat that plays the next card, if there is one."""
        return clockwise(self._leader, len(self._trick))

    def _take_trick(self) -> int:
        """Give the full trick to whoever takes it, who leads to the next one."""
        trick = Trick(self._leader, tuple(self._trick))
        self._tricks.append(trick)
        self._trick = []
        self._leader = trick.taker
        return trick.taker


# %% play-a-match
class Match:
    """Deals by one rule book until somebody reaches its limit, and the sheet they are scored on."""

    def __init__(self, book: Book, names: Sequence[str] = NAMES) -> None:
        """A match by this book, of the players of these names, seat 0's first."""
        self._book = book
        self._sheet = ScoreSheet(names, book)
        self._deal: FullDeal | None = None

    @property
    def book(self) -> Book:
        """The rule book."""
        return self._book

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet of all deals that are finished."""
        return self._sheet

    @property
    def deal(self) -> FullDeal | None:
        """The deal that has been started and not yet finished."""
        return self._deal

    def start(self, hands: Iterable[Hand]) -> FullDeal:
        """The next deal, of these hands.

        Raises ValueError if another deal is not finished, or the match is over.
        """
        if self._deal:
            raise ValueError("finish the deal before you start another")
        if self._sheet.is_over():
            raise ValueError("the match is over")
        self._deal = FullDeal(hands, self._book, self._book.pass_for(len(self._sheet.rows)))
        return self._deal

    def start_shuffled(self, chance: int | Random) -> FullDeal:
        """The next deal, of a full pack that only `chance` has shuffled: a seed, or a generator.

        Seat 0 deals first, and the deal goes round clockwise.
        """
        deck = Deck()
        deck.shuffle(chance)
        hands, _ = deck.deal(len(SEATS), clockwise(SEATS[0], len(self._sheet.rows)))
        return self.start(hands)

    def finish(self) -> list[int]:
        """Enter the scores of the deal that has been played out on the sheet, and return them.

        Raises ValueError if no deal was started, or it is not over.
        """
        if not self._deal:
            raise ValueError("no deal was started")
        scores = self._deal.scores(self._sheet.totals)
        self._sheet.enter(scores)
        self._deal = None
        return scores

    def is_over(self) -> bool:
        """Has somebody reached the book's limit?"""
        return self._sheet.is_over()

    def winners(self) -> list[int]:
        """The seats with the lowest total, in order."""
        return self._sheet.winners()
