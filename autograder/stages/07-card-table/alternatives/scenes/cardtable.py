"""A card table: what is shown of a match, what may be clicked, and what a click does.

    Table      everything that matters between two clicks; a value, which never changes
    view       what is drawn: a dictionary of plain texts, numbers, lists and dictionaries
    event      what was clicked: a dictionary such as {"click": "QS"}
    user       the person who clicks; sits South, among three computer players
    full       whether a full trick still lies on the table
    scene      what the table is waiting for; most of what is shown depends on it alone

Nothing is drawn here, and nothing waits. The program that draws the table calls `show` and gets a
view. It calls `click` with an event and gets the next table.
"""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from enum import Enum
from random import Random
from typing import Any

from cards import Card, Deck
from legal import IllegalPlay, best_card, check_play, points
from match import FullDeal, Match, Phase, Trick
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
    def phase(self) -> str:
        """What is going on: `passing`, `playing`, `scored` between two deals, or `finished`."""
        if self.deal is None:
            return "finished" if self.match.is_over() else "scored"
        return "passing" if self.deal.phase == Phase.PASSING else "playing"

    @property
    def turn(self) -> int | None:
        """The seat that plays the next card; None if there is none, or a full trick lies there."""
        return None if self.deal is None or self.full else self.deal.turn

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


class Scene(Enum):
    """What the table is waiting for."""

    CHOICE = "the user is to choose cards and pass them"
    FULL_TRICK = "a full trick is to be taken away"
    OTHERS = "a computer player is to play a card"
    USERS = "the user is to play a card"
    NEXT_DEAL = "another deal is to be dealt"
    THE_END = "nothing: the game is over"


def scene_of(table: Table) -> Scene:
    """Return what this table is waiting for."""
    phase = table.phase
    if phase == "finished":
        return Scene.THE_END
    if phase == "scored":
        return Scene.NEXT_DEAL
    if phase == "passing":
        return Scene.CHOICE
    if table.full:
        return Scene.FULL_TRICK
    return Scene.USERS if table.turn == USER else Scene.OTHERS


# What is shown of the cards


def show_hand(table: Table) -> list[dict[str, Any]]:
    """Return the user's cards, sorted, each with its name and whether it has just been received."""
    shown: list[dict[str, Any]] = []
    deal = table.deal
    if deal is None:
        return shown
    news = [] if deal.tricks else deal.received(USER)
    for card in sorted(deal.hand(USER)):
        shown.append({"card": str(card), "label": card.words, "received": card in news})
    return shown


def show_trick(table: Table) -> list[dict[str, Any]]:
    """Return the cards on the table in the order of play, each with its name and its player."""
    shown: list[dict[str, Any]] = []
    trick = table.trick
    if trick is None:
        return shown
    seat = trick.leader
    for card in trick.cards:
        shown.append({"card": str(card), "label": card.words, "seat": table.name(seat)})
        seat = (seat + 1) % len(SEATS)
    return shown


def show_seat(table: Table, seat: int) -> dict[str, Any]:
    """Return what everybody can see of a seat."""
    shown: dict[str, Any] = {
        "name": table.name(seat),
        "cards": 0,
        "points": 0,
        "total": table.match.sheet.totals[seat],
        "turn": table.turn == seat,
        "led": False,
        "took": False,
        "won": table.phase == "finished" and seat in table.match.winners(),
    }
    rows = table.match.sheet.rows
    if table.deal is not None:
        shown["cards"] = len(table.deal.hand(seat))
        shown["points"] = table.deal.costs()[seat]
    elif rows:
        shown["points"] = rows[-1][seat]
    trick = table.trick
    if trick is not None:
        shown["led"] = trick.leader == seat
        shown["took"] = table.full and trick.taker == seat
    return shown


def show_seats(table: Table) -> list[dict[str, Any]]:
    """Return what everybody can see of each seat, North's first."""
    return [show_seat(table, seat) for seat in SEATS]


# What is shown of the game, and told


def show_sheet(table: Table) -> dict[str, Any]:
    """Return the score sheet: a row for each deal, the totals, and the limit of the game."""
    sheet = table.match.sheet
    return {"rows": sheet.rows, "totals": sheet.totals, "goal": table.match.book.limit}


def win_sentence(table: Table) -> str:
    """Return the sentence about the winners: `South wins.` or `North and West win.`"""
    *others, last = [table.name(seat) for seat in table.match.winners()]
    if not others:
        return f"{last} wins."
    return ", ".join(others) + f" and {last} win."


def take_sentence(table: Table) -> str:
    """Return the sentence about who takes the full trick, without the full stop."""
    return f"{table.name(table.trick.taker)} takes the trick"


def show_said(table: Table) -> list[str]:
    """Return what has just happened, in sentences, for people who listen."""
    said: list[str] = []
    deal = table.deal
    if deal is None:
        scores = []
        for seat, total in enumerate(table.match.sheet.totals):
            scores.append(f"{table.name(seat)} {total}")
        said.append("Score: " + ", ".join(scores) + ".")
        if scene_of(table) == Scene.THE_END:
            said.append(win_sentence(table))
        return said
    trick = show_trick(table)
    if trick:
        verb = "leads" if len(trick) == 1 else "plays"
        said.append(f"{trick[-1]['seat']} {verb} the {trick[-1]['label']}.")
        if table.full:
            said.append(take_sentence(table) + ".")
    elif not deal.tricks and deal.received(USER):
        names = [card.words for card in sorted(deal.received(USER))]
        said.append("Passed to you: " + ", ".join(names) + ".")
    return said


# Passing


def show_chosen(table: Table) -> list[str]:
    """Return the codes of the cards that the user has chosen to pass, sorted as cards are."""
    return [str(card) for card in sorted(table.chosen)]


def choose(table: Table, card: Card) -> Table:
    """Choose the card, or put it back if it was chosen; return the same table if neither can be."""
    deal = table.deal
    if deal is None or table.phase != "passing" or card not in deal.hand(USER):
        return table
    if card in table.chosen:
        return replace(table, chosen=tuple(other for other in table.chosen if other != card))
    if len(table.chosen) >= PASSED:
        return table
    return replace(table, chosen=(card, *table.chosen))


def burdens(table: Table, seat: int) -> list[Card]:
    """Return the cards that a computer player passes: those that cost most, then the highest."""
    rules = table.match.book.play
    cards = sorted(table.deal.hand(seat), key=lambda card: (points(card, rules), card.rank))
    return cards[-PASSED:]


def pass_chosen(table: Table, chance: Random) -> Table:
    """Let all players pass: the user the chosen cards, computer players their worst ones.

    Return the same table if the user cannot pass now. Nothing here is random.
    """
    if table.phase != "passing" or len(table.chosen) < PASSED:
        return table
    game = deepcopy(table.match)
    for seat in game.deal.still_to_pass:
        cards = list(table.chosen) if seat == USER else burdens(table, seat)
        game.deal.give(seat, cards)
    return Table(game)


# Playing


def show_refused(table: Table) -> dict[str, str]:
    """Return a reason for each card of the user that cannot be clicked, by the card's code."""
    refused: dict[str, str] = {}
    deal, scene = table.deal, scene_of(table)
    if deal is None:
        return refused
    for card in deal.hand(USER):
        if scene == Scene.CHOICE:
            if len(table.chosen) >= PASSED and card not in table.chosen:
                reason = f"{PASSED} cards are chosen: click one of them to put it back"
                refused[str(card)] = reason
        elif scene == Scene.FULL_TRICK:
            refused[str(card)] = take_sentence(table) + " first"
        elif scene == Scene.OTHERS:
            refused[str(card)] = f"it is {table.name(table.turn)}'s turn"
        else:
            try:
                check_play(card, deal.view())
            except IllegalPlay as error:
                refused[str(card)] = str(error)
    return refused


def with_card(table: Table, card: Card) -> Table:
    """Return the table after this legal card was played."""
    game = deepcopy(table.match)
    taker = game.deal.play(card)
    return Table(game, full=taker is not None)


def play_card(table: Table, card: Card) -> Table:
    """Let the user play the card; return the same table if they may not."""
    if scene_of(table) != Scene.USERS or card not in table.deal.legal_plays():
        return table
    return with_card(table, card)


def careful_card(deal: FullDeal) -> Card:
    """Return the card that the computer player whose turn it is plays.

    A leader plays low. A player who can follow suit plays the highest card that does not win the
    trick. A player who is void discards what costs most.
    """
    turn, cards = deal.view(), sorted(deal.legal_plays())
    if turn.led is None:
        return min(cards, key=lambda card: card.rank)
    if cards[0].suit != turn.led:
        return max(cards, key=lambda card: (points(card, turn.rules), card.rank))
    best, choice = best_card(turn.trick), cards[0]
    for card in cards:
        if card.rank < best.rank:
            choice = card
    return choice


def start_deal(game: Match, chance: Random) -> None:
    """Start the next deal of the match with a full pack in a random order."""
    pack = list(Deck())
    deck = Deck(chance.sample(pack, len(pack)))
    dealer = len(game.sheet.rows) % len(SEATS)
    hands, _ = deck.deal(len(SEATS), dealer)
    game.start(hands)


def go_on(table: Table, chance: Random) -> Table:
    """Take one step that needs no choice of the user's; return the same table if there is none.

    A step is a card of a computer player, taking a full trick away, or dealing the next deal.
    After the last trick of a deal, taking it away also scores the deal.
    """
    scene = scene_of(table)
    if scene == Scene.OTHERS:
        return with_card(table, careful_card(table.deal))
    if scene == Scene.FULL_TRICK and table.deal.phase == Phase.PLAYING:
        return replace(table, full=False)
    if scene not in (Scene.FULL_TRICK, Scene.NEXT_DEAL):
        return table
    game = deepcopy(table.match)
    if scene == Scene.FULL_TRICK:
        game.finish()
    else:
        start_deal(game, chance)
    return Table(game)


# Asking


def receiver_name(table: Table) -> str:
    """Return the name of the player who gets the user's cards in this deal."""
    return table.name(table.deal.direction.receiver(USER))


def show_prompt(table: Table) -> str:
    """Return one sentence: what the user should do, or what the table is waiting for."""
    scene = scene_of(table)
    if scene == Scene.CHOICE:
        chosen = len(table.chosen)
        return f"Choose {PASSED} cards for {receiver_name(table)}: {chosen} chosen so far."
    if scene == Scene.FULL_TRICK:
        return take_sentence(table) + "."
    if scene == Scene.OTHERS:
        return f"{table.name(table.turn)} is to play."
    if scene == Scene.USERS:
        return "Your turn: lead a card." if table.trick is None else "Your turn: play a card."
    return "The deal is over." if scene == Scene.NEXT_DEAL else win_sentence(table)


def button(click: str, label: str, *, enabled: bool = True, auto: bool = False) -> dict[str, Any]:
    """Return a button; with `auto`, the view may press it by itself after a while."""
    return {"click": click, "label": label, "enabled": enabled, "auto": auto}


def show_buttons(table: Table) -> list[dict[str, Any]]:
    """Return the buttons that make sense now."""
    buttons: list[dict[str, Any]] = []
    scene = scene_of(table)
    if scene == Scene.CHOICE:
        enough = len(table.chosen) >= PASSED
        buttons.append(button("pass", f"Pass to {receiver_name(table)}", enabled=enough))
    elif scene in (Scene.FULL_TRICK, Scene.OTHERS):
        buttons.append(button("next", "Go on", auto=True))
    elif scene == Scene.NEXT_DEAL:
        buttons.append(button("next", "Next deal"))
    return buttons


# Answering


CODES = {str(card): card for card in Deck()}  # every card of the pack by its code


def show_books(table: Table) -> list[dict[str, Any]]:
    """Return the rule books for a new game, and which of them this game is played by."""
    shown: list[dict[str, Any]] = []
    for name, book in BOOKS.items():
        label = name.capitalize()
        shown.append({"new": name, "label": label, "chosen": book == table.match.book})
    return shown


def new_table(book: str, chance: Random) -> Table:
    """Return a table with a new game by the rule book of this name, its first deal dealt."""
    game = Match(BOOKS[book])
    start_deal(game, chance)
    return Table(game)


def answer(table: Table, word: str, chance: Random) -> Table:
    """Return the table after a click on this button or card; the same table if it is unknown."""
    if word == "pass":
        return pass_chosen(table, chance)
    if word == "next":
        return go_on(table, chance)
    if word not in CODES:
        return table
    use = choose if table.phase == "passing" else play_card
    return use(table, CODES[word])


def click(table: Table, event: object, chance: Random) -> Table:
    """Return the table after the event; the same table if the event means nothing there.

    An event says one thing: a dictionary with several keys means nothing.
    """
    if not isinstance(event, dict) or len(event) != 1:
        return table
    [(kind, word)] = event.items()
    if not isinstance(word, str):
        return table
    if kind == "new" and word in BOOKS:
        return new_table(word, chance)
    return answer(table, word, chance) if kind == "click" else table


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
    """Return the view of the table: all its parts, without those that are not written yet."""
    view: dict[str, Any] = {"phase": table.phase}
    for name, part in PARTS.items():
        with suppress(NotImplementedError):
            view[name] = part(table)
    return view


if __name__ == "__main__":
    chance = Random()
    table = new_table("HEART", chance)
    for event in ({"click": card["card"]} for card in show_hand(table)[:3]):
        table = click(table, event, chance)
    print(show(click(table, {"click": "pass"}, chance)))
