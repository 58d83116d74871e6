"""A page about a player: its five worst deals in comparison with a counter, card by card.

A counter is the course's player that knows which cards are gone. The player plays the same deals
from each seat, with three counters in the other seats. A counter also plays the same hands from the
same seat, so the difference in points comes from how the player plays.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from hearts_course.errors import UsageError
from hearts_course.play.game import Game
from hearts_course.play.run import as_program, explained
from hearts_course.reports.html import page
from hearts_course.student.page import SUITS, cards_text
from hearts_course.view.players import Chance, Opponent
from hearts_course.view.rules_of_thumb import PACK, PLAYERS, codes, codes_of_tricks
from hearts_course.view.sampler import WORTH, Knowledge, moon_by_name

PAGE = Path("worst-deals.html")
TEMPLATE = "worst.html.j2"
SEATS = ("North", "East", "South", "West")
DEALS = 50  # deals that are played from every seat
WORST = 5  # deals on the page
SEED = 5  # fixed, so that the page shows the same deals each time
PASSED = 3  # cards that a player passes


class CoursePlayer:
    """One of the course's own players, with the methods of a program's player.

    Its random numbers come from a seed, so it plays the same cards whenever the page is written.
    """

    def __init__(self, opponent: Opponent, seed: int = SEED) -> None:
        """Play as this kind of opponent does."""
        self._chance = Chance(seed)
        self._chance.opponent = opponent

    def pass_cards(self, view: Any) -> Any:
        """Return three cards of the hand."""
        with self._chance.helping("passing"):
            return self._chance.sample(view.hand, PASSED)

    def play(self, view: Any) -> Any:
        """Return one of the legal cards.

        The player is told all that the program's view shows, so it plays as well as it can.
        """
        knowledge = Knowledge(
            trick=codes(view.trick),
            gone=codes_of_tricks(view.tricks),
            hand=codes(view.hand),
            passed=codes(view.gave),
            receiver=(view.direction.receiver(view.seat) - view.seat) % PLAYERS,
            moon=moon_by_name(view.book.moon.name),
        )
        with self._chance.helping("playing", knowledge):
            return self._chance.choice(view.legal)


class _Recorded:
    """A player whose views and cards are recorded.

    The views show afterwards what the player knew when it passed, and when it chose each card.
    """

    def __init__(self, player: Any) -> None:
        """Let this player choose the cards."""
        self._player = player
        self.passing: Any = None  # the view that the player saw when it passed
        self.plays: list[tuple[Any, str]] = []

    def pass_cards(self, view: Any) -> Any:
        """Return what the player passes."""
        self.passing = view
        return self._player.pass_cards(view)

    def play(self, view: Any) -> Any:
        """Return what the player plays."""
        card = self._player.play(view)
        self.plays.append((view, str(card)))
        return card


@dataclass(frozen=True)
class Decision:
    """What the player knew when it chose a card, and what a counter would have played."""

    hand: str
    legal: str
    unseen: tuple[str, ...]  # for each suit, a text with the unseen cards
    voids: tuple[str, ...]
    card: str
    counter: str

    @property
    def differs(self) -> bool:
        """Whether a counter would have played another card."""
        return self.card != self.counter


@dataclass(frozen=True)
class ReplayedTrick:
    """A trick, seat by seat, and the player's decision in it."""

    leader: str
    cards: Mapping[str, str]  # the card of each seat, by the seat's name
    taker: str
    points: int
    decision: Decision


@dataclass(frozen=True)
class ReplayedDeal:
    """A deal from one seat: what the player scored, what a counter scored, and each trick.

    `hands` are the hands after the pass, because the tricks are played from them.
    """

    number: int
    seat: str
    score: int
    counter: int
    gave: str
    counter_gives: str  # what a counter would have passed
    received: str
    hands: Mapping[str, str]  # the hand of each seat after the pass, by the seat's name
    tricks: Sequence[ReplayedTrick]


def write_worst_deals(game: Game, text: str, path: Path) -> int:
    """Write the page about the player that `text` makes. Return how many hands were played.

    `text` is an expression, such as `Cautious()`, and may use all names of the program's modules.
    Raise UsageError if the text makes no player, and CourseError if the program breaks off.
    """
    with as_program(game.modules, Opponent.COUNTER):
        try:
            names: dict[str, Any] = {"Random": random.Random}
            for module in game.modules:
                names |= vars(import_module(module))
            book = names[game.stage.replays]
            hands = _play_all(names, _made(text, names), book)
        except UsageError:
            raise
        except Exception as error:
            raise explained(game, error) from None
    hands.sort(key=lambda hand: hand.counter - hand.score)  # the player's largest loss comes first
    worst = hands[:WORST]
    text_of_page = page(
        TEMPLATE,
        folder=Path(__file__).parent,
        deals=worst,
        seats=SEATS,
        player=text,
        number=DEALS,
        count=len(hands),
        mean=sum(hand.score for hand in hands) / len(hands),
        mean_counter=sum(hand.counter for hand in hands) / len(hands),
    )
    path.write_text(text_of_page, encoding="utf-8")
    return len(hands)


def _made(text: str, names: dict[str, Any]) -> Any:
    """Return the player that this text makes; raise UsageError if the text makes no player."""
    try:
        player = eval(text, names)
    except Exception as error:
        raise UsageError(f"{text!r} makes no player: {type(error).__name__}: {error}") from None
    if not callable(getattr(player, "play", None)) or isinstance(player, type):
        raise UsageError(f"{text!r} is not a player; write it as a call, such as 'Cautious()'")
    return player


def _play_all(names: Mapping[str, Any], player: Any, book: Any) -> list[ReplayedDeal]:
    """Return what happened in each deal from each seat.

    Four counters also play each deal, and the player's scores are compared with theirs.
    """
    counter = CoursePlayer(Opponent.COUNTER)
    replays = []
    for number, hands in enumerate(names["shuffled_deals"](DEALS, random.Random(SEED))):
        direction = book.pass_for(number)
        usual = names["play_deal"]([counter] * PLAYERS, hands, book, direction)
        for seat in range(PLAYERS):
            players = [_Recorded(counter) for _ in range(PLAYERS)]
            players[seat] = _Recorded(player)
            scores = names["play_deal"](players, hands, book, direction)
            replays.append(_replayed(number, seat, scores[seat], usual[seat], players))
    return replays


def _replayed(
    number: int, seat: int, score: int, usual: int, players: Sequence[_Recorded]
) -> ReplayedDeal:
    """Return what the page shows of a deal; `usual` is a counter's score in the player's seat.

    For each view that the player has seen, ask a counter what the counter would have done.
    """
    counter = CoursePlayer(Opponent.COUNTER)
    plays = [player.plays for player in players]
    tricks = []
    for place, (view, card) in enumerate(plays[seat]):
        cards = [played[place][1] for played in plays]
        decision = _decision(view, card, str(counter.play(view)))
        tricks.append(_trick(cards, (seat - len(view.trick)) % PLAYERS, decision))
    counter_gives: list[str] = []
    if players[seat].passing:
        counter_gives = codes(counter.pass_cards(players[seat].passing))
    hands: dict[str, str] = {}
    for name, played in zip(SEATS, plays, strict=True):
        hands[name] = _sorted_text(card for _, card in played)
    first_view = plays[seat][0][0]
    return ReplayedDeal(
        number=number + 1,
        seat=SEATS[seat],
        score=score,
        counter=usual,
        gave=_sorted_text(codes(first_view.gave)),
        counter_gives=_sorted_text(counter_gives),
        received=_sorted_text(codes(first_view.received)),
        hands=hands,
        tricks=tricks,
    )


def _trick(cards: Sequence[str], leader: int, decision: Decision) -> ReplayedTrick:
    """Return a trick as the page shows it; `cards` are in the order of the seats."""
    shown: dict[str, str] = {}
    for name, card in zip(SEATS, cards, strict=True):
        shown[name] = cards_text([card])
    return ReplayedTrick(
        leader=SEATS[leader],
        cards=shown,
        taker=SEATS[_taker(cards, leader)],
        points=sum(WORTH[code] for code in cards),
        decision=decision,
    )


def _taker(cards: Sequence[str], leader: int) -> int:
    """Return the seat that takes a trick; `cards` are in the order of the seats."""
    led = cards[leader][1]
    following = [seat for seat in range(PLAYERS) if cards[seat][1] == led]
    return max(following, key=lambda seat: PACK.index(cards[seat]))


def _decision(view: Any, card: str, counter: str) -> Decision:
    """Return what the player's view showed when the player chose its card, and a counter's choice.

    A player may conclude more from a view than the result says.
    """
    seen = {*codes(view.hand), *codes(view.played)}
    unseen = [code for code in PACK if code not in seen]
    voids = set()
    leader = (view.seat - len(view.trick)) % PLAYERS
    tricks = [(trick.leader, codes(trick.cards)) for trick in view.tricks]
    for first, cards in [*tricks, (leader, codes(view.trick))]:
        for place, code in enumerate(cards):
            seat = (first + place) % PLAYERS
            if code[1] != cards[0][1] and seat != view.seat:
                voids.add(f"{SEATS[seat]} {SUITS[cards[0][1]]}")
    unseen_by_suit: list[str] = []
    for suit in SUITS:
        if of_suit := [code for code in unseen if code[1] == suit]:
            unseen_by_suit.append(cards_text(of_suit))
    return Decision(
        hand=_sorted_text(codes(view.hand)),
        legal=_sorted_text(codes(view.legal)),
        unseen=tuple(unseen_by_suit),
        voids=tuple(sorted(voids)),
        card=cards_text([card]),
        counter=cards_text([counter]),
    )


def _sorted_text(some: Iterable[str]) -> str:
    """Return the cards as the page shows them, in the order of the pack."""
    return cards_text(sorted(some, key=PACK.index))
