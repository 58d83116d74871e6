"""How grading grows with the class: seconds and memory for classes of stage 01 like real ones.

    python autograder/tests/bench/bench_scale.py [--students 500 1000 2000] [--cluster 2000]

Each class is graded into a new folder, with feedback and report: by this machine's own worker
processes, and the last one also by two workers of a Dask scheduler, all on this machine. What the
scheduler and its workers need to start is left out.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import measure
from bench_peers import PYTHON, make_class, real_class
from hearts_course.course import find_course
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from dask_cluster import DaskCluster

STAGE = "01"
WORKERS = 2


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Time classes of several sizes.")
    parser.add_argument("--students", nargs="*", type=int, default=[500, 1000, 2000])
    parser.add_argument("--cluster", type=int, default=2000, help="students; 0 for none")
    options = parser.parse_args()
    table = Table(title=f"stage {STAGE}, {WORKERS} workers")
    for column in ("students", "graded by", "seconds", "ms each", "peak MiB", "report kB"):
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
    Console().print(table)


def row(table: Table, students: int, folder: Path, by: str, *options: str) -> None:
    """Grade a class, and add what it took."""
    make_class(find_course().stage(STAGE), folder / "in", students, real_class)
    command = [*PYTHON, "hearts_course", "grade", str(folder / "in"), "--out", str(folder / "out")]
    figure = measure(lambda: [[*command, *(options or ("--jobs", str(WORKERS)))]])
    size = (folder / "out" / "report.html").stat().st_size
    each, memory = figure.seconds / students * 1000, figure.memory / 2**20
    cells = f"{students} {figure.seconds:.0f} {each:.0f} {memory:.0f} {size / 1000:.0f}".split()
    table.add_row(cells[0], by, *cells[1:])
    print(f"{students}, {by}: {figure.seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
