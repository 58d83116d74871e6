"""Consoles that cannot print ♣ or ✓ print a `?` in its place; they never end a command."""

import io
import sys


def make_stdout_tolerant() -> None:
    """Make the standard streams replace what their encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
