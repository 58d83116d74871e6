"""The table: a game of Hearts for four, from the first deal to the winners. Nothing is printed.

    Seat      North, East, South or West, clockwise; as a number 0 to 3
    Deal      one pack, dealt and played out: whose turn it is, what lies there, who took what
    scores    penalty points of one deal, by seat; totals are those of all deals so far
    View      what a player may know when it is their turn
    Player    whoever chooses a card: a person, a Bot, or a list of cards that a test has prepared
    Event     something that everybody at the table sees; as a text, the sentence that tells it

The game hands out events and never asks who looks at them. So the same game can be watched in a
terminal, drawn on a screen, or played a thousand times over in a test.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from random import Random
from typing import Protocol

from cards import Card, Deck, Hand
from legal import CIT590, Turn, check_play, first_leader, legal_plays, points, winner

MOON = 26
GAME = 100


# %% seats
class Seat(IntEnum):
    """One of the four places at the table; as a number, counted clockwise from North."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def word(self) -> str:
        """The seat's name in a sentence, such as `North`."""
        return self.name.capitalize()

    @property
    def left(self) -> "Seat":
        """The next seat, clockwise."""
        return Seat((self + 1) % len(Seat))

    @classmethod
    def parse(cls, text: str) -> "Seat":
        """The seat that the text names, whole or by its first letter, in any case.

        Raises ValueError, naming the text and what was wanted, if it names none.
        """
        for seat in cls:
            if text.upper() in (seat.name, seat.name[0]):
                return seat
        raise ValueError(f"{text!r} is not a seat: write North, East, South or West")


# %% score-a-deal
def deal_scores(taken: Sequence[Iterable[Card]]) -> list[int]:
    """Each seat's points for a deal, given the cards that each has taken, North's first.

    Who takes all points has shot the moon: that costs nothing, and all others 26 each.
    """
    scores = [sum(points(card, CIT590) for card in cards) for cards in taken]
    return [MOON - score for score in scores] if MOON in scores else scores


# %% end-the-game
def game_over(totals: Sequence[int]) -> bool:
    """Has somebody 100 points or more?"""
    return max(totals) >= GAME


def winners(totals: Sequence[int]) -> list[Seat]:
    """The seats with the fewest points, clockwise from North."""
    return [seat for seat in Seat if totals[seat] == min(totals)]


# %% play-a-deal
class Deal:
    """One pack that was dealt to four players and is played out, card by card."""

    def __init__(self, hands: Iterable[Hand]) -> None:
        """A deal of copies of these four hands, North's first; who must open it has the turn."""
        self._hands = [Hand(hand) for hand in hands]
        self._trick: list[Card] = []
        self._taken: list[list[Card]] = [[] for _ in Seat]
        self._turn = Seat(first_leader(self._hands, Seat.NORTH, CIT590))

    @property
    def turn(self) -> Seat:
        """The seat whose turn it is."""
        return self._turn

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        return list(self._trick)

    def hand(self, seat: Seat) -> list[Card]:
        """The cards that the seat still holds, in any order."""
        return list(self._hands[seat])

    def taken(self, seat: Seat) -> list[Card]:
        """The cards of all tricks that the seat has taken, in any order."""
        return list(self._taken[seat])

    def play(self, card: Card) -> Seat | None:
        """Play the card for the seat whose turn it is; returns who takes the trick if it is full.

        Raises IllegalPlay, a ValueError, if the card may not be played; then nothing changes.
        """
        check_play(card, self._now())
        self._hands[self._turn].remove(card)
        self._trick.append(card)
        if len(self._trick) == len(Seat):
            return self._take_trick()
        self._turn = self._turn.left
        return None

    def is_over(self) -> bool:
        """Have all cards been played?"""
        return not any(self._hands)

    def scores(self) -> list[int]:
        """Each seat's points for the cards taken so far, North's first."""
        return deal_scores(self._taken)

    def legal_plays(self) -> list[Card]:
        """The cards that the seat whose turn it is may play, in any order."""
        return legal_plays(self._now())

    def view(self) -> "View":
        """What the player whose turn it is may know."""
        return View(self._turn, self._now())

    def _now(self) -> Turn:
        """The turn, as the referee of stage 02 sees it, with a sorted copy of the hand."""
        hand = Hand(sorted(self._hands[self._turn]))
        return Turn(hand, CIT590, self.trick, first_trick=not any(self._taken))

    def _take_trick(self) -> Seat:
        """Give the full trick to whoever takes it, who leads to the next one."""
        leader = self._turn.left  # the last to play sits on the leader's right
        self._turn = Seat(winner(self._trick, leader))
        self._taken[self._turn] += self._trick
        self._trick = []
        return self._turn


# %% choose-a-card
@dataclass(frozen=True)
class View:
    """What the player at a seat may know when it is their turn: nobody else's cards."""

    seat: Seat
    turn: Turn

    @property
    def hand(self) -> list[Card]:
        """The player's cards, sorted."""
        return list(self.turn.hand)

    @property
    def legal(self) -> list[Card]:
        """Those of the cards that may be played, sorted."""
        return legal_plays(self.turn)

    def check(self, card: Card) -> None:
        """Raises IllegalPlay, which says why, if the card may not be played."""
        check_play(card, self.turn)


class Player(Protocol):
    """Whoever can choose a card."""

    def choose(self, view: View) -> Card:
        """The card that the player plays, one of `view.legal`."""


class Bot:
    """A computer player: any card that is allowed will do."""

    def __init__(self, chance: Random) -> None:
        """A bot that leaves its choices to that generator."""
        self._chance = chance

    def choose(self, view: View) -> Card:
        """One of the legal cards."""
        return self._chance.choice(view.legal)


# %% tell-what-happens
class Event:
    """Something that everybody at the table sees; as a text, the sentence that tells it."""


@dataclass(frozen=True)
class Dealt(Event):
    """The cards have been dealt."""

    dealer: Seat

    def __str__(self) -> str:
        """Who deals."""
        return f"{self.dealer.word} deals."


@dataclass(frozen=True)
class Played(Event):
    """A card lies on the table."""

    seat: Seat
    card: Card
    leads: bool

    def __str__(self) -> str:
        """Who leads or plays which card."""
        return f"{self.seat.word} {'leads' if self.leads else 'plays'} the {self.card.words}."


@dataclass(frozen=True)
class Taken(Event):
    """A trick is full and taken."""

    seat: Seat

    def __str__(self) -> str:
        """Who takes the trick."""
        return f"{self.seat.word} takes the trick."


@dataclass(frozen=True)
class Scored(Event):
    """A deal is over and counted."""

    totals: tuple[int, ...]

    def __str__(self) -> str:
        """All totals."""
        columns = (f"{seat.word} {self.totals[seat]}" for seat in Seat)
        return f"Score: {', '.join(columns)}."


@dataclass(frozen=True)
class Won(Event):
    """The game is over."""

    seats: tuple[Seat, ...]

    def __str__(self) -> str:
        """Who wins, alone or together."""
        *others, last = (seat.word for seat in self.seats)
        return f"{', '.join(others)} and {last} win." if others else f"{last} wins."


# %% play-the-game
def new_game(people: Mapping[Seat, Player], seed: int | None) -> Iterator[Event]:
    """All that happens in a game of these people, with bots at all other seats.

    A bot deals, so there must be one. The seed decides all that is left to chance, if it is given.
    """
    chance = Random(seed)
    players = [people.get(seat) or Bot(chance) for seat in Seat]
    dealer = next(seat for seat in Seat if seat not in people)
    return play_game(players, dealer, chance)


def play_game(players: Sequence[Player], dealer: Seat, chance: Random) -> Iterator[Event]:
    """All that happens until somebody has 100 points."""
    totals = [0 for _ in Seat]
    while not game_over(totals):
        yield Dealt(dealer)
        deal = Deal(deal_hands(dealer, chance))
        yield from play_out(deal, players)
        totals = [sum(both) for both in zip(totals, deal.scores(), strict=True)]
        yield Scored(tuple(totals))
    yield Won(tuple(winners(totals)))


def deal_hands(dealer: Seat, chance: Random) -> list[Hand]:
    """A full pack, shuffled and dealt, North's hand first."""
    deck = Deck()
    deck.shuffle(chance)
    hands, _ = deck.deal(len(Seat), dealer)
    return hands


def play_out(deal: Deal, players: Sequence[Player]) -> Iterator[Event]:
    """All that happens from the first lead to the last trick."""
    while not deal.is_over():
        seat, leads = deal.turn, not deal.trick
        card = players[seat].choose(deal.view())
        taker = deal.play(card)
        yield Played(seat, card, leads)
        if taker is not None:
            yield Taken(taker)
