"""Computer players, written with every liberty that the brief leaves.

Ties are broken the other way round, sets and keys stand for loops, and every wrapping keeps more
than it must. The search of an ending remembers what it has found.
"""

import itertools
import statistics
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from statistics import fmean

import legal
from cards import Card, Deck, Hand, Rank, Suit
from legal import Rules, Turn, hearts_broken, legal_plays
from match import FullDeal, Trick
from rulebook import PASSED, SEATS, Book, IllegalPass, Moon, Pass


@dataclass(frozen=True, kw_only=True)
class View:
    """What a seat may know when it passes or plays, and nothing else."""

    seat: int
    hand: tuple[Card, ...]
    book: Book
    direction: Pass = Pass.HOLD
    gave: tuple[Card, ...] = ()  # what this seat has passed, once the cards have moved
    received: tuple[Card, ...] = ()  # what was passed to it
    tricks: tuple[Trick, ...] = ()  # the full tricks so far
    trick: tuple[Card, ...] = ()  # the cards on the table

    @property
    def played(self) -> list[Card]:
        """All cards that have been played in this deal, in order."""
        earlier = [card for trick in self.tricks for card in trick.cards]
        return [*earlier, *self.trick]

    @property
    def turn(self) -> Turn:
        """The same situation as a `Turn` of stage 02, which is new each time."""
        return Turn(
            Hand(self.hand),
            self.book.play,
            self.trick,
            first_trick=not self.tricks,
            hearts_broken=hearts_broken(self.played, self.book.play),
        )

    @property
    def legal(self) -> list[Card]:
        """The cards that the seat may play now."""
        return legal_plays(self.turn)


class Player(ABC):
    """A computer player. A subclass must say which cards it passes and which one it plays."""

    @abstractmethod
    def pass_cards(self, view: View) -> list[Card]:
        """Return three different cards of the hand, to be passed in the view's direction."""

    @abstractmethod
    def play(self, view: View) -> Card:
        """Return the card to play, one of `view.legal`."""


class RandomPlayer(Player):
    """A player that draws lots."""

    def __init__(self, rng: Random) -> None:
        """Draw with this generator."""
        self._rng = rng

    def pass_cards(self, view: View) -> list[Card]:
        """Return any three cards."""
        return self._rng.sample(sorted(view.hand), PASSED)

    def play(self, view: View) -> Card:
        """Return any legal card."""
        return self._rng.choice(sorted(view.legal))


class Prepared(Player):
    """A player for tests, which answers what it was given and keeps the views that it has seen."""

    def __init__(self, passed: Iterable[Card] = (), played: Iterable[Card] = ()) -> None:
        """Pass these cards; play those, one after the other."""
        self._passed = list(passed)
        self._played = iter(played)
        self.views: list[View] = []

    def pass_cards(self, view: View) -> list[Card]:
        """Return the cards that were given for the pass."""
        self.views.append(view)
        return list(self._passed)

    def play(self, view: View) -> Card:
        """Return the next card that was given."""
        self.views.append(view)
        return next(self._played)


def look(deal: FullDeal, seat: int, book: Book) -> View:
    """Return what the seat may know of the deal now."""
    return View(
        seat=seat,
        hand=tuple(deal.hand(seat)),
        book=book,
        direction=deal.direction,
        gave=tuple(deal.received(deal.direction.receiver(seat))),
        received=tuple(deal.received(seat)),
        tricks=tuple(deal.tricks),
        trick=tuple(deal.trick),
    )


def play_deal(
    players: Sequence[Player], hands: Sequence[Hand], book: Book, direction: Pass = Pass.HOLD
) -> list[int]:
    """Let four players, seat 0's first, pass and play a deal; return its scores."""
    deal = FullDeal(hands, book, direction)
    for seat in deal.still_to_pass:
        deal.give(seat, players[seat].pass_cards(look(deal, seat, book)))
    while deal.turn is not None:
        deal.play(players[deal.turn].play(look(deal, deal.turn, book)))
    return deal.scores()


def shuffled_deals(number: int, rng: Random) -> list[list[Hand]]:
    """Return this many deals, each of a full pack that the generator shuffles.

    `Deck.shuffle` is not used, because it may put the cards in another order in another program.
    """
    deals = []
    for _ in range(number):
        cards = list(Deck())
        rng.shuffle(cards)
        hands, _ = Deck(cards).deal(len(SEATS), SEATS[0])
        deals.append(hands)
    return deals


def interval(differences: Sequence[float], rng: Random) -> tuple[float, float]:
    """Return bounds between which the true mean lies with a confidence of 95 %.

    This is a bootstrap: draw as many deals as there are, with repetition, and take their mean; do
    that 1,000 times; leave out the lowest 2.5 % of the means and the highest 2.5 %.
    """
    means = []
    for _ in range(1000):
        drawn = rng.choices(differences, k=len(differences))
        means.append(fmean(drawn))
    means.sort()
    return means[25], means[974]


def duplicate(player, rival, hands, book, direction=Pass.HOLD, *, copies=1):
    """Return the scores of the player in seats 0 to 3."""
    del copies
    tables = [[player if chair == seat else rival for chair in range(4)] for seat in range(4)]
    games = [play_deal(table, [Hand(hand) for hand in hands], book, direction) for table in tables]
    return [games[seat][seat] for seat in range(4)]


def differences(first, second, rival, deals, book):
    """Return the difference of the two means for each deal."""
    found = []
    for hands, direction in zip(deals, itertools.cycle(book.passes)):
        means = [
            statistics.mean(duplicate(player, rival, hands, book, direction))
            for player in (first, second)
        ]
        found.append(float(means[0] - means[1]))
    return found


def verdict(bounds):
    """Return `better`, `worse` or `cannot tell yet`."""
    signs = {(bound > 0) - (bound < 0) for bound in bounds}
    return {frozenset({-1}): "better", frozenset({1}): "worse"}.get(
        frozenset(signs), "cannot tell yet"
    )


def last_lowest(cards):
    """Return a card of the lowest rank, of the last suit."""
    return sorted(cards, key=lambda card: (card.rank, [*Suit][::-1].index(card.suit)))[0]


def last_highest(cards):
    """Return a card of the highest rank, of the last suit."""
    return sorted(cards, key=lambda card: (card.rank, card.suit))[-1]


class Lowest(Player):
    """Highest away, lowest to the table."""

    def __init__(self, name="Lowest"):
        self.name = name

    def pass_cards(self, view):
        """Return the three highest."""
        left, chosen = set(view.hand), []
        while len(chosen) < PASSED:
            chosen.append(last_highest(left))
            left.remove(chosen[-1])
        return chosen

    def play(self, view):
        """Return the lowest."""
        return last_lowest(view.legal)


class Wrapped(Player):
    """A player around a player, which counts its questions."""

    def __init__(self, inner, *, name=""):
        self._inner, self.name, self.asked = inner, name, 0

    @property
    def inner(self):
        """The player inside."""
        return self._inner

    def pass_cards(self, view):
        """Ask the player inside."""
        self.asked += 1
        return self._inner.pass_cards(view)

    def play(self, view):
        """Ask the player inside."""
        self.asked += 1
        return self._inner.play(view)

    def __eq__(self, other):
        return self is other

    __hash__ = None


class Checked(Wrapped):
    """Answers are checked here."""

    def pass_cards(self, view):
        """Return three different cards of the hand in another order, or raise."""
        cards = Wrapped.pass_cards(self, view)
        if len(cards) != 3 or len({*cards} & {*view.hand}) != 3:
            raise IllegalPass("three different cards of your hand")
        return cards[::-1]

    def play(self, view):
        """Return a legal card, or raise."""
        card = self._inner.play(view)
        legal.check_play(card, view.turn)
        return card


class Cautious(Player):
    """Duck, dump, lead low."""

    def pass_cards(self, view):
        """Return the three highest."""
        return Lowest().pass_cards(view)

    def play(self, view):
        """Choose by the situation."""
        if not view.trick:
            return self.lead(view)
        follows = view.trick[0].suit in {card.suit for card in view.hand}
        return self.follow(view) if follows else self.discard(view)

    def lead(self, view):
        """Return the lowest."""
        return last_lowest(view.legal)

    def follow(self, view):
        """Return the highest below, or what is left."""
        led = view.trick[0].suit
        height = max(card.rank for card in view.trick if card.suit == led)
        ladder = sorted(view.legal)
        ducks = [card for card in ladder if card.rank < height]
        if ducks:
            return ducks[-1]
        if len(ladder) > 1:
            ladder = [card for card in ladder if str(card) != "QS"]
        return ladder[-1 if len(view.trick) == 3 else 0]

    def discard(self, view):
        """Return the highest."""
        return last_highest(view.legal)


class Dumper(Cautious):
    """Points first."""

    def discard(self, view):
        """Return the queen, a heart, or what a cautious player does."""
        points = [card for card in view.legal if str(card) == "QS" or card.suit == "H"]
        points.sort(key=lambda card: (str(card) == "QS", card.rank))
        return points.pop() if points else Cautious.discard(self, view)


@dataclass(frozen=True)
class Memory:
    """Everything is computed when somebody asks for it."""

    view: View
    note: str = field(default="", compare=False)

    @cached_property
    def gone(self):
        """The cards that were played."""
        return {card for trick in self._tricks() for card in trick.cards}

    @property
    def unseen(self):
        """The cards in other hands."""
        return {card for card in Deck() if card not in self.gone and card not in self.view.hand}

    def above(self, card):
        """Return the unseen higher cards of the suit."""
        return {other for other in self.unseen if card.suit == other.suit and card < other}

    def is_void(self, seat, suit):
        """Return whether the seat has shown a void."""
        for trick in self._tricks():
            place = (seat - trick.leader) % 4
            shown = trick.cards[place].suit if place < len(trick.cards) else suit
            if trick.cards[0].suit == suit != shown:
                return True
        return False

    def _tricks(self):
        view = self.view
        table = Trick((view.seat - len(view.trick)) % 4, view.trick)
        return [*view.tricks, table] if view.trick else list(view.tricks)


class CardCounter(Wrapped):
    """A player that remembers."""

    def play(self, view):
        """Return the first card that a rule names, or ask the inner player."""
        memory, cards = Memory(view), sorted(view.legal, reverse=True)
        if not view.trick:
            return sorted(cards, key=lambda card: len(memory.above(card)))[-1]
        led = view.trick[0].suit
        if cards[0].suit != led:
            return Wrapped.play(self, view)
        best = legal.best_card(view.trick)
        queens = [card for card in cards if str(card) == "QS"]
        if queens and best.rank > Rank.QUEEN:
            return queens[0]
        if self._calm(view, memory, led):
            return next((card for card in cards if card not in queens), cards[0])
        return Wrapped.play(self, view)

    def _calm(self, view, memory, led):
        clean = not sum(legal.points(card, view.book.play) for card in view.trick)
        to_come = [(view.seat + step) % 4 for step in (1, 2, 3)][: 3 - len(view.trick)]
        unseen = [str(card) for card in memory.unseen if card.suit == led]
        safe = "QS" not in unseen and len(unseen) > 5
        voids = [seat for seat in to_come if memory.is_void(seat, led)]
        return clean and (not to_come or (safe and not voids))


class Passer(Wrapped):
    """A player with a plan for the pass."""

    def pass_cards(self, view):
        """Sort the hand by how much each card should go."""
        names = {str(card) for card in view.hand}
        guards = [card for card in view.hand if card.suit == "S" and card.rank < 12]
        high = names & {"QS", "KS", "AS"}
        if len(guards) > 3:
            to_right = view.direction is Pass.RIGHT and "QS" in names
            high = high - {"QS"} if to_right else set()

        def urgency(card):
            if str(card) in high:
                return 3
            if str(card) == "AC":
                return 2 if view.book.play.points_on_first_trick else 0
            return int(card.suit != "S")

        return sorted(view.hand, key=lambda card: (-urgency(card), card.rank))[:3]


def paid(view):
    """Return what each seat has paid."""
    owners = {seat: [] for seat in SEATS}
    for trick in view.tricks:
        owners[trick.taker] += [legal.points(card, view.book.play) for card in trick.cards]
    return [sum(owners[seat]) for seat in SEATS]


def alone(view):
    """Return the only seat with points, if there is one."""
    costs = paid(view)
    return costs.index(sum(costs)) if any(costs) and sum(costs) in costs else None


def sees_moon(view):
    """Return whether all is mine."""
    memory = Memory(view)
    sure = all(not memory.above(card) for card in view.hand)
    return sure and alone(view) in (None, view.seat) and bool(takers(view)) and not others(view)


def others(view):
    """Return the points of the other seats."""
    return sum(paid(view)) - paid(view)[view.seat]


def takers(view):
    """Return the legal cards that would take the trick now."""
    if not view.trick:
        return view.legal
    best = legal.best_card(view.trick)
    return [card for card in view.legal if card.suit == best.suit and card.rank > best.rank]


class MoonWatcher(Wrapped):
    """A player with a telescope."""

    def play(self, view):
        """Return a card for or against a moon, or ask the inner player."""
        usual = Wrapped.play(self, view)
        if view.book.moon is Moon.NOTHING or not view.trick:
            return usual
        if sees_moon(view):
            return takers(view)[-1]
        holder = (view.seat - len(view.trick) + view.trick.index(legal.best_card(view.trick))) % 4
        if alone(view) != holder or paid(view)[holder] < 10:
            return usual
        if takers(view) and any(legal.points(card, view.book.play) for card in view.trick):
            return takers(view)[-1]
        free = [card for card in view.legal if not legal.points(card, view.book.play)]
        return usual if usual in free or not free else free[-1]


@dataclass(frozen=True)
class Ending:
    """The last tricks of a deal, with all cards open."""

    hands: tuple[tuple[Card, ...], ...]  # seat 0's first
    rules: Rules
    leader: int
    trick: tuple[Card, ...] = ()
    hearts_broken: bool = True
    costs: tuple[int, ...] = (0, 0, 0, 0)  # of the tricks that each seat has taken

    @property
    def seat(self) -> int:
        """The seat that plays the next card."""
        return (self.leader + len(self.trick)) % len(SEATS)

    @property
    def legal(self) -> list[Card]:
        """The cards that this seat may play."""
        hand = Hand(self.hands[self.seat])
        return legal_plays(Turn(hand, self.rules, self.trick, hearts_broken=self.hearts_broken))

    def after(self, card):
        """Return the ending after this card."""
        hands = [
            tuple(held for held in hand if seat != self.seat or held != card)
            for seat, hand in enumerate(self.hands)
        ]
        broken = hearts_broken([card], self.rules) or self.hearts_broken
        trick, leader, costs = (*self.trick, card), self.leader, self.costs
        if len(trick) == 4:
            pays = sum(legal.points(one, self.rules) for one in trick)
            leader, trick = legal.winner(trick, leader), ()
            costs = tuple(cost + pays * (seat == leader) for seat, cost in enumerate(costs))
        return Ending(tuple(hands), self.rules, leader, trick, broken, costs)


def sure_cost(ending, seat, _known=None):
    """Return the guaranteed costs; endings that were searched already are looked up."""
    known = {} if _known is None else _known
    if ending not in known:
        if sum(map(len, ending.hands)) == 0:
            known[ending] = ending.costs[seat]
        else:
            choose = max if ending.seat != seat else min
            known[ending] = choose(sure_cost(ending.after(c), seat, known) for c in ending.legal)
    return known[ending]


def best_cards(ending):
    """Return the cards that keep the guarantee, the last suit first."""
    goal = sure_cost(ending, ending.seat)
    cards = sorted(ending.legal, reverse=True)
    return [card for card in cards if sure_cost(ending.after(card), ending.seat) <= goal]
