"""A program has no files: it imports the standard library from memory, in every sandbox."""

import importlib.util
import os
import py_compile
import sys
from pathlib import Path

import pytest
from hearts_course.course import Limits
from hearts_course.sandbox.answers import RemoteError
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker import WORKER_DIR
from hearts_grader.sandbox import library_archive
from hearts_grader.sandbox.backends import choose_sandbox
from machine import sandboxes

LIMITS = Limits(import_seconds=10.0)
# Modules that a program of a card game might import, itself or through another module.
MODULES = (
    *(
        "abc",
        "argparse",
        "array",
        "ast",
        "asyncio",
        "base64",
        "bisect",
        "calendar",
        "cmd",
        "codecs",
    ),
    *("collections.abc", "colorsys", "configparser", "contextlib", "copy", "csv", "dataclasses"),
    *("datetime", "decimal", "difflib", "dis", "doctest", "enum", "fractions", "functools"),
    *("getpass", "gettext", "graphlib", "hashlib", "heapq", "html.parser", "importlib.resources"),
    *("inspect", "io", "itertools", "json", "locale", "logging", "math", "numbers", "operator"),
    *("optparse", "os.path", "pathlib", "pdb", "pickle", "platform", "pprint", "queue", "random"),
    *("re", "readline", "secrets", "select", "selectors", "shelve", "shlex", "shutil", "signal"),
    *("socket", "statistics", "string", "struct", "subprocess", "tempfile", "textwrap"),
    *("threading", "timeit", "tokenize", "traceback", "types", "typing", "unicodedata", "unittest"),
    *("unittest.mock", "urllib.parse", "uuid", "warnings", "weakref", "xml.etree.ElementTree"),
    *("zipfile", "zlib", "zoneinfo"),
)
PROGRAM = """
import importlib

def load(name):
    return importlib.import_module(name).__name__

def read(path):
    with open(path) as file:
        return file.read()

def exists(path):
    import os.path
    return os.path.exists(path)

if __name__ == "__main__":
    print(open(0).read().upper(), end="")
"""


@pytest.fixture(name="program", params=sandboxes())
def _program(request):
    with SubmissionProcess({"m": PROGRAM}, LIMITS, request.param) as program:
        program.begin(scripts=True)
        yield program


def test_every_module_that_a_game_may_want_can_be_imported(program):
    module = program.connection.module("m")
    assert [module.load(name) for name in MODULES] == [
        "posixpath" if name == "os.path" else name for name in MODULES
    ]


def test_what_does_not_exist_cannot_be_imported(program):
    with pytest.raises(RemoteError, match="No module named 'numpy'"):
        program.connection.module("m").load("numpy")


def test_no_file_exists_for_a_program(program):
    module = program.connection.module("m")
    for path in (__file__, os.__file__, "/", "/proc/self/status", "/dev/null", "/dev/ptmx"):
        assert module.exists(path) is False
        with pytest.raises(FileNotFoundError):
            module.read(path)


def test_a_script_may_open_its_standard_input_by_number(program):
    assert program.connection.run("m", stdin="queen of spades\n").out == b"QUEEN OF SPADES\n"


@pytest.mark.needs_sandbox
def test_a_module_that_python_has_not_compiled_is_carried_as_text(monkeypatch):
    monkeypatch.setattr(importlib.util, "cache_from_source", lambda path: f"{path}-not-there")
    library_archive.library_archive.cache_clear()
    try:
        with SubmissionProcess({"m": PROGRAM}, LIMITS, choose_sandbox()) as program:
            program.begin()
            assert program.connection.module("m").load("statistics") == "statistics"
        _, is_compiled = library_archive._compiled(WORKER_DIR / "server.py")
        assert is_compiled, "each sandbox would compile the worker again"
    finally:
        os.close(library_archive.library_archive())
        library_archive.library_archive.cache_clear()


def test_nobody_can_change_the_archive():
    archive = library_archive.library_archive()
    with pytest.raises(PermissionError):
        os.pwrite(archive, b"x", 0)
    with pytest.raises(PermissionError):
        os.ftruncate(archive, 0)


def test_a_file_that_changed_since_it_was_compiled_is_carried_as_text(tmp_path):
    module = tmp_path / "changed.py"
    module.write_text("x = 1\n")
    py_compile.compile(str(module))
    assert library_archive._compiled(module)[1]
    os.utime(module, (1, 1))
    assert library_archive._compiled(module) == (b"x = 1\n", False)


def test_the_interpreter_is_read_before_the_first_program():
    paths = list(library_archive.native_code())
    assert Path(sys.executable).resolve() in paths
    assert any("libc" in path.name for path in paths)
