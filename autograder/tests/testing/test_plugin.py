"""Plain pytest beside a student's files, as anybody may run it."""

import os
import subprocess
import sys
from pathlib import Path

from tiny_course import REFERENCE

SHOP = """
from coins import Coin


def worth(coin):
    return isinstance(coin, Coin) and coin.worth
"""
TEST = '''
import pytest


@pytest.mark.task("worth")
def test_worth(cards, legal, stdlib, source):
    """Modules of two stages know each other's objects."""
    coin = cards.Coin("dime")
    assert legal.worth(coin) == 10
    assert stdlib("builtins").isinstance(coin, cards.Coin) is True
    assert "class Coin" in source["cards"]
'''


SCRIPT = """
from cards import Coin

if __name__ == "__main__":
    print(Coin(input()).worth)
"""
TALK = '''
import pytest


@pytest.mark.task("worth")
def test_as_a_script(run, start):
    """A program is run, and talked to."""
    assert run("legal", stdin="dime\\n").out == b"10\\n"
    talk = start("legal")
    talk.say("penny\\n")
    assert talk.finish().out == b"1\\n"
'''


def test_stages_side_by_side_share_their_objects(tmp_path: Path) -> None:
    passes(tmp_path, cards=REFERENCE, coins="from cards import Coin\n", legal=SHOP, test_mine=TEST)


def test_programs_are_run_as_scripts(tmp_path: Path) -> None:
    passes(tmp_path, cards=REFERENCE, legal=SCRIPT, test_mine=TALK)


def passes(folder: Path, **files: str) -> None:
    """The folder's one test passes when plain pytest runs it."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
