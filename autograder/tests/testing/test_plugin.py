"""The fixtures for suites work in the grader's sandboxes and under plain pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from machine import sandboxes
from tiny_course import REFERENCE, write_stage
from tiny_grade import EVERY_FIXTURE, SCRIPT, all_tests, grade


@pytest.mark.alone
@pytest.mark.parametrize("sandbox", [*sandboxes(), "none"])
def test_a_suite_can_run_talk_to_read_and_vary_a_program(tmp_path: Path, sandbox: str) -> None:
    stage = write_stage(tmp_path, VISIBLE=EVERY_FIXTURE, HIDDEN="")
    result = grade(stage, REFERENCE + SCRIPT, sandbox=sandbox)
    assert [(test.outcome, test.message) for test in all_tests(result)] == [("passed", "")] * 4


OF_TWO_STAGES = {
    "cards": REFERENCE,
    "coins": "from cards import Coin\n",
    "legal": """
from coins import Coin


def worth(coin):
    return isinstance(coin, Coin) and coin.worth


if __name__ == "__main__":
    print(Coin(input()).worth)
""",
    "test_mine": '''
import pytest


@pytest.mark.task("worth")
def test_worth(cards, legal, stdlib, source, typed):
    """Modules of two stages know each other's objects."""
    assert typed("faces = ['dime']\\nfaces.clear()\\nCoin('dime').worth, faces", cards) == (10, [])
    coin = cards.Coin("dime")
    assert legal.worth(coin) == 10
    assert stdlib("builtins").isinstance(coin, cards.Coin) is True
    assert "class Coin" in source["cards"]


@pytest.mark.task("worth")
def test_as_a_script(run, start):
    """A program is run, and talked to."""
    assert run("legal", stdin="dime\\n").out == b"10\\n"
    session = start("legal")
    session.send("penny\\n")
    assert session.finish().out == b"1\\n"
''',
}


def test_plain_pytest_runs_a_suite_beside_the_programs_of_two_stages(tmp_path: Path) -> None:
    for name, text in OF_TWO_STAGES.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
