"""Run a game in this process and its terminal, as Python runs a script.

If the game breaks off, one line says where, what, and which command helps.
"""

import importlib
import random
import sys
import traceback
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from hearts_course.errors import CourseError, UsageError
from hearts_course.play.game import Game
from hearts_course.sandbox.worker.script import ProgramFinder, compile_script
from hearts_course.student.work import StageWork
from hearts_course.view.players import Chance

TOP_LEVEL = "<module>"


def run_game(game: Game, arguments: Sequence[str]) -> int:
    """Run the game with these arguments to its end, and return its exit status.

    Where a computer player draws a card by lot, it gets a sensible one. Raise CourseError if the
    game breaks off. An interrupt that the game does not handle, and a closed pipe, are raised as
    they are.
    """
    _enable_line_editing()
    with _as_program(game.modules) as main:
        try:
            _advise_bots(game)
            exec(compile_script(game.module, list(arguments)), vars(main))
        except SystemExit as end:
            return _exit_status(end.code)
        except BrokenPipeError:
            raise
        except Exception as error:
            raise _explained(game, error) from None
    return 0


def _enable_line_editing() -> None:
    """Let `input` edit lines and remember them, as Python's own prompt does, where possible.

    Only in a terminal, because `readline` may write control sequences into a pipe.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):
            importlib.import_module("readline")


@contextmanager
def _as_program(modules: Mapping[str, str]) -> Iterator[types.ModuleType]:
    """Give a fresh `__main__` that can import these modules, and restore everything afterwards."""
    names = (*modules, "__main__")
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    arguments, finder, main = sys.argv, ProgramFinder(modules), types.ModuleType("__main__")
    lot, random.Random = random.Random, Chance  # type: ignore[misc]
    sys.modules["__main__"] = main
    sys.meta_path.insert(0, finder)
    try:
        yield main
    finally:
        sys.meta_path.remove(finder)
        sys.argv = arguments
        random.Random = lot  # type: ignore[misc]
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def _advise_bots(game: Game) -> None:
    """Let the generators of computer players know the trick that a card is chosen for.

    A program whose players differ from those of the outline is played as it is.
    """
    module, _, name = game.bot.partition(".")
    players: Any = getattr(importlib.import_module(module), name, None) if module else None
    if not hasattr(players, "choose"):
        return
    choose = players.choose

    def choose_advised(player: Any, view: Any) -> Any:
        drawn_with = getattr(player, "__dict__", {}).values()
        rng = next((value for value in drawn_with if isinstance(value, Chance)), None)
        trick = getattr(getattr(view, "turn", None), "trick", None)
        if rng is None or not isinstance(trick, Sequence):
            return choose(player, view)
        with rng.playing([str(card) for card in trick]):
            return choose(player, view)

    players.choose = choose_advised


def _exit_status(code: object) -> int:
    """Return the exit status that Python makes of the value a program ended with."""
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


@dataclass(frozen=True)
class Spot:
    """A line of the program, and the function that it is in."""

    work: StageWork
    module: str
    line: int
    function: str

    @property
    def place(self) -> str:
        """Where the student finds the line."""
        return self.work.place(self.module, self.line)

    @property
    def text(self) -> str:
        """The line's text."""
        lines = self.work.modules[self.module].splitlines()
        return lines[self.line - 1].strip() if self.line <= len(lines) else ""


def _explained(game: Game, error: Exception) -> CourseError:
    """Return the error to raise for one that has ended the game.

    An error in the middle of a game is also shown as Python shows it, because the calls that led to
    it matter.
    """
    spot = _spot(game, error)
    more = f"`{game.check(spot.work if spot else game.works[-1])}` says more"
    if spot is None:
        return CourseError(f"{game.works[-1].where}: {_words(error)}; {more}")
    if isinstance(error, NotImplementedError):
        task = f" ({error})" if str(error) else ""
        return UsageError(f"{spot.place}: not written yet{task}; {more}")
    if spot.function == TOP_LEVEL:
        return CourseError(f"{spot.place}: {_words(error)} in `{spot.text}`; {more}")
    _show(error)
    return CourseError(f"{spot.place}: the game broke off here; {more}")


def _spot(game: Game, error: Exception) -> Spot | None:
    """Return the program's last line on the way to the error, None if it was not reached."""
    works = {f"{name}.py": (work, name) for work in game.works for name in work.modules}
    if isinstance(error, SyntaxError) and error.filename in works:
        return Spot(*works[error.filename], error.lineno or 1, TOP_LEVEL)
    frames = [
        (frame.f_code, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename in works
    ]
    if not frames:
        return None
    code, line = frames[-1]
    return Spot(*works[code.co_filename], line, code.co_name)


def _words(error: Exception) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _show(error: Exception) -> None:
    """Print the traceback without our own frame, which comes first."""
    sys.stdout.flush()
    frames = error.__traceback__.tb_next if error.__traceback__ else None
    traceback.print_exception(type(error), error, frames)
