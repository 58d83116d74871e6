"""A correct table that stores only the dealt hands and the cards in the order of play."""

from enum import IntEnum

from cards import Hand
from legal import CIT590, Turn, check_play, first_leader, legal_plays, points, winner


class Seat(IntEnum):
    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def word(self):
        return self.name.capitalize()

    @property
    def left(self):
        return Seat((self + 1) % 4)

    @classmethod
    def parse(cls, text):
        for seat in cls:
            if text.upper() in (seat.name, seat.name[0]):
                return seat
        raise ValueError(text)


def deal_scores(taken):
    costs = [sum(points(card, CIT590) for card in cards) for cards in taken]
    return [0 if cost == 26 else 26 for cost in costs] if max(costs) == 26 else costs


def game_over(totals):
    return any(total > 99 for total in totals)


def winners(totals):
    best = sorted(totals)[0]
    return [seat for seat in Seat if totals[seat] == best]


class Deal:
    def __init__(self, hands):
        self.dealt = [list(hand) for hand in hands]
        self.log = []
        self.opener = first_leader([Hand(cards) for cards in self.dealt], 0, CIT590)

    def _tricks(self):
        """Yield every trick: its leader, its cards, and the taker if it is full."""
        leader, tricks = self.opener, []
        for start in range(0, len(self.log) + 1, 4):
            cards = self.log[start : start + 4]
            taker = winner(cards, leader) if len(cards) == 4 else None
            tricks.append((leader, cards, taker))
            leader = taker
        return tricks

    @property
    def turn(self):
        leader, cards, _ = self._tricks()[-1]
        return Seat((leader + len(cards)) % 4)

    @property
    def trick(self):
        return list(self._tricks()[-1][1])

    def hand(self, seat):
        return [card for card in self.dealt[seat] if card not in self.log]

    def taken(self, seat):
        return [card for _, cards, taker in self._tricks() if taker == seat for card in cards]

    def play(self, card):
        check_play(card, self._now())
        self.log.append(card)
        if len(self.log) % 4:
            return None
        return Seat(self._tricks()[-2][2])

    def is_over(self):
        return len(self.log) == sum(map(len, self.dealt))

    def scores(self):
        return deal_scores([self.taken(seat) for seat in Seat])

    def legal_plays(self):
        return legal_plays(self._now())

    def _now(self):
        hand = Hand(self.hand(self.turn))
        return Turn(hand, CIT590, self.trick, first_trick=len(self.log) < 4)
