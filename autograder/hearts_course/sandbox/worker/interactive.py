"""A program that is talked to while it runs: through pipes, or through a terminal of its own."""

import os
import select
import signal
import time
from contextlib import suppress

from .script import MAX_OUTPUT_BYTES, become_script, fork_script, script, too_much

INTERRUPTS = 5
REACTION_SECONDS = 0.3
LOOK_SECONDS = 0.005
ECHO = b"^C\r\n"  # what a terminal itself says to Ctrl-C


def _has_terminals() -> bool:
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


class InteractiveProgram:
    """A running script and what it has said so far."""

    def __init__(
        self, name: str, arguments: list[str], terminal: bool, *, confined: bool = False
    ) -> None:
        """Starts the module as a script. In a terminal its complaints come with the rest.

        A sandbox may have no terminals (sandlock has none): then pipes have to do.
        """
        code = script(name, arguments)
        self._terminal = terminal = terminal and _has_terminals()
        self._out, self._err, self._heard = bytearray(), bytearray(), 0
        if terminal:
            import pty

            self._child, self._in = pty.fork()
            if self._child == 0:
                become_script(code, confined=confined)
            self._streams = {self._in: self._out}
        else:
            self._child, self._in, out, err = fork_script(code, confined=confined)
            self._streams = {out: self._out, err: self._err}
        self._open = set(self._streams)
        self._status: int | None = None

    def hear(self, until: list[str]) -> tuple[str, int | None]:
        """What it says, up to and including the first of these texts, or all until it ends.

        With it comes its exit status, None as long as it runs. Raises ValueError if it says more
        than a test can want to read.
        """
        while True:
            fresh = self._text(self._out[self._heard :])
            ends = [fresh.index(text) + len(text) for text in until if text in fresh]
            if ends or not self._more():
                heard = fresh[: min(ends)] if ends else fresh
                rest = len(self._encode(fresh[len(heard) :]))
                self._heard = len(self._out) - rest
                return heard, None if ends else self._status_soon()

    def say(self, text: str) -> None:
        """Type the text; nothing happens if the program has stopped listening."""
        with suppress(OSError):
            os.write(self._in, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C, and again if nothing comes of it.

        Python takes note of a signal between two steps. One that comes just before it waits for
        input is noticed only when that has come, which can be never.
        """
        for _ in range(INTERRUPTS):
            before = len(self._out)
            self._press_interrupt()
            while self._open and select.select(list(self._open), [], [], REACTION_SECONDS)[0]:
                self._more()
                if not self._open or self._out[before:].strip(ECHO):
                    return

    def _press_interrupt(self) -> None:
        if self._terminal:
            self.say("\x03")
        else:
            self._press(signal.SIGINT)

    def _press(self, sent: signal.Signals) -> None:
        """Send the program a signal, unless it has ended and its number may be another's."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._child, sent)

    def end_input(self) -> None:
        """Press Ctrl-D, or close the pipe."""
        if self._terminal:
            self.say("\x04")
        else:
            with suppress(OSError):
                os.close(self._in)

    def finish(self) -> tuple[bytes, bytes, int]:
        """All that it has said and complained of, and its exit status, once it has ended.

        Raises ValueError if that is more than a test can want to read.
        """
        while self._more():
            continue
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        return self._text(self._out).encode(), bytes(self._err), self._status

    def _status_soon(self) -> int | None:
        """The exit status of who says nothing more; None if it runs on in silence."""
        deadline = time.monotonic() + REACTION_SECONDS
        while self._status is None and time.monotonic() < deadline:
            child, status = os.waitpid(self._child, os.WNOHANG)
            if child:
                self._status = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(LOOK_SECONDS)
        return self._status

    def _more(self) -> bool:
        """Wait for output; False when there will be no more."""
        if not self._open:
            return False
        for stream in select.select(list(self._open), [], [])[0]:
            try:
                chunk = os.read(stream, 2**16)
            except OSError:  # what a terminal says when nobody is left in it
                chunk = b""
            self._streams[stream] += chunk
            if not chunk:
                self._open.discard(stream)
        if max(len(self._out), len(self._err)) > MAX_OUTPUT_BYTES:
            self._press(signal.SIGKILL)
            raise too_much()
        return True

    def _text(self, said: bytes | bytearray) -> str:
        text = bytes(said).decode("utf-8", "replace")
        return text.replace("\r\n", "\n") if self._terminal else text

    def _encode(self, text: str) -> bytes:
        return (text.replace("\n", "\r\n") if self._terminal else text).encode()
