"""Measure the cost of a cluster, apart from grading, with a class of small submissions.

    python autograder/tests/bench/bench_cluster.py [--number 2000] [--workers 2] [--sandbox auto]

There are two classes, both in the tests' tiny course: the first submits programs, the second
submits nothing. In the second class, almost all time goes into sending jobs and results. Each class
is graded twice: by this machine's own worker processes, and by as many Dask workers, also on this
machine. The time that workers need to start is left out. Figures are milliseconds per submission:

    worker      time of one worker; the cost of the cluster is the difference to the row `here`
    client      processor time of this process, which sends the jobs and collects the results
    scheduler   processor time of the scheduler, which limits how many workers it can keep busy
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from dask_cluster import DaskCluster
from hearts_course.course import Course
from hearts_course.submissions.model import Submission
from hearts_grader.grading.cluster import ClusterExecutor, check_workers, connected
from hearts_grader.grading.grade import GradeJob
from hearts_grader.grading.pool import Executor, LocalExecutor, grade_all
from rich.console import Console
from rich.table import Table
from tiny_course import REFERENCE, write_course

WARM_UP = 20  # first submissions of each worker, which are not counted


@dataclass(frozen=True)
class Figures:
    """Milliseconds per submission."""

    worker: float
    client: float
    scheduler: float


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Time a cluster beside this machine alone.")
    parser.add_argument("--number", type=int, default=2000, help="submissions in the class")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sandbox", default="auto")
    options = parser.parse_args()
    table = Table(title=f"ms per submission; {options.number} submissions, {machine()}")
    for column in ("handed in", "graded by", "worker", "client", "scheduler"):
        table.add_column(column, justify="right" if column in Figures.__annotations__ else "left")
    with TemporaryDirectory() as folder:
        course = write_course(Path(folder) / "course")
        for name, source in (("programs", REFERENCE), ("nothing", "")):
            works = list(class_of(course, options.number, source, options.sandbox))
            for crew, figures in both(course, works, options.workers, Path(folder) / name):
                row = (figures.worker, figures.client, figures.scheduler)
                table.add_row(name, crew, *(f"{figure:.1f}" for figure in row))
    Console().print(table)


def machine() -> str:
    """Return a text with the number of processors and the present load."""
    return f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before"


def class_of(course: Course, number: int, source: str, sandbox: str) -> Iterator[GradeJob]:
    """Yield a job for each student. All programs differ; without a source, nobody has a program."""
    (stage,) = course.stages
    for n in range(number):
        student = f"student-{n:05}"
        modules = {"coins": f"{source}# {n}\n"} if source else {}
        problem = "" if source else "nothing was handed in"
        yield GradeJob(stage, Submission(student, stage.name, modules, problem), sandbox)


def both(
    course: Course, works: list[GradeJob], workers: int, folder: Path
) -> Iterator[tuple[str, Figures]]:
    """Grade the class on this machine, then on a cluster; yield the place and the figures."""
    yield "here", measure(works, LocalExecutor(workers), None)
    with DaskCluster(folder) as cluster:
        for _ in range(workers):
            cluster.add_worker()
        cluster.wait()
        with connected(cluster.address) as client:
            check_workers(client, cluster.address, works[0].sandbox)
            crew = ClusterExecutor(client, cluster.address, course)
            yield "cluster", measure(works, crew, psutil.Process(cluster.scheduler.pid))


def measure(works: list[GradeJob], crew: Executor, scheduler: psutil.Process | None) -> Figures:
    """Grade a class with the crew; return the figures of all submissions after the warm-up."""
    skipped = WARM_UP * crew.places
    coming = grade_all(works, crew)
    for _ in range(skipped):
        next(coming)
    begun = time.perf_counter(), used(psutil.Process()), used(scheduler)
    counted = sum(1 for _ in coming)
    assert counted == len(works) - skipped
    ended = time.perf_counter(), used(psutil.Process()), used(scheduler)
    clock, own, theirs = (
        1000 * (after - before) / counted for before, after in zip(begun, ended, strict=True)
    )
    return Figures(clock * crew.places, own, theirs)


def used(process: psutil.Process | None) -> float:
    """Return the processor time that a process has used, in seconds."""
    if process is None:
        return 0.0
    times = process.cpu_times()
    return times.user + times.system


if __name__ == "__main__":
    main()
