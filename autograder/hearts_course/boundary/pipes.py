"""The three pipes of one process: frames go in, messages come out, and no wait is unbounded.

PolledPipes    waits on all three at once, by `poll`; nothing stands between asker and answer
ThreadedPipes  a thread for each, where pipes cannot be polled (Windows)
"""

import contextlib
import os
import queue
import select
import threading
import time
from typing import IO, Any, Protocol

from hearts_course.boundary.farside.wire import WireError, unpack
from hearts_course.boundary.process import Process

CHUNK_BYTES = 2**16


class Pipes(Protocol):
    """What carries questions to a process and its answers back."""

    flooded: bool

    def send(self, frame: bytes) -> None:
        """Send the frame, now or while waiting for the answer."""

    def receive(self, deadline: float) -> Any:
        """The next message. `deadline` is a time of `time.monotonic`, in seconds.

        Raises TimeoutError if it has passed, EOFError if the process is gone, WireError if what
        came is no message.
        """

    def drain(self) -> None:
        """Take all that has been printed, so that no test can tell what an earlier one printed."""

    def close(self) -> int | None:
        """Kill the process and close the pipes; returns how it ended, where that is known."""


class PolledPipes:
    """The pipes, read and written by whoever waits for an answer."""

    def __init__(self, process: Process, output_bytes: int) -> None:
        """Kills the process when it has printed more than `output_bytes`."""
        self._process = process
        self._room = output_bytes
        self.flooded = False
        self._heard, self._to_say = bytearray(), bytearray()
        self._in, self._out, self._err = (
            stream.fileno() for stream in (process.stdin, process.stdout, process.stderr)
        )
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._ended = False

    def send(self, frame: bytes) -> None:
        """Send the frame, as much as fits now, the rest while waiting for the answer."""
        waiting = bool(self._to_say)
        self._to_say += frame
        if not waiting:
            self._write()
            if self._to_say:
                self._poll.register(self._in, select.POLLOUT)

    def receive(self, deadline: float) -> Any:
        """The next message; raises TimeoutError, EOFError or WireError."""
        return unpack(lambda size: self._take(size, deadline))

    def drain(self) -> None:
        """Take all that has been printed."""
        while not self.flooded and select.select([self._err], [], [], 0)[0]:
            if not self._drain():
                return

    def close(self) -> int | None:
        """Kill the process and close the pipes; returns how it ended, where that is known."""
        status = self._process.kill()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                stream.close()
        return status

    def _take(self, size: int, deadline: float) -> bytes:
        while not (self._heard or self._ended):
            self._wait(deadline)
        taken = bytes(self._heard[:size])
        del self._heard[:size]
        return taken

    def _wait(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        ready = self._poll.poll(max(0.0, left * 1000))
        if not ready or left < 0:
            raise TimeoutError
        for stream, _ in ready:
            if stream == self._in:
                self._write()
            elif stream == self._out:
                self._hear()
            else:
                self._drain()

    def _write(self) -> None:
        try:
            del self._to_say[: os.write(self._in, self._to_say)]
        except BlockingIOError:
            return
        except OSError:  # nobody is left to read it
            self._to_say.clear()
        if not self._to_say:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._in)

    def _hear(self) -> None:
        chunk = self._read(self._out)
        self._heard += chunk
        self._ended = not chunk

    def _drain(self) -> bool:
        """Take some of what was printed; False if there will be no more."""
        printed = self._read(self._err)
        self._room -= len(printed)
        if self._room < 0 and not self.flooded:
            self.flooded = True
            self._process.kill()
        return bool(printed)

    def _read(self, stream: int) -> bytes:
        """What there is; nothing more is asked of a stream that has ended."""
        try:
            chunk = os.read(stream, CHUNK_BYTES)
        except OSError:
            chunk = b""
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(stream)
        return chunk


class ThreadedPipes:
    """The pipes, each served by a thread."""

    def __init__(self, process: Process, output_bytes: int) -> None:
        """Kills the process when it has printed more than `output_bytes`."""
        self._process = process
        self._room = output_bytes
        self.flooded = False
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for work, stream in (
            (self._write, process.stdin),
            (self._read, process.stdout),
            (self._drain, process.stderr),
        ):
            threading.Thread(target=work, args=(stream,), daemon=True).start()

    def send(self, frame: bytes) -> None:
        """Leave the frame to the thread that writes."""
        self._outbox.put(frame)

    def receive(self, deadline: float) -> Any:
        """The next message; raises TimeoutError, EOFError or WireError."""
        try:
            message = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(message, EOFError | WireError):
            self._inbox.put(message)  # whoever asks again is told again
            raise message
        return message

    def drain(self) -> None:
        """A thread does so all the time."""

    def close(self) -> int | None:
        """Kill the process and let the threads end; returns how it ended, where that is known."""
        status = self._process.kill()
        self._outbox.put(None)
        return status

    def _write(self, stdin: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError), stdin:
            while (frame := self._outbox.get()) is not None:
                stdin.write(frame)
                stdin.flush()

    def _read(self, stdout: IO[bytes]) -> None:
        with contextlib.suppress(OSError), stdout:
            try:
                while True:
                    self._inbox.put(unpack(stdout.read))
            except (EOFError, WireError) as error:
                self._inbox.put(error)

    def _drain(self, stderr: IO[bytes]) -> None:
        with contextlib.suppress(OSError), stderr:
            while chunk := stderr.read(CHUNK_BYTES):
                self._room -= len(chunk)
                if self._room < 0 and not self.flooded:
                    self.flooded = True
                    self._process.kill()


def open_pipes(process: Process, output_bytes: int) -> Pipes:
    """The pipes of the process, polled where that can be done."""
    if hasattr(select, "poll"):
        return PolledPipes(process, output_bytes)
    return ThreadedPipes(process, output_bytes)
