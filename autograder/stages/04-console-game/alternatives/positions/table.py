"""The table: a game of Hearts for four, from the first deal to the winners. It only computes.

    Seat        North, East, South or West, clockwise; also a number from 0 to 3
    Position    a moment of a deal, a frozen value: `opened` makes the first position, and `after`
                makes the next one from a card
    Deal        one pack that is played: it keeps the present position and answers questions
    Sight       what a player may know when it is their turn
    Player      a function from a Sight to a generator of the cards that the player offers
    sentence    a text about something that everybody at the table has seen; a game is many of them

`legal` decides which card may be played and who takes a trick; this module does not repeat it.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial
from random import Random
from typing import TypeAlias

import legal
from cards import Card, Deck, Hand

RULES = legal.CIT590
MOON = 26
GAME = 100

RULES_IN_SHORT = f"""Collect as few points as you can, so it is often good not to take cards.
Each heart that you take costs 1 point, and the queen of spades (QS) costs 13. All else is free.
The 2 of clubs comes first. If you hold cards of the suit that was led, you must play one of them;
if you hold none, any card will do. The highest card of the suit that was led gets all four cards,
and whoever played it begins the next round, with any card.
Whoever gets all hearts and the queen of spades pays nothing: the others pay {MOON} each.
After 13 rounds the cards are dealt anew, until somebody has {GAME} points; the lowest is best."""


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


# --- points ---------------------------------------------------------------------------------------


def deal_scores(taken: Sequence[Iterable[Card]]) -> list[int]:
    """Return each seat's points for a deal, given the cards that each has taken, North's first.

    A seat that takes all points has shot the moon: it pays nothing, and each of the others 26.
    """
    costs = [sum(legal.points(card, RULES) for card in cards) for cards in taken]
    return [MOON - cost for cost in costs] if MOON in costs else costs


def game_over(totals: Sequence[int]) -> bool:
    """Return whether some seat has 100 points or more."""
    return max(totals) >= GAME


def winners(totals: Sequence[int]) -> list[Seat]:
    """Return the seats with the fewest points, clockwise from North."""
    return [seat for seat in Seat if totals[seat] == min(totals)]


# --- positions: nothing here ever changes; every card makes a new position ------------------------

Cards: TypeAlias = tuple[Card, ...]


@dataclass(frozen=True)
class Position:
    """A moment of a deal: who holds what, who has taken what, and what lies on the table."""

    hands: tuple[Cards, ...]
    taken: tuple[Cards, ...]
    leader: Seat  # who has led, or is to lead, to the trick
    trick: Cards = ()


def opened(hands: Iterable[Hand]) -> Position:
    """Return the position of a deal before its first card."""
    held = list(hands)
    leader = legal.first_leader(held, Seat.NORTH, RULES)  # who dealt makes no difference in CIT590
    return Position(tuple(map(tuple, held)), ((),) * len(Seat), Seat(leader))


def turn_in(position: Position) -> Seat:
    """Return the seat whose turn it is."""
    return Seat((position.leader + len(position.trick)) % len(Seat))


def choice_in(position: Position) -> legal.Turn:
    """Return the position as a `Turn` of `legal`, for the seat whose turn it is."""
    hand = Hand(position.hands[turn_in(position)])
    first = not any(position.taken)
    return legal.Turn(hand, RULES, list(position.trick), first_trick=first)


def after(position: Position, card: Card) -> Position:
    """Return the position after the seat whose turn it is plays the card.

    Raise IllegalPlay, a ValueError, if the card may not be played.
    """
    legal.check_play(card, choice_in(position))
    seat = turn_in(position)
    rest = tuple(other for other in position.hands[seat] if other != card)
    hands = exchanged(position.hands, seat, rest)
    laid = replace(position, hands=hands, trick=(*position.trick, card))
    return gathered(laid) if len(laid.trick) == len(Seat) else laid


def gathered(position: Position) -> Position:
    """Return the position after a full trick is taken."""
    taker = Seat(legal.winner(list(position.trick), position.leader))
    taken = exchanged(position.taken, taker, position.taken[taker] + position.trick)
    return Position(position.hands, taken, leader=taker)


def exchanged(piles: tuple[Cards, ...], seat: Seat, pile: Cards) -> tuple[Cards, ...]:
    """Return the same piles, with another one at that seat."""
    return (*piles[:seat], pile, *piles[seat + 1 :])


class Deal:
    """One pack that was dealt to four players and is now played, card by card."""

    def __init__(self, hands: Iterable[Hand]) -> None:
        """Make a deal of copies of these four hands, North's first; the opener has the turn."""
        self._now = opened(hands)

    @property
    def turn(self) -> Seat:
        """The seat whose turn it is; once the deal is over, the one that took the last trick."""
        return turn_in(self._now)

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        return list(self._now.trick)

    def hand(self, seat: Seat) -> list[Card]:
        """Return the cards that the seat still holds, in the order in which they were dealt."""
        return list(self._now.hands[seat])

    def taken(self, seat: Seat) -> list[Card]:
        """Return the cards of all tricks that the seat has taken, in the order of play."""
        return list(self._now.taken[seat])

    def legal_plays(self) -> list[Card]:
        """Return the cards that the seat whose turn it is may play."""
        return legal.legal_plays(choice_in(self._now))

    def play(self, card: Card) -> Seat | None:
        """Play the card for the seat whose turn it is; return who takes the trick if it is full.

        Raise IllegalPlay, a ValueError, if the card may not be played; then nothing changes.
        """
        self._now = after(self._now, card)
        return None if self._now.trick else self._now.leader

    def is_over(self) -> bool:
        """Return whether all cards have been played."""
        return not any(self._now.hands)

    def scores(self) -> list[int]:
        """Return each seat's points for the cards taken so far, North's first."""
        return deal_scores(self._now.taken)


# --- players --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sight:
    """What a player may know when it is their turn. It does not show other players' cards."""

    hand: Cards
    allowed: Cards


# Whenever it is a player's turn, the game calls the player with a Sight and gets a generator, which
# yields the card that the player offers. If that is refused, the generator is sent the ValueError
# that says why, and yields another card.
Offers: TypeAlias = Generator[Card, ValueError, None]
Player: TypeAlias = Callable[[Sight], Offers]


def any_card(rng: Random, sight: Sight) -> Offers:
    """Yield what a computer player offers: any legal card."""
    while True:
        yield rng.choice(sight.allowed)


def let_play(player: Player, deal: Deal) -> tuple[Card, Seat | None]:
    """Take offers until one is played; return the card, and who takes the trick if it is full."""
    offers = player(Sight(tuple(deal.hand(deal.turn)), tuple(deal.legal_plays())))
    card = next(offers)
    while True:
        try:
            return card, deal.play(card)
        except ValueError as refusal:
            card = offers.send(refusal)


# --- games, told in sentences ---------------------------------------------------------------------


def new_game(people: Mapping[Seat, Player], seed: int | None) -> Iterator[str]:
    """Yield the sentences of a game of these people, with bots in all other seats.

    A bot deals, so at least one seat must be free. The seed, if given, decides everything random.
    """
    rng = Random(seed)
    bots = {seat: partial(any_card, rng) for seat in Seat if seat not in people}
    return game({**people, **bots}, rng.choice(list(bots)), rng)


def game(players: Mapping[Seat, Player], dealer: Seat, rng: Random) -> Iterator[str]:
    """Yield the sentences of deal after deal, until some seat has 100 points."""
    totals = [0] * len(Seat)
    while not game_over(totals):
        deal = Deal(shuffled_hands(dealer, rng))
        yield f"{dealer.word} deals."
        yield from play_out(deal, players)
        totals = [total + score for total, score in zip(totals, deal.scores(), strict=True)]
        yield score_sentence(totals)
    yield winners_sentence(winners(totals))


def shuffled_hands(dealer: Seat, rng: Random) -> list[Hand]:
    """Shuffle and deal a full pack; return the hands, North's first."""
    deck = Deck()
    deck.shuffle(rng)
    hands, _ = deck.deal(len(Seat), dealer)
    return hands


def play_out(deal: Deal, players: Mapping[Seat, Player]) -> Iterator[str]:
    """Yield the sentences of a deal, from the first lead to the last trick."""
    while not deal.is_over():
        seat, verb = deal.turn, "plays" if deal.trick else "leads"
        card, taker = let_play(players[seat], deal)
        yield f"{seat.word} {verb} the {card.words}."
        if taker is not None:
            yield f"{taker.word} takes the trick."


def score_sentence(totals: Sequence[int]) -> str:
    """Return the sentence about all points, such as `Score: North 4, East 21, ...`."""
    return f"Score: {', '.join(f'{seat.word} {totals[seat]}' for seat in Seat)}."


def winners_sentence(seats: Sequence[Seat]) -> str:
    """Return the sentence about the winners, such as `North and West win.`"""
    *others, last = [seat.word for seat in seats]
    return f"{', '.join(others)} and {last} win." if others else f"{last} wins."
