"""A correct table that returns cards in another order."""

from dataclasses import dataclass, field
from enum import IntEnum

from cards import Hand
from legal import CIT590, Turn, best_card, check_play, first_leader, legal_plays, points


class Seat(IntEnum):
    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def word(self):
        return self.name.title()

    @property
    def left(self):
        return Seat(self + 1 if self < 3 else 0)

    @classmethod
    def parse(cls, text):
        found = [seat for seat in cls if text.lower() in (seat.word.lower(), seat.word[0].lower())]
        if not found:
            raise ValueError(f"{text} sits nowhere")
        return found[0]


@dataclass
class Player:
    seat: Seat
    hand: Hand
    pile: list = field(default_factory=list)

    def cost(self):
        return sum(points(card, CIT590) for card in self.pile)


def deal_scores(taken):
    players = [Player(seat, Hand(), list(cards)) for seat, cards in zip(Seat, taken, strict=True)]
    shooters = [player for player in players if player.cost() == 26]
    if shooters:
        return [0 if player in shooters else 26 for player in players]
    return [player.cost() for player in players]


def game_over(totals):
    return not all(total < 100 for total in totals)


def winners(totals):
    return [Seat(seat) for seat, total in enumerate(totals) if total == min(totals)]


class Deal:
    def __init__(self, hands):
        self.players = [
            Player(s, Hand(reversed(list(h)))) for s, h in zip(Seat, hands, strict=True)
        ]
        self.cards = []
        self.count = 0
        leader = first_leader([player.hand for player in self.players], 3, CIT590)
        self.seats = [Seat((leader + i) % 4) for i in range(4)]

    @property
    def turn(self):
        return self.seats[len(self.cards)]

    @property
    def trick(self):
        return self.cards[:]

    def hand(self, seat):
        return list(self.players[seat].hand)

    def taken(self, seat):
        return self.players[seat].pile[::-1]

    def legal_plays(self):
        return sorted(legal_plays(self._now()), reverse=True)

    def play(self, card):
        check_play(card, self._now())
        self.players[self.turn].hand.remove(card)
        self.cards.append(card)
        if len(self.cards) < 4:
            return None
        taker = self.seats[self.cards.index(best_card(self.cards))]
        self.players[taker].pile.extend(self.cards)
        self.cards, self.count = [], self.count + 1
        self.seats = [Seat((taker + i) % 4) for i in range(4)]
        return taker

    def is_over(self):
        return sum(len(player.hand) for player in self.players) == 0

    def scores(self):
        return deal_scores([player.pile for player in self.players])

    def _now(self):
        hand = self.players[self.turn].hand
        return Turn(hand, CIT590, self.cards, first_trick=self.count == 0)
