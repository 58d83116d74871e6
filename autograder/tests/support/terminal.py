"""Run the command `hearts` in a terminal of its own, so that a test can type there."""

import io
import os
import re
import sys

import pexpect

SECONDS = 20
REACTION_SECONDS = 1
INTERRUPTS = 5
CONTROL = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]|\r")  # what line editing sends to the terminal


class Terminal:
    """A running `hearts` and everything that its terminal has shown."""

    def __init__(self, *arguments, cwd):
        self._log = io.StringIO()
        self._child = pexpect.spawn(
            sys.executable,
            ["-m", "hearts_course", *arguments],
            cwd=str(cwd),
            env={**os.environ, "TERM": "xterm", "INPUTRC": os.devnull},
            dimensions=(50, 200),
            encoding="utf-8",
            codec_errors="replace",
            timeout=SECONDS,
        )
        self._child.logfile_read = self._log
        self._child.delaybeforesend = None

    @property
    def text(self):
        """Everything that was shown, without control characters."""
        return CONTROL.sub("", self._log.getvalue())

    def expect(self, until):
        """Return what the terminal shows next, up to and with the text, or up to the end."""
        self._child.expect_exact([until.replace("\n", "\r\n"), pexpect.EOF])
        after = self._child.after if isinstance(self._child.after, str) else ""
        return CONTROL.sub("", self._child.before + after)

    def send(self, line):
        """Type a line."""
        self._child.send(f"{line}\n")

    def interrupt(self):
        """Press Ctrl-C, again if nothing happens, and return the exit status.

        Python may miss a signal that comes just before it waits for input.
        """
        for _ in range(INTERRUPTS):
            self._child.sendintr()
            if self._child.expect([pexpect.EOF, pexpect.TIMEOUT], REACTION_SECONDS) == 0:
                break
        return self.finish()

    def finish(self):
        """Wait until `hearts` ends, and return its exit status."""
        self._child.expect(pexpect.EOF)
        return self._child.wait()
