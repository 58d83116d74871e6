"""HEARTS 1.5: the Hearts for three that DYNACOMP sold in 1980, and what it said on the screen.

    seat      0, 1 or 2, clockwise: YOU, PLAYER 2 (or HAND 2) and PLAYER 3 (or HAND 3)
    Deal      three hands of 17 cards by seat, and the hidden card, which goes with the first trick
    gifts     the three cards that a player gives to the left before the first trick
    seen      the cards of the tricks so far, in order, and after them the hidden card
    Talk      the other end of the conversation: a Terminal, or a Script written in advance
    Player    an object that gives and plays cards: a Person, a Computer, or one that is Prepared

The module has four parts, and each can be read alone: points and cards, the dialogue, the play, and
the computer. Whom to talk to, which cards to deal and whom to play against is passed in, so a test
can play a game of 1980 again, letter for letter.
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
YOU, PLAYER_2, PLAYER_3 = SEATS
NAMES = ("YOU", "PLAYER 2", "PLAYER 3")
HANDS = ("YOU", "HAND 2", "HAND 3")
ALL_POINTS = 26
VERBS = {"YOU": "WIN"}  # the others: WINS
HEADER = ("*****", "**** HEARTS 1.5 ****", "*****")
COPYRIGHT = ("(C) 1979 BY DYNACOMP", "ROCHESTER, NY 14618")
TYPING_ERROR = "ERROR IN TYPING, TRY AGAIN."
PASS_ERROR = "ERROR IN PASS, TRY AGAIN."
UNFINISHED = 1  # the exit status of a game that somebody left
PRINT_ZONE = 14  # columns from one tab to the next where BASIC printed a table

Answer = TypeVar("Answer")
Number = TypeVar("Number", int, float)


# %% keep-the-score
# ---- Part 1: points and cards. Nothing here asks or says anything. ----


def score_table(scores: Sequence[int], totals: Sequence[int]) -> list[str]:
    """Return the five lines that show each player's points in this deal and in all deals."""
    header, game, total = (
        "\t".join([label, *map(str, columns)])
        for label, columns in (("", NAMES), ("GAME:", scores), ("TOTAL:", totals))
    )
    return [header, "THIS", game, "-----", total]


def verdict(totals: Sequence[int]) -> str:
    """Return the line that names the winner, or all winners if they share the fewest points."""
    best = min(totals)
    *others, last = (name for name, total in zip(NAMES, totals, strict=True) if total == best)
    if others:
        return f"{', '.join(others)} AND {last} WIN THE GAME."
    return f"{last} {VERBS.get(last, 'WINS')} THE GAME."


# %% deal-three-hands
class Deal(NamedTuple):
    """A pack dealt to three: the hands by seat, and the card left over."""

    hands: list[Hand]
    hidden: Card


def shuffled_deals(seed: float) -> Iterator[Deal]:
    """Yield one deal after another without end; the seed decides them all."""
    rng = Random(seed)
    while True:
        deck = Deck()
        deck.shuffle(rng)
        hands, [hidden] = deck.deal(len(SEATS), dealer=YOU)
        yield Deal(hands, hidden)


# %% talk
# ---- Part 2: the dialogue. What is said, what is asked, and which answers are accepted. ----


class Talk(Protocol):
    """The other end of the conversation."""

    def ask(self, prompt: str) -> str:
        """Return the line typed after the prompt; raise EOFError if there is none."""

    def say(self, line: str = "") -> None:
        """Show a line, or several lines with line breaks between them."""


class Terminal:
    """A talk with a person at the keyboard."""

    def __init__(self) -> None:
        """Start the talk; input that is not text is accepted, and becomes a typing error."""
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def ask(self, prompt: str) -> str:
        """Return the line typed after the prompt; raise EOFError at the end of input."""
        return input(prompt)

    def say(self, line: str = "") -> None:
        """Print the line; on a screen, a tab moves to the next print zone."""
        print(line.expandtabs(PRINT_ZONE) if sys.stdout.isatty() else line)


class Script:
    """A talk written in advance: these lines are typed, and then the input ends."""

    def __init__(self, typed: Iterable[str]) -> None:
        """Prepare the lines that will be typed; `lines` records what the screen shows."""
        self._typed = iter(typed)
        self.lines: list[str] = []

    def ask(self, prompt: str) -> str:
        """Return the next line, and show it after the prompt; raise EOFError if there is none."""
        for line in self._typed:
            self.lines.append(f"{prompt}{line}")
            return line
        self.lines.append(prompt)
        raise EOFError

    def say(self, line: str = "") -> None:
        """Put the line on the screen."""
        self.lines += line.split("\n")


def tell(talk: Talk, *lines: str) -> None:
    """Say a paragraph: these lines, and an empty line."""
    for line in (*lines, ""):
        talk.say(line)


# %% ask-again
def ask_until(talk: Talk, prompt: str, read: Callable[[str], Answer]) -> Answer:
    """Ask, and return what `read` makes of the answer without spaces at its ends.

    If `read` raises a ValueError, say the error's text and ask again.
    """
    while True:
        try:
            return read(talk.ask(prompt).strip())
        except ValueError as complaint:
            talk.say(str(complaint))


def read_number(text: str, kind: Callable[[str], Number], minimum: int, maximum: int) -> Number:
    """Return the number of that kind within the limits; raise ValueError for anything else."""
    with suppress(ValueError):
        number = kind(text)
        if minimum <= number <= maximum:
            return number
    raise ValueError(TYPING_ERROR)


def ask_limit(talk: Talk) -> int:
    """Ask for the points to play to."""
    talk.say("HOW MANY POINTS DO YOU")
    read = partial(read_number, kind=int, minimum=1, maximum=999)
    limit = ask_until(talk, "WISH TO PLAY TO? ", read)
    talk.say()
    return limit


def ask_seed(talk: Talk) -> float:
    """Ask for the number that decides the deals."""
    talk.say("INPUT A VALUE BETWEEN 0 AND 999")
    seed = ask_until(talk, "?", partial(read_number, kind=float, minimum=0, maximum=999))
    talk.say()
    return seed


# %% person
def read_card(text: str) -> Card:
    """Return the card of that name; raise ValueError, in the program's words, if none has it."""
    try:
        return Card.parse(text)
    except ValueError:
        raise ValueError(TYPING_ERROR) from None


def read_play(text: str, turn: Turn) -> Card:
    """Return the card to play; raise ValueError with the first complaint about it."""
    card = read_card(text)
    try:
        check_play(card, turn)
    except IllegalPlay as error:
        raise ValueError(complaint_about(error, turn)) from None
    return card


def complaint_about(error: IllegalPlay, turn: Turn) -> str:
    """Return the program's line for a play that the rules of stage 02 refuse."""
    match error:
        case NotHeld():
            return "ERROR IN LEAD, TRY AGAIN."
        case WrongOpening():
            return must_lead(turn)
        case Revoke():
            return "RENEGE, TRY AGAIN."
        case HeartsNotBroken():
            return "ILLEGAL TO PLAY A HEART NOW"
    raise error  # DYNACOMP has no other rule


def must_lead(turn: Turn) -> str:
    """Return the line that names the card with which this turn has to open the deal."""
    return f"YOU MUST LEAD THE {legal_plays(turn)[0]}"


def read_gift(text: str, hand: Hand) -> Card:
    """Return the card to give away; raise ValueError with the first complaint about it."""
    card = read_card(text)
    if card not in hand:
        raise ValueError(PASS_ERROR)
    return card


class Person:
    """YOU: a player whose cards are asked for."""

    def __init__(self, talk: Talk) -> None:
        """Ask for this player's cards in that talk."""
        self._talk = talk

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Ask until a card is typed that may be played, and return it."""
        if turn.first_trick and not turn.trick:
            self._talk.say(must_lead(turn))
        return ask_until(self._talk, "YOU PLAY THE ?", partial(read_play, turn=turn))

    def give(self, hand: Hand) -> list[Card]:
        """Ask until three different cards of the hand are typed, and return them."""
        tell(self._talk, "SELECT 3 CARDS TO GIVE PLAYER 2")
        left = Hand(hand)  # a chosen gift leaves this copy, so it cannot be chosen again
        gifts = []
        for _ in range(3):
            gift = ask_until(self._talk, "?", partial(read_gift, hand=left))
            left.remove(gift)
            gifts.append(gift)
        self._talk.say()
        return gifts


# %% players
# ---- Part 3: the play. From the cards that are passed to the end of the game. ----


class Player(Protocol):
    """An object that holds one of the three hands."""

    def give(self, hand: Hand) -> list[Card]:
        """Return the three cards of the hand that the player gives to the left."""

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Return the card that the player plays."""


class Prepared:
    """A player whose cards were chosen in advance, by their codes."""

    def __init__(self, gifts: str, plays: str) -> None:
        """Prepare cards such as `"KS AH KH"` and `"2C QD"`; there are three gifts per deal."""
        self._gifts = map(Card.parse, gifts.split())
        self._plays = map(Card.parse, plays.split())

    def give(self, hand: Hand) -> list[Card]:
        """Return the next three gifts."""
        return [next(self._gifts) for _ in range(3)]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Return the next card."""
        return next(self._plays)


# %% pass-the-cards
def exchange(hands: Sequence[Hand], gifts: Sequence[Sequence[Card]]) -> list[Hand]:
    """Return new hands, after all gifts have gone to the left at the same time."""
    *others, last = gifts
    return [
        Hand([*(card for card in hand if card not in given), *received])
        for hand, given, received in zip(hands, gifts, [last, *others], strict=True)
    ]


# %% play-the-tricks
class Table:
    """The cards and the points of a deal while it is played; it asks nobody and says nothing."""

    def __init__(self, deal: Deal) -> None:
        """Put a deal on the table whose cards have been passed."""
        self._hands = [Hand(hand) for hand in deal.hands]
        self._hidden = deal.hidden
        self._trick: list[Card] = []
        self._played: list[Card] = []  # without the hidden card, which breaks no hearts
        self._scores = [0 for _ in SEATS]
        self._leader = first_leader(self._hands, YOU, DYNACOMP)

    def seats(self) -> list[int]:
        """Return the seats in the order in which they play to this trick."""
        return [*SEATS[self._leader :], *SEATS[: self._leader]]

    def hand(self, seat: int) -> Hand:
        """Return a copy of the hand of that seat."""
        return Hand(self._hands[seat])

    def turn(self, seat: int) -> Turn:
        """Return the turn of that seat, made of copies."""
        return Turn(
            self.hand(seat),
            DYNACOMP,
            list(self._trick),
            first_trick=not self._played,
            hearts_broken=hearts_broken(self._played, DYNACOMP),
        )

    def seen(self) -> list[Card]:
        """Return all cards that every player has seen before this trick."""
        return [*self._played, self._hidden] if self._played else []

    def play(self, seat: int, card: Card) -> None:
        """Move a card from the hand of that seat to the trick."""
        self._hands[seat].remove(card)
        self._trick.append(card)

    def take_trick(self) -> None:
        """Give the trick to its winner, who leads the next; the hidden card goes with the first."""
        cards = self._trick if self._played else [*self._trick, self._hidden]
        self._leader = winner(self._trick, self._leader)
        self._scores[self._leader] += sum(points(card, DYNACOMP) for card in cards)
        self._played += self._trick
        self._trick = []

    def scores(self) -> list[int]:
        """Return the points that each seat has taken so far."""
        return list(self._scores)


def play_tricks(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal whose cards have been passed, and return each seat's points."""
    table = Table(deal)
    show_hand(talk, table.hand(YOU))
    if deal.hidden == Card(Suit.CLUBS, Rank.TWO):
        tell(talk, "NOBODY HOLDS THE 2C, THE 3C LEADS.")
    play_trick(talk, players, table)
    tell(talk, f"*THE HIDDEN CARD WAS THE {deal.hidden}*")
    return play_on(talk, players, table)


def play_on(talk: Talk, players: Sequence[Player], table: Table) -> list[int]:
    """Take the first trick, play until all points are taken, and return each seat's points."""
    table.take_trick()
    while sum(table.scores()) < ALL_POINTS:
        show_hand(talk, table.hand(YOU))
        play_trick(talk, players, table)
        table.take_trick()
    tell(talk, "ALL 26 POINTS HAVE", "BEEN ACCOUNTED FOR.")
    return table.scores()


def play_trick(talk: Talk, players: Sequence[Player], table: Table) -> None:
    """Let every player play a card to the trick, and say the cards of the opponents."""
    for seat in table.seats():
        card = players[seat].play(table.turn(seat), table.seen())
        table.play(seat, card)
        if seat != YOU:
            talk.say(f"{HANDS[seat]} PLAYS THE {card}")
    talk.say()


def show_hand(talk: Talk, hand: Hand) -> None:
    """Show the cards of YOU."""
    tell(talk, "YOUR HAND:")
    tell(talk, hand.show())


# %% play-a-deal
def play_deal(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal from its shuffling to its last trick, and return each seat's points."""
    for work in ("SHUFFLING", "DEALING", "SORTING"):
        tell(talk, work)
    show_hand(talk, deal.hands[YOU])
    gifts = [player.give(Hand(hand)) for player, hand in zip(players, deal.hands, strict=True)]
    tell(talk, "HAND #3 HAS PASSED TO YOU:")
    tell(talk, " ".join(map(str, gifts[PLAYER_3])))
    return play_tricks(talk, players, Deal(exchange(deal.hands, gifts), deal.hidden))


# %% program
def play_game(talk: Talk, players: Sequence[Player], deals: Iterable[Deal], limit: int) -> None:
    """Play deal after deal until somebody has at least `limit` points, then say who wins."""
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
    """Run the program, by default with two computers and shuffled deals; return its exit status."""
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
# ---- Part 4: the computer. It knows its hand, its turn and the cards seen, and nothing else. ----


class Computer:
    """An opponent that gets rid of dangerous cards, and takes a trick only if it must."""

    def give(self, hand: Hand) -> list[Card]:
        """Return the three most dangerous cards."""
        return sorted(hand, key=danger)[-3:]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Return the most dangerous card that does not take the trick, else the least dangerous."""
        cards = legal_plays(turn)
        harmless = [card for card in cards if best_card([*turn.trick, card]) in turn.trick]
        return max(harmless, key=danger) if harmless else min(cards, key=danger)


def danger(card: Card) -> tuple[int, Rank]:
    """Return how much the computer wants to get rid of the card: the greater, the more."""
    high_spades = {"QS": 30, "KS": 20, "AS": 10}
    return high_spades.get(str(card), 0), card.rank


# %% script
if __name__ == "__main__":
    sys.exit(main(Terminal()))
