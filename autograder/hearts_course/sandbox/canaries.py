"""What lies outside a sandbox for a program to take, and whether it was touched.

Only what is seen here, outside, is believed: a program that has got out can say what it likes.
"""

import os
import secrets
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "HEARTS_DOCTOR"
VICTIM = ("sleep", "900")


@dataclass(frozen=True)
class Canaries:
    """A folder with a file, a process, and three servers: one of the network, two local ones."""

    token: str
    folder: Path
    victim: "subprocess.Popen[bytes]"
    servers: tuple[socket.socket, ...]

    @property
    def file(self) -> Path:
        """A file of the grader's, which holds the token."""
        return self.folder / "grades.csv"

    @property
    def places(self) -> list[Path]:
        """Where a program might leave a file."""
        folders = [Path.home(), Path.cwd(), self.folder, Path("/tmp"), Path("/dev/shm"), Path("/")]
        return [folder / f".hearts-doctor-{self.token}" for folder in folders]

    def written(self) -> str:
        """Which of these files there is now; it is taken away."""
        found = [place for place in self.places if place.exists()]
        for place in found:
            with suppress(OSError):  # one folder may be there under two names
                place.unlink()
        return f"wrote {found[0]}" if found else ""

    def changed(self) -> str:
        """What has become of the file, if it is not as it was."""
        if not self.file.exists() or self.file.read_text() != self.token:
            return f"changed {self.file}"
        return f"linked {self.file}" if self.file.stat().st_nlink > 1 else ""

    def reached(self) -> str:
        """Whether somebody has called one of the servers."""
        for server in self.servers:
            with suppress(BlockingIOError):
                server.accept()[0].close()
                return "reached a server of yours"
        return ""

    def hurt(self) -> str:
        """Whether the process has ended."""
        return "" if self.victim.poll() is None else "ended a process of yours"


@contextmanager
def lay_out() -> Iterator[Canaries]:
    """The bait, and a variable in our own environment; all of it is taken away afterwards."""
    token = secrets.token_hex(8)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = (
            _listening(stack, socket.AF_INET, ("127.0.0.1", 0)),
            _listening(stack, socket.AF_UNIX, str(folder / "socket")),
            _listening(stack, socket.AF_UNIX, f"\0{token}"),
        )
        os.environ[VARIABLE] = token
        stack.callback(os.environ.pop, VARIABLE, None)
        victim = subprocess.Popen(VICTIM)
        stack.callback(victim.wait)
        stack.callback(victim.kill)
        bait = Canaries(token, folder, victim, servers)
        bait.file.write_text(token)
        yield bait


def _listening(
    stack: ExitStack, family: socket.AddressFamily, address: str | tuple[str, int]
) -> socket.socket:
    server = stack.enter_context(socket.socket(family))
    server.bind(address)
    server.listen()
    server.setblocking(False)
    return server
