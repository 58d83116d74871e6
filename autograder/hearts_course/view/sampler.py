"""A computer player that imagines the hands it does not see, and tries its cards on them.

A world gives each unseen card to one of the other hands, in agreement with everything that the
seat knows. A playout plays the rest of the deal in one world; in every seat is a player who follows
rules of thumb. The sampler plays the card that costs least in the mean over many worlds. Worlds
are not drawn with equal probability, but that is good enough for an opponent. The playouts know
only one rule book: a heart costs 1 and the queen of spades 13, and hearts may be led once a heart
has been played.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from hearts_course.view.rules_of_thumb import (
    PACK,
    PLAYERS,
    QUEEN,
    RANKS,
    card_of_counter,
    card_to_play,
)

BUDGET = 120  # playouts for one decision
TRIES = 20  # after this many failed tries to share out the cards, give up
MOON = 26  # all points of a deal
WORTH = {code: 13 if code == QUEEN else int(code[1] == "H") for code in PACK}
OTHERS_PAY = (0, MOON)  # what a player who shoots the moon pays, and what each other player pays
# What the shooter and the others pay by the moon rules with these names; by all other rules, they
# pay OTHERS_PAY.
MOONS = {"NOTHING": (MOON, 0), "SHOOTER": (-MOON, 0)}
ME = 0  # the seat that plays next

Hands: TypeAlias = list[list[str]]  # the hand of each seat


@dataclass(frozen=True)
class Knowledge:
    """What the seat that passes or plays next may know of a deal.

    Seats are counted clockwise from this seat, which is seat 0. A field is empty if the program
    does not tell its value.
    """

    trick: Sequence[str] = ()  # the cards on the table, in the order of play
    gone: Collection[str] = ()  # the cards of the earlier tricks, in the order of play
    hand: Collection[str] = ()
    passed: Collection[str] = ()  # the cards that this seat has passed
    receiver: int = ME  # the seat that received the passed cards
    moon: tuple[int, int] = OTHERS_PAY  # what the shooter pays, and what each other player pays

    def tricks(self) -> list[tuple[int, list[str]]]:
        """Return the leader and the cards of each trick, from the trick on the table back in time.

        This seat plays next, which shows who led the trick on the table. The leader of a trick has
        taken the previous trick.
        """
        gone = [*self.gone]
        leader = -len(self.trick) % PLAYERS
        tricks = [(leader, [*self.trick])]
        for start in reversed(range(0, len(gone), PLAYERS)):
            cards = gone[start : start + PLAYERS]
            leader = (leader - best_place(cards)) % PLAYERS
            tricks.append((leader, cards))
        return tricks


def moon_by_name(name: str) -> tuple[int, int]:
    """Return the points that the shooter and each of the others pay, by the rule of this name."""
    return MOONS.get(name, OTHERS_PAY)


def best_place(cards: Sequence[str]) -> int:
    """Return the index of the card that takes the trick, if no more cards are played to it."""
    best = 0
    for place, code in enumerate(cards):
        if code[1] == cards[0][1] and RANKS.index(code[0]) > RANKS.index(cards[best][0]):
            best = place
    return best


def card_of_sampler(
    legal: Sequence[str], knowledge: Knowledge, rng: Random, budget: int = BUDGET
) -> str:
    """Return the card to play for a player who imagines worlds and tries each card in all worlds.

    In the first trick, or if the program does not tell enough, choose like a player who only knows
    which cards are gone.
    """
    worlds = Worlds(knowledge)
    if len(legal) == 1 or not knowledge.gone or not worlds.are_known:
        return card_of_counter(legal, knowledge.trick, knowledge.gone)
    costs = dict.fromkeys(legal, 0)
    for _ in range(max(1, budget // len(legal))):
        hands = worlds.imagine(rng)
        if hands is None:
            return card_of_counter(legal, knowledge.trick, knowledge.gone)
        for code in legal:
            costs[code] += worlds.cost_after(code, hands)
    return min(costs, key=costs.__getitem__)


class Worlds:
    """The worlds that fit what a seat knows.

    A player who did not follow suit is void in that suit. The cards that this seat has passed are
    in the receiver's hand until they are played.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        """Collect who holds how many cards, who can hold which card, and who has paid what."""
        self._knowledge = knowledge
        tricks = knowledge.tricks()
        self._leader = tricks[0][0]
        self._paid = [0] * PLAYERS
        void = set()
        for number, (leader, cards) in enumerate(tricks):
            for place, code in enumerate(cards):
                if code[1] != cards[0][1]:
                    void.add(((leader + place) % PLAYERS, cards[0][1]))
            if number:
                taker = (leader + best_place(cards)) % PLAYERS
                self._paid[taker] += sum(WORTH[code] for code in cards)
        seen = {*knowledge.hand, *knowledge.trick, *knowledge.gone}
        self._homes: dict[str, list[int]] = {}  # the seats that may hold each unseen card
        for code in PACK:
            if code not in seen:
                seats = [seat for seat in range(1, PLAYERS) if (seat, code[1]) not in void]
                self._homes[code] = seats
        for code in knowledge.passed:
            if code in self._homes:
                self._homes[code] = [knowledge.receiver]
        # Whoever has played to the trick on the table holds one card less than this seat.
        self._room = [len(knowledge.hand)] * PLAYERS
        for place in range(len(knowledge.trick)):
            self._room[(self._leader + place) % PLAYERS] -= 1
        self._broken = any(code[1] == "H" for code in (*knowledge.gone, *knowledge.trick))

    @property
    def are_known(self) -> bool:
        """Whether the program told enough: the unseen cards exactly fill the other hands."""
        whole_tricks = len(self._knowledge.gone) % PLAYERS == 0
        return whole_tricks and len(self._homes) == sum(self._room[1:])

    def imagine(self, rng: Random) -> Hands | None:
        """Return the hands of a world, None if none was found in TRIES tries."""
        for _ in range(TRIES):
            hands = self._share_out(rng)
            if hands is not None:
                return hands
        return None

    def _share_out(self, rng: Random) -> Hands | None:
        """Return random hands; None if a card is left that fits only into full hands.

        Share out first the cards that fit into the fewest hands. A seat with more room gets a card
        more often.
        """
        hands: Hands = [[] for _ in range(PLAYERS)]
        hands[ME] = [*self._knowledge.hand]
        codes = [*self._homes]
        rng.shuffle(codes)
        codes.sort(key=lambda code: len(self._homes[code]))
        for code in codes:
            room = [self._room[seat] - len(hands[seat]) for seat in self._homes[code]]
            if not any(room):
                return None
            [seat] = rng.choices(self._homes[code], room)
            hands[seat].append(code)
        return hands

    def cost_after(self, code: str, world: Hands) -> int:
        """Return how many points this seat pays for the whole deal if it plays the card now.

        The world is not changed, because every legal card is tried in the same world.
        """
        hands = [[*hand] for hand in world]
        paid = play_out(
            hands, [*self._knowledge.trick], self._leader, [*self._paid], self._broken, code
        )
        if MOON not in paid:
            return paid[ME]
        shooter, others = self._knowledge.moon
        return shooter if paid[ME] == MOON else others


def play_out(
    hands: Hands, trick: list[str], leader: int, paid: list[int], broken: bool, first: str
) -> list[int]:
    """Play the rest of the deal by rules of thumb, beginning with the card `first`.

    Return what each seat pays. The lists `hands`, `trick` and `paid` are changed.
    """
    code = first
    while True:
        hands[(leader + len(trick)) % PLAYERS].remove(code)
        trick.append(code)
        broken = broken or code[1] == "H"
        if len(trick) == PLAYERS:
            leader = (leader + best_place(trick)) % PLAYERS
            paid[leader] += sum(WORTH[card] for card in trick)
            trick.clear()
        hand = hands[(leader + len(trick)) % PLAYERS]
        if not hand:
            return paid
        code = card_to_play(_legal(hand, trick, broken), trick)


def _legal(hand: list[str], trick: Sequence[str], broken: bool) -> list[str]:
    """Return the cards that may be played to the trick; it is not the deal's first trick."""
    if trick:
        return [code for code in hand if code[1] == trick[0][1]] or hand
    if broken:
        return hand
    return [code for code in hand if code[1] != "H"] or hand
