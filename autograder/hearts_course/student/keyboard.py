"""Single keys from the terminal, as `hearts watch` reads them."""

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from hearts_course.student.stage_checks import Quit


class Keyboard:
    """Reads single keys. Where the system cannot do this, only Ctrl-C ends the watch."""

    def __init__(self, terminal: TextIO) -> None:
        """Remember the terminal; nothing changes in it until the first `with`."""
        self._terminal = terminal
        self._before: list[Any] | None = None
        self._waiting = ""  # keys that were pressed during a check

    def __enter__(self) -> "Keyboard":
        """Let each key arrive at once, without Enter."""
        self._before = None
        try:
            import termios
            import tty
        except ImportError:  # Windows
            return self
        with suppress(termios.error, OSError, ValueError):  # the input may not be a terminal
            self._before = termios.tcgetattr(self._terminal)
            tty.setcbreak(self._terminal)
        return self

    def __exit__(self, *exc: object) -> None:
        """Restore the terminal."""
        if self._before is not None:
            import termios

            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Restore the terminal while the `with` block runs, so that a command can read from it."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()

    def has_key(self) -> bool:
        """Return whether a key was pressed, and keep it for `read`; raise Quit if it is q."""
        key = self._read(0.0)
        if key == "q":
            raise Quit
        self._waiting += key
        return bool(self._waiting)

    def read(self, seconds: float) -> str:
        """Return the next key, "" if none was pressed in that time."""
        if self._waiting:
            key = self._waiting[0]
            self._waiting = self._waiting[1:]
            return key
        return self._read(seconds)

    def _read(self, seconds: float) -> str:
        """Return the next key in small letters, "" if none is pressed in that time."""
        if self._before is not None:
            ready, _, _ = select.select([self._terminal], [], [], seconds)
            if not ready:
                return ""
            return self._terminal.read(1).lower()
        time.sleep(seconds)
        with suppress(ImportError):
            import msvcrt

            if msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
                return str(msvcrt.getwch()).lower()  # type: ignore[attr-defined, unused-ignore]
        return ""
