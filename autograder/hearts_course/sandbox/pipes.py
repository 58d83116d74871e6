"""The three pipes of one process: questions, answers, and how a test's process has ended.

Every wait has an end.

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

from hearts_course.sandbox.process import Process
from hearts_course.sandbox.worker.protocol import ProtocolError, unpack

CHUNK_BYTES = 2**16


class EndOfTest(Exception):
    """The test's process has ended before it answered."""


class Pipes(Protocol):
    """What carries questions to a process and its answers back.

    `apart` tells whether the end of a test comes by a pipe of its own.
    """

    apart: bool

    def send(self, frame: bytes) -> None:
        """Send the frame, now or while waiting for the answer."""

    def receive(self, deadline: float) -> Any:
        """The next answer. `deadline` is a time of `time.monotonic`, in seconds.

        Raises TimeoutError if it has passed, EOFError if the process is gone, ProtocolError if what
        came is no message, EndOfTest if what answered has ended.
        """

    def end_of_test(self, deadline: float) -> Any:
        """How the test's process has ended; what it had still to say is thrown away.

        Only the process that started it can tell. Raises TimeoutError, EOFError or ProtocolError.
        """

    def forget(self) -> None:
        """Throw away what was printed before there was a conversation."""

    def close(self) -> int | None:
        """Kill the process and close the pipes; returns how it ended, where that is known."""


class PolledPipes:
    """The pipes, read and written by whoever waits for an answer."""

    apart = True

    def __init__(self, process: Process) -> None:
        """Takes the pipes of the process."""
        self._process = process
        self._to_say = bytearray()
        self._in, self._out, self._err = (
            stream.fileno() for stream in (process.stdin, process.stdout, process.stderr)
        )
        self._heard = {self._out: bytearray(), self._err: bytearray()}
        self._open = {self._out, self._err}
        self._conversing = False  # before that a sandbox may complain by the pipe for ends
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    def send(self, frame: bytes) -> None:
        """Send the frame, as much as fits now, the rest while waiting for the answer."""
        waiting = bool(self._to_say)
        self._to_say += frame
        if not waiting:
            self._write()
            if self._to_say:
                self._poll.register(self._in, select.POLLOUT)

    def receive(self, deadline: float) -> Any:
        """The next answer; raises TimeoutError, EOFError, ProtocolError or EndOfTest."""
        return unpack(lambda size: self._take(size, deadline))

    def end_of_test(self, deadline: float) -> Any:
        """How the test's process has ended; raises TimeoutError, EOFError or ProtocolError."""
        told = unpack(lambda size: self._take_told(size, deadline))
        while self._read(self._out):
            continue
        self._heard[self._out].clear()
        return told

    def forget(self) -> None:
        """Throw away what was printed before there was a conversation."""
        while self._read(self._err):
            continue
        self._heard[self._err].clear()
        self._conversing = True

    def close(self) -> int | None:
        """Kill the process and close the pipes; returns how it ended, where that is known."""
        status = self._process.kill()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                stream.close()
        return status

    def _take(self, size: int, deadline: float) -> bytes:
        heard = self._heard[self._out]
        while not heard and self._out in self._open:
            if self._conversing and self._heard[self._err] and not self._read(self._out):
                raise EndOfTest
            if not heard:
                self._wait(deadline)
        return self._cut(heard, size)

    def _take_told(self, size: int, deadline: float) -> bytes:
        told = self._heard[self._err]
        while not told and self._err in self._open:
            self._wait(deadline)
        return self._cut(told, size)

    def _cut(self, heard: bytearray, size: int) -> bytes:
        taken = bytes(heard[:size])
        del heard[:size]
        return taken

    def _wait(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        ready = self._poll.poll(max(0.0, left * 1000))
        if not ready or left < 0:
            raise TimeoutError
        for stream, _ in ready:
            if stream == self._in:
                self._write()
            else:
                self._read(stream)

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

    def _read(self, stream: int) -> bool:
        """Keep what there is now; False if that is nothing. Ask no more of one that has ended."""
        if stream not in self._open:
            return False
        try:
            chunk = os.read(stream, CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        self._heard[stream] += chunk
        if not chunk:
            self._open.discard(stream)
            self._poll.unregister(stream)
        return bool(chunk)


class ThreadedPipes:
    """The pipes, each served by a thread, for a process that starts no other for its tests."""

    apart = False

    def __init__(self, process: Process) -> None:
        """Takes the pipes of the process."""
        self._process = process
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
        """The next message; raises TimeoutError, EOFError or ProtocolError."""
        try:
            message = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(message, EOFError | ProtocolError):
            self._inbox.put(message)  # whoever asks again is told again
            raise message
        return message

    def end_of_test(self, deadline: float) -> Any:
        """The process itself tells that the test has ended, as an answer."""
        return self.receive(deadline)

    def forget(self) -> None:
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
            except (EOFError, ProtocolError) as error:
                self._inbox.put(error)

    def _drain(self, stderr: IO[bytes]) -> None:
        with contextlib.suppress(OSError), stderr:
            while stderr.read(CHUNK_BYTES):
                continue


def open_pipes(process: Process) -> Pipes:
    """The pipes of the process, polled where that can be done."""
    if hasattr(select, "poll"):
        return PolledPipes(process)
    return ThreadedPipes(process)
