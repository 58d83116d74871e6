"""HEARTS 1.5: the three-handed game that DYNACOMP sold in 1980, and what it said on the screen.

    seat      0, 1 or 2, clockwise: YOU, PLAYER 2 (or HAND 2) and PLAYER 3 (or HAND 3)
    Deal      three hands of 17 cards by seat, and the hidden card, which goes with the first trick
    gifts     the three cards that a player gives to the left before the first trick
    seen      the cards of the tricks so far, in order, and behind them the hidden card, once shown
    Talk      who answers and listens: a Terminal, or a Script that was written in advance
    Player    who gives and plays cards: a Person, a Computer, or hands that are Prepared

The game knows neither keyboard nor screen. It talks to whom it is given, deals what it is given,
and plays against whom it is given; so a game of 1980 can be played once more, letter for letter.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import TextIOWrapper
from random import Random
from typing import NamedTuple, Protocol, TypeVar

from cards import Card, Deck, Hand, Rank, Suit
from legal import (
    DYNACOMP,
    HeartsNotBroken,
    IllegalPlay,
    NotHeld,
    Revoke,
    Turn,
    WrongOpening,
    best_card,
    check_play,
    first_leader,
    hearts_broken,
    legal_plays,
    points,
    winner,
)

SEATS = range(3)
YOU = SEATS[0]
NAMES = ("YOU", "PLAYER 2", "PLAYER 3")
HANDS = ("YOU", "HAND 2", "HAND 3")
ALL_POINTS = 26
VERBS = {"YOU": "WIN"}  # everybody else WINS
HEADER = ("*****", "**** HEARTS 1.5 ****", "*****")
COPYRIGHT = ("(C) 1979 BY DYNACOMP", "ROCHESTER, NY 14618")
TYPING_ERROR = "ERROR IN TYPING, TRY AGAIN."
PASS_ERROR = "ERROR IN PASS, TRY AGAIN."
OPENING = "YOU MUST LEAD THE {}"
COMPLAINTS: dict[type[IllegalPlay], str] = {
    NotHeld: "ERROR IN LEAD, TRY AGAIN.",
    WrongOpening: OPENING,
    Revoke: "RENEGE, TRY AGAIN.",
    HeartsNotBroken: "ILLEGAL TO PLAY A HEART NOW",
}
UNFINISHED = 1
PRINT_ZONE = 14  # columns from one tab to the next where BASIC printed a table

Answer = TypeVar("Answer")
Number = TypeVar("Number", int, float)


# %% talk
class Talk(Protocol):
    """Whoever the program talks to."""

    def ask(self, prompt: str) -> str:
        """The line that is typed behind the prompt; raises EOFError if there is none."""

    def say(self, line: str = "") -> None:
        """Show a line, or several with a line break between them."""


class Terminal:
    """A talk with somebody at the keyboard."""

    def __init__(self) -> None:
        """A talk with whoever is there; what is no text at all will be a typing error as well."""
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def ask(self, prompt: str) -> str:
        """The line that is typed behind the prompt; raises EOFError at the end of input."""
        return input(prompt)

    def say(self, line: str = "") -> None:
        """Print the line; on a screen, a tab goes on to the next print zone."""
        print(line.expandtabs(PRINT_ZONE) if sys.stdout.isatty() else line)


class Script:
    """A talk that was written in advance: these lines are typed, and then the input ends."""

    def __init__(self, typed: Iterable[str]) -> None:
        """A script for whoever types these lines; `lines` is what the screen shows at the end."""
        self._typed = iter(typed)
        self.lines: list[str] = []

    def ask(self, prompt: str) -> str:
        """The next line; on the screen it stands behind the prompt."""
        for line in self._typed:
            self.lines.append(f"{prompt}{line}")
            return line
        self.lines.append(prompt)
        raise EOFError

    def say(self, line: str = "") -> None:
        """Put the line on the screen."""
        self.lines += line.split("\n")


def tell(talk: Talk, *lines: str) -> None:
    """Say a paragraph: these lines, and an empty one."""
    for line in (*lines, ""):
        talk.say(line)


# %% players
class Player(Protocol):
    """Whoever holds one of the three hands."""

    def give(self, hand: Hand) -> list[Card]:
        """The three cards of the hand that the player gives to the left."""

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The card that the player plays."""


class Prepared:
    """A player whose cards were chosen in advance, by their codes."""

    def __init__(self, gifts: str, plays: str) -> None:
        """A player of these cards, such as `"KS AH KH", "2C QD"`; `gifts` are three per deal."""
        self._gifts = map(Card.parse, gifts.split())
        self._plays = map(Card.parse, plays.split())

    def give(self, hand: Hand) -> list[Card]:
        """The next three gifts."""
        return [next(self._gifts) for _ in "123"]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The next card."""
        return next(self._plays)


class Deal(NamedTuple):
    """A pack that was dealt to three: the hands by seat, and the card left over."""

    hands: list[Hand]
    hidden: Card


# %% keep-the-score
def score_table(scores: Sequence[int], totals: Sequence[int]) -> list[str]:
    """The five lines that show everybody's points in this deal and in all deals."""
    header, game, total = (
        "\t".join([label, *map(str, columns)])
        for label, columns in (("", NAMES), ("GAME:", scores), ("TOTAL:", totals))
    )
    return [header, "THIS", game, "-----", total]


def verdict(totals: Sequence[int]) -> str:
    """The line that tells who has the fewest points, alone or together."""
    best = min(totals)
    *others, last = (name for name, total in zip(NAMES, totals, strict=True) if total == best)
    if others:
        return f"{', '.join(others)} AND {last} WIN THE GAME."
    return f"{last} {VERBS.get(last, 'WINS')} THE GAME."


# %% deal-three-hands
def shuffled_deals(seed: float) -> Iterator[Deal]:
    """Deal after deal without an end; the seed decides them all."""
    chance = Random(seed)
    while True:
        deck = Deck()
        deck.shuffle(chance)
        hands, [hidden] = deck.deal(len(SEATS), dealer=YOU)
        yield Deal(hands, hidden)


# %% ask-again
def ask_until(talk: Talk, prompt: str, read: Callable[[str], Answer]) -> Answer:
    """What `read` makes of the answer, without blanks around it.

    As long as it raises a ValueError, its text is said, and the question asked again.
    """
    while True:
        try:
            return read(talk.ask(prompt).strip())
        except ValueError as complaint:
            talk.say(str(complaint))


def read_number(text: str, kind: Callable[[str], Number], least: int, most: int) -> Number:
    """The number of that kind within the limits; raises ValueError for all else."""
    with suppress(ValueError):
        number = kind(text)
        if least <= number <= most:
            return number
    raise ValueError(TYPING_ERROR)


def ask_limit(talk: Talk) -> int:
    """The points to play to."""
    talk.say("HOW MANY POINTS DO YOU")
    limit = ask_until(talk, "WISH TO PLAY TO? ", partial(read_number, kind=int, least=1, most=999))
    talk.say()
    return limit


def ask_seed(talk: Talk) -> float:
    """The number that decides the deals."""
    talk.say("INPUT A VALUE BETWEEN 0 AND 999")
    seed = ask_until(talk, "?", partial(read_number, kind=float, least=0, most=999))
    talk.say()
    return seed


# %% person
def read_card(text: str) -> Card:
    """The card of that name; raises ValueError, in the program's words, if there is none."""
    try:
        return Card.parse(text)
    except ValueError:
        raise ValueError(TYPING_ERROR) from None


def read_play(text: str, turn: Turn) -> Card:
    """The card of that name, to be played; raises ValueError with the first complaint about it."""
    card = read_card(text)
    try:
        check_play(card, turn)
    except IllegalPlay as error:
        raise ValueError(COMPLAINTS[type(error)].format(*legal_plays(turn))) from None
    return card


def read_gift(text: str, hand: Hand) -> Card:
    """The card of that name, to be given away; raises ValueError with the first complaint."""
    card = read_card(text)
    if card not in hand:
        raise ValueError(PASS_ERROR)
    return card


class Person:
    """YOU: a player who is asked."""

    def __init__(self, talk: Talk) -> None:
        """A player who is asked in that talk."""
        self._talk = talk

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The card that is typed; asks until it may be played."""
        if turn.first_trick and not turn.trick:
            self._talk.say(OPENING.format(*legal_plays(turn)))
        return ask_until(self._talk, "YOU PLAY THE ?", partial(read_play, turn=turn))

    def give(self, hand: Hand) -> list[Card]:
        """The three cards that are typed, all of them different and of this hand."""
        tell(self._talk, "SELECT 3 CARDS TO GIVE PLAYER 2")
        left, gifts = Hand(hand), []
        for _ in "123":
            gift = ask_until(self._talk, "?", partial(read_gift, hand=left))
            left.remove(gift)
            gifts.append(gift)
        self._talk.say()
        return gifts


# %% play-the-tricks
class Table:
    """A deal that is played out, trick by trick."""

    def __init__(self, talk: Talk, players: Sequence[Player], deal: Deal) -> None:
        """A table with these players, whose cards have been passed."""
        self._talk = talk
        self._players = players
        self._hands = [Hand(hand) for hand in deal.hands]
        self._hidden = deal.hidden
        self._played: list[Card] = []
        self._scores = [0 for _ in SEATS]
        self._leader = first_leader(self._hands, YOU, DYNACOMP)

    def play_out(self) -> list[int]:
        """Play until all points are taken; returns everybody's."""
        self._play_first_trick()
        while sum(self._scores) < ALL_POINTS:
            show_hand(self._talk, self._hands[YOU])
            self._take(self._play_trick())
        tell(self._talk, "ALL 26 POINTS HAVE", "BEEN ACCOUNTED FOR.")
        return self._scores

    def _play_first_trick(self) -> None:
        """Play a trick with which the hidden card goes."""
        show_hand(self._talk, self._hands[YOU])
        if self._hidden == Card(Suit.CLUBS, Rank.TWO):
            tell(self._talk, "NOBODY HOLDS THE 2C, THE 3C LEADS.")
        trick = self._play_trick()
        tell(self._talk, f"*THE HIDDEN CARD WAS THE {self._hidden}*")
        self._take(trick, self._hidden)

    def _play_trick(self) -> list[Card]:
        """The cards of the next trick, as they are played."""
        trick: list[Card] = []
        for seat in (*SEATS[self._leader :], *SEATS[: self._leader]):
            card = self._players[seat].play(self._turn(seat, trick), self._seen())
            self._hands[seat].remove(card)
            trick.append(card)
            if seat != YOU:
                self._talk.say(f"{HANDS[seat]} PLAYS THE {card}")
        self._talk.say()
        return trick

    def _turn(self, seat: int, trick: list[Card]) -> Turn:
        """The turn of that seat, with copies of all that the player may see."""
        first = not self._played
        broken = hearts_broken(self._played, DYNACOMP)
        hand = Hand(self._hands[seat])
        return Turn(hand, DYNACOMP, list(trick), first_trick=first, hearts_broken=broken)

    def _seen(self) -> list[Card]:
        """All cards that everybody has seen before this trick."""
        return [*self._played, self._hidden] if self._played else []

    def _take(self, trick: list[Card], *more: Card) -> None:
        """Give the trick, and what goes with it, to whoever takes it, who leads the next one."""
        self._leader = winner(trick, self._leader)
        self._scores[self._leader] += sum(points(card, DYNACOMP) for card in (*trick, *more))
        self._played += trick  # the hidden card is not among them: it breaks no hearts


def play_tricks(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal whose cards have been passed; returns everybody's points, by seat."""
    return Table(talk, players, deal).play_out()


def show_hand(talk: Talk, hand: Hand) -> None:
    """Show the user's cards."""
    tell(talk, "YOUR HAND:")
    tell(talk, hand.show())


# %% play-a-deal
def exchange(hands: Sequence[Hand], gifts: Sequence[Sequence[Card]]) -> list[Hand]:
    """New hands, after each seat's gifts have gone to the left, all at the same time."""
    *others, last = gifts
    return [
        Hand([*(card for card in hand if card not in given), *received])
        for hand, given, received in zip(hands, gifts, [last, *others], strict=True)
    ]


def play_deal(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal from its shuffling to its last trick; returns everybody's points, by seat."""
    for work in ("SHUFFLING", "DEALING", "SORTING"):
        tell(talk, work)
    show_hand(talk, deal.hands[YOU])
    gifts = [player.give(Hand(hand)) for player, hand in zip(players, deal.hands, strict=True)]
    hands = exchange(deal.hands, gifts)
    *_, received = gifts
    tell(talk, "HAND #3 HAS PASSED TO YOU:")
    tell(talk, " ".join(map(str, received)))
    return play_tricks(talk, players, Deal(hands, deal.hidden))


# %% program
def play_game(talk: Talk, players: Sequence[Player], deals: Iterable[Deal], limit: int) -> None:
    """Play deal after deal, up to the one after which somebody has as many points as the limit."""
    totals = [0 for _ in SEATS]
    for deal in deals:
        scores = play_deal(talk, players, deal)
        totals = [sum(both) for both in zip(totals, scores, strict=True)]
        tell(talk, *score_table(scores, totals))
        if max(totals) >= limit:
            tell(talk, verdict(totals))
            return


def main(
    talk: Talk,
    opponents: Sequence[Player] | None = None,
    deals: Iterable[Deal] | None = None,
) -> int:
    """Run the program; returns its exit status. Computers and shuffled deals come unless given."""
    try:
        tell(talk, *HEADER)
        tell(talk, *COPYRIGHT)
        limit, seed = ask_limit(talk), ask_seed(talk)
        players = [Person(talk), *(opponents or [Computer(), Computer()])]
        play_game(talk, players, deals or shuffled_deals(seed), limit)
    except (EOFError, KeyboardInterrupt):
        tell(talk, "", "GOODBYE.")
        return UNFINISHED
    return 0


# %% computer
class Computer:
    """An opponent who gives trouble away as soon as may be, and takes none if it can be helped."""

    def give(self, hand: Hand) -> list[Card]:
        """The three most dangerous cards."""
        return sorted(hand, key=danger)[-3:]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The most dangerous card that does not take the trick; or else, the least dangerous."""
        cards = legal_plays(turn)
        harmless = [card for card in cards if best_card([*turn.trick, card]) in turn.trick]
        return max(harmless, key=danger) if harmless else min(cards, key=danger)


def danger(card: Card) -> tuple[int, Rank]:
    """How dearly one wants to be rid of the card: the greater, the more."""
    return "AS KS QS".find(str(card)), card.rank  # -1 for all other cards


# %% script
if __name__ == "__main__":
    sys.exit(main(Terminal()))
