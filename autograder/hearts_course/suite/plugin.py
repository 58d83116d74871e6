"""The fixtures of every suite: one named after each module of the course, `stdlib`, and `run`.

The grader hands them a program on the far side of the boundary. Plain `pytest`, as a student may
run it on the visible tests, has none: then the modules beside the test file are imported here.
"""

import importlib
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hearts_course.boundary.near import Connection, local_ask
from hearts_course.course import Course, find_course
from hearts_course.errors import CourseError

PROGRAM: pytest.StashKey[Callable[[], Connection]] = pytest.StashKey()
TASK_MARK = "task(id): the task of the stage that the test is a part of"


def pytest_configure(config: pytest.Config) -> None:
    """Make the course's mark and fixtures known."""
    config.addinivalue_line("markers", TASK_MARK)
    try:
        names = module_names(find_course())
    except CourseError:
        return
    config.pluginmanager.register(fixtures(names), "hearts_fixtures")


def module_names(course: Course) -> set[str]:
    """The names of all modules that students write."""
    return {module for stage in course.stages for module in stage.modules}


def fixtures(modules: set[str]) -> types.ModuleType:
    """A pytest plugin that offers a fixture of each module's name, and `stdlib`."""
    plugin = types.ModuleType("hearts_fixtures")
    for name in modules:
        setattr(plugin, name, _module_fixture(name))
    plugin.stdlib = _stdlib  # type: ignore[attr-defined]
    plugin.run = _run  # type: ignore[attr-defined]
    return plugin


def _module_fixture(name: str) -> Any:
    @pytest.fixture(name=name)
    def module(request: pytest.FixtureRequest) -> Any:
        return _connection(request, name).module(name)

    return module


@pytest.fixture(name="stdlib")
def _stdlib(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    return _connection(request).standard


@pytest.fixture(name="run")
def _run(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return _connection(request).run


def _connection(request: pytest.FixtureRequest, *modules: str) -> Connection:
    current = request.config.stash.get(PROGRAM, None)
    if current is not None:
        return current()
    with _importable(Path(request.path).parent):
        return Connection(local_ask({name: importlib.import_module(name) for name in modules}))


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
