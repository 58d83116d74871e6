"""Time the reference of UVa 181 and a plain solution in one file, and print the ratio.

    python autograder/tests/bench/bench_uva181.py [--decks 10000] [--rounds 3]

Both programs run as the judge runs them, in turn, on the same decks, and must print the same
scores. The time is processor time, so other work on the machine does not count. The start of Python
does count.
"""

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from hearts_course.course import find_course
from rich.console import Console
from rich.table import Table

STAGE = "03"
PLAIN = Path(__file__).with_name("plain_uva181.py")
PACK = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Time the reference beside a one-file solution.")
    parser.add_argument("--decks", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, in turn")
    options = parser.parse_args()
    decks = judge_file(options.decks).encode()
    with TemporaryDirectory() as folder:
        programs = {"reference": lay_out_reference(Path(folder)), "one file": PLAIN}
        seconds: dict[str, list[float]] = {name: [] for name in programs}
        printed = set()
        for _ in range(options.rounds):
            for name, program in programs.items():
                took, scores = run(program, decks)
                seconds[name].append(took)
                printed.add(scores)
    if len(printed) > 1:
        raise SystemExit("the reference and the one file print different scores; compare them")
    report(options.decks, {name: min(times) for name, times in seconds.items()})


def judge_file(number: int) -> str:
    """Return this many shuffled decks in the judge's format, the same decks every time."""
    chance = random.Random(181)
    decks = (chance.sample(PACK, len(PACK)) for _ in range(number))
    lines = (" ".join(deck[at : at + 13]) for deck in decks for at in range(0, 52, 13))
    return "\n".join([*lines, "#", ""])


def lay_out_reference(folder: Path) -> Path:
    """Write the reference and its earlier stages into the folder; return the program's path."""
    course = find_course()
    stage = course.stage(STAGE)
    for each in (*course.prerequisites(stage), stage):
        for module, source in each.reference().items():
            (folder / f"{module}.py").write_text(source, encoding="utf-8")
    return folder / stage.files[0]


def run(program: Path, decks: bytes) -> tuple[float, bytes]:
    """Return the seconds of processor time that the program took for the decks, and its output."""
    before = os.times()
    done = subprocess.run([sys.executable, program], input=decks, capture_output=True, check=True)
    after = os.times()
    took = sum((after.children_user, after.children_system))
    return took - sum((before.children_user, before.children_system)), done.stdout


def report(decks: int, seconds: dict[str, float]) -> None:
    """Print each program's decks per second, and its ratio to the reference."""
    table = Table(title=f"UVa 181, {decks:,} decks, best of the rounds")
    for column in ("program", "s", "decks per s", "times the reference"):
        table.add_column(column, justify="left" if column == "program" else "right")
    for row in rows(decks, seconds):
        table.add_row(*row)
    Console().print(table)


def rows(decks: int, seconds: dict[str, float]) -> Iterable[tuple[str, ...]]:
    """Yield the table's rows; the first program is the reference."""
    reference = next(iter(seconds.values()))
    for name, took in seconds.items():
        yield name, f"{took:.2f}", f"{decks / took:,.0f}", f"{reference / took:.2f}"


if __name__ == "__main__":
    main()
