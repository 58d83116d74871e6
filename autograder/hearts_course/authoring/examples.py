"""The examples of a brief, run in a process that need not import anything else of the tool."""

import doctest
import os
import sys
from typing import Any

from hearts_course.brief import FENCE


def run_examples(text: str, folder: str) -> list[tuple[int, str, str]]:
    """Return line, source and outcome of each example that fails."""
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    without_fences = "\n".join("" if FENCE.match(line) else line for line in text.split("\n"))
    runner = _Runner(verbose=False, optionflags=doctest.ELLIPSIS)
    runner.run(doctest.DocTestParser().get_doctest(without_fences, {}, "brief", None, 0))
    return runner.failed


class _Runner(doctest.DocTestRunner):
    """Keeps what fails instead of printing it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.failed: list[tuple[int, str, str]] = []

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
        self.failed.append((example.lineno + 1, source, " ".join(got.split())))
