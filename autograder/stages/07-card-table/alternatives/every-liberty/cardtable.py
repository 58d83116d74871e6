"""A card table, written with every liberty that the brief leaves.

    order    dictionaries list their keys from the end, and chosen cards stay as they were clicked
    match    also copied where nothing of it changes
    players  the computer players draw no lots: they get rid of high cards, and play low ones
    names    a click may name a card in any way that Card.parse reads

Functions that the outline suggests are missing, and there are others instead.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from cards import Card
from legal import IllegalPlay, check_play
from match import FullDeal, Match, Trick
from rulebook import ESTELL_BOOK, HEART_BOOK, SEATS

USER = 2  # South
PASSED = 3  # how many cards each player passes
BOOKS = {"HEART": HEART_BOOK, "ESTELL": ESTELL_BOOK}


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


def describe(**entries: Any) -> dict[str, Any]:
    """Return these entries as a dictionary, the last one first."""
    return dict(reversed(entries.items()))


def show_hand(table: Table) -> list[dict[str, Any]]:
    """Return the user's cards, sorted, each with its name and whether it has just been received."""
    if (deal := table.deal) is None:
        return []
    new = set() if deal.tricks else {str(card) for card in deal.received(USER)}
    hand = []
    for card in sorted(deal.hand(USER), key=lambda card: (card.suit, card.rank)):
        hand.append(describe(card=f"{card}", label=card.words, received=str(card) in new))
    return hand


def in_turn(trick: Trick | None) -> list[tuple[int, Card]]:
    """Return seat and card of each play of the trick."""
    if trick is None:
        return []
    return [((trick.leader + place) % 4, card) for place, card in enumerate(trick.cards)]


def show_trick(table: Table) -> list[dict[str, Any]]:
    """Return the cards on the table in the order of play, each with its name and its player."""
    return [
        describe(seat=table.name(seat), card=str(card), label=card.words)
        for seat, card in in_turn(table.trick)
    ]


def show_seat(table: Table, seat: int) -> dict[str, Any]:
    """Return what everybody can see of a seat."""
    sheet, deal, trick = table.match.sheet, table.deal, table.trick
    last = sheet.rows[-1:] or [[0, 0, 0, 0]]
    return describe(
        won=table.finished and seat in sheet.winners(),
        took=table.full and trick is not None and trick.taker == seat,
        led=trick is not None and trick.leader == seat,
        turn=table.turn == seat,
        total=sum(row[seat] for row in sheet.rows),
        points=(deal.costs() if deal is not None else last[0])[seat],
        cards=len(deal.hand(seat)) if deal is not None else 0,
        name=table.name(seat),
    )


def show_seats(table: Table) -> list[dict[str, Any]]:
    """Return what everybody can see of each seat, North's first."""
    return [show_seat(table, seat) for seat in SEATS]


def show_sheet(table: Table) -> dict[str, Any]:
    """Return the score sheet: a row for each deal, the totals, and the limit of the game."""
    match = table.match
    return describe(goal=match.book.limit, totals=match.sheet.totals, rows=match.sheet.rows)


def victory(table: Table) -> list[str]:
    """Return the sentence that names the winners, if the game is over."""
    if not table.finished:
        return []
    names = [table.name(seat) for seat in table.match.sheet.winners()]
    if len(names) == 1:
        return [names[0] + " wins."]
    names[-2:] = [" and ".join(names[-2:])]
    return [", ".join(names) + " win."]


def show_said(table: Table) -> list[str]:
    """Return what has just happened, in sentences, for people who listen."""
    if table.deal is None:
        totals = zip(table.match.sheet.names, table.match.sheet.totals, strict=True)
        score = ", ".join(f"{name} {total}" for name, total in totals)
        return [f"Score: {score}.", *victory(table)]
    said = []
    for place, (seat, card) in enumerate(in_turn(table.trick)):
        said = [f"{table.name(seat)} {'plays' if place else 'leads'} the {card.words}."]
    if table.full:
        said.append(f"{table.name(table.trick.taker)} takes the trick.")
    new = [card["label"] for card in show_hand(table) if card["received"]]
    if new and not said:
        said.append("Passed to you: " + ", ".join(new) + ".")
    return said


def show_chosen(table: Table) -> list[str]:
    """Return the codes of the cards that the user has chosen to pass, sorted as cards are."""
    return [*map(str, sorted(table.chosen, key=lambda card: (card.suit, card.rank)))]


def choose(table: Table, card: Card) -> Table:
    """Choose the card, or put it back if it was chosen; the new table has a match of its own."""
    if not table.passing or card not in table.deal.hand(USER):
        return table
    if card in table.chosen:
        chosen = [other for other in table.chosen if other != card]
    elif table.ready:
        return table
    else:
        chosen = [card, *table.chosen]
    return Table(deepcopy(table.match), tuple(chosen))


def pass_chosen(table: Table, rng: Random) -> Table:
    """Let all players pass, computer players their highest cards; `rng` is not needed."""
    if not table.passing or not table.ready:
        return table
    match = deepcopy(table.match)
    for seat in reversed(match.deal.still_to_pass):
        highest = sorted(match.deal.hand(seat), key=lambda card: (card.rank, card.suit))[-PASSED:]
        match.deal.give(seat, list(table.chosen) if seat == USER else highest)
    return Table(match)


def show_refused(table: Table) -> dict[str, str]:
    """Return a reason for each card of the user that cannot be clicked, by the card's code."""
    deal, refused = table.deal, {}
    if deal is None:
        return refused
    for card in deal.hand(USER):
        if table.passing:
            if table.ready and card not in table.chosen:
                refused[str(card)] = "3 cards are chosen: click one of them to put it back"
        elif table.full:
            refused[str(card)] = f"{table.name(table.trick.taker)} takes the trick first"
        elif table.turn != USER:
            refused[str(card)] = f"it is {table.name(table.turn)}'s turn"
        else:
            try:
                check_play(card, deal.view())
            except IllegalPlay as error:
                refused[str(card)] = str(error)
    return refused


def play_card(table: Table, card: Card) -> Table:
    """Let the user play the card; return the same table if they may not."""
    if table.mine and card in table.deal.legal_plays():
        return with_play(table, card)
    return table


def with_play(table: Table, card: Card) -> Table:
    """Return the table after a legal play."""
    match = deepcopy(table.match)
    match.deal.play(card)
    return Table(match, full=not match.deal.trick)


def go_on(table: Table, rng: Random) -> Table:
    """Take one step; computer players play their lowest legal card."""
    deal = table.deal
    if table.phase == "scored":
        match = deepcopy(table.match)
        match.start_shuffled(rng)
        return Table(match)
    if table.full:
        match = deepcopy(table.match)
        if not any(deal.hand(seat) for seat in SEATS):
            match.finish()
        return Table(match)
    if table.phase == "playing" and not table.mine:
        return with_play(table, min(deal.legal_plays(), key=lambda card: (card.rank, card.suit)))
    return table


def receiver(table: Table) -> str:
    """Return the name of the player who gets the user's cards."""
    return table.name((USER + table.deal.direction) % 4)


def show_prompt(table: Table) -> str:
    """Return one sentence: what the user should do, or what the table is waiting for."""
    if table.phase in ("scored", "finished"):
        return (victory(table) or ["The deal is over."])[0]
    if table.passing:
        return f"Choose 3 cards for {receiver(table)}: {len(table.chosen)} chosen so far."
    if table.full:
        return show_said(table)[-1]
    if table.turn != USER:
        return table.name(table.turn) + " is to play."
    return "Your turn: lead a card." if table.trick is None else "Your turn: play a card."


def button(click: str, label: str, *, enabled: bool = True, auto: bool = False) -> dict[str, Any]:
    """Return a button; with `auto`, the view may press it by itself after a while."""
    return {"click": click, "label": label, "enabled": enabled, "auto": auto}


def show_buttons(table: Table) -> list[dict[str, Any]]:
    """Return the buttons that make sense now."""
    match table.phase:
        case "passing":
            return [button("pass", f"Pass to {receiver(table)}", enabled=len(table.chosen) == 3)]
        case "scored":
            return [button(label="Next deal", click="next")]
        case "playing" if table.turn != USER:
            return [button("next", "Go on", auto=True, enabled=True)]
        case _:
            return []


def show_books(table: Table) -> list[dict[str, Any]]:
    """Return the rule books for a new game, and which of them this game is played by."""
    return [
        describe(chosen=BOOKS[name] == table.match.book, label=name[0] + name[1:].lower(), new=name)
        for name in BOOKS
    ]


def click(table: Table, event: object, rng: Random) -> Table:
    """Return the table after the event; of several keys, the new game counts."""
    try:
        if "new" in event:
            return new_table(event["new"], rng) if event["new"] in BOOKS else table
        if event["click"] == "pass":
            return pass_chosen(table, rng)
        if event["click"] == "next":
            return go_on(table, rng)
        card = Card.parse(event["click"])
    except (ValueError, TypeError, KeyError, AttributeError):
        return table
    return choose(table, card) if table.passing else play_card(table, card)


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
