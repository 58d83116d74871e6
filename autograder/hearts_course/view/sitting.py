"""A player at a card table: the program, the current table, and the view of it."""

import json
import traceback
from collections.abc import Mapping
from typing import Any

from hearts_course.errors import UsageError
from hearts_course.view.players import Chance, Opponent
from hearts_course.view.rules_of_thumb import PLAYERS, codes, codes_of_tricks, is_code
from hearts_course.view.sampler import Knowledge, moon_by_name

NEEDED = ("BOOKS", "new_table", "show", "click")
# The events that let computer players choose cards, by the phase of the deal.
COMPUTERS = {"passing": {"click": "pass"}, "playing": {"click": "next"}}


class Sitting:
    """A user's stay at a program's card table. Keeps the table from one click to the next.

    An error in the program becomes a line in the view, and the table stays as it was. If the
    program draws a computer player's card at random, `Chance` chooses a sensible card instead. A
    view that offers rule books also offers the kinds of computer players.
    """

    def __init__(self, names: Mapping[str, Any], rng: Chance) -> None:
        """Start a new game by the program's first rule book; `names` has what the program defines.

        Raise UsageError if a name is missing, or if the program cannot show a new game.
        """
        for name in NEEDED:
            if name not in names:
                raise UsageError(f"`{name}` does not exist yet; run the cells above, or write it")
        self._names = names
        self._rng = rng
        self._fault = ""
        self._gone: set[str] = set()  # the cards that this deal has shown so far
        try:
            self._table = names["new_table"](_first(names["BOOKS"]), rng)
            self._view = self._show()
        except Exception as error:
            raise UsageError(_words(error)) from None

    @property
    def view(self) -> dict[str, Any]:
        """What to draw; if the last event failed, `fault` says what went wrong."""
        view = dict(self._view)
        if view.get("books"):
            view["opponents"] = self._opponents()
        if self._fault:
            view["fault"] = self._fault
        return view

    def handle(self, event: object) -> None:
        """Let the program answer an event, unless the event chooses the kind of computer players.

        An error in the program becomes the view's `fault`. The previous table comes back then, so
        that the next click finds a table that works.
        """
        if isinstance(event, dict) and event.get("opponent") in [*Opponent]:
            self._rng.opponent = Opponent(event["opponent"])
            return
        previous = self._table
        self._fault = ""
        phase = str(self._view.get("phase"))
        helped = ""
        # `Chance` chooses cards only in the events of COMPUTERS. The next deal must stay random.
        if event == COMPUTERS.get(phase):
            helped = phase
        try:
            with self._rng.helping(helped, self._knowledge()):
                self._table = self._names["click"](previous, event, self._rng)
            self._view = self._show()
            self._remember()
        except Exception as error:
            self._table = previous
            self._fault = _words(error)

    def _knowledge(self) -> Knowledge:
        """Return what the computer player whose turn it is may know.

        The table's `deal` and `match` have this knowledge. If they do not tell it, return only what
        everybody has seen.
        """
        try:
            return known_at(self._table)
        except Exception:  # a program may give its deal's methods other names
            return Knowledge(trick=_trick(self._view), gone=self._gone)

    def _remember(self) -> None:
        """Remember the cards on the table; forget them when the deal is over."""
        if self._view.get("phase") != "playing":
            self._gone.clear()
        self._gone |= {*_trick(self._view)}

    def _opponents(self) -> list[dict[str, Any]]:
        """Return the kinds of computer players as plain values; the kind in use is `chosen`."""
        kinds: list[dict[str, Any]] = []
        for opponent in Opponent:
            label = opponent.value.capitalize()
            chosen = opponent is self._rng.opponent
            kinds.append({"opponent": opponent.value, "label": label, "chosen": chosen})
        return kinds

    def _show(self) -> dict[str, Any]:
        """Return the view as it reaches the browser; raise TypeError if it is not plain values.

        Going through JSON makes a copy, which the program cannot change afterwards.
        """
        view = self._names["show"](self._table)
        if not isinstance(view, dict):
            raise TypeError(f"show() returned {type(view).__name__}, not a dict")
        plain: dict[str, Any] = json.loads(json.dumps(view))
        return plain


def _first(books: object) -> Any:
    """Return the name of the first rule book; raise TypeError if there is none."""
    if not isinstance(books, Mapping) or not books:
        raise TypeError("BOOKS is not a dict of rule books")
    return next(iter(books))


def known_at(table: Any) -> Knowledge:
    """Return what the seat that plays next may know; raise an error if the table does not tell it.

    The result holds no more than a player at that seat has seen: the player's own hand, the cards
    played so far, and the cards that the player has passed.
    """
    deal = table.deal
    seat = deal.turn
    receiver = deal.direction.receiver(seat)
    return Knowledge(
        trick=codes(deal.trick),
        gone=codes_of_tricks(deal.tricks),
        hand=codes(deal.hand(seat)),
        passed=codes(deal.received(receiver)),
        receiver=(receiver - seat) % PLAYERS,
        moon=moon_by_name(table.match.book.moon.name),
    )


def _trick(view: Mapping[str, Any]) -> list[str]:
    """Return the codes of the cards on the table; [] if the program does not show them yet."""
    try:
        return [play["card"] for play in view["trick"] if is_code(play["card"])]
    except (KeyError, TypeError):
        return []


def _words(error: Exception) -> str:
    """Return what went wrong, and in which function and line of the program.

    Name the last line outside of this module, because students can change only their own lines.
    """
    message = type(error).__name__
    if str(error):
        message += f": {error}"
    if isinstance(error, NotImplementedError):
        message = f"not written yet: {error}"
    calls = traceback.extract_tb(error.__traceback__)
    of_program = [frame for frame in calls if frame.filename != __file__]
    if not of_program:
        return message
    last = of_program[-1]
    return f"{message} (in {last.name}, line {last.lineno})"
