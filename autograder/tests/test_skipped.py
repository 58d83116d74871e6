"""Where no sandbox works, pytest prints how many tests are skipped, and why.

It prints this in its first and in its last line of output.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from proofs import proofs_after

TESTS = Path(__file__).parent
SETTINGS = """
[pytest]
addopts = -q --strict-markers
markers = needs_sandbox
"""
PRETENDED_MACHINE = """
from hearts_grader.sandbox import backends
backends.unavailable_reason = lambda name: {reason!r}
"""
SUITE = """
import pytest
from machine import sandboxes

@pytest.mark.needs_sandbox
@pytest.mark.parametrize("number", range(3))
def test_marked(number):
    pass

@pytest.mark.parametrize("name", sandboxes())
def test_in_each_sandbox(name):
    pass

@pytest.mark.skip(reason="of another reason")
def test_skipped_anyway():
    pass

@pytest.mark.needs_sandbox
def test_left_out():
    pass

def test_needs_nothing():
    pass
"""


@pytest.mark.parametrize(("workers", "works"), proofs_after(1, [(0, False), (2, False), (0, True)]))
def test_the_first_and_the_last_line_count_what_is_skipped(tmp_path, workers, works):
    for file in ("conftest.py", "support/machine.py"):
        shutil.copy(TESTS / file, tmp_path)
    plugin = PRETENDED_MACHINE.format(reason="" if works else "no luck")
    files = {"pytest.ini": SETTINGS, "pretended_machine.py": plugin, "test_some.py": SUITE}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    said = run_pytest(tmp_path, f"-n{workers}", "-k", "not left_out", "-p", "pretended_machine")
    lines = [line for line in said.splitlines() if not line.startswith("bringing up nodes")]
    counts = [
        re.match(r"(\d+) tests (are|were) skipped .*: no sandbox works", lines[place])
        for place in (0, -1)
    ]
    if works:
        assert counts == [None, None], said
    else:
        assert [count and count.groups() for count in counts] == [("4", "are"), ("4", "were")], said


def run_pytest(folder, *arguments):
    """Return what pytest prints in the folder.

    If pytest stalls, start it again, because two workers of xdist were once seen to stall.
    """
    for seconds in (20, 30, 60):
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *arguments],
                cwd=folder,
                env=os.environ | {"PYTHONPATH": str(folder)},
                capture_output=True,
                text=True,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired as stalled:
            report = stalled
        else:
            return done.stdout
    pytest.fail(f"pytest stalled three times; it printed: {report.stdout} {report.stderr}")
