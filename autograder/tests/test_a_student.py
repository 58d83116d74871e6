"""The script `a_student.py` prints ? for a card suit that a log on Windows cannot hold."""

import io
import sys
from contextlib import redirect_stdout

import a_student

SHOWS_SUITS = [sys.executable, "-c", "print('✗ a spade is ♠')"]


def test_what_the_command_prints_is_shown_where_the_log_has_no_suits(tmp_path):
    log = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    with redirect_stdout(log):
        assert a_student.hearts("check", folder=tmp_path, program=SHOWS_SUITS) == "✗ a spade is ♠\n"
    log.flush()
    assert log.buffer.getvalue() == b"$ hearts check\n? a spade is ?\n\n"
