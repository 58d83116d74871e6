"""A player at a card table: the program, the current table, and the view of it."""

import json
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from hearts_course.errors import UsageError
from hearts_course.view.players import Chance, is_code

T = TypeVar("T")
NEEDED = ("BOOKS", "new_table", "show", "click")


class Sitting:
    """A program's table from one click to the next.

    An error in the program becomes a line in the view, and the table stays as it was. Where the
    program draws the card of a computer player by lot, that player chooses a sensible one.
    """

    def __init__(self, names: Mapping[str, Any], rng: Chance) -> None:
        """Start a new game by the program's first rule book; `names` are what it defines.

        Raise UsageError if a name is missing, or if the program cannot show a new game.
        """
        for name in NEEDED:
            if name not in names:
                raise UsageError(f"`{name}` does not exist yet; run the cells above, or write it")
        self._names = names
        self._rng = rng
        self._fault = ""
        self._table = self._try(lambda: names["new_table"](_first(names["BOOKS"]), rng), None)
        self._view: dict[str, Any] = self._look({})
        if self._fault:
            raise UsageError(self._fault)

    @property
    def view(self) -> dict[str, Any]:
        """What to draw; its `fault` says what went wrong last, if anything did."""
        return self._view | ({"fault": self._fault} if self._fault else {})

    def handle(self, event: object) -> None:
        """Let the program answer an event."""
        before, self._fault = self._table, ""
        with self._computers_turn(event):
            self._table = self._try(
                lambda: self._names["click"](self._table, event, self._rng), before
            )
        self._view = self._look(self._view)
        if self._fault:
            self._table = before

    def _computers_turn(self, event: object) -> AbstractContextManager[None]:
        """Let the generator know what computer players draw cards for, if they draw any now.

        Any other draw, as for the next deal, must stay a matter of chance.
        """
        now = (event, self._view.get("phase"))
        if now == ({"click": "next"}, "playing"):
            trick = self._view.get("trick")
            plays = trick if isinstance(trick, list) else []
            cards = [str(play.get("card")) for play in plays if isinstance(play, dict)]
            return self._rng.playing([card for card in cards if is_code(card)])
        return self._rng.passing() if now == ({"click": "pass"}, "passing") else nullcontext()

    def _look(self, otherwise: dict[str, Any]) -> dict[str, Any]:
        """Return the view of the table, or the other one if something went wrong."""
        if self._fault:
            return otherwise
        return self._try(lambda: _plain(self._names["show"](self._table)), otherwise)

    def _try(self, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except Exception as error:
            self._fault = _words(error)
            return otherwise


def _first(books: Iterable[T]) -> T:
    """Return the first book; raise ValueError or TypeError with a line for the author of BOOKS."""
    try:
        return next(iter(books))
    except StopIteration:
        raise ValueError("BOOKS holds no rule book") from None
    except TypeError:
        raise TypeError(f"BOOKS is {type(books).__name__}, not a dict of rule books") from None


def _plain(view: object) -> dict[str, Any]:
    """Return the view as it reaches the browser; raise TypeError if it is not plain values.

    Going through JSON makes a copy, which the program cannot change afterwards.
    """
    if not isinstance(view, dict):
        raise TypeError(f"show() returned {type(view).__name__}, not a dict")
    plain: dict[str, Any] = json.loads(json.dumps(view))
    return plain


def _words(error: Exception) -> str:
    """Return what went wrong, and in which function and line of the program."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, NotImplementedError):
        what = f"not written yet: {error}"
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__
    ]
    return f"{what} (in {frames[-1].name}, line {frames[-1].lineno})" if frames else what
