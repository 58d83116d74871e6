"""The command `hearts` in a terminal of its own, which a test types into."""

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

TAKE_TERMINAL = f"""
import fcntl, os, sys
fcntl.ioctl(0, {termios.TIOCSCTTY}, 0)
os.execv(sys.executable, [sys.executable, "-m", "hearts_course", *sys.argv[1:]])
"""
PATIENCE = 20.0
PRESSES, REACTION = 5, 0.5
ECHO = "^CD\b\n"  # what a terminal itself shows of a key that ends something
CONTROL = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]")  # what line editing tells the terminal


class Terminal:
    """A running `hearts`, and all that its terminal has shown."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, bytes([50, 0, 200, 0, 0, 0, 0, 0]))
        self._process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            env={**os.environ, "TERM": "xterm", "INPUTRC": os.devnull},
            start_new_session=True,
        )
        os.close(theirs)
        self._shown = b""
        self._heard = 0

    @property
    def text(self) -> str:
        """All that was shown, as a person reads it."""
        text = self._shown.decode("utf-8", "replace").replace("\r\n", "\n")
        return CONTROL.sub("", text).replace("\r", "")

    def hear(self, until: str) -> str:
        """What it shows from now on up to that text, or else up to its end."""
        deadline = time.monotonic() + PATIENCE
        while until not in self.text[self._heard :] and self._more(deadline - time.monotonic()):
            continue
        fresh = self.text[self._heard :]
        heard = fresh[: fresh.index(until) + len(until)] if until in fresh else fresh
        self._heard += len(heard)
        return heard

    def say(self, line: str) -> None:
        """Type a line."""
        os.write(self._ours, f"{line}\n".encode())

    def press(self, key: str) -> None:
        """Press a key such as Ctrl-C, and again if nothing comes of it.

        A signal that comes just before Python waits for input may go unnoticed.
        """
        before = len(self.text)
        for _ in range(PRESSES):
            os.write(self._ours, key.encode())
            while self._more(REACTION):
                if self.text[before:].strip(ECHO):
                    return

    def finish(self) -> int:
        """The exit status, once it has ended."""
        while self._more(PATIENCE):
            continue
        os.close(self._ours)
        return self._process.wait(PATIENCE)

    def _more(self, seconds: float) -> bool:
        """Whether more was shown within so many seconds."""
        if not select.select([self._ours], [], [], max(0.0, seconds))[0]:
            return False
        try:
            chunk = os.read(self._ours, 2**16)
        except OSError:  # what a terminal says when nobody is left in it
            return False
        self._shown += chunk
        return bool(chunk)
