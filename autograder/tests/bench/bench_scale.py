"""Measure seconds and memory of grading, for realistic classes of several sizes in stage 01.

    python autograder/tests/bench/bench_scale.py [--students 500 1000 2000] [--cluster 2000]
    python autograder/tests/bench/bench_scale.py --students --cluster 0 --term 180

With `--term`, a class submits every stage that is not elective, so later stages use the student's
own earlier stages. One run grades everything, and a second run finds nothing changed. The figures
are for people who plan a term, so measure them on a machine that does nothing else.

Each class is graded into a new folder, with feedback and report, by this machine's own worker
processes. A class of `--cluster` students is graded by two Dask workers on this machine. The time
that these workers and their scheduler need to start is left out.
"""

import argparse
import os
import platform
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from bench import measure
from bench_peers import PYTHON, make_class, real_class
from hearts_course.course import Stage, find_course
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from dask_cluster import DaskCluster

STAGE = "01"
WORKERS = 2
# An alternative of STAGE that shows symbols in f-strings. Its own student's later stages would fit
# that. Other people's later stages do not, so each of them would run twice.
UNFITTING = "every-liberty"
COLUMNS = ("students", "graded by", "seconds", "ms each", "peak MiB", "report kB")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Time classes of several sizes.")
    parser.add_argument("--students", nargs="*", type=int, default=[500, 1000, 2000])
    parser.add_argument("--cluster", type=int, default=2000, help="students; 0 for none")
    parser.add_argument("--term", type=int, default=0, help="students in all stages; 0 for none")
    options = parser.parse_args()
    print(machine())
    table = Table(title=f"stage {STAGE}, {WORKERS} workers")
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "graded by" else "right")
    with TemporaryDirectory() as folder:
        for students in options.students:
            row(table, students, Path(folder) / f"here-{students}", "this machine")
        if options.cluster:
            with DaskCluster(Path(folder) / "dask") as cluster:
                for _ in range(WORKERS):
                    cluster.add_worker()
                cluster.wait()
                more = ["--cluster", cluster.address]
                row(table, options.cluster, Path(folder) / "dask-class", "Dask", *more)
        if table.rows:
            Console().print(table)
        if options.term:
            term(options.term, Path(folder) / "term")


def machine() -> str:
    """Return a line about this machine: processors, memory, system, Python, and present load."""
    about = Path("/proc/cpuinfo")  # only Linux has this file
    text = about.read_text(encoding="utf-8") if about.exists() else ""
    name = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{name[1] if name else platform.processor()}, {os.cpu_count()} processors,"
        f" {memory:.0f} GiB, {platform.system()} {platform.release()},"
        f" Python {platform.python_version()}; load {os.getloadavg()[0]:.1f} before"
    )


def term(students: int, folder: Path) -> None:
    """Grade a class in every stage that is not elective, grade it again, and print both runs."""
    stages = [stage for stage in find_course().counted if not stage.elective]
    for stage in stages:
        without = UNFITTING if stage.name.startswith(STAGE) else ""
        make_class(stage, folder / "in", students, partial(real_class, without=without))
    workers = os.cpu_count() or 1
    table = Table(title=f"{students} students, {len(stages)} stages, {workers} workers")
    for column in ("run", "minutes", "s a submission", "peak MiB", "grades MB", "report kB"):
        table.add_column(column, justify="left" if column == "run" else "right")
    for name in ("everything", "nothing changed"):
        figure = measure(lambda: [grade_command(folder, "--jobs", str(workers))])
        kept = sum(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file())
        table.add_row(
            name,
            f"{figure.seconds / 60:.1f}",
            f"{figure.seconds / (students * len(stages)):.2f}",
            f"{figure.memory / 2**20:.0f}",
            f"{kept / 10**6:.1f}",
            f"{(folder / 'out/report.html').stat().st_size / 1000:.0f}",
        )
        print(f"{name}: {figure.seconds:.0f} s", flush=True)
    refuse_missing_results(folder / "out", students, stages)
    Console().print(table)


def refuse_missing_results(out: Path, students: int, stages: Sequence[Stage]) -> None:
    """End with an error unless each submission has a result that is not a grader error."""
    rows = (out / "grades.csv").read_text(encoding="utf-8").splitlines()[1:]
    wanted = students * len(stages)
    if len(rows) != wanted or any(",grader-error," in row for row in rows):
        raise SystemExit(f"{len(rows)} of {wanted} results, or a grader error, in {out}")


def grade_command(folder: Path, *options: str) -> list[str]:
    """Return the command that grades the class in `folder/in` and writes into `folder/out`."""
    where = [str(folder / "in"), "--out", str(folder / "out")]
    return [*PYTHON, "hearts_course", "grade", *where, *options]


def row(table: Table, students: int, folder: Path, by: str, *options: str) -> None:
    """Grade a class; add a row with the time, the memory and the report's size to the table."""
    make_class(find_course().stage(STAGE), folder / "in", students, real_class)
    command = grade_command(folder, *(options or ("--jobs", str(WORKERS))))
    figure = measure(lambda: [command])
    size = (folder / "out" / "report.html").stat().st_size
    each = figure.seconds / students * 1000
    memory = figure.memory / 2**20
    cells = f"{students} {figure.seconds:.0f} {each:.0f} {memory:.0f} {size / 1000:.0f}".split()
    table.add_row(cells[0], by, *cells[1:])
    print(f"{students}, {by}: {figure.seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
