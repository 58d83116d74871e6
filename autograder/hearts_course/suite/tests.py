"""The tests of a stage's suite, and which of them may share a process."""

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from hearts_course.course import Stage
from hearts_course.grading.results import Outcome, TestResult
from hearts_course.suite import explain
from hearts_course.suite.jobs import SuiteFault

SCRIPTS = frozenset({"run", "start"})
STARTING = SCRIPTS | {"program_with"}


@dataclass(frozen=True)
class Test:
    """One collected test and what the course knows about it."""

    __test__ = False

    item: pytest.Function
    task: str
    name: str
    docs: explain.Docs
    hidden: bool
    seconds: float | None

    @property
    def alone(self) -> bool:
        """Whether it needs a process of its own: it starts others, or may take longer."""
        return self.seconds is not None or not STARTING.isdisjoint(self.item.fixturenames)

    @property
    def scripts(self) -> bool:
        """Whether it runs the program as a script."""
        return not SCRIPTS.isdisjoint(self.item.fixturenames)

    @property
    def parameters(self) -> dict[str, Any]:
        """What it is called with, by name."""
        spec = getattr(self.item, "callspec", None)
        return dict(spec.params) if spec else {}

    def result(self, outcome: Outcome, message: str = "") -> TestResult:
        """The test's result; its name never holds its parameters, which may be hidden."""
        return TestResult(self.name, self.docs.topic, self.hidden, outcome, message)


def tests_of(stage: Stage, items: Iterable[pytest.Item]) -> list[Test]:
    """Each collected test with its task, its topic and a name without parameters.

    Raises SuiteFault for a test that names no task.
    """
    seen: Counter[str] = Counter()
    found = []
    for item in items:
        assert isinstance(item, pytest.Function)
        mark = item.get_closest_marker("task")
        where = f"{item.path.name}::{item.originalname}"
        if mark is None or not mark.args:
            raise SuiteFault(f"{where}: has no @pytest.mark.task(...)")
        seen[where] += 1
        name = f"{where}[{seen[where]}]" if hasattr(item, "callspec") else where
        hidden = item.path.is_relative_to(stage.autograder)
        limit = item.get_closest_marker("timeout")
        seconds = float(limit.args[0]) if limit else None
        docs = explain.docs_of(item.function)
        found.append(Test(item, mark.args[0], name, docs, hidden, seconds))
    return found


def in_groups(tests: Iterable[Test]) -> list[list[Test]]:
    """Tests in a row that may share a process: those of one task that are all quick and simple.

    Visible and hidden ones never do: what a program learns in one must not show in the other.
    """
    groups: list[list[Test]] = []
    for _, row in itertools.groupby(tests, lambda test: (test.task, test.hidden, test.alone)):
        group = list(row)
        groups += [[test] for test in group] if group[0].alone else [group]
    return groups
