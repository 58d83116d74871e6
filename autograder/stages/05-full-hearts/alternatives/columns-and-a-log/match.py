"""A match: deal after deal, passed and played by a rule book, until a player reaches its limit.

    FullDeal    one pack that was dealt to four players: first cards are passed, then played
    Phase       what a deal is waiting for: cards to pass, a card to play, or nothing more
    Trick       four cards that were played, and who led them
    Match       the deals of a game, and its score sheet

Nothing is printed and nobody is asked. A program that shows a deal finds here everything it can
show, and calls `give` and `play` with what a player has chosen.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

import legal
import scoring
from cards import Card, Deck, Hand
from legal import Turn, winner
from rulebook import SEATS, Book, IllegalPass, Pass, check_pass, pass_cards
from scoring import ScoreSheet

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


class FullDeal:
    """One pack that was dealt to four players, to be passed and played by a rule book.

    It remembers the hands, the chosen cards, who opens, and all cards in the order in which they
    were played. Everything else follows from these.
    """

    def __init__(self, hands: Iterable[Hand], book: Book, direction: Pass = Pass.HOLD) -> None:
        """Begin with copies of these four hands, seat 0's first, before cards are passed."""
        self._hands = [Hand(hand) for hand in hands]
        self._book = book
        self._direction = direction
        self._chosen: dict[int, tuple[Card, ...]] = {}
        self._played: list[Card] = []
        self._opener: int | None = None  # who leads the first trick; None before that is known
        if direction == Pass.HOLD:
            self._open()

    def _open(self) -> None:
        """Begin the play: find out who leads first."""
        dealer = SEATS[-1]  # only matters in books without an opening suit: there seat 0 opens
        self._opener = legal.first_leader(self._hands, dealer, self._book.play)

    @property
    def direction(self) -> Pass:
        """Which way cards are passed in this deal."""
        return self._direction

    @property
    def phase(self) -> Phase:
        """What the deal is waiting for."""
        if self._opener is None:
            return Phase.PASSING
        if any(len(hand) > 0 for hand in self._hands):
            return Phase.PLAYING
        return Phase.OVER

    def _require(self, phase: Phase) -> None:
        """Raise ValueError unless this is the phase of the deal."""
        if self.phase != phase:
            raise ValueError(f"this cannot be done while the deal is {self.phase.name.lower()}")

    @property
    def still_to_pass(self) -> list[int]:
        """The seats that must still choose cards to pass, in order."""
        if self.phase != Phase.PASSING:
            return []
        return [seat for seat in SEATS if seat not in self._chosen]

    def hand(self, seat: int) -> list[Card]:
        """Return the cards that the seat holds; chosen cards stay until all have chosen."""
        return list(self._hands[seat])

    def give(self, seat: int, cards: Sequence[Card]) -> None:
        """Choose the cards that the seat passes; when all seats have chosen, the cards move.

        Raise IllegalPass, and change nothing, if the seat may not pass these cards now.
        """
        if seat not in self.still_to_pass:
            raise IllegalPass(f"seat {seat} has nothing to pass now")
        check_pass(cards, self._hands[seat])
        self._chosen[seat] = tuple(cards)
        if not self.still_to_pass:
            in_order = [self._chosen[giver] for giver in SEATS]
            self._hands = pass_cards(self._hands, in_order, self._direction)
            self._open()

    def received(self, seat: int) -> list[Card]:
        """Return the cards that were passed to the seat; none before the cards have moved."""
        if self.phase == Phase.PASSING:
            return []
        for giver, cards in self._chosen.items():
            if self._direction.receiver(giver) == seat:
                return list(cards)
        return []

    @property
    def leader(self) -> int | None:
        """The seat that leads, or has led, the trick on the table; None unless PLAYING."""
        if self.phase != Phase.PLAYING:
            return None
        full = self.tricks
        return full[-1].taker if full else self._opener

    @property
    def turn(self) -> int | None:
        """The seat that plays the next card; None unless PLAYING."""
        leader = self.leader
        if leader is None:
            return None
        return (leader + len(self.trick)) % len(SEATS)

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        on_the_table = len(self._played) % len(SEATS)
        return self._played[len(self._played) - on_the_table :]

    @property
    def tricks(self) -> list[Trick]:
        """The full tricks so far, in order."""
        found: list[Trick] = []
        leader = self._opener
        size = len(SEATS)
        for end in range(size, len(self._played) + 1, size):
            full = Trick(leader, tuple(self._played[end - size : end]))
            found.append(full)
            leader = full.taker
        return found

    @property
    def hearts_broken(self) -> bool:
        """Whether the cards played so far have broken hearts."""
        return legal.hearts_broken(self._played, self._book.play)

    def view(self) -> Turn:
        """Return what the player whose turn it is may know; raise ValueError unless PLAYING."""
        self._require(Phase.PLAYING)
        return Turn(
            Hand(self._hands[self.turn]),
            self._book.play,
            tuple(self.trick),
            first_trick=len(self._played) < len(SEATS),
            hearts_broken=self.hearts_broken,
        )

    def legal_plays(self) -> list[Card]:
        """Return the cards that may be played now; none unless PLAYING."""
        if self.phase != Phase.PLAYING:
            return []
        return legal.legal_plays(self.view())

    def play(self, card: Card) -> int | None:
        """Play the card for the seat whose turn it is, and return who takes a full trick.

        Raise ValueError, and change nothing, if the card may not be played now. If a rule of play
        forbids it, the error is an IllegalPlay.
        """
        legal.check_play(card, self.view())
        self._hands[self.turn].remove(card)
        self._played.append(card)
        if self.trick:
            return None
        return self.tricks[-1].taker

    def taken(self, seat: int) -> list[Card]:
        """Return the cards of all tricks that the seat has taken."""
        return self._piles()[seat]

    def _piles(self) -> list[list[Card]]:
        """Return the cards of all tricks that each seat has taken."""
        piles: list[list[Card]] = [[] for _ in SEATS]
        for full in self.tricks:
            piles[full.taker] += full.cards
        return piles

    def costs(self) -> list[int]:
        """Return what the cards cost that each seat has taken so far; the moon is ignored."""
        return scoring.costs(self._piles(), self._book.play)

    def scores(self, totals: Sequence[int] = (0, 0, 0, 0)) -> list[int]:
        """Return the scores of the deal, given the totals before it.

        Raise ValueError before the deal is over.
        """
        self._require(Phase.OVER)
        return scoring.deal_scores(self._piles(), self._book, totals)


class Match:
    """Deals by one rule book, scored on one sheet, until a player reaches the limit."""

    def __init__(self, book: Book, names: Sequence[str] = NAMES) -> None:
        """Begin a match by this book for players with these names, seat 0's first."""
        self._book = book
        self._sheet = ScoreSheet(names, book)
        self._deal: FullDeal | None = None

    @property
    def book(self) -> Book:
        """The rule book."""
        return self._book

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet of all finished deals."""
        return self._sheet

    @property
    def deal(self) -> FullDeal | None:
        """The deal that was started and is not finished yet, if there is one."""
        return self._deal

    def _next_number(self) -> int:
        """The number of the next deal; the first is deal 0.

        Raise ValueError if another deal is not finished yet, or the match is over.
        """
        if self._deal is not None:
            raise ValueError("finish the other deal first")
        if self.is_over():
            raise ValueError("the match is over")
        return len(self._sheet.rows)

    def start(self, hands: Iterable[Hand]) -> FullDeal:
        """Start the next deal with these hands, and return it.

        Raise ValueError if another deal is not finished yet, or the match is over.
        """
        direction = self._book.pass_for(self._next_number())
        self._deal = FullDeal(hands, self._book, direction)
        return self._deal

    def start_shuffled(self, chance: int | Random) -> FullDeal:
        """Start the next deal with a full pack that only `rng`, a seed or a generator, shuffles.

        Seat 0 deals first; then the deal goes around clockwise.
        """
        dealer = self._next_number() % len(SEATS)  # raises before anything is drawn
        deck = Deck()
        deck.shuffle(chance)
        hands, _ = deck.deal(len(SEATS), dealer)
        return self.start(hands)

    def finish(self) -> list[int]:
        """Enter the scores of the deal on the sheet, and return them.

        Raise ValueError if no deal was started, or it is not over.
        """
        if self._deal is None:
            raise ValueError("no deal has been started")
        scores = self._deal.scores(self._sheet.totals)
        self._sheet.enter(scores)
        self._deal = None
        return scores

    def is_over(self) -> bool:
        """Return whether a player's total has reached the book's limit."""
        return self._sheet.is_over()

    def winners(self) -> list[int]:
        """Return the seats with the lowest total, in order."""
        return self._sheet.winners()


if __name__ == "__main__":
    from rulebook import HEART_BOOK

    chance, game = Random(), Match(HEART_BOOK)
    while not game.is_over():
        now = game.start_shuffled(chance)
        for giver in now.still_to_pass:
            now.give(giver, chance.sample(now.hand(giver), 3))
        while now.phase == Phase.PLAYING:
            now.play(chance.choice(now.legal_plays()))
        game.finish()
    print(game.sheet.show())
