"""A card table: what is shown of a match, what may be clicked, and what a click does.

    Table      all that there is to know between two clicks; a value, which never changes
    picture    what is shown of a table: a dictionary of plain texts, numbers, lists, dictionaries
    event      what was clicked: a dictionary such as {"click": "QS"}
    user       who clicks; sits South, among three computer players
    view       whatever draws the picture and hears the clicks
    full       a full trick lies on the table, until the table goes on

Nothing is drawn here, and nobody waits. The view calls `show` with a table and gets its picture; it
calls `click` with an event and gets the next table.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from cards import Card
from match import FullDeal, Match, Trick
from rulebook import ESTELL_BOOK, HEART_BOOK, SEATS

USER = 2  # South
PASSED = 3  # cards that everybody passes
BOOKS = {"HEART": HEART_BOOK, "ESTELL": ESTELL_BOOK}


@dataclass(frozen=True)
class Table:
    """A match between two clicks. What changes something makes a new table, with a new match."""

    match: Match
    chosen: tuple[Card, ...] = ()  # the cards that the user means to pass
    full: bool = False  # does the last full trick still lie on the table?

    @property
    def deal(self) -> FullDeal | None:
        """The deal that is passed and played; None when it has been scored."""
        return self.match.deal

    @property
    def passing(self) -> bool:
        """Are cards still to be passed?"""
        return self.deal is not None and bool(self.deal.still_to_pass)

    @property
    def finished(self) -> bool:
        """Is the game over?"""
        return self.deal is None and self.match.is_over()

    @property
    def phase(self) -> str:
        """What goes on: `passing`, `playing`, `scored` between two deals, or `finished`."""
        if self.deal is None:
            return "finished" if self.finished else "scored"
        return "passing" if self.passing else "playing"

    @property
    def turn(self) -> int | None:
        """The seat that is to play a card; None if none is, or a full trick still lies there."""
        return None if self.deal is None or self.full else self.deal.turn

    @property
    def mine(self) -> bool:
        """Is it the user's turn to play a card?"""
        return self.turn == USER

    @property
    def ready(self) -> bool:
        """Has the user chosen as many cards as are passed?"""
        return len(self.chosen) == PASSED

    @property
    def trick(self) -> Trick | None:
        """What lies on the table, full or not; None if there is no card."""
        if self.deal is None:
            return None
        if self.full:
            return self.deal.tricks[-1]
        return Trick(self.deal.leader, tuple(self.deal.trick)) if self.deal.trick else None

    def name(self, seat: int) -> str:
        """The name of who sits there."""
        return self.match.sheet.names[seat]


def new_table(book: str, chance: Random) -> Table:
    """A new game by the rule book of that name, its first deal dealt."""
    match = Match(BOOKS[book])
    match.start_shuffled(chance)
    return Table(match)


def show_card(card: Card) -> dict[str, Any]:
    """A card, for the eye and for the ear."""
    raise NotImplementedError("Task 1: Show your cards")


def show_hand(table: Table) -> list[dict[str, Any]]:
    """The user's cards, sorted, each with its name and whether it has just been received."""
    raise NotImplementedError("Task 1: Show your cards")


def show_trick(table: Table) -> list[dict[str, Any]]:
    """The cards on the table in the order of play, each with its name and who has played it."""
    raise NotImplementedError("Task 2: Show the table")


def deal_points(table: Table) -> Sequence[int]:
    """Each seat's points: so far in this deal, or else in the one that was scored last."""
    raise NotImplementedError("Task 2: Show the table")


def show_seat(table: Table, seat: int) -> dict[str, Any]:
    """What everybody can see of a seat."""
    raise NotImplementedError("Task 2: Show the table")


def show_seats(table: Table) -> list[dict[str, Any]]:
    """What everybody can see of each seat, North's first."""
    return [show_seat(table, seat) for seat in SEATS]


def show_sheet(table: Table) -> dict[str, Any]:
    """The score sheet: a row for each deal, the totals, and where the game ends."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def who_wins(table: Table) -> str:
    """The sentence that names the winners."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def tell_trick(table: Table) -> list[str]:
    """Who has just played which card, and who takes the trick."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def tell_score(table: Table) -> list[str]:
    """What everybody has in all, and who wins if the game is over."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def show_said(table: Table) -> list[str]:
    """What has just happened, in sentences, for those who listen."""
    raise NotImplementedError("Task 3: Keep the sheet and tell the news")


def show_chosen(table: Table) -> list[str]:
    """The codes of the cards that the user means to pass, sorted as cards are."""
    raise NotImplementedError("Task 4: Choose and pass")


def choose(table: Table, card: Card) -> Table:
    """The card is chosen to be passed, or put back if it was; else the same table."""
    raise NotImplementedError("Task 4: Choose and pass")


def pass_chosen(table: Table, chance: Random) -> Table:
    """All pass: the user the chosen cards, the computer players any; else the same table."""
    raise NotImplementedError("Task 4: Choose and pass")


def why_not(table: Table, card: Card) -> str:
    """Why the user cannot click this card of theirs; an empty text if they can."""
    raise NotImplementedError("Task 5: Say what may be clicked")


def show_refused(table: Table) -> dict[str, str]:
    """The reason for each card of the user that cannot be clicked, by its code."""
    raise NotImplementedError("Task 5: Say what may be clicked")


def played(table: Table, card: Card) -> Table:
    """The table after the seat whose turn it is has played the card; ValueError if it may not."""
    raise NotImplementedError("Task 6: Play your card")


def play_card(table: Table, card: Card) -> Table:
    """The user plays the card; the same table if they may not."""
    raise NotImplementedError("Task 6: Play your card")


def go_on(table: Table, chance: Random) -> Table:
    """One step that needs no choice of the user's; the same table if there is none.

    A computer player plays a card, a full trick is taken away, the deal is scored after the last
    trick, and the next deal begins.
    """
    raise NotImplementedError("Task 7: Go on, step by step")


def receiver(table: Table) -> str:
    """The name of who gets the user's cards."""
    raise NotImplementedError("Task 8: Ask the user")


def show_prompt(table: Table) -> str:
    """What the user is to do, or waits for, in one sentence."""
    raise NotImplementedError("Task 8: Ask the user")


def button(click: str, label: str, *, enabled: bool = True, auto: bool = False) -> dict[str, Any]:
    """A button; `auto` if the view may press it by itself after a while."""
    return {"click": click, "label": label, "enabled": enabled, "auto": auto}


def show_buttons(table: Table) -> list[dict[str, Any]]:
    """The buttons that make sense now."""
    raise NotImplementedError("Task 8: Ask the user")


def show_books(table: Table) -> list[dict[str, Any]]:
    """The rule books that a new game can be played by, and which one this game is played by."""
    raise NotImplementedError("Task 9: Answer every click")


def click_card(table: Table, code: str) -> Table:
    """What a click on a card does; the same table if it means nothing, or names no card."""
    raise NotImplementedError("Task 9: Answer every click")


def click(table: Table, event: object, chance: Random) -> Table:
    """The table after the event; the same table if the event means nothing there."""
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
    """The picture of the table: all its parts, without those that are not written yet."""
    picture: dict[str, Any] = {"phase": table.phase}
    for name, part in PARTS.items():
        with suppress(NotImplementedError):
            picture[name] = part(table)
    return picture
