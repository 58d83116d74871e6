"""The brief's examples, `>>> ...`, hold for the reference."""

import doctest
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from hearts_course.brief import FENCE
from hearts_course.course import Course, Stage
from hearts_course.files import read_text


def examples(course: Course, stage: Stage) -> Iterator[str]:
    """What the brief shows is what the reference answers."""
    path = stage.assignment / "README.md"
    with tempfile.TemporaryDirectory() as folder:
        _lay_out(course, stage, Path(folder))
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as process:
            faults = process.submit(_try, read_text(path), folder).result()
    for line, source, got in faults:
        yield f"{path}:{line}: the example `{source}` gives {got}; correct the brief"


def _lay_out(course: Course, stage: Stage, folder: Path) -> None:
    """What a finished student has: the stage's files, and all modules written."""
    for file in stage.assignment.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    for each in (*course.prerequisites(stage), stage):
        for module, source in each.reference().items():
            (folder / f"{module}.py").write_text(source, encoding="utf-8")


def _try(text: str, folder: str) -> list[tuple[int, str, str]]:
    """Line, source and outcome of each example that does not hold. Runs in its own process."""
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    test = doctest.DocTestParser().get_doctest(_without_fences(text), {}, "brief", None, 0)
    runner = _Runner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    return runner.faults


def _without_fences(text: str) -> str:
    """The text with the lines of its code fences emptied, which are no expected output."""
    return "\n".join("" if FENCE.match(line) else line for line in text.split("\n"))


class _Runner(doctest.DocTestRunner):
    def __init__(self, optionflags: int) -> None:
        super().__init__(verbose=False, optionflags=optionflags)
        self.faults: list[tuple[int, str, str]] = []

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        self._keep(example, f"{got.rstrip()!r}, not {example.want.rstrip()!r}")

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        self._keep(example, f"{exc_info[0].__name__}: {exc_info[1]}")

    def _keep(self, example: doctest.Example, got: str) -> None:
        source = " ".join(example.source.split())
        self.faults.append((example.lineno + 1, source, " ".join(got.split())))
