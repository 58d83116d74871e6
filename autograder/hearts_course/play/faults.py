"""What is said when a game cannot be run or breaks off: where, what, and which command helps."""

import sys
import traceback
from dataclasses import dataclass

from hearts_course.errors import CourseError, UsageError
from hearts_course.play.game import Game
from hearts_course.student.work import StageWork

TOP_LEVEL = "<module>"


@dataclass(frozen=True)
class Spot:
    """A line of the program, and the function that it is in."""

    work: StageWork
    module: str
    line: int
    function: str

    @property
    def place(self) -> str:
        """The line, as whoever wrote it finds it."""
        return self.work.place(self.module, self.line)

    @property
    def text(self) -> str:
        """What is written there."""
        lines = self.work.modules[self.module].splitlines()
        return lines[self.line - 1].strip() if self.line <= len(lines) else ""


def explain(game: Game, error: Exception) -> CourseError:
    """The fault to raise for an error that has ended the game.

    An error amid a game is first shown as Python shows it, since the way to it matters.
    """
    spot = _spot(game, error)
    if spot is None:
        return CourseError(f"{game.works[-1].where}: {_words(error)}; {_mend(game)}")
    if isinstance(error, NotImplementedError):
        task = f" ({error})" if str(error) else ""
        return UsageError(f"{spot.place}: not written yet{task}; {_mend(game, spot)}")
    if spot.function == TOP_LEVEL:
        what = f"{_words(error)} in `{spot.text}`"
        return CourseError(f"{spot.place}: {what}; {_mend(game, spot)}")
    _show(error)
    return CourseError(f"{spot.place}: the game broke off here; {_mend(game, spot)}")


def _spot(game: Game, error: Exception) -> Spot | None:
    """The last line of the program on the way to the error, None if it did not get so far."""
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
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _mend(game: Game, spot: Spot | None = None) -> str:
    work = spot.work if spot else game.works[-1]
    return f"`{game.check(work)}` says more"


def _show(error: Exception) -> None:
    """The traceback without our own frames, which come first."""
    sys.stdout.flush()
    frames = error.__traceback__.tb_next if error.__traceback__ else None
    traceback.print_exception(type(error), error, frames)
