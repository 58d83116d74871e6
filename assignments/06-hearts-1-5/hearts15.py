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
from io import TextIOWrapper
from typing import NamedTuple, Protocol, TypeVar

from cards import Card, Hand, Rank
from legal import IllegalPlay, Turn

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


# ---- Part 1: points and cards. Nothing here asks or says anything. ----


def score_table(scores: Sequence[int], totals: Sequence[int]) -> list[str]:
    """Return the five lines that show each player's points in this deal and in all deals."""
    raise NotImplementedError("Task 1: Add up the points")


def verdict(totals: Sequence[int]) -> str:
    """Return the line that names the winner, or all winners if they share the fewest points."""
    raise NotImplementedError("Task 1: Add up the points")


class Deal(NamedTuple):
    """A pack dealt to three: the hands by seat, and the card left over."""

    hands: list[Hand]
    hidden: Card


def shuffled_deals(seed: float) -> Iterator[Deal]:
    """Yield one deal after another without end; the seed decides them all."""
    raise NotImplementedError("Task 2: Deal to three")


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


def ask_until(talk: Talk, prompt: str, read: Callable[[str], Answer]) -> Answer:
    """Ask, and return what `read` makes of the answer without spaces at its ends.

    If `read` raises a ValueError, say the error's text and ask again.
    """
    raise NotImplementedError("Task 3: Ask again")


def read_number(text: str, kind: Callable[[str], Number], minimum: int, maximum: int) -> Number:
    """Return the number of that kind within the limits; raise ValueError for anything else."""
    raise NotImplementedError("Task 3: Ask again")


def ask_limit(talk: Talk) -> int:
    """Ask for the points to play to."""
    raise NotImplementedError("Task 3: Ask again")


def ask_seed(talk: Talk) -> float:
    """Ask for the number that decides the deals."""
    raise NotImplementedError("Task 3: Ask again")


def read_card(text: str) -> Card:
    """Return the card of that name; raise ValueError, in the program's words, if none has it."""
    raise NotImplementedError("Task 4: Play a card")


def read_play(text: str, turn: Turn) -> Card:
    """Return the card to play; raise ValueError with the first complaint about it."""
    raise NotImplementedError("Task 4: Play a card")


def complaint_about(error: IllegalPlay, turn: Turn) -> str:
    """Return the program's line for a play that the rules of stage 02 refuse."""
    raise NotImplementedError("Task 4: Play a card")


def must_lead(turn: Turn) -> str:
    """Return the line that names the card with which this turn has to open the deal."""
    raise NotImplementedError("Task 4: Play a card")


def read_gift(text: str, hand: Hand) -> Card:
    """Return the card to give away; raise ValueError with the first complaint about it."""
    raise NotImplementedError("Task 5: Give three cards")


class Person:
    """YOU: a player whose cards are asked for."""

    def __init__(self, talk: Talk) -> None:
        """Ask for this player's cards in that talk."""
        raise NotImplementedError("Task 4: Play a card")

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Ask until a card is typed that may be played, and return it."""
        raise NotImplementedError("Task 4: Play a card")

    def give(self, hand: Hand) -> list[Card]:
        """Ask until three different cards of the hand are typed, and return them."""
        raise NotImplementedError("Task 5: Give three cards")


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


def exchange(hands: Sequence[Hand], gifts: Sequence[Sequence[Card]]) -> list[Hand]:
    """Return new hands, after all gifts have gone to the left at the same time."""
    raise NotImplementedError("Task 5: Give three cards")


class Table:
    """The cards and the points of a deal while it is played; it asks nobody and says nothing."""

    def __init__(self, deal: Deal) -> None:
        """Put a deal on the table whose cards have been passed."""
        raise NotImplementedError("Task 6: Play the first trick")

    def turn(self, seat: int) -> Turn:
        """Return the turn of that seat, made of copies."""
        raise NotImplementedError("Task 6: Play the first trick")

    def play(self, seat: int, card: Card) -> None:
        """Move a card from the hand of that seat to the trick."""
        raise NotImplementedError("Task 6: Play the first trick")

    def take_trick(self) -> None:
        """Give the trick to its winner, who leads the next; the hidden card goes with the first."""
        raise NotImplementedError("Task 7: Play seventeen tricks")


def play_tricks(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal whose cards have been passed, and return each seat's points."""
    raise NotImplementedError("Task 6: Play the first trick")


def play_on(talk: Talk, players: Sequence[Player], table: Table) -> list[int]:
    """Take the first trick, play until all points are taken, and return each seat's points."""
    raise NotImplementedError("Task 7: Play seventeen tricks")


def play_trick(talk: Talk, players: Sequence[Player], table: Table) -> None:
    """Let every player play a card to the trick, and say the cards of the opponents."""
    raise NotImplementedError("Task 6: Play the first trick")


def show_hand(talk: Talk, hand: Hand) -> None:
    """Show the cards of YOU."""
    raise NotImplementedError("Task 6: Play the first trick")


def play_deal(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal from its shuffling to its last trick, and return each seat's points."""
    raise NotImplementedError("Task 8: Pass and play")


def play_game(talk: Talk, players: Sequence[Player], deals: Iterable[Deal], limit: int) -> None:
    """Play deal after deal until somebody has at least `limit` points, then say who wins."""
    raise NotImplementedError("Task 9: Run the program")


def main(
    talk: Talk,
    opponents: Sequence[Player] | None = None,
    deals: Iterable[Deal] | None = None,
) -> int:
    """Run the program, by default with two computers and shuffled deals; return its exit status."""
    raise NotImplementedError("Task 9: Run the program")


# ---- Part 4: the computer. It knows its hand, its turn and the cards seen, and nothing else. ----


class Computer:
    """An opponent that gets rid of dangerous cards, and takes a trick only if it must."""

    def give(self, hand: Hand) -> list[Card]:
        """Return the three most dangerous cards."""
        raise NotImplementedError("Task 10: Play quite well")

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Return the most dangerous card that does not take the trick, else the least dangerous."""
        raise NotImplementedError("Task 10: Play quite well")


def danger(card: Card) -> tuple[int, Rank]:
    """Return how much the computer wants to get rid of the card: the greater, the more."""
    raise NotImplementedError("Task 10: Play quite well")


if __name__ == "__main__":
    sys.exit(main(Terminal()))
