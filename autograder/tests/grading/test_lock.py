"""Two graders never work in one folder."""

import os
import subprocess
import sys

import pytest
from hearts_course.errors import UsageError
from hearts_course.grading.store import claim

HOLD = """
import sys
from pathlib import Path
from hearts_course.grading.store import claim

with claim(Path(sys.argv[1]), Path("out")):
    print("mine", flush=True)
    sys.stdin.read()
"""


def test_the_second_is_told_who_was_first_until_that_ends_even_by_a_kill(tmp_path):
    path = tmp_path / "out/.hearts/lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    first = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with first:
        assert first.stdout.readline() == "mine\n"
        with pytest.raises(UsageError) as fault, claim(path, tmp_path / "out"):
            pass
        assert str(fault.value) == (
            f"{tmp_path}/out: another grader, process {first.pid}, is at work in it; "
            "wait until it has ended, or choose another folder with --out"
        )
        first.kill()
        first.wait()
    with claim(path, tmp_path / "out"):
        assert path.read_text() == str(os.getpid())
    with claim(path, tmp_path / "out"):
        pass


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "out").write_text("a file")
    with (
        pytest.raises(UsageError, match="choose another folder"),
        claim(tmp_path / "out/.hearts/lock", tmp_path / "out"),
    ):
        pass


def test_a_full_disk_does_not_unlock(tmp_path, monkeypatch):
    def full(*_):
        raise OSError

    monkeypatch.setattr(os, "pwrite", full)
    path = tmp_path / "lock"
    with (
        claim(path, tmp_path),
        pytest.raises(UsageError, match="that has just started"),
        claim(path, tmp_path),
    ):
        pass
