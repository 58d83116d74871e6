"""Grade a stage's reference in each sandbox, and measure the time of each part of the work.

python autograder/tests/bench/bench_parts.py [--stage 01] [--rounds 20]
"""

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hearts_course.course import Course, Stage, find_course
from hearts_course.results import Result
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_grader.grading.grade import GradeJob, grade_one, reference_before
from hearts_grader.grading.pool import processors, stay_on
from hearts_grader.grading.publish import Publisher
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from hearts_grader.reports.student_pages import FeedbackWriter
from hearts_grader.sandbox.backends import PREFERENCE, works
from rich.console import Console
from rich.table import Table

CALLS = 200


def main() -> None:
    """Measure, and print a table for each sandbox."""
    parser = argparse.ArgumentParser(description="Say where the time of a submission goes.")
    parser.add_argument("--stage", default="01")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    stage = find_course().stage(options.stage)
    stay_on(processors()[:1])  # as each worker of the grader does
    for sandbox in (name for name in PREFERENCE if works(name)):
        report(stage, sandbox, measure(stage, sandbox, options.rounds))


def measure(stage: Stage, sandbox: str, rounds: int) -> list[tuple[str, float, float]]:
    """Return each part's name, how often it occurs in a submission, and its milliseconds."""
    modules = reference_before(stage) | stage.reference()
    start = median(lambda: load({}, stage, sandbox), rounds)
    whole_import = median(lambda: load(modules, stage, sandbox), rounds)
    with SubmissionProcess(modules, stage.limits, sandbox) as program:
        program.load()
        process = median(lambda: a_process(program), rounds)
        program.begin()
        call = median(lambda: many_calls(program), rounds) / CALLS
        program.end()
    work = GradeJob(stage, Submission("ada", stage.name, stage.reference()), sandbox)
    result, counted = count(work)
    total = median(lambda: grade_one(work), rounds)
    rest = total - whole_import - counted["calls"] * call - counted["processes"] * process
    return [
        ("start the sandbox and Python", 1, start),
        ("import the program", 1, whole_import - start),
        ("a process for tests", counted["processes"], process),
        ("a question", counted["calls"], call),
        ("the rest, around each test", counted["tests"], rest / counted["tests"]),
        ("write result and feedback", 1, median(lambda: write(result, stage), rounds)),
    ]


def median(work: Callable[[], object], rounds: int) -> float:
    """Return the median time of the work in milliseconds; a first run does not count."""
    times = []
    for _ in range(rounds + 1):
        before = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - before))
    return statistics.median(times[1:])


def load(modules: Mapping[str, str], stage: Stage, sandbox: str) -> None:
    """Import a program and end it."""
    with SubmissionProcess(modules, stage.limits, sandbox) as program:
        program.load()


def a_process(program: SubmissionProcess) -> None:
    """Begin a test and end it."""
    program.begin()
    program.end()


def many_calls(program: SubmissionProcess) -> None:
    """Ask the program the same simple question many times."""
    length = program.connection.standard("builtins").len
    for _ in range(CALLS):
        length("ada")


def count(work: GradeJob) -> tuple[Result, Counter[str]]:
    """Grade once; return the result, and the numbers of `calls`, `processes` and `tests`."""
    counted: Counter[str] = Counter()
    ask = SubmissionProcess._ask
    begin = SubmissionProcess.begin

    def counting_ask(self: SubmissionProcess, question: dict[str, object]) -> object:
        counted["calls"] += 1
        return ask(self, question)

    def counting_begin(
        self: SubmissionProcess, seconds: float | None = None, **options: Any
    ) -> None:
        counted["processes"] += 1
        begin(self, seconds, **options)

    SubmissionProcess._ask, SubmissionProcess.begin = counting_ask, counting_begin
    try:
        result = grade_one(work)
    finally:
        SubmissionProcess._ask, SubmissionProcess.begin = ask, begin
    counted["tests"] = sum(len(task.tests) for task in result.tasks)
    return result, counted


def write(result: Result, stage: Stage) -> None:
    """Save the result, with its history and its feedback page, in a new folder."""
    with TemporaryDirectory() as folder:
        publisher = Publisher(Store(Path(folder)), FeedbackWriter(Course(stage.root)).pages)
        publisher.publish(Record(result, None), SubmissionPath(result.student, stage, None))


def report(stage: Stage, sandbox: str, parts: list[tuple[str, float, float]]) -> None:
    """Print the parts and their sum."""
    table = Table(title=f"{stage.name}, the reference, in {sandbox}")
    for column in ("part", "times", "ms each", "ms"):
        table.add_column(column, justify="left" if column == "part" else "right")
    for name, times, each in parts:
        table.add_row(name, f"{times:g}", f"{each:.2f}", f"{times * each:.0f}")
    table.add_row("together", "", "", f"{sum(times * each for _, times, each in parts):.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
