"""Settings for all tests of the tool."""

import os
import signal


def pytest_configure():
    """Handle interrupts, which a shell turns off for processes in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers():
    """Return one worker more than there are processors, because many tests wait for a timeout."""
    return (os.cpu_count() or 1) + 1
