"""The table: a game of Hearts for four, from the first deal to the winners. It prints nothing.

    Seat      North, East, South or West, clockwise; also a number from 0 to 3
    Deal      one pack, dealt and played card by card: the turn, the trick, hands and cards taken
    scores    the points of one deal, a list by seat
    totals    the points of all deals so far, a list by seat
    View      what a player may know when it is their turn
    Player    anything that can choose a card: a person, a Bot, or cards that a test has prepared
    Event     something that everybody at the table sees; `str(event)` is a sentence about it

The game yields events and does not know who reads them. So a terminal can print the same game, a
window can draw it, and a test can play it a thousand times.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from random import Random
from typing import Protocol

from cards import Card, Deck, Hand
from legal import (
    CIT590,
    DYNACOMP,
    ESTELL,
    HEART,
    Rules,
    Turn,
    check_play,
    first_leader,
    hearts_broken,
    legal_plays,
    points,
    winner,
)

GAME = 100
BOOKS = {"CIT590": CIT590, "DYNACOMP": DYNACOMP, "ESTELL": ESTELL, "HEART": HEART}


# %% seats
class Seat(IntEnum):
    """One of the four places at the table, numbered clockwise from North."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def word(self) -> str:
        """The seat's name, such as `North`."""
        return self.name.capitalize()

    @property
    def left(self) -> "Seat":
        """The next seat, clockwise."""
        return Seat((self + 1) % len(Seat))

    @classmethod
    def parse(cls, text: str) -> "Seat":
        """Return the seat with this name, or with this first letter, in any case.

        Raise ValueError if there is none; the message says what the text was and what is allowed.
        """
        for seat in cls:
            if text.upper() in (seat.name, seat.name[0]):
                return seat
        raise ValueError(f"{text!r} is not a seat: write North, East, South or West")


# %% score-a-deal
def deal_scores(taken: Sequence[Iterable[Card]], rules: Rules = CIT590) -> list[int]:
    """Return each seat's points for a deal, given the cards that each has taken, North's first.

    A seat that takes all points has shot the moon: it pays nothing, and each of the others pays all
    the points of the pack, usually 26.
    """
    moon = sum(points(card, rules) for card in Deck())
    scores = [sum(points(card, rules) for card in cards) for cards in taken]
    return [moon - score for score in scores] if moon in scores else scores


# %% end-the-game
def game_over(totals: Sequence[int]) -> bool:
    """Return whether some seat has 100 points or more."""
    return max(totals) >= GAME


def winners(totals: Sequence[int]) -> list[Seat]:
    """Return the seats with the fewest points, clockwise from North."""
    return [seat for seat in Seat if totals[seat] == min(totals)]


# %% play-a-deal
class Deal:
    """One pack that was dealt to four players and is now played, card by card."""

    def __init__(self, hands: Iterable[Hand], rules: Rules = CIT590) -> None:
        """Make a deal of copies of these four hands, North's first; the opener has the turn."""
        self._rules = rules
        self._hands = [Hand(hand) for hand in hands]
        self._trick: list[Card] = []
        self._taken: list[list[Card]] = [[] for _ in Seat]
        self._turn = Seat(first_leader(self._hands, Seat.NORTH, rules))

    @property
    def turn(self) -> Seat:
        """The seat whose turn it is."""
        return self._turn

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        return list(self._trick)

    def hand(self, seat: Seat) -> list[Card]:
        """Return the cards that the seat still holds, in any order."""
        return list(self._hands[seat])

    def taken(self, seat: Seat) -> list[Card]:
        """Return the cards of all tricks that the seat has taken, in any order."""
        return list(self._taken[seat])

    def play(self, card: Card) -> Seat | None:
        """Play the card for the seat whose turn it is; return who takes the trick if it is full.

        Raise ValueError if the card may not be played; then nothing changes.
        """
        check_play(card, self._now())
        self._hands[self._turn].remove(card)
        self._trick.append(card)
        if len(self._trick) == len(Seat):
            return self._take_trick()
        self._turn = self._turn.left
        return None

    def is_over(self) -> bool:
        """Return whether all cards have been played."""
        return not any(self._hands)

    def scores(self) -> list[int]:
        """Return each seat's points for the cards taken so far, North's first."""
        return deal_scores(self._taken, self._rules)

    def legal_plays(self) -> list[Card]:
        """Return the cards that the seat whose turn it is may play, in any order."""
        return legal_plays(self._now())

    def view(self) -> "View":
        """Return what the player whose turn it is may know."""
        return View(self._turn, self._now())

    def _now(self) -> Turn:
        """Return the turn as a `Turn` of stage 02, with a sorted copy of the hand."""
        hand = Hand(sorted(self._hands[self._turn]))
        return Turn(
            hand,
            self._rules,
            self.trick,
            first_trick=not any(self._taken),
            hearts_broken=self._hearts_broken(),
        )

    def _hearts_broken(self) -> bool:
        """Return whether an earlier trick has broken hearts."""
        return hearts_broken(chain.from_iterable(self._taken), self._rules)

    def _take_trick(self) -> Seat:
        """Give the full trick to the seat that takes it; that seat leads next. Return the seat."""
        leader = self._turn.left  # the last player sits to the leader's right
        self._turn = Seat(winner(self._trick, leader))
        self._taken[self._turn] += self._trick
        self._trick = []
        return self._turn


# %% choose-a-card
@dataclass(frozen=True)
class View:
    """What a player may know when it is their turn. It does not show other players' cards."""

    seat: Seat
    turn: Turn

    @property
    def hand(self) -> list[Card]:
        """The player's cards, in the order of the turn's hand."""
        return list(self.turn.hand)

    @property
    def legal(self) -> list[Card]:
        """The cards of the hand that may be played."""
        return legal_plays(self.turn)

    def check(self, card: Card) -> None:
        """Raise IllegalPlay, which says why, if the card may not be played."""
        check_play(card, self.turn)


class Player(Protocol):
    """Anything that can choose a card."""

    def choose(self, view: View) -> Card:
        """Return the card to play, one of `view.legal`."""


class Bot:
    """A computer player that plays any legal card."""

    def __init__(self, rng: Random) -> None:
        """Make a bot that draws its cards with this generator."""
        self._rng = rng

    def choose(self, view: View) -> Card:
        """Return one of the legal cards."""
        return self._rng.choice(view.legal)


# %% tell-what-happens
class Event:
    """Something that everybody at the table sees; `str(event)` is a sentence about it."""


@dataclass(frozen=True)
class Dealt(Event):
    """The cards have been dealt."""

    dealer: Seat

    def __str__(self) -> str:
        """Say who deals."""
        return f"{self.dealer.word} deals."


@dataclass(frozen=True)
class Played(Event):
    """A card was played."""

    seat: Seat
    card: Card
    leads: bool

    def __str__(self) -> str:
        """Say who leads or plays which card."""
        return f"{self.seat.word} {'leads' if self.leads else 'plays'} the {self.card.words}."


@dataclass(frozen=True)
class Taken(Event):
    """A full trick was taken."""

    seat: Seat

    def __str__(self) -> str:
        """Say who takes the trick."""
        return f"{self.seat.word} takes the trick."


@dataclass(frozen=True)
class Scored(Event):
    """A deal is over and has been scored."""

    totals: tuple[int, ...]

    def __str__(self) -> str:
        """Say the totals of all seats."""
        totals = (f"{seat.word} {self.totals[seat]}" for seat in Seat)
        return f"Score: {', '.join(totals)}."


@dataclass(frozen=True)
class Won(Event):
    """The game is over."""

    seats: tuple[Seat, ...]

    def __str__(self) -> str:
        """Say who wins, alone or together."""
        *others, last = (seat.word for seat in self.seats)
        return f"{', '.join(others)} and {last} win." if others else f"{last} wins."


# %% play-the-game
def new_game(
    people: Mapping[Seat, Player], seed: int | None, rules: Rules = CIT590
) -> Iterator[Event]:
    """Yield the events of a game of these people, with bots in all other seats.

    A bot deals, so at least one seat must be free. The seed, if given, decides everything random.
    """
    rng = Random(seed)
    players = [people.get(seat) or Bot(rng) for seat in Seat]
    dealer = next(seat for seat in Seat if seat not in people)
    return play_game(players, dealer, rng, rules)


def play_game(
    players: Sequence[Player], dealer: Seat, rng: Random, rules: Rules
) -> Iterator[Event]:
    """Yield the events of deal after deal, until some seat has 100 points."""
    totals = [0 for _ in Seat]
    while not game_over(totals):
        yield Dealt(dealer)
        deal = Deal(deal_hands(dealer, rng), rules)
        yield from play_out(deal, players)
        totals = [old + new for old, new in zip(totals, deal.scores(), strict=True)]
        yield Scored(tuple(totals))
    yield Won(tuple(winners(totals)))


def deal_hands(dealer: Seat, rng: Random) -> list[Hand]:
    """Shuffle and deal a full pack; return the hands, North's first."""
    deck = Deck()
    deck.shuffle(rng)
    hands, _ = deck.deal(len(Seat), dealer)
    return hands


def play_out(deal: Deal, players: Sequence[Player]) -> Iterator[Event]:
    """Yield the events of a deal, from the first lead to the last trick."""
    while not deal.is_over():
        seat, leads = deal.turn, not deal.trick
        card = players[seat].choose(deal.view())
        taker = deal.play(card)
        yield Played(seat, card, leads)
        if taker is not None:
            yield Taken(taker)
