"""A correct table that keeps its cards in sets and raises its own error."""

from collections import deque
from enum import IntEnum

from cards import Card, Rank, Suit

OPENING = Card(Suit.CLUBS, Rank.TWO)


class Seat(IntEnum):
    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def word(self):
        return ("North", "East", "South", "West")[self]

    @property
    def left(self):
        return list(Seat)[self - 3]

    @classmethod
    def parse(cls, text):
        names = {name: seat for seat in cls for name in (seat.name, seat.name[0])}
        if text.upper() not in names:
            raise ValueError(f"no seat: {text}")
        return names[text.upper()]


class RefusedError(ValueError):
    pass


def deal_scores(taken):
    scores = [0, 0, 0, 0]
    for seat, cards in enumerate(taken):
        for card in cards:
            if card.suit == Suit.HEARTS:
                scores[seat] += 1
            elif card.suit == Suit.SPADES and card.rank == Rank.QUEEN:
                scores[seat] += 13
    for seat in range(4):
        if scores[seat] == 26:
            scores = [26, 26, 26, 26]
            scores[seat] = 0
            break
    return scores


def game_over(totals):
    return sorted(totals)[-1] >= 100


def winners(totals):
    found = []
    for seat in Seat:
        if all(totals[seat] <= other for other in totals):
            found.append(seat)
    return found


class Deal:
    def __init__(self, hands):
        self.cards = {seat: set(hand) for seat, hand in zip(Seat, hands, strict=True)}
        self.piles = {seat: set() for seat in Seat}
        self.table = []
        clubs = {c: s for s, hand in self.cards.items() for c in hand if c.suit == Suit.CLUBS}
        self.opening = min(clubs)
        self.order = deque(Seat)
        while self.order[0] != clubs[self.opening]:
            self.order.rotate(-1)

    @property
    def turn(self):
        return self.order[0]

    @property
    def trick(self):
        return [card for _, card in self.table]

    def hand(self, seat):
        return sorted(self.cards[seat], key=lambda card: (card.rank, card.suit))

    def taken(self, seat):
        return sorted(self.piles[seat])

    def legal_plays(self):
        held = self.hand(self.turn)
        if not self.table:
            return [self.opening] if not any(self.piles.values()) else held
        led = self.table[0][1].suit
        return [card for card in held if card.suit == led] or held

    def play(self, card):
        if card not in self.legal_plays():
            raise RefusedError("no")
        seat = self.turn
        self.cards[seat].discard(card)
        self.table.append((seat, card))
        self.order.rotate(-1)
        if len(self.table) < 4:
            return None
        led = self.table[0][1].suit
        _, taker = max((card.rank, seat) for seat, card in self.table if card.suit == led)
        self.piles[taker].update(self.trick)
        self.table.clear()
        while self.order[0] != taker:
            self.order.rotate()
        return taker

    def is_over(self):
        return all(not held for held in self.cards.values())

    def scores(self):
        return deal_scores([self.piles[seat] for seat in Seat])
