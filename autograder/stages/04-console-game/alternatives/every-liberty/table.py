"""The table, with every liberty that the brief leaves.

A deal remembers only who played what, and works out the rest. A player is any function. Events are
texts or small objects, with more sentences than the brief asks for. The dealer changes.
"""

from enum import IntEnum
from itertools import cycle
from random import Random

import legal
from cards import Deck, Hand


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


class Refused(ValueError):
    """A card cannot be played, for the reason in the text."""


def deal_scores(taken):
    """Turn the prices round if one seat pays for all."""
    prices = [sum(legal.points(card, legal.CIT590) for card in pile) for pile in taken]
    moon = {26: 0, 0: 26}
    return [moon[price] for price in prices] if max(prices) == 26 else prices


def game_over(totals):
    """Look for a total of three digits."""
    return any(total > 99 for total in totals)


def winners(totals):
    """Ask each seat whether nobody has less."""
    return list(filter(lambda seat: totals[seat] <= min(totals), Seat))


class Deal:
    """The hands as they were dealt, and a list of who played what."""

    def __init__(self, hands):
        """Keep the cards of each hand, from high to low."""
        self._dealt = [sorted(hand, reverse=True) for hand in hands]
        self._record = []

    def _tricks(self):
        """Return the plays of each trick, and of the one on the table."""
        starts = range(0, len(self._record) + 1, 4)
        return [self._record[start : start + 4] for start in starts]

    def _taker(self, trick):
        """Return who takes a full trick."""
        best = legal.best_card([card for _, card in trick])
        return next(seat for seat, card in trick if card == best)

    @property
    def turn(self):
        """Whose turn it is; nobody knows that after the last card."""
        if self.is_over():
            raise Refused("nobody's turn")
        *_, last, now = [[], *self._tricks()]
        if now:
            return now[-1][0].left
        if last:
            return self._taker(last)
        return Seat(legal.first_leader([Hand(cards) for cards in self._dealt], 3, legal.CIT590))

    @property
    def trick(self):
        """The cards of the unfinished trick."""
        return [card for _, card in self._tricks()[-1]]

    def hand(self, seat):
        """Return what was dealt and not played, from high to low."""
        gone = {card for _, card in self._record}
        return [card for card in self._dealt[seat] if card not in gone]

    def taken(self, seat):
        """Return the cards taken, the latest first."""
        full = [trick for trick in self._tricks() if len(trick) == 4]
        return [card for trick in full for _, card in trick if self._taker(trick) is seat][::-1]

    def why_not(self, card):
        """Return why the card may not be played now, None if it may."""
        try:
            legal.check_play(card, self._now())
        except ValueError as reason:
            return f"no: {reason}"
        return None

    def play(self, card):
        """Write the card down if nothing is wrong with it."""
        if self.why_not(card):
            raise Refused(self.why_not(card))
        self._record.append((self.turn, card))
        *_, last, now = [[], *self._tricks()]
        return None if now else self._taker(last)

    def is_over(self):
        """Compare what was played with what was dealt."""
        return len(self._record) == sum(map(len, self._dealt))

    def scores(self):
        """Return the prices of what was taken."""
        return deal_scores([self.taken(seat) for seat in Seat])

    def legal_plays(self):
        """Return the legal cards, from high to low."""
        return sorted(legal.legal_plays(self._now()), reverse=True)

    def _now(self):
        """Return the turn as stage 02 wants it."""
        hand, first = Hand(self.hand(self.turn)), len(self._record) < 4
        return legal.Turn(hand, legal.CIT590, self.trick, first_trick=first)


class Said:
    """A sentence that knows who it is about."""

    def __init__(self, who, what):
        """Keep both."""
        self.who = who
        self.what = what

    def __str__(self):
        """Say it."""
        return f"{self.who} {self.what}."


def lowest(hand, plays, why_not):
    """Play the last of the legal cards: a computer player."""
    return plays[-1]


def new_game(people, seed):
    """Yield texts and sayings; each computer player deals in turn."""
    rng = Random(seed)
    players = [people.get(seat, lowest) for seat in Seat]
    totals = [0, 0, 0, 0]
    yield "Welcome! Points are bad."
    for dealer in cycle([seat for seat in Seat if seat not in people]):
        yield Said(dealer.word, "deals")
        deal = Deal(dealt_by(dealer, rng))
        yield from told(deal, players)
        totals = [*map(sum, zip(totals, deal.scores(), strict=True))]
        yield f"Score: {', '.join(f'{seat.word} {totals[seat]}' for seat in Seat)}."
        if game_over(totals):
            break
        yield "As a rule, the next computer player deals. North deals only now and then"
    names = [seat.word for seat in winners(totals)]
    together = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    yield Said(together, "wins" if names == [together] else "win")
    yield "That was a game."


def dealt_by(dealer, rng):
    """Return four hands."""
    deck = Deck()
    deck.shuffle(rng)
    return deck.deal(4, dealer)[0]


def told(deal, players):
    """Yield what happens until the deal is over."""
    while not deal.is_over():
        seat, verb = deal.turn, "plays" if deal.trick else "leads"
        card = players[seat](deal.hand(seat), deal.legal_plays(), deal.why_not)
        taker = deal.play(card)
        yield Said(seat.word, f"{verb} the {card.words}")
        if taker is not None:
            yield f"{taker.word} takes the trick."
            yield "(What a trick!)"
