"""Time how long our grader and others take for a class, in one run, and print ratios.

    python autograder/tests/bench/bench.py [--stages 01 03] [--students 20] [--large 200]
        [--rounds 3]

All graders run the same tests, visible and hidden, on the same class. Each student has one
submission. In the small class, this is the reference or a chaff, that is, the reference with one
mistake. The large class is like a real class; only the first stage has a large class. Our grader's
time includes everything: sandbox, processes, feedback, report.
"""

import argparse
import os
import statistics
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from bench_peers import (
    Commands,
    Programs,
    again,
    gradescope,
    make_class,
    nbgrader,
    ours,
    plain_pytest,
    real_class,
    run,
    wrong_class,
)
from hearts_course.course import Stage, find_course
from hearts_grader.sandbox.backends import PREFERENCE, works
from rich.console import Console
from rich.table import Table

MEMORY_INTERVAL_SECONDS = 0.5  # shorter intervals would keep a processor busy
Graders = dict[str, Callable[[], Commands]]


@dataclass(frozen=True)
class Figure:
    """The seconds that one run of a grader took, and its peak memory in bytes."""

    seconds: float
    memory: int


def main() -> None:
    """Measure, and print a table for each stage and each size of class."""
    parser = argparse.ArgumentParser(description="Time our grader beside its peers.")
    parser.add_argument(
        "--stages", nargs="*", default=[s.name for s in find_course().stages if not s.clinic]
    )
    parser.add_argument("--students", type=int, default=20, help="in the small class")
    parser.add_argument("--large", type=int, default=200, help="in the large class; 0 for none")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, in turn")
    options = parser.parse_args()
    stages = [find_course().stage(name) for name in options.stages]
    with TemporaryDirectory() as folder:
        for stage in stages:
            small = prepare(stage, Path(folder) / stage.name, options.students, wrong_class)
            compare(stage, options.students, small, options.rounds)
        if options.large:
            large = prepare(stages[0], Path(folder) / "large", options.large, real_class)
            compare(stages[0], options.large, large, 1)


def prepare(stage: Stage, folder: Path, students: int, programs: Programs) -> Graders:
    """Set up every grader; return, by name, a function that returns the grader's commands."""
    class_ = make_class(stage, folder / "submissions", students, programs)
    processors = os.cpu_count() or 1
    sandboxes = [name for name in PREFERENCE if works(name)]
    graders: Graders = {}
    for sandbox in sandboxes:
        for jobs in sorted({processors, 1}, reverse=True):
            name = f"hearts grade, {sandbox}, {jobs} worker{'s' * (jobs > 1)}"
            graders[name] = ours(folder / "submissions", folder / "out", sandbox, jobs)
    graders["hearts grade, nothing changed"] = again(folder / "submissions", folder / "out")
    graders["pytest, one by one"] = plain_pytest(stage, folder / "plain", class_)
    graders["gradescope-utils"] = gradescope(stage, folder / "gradescope", class_)
    graders["nbgrader with feedback"] = nbgrader(stage, folder / "nbgrader", class_)
    return graders


def compare(stage: Stage, students: int, graders: Graders, rounds: int) -> None:
    """Time all graders in turn for this many rounds, and print each grader's medians."""
    figures: dict[str, list[Figure]] = {name: [] for name in graders}
    for number in range(rounds):
        for name, commands in graders.items():
            figures[name].append(measure(commands))
            taken = figures[name][-1].seconds
            print(f"{stage.name}, {students}, round {number + 1}: {name}: {taken:.1f} s")
    report(stage, students, figures)


def measure(commands: Callable[[], Commands]) -> Figure:
    """Run the commands one after another; return their total time and their peak memory."""
    over = threading.Event()
    most = [0]
    watcher = threading.Thread(target=watch_memory, args=(over, most))
    watcher.start()
    try:
        before = time.perf_counter()
        for command in commands():
            run(command)
        seconds = time.perf_counter() - before
    finally:  # without this, an error would leave the watcher running for ever
        over.set()
        watcher.join()
    return Figure(seconds, most[0])


def watch_memory(over: threading.Event, most: list[int]) -> None:
    """Keep in `most[0]` the largest sum of the memory of all processes below this one."""
    while not over.wait(MEMORY_INTERVAL_SECONDS):
        most[0] = max(most[0], sum(map(memory_of, psutil.Process().children(recursive=True))))


def memory_of(process: psutil.Process) -> int:
    """Return the process's memory in bytes; of a shared page, each process counts its part."""
    with suppress(psutil.Error):
        full = process.memory_full_info()
        return getattr(full, "pss", full.rss)  # RSS, outside Linux, counts shared pages in full
    return 0


def report(stage: Stage, students: int, figures: Mapping[str, list[Figure]]) -> None:
    """Print each grader's medians, and their ratios to the medians of the first grader."""
    table = Table(title=f"{stage.name}, a class of {students}, {os.cpu_count()} processors")
    for column in ("grader", "s per submission", "times ours", "peak MiB", "times ours"):
        table.add_column(column, justify="left" if column == "grader" else "right")
    medians = {name: Figure(*map(partial(middle, runs), FIELDS)) for name, runs in figures.items()}
    first = next(iter(medians.values()))
    for name, median in medians.items():
        table.add_row(
            name,
            f"{median.seconds / students:.3f}",
            f"{median.seconds / first.seconds:.2f}",
            f"{median.memory / 2**20:.0f}",
            f"{median.memory / first.memory:.2f}",
        )
    Console().print(table)


FIELDS = ("seconds", "memory")


def middle(runs: list[Figure], field: str) -> float:
    """Return the median of the runs' values in this field."""
    return statistics.median(getattr(run, field) for run in runs)


if __name__ == "__main__":
    main()
