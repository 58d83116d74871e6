"""Computer players: measure them, write them, and play the end of a deal exactly.

    View      what a seat may know, as a value: nothing in it can change the deal
    Player    an object that passes three cards and plays one; each kind of player is a subclass
    rival     the player in the three other seats
    unseen    the cards in the other three hands
    above     the unseen cards of a card's suit that are higher
    calm      a trick that probably brings no points, so that a high card is safe in it
    alone     a seat that has taken all the points so far
    ending    the last tricks of a deal, with all cards open

A `Wrapped` player has another player inside, and changes only some of its answers. So players can
be put together, as in `Passer(MoonWatcher(CardCounter(Dumper())))`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from cards import Card, Deck, Hand, Rank, Suit
from legal import Rules, Turn, best_card, hearts_broken, is_queen_of_spades, legal_plays, points
from match import FullDeal, Trick
from rulebook import PASSED, SEATS, Book, Pass


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


def duplicate(
    player: Player,
    rival: Player,
    hands: Sequence[Hand],
    book: Book,
    direction: Pass = Pass.HOLD,
) -> list[int]:
    """Return what the player scores in the deal from each seat, with rivals in the others."""
    raise NotImplementedError("Task 1: Measure first")


def differences(
    first: Player,
    second: Player,
    rival: Player,
    deals: Iterable[Sequence[Hand]],
    book: Book,
) -> list[float]:
    """Return for each deal how many points the first player scores more than the second."""
    raise NotImplementedError("Task 1: Measure first")


def verdict(bounds: tuple[float, float]) -> str:
    """Return what an interval of differences says about the first player; few points are good."""
    raise NotImplementedError("Task 1: Measure first")


def by_rank(card: Card) -> Rank:
    """Return the rank of the card, as a key for `min`, `max` and `sorted`."""
    return card.rank


def highest(cards: Iterable[Card], number: int) -> list[Card]:
    """Return that many of the cards, those of the highest ranks."""
    return sorted(cards, key=by_rank, reverse=True)[:number]


class Lowest(Player):
    """A player that passes its highest cards and always plays a lowest legal one."""

    def pass_cards(self, view: View) -> list[Card]:
        """Return the three highest cards of the hand."""
        raise NotImplementedError("Task 2: Keep the promises of an interface")

    def play(self, view: View) -> Card:
        """Return a legal card of the lowest rank."""
        raise NotImplementedError("Task 2: Keep the promises of an interface")


class Wrapped(Player):
    """A player with another player inside, which answers for it."""

    def __init__(self, inner: Player) -> None:
        """Let this player answer."""
        raise NotImplementedError("Task 2: Keep the promises of an interface")

    def pass_cards(self, view: View) -> list[Card]:
        """Return what the inner player passes."""
        raise NotImplementedError("Task 2: Keep the promises of an interface")

    def play(self, view: View) -> Card:
        """Return what the inner player plays."""
        raise NotImplementedError("Task 2: Keep the promises of an interface")


class Checked(Wrapped):
    """A player whose answers are checked before they reach the table."""

    def pass_cards(self, view: View) -> list[Card]:
        """Return what the inner player passes; raise IllegalPass if it may not."""
        raise NotImplementedError("Task 2: Keep the promises of an interface")

    def play(self, view: View) -> Card:
        """Return what the inner player plays; raise the IllegalPlay that says why it may not."""
        raise NotImplementedError("Task 2: Keep the promises of an interface")


def without_queen(cards: list[Card]) -> list[Card]:
    """Return the cards without the queen of spades, unless she is the only one."""
    others = [card for card in cards if not is_queen_of_spades(card)]
    return others or cards


class Cautious(Player):
    """A player that ducks: it leads low, stays below the best card, and throws away high cards."""

    def pass_cards(self, view: View) -> list[Card]:
        """Return the three highest cards of the hand."""
        raise NotImplementedError("Task 3: Duck, dump and lead low")

    def play(self, view: View) -> Card:
        """Return the card that suits the situation: a lead, a card that follows, or a discard."""
        raise NotImplementedError("Task 3: Duck, dump and lead low")

    def lead(self, view: View) -> Card:
        """Return a legal card of the lowest rank."""
        raise NotImplementedError("Task 3: Duck, dump and lead low")

    def follow(self, view: View) -> Card:
        """Return the highest card that stays below the best one.

        If there is none: the highest card in last place, else the lowest, but rather not the queen
        of spades.
        """
        raise NotImplementedError("Task 3: Duck, dump and lead low")

    def discard(self, view: View) -> Card:
        """Return a legal card of the highest rank."""
        raise NotImplementedError("Task 3: Duck, dump and lead low")


def is_last(view: View) -> bool:
    """Return whether the seat plays the last card of the trick."""
    return len(view.trick) == len(SEATS) - 1


class Dumper(Cautious):
    """A cautious player that gives its points to others whenever it can."""

    def discard(self, view: View) -> Card:
        """Return the queen of spades, else the highest heart, else what a cautious player does."""
        raise NotImplementedError("Task 4: Override one method")


class Memory:
    """What a seat can conclude from its view of the deal."""

    def __init__(self, view: View) -> None:
        """Remember everything that has been played so far."""
        raise NotImplementedError("Task 5: Remember the cards")

    def above(self, card: Card) -> set[Card]:
        """Return the unseen cards that are higher in the card's suit."""
        raise NotImplementedError("Task 5: Remember the cards")

    def unseen_of(self, suit: Suit) -> set[Card]:
        """Return the unseen cards of the suit."""
        raise NotImplementedError("Task 5: Remember the cards")

    def is_void(self, seat: int, suit: Suit) -> bool:
        """Return whether the seat has shown, by not following, that it has none of the suit."""
        raise NotImplementedError("Task 5: Remember the cards")


def leader_of(view: View) -> int:
    """Return the seat that has led the trick on the table."""
    return (view.seat - len(view.trick)) % len(SEATS)


def seats_to_come(view: View) -> list[int]:
    """Return the seats that play to this trick after the view's seat."""
    return [(view.seat + step) % len(SEATS) for step in range(1, len(SEATS) - len(view.trick))]


ENOUGH = 6  # if so many cards of a suit are unseen, probably everybody can follow


def is_calm(view: View, memory: Memory) -> bool:
    """Return whether a high card is safe in the trick on the table, which has been led."""
    raise NotImplementedError("Task 5: Remember the cards")


class CardCounter(Wrapped):
    """A player that remembers; where memory does not help, the inner player answers."""

    def play(self, view: View) -> Card:
        """Return the safest lead, the queen under a higher spade, or a high card in a calm trick.

        In all other situations, return what the inner player plays.
        """
        raise NotImplementedError("Task 5: Remember the cards")


GUARDS = 4  # with this many spades below the queen, the high ones are no danger


def is_high_spade(card: Card) -> bool:
    """Return whether the card is the queen of spades or a spade above her."""
    return card.suit == Suit.SPADES and card.rank >= Rank.QUEEN


def is_guard(card: Card) -> bool:
    """Return whether the card is a spade below the queen."""
    return card.suit == Suit.SPADES and card.rank < Rank.QUEEN


def is_ace_of_clubs(card: Card) -> bool:
    """Return whether this is the card that takes the first trick."""
    return (card.suit, card.rank) == (Suit.CLUBS, Rank.ACE)


class Passer(Wrapped):
    """A player that passes by book and direction, and plays like the inner player."""

    def pass_cards(self, view: View) -> list[Card]:
        """Return the cards that must go, and then the highest of those that may go."""
        raise NotImplementedError("Task 6: Pass by book and direction")


def spades_to_pass(view: View) -> list[Card]:
    """Return the high spades that must go."""
    raise NotImplementedError("Task 6: Pass by book and direction")


THREAT = 10  # a seat that alone has taken this many points may shoot the moon


def cost(cards: Iterable[Card], rules: Rules) -> int:
    """Return what the cards cost together."""
    return sum(points(card, rules) for card in cards)


def costs_so_far(view: View) -> list[int]:
    """Return what the tricks of each seat have cost so far."""
    costs = [0 for _ in SEATS]
    for trick in view.tricks:
        costs[trick.taker] += cost(trick.cards, view.book.play)
    return costs


def alone(view: View) -> int | None:
    """Return the seat that has taken all the points so far, if there are any."""
    raise NotImplementedError("Task 7: See a moon, and stop one")


def taking(view: View) -> list[Card]:
    """Return the legal cards that take the trick as it lies on the table."""
    return [card for card in view.legal if best_card([*view.trick, card]) == card]


def sees_moon(view: View) -> bool:
    """Return whether the seat can take all the tricks that are left, and has all the points."""
    raise NotImplementedError("Task 7: See a moon, and stop one")


class MoonWatcher(Wrapped):
    """A player that takes a moon that is sure, and tries to stop the moon of another seat."""

    def play(self, view: View) -> Card:
        """Return a card for or against a moon, or what the inner player plays."""
        raise NotImplementedError("Task 7: See a moon, and stop one")

    def stop(self, view: View) -> Card:
        """Return a card that takes points from the shooter, or else one that brings it none."""
        raise NotImplementedError("Task 7: See a moon, and stop one")


def shooter_takes(view: View) -> bool:
    """Return whether another seat may shoot the moon and is taking the trick on the table."""
    raise NotImplementedError("Task 7: See a moon, and stop one")


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

    def after(self, card: Card) -> "Ending":
        """Return the ending after this legal card; this one stays as it is."""
        raise NotImplementedError("Task 8: Play the last three tricks exactly")

    def _taken(self) -> "Ending":
        """Return the ending after the full trick on the table has been taken."""
        raise NotImplementedError("Task 8: Play the last three tricks exactly")


def sure_cost(ending: Ending, seat: int) -> int:
    """Return the least that the seat can be sure to pay, whatever the other three play."""
    raise NotImplementedError("Task 8: Play the last three tricks exactly")


def best_cards(ending: Ending) -> list[Card]:
    """Return the legal cards after which the seat that plays now is sure to pay the least."""
    raise NotImplementedError("Task 8: Play the last three tricks exactly")
