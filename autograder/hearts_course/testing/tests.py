"""The tests of a stage's suite, and which of them may share a process."""

import inspect
import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from hearts_course.course import Stage
from hearts_course.results import Outcome, TestResult
from hearts_course.sandbox.client import Connection
from hearts_course.testing import messages
from hearts_course.testing.inside_pytest import fixtures_of, parameters_of
from hearts_course.testing.job import SuiteError
from hearts_course.testing.plugin import FROM_CONNECTION, direct_value
from hearts_course.testing.student_code import TestCode

STARTING = frozenset({"run", "start", "program_with"})
OF_THE_PROGRAM = frozenset({"source", "program_with", "once"})


@dataclass(frozen=True)
class Test:
    """A collected test and what the course knows about it; for `direct` see `tests_of`."""

    __test__ = False

    item: pytest.Function
    task: str
    name: str
    docs: messages.Docs
    hidden: bool
    seconds: float | None
    own_fixtures: Mapping[str, pytest.FixtureDef[Any] | None]
    direct: bool

    @property
    def alone(self) -> bool:
        """Whether the test needs its own process: it is marked, starts programs, or takes long.

        A long test, such as one that plays many deals, would use up the short time that it
        gets in a shared process, and would be run again. Two kinds of tests may share a process all
        the same, unless they are marked: a long test that is `direct`, and a test with
        `only_starts`.
        """
        if self.item.get_closest_marker("alone") is not None:
            return True
        if self.only_starts:
            return False
        return self.starts_others or (self.seconds is not None and not self.direct)

    @property
    def reusable(self) -> bool:
        """Whether this test stays hidden after the deadline, when other hidden tests are shown."""
        return self.hidden and self.item.get_closest_marker("reusable") is not None

    @property
    def function(self) -> str:
        """The test's file and function, without the number of a parametrized case."""
        return self.name.partition("[")[0]

    @property
    def order(self) -> tuple[bool, bool, bool, bool]:
        """A key that sorts the tests: visible ones first, then hidden ones, slow tests last.

        Tests of the same order may share a process, unless they need their own.
        """
        may_take_long = self.seconds is not None or self.starts_others or self.alone
        return self.hidden, may_take_long, self.alone, self.only_starts

    @property
    def starts_others(self) -> bool:
        """Whether the test runs scripts or other programs.

        Such a test need not put any question to this program itself.
        """
        return not STARTING.isdisjoint(self.item.fixturenames)

    @property
    def only_starts(self) -> bool:
        """Whether the test starts scripts or other programs, and needs nothing else of the program.

        Each of these has its own process. The process that starts the scripts runs no student code,
        so such tests may share that process.
        """
        from_program = self.fixtures - {*self.own_fixtures, *self.parameters, "source", "once"}
        return self.starts_others and from_program <= STARTING

    @property
    def fixtures(self) -> set[str]:
        """The fixtures that the test needs, without pytest's own `request`."""
        return set(self.item.fixturenames) - {"request"}

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of the test's parameters, keyed by name."""
        return dict(parameters_of(self.item) or {})

    @property
    def code(self) -> TestCode:
        """The test's code, with the parameters, fixtures and modules that the code uses."""
        fixture_code = {
            name: fixture.func for name, fixture in self.own_fixtures.items() if fixture is not None
        }
        not_modules = {*self.parameters, *FROM_CONNECTION, *OF_THE_PROGRAM, *self.own_fixtures}
        modules = self.fixtures - not_modules
        return TestCode(self.item.function, self.parameters, fixture_code, modules)

    def result(self, outcome: Outcome, message: str = "") -> TestResult:
        """Return the test's result. Its name never shows parameters, because they may be hidden."""
        return TestResult(self.name, self.docs.topic, self.hidden, outcome, message)

    def call(self, connection: Connection) -> None:
        """Call the function of a `direct` test, as pytest would."""
        values = self.parameters
        for name in self.fixtures:
            self._give(name, values, connection)
        wanted = inspect.signature(self.item.function).parameters
        self.item.obj(**{name: values[name] for name in wanted})

    def _give(self, name: str, values: dict[str, Any], connection: Connection) -> Any:
        """Return a fixture's value, which is made at most once for a test."""
        if name not in values:
            made_by = self.own_fixtures.get(name)
            if made_by is None:
                values[name] = direct_value(name, connection)
            else:
                arguments = {n: self._give(n, values, connection) for n in made_by.argnames}
                values[name] = made_by.func(**arguments)
        return values[name]


def tests_of(stage: Stage, items: Iterable[pytest.Item], modules: Collection[str]) -> list[Test]:
    """Return each collected test with its task, its topic and a name without parameters.

    A `direct` test can be called without pytest. It is a function outside of a class. It uses only
    its parameters, the program's `modules`, the fixtures in FROM_CONNECTION, and plain fixtures of
    the suite. Raise SuiteError for a test that names no task.
    """
    seen: Counter[str] = Counter()
    tests = []
    for item in items:
        assert isinstance(item, pytest.Function)
        mark = item.get_closest_marker("task")
        where = f"{item.path.name}::{item.originalname}"
        if mark is None or not mark.args:
            raise SuiteError(f"{where}: has no @pytest.mark.task(...)")
        seen[where] += 1
        parametrized = parameters_of(item) is not None
        name = f"{where}[{seen[where]}]" if parametrized else where
        hidden = item.path.is_relative_to(stage.autograder)
        limit = item.get_closest_marker("timeout")
        seconds = float(limit.args[0]) if limit else None
        docs = messages.docs_of(item.function)
        fixtures = _own_fixtures(item, modules)
        is_simple = all(fixture and _is_simple(fixture) for fixture in fixtures.values())
        direct = item.cls is None and is_simple
        tests.append(Test(item, mark.args[0], name, docs, hidden, seconds, fixtures, direct))
    return tests


def _own_fixtures(
    item: pytest.Function, modules: Collection[str]
) -> dict[str, pytest.FixtureDef[Any] | None]:
    """Map the names of the suite's own fixtures that the test needs to their definitions.

    A fixture that pytest does not know has None in place of a definition.
    """
    made_by = fixtures_of(item)
    names = {"request", *(parameters_of(item) or ()), *modules, *FROM_CONNECTION}
    fixtures: dict[str, pytest.FixtureDef[Any] | None] = {}
    for name in item.fixturenames:
        if name not in names:
            fixtures[name] = made_by[name][-1] if name in made_by else None
    return fixtures


def _is_simple(fixture: pytest.FixtureDef[Any]) -> bool:
    """Return whether the fixture is a plain function that makes a new value for each test."""
    plain = fixture.scope == "function" and fixture.params is None
    return plain and not (
        "request" in fixture.argnames or inspect.isgeneratorfunction(fixture.func)
    )


def in_groups(tests: Iterable[Test]) -> list[list[Test]]:
    """Return groups of neighbouring tests that may share a process.

    Visible and hidden tests never share a process: a program could show in a visible test what it
    learned in a hidden one.
    """
    groups: list[list[Test]] = []
    for _, row in itertools.groupby(tests, lambda test: test.order):
        group = list(row)
        if group[0].alone:
            groups += [[test] for test in group]
        else:
            groups.append(group)
    return groups
