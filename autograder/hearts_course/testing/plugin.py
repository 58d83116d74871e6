"""The fixtures of every suite: one for each module of the course, under its name, and these:

    stdlib         a module of the standard library, in the program's process
    typed          lines of Python, run in the program's process as if a student had typed them
    run, start     the program as a script: run to its end, or talked to while it runs
    source         the program's source texts by module name
    program_with   the same program with some modules exchanged
    once           a dictionary for what a suite needs to find out only once per program

In the grader, the program runs in a sandbox. Students may also run plain `pytest` on the visible
tests. Plain `pytest` starts no program, so the modules beside the test file are imported in this
process. If the test file lies in a folder `checks`, the modules beside that folder are imported.
"""

import ast
import builtins
import importlib
import sys
import textwrap
import types
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hearts_course.course import CHECKS, Course, find_course
from hearts_course.errors import CourseError
from hearts_course.sandbox.client import Connection, local_ask

if TYPE_CHECKING:
    from hearts_course.testing.job import Program

PROGRAM: pytest.StashKey[Callable[[], "Program"]] = pytest.StashKey()
OWN: pytest.StashKey[Connection] = pytest.StashKey()
ONCE: pytest.StashKey[dict[str, Any]] = pytest.StashKey()
MARKS = (
    "task(id): the task of the stage that the test is a part of",
    "reusable: a hidden test that stays hidden when the others are shown after the deadline",
    "alone: a test that takes long, so it gets a process of its own and all of its time",
)


class Importable(dict[str, object]):
    """Modules by name, imported on demand from a folder or in the usual way."""

    def __init__(self, folder: Path | None, **modules: object) -> None:
        """Without a `folder`, import in the usual way. The objects in `modules` need no import."""
        super().__init__(modules)
        self._folder = folder

    def __missing__(self, name: str) -> object:
        if self._folder is None:
            return importlib.import_module(name)
        sys.path.insert(0, str(self._folder))
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(str(self._folder))


def pytest_configure(config: pytest.Config) -> None:
    """Register the course's marks and fixtures."""
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
    try:
        names = module_names(find_course())
    except CourseError:
        return
    config.pluginmanager.register(fixtures(names), "hearts_fixtures")


def module_names(course: Course) -> set[str]:
    """Return the names of all modules that students write."""
    return {module for stage in course.stages for module in stage.modules}


def fixtures(modules: set[str]) -> types.ModuleType:
    """Return a pytest plugin with a fixture for each of these modules, and the other fixtures."""
    plugin = types.ModuleType("hearts_fixtures")
    for name in (*modules, *FROM_CONNECTION):
        setattr(plugin, name, _fixture(name))
    for fixture in (_source, _program_with, _once):
        setattr(plugin, fixture.__name__, fixture)
    return plugin


def direct_value(name: str, connection: Connection) -> Any:
    """Return the fixture's value without help from pytest."""
    take = FROM_CONNECTION.get(name)
    return take(connection) if take else connection.module(name)


def _typed(connection: Connection) -> Callable[..., Any]:
    """Return a function that runs lines in the program's process and returns the last value.

    In that process, lists are the program's own lists and not copies of them.
    """

    def typed(code: str, *modules: Any, **names: Any) -> Any:
        names = _found_in(modules, code) | names
        place = connection.standard("types").SimpleNamespace()
        connection.standard("builtins").exec(_as_function(code, names), {"place": place})
        return place.typed(**names)

    return typed


def _found_in(modules: Iterable[Any], code: str) -> dict[str, Any]:
    """Map the names that the code uses to their values in these modules.

    Leave out built-in names, and names that no module has.
    """
    names: dict[str, Any] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            for module in modules:
                with suppress(AttributeError):
                    names.setdefault(node.id, getattr(module, node.id))
    return names


def _as_function(code: str, names: Iterable[str]) -> str:
    """Return code that sets `place.typed` to a function with the parameters `names`.

    The body of that function is `code`, and it returns the last value.
    """
    body = ast.parse(code).body
    if isinstance(body[-1], ast.Expr):
        body[-1] = ast.Return(body[-1].value)
    lines = textwrap.indent(ast.unparse(ast.Module(body, [])), "    ")
    return f"def typed({', '.join(names)}):\n{lines}\nplace.typed = typed\n"


FROM_CONNECTION: dict[str, Callable[[Connection], Any]] = {
    "stdlib": lambda connection: connection.standard,
    "typed": _typed,
    "run": lambda connection: connection.run,
    "start": lambda connection: connection.start,
}


def _fixture(name: str) -> Any:
    @pytest.fixture(name=name)
    def fixture(request: pytest.FixtureRequest) -> Any:
        return direct_value(name, _connection(request))

    return fixture


@pytest.fixture(name="source")
def _source(request: pytest.FixtureRequest) -> dict[str, str]:
    if program := _program(request):
        return dict(program.sources)
    return _sources(_program_folder(request))


@pytest.fixture(name="once")
def _once(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.config.stash.setdefault(ONCE, {})


@pytest.fixture(name="program_with")
def _program_with(request: pytest.FixtureRequest) -> Callable[..., Connection]:
    def program_with(**modules: str) -> Connection:
        program = _program(request)
        if program is None:
            pytest.skip("only the grader has other programs to try")
        return program.variant(modules).connection

    return program_with


def _sources(folder: Path) -> dict[str, str]:
    return {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.py")}


@cache
def _let_run(folder: Path) -> None:
    """Let the folder's programs run as scripts that can import each other."""
    from hearts_course.sandbox.worker.script import ProgramFinder

    sys.meta_path.append(ProgramFinder(_sources(folder)))


def _program(request: pytest.FixtureRequest) -> "Program | None":
    current = request.config.stash.get(PROGRAM, None)
    return None if current is None else current()


def _program_folder(request: pytest.FixtureRequest) -> Path:
    """Return the folder of the programs that this test file checks."""
    folder = Path(request.path).parent
    return folder.parent if folder.name == CHECKS else folder


def _connection(request: pytest.FixtureRequest) -> Connection:
    if program := _program(request):
        return program.connection
    stash: pytest.Stash = request.node.stash
    if OWN not in stash:
        folder = _program_folder(request)
        _let_run(folder)
        stash[OWN] = Connection(local_ask(Importable(folder)))
    return stash[OWN]
