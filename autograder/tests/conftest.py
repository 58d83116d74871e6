"""What all tests of the tool need."""

import signal


def pytest_configure() -> None:
    """Take interrupts as Python does, also where we run in the background and they are ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
