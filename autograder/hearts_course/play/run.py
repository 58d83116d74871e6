"""Run a game in this process and its terminal, as Python runs a script.

If the game breaks off, one line says where, what the error is, and which command helps.
"""

import importlib
import random
import sys
import traceback
import types
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hearts_course.errors import CourseError, UsageError
from hearts_course.play.game import Game
from hearts_course.sandbox.worker.script import ProgramFinder, compile_script
from hearts_course.student.work import StageWork
from hearts_course.view.players import Chance, Opponent
from hearts_course.view.sampler import Knowledge

TOP_LEVEL = "<module>"  # Python's name for the code outside of all functions
OURS = str(Path(__file__).parents[1])


def run_game(game: Game, arguments: Sequence[str], opponent: Opponent = Opponent.CAUTIOUS) -> int:
    """Run the game with these arguments to its end, and return its exit status.

    In some games, the computer players choose their cards at random. Let such a computer player
    play like the given kind of `opponent` instead. Raise CourseError if the game breaks off.
    KeyboardInterrupt and BrokenPipeError are raised as they are.
    """
    _enable_line_editing()
    with as_program(game.modules, opponent) as main:
        try:
            _advise_bots(game)
            exec(compile_script(game.main, list(arguments)), vars(main))
        except SystemExit as end:
            return _exit_status(end.code)
        except BrokenPipeError:
            raise
        except Exception as error:
            raise explained(game, error) from None
    return 0


def _enable_line_editing() -> None:
    """If possible, let `input` edit and remember lines, as Python's own prompt does.

    Do so only in a terminal, because `readline` may write control sequences into a pipe.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):
            importlib.import_module("readline")


@contextmanager
def as_program(modules: Mapping[str, str], opponent: Opponent) -> Iterator[types.ModuleType]:
    """Yield a fresh `__main__` that can import these modules, and restore everything afterwards.

    While the program runs, a class made from `Chance` stands in for `random.Random`. So the random
    numbers that the program makes let its computer players choose sensible cards. The class must be
    replaced, because a program makes its own generator of random numbers and takes none from us.
    """
    names = (*modules, "__main__")
    replaced = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    arguments = sys.argv
    finder = ProgramFinder(modules)
    main = types.ModuleType("__main__")
    original_random = random.Random
    random.Random = type("Random", (Chance,), {"opponent": opponent})  # type: ignore[misc, assignment]
    sys.modules["__main__"] = main
    sys.meta_path.insert(0, finder)
    try:
        yield main
    finally:
        sys.meta_path.remove(finder)
        sys.argv = arguments
        random.Random = original_random  # type: ignore[misc]
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(replaced)


def _advise_bots(game: Game) -> None:
    """Tell each computer player's generator of random numbers what the player may know.

    The generator gets this knowledge each time a player chooses a card. To collect the knowledge,
    wrap the program's own methods. The view that the program gives to a player is not enough,
    because it may lack the cards of earlier tricks. If the program's players have no `choose`,
    change nothing.
    """
    players = _class_of(game.stage.bot)
    if not hasattr(players, "choose"):
        return
    choose = players.choose
    memory = _Memory()
    _watch(_class_of(game.stage.deal), memory)

    def choose_advised(player: Any, view: Any) -> Any:
        """Choose as before, but let the generator know the trick, the hand and earlier tricks."""
        drawn_with = getattr(player, "__dict__", {}).values()
        rng = next((value for value in drawn_with if isinstance(value, Chance)), None)
        turn = getattr(view, "turn", view)  # a view may keep trick and hand in an object `turn`
        trick = getattr(turn, "trick", None)
        if rng is None or not isinstance(trick, Sequence):
            return choose(player, view)
        codes = [str(card) for card in trick]
        memory.see(codes, first=bool(getattr(turn, "first_trick", False)))
        hand = [str(held) for held in getattr(turn, "hand", ())]
        gone = [code for code in memory.played if code not in codes]
        with rng.helping("playing", Knowledge(trick=codes, gone=gone, hand=hand)):
            card = choose(player, view)
        memory.note([str(card)])
        return card

    players.choose = choose_advised


def _class_of(place: str) -> Any:
    """Return the class that a stage names, such as `table.Bot`; None if the program has none."""
    module, _, name = place.partition(".")
    if not module:
        return None
    return getattr(importlib.import_module(module), name, None)


def _watch(deals: Any, memory: "_Memory") -> None:
    """Remember every card that is played in deals of this Python class.

    The views of the players are not enough: if the user plays the last card of a trick, no player
    sees that card on the table.
    """
    if not hasattr(deals, "play"):
        return
    play = deals.play

    def play_watched(deal: Any, card: Any) -> Any:
        """Play the card as before, and remember it if the deal has accepted it."""
        taker = play(deal, card)
        memory.note([str(card)])
        return taker

    deals.play = play_watched


class _Memory:
    """The cards that have been played in a deal, in the order of play.

    A card may be reported twice: when the deal accepts it, and when a player sees it.
    """

    def __init__(self) -> None:
        """Remember no card."""
        self.played: list[str] = []

    def see(self, trick: Sequence[str], *, first: bool) -> None:
        """Remember the cards on the table; in the first trick of a deal, forget all other cards."""
        if first:
            self.played.clear()
        self.note(trick)

    def note(self, codes: Sequence[str]) -> None:
        """Remember the cards that are not remembered yet."""
        self.played += [code for code in codes if code not in self.played]


def _exit_status(code: object) -> int:
    """Return the exit status for the value that a program gave to `sys.exit`, as Python does.

    Print the value to stderr if it is neither an integer nor None.
    """
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


def explained(game: Game, error: Exception) -> CourseError:
    """Return the CourseError to raise in place of an error that has ended the game.

    The new error names the line of the student's file, or of the notebook's cell, and the command
    that says more. If the old error was raised inside of a function, print its traceback as well,
    because the calls that led to the error matter. An unwritten definition needs no traceback.
    """
    files: dict[str, tuple[StageWork, str]] = {}
    for work in game.works:
        for module in work.modules:
            files[f"{module}.py"] = (work, module)
    spot = _spot(error, files)
    if spot is None:
        played = game.works[-1]
        return CourseError(f"{played.where}: {_words(error)}; `{game.check(played)}` says more")
    work, module = files[spot.filename]
    advice = f"`{game.check(work)}` says more"
    place = work.place(module, spot.lineno or 1)
    if isinstance(error, NotImplementedError):
        task = ""
        if str(error):
            task = f" ({error})"
        return UsageError(f"{place}: not written yet{task}; {advice}")
    if spot.name == TOP_LEVEL:
        return CourseError(f"{place}: {_words(error)} in `{spot.line}`; {advice}")
    sys.stdout.flush()
    shown = traceback.TracebackException.from_exception(error)
    shown.stack[:] = [frame for frame in shown.stack if not frame.filename.startswith(OURS)]
    print(*shown.format(), sep="", end="", file=sys.stderr)
    return CourseError(f"{place}: the game broke off here; {advice}")


def _spot(error: Exception, files: Collection[str]) -> traceback.FrameSummary | None:
    """Return the program's last line before the error, None if no line of the program ran.

    For a syntax error, return the line with the error.
    """
    if isinstance(error, SyntaxError) and error.filename in files:
        return traceback.FrameSummary(error.filename or "", error.lineno or 1, TOP_LEVEL)
    last = None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename in files:
            last = frame
    return last


def _words(error: Exception) -> str:
    """Return the error as Python words it: its class, and its text if it has one.

    For a SyntaxError, leave out the file and the line, because the caller's message names them.
    """
    text = str(error)
    if isinstance(error, SyntaxError):
        text = error.msg
    if not text:
        return type(error).__name__
    return f"{type(error).__name__}: {text}"
