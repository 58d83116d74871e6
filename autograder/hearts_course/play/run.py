"""Running a game in this process and its terminal, as Python runs a script."""

import importlib
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from hearts_course.play.faults import explain
from hearts_course.play.game import Game
from hearts_course.sandbox.worker.script import ProgramFinder, compile_script


def run(game: Game, arguments: Sequence[str]) -> int:
    """Run the game with these arguments to its end; returns its exit status.

    Raises CourseError if it breaks off: in a line of its own, or behind a traceback of its frames.
    An interrupt that the game does not answer, and a closed pipe, are raised as they are.
    """
    _edit_lines()
    with _as_program(game.modules) as main:
        try:
            exec(compile_script(game.module, list(arguments)), vars(main))
        except SystemExit as end:
            return _status(end.code)
        except BrokenPipeError:
            raise
        except Exception as error:
            raise explain(game, error) from None
    return 0


def _edit_lines() -> None:
    """Let `input` edit lines and remember them, as Python's own prompt does, where it can.

    Only in a terminal: into a pipe, `readline` may write what a terminal takes for commands.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):
            importlib.import_module("readline")


@contextmanager
def _as_program(modules: Mapping[str, str]) -> Iterator[types.ModuleType]:
    """A fresh `__main__` that imports these modules; afterwards all is as it was before."""
    names = (*modules, "__main__")
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    arguments, finder, main = sys.argv, ProgramFinder(modules), types.ModuleType("__main__")
    sys.modules["__main__"] = main
    sys.meta_path.insert(0, finder)
    try:
        yield main
    finally:
        sys.meta_path.remove(finder)
        sys.argv = arguments
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def _status(code: object) -> int:
    """The exit status that Python makes of what a program ended with."""
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1
