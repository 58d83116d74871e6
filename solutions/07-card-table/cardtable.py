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
from copy import deepcopy
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from cards import Card
from legal import IllegalPlay, check_play
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


# %% show-your-cards
def show_card(card: Card) -> dict[str, Any]:
    """A card, for the eye and for the ear."""
    return {"card": str(card), "label": card.words}


def show_hand(table: Table) -> list[dict[str, Any]]:
    """The user's cards, sorted, each with its name and whether it has just been received."""
    if table.deal is None:
        return []
    held = sorted(table.deal.hand(USER))
    received = [] if table.deal.tricks else table.deal.received(USER)
    return [{**show_card(card), "received": card in received} for card in held]


# %% show-the-table
def show_trick(table: Table) -> list[dict[str, Any]]:
    """The cards on the table in the order of play, each with its name and who has played it."""
    if table.trick is None:
        return []
    clockwise = [*SEATS, *SEATS][table.trick.leader :]
    plays = zip(clockwise, table.trick.cards, strict=False)
    return [{**show_card(card), "seat": table.name(seat)} for seat, card in plays]


def deal_points(table: Table) -> Sequence[int]:
    """Each seat's points: so far in this deal, or else in the one that was scored last."""
    if table.deal is not None:
        return table.deal.costs()
    sheet = table.match.sheet
    return (sheet.rows or [sheet.totals])[-1]


def show_seat(table: Table, seat: int) -> dict[str, Any]:
    """What everybody can see of a seat."""
    leader = table.trick.leader if table.trick else None
    taker = table.trick.taker if table.full else None
    winners = table.match.winners() if table.finished else []
    return {
        "name": table.name(seat),
        "cards": 0 if table.deal is None else len(table.deal.hand(seat)),
        "points": deal_points(table)[seat],
        "total": table.match.sheet.totals[seat],
        "turn": seat == table.turn,
        "led": seat == leader,
        "took": seat == taker,
        "won": seat in winners,
    }


def show_seats(table: Table) -> list[dict[str, Any]]:
    """What everybody can see of each seat, North's first."""
    return [show_seat(table, seat) for seat in SEATS]


# %% tell-the-news
def show_sheet(table: Table) -> dict[str, Any]:
    """The score sheet: a row for each deal, the totals, and where the game ends."""
    sheet = table.match.sheet
    return {"rows": sheet.rows, "totals": sheet.totals, "goal": table.match.book.limit}


def who_wins(table: Table) -> str:
    """The sentence that names the winners."""
    *others, last = (table.name(seat) for seat in table.match.winners())
    return f"{', '.join(others)} and {last} win." if others else f"{last} wins."


def tell_trick(table: Table) -> list[str]:
    """Who has just played which card, and who takes the trick."""
    *before, last = show_trick(table)
    verb = "plays" if before else "leads"
    taken = [f"{table.name(table.trick.taker)} takes the trick."] if table.full else []
    return [f"{last['seat']} {verb} the {last['label']}.", *taken]


def tell_score(table: Table) -> list[str]:
    """What everybody has in all, and who wins if the game is over."""
    totals = enumerate(table.match.sheet.totals)
    columns = [f"{table.name(seat)} {total}" for seat, total in totals]
    won = [who_wins(table)] if table.finished else []
    return [f"Score: {', '.join(columns)}.", *won]


def show_said(table: Table) -> list[str]:
    """What has just happened, in sentences, for those who listen."""
    if table.deal is None:
        return tell_score(table)
    if table.trick is not None:
        return tell_trick(table)
    received = [card["label"] for card in show_hand(table) if card["received"]]
    return [f"Passed to you: {', '.join(received)}."] if received else []


# %% choose-and-pass
def show_chosen(table: Table) -> list[str]:
    """The codes of the cards that the user means to pass, sorted as cards are."""
    return [str(card) for card in sorted(table.chosen)]


def choose(table: Table, card: Card) -> Table:
    """The card is chosen to be passed, or put back if it was; else the same table."""
    if not table.passing or card not in table.deal.hand(USER):
        return table
    chosen = set(table.chosen).symmetric_difference({card})  # in it if it was not, and vice versa
    return table if len(chosen) > PASSED else replace(table, chosen=tuple(sorted(chosen)))


def pass_chosen(table: Table, chance: Random) -> Table:
    """All pass: the user the chosen cards, the computer players any; else the same table."""
    if not (table.passing and table.ready):
        return table
    match = deepcopy(table.match)
    match.deal.give(USER, table.chosen)
    for seat in match.deal.still_to_pass:
        match.deal.give(seat, chance.sample(match.deal.hand(seat), PASSED))
    return Table(match)


# %% say-what-may-be-clicked
def why_not(table: Table, card: Card) -> str:
    """Why the user cannot click this card of theirs; an empty text if they can."""
    if table.passing:
        one_more = table.ready and card not in table.chosen
        return f"{PASSED} cards are chosen: click one of them to put it back" if one_more else ""
    if table.full:
        return f"{table.name(table.trick.taker)} takes the trick first"
    if not table.mine:
        return f"it is {table.name(table.turn)}'s turn"
    try:
        check_play(card, table.deal.view())
    except IllegalPlay as error:
        return str(error)
    return ""


def show_refused(table: Table) -> dict[str, str]:
    """The reason for each card of the user that cannot be clicked, by its code."""
    if table.deal is None:
        return {}
    reasons = {str(card): why_not(table, card) for card in table.deal.hand(USER)}
    return {code: reason for code, reason in reasons.items() if reason}


# %% play-your-card
def played(table: Table, card: Card) -> Table:
    """The table after the seat whose turn it is has played the card; ValueError if it may not."""
    match = deepcopy(table.match)
    taker = match.deal.play(card)
    return Table(match, full=taker is not None)


def play_card(table: Table, card: Card) -> Table:
    """The user plays the card; the same table if they may not."""
    if not table.mine:
        return table
    try:
        return played(table, card)
    except ValueError:
        return table


# %% go-on-by-steps
def go_on(table: Table, chance: Random) -> Table:
    """One step that needs no choice of the user's; the same table if there is none.

    A computer player plays a card, a full trick is taken away, the deal is scored after the last
    trick, and the next deal begins.
    """
    if table.passing or table.finished or table.mine:
        return table
    if table.turn is not None:
        return played(table, chance.choice(table.deal.legal_plays()))
    match = deepcopy(table.match)
    if match.deal is None:
        match.start_shuffled(chance)
    elif match.deal.turn is None:  # that was the last trick
        match.finish()
    return Table(match)


# %% ask-the-user
def receiver(table: Table) -> str:
    """The name of who gets the user's cards."""
    return table.name(table.deal.direction.receiver(USER))


def show_prompt(table: Table) -> str:
    """What the user is to do, or waits for, in one sentence."""
    if table.passing:
        return f"Choose {PASSED} cards for {receiver(table)}: {len(table.chosen)} chosen so far."
    if table.deal is None:
        return who_wins(table) if table.finished else "The deal is over."
    if table.full:
        return f"{table.name(table.trick.taker)} takes the trick."
    if table.mine:
        return f"Your turn: {'play' if table.trick else 'lead'} a card."
    return f"{table.name(table.turn)} is to play."


def button(click: str, label: str, *, enabled: bool = True, auto: bool = False) -> dict[str, Any]:
    """A button; `auto` if the view may press it by itself after a while."""
    return {"click": click, "label": label, "enabled": enabled, "auto": auto}


def show_buttons(table: Table) -> list[dict[str, Any]]:
    """The buttons that make sense now."""
    if table.passing:
        return [button("pass", f"Pass to {receiver(table)}", enabled=table.ready)]
    if table.finished or table.mine:
        return []
    if table.deal is None:
        return [button("next", "Next deal")]
    return [button("next", "Go on", auto=True)]


# %% answer-every-click
def show_books(table: Table) -> list[dict[str, Any]]:
    """The rule books that a new game can be played by, and which one this game is played by."""
    return [
        {"new": name, "label": name.capitalize(), "chosen": book == table.match.book}
        for name, book in BOOKS.items()
    ]


def click_card(table: Table, code: str) -> Table:
    """What a click on a card does; the same table if it means nothing, or names no card."""
    try:
        card = Card.parse(code)
    except ValueError:
        return table
    return choose(table, card) if table.passing else play_card(table, card)


def click(table: Table, event: object, chance: Random) -> Table:
    """The table after the event; the same table if the event means nothing there."""
    match event:
        case {"new": str(name)} if name in BOOKS:
            return new_table(name, chance)
        case {"click": "pass"}:
            return pass_chosen(table, chance)
        case {"click": "next"}:
            return go_on(table, chance)
        case {"click": str(code)}:
            return click_card(table, code)
    return table


# %% show
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
