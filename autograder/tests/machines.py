"""Simulated machines: network namespaces, each with its own address, joined by a bridge."""

import os
import subprocess
from contextlib import ExitStack, suppress
from types import TracebackType

NETWORK = "10.213.7"


class Machines:
    """A hub, which holds the bridge, and some machines around it."""

    def __init__(self, number: int) -> None:
        """Raise OSError or CalledProcessError where namespaces are not available."""
        self._names = [f"hearts-{os.getpid()}-{n}" for n in range(number + 1)]
        with ExitStack() as undo:
            undo.callback(self.remove)
            for name in self._names:
                _ip("netns", "add", name)
                _ip("-n", name, "link", "set", "lo", "up")
            self._connect()
            undo.pop_all()

    def _connect(self) -> None:
        hub, *others = self._names
        _ip("-n", hub, "link", "add", "bridge", "type", "bridge")
        _ip("-n", hub, "addr", "add", f"{self.address(0)}/24", "dev", "bridge")
        _ip("-n", hub, "link", "set", "bridge", "up")
        for number, name in enumerate(others, start=1):
            ends = ("link", "add", f"to-{number}", "type", "veth", "peer", "eth0", "netns", name)
            _ip("-n", hub, *ends)
            _ip("-n", hub, "link", "set", f"to-{number}", "master", "bridge", "up")
            _ip("-n", name, "addr", "add", f"{self.address(number)}/24", "dev", "eth0")
            _ip("-n", name, "link", "set", "eth0", "up")

    def address(self, number: int) -> str:
        """Return a machine's address; the hub is machine 0."""
        return f"{NETWORK}.{number + 1}"

    def within(self, number: int) -> list[str]:
        """Return the beginning of a command that runs on a machine."""
        return ["ip", "netns", "exec", self._names[number]]

    def cut_off(self, number: int) -> None:
        """Cut a machine's connection without any notice."""
        _ip("-n", self._names[0], "link", "set", f"to-{number}", "down")

    def remove(self) -> None:
        """Remove the hub and all machines."""
        for name in self._names:
            with suppress(subprocess.CalledProcessError):
                _ip("netns", "del", name)

    def __enter__(self) -> "Machines":
        """Return the machines."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
