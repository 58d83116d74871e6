"""How long a class takes: our grader beside plain pytest and nbgrader, in one run, as ratios.

    python autograder/tests/bench.py [STAGE] [--students 20] [--rounds 3]

All three run the same tests, visible and hidden, on the same class: the reference and chaffs of
it, one submission a student. The peers keep nobody out: the student's code shares their process.

    hearts grade         everything: sandbox, a process per test, feedback, report
    pytest               `python -m pytest` once per submission, fixtures from a ten-line conftest
    nbgrader autograde   the same programs as notebooks, each task's tests in its check cell
"""

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from hearts_course.authoring.chaffs import load_chaffs
from hearts_course.authoring.notebook import as_text, build_notebook, solve
from hearts_course.course import Stage, find_course
from rich.console import Console
from rich.table import Table

CONFTEST = """
import importlib, sys
from pathlib import Path
import pytest
sys.path.insert(0, str(Path(__file__).parent))

def pytest_configure(config):
    config.addinivalue_line("markers", "task(id): the task of the test")

@pytest.fixture
def stdlib():
    return importlib.import_module

"""
MODULE_FIXTURE = """
@pytest.fixture
def {name}():
    return importlib.import_module("{name}")
"""
CHECK_CELL = """
from hearts_course.course import find_course
from hearts_course.suite.local import check_namespace
[t for t in check_namespace(
    find_course().stage("{stage}"), globals(), task="{task}", hidden=True
).tasks if t.task == "{task}"][0].score
"""
MEMORY_INTERVAL_SECONDS = 0.05


@dataclass(frozen=True)
class Figure:
    """What one run of a grader took: seconds in all, bytes of memory at the most."""

    seconds: float
    memory: int


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Time our grader beside its peers.")
    parser.add_argument("stage", nargs="?", help="the stage to grade; the first if not given")
    parser.add_argument("--students", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, in turn")
    options = parser.parse_args()
    course = find_course()
    stage = course.stage(options.stage) if options.stage else course.stages[0]
    with TemporaryDirectory() as folder:
        graders = prepare(stage, Path(folder), list(islice(programs(stage), options.students)))
        figures: dict[str, list[Figure]] = {name: [] for name in graders}
        for number in range(options.rounds):
            for name, run in graders.items():
                figures[name].append(measure(run))
                print(f"round {number + 1}: {name}: {figures[name][-1].seconds:.1f} s")
    report(stage, options.students, figures)


def programs(stage: Stage) -> Iterator[Mapping[str, str]]:
    """The reference and the chaffs, over and over."""
    return cycle([stage.reference(), *(chaff.modules for chaff in load_chaffs(stage))])


def prepare(
    stage: Stage, folder: Path, class_: list[Mapping[str, str]]
) -> dict[str, Callable[[], list[list[str]]]]:
    """For each grader what returns its commands, set up afresh."""
    ours, plain = folder / "submissions", folder / "plain"
    for number, modules in enumerate(class_):
        write(ours / f"student-{number:02}" / stage.name, modules)
        write_plain(plain / f"student-{number:02}", stage, modules)
    nbgrader = make_nbgrader_course(stage, folder / "nbgrader", class_)
    python = [sys.executable, "-m"]
    grade = [*python, "hearts_course", "grade", str(ours), "--out"]
    runs = iter(range(10**6))
    return {
        "hearts grade": lambda: [[*grade, str(folder / f"out-{next(runs)}")]],
        "hearts grade --jobs 1": lambda: [
            [*grade, str(folder / f"out-{next(runs)}"), "--jobs", "1"]
        ],
        "pytest, one by one": lambda: [
            [*python, "pytest", "-q", "-p", "no:cacheprovider", str(student)]
            for student in sorted(plain.iterdir())
        ],
        "nbgrader autograde": lambda: [
            [*python, "nbgrader", "autograde", stage.name, "--force", f"--course-dir={nbgrader}"]
        ],
    }


def write(folder: Path, modules: Mapping[str, str]) -> None:
    """The modules as files of the folder."""
    folder.mkdir(parents=True)
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")


def write_plain(folder: Path, stage: Stage, modules: Mapping[str, str]) -> None:
    """A folder in which plain pytest runs the stage's tests against the modules."""
    write(folder, modules)
    fixtures = "".join(MODULE_FIXTURE.format(name=name) for name in stage.modules)
    (folder / "conftest.py").write_text(CONFTEST + fixtures, encoding="utf-8")
    for test in (*stage.visible_tests, *stage.hidden_tests):
        (folder / test.name).write_text(test.read_text(encoding="utf-8"), encoding="utf-8")


def make_nbgrader_course(stage: Stage, root: Path, class_: list[Mapping[str, str]]) -> Path:
    """An nbgrader course with the class's notebooks handed in."""
    blank = build_notebook(stage)
    tasks = {f"check-{task.id}": task.id for task in stage.tasks}
    for cell in blank.cells:
        if cell.id in tasks:
            cell.source = CHECK_CELL.format(stage=stage.name, task=tasks[cell.id]).strip()
    source = root / "source" / stage.name / f"{stage.name}.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(as_text(solve(blank, stage.reference())), encoding="utf-8")
    (root / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.course_id = "bench"\n'
    )
    generate = [sys.executable, "-m", "nbgrader", "generate_assignment", stage.name]
    run([*generate, f"--course-dir={root}"])
    for number, modules in enumerate(class_):
        handed_in = root / "submitted" / f"student-{number:02}" / stage.name / source.name
        handed_in.parent.mkdir(parents=True)
        handed_in.write_text(as_text(solve(blank, modules)), encoding="utf-8")
    return root


def run(command: list[str]) -> None:
    """Run a command to its end; raises SystemExit, with its output, if it fails.

    pytest's exit status 1 is no failure: some of the class's tests are not to pass.
    """
    fine = (0, 1) if "pytest" in command else (0,)
    programs = (
        f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader's alembic
    )
    environment = os.environ | {"PATH": programs, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in fine:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def measure(commands: Callable[[], list[list[str]]]) -> Figure:
    """The time of all commands, one after the other, and the most memory seen meanwhile."""
    over, most = threading.Event(), [0]
    watcher = threading.Thread(target=watch_memory, args=(over, most))
    watcher.start()
    before = time.perf_counter()
    for command in commands():
        run(command)
    seconds = time.perf_counter() - before
    over.set()
    watcher.join()
    return Figure(seconds, most[0])


def watch_memory(over: threading.Event, most: list[int]) -> None:
    """Keep in `most` the largest sum of resident memory of all processes below this one."""
    while not over.wait(MEMORY_INTERVAL_SECONDS):
        total = 0
        for process in psutil.Process().children(recursive=True):
            try:
                total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        most[0] = max(most[0], total)


def report(stage: Stage, students: int, figures: Mapping[str, list[Figure]]) -> None:
    """Print medians, and ratios to the first grader."""
    table = Table(title=f"{stage.name}, a class of {students}, {os.cpu_count()} processors")
    for column in ("grader", "s per submission", "times ours", "peak MiB", "times ours"):
        table.add_column(column, justify="left" if column == "grader" else "right")
    medians = {
        name: Figure(
            statistics.median(run.seconds for run in runs),
            int(statistics.median(run.memory for run in runs)),
        )
        for name, runs in figures.items()
    }
    ours = next(iter(medians.values()))
    for name, median in medians.items():
        table.add_row(
            name,
            f"{median.seconds / students:.3f}",
            f"{median.seconds / ours.seconds:.2f}",
            f"{median.memory / 2**20:.0f}",
            f"{median.memory / ours.memory:.2f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
