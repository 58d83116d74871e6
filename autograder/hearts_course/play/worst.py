"""A page for a player: its five worst deals against a counter, replayed card by card.

The player sits in each seat of the same deals, with three of the course's counters. A counter has
played the same cards from the same seat, so the difference is the player's own.
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
from hearts_course.view.rules_of_thumb import PLAYERS
from hearts_course.view.sampler import PACK, WORTH, Knowledge, moon_by_name

PAGE = Path("worst-deals.html")
TEMPLATE = "worst.html.j2"
SEATS = ("North", "East", "South", "West")
DEALS = 50
WORST = 5
SEED = 5
PASSED = 3


class CoursePlayer:
    """One of the course's own players, who answers like a program's player: by a view."""

    def __init__(self, opponent: Opponent, seed: int = SEED) -> None:
        """Draw the cards of an opponent of this kind."""
        self._chance = Chance(seed)
        self._chance.opponent = opponent

    def pass_cards(self, view: Any) -> Any:
        """Return three cards of the hand."""
        with self._chance.helping("passing"):
            return self._chance.sample(view.hand, PASSED)

    def play(self, view: Any) -> Any:
        """Return one of the legal cards."""
        gone = [card for trick in view.tricks for card in trick.cards]
        knowledge = Knowledge(
            trick=codes(view.trick),
            gone=codes(gone),
            hand=codes(view.hand),
            passed=codes(view.gave),
            receiver=(view.direction.receiver(view.seat) - view.seat) % PLAYERS,
            moon=moon_by_name(view.book.moon.name),
        )
        with self._chance.helping("playing", knowledge):
            return self._chance.choice(view.legal)


def codes(cards: Iterable[Any]) -> list[str]:
    """Return the codes of the cards."""
    return [str(card) for card in cards]


class _Recorded:
    """A player whose answers are kept, with the views that it has answered."""

    def __init__(self, player: Any) -> None:
        """Let this player answer."""
        self._player = player
        self.passing: Any = None  # the view in which it has passed
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
    unseen: tuple[str, ...]  # a text for each suit
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
    cards: Mapping[str, str]  # by the name of the seat
    taker: str
    points: int
    decision: Decision


@dataclass(frozen=True)
class ReplayedDeal:
    """A deal from one seat: what the player scored, what a counter scored, and each trick."""

    number: int
    seat: str
    score: int
    counter: int
    gave: str
    counter_gives: str  # what a counter would have passed
    received: str
    hands: Mapping[str, str]  # by the name of the seat, after the pass
    tricks: Sequence[ReplayedTrick]


def write_worst_deals(game: Game, text: str, path: Path) -> int:
    """Write the page of the player that this text makes; return how many hands it has played.

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
    hands.sort(key=lambda hand: hand.counter - hand.score)
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
    """Return the player that this text makes; raise UsageError if it makes none."""
    try:
        player = eval(text, names)
    except Exception as error:
        raise UsageError(f"{text!r} makes no player: {type(error).__name__}: {error}") from None
    if not callable(getattr(player, "play", None)) or isinstance(player, type):
        raise UsageError(f"{text!r} is not a player; write it as a call, such as 'Cautious()'")
    return player


def _play_all(names: Mapping[str, Any], player: Any, book: Any) -> list[ReplayedDeal]:
    """Return what happened in each deal from each seat."""
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
    counter = CoursePlayer(Opponent.COUNTER)
    plays = [player.plays for player in players]
    passing = players[seat].passing
    first = plays[seat][0][0]
    tricks = []
    for place in range(len(plays[seat])):
        view, card = plays[seat][place]
        cards = [played[place][1] for played in plays]
        leader = (seat - len(view.trick)) % PLAYERS
        taker = _taker(cards, leader)
        tricks.append(
            ReplayedTrick(
                leader=SEATS[leader],
                cards={name: cards_text([card]) for name, card in zip(SEATS, cards, strict=True)},
                taker=SEATS[taker],
                points=sum(WORTH[code] for code in cards),
                decision=_decision(view, card, str(counter.play(view))),
            )
        )
    return ReplayedDeal(
        number=number + 1,
        seat=SEATS[seat],
        score=score,
        counter=usual,
        gave=_sorted_text(codes(first.gave)),
        counter_gives=_sorted_text(codes(counter.pass_cards(passing)) if passing else []),
        received=_sorted_text(codes(first.received)),
        hands={
            name: _sorted_text([card for _, card in played])
            for name, played in zip(SEATS, plays, strict=True)
        },
        tricks=tricks,
    )


def _taker(cards: Sequence[str], leader: int) -> int:
    """Return the seat that takes a trick; the cards are by seat."""
    led = cards[leader][1]
    following = [seat for seat in range(PLAYERS) if cards[seat][1] == led]
    return max(following, key=lambda seat: PACK.index(cards[seat]))


def _decision(view: Any, card: str, counter: str) -> Decision:
    """Return what the player could know when it chose its card, and the counter's choice."""
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
    by_suit = ([code for code in unseen if code[1] == suit] for suit in SUITS)
    return Decision(
        hand=_sorted_text(codes(view.hand)),
        legal=_sorted_text(codes(view.legal)),
        unseen=tuple(cards_text(suit) for suit in by_suit if suit),
        voids=tuple(sorted(voids)),
        card=cards_text([card]),
        counter=cards_text([counter]),
    )


def _sorted_text(some: Iterable[str]) -> str:
    return cards_text(sorted(some, key=PACK.index))
