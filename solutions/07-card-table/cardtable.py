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
from copy import deepcopy
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from cards import Card
from legal import IllegalPlay, check_play
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


# %% show-your-cards
def show_card(card: Card) -> dict[str, Any]:
    """Return a card's code, for the eye, and its name in words, for the ear."""
    return {"card": str(card), "label": card.words}


def show_hand(table: Table) -> list[dict[str, Any]]:
    """Return the user's cards, sorted, each with its name and whether it has just been received."""
    if table.deal is None:
        return []
    held = sorted(table.deal.hand(USER))
    received = [] if table.deal.tricks else table.deal.received(USER)
    return [{**show_card(card), "received": card in received} for card in held]


# %% show-the-table
def show_trick(table: Table) -> list[dict[str, Any]]:
    """Return the cards on the table in the order of play, each with its name and its player."""
    if table.trick is None:
        return []
    clockwise = [*SEATS, *SEATS][table.trick.leader :]
    plays = zip(clockwise, table.trick.cards, strict=False)
    return [{**show_card(card), "seat": table.name(seat)} for seat, card in plays]


def deal_points(table: Table) -> Sequence[int]:
    """Return each seat's points: in this deal, or between deals in the last one on the sheet."""
    if table.deal is not None:
        return table.deal.costs()
    sheet = table.match.sheet
    return sheet.rows[-1] if sheet.rows else [0 for _ in SEATS]


def show_seat(table: Table, seat: int) -> dict[str, Any]:
    """Return what everybody can see of a seat."""
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
    """Return what everybody can see of each seat, North's first."""
    return [show_seat(table, seat) for seat in SEATS]


# %% tell-the-news
def show_sheet(table: Table) -> dict[str, Any]:
    """Return the score sheet: a row for each deal, the totals, and the limit of the game."""
    sheet = table.match.sheet
    return {"rows": sheet.rows, "totals": sheet.totals, "goal": table.match.book.limit}


def who_wins(table: Table) -> str:
    """Return the sentence that names the winners."""
    *others, last = (table.name(seat) for seat in table.match.winners())
    return f"{', '.join(others)} and {last} win." if others else f"{last} wins."


def tell_trick(table: Table) -> list[str]:
    """Return the sentences about the last card of the trick, and about its taker if it is full."""
    *before, last = show_trick(table)
    verb = "plays" if before else "leads"
    taken = [f"{table.name(table.trick.taker)} takes the trick."] if table.full else []
    return [f"{last['seat']} {verb} the {last['label']}.", *taken]


def tell_score(table: Table) -> list[str]:
    """Return the sentences about the totals, and about the winners if the game is over."""
    totals = enumerate(table.match.sheet.totals)
    columns = [f"{table.name(seat)} {total}" for seat, total in totals]
    won = [who_wins(table)] if table.finished else []
    return [f"Score: {', '.join(columns)}.", *won]


def show_said(table: Table) -> list[str]:
    """Return what has just happened, in sentences, for people who listen."""
    if table.deal is None:
        return tell_score(table)
    if table.trick is not None:
        return tell_trick(table)
    received = [card["label"] for card in show_hand(table) if card["received"]]
    return [f"Passed to you: {', '.join(received)}."] if received else []


# %% choose-and-pass
def show_chosen(table: Table) -> list[str]:
    """Return the codes of the cards that the user has chosen to pass, sorted as cards are."""
    return [str(card) for card in sorted(table.chosen)]


def choose(table: Table, card: Card) -> Table:
    """Choose the card, or put it back if it was chosen; return the same table if neither can be."""
    if not table.passing or card not in table.deal.hand(USER):
        return table
    chosen = set(table.chosen).symmetric_difference({card})  # adds the card, or takes it out
    return table if len(chosen) > PASSED else replace(table, chosen=tuple(sorted(chosen)))


def pass_chosen(table: Table, rng: Random) -> Table:
    """Let all players pass, computer players at random; return the same table if they cannot."""
    if not (table.passing and table.ready):
        return table
    match = deepcopy(table.match)
    match.deal.give(USER, table.chosen)
    for seat in match.deal.still_to_pass:
        match.deal.give(seat, rng.sample(match.deal.hand(seat), PASSED))
    return Table(match)


# %% say-what-may-be-clicked
def why_not(table: Table, card: Card) -> str:
    """Return why the user cannot click this card of theirs; an empty text if they can."""
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
    """Return a reason for each card of the user that cannot be clicked, by the card's code."""
    if table.deal is None:
        return {}
    reasons = {str(card): why_not(table, card) for card in table.deal.hand(USER)}
    return {code: reason for code, reason in reasons.items() if reason}


# %% play-your-card
def played(table: Table, card: Card) -> Table:
    """Return the table after the card was played; raise ValueError if it may not be."""
    match = deepcopy(table.match)
    taker = match.deal.play(card)
    return Table(match, full=taker is not None)


def play_card(table: Table, card: Card) -> Table:
    """Let the user play the card; return the same table if they may not."""
    if not table.mine:
        return table
    try:
        return played(table, card)
    except ValueError:
        return table


# %% go-on-by-steps
def go_on(table: Table, rng: Random) -> Table:
    """Take one step that needs no choice of the user's; return the same table if there is none.

    A step is a card of a computer player, taking a full trick away, or dealing the next deal.
    After the last trick of a deal, taking it away also scores the deal.
    """
    if table.passing or table.finished or table.mine:
        return table
    if table.turn is not None:
        return played(table, rng.choice(table.deal.legal_plays()))
    match = deepcopy(table.match)
    if match.deal is None:
        match.start_shuffled(rng)
    elif match.deal.turn is None:  # that was the last trick
        match.finish()
    return Table(match)


# %% ask-the-user
def receiver(table: Table) -> str:
    """Return the name of the player who gets the user's cards."""
    return table.name(table.deal.direction.receiver(USER))


def show_prompt(table: Table) -> str:
    """Return one sentence: what the user should do, or what the table is waiting for."""
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
    """Return a button; with `auto`, the view may press it by itself after a while."""
    return {"click": click, "label": label, "enabled": enabled, "auto": auto}


def show_buttons(table: Table) -> list[dict[str, Any]]:
    """Return the buttons that make sense now."""
    if table.passing:
        return [button("pass", f"Pass to {receiver(table)}", enabled=table.ready)]
    if table.finished or table.mine:
        return []
    if table.deal is None:
        return [button("next", "Next deal")]
    return [button("next", "Go on", auto=True)]


# %% answer-every-click
def show_books(table: Table) -> list[dict[str, Any]]:
    """Return the rule books for a new game, and which of them this game is played by."""
    return [
        {"new": name, "label": name.capitalize(), "chosen": book == table.match.book}
        for name, book in BOOKS.items()
    ]


def click_card(table: Table, code: str) -> Table:
    """Choose or play the card with this code; return the same table if there is no such card."""
    try:
        card = Card.parse(code)
    except ValueError:
        return table
    return choose(table, card) if table.passing else play_card(table, card)


def click(table: Table, event: object, rng: Random) -> Table:
    """Return the table after the event; the same table if the event means nothing there."""
    match event:
        case {"new": str(name)} if name in BOOKS:
            return new_table(name, rng)
        case {"click": "pass"}:
            return pass_chosen(table, rng)
        case {"click": "next"}:
            return go_on(table, rng)
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
