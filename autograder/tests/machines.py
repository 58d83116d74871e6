"""Machines of a sort: network namespaces with addresses of their own, joined by a bridge."""

import os
import subprocess
from contextlib import ExitStack, suppress
from types import TracebackType

NETWORK = "10.213.7"


class Machines:
    """A hub, which holds the bridge, and some machines around it; all of them go in the end."""

    def __init__(self, number: int) -> None:
        """Raises OSError or CalledProcessError where that cannot be had."""
        self._names = [f"hearts-{os.getpid()}-{n}" for n in range(number + 1)]
        with ExitStack() as undo:
            undo.callback(self.remove)
            for name in self._names:
                _ip("netns", "add", name)
                _ip("-n", name, "link", "set", "lo", "up")
            self._lay_cables()
            undo.pop_all()

    def _lay_cables(self) -> None:
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
        """Where a machine is; the hub is machine 0."""
        return f"{NETWORK}.{number + 1}"

    def within(self, number: int) -> list[str]:
        """What runs a command on a machine."""
        return ["ip", "netns", "exec", self._names[number]]

    def cut_off(self, number: int) -> None:
        """Cut a machine's cable: nobody is told."""
        _ip("-n", self._names[0], "link", "set", f"to-{number}", "down")

    def remove(self) -> None:
        """Let there be none of them."""
        for name in self._names:
            with suppress(subprocess.CalledProcessError):
                _ip("netns", "del", name)

    def __enter__(self) -> "Machines":
        """The machines."""
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
