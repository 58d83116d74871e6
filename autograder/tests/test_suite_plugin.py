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


def test_stages_side_by_side_share_their_objects(tmp_path: Path) -> None:
    (tmp_path / "cards.py").write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "coins.py").write_text("from cards import Coin\n", encoding="utf-8")
    (tmp_path / "legal.py").write_text(SHOP, encoding="utf-8")
    (tmp_path / "test_mine.py").write_text(TEST, encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
