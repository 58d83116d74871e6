"""A match: deal after deal, passed and played by a rule book, until a player reaches its limit.

    FullDeal    one pack that was dealt to four players: first cards are passed, then played
    Phase       what a deal is waiting for: cards to pass, a card to play, or nothing more
    Passing     the first half of a deal: what each seat has chosen to pass
    Playing     the second half of a deal: hands, the trick on the table, the full tricks
    Trick       four cards that were played, and who led them
    Match       the deals of a game, and its score sheet

Nothing is printed and nobody is asked. A program that shows a deal finds here everything it can
show, and calls `give` and `play` with what a player has chosen.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from cards import Card, Deck, Hand
from legal import Rules, Turn, check_play, first_leader, hearts_broken, legal_plays, winner
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


class Passing:
    """What each seat has chosen to pass; in a hold, all have chosen nothing from the start."""

    def __init__(self, direction: Pass) -> None:
        """Begin before any seat has chosen."""
        self.direction = direction
        self._chosen: dict[int, tuple[Card, ...]] = {} if direction else dict.fromkeys(SEATS, ())

    @property
    def still_to_choose(self) -> list[int]:
        """The seats that must still choose, in order."""
        return [seat for seat in SEATS if seat not in self._chosen]

    def choose(self, seat: int, cards: Sequence[Card], hand: Hand) -> None:
        """Keep the cards that the seat passes; raise IllegalPass if it may not pass them now."""
        if seat not in self.still_to_choose:
            raise IllegalPass("you have no cards to pass now")
        check_pass(cards, hand)
        self._chosen[seat] = tuple(cards)

    def move(self, hands: Sequence[Hand]) -> list[Hand]:
        """Return the hands after all seats have passed what they have chosen."""
        return pass_cards(hands, [self._chosen[seat] for seat in SEATS], self.direction)

    def received(self, seat: int) -> list[Card]:
        """Return the cards passed to the seat; none while a seat must still choose."""
        if self.still_to_choose:
            return []
        return list(self._chosen[clockwise(seat, -self.direction)])


class Playing:
    """Hands that are played out, trick by trick."""

    def __init__(self, hands: Iterable[Hand], rules: Rules) -> None:
        """Begin with copies of these hands, seat 0's first, before the first card is played."""
        self._hands = [Hand(hand) for hand in hands]
        self._rules = rules
        self._trick: list[Card] = []
        self._tricks: list[Trick] = []
        # Where a club opens the deal, the dealer (the second argument) does not matter.
        self.leader = first_leader(self._hands, 0, rules)

    @property
    def next_seat(self) -> int:
        """The seat that plays the next card, if there is one."""
        return clockwise(self.leader, len(self._trick))

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        return list(self._trick)

    @property
    def tricks(self) -> list[Trick]:
        """The full tricks so far, in order."""
        return list(self._tricks)

    @property
    def is_over(self) -> bool:
        """Whether all cards have been played."""
        return not any(self._hands)

    @property
    def hearts_broken(self) -> bool:
        """Whether the cards played so far have broken hearts."""
        played = [card for trick in self._tricks for card in trick.cards]
        return hearts_broken([*played, *self._trick], self._rules)

    def hand(self, seat: int) -> Hand:
        """Return a copy of the hand of the seat."""
        return Hand(self._hands[seat])

    def view(self) -> Turn:
        """Return what the player who plays the next card may know."""
        return Turn(
            self.hand(self.next_seat),
            self._rules,
            self.trick,
            first_trick=not self._tricks,
            hearts_broken=self.hearts_broken,
        )

    def play(self, card: Card) -> int | None:
        """Play the next card, a legal one, and return who takes the trick if it is full."""
        self._hands[self.next_seat].remove(card)
        self._trick.append(card)
        return self._take_trick() if len(self._trick) == len(SEATS) else None

    def taken(self) -> list[list[Card]]:
        """Return for each seat the cards of all tricks that it has taken."""
        taken: list[list[Card]] = [[] for _ in SEATS]
        for trick in self._tricks:
            taken[trick.taker].extend(trick.cards)
        return taken

    def _take_trick(self) -> int:
        """Clear the table, and let the taker of the full trick lead next; return the taker."""
        trick = Trick(self.leader, tuple(self._trick))
        self._tricks.append(trick)
        self._trick = []
        self.leader = trick.taker
        return trick.taker


class FullDeal:
    """One pack that was dealt to four players, to be passed and played by a rule book."""

    def __init__(self, hands: Iterable[Hand], book: Book, direction: Pass = Pass.HOLD) -> None:
        """Begin with copies of these four hands, seat 0's first, before cards are passed."""
        self._book = book
        self._passing = Passing(direction)
        self._playing = Playing(hands, book.play)

    @property
    def direction(self) -> Pass:
        """Which way cards are passed in this deal."""
        return self._passing.direction

    @property
    def phase(self) -> Phase:
        """What the deal is waiting for."""
        if self.still_to_pass:
            return Phase.PASSING
        return Phase.OVER if self._playing.is_over else Phase.PLAYING

    @property
    def still_to_pass(self) -> list[int]:
        """The seats that must still choose cards to pass, in order."""
        return self._passing.still_to_choose

    def hand(self, seat: int) -> list[Card]:
        """Return the cards that the seat holds; chosen cards stay until all seats have chosen."""
        return sorted(self._playing.hand(seat))

    def give(self, seat: int, cards: Sequence[Card]) -> None:
        """Choose the cards that the seat passes; when all seats have chosen, the cards move.

        Raise IllegalPass, and change nothing, if the seat may not pass these cards now.
        """
        self._passing.choose(seat, cards, self._playing.hand(seat))
        if not self.still_to_pass:
            held = [self._playing.hand(giver) for giver in SEATS]
            self._playing = Playing(self._passing.move(held), self._book.play)

    def received(self, seat: int) -> list[Card]:
        """Return the cards that were passed to the seat; none before the cards have moved."""
        return self._passing.received(seat)

    @property
    def leader(self) -> int | None:
        """The seat that leads, or has led, the trick on the table; None unless PLAYING."""
        return self._playing.leader if self._is_in(Phase.PLAYING) else None

    @property
    def turn(self) -> int | None:
        """The seat that plays the next card; None unless PLAYING."""
        return self._playing.next_seat if self._is_in(Phase.PLAYING) else None

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        return self._playing.trick

    @property
    def tricks(self) -> list[Trick]:
        """The full tricks so far, in order."""
        return self._playing.tricks

    def view(self) -> Turn:
        """Return what the player whose turn it is may know; raise ValueError unless PLAYING."""
        if not self._is_in(Phase.PLAYING):
            raise ValueError("no card can be played now")
        return self._playing.view()

    def legal_plays(self) -> list[Card]:
        """Return the cards that may be played now; none unless PLAYING."""
        return legal_plays(self.view()) if self._is_in(Phase.PLAYING) else []

    def play(self, card: Card) -> int | None:
        """Play the card for the seat whose turn it is, and return who takes a full trick.

        Raise ValueError, and change nothing, if the card may not be played now. If a rule of play
        forbids it, the error is an IllegalPlay.
        """
        check_play(card, self.view())
        return self._playing.play(card)

    def costs(self) -> list[int]:
        """Return what the cards cost that each seat has taken so far; the moon is ignored."""
        return costs(self._playing.taken(), self._book.play)

    def scores(self, totals: Sequence[int] = NO_TOTALS) -> list[int]:
        """Return the scores of the deal, given the totals before it.

        Raise ValueError before the deal is over.
        """
        if not self._is_in(Phase.OVER):
            raise ValueError("the deal is not over")
        return deal_scores(self._playing.taken(), self._book, totals)

    def _is_in(self, phase: Phase) -> bool:
        """Return whether the deal is in this phase."""
        return self.phase == phase


# %% play-a-match
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

    def start(self, hands: Iterable[Hand]) -> FullDeal:
        """Start the next deal with these hands, and return it.

        Raise ValueError if another deal is not finished yet, or the match is over.
        """
        if self._deal:
            raise ValueError("finish the deal before you start another")
        if self._sheet.is_over():
            raise ValueError("the match is over")
        self._deal = FullDeal(hands, self._book, self._book.pass_for(len(self._sheet.rows)))
        return self._deal

    def start_shuffled(self, rng: int | Random) -> FullDeal:
        """Start the next deal with a full pack that only `rng`, a seed or a generator, shuffles.

        Seat 0 deals first; then the deal goes around clockwise.
        """
        deck = Deck()
        deck.shuffle(rng)
        hands, _ = deck.deal(len(SEATS), clockwise(SEATS[0], len(self._sheet.rows)))
        return self.start(hands)

    def finish(self) -> list[int]:
        """Enter the scores of the deal on the sheet, and return them.

        Raise ValueError if no deal was started, or it is not over.
        """
        if not self._deal:
            raise ValueError("no deal was started")
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
