"""A card table: what is shown of a match, what may be clicked, and what a click does.

    Table      everything that matters between two clicks; a value, which never changes
    picture    what is shown of a table: a dictionary of plain texts, numbers, lists, dictionaries
    part       one entry of the picture, and the function that makes it from a table
    event      what was clicked: a dictionary such as {"click": "QS"}
    user       the person who clicks; sits South, among three computer players
    view       the program that draws the picture and reports the clicks
    full       whether a full trick still lies on the table

Nothing is drawn here, and nothing waits. The view calls `show` with a table and gets its picture;
it calls `click` with an event and gets the next table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from cards import Card
from match import FullDeal, Match, Trick
from rulebook import ESTELL_BOOK, HEART_BOOK, NEW_HEART_BOOK, SEATS, Pass

USER = 2  # South
PASSED = 3  # how many cards each player passes
BOOKS = {
    "HEART": HEART_BOOK,
    "NEW HEART": NEW_HEART_BOOK,
    "HEART TO 50": replace(HEART_BOOK, limit=50),
    "ESTELL": ESTELL_BOOK,
    "ESTELL WITH A HOLD": replace(ESTELL_BOOK, passes=(*ESTELL_BOOK.passes, Pass.HOLD)),
}


@dataclass(frozen=True)
class Table:
    """A match between two clicks; a change makes a new table, with a copy of the match."""

    match: Match
    chosen: tuple[Card, ...] = ()  # the cards that the user has chosen to pass
    full: bool = False  # whether the last full trick still lies on the table

    @property
    def deal(self) -> FullDeal | None:
        """The deal that is passed and played; None between deals."""
        return self.match.deal

    @property
    def passing(self) -> bool:
        """Whether cards are still to be passed."""
        return self.deal is not None and bool(self.deal.still_to_pass)

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self.deal is None and self.match.is_over()

    @property
    def phase(self) -> str:
        """What is going on: `passing`, `playing`, `scored` between two deals, or `finished`."""
        if self.deal is None:
            return "finished" if self.finished else "scored"
        return "passing" if self.passing else "playing"

    @property
    def turn(self) -> int | None:
        """The seat that plays the next card; None if there is none, or a full trick lies there."""
        return None if self.deal is None or self.full else self.deal.turn

    @property
    def mine(self) -> bool:
        """Whether it is the user's turn to play a card."""
        return self.turn == USER

    @property
    def ready(self) -> bool:
        """Whether the user has chosen as many cards as are passed."""
        return len(self.chosen) == PASSED

    @property
    def trick(self) -> Trick | None:
        """The trick on the table, full or not; None if no card lies there."""
        if self.deal is None:
            return None
        if self.full:
            return self.deal.tricks[-1]
        return Trick(self.deal.leader, tuple(self.deal.trick)) if self.deal.trick else None

    def name(self, seat: int) -> str:
        """Return the name of the player in this seat."""
        return self.match.sheet.names[seat]


def new_table(book: str, rng: Random) -> Table:
    """Return a table with a new game by the rule book of this name, its first deal dealt."""
    match = Match(BOOKS[book])
    match.start_shuffled(rng)
    return Table(match)


def show_card(card: Card) -> dict[str, Any]:
    """Return a card's code, for the eye, and its name in words, for the ear."""
    raise NotImplementedError("Task 1: Show your cards")


def show_hand(table: Table) -> list[dict[str, Any]]:
    """Return the user's cards, sorted, each with its name and whether it has just been received."""
    raise NotImplementedError("Task 1: Show your cards")


def show_trick(table: Table) -> list[dict[str, Any]]:
    """Return the cards on the table in the order of play, each with its name and its player."""
    raise NotImplementedError("Task 2: Show the table")


def deal_points(table: Table) -> Sequence[int]:
    """Return each seat's points: in this deal, or between deals in the last one on the sheet."""
    raise NotImplementedError("Task 2: Show the table")


def show_seat(table: Table, seat: int) -> dict[str, Any]:
    """Return what everybody can see of a seat."""
    raise NotImplementedError("Task 2: Show the table")


def show_seats(table: Table) -> list[dict[str, Any]]:
    """Return what everybody can see of each seat, North's first."""
    return [show_seat(table, seat) for seat in SEATS]


def show_sheet(table: Table) -> dict[str, Any]:
    """Return the score sheet: a row for each deal, the totals, and the limit of the game."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def who_wins(table: Table) -> str:
    """Return the sentence that names the winners."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def tell_trick(table: Table) -> list[str]:
    """Return the sentences about the last card of the trick, and about its taker if it is full."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def tell_score(table: Table) -> list[str]:
    """Return the sentences about the totals, and about the winners if the game is over."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def show_said(table: Table) -> list[str]:
    """Return what has just happened, in sentences, for people who listen."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def show_chosen(table: Table) -> list[str]:
    """Return the codes of the cards that the user has chosen to pass, sorted as cards are."""
    raise NotImplementedError("Task 4: Choose and pass")


def choose(table: Table, card: Card) -> Table:
    """Choose the card, or put it back if it was chosen; return the same table if neither can be."""
    raise NotImplementedError("Task 4: Choose and pass")


def pass_chosen(table: Table, rng: Random) -> Table:
    """Let all players pass, computer players at random; return the same table if they cannot."""
    raise NotImplementedError("Task 4: Choose and pass")


def why_not(table: Table, card: Card) -> str:
    """Return why the user cannot click this card of theirs; an empty text if they can."""
    raise NotImplementedError("Task 5: Say what may be clicked")


def show_refused(table: Table) -> dict[str, str]:
    """Return a reason for each card of the user that cannot be clicked, by the card's code."""
    raise NotImplementedError("Task 5: Say what may be clicked")


def played(table: Table, card: Card) -> Table:
    """Return the table after the card was played; raise ValueError if it may not be."""
    raise NotImplementedError("Task 6: Play your card")


def play_card(table: Table, card: Card) -> Table:
    """Let the user play the card; return the same table if they may not."""
    raise NotImplementedError("Task 6: Play your card")


def go_on(table: Table, rng: Random) -> Table:
    """Take one step that needs no choice of the user's; return the same table if there is none.

    A step is a card of a computer player, taking a full trick away, or dealing the next deal.
    After the last trick of a deal, taking it away also scores the deal.
    """
    raise NotImplementedError("Task 7: Go on, step by step")


def receiver(table: Table) -> str:
    """Return the name of the player who gets the user's cards."""
    raise NotImplementedError("Task 8: Ask the user")


def show_prompt(table: Table) -> str:
    """Return one sentence: what the user should do, or what the table is waiting for."""
    raise NotImplementedError("Task 8: Ask the user")


def button(click: str, label: str, *, enabled: bool = True, auto: bool = False) -> dict[str, Any]:
    """Return a button; with `auto`, the view may press it by itself after a while."""
    return {"click": click, "label": label, "enabled": enabled, "auto": auto}


def show_buttons(table: Table) -> list[dict[str, Any]]:
    """Return the buttons that make sense now."""
    raise NotImplementedError("Task 8: Ask the user")


def show_books(table: Table) -> list[dict[str, Any]]:
    """Return the rule books for a new game, and which of them this game is played by."""
    raise NotImplementedError("Task 9: Answer every click")


def click_card(table: Table, code: str) -> Table:
    """Choose or play the card with this code; return the same table if there is no such card."""
    raise NotImplementedError("Task 9: Answer every click")


def click(table: Table, event: object, rng: Random) -> Table:
    """Return the table after the event; the same table if the event means nothing there."""
    raise NotImplementedError("Task 9: Answer every click")


PARTS: dict[str, Callable[[Table], object]] = {
    "hand": show_hand,
    "trick": show_trick,
    "seats": show_seats,
    "sheet": show_sheet,
    "said": show_said,
    "chosen": show_chosen,
    "refused": show_refused,
    "prompt": show_prompt,
    "buttons": show_buttons,
    "books": show_books,
}


def show(table: Table) -> dict[str, Any]:
    """Return the picture of the table: its phase, and each part that is written."""
    parts = {name: part(table) for name, part in PARTS.items() if is_written(part, table)}
    return {"phase": table.phase, **parts}


def is_written(part: Callable[[Table], object], table: Table) -> bool:
    """Return whether the part is more than the outline, whose functions raise this error.

    Only an unfinished program needs this: it lets you look at the table after each task.
    """
    try:
        part(table)
    except NotImplementedError:
        return False
    return True
