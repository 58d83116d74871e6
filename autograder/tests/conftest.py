"""What all tests of the tool need."""

import os
import signal


def pytest_configure() -> None:
    """Take interrupts as Python does, also where we run in the background and they are ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are processors: many tests wait for an end to come by itself."""
    return (os.cpu_count() or 1) + 1
