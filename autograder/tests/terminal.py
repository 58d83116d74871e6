"""The command `hearts` in its own terminal, in which a test types."""

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time

TAKE_TERMINAL = f"""
import fcntl, os, sys
fcntl.ioctl(0, {termios.TIOCSCTTY}, 0)
os.execv(sys.executable, [sys.executable, "-m", "hearts_course", *sys.argv[1:]])
"""
PATIENCE = 20.0
PRESSES, REACTION = 5, 0.5
ECHO = "^CD\b\n"  # characters that a terminal shows for the keys Ctrl-C and Ctrl-D
CONTROL = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]")  # sent by line editing


class Terminal:
    """A running `hearts` and what its terminal has shown."""

    def __init__(self, *arguments, cwd):
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
        self._read = 0

    @property
    def text(self):
        """All that was shown, as a person reads it."""
        text = self._shown.decode("utf-8", "replace").replace("\r\n", "\n")
        return CONTROL.sub("", text).replace("\r", "")

    def expect(self, until):
        """Return what it shows next, up to that text, or up to its end if it never shows it."""
        deadline = time.monotonic() + PATIENCE
        while until not in self.text[self._read :] and self._more(deadline - time.monotonic()):
            continue
        unread = self.text[self._read :]
        found = unread[: unread.index(until) + len(until)] if until in unread else unread
        self._read += len(found)
        return found

    def send(self, line):
        """Type a line."""
        os.write(self._ours, f"{line}\n".encode())

    def press(self, key):
        """Press a key such as Ctrl-C, and press it again if nothing happens.

        Python may miss a signal that comes just before it waits for input.
        """
        before = len(self.text)
        for _ in range(PRESSES):
            os.write(self._ours, key.encode())
            while self._more(REACTION):
                if self.text[before:].strip(ECHO):
                    return

    def finish(self):
        """Wait for its end, and return the exit status."""
        while self._more(PATIENCE):
            continue
        os.close(self._ours)
        return self._process.wait(PATIENCE)

    def _more(self, seconds):
        """Return whether it shows more within so many seconds."""
        if not select.select([self._ours], [], [], max(0.0, seconds))[0]:
            return False
        try:
            chunk = os.read(self._ours, 2**16)
        except OSError:  # a terminal without processes cannot be read
            return False
        self._shown += chunk
        return bool(chunk)
