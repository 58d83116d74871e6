"""Write the archive from which a sandbox imports: the standard library and the worker.

The archive is a file in memory that nobody can change after it is written. It holds

    8 bytes   where the head begins
    modules   each as compiled code; those of the standard library that Python has not compiled
              and stored, as text
    head      the code of the worker's modules that read an archive, and the index
"""

import fcntl
import functools
import importlib.util
import marshal
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import BinaryIO

from hearts_course.sandbox.worker import HEAD_PLACE_BYTES, READERS, WORKER_DIR

STANDARD_LIBRARY = Path(os.__file__).parent
# Left out of the archive: parts of the standard library that no program of a card game imports, and
# folders of packages that are not Python's own.
WITHOUT = frozenset(
    {
        *("__pycache__", "site-packages", "dist-packages", "lib-dynload", "test", "tests"),
        *("ensurepip", "idlelib", "lib2to3", "pydoc_data", "tkinter", "turtledemo"),
    }
)
STAND_IN_FOR_READLINE = b'''
"""Takes the place of Python's module: without a person who types, there are no lines to edit."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *arguments: None
'''
COMPILED_HEAD = 16  # bytes of a compiled file before its code
UNCHECKED_HASH = 1  # a kind of compiled file: Python uses it without checking the source
TIMESTAMP = 0  # a kind of compiled file: it holds the time when the source was changed
SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
CHUNK_BYTES = 2**20


@functools.cache
def library_archive() -> int:
    """Return the descriptor of the archive. If this process has none yet, write it first.

    Also read the interpreter and the modules in C that a program may use, so that all of these
    files are in memory. Then the time of a read does not tell a program what other programs read.
    """
    descriptor = os.memfd_create("hearts-library", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(descriptor, "wb", closefd=False) as archive:
        _write(archive)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, SEALS)
    for path in native_code():
        _read(path)
    return descriptor


def _write(archive: BinaryIO) -> None:
    """Write the archive, each module as soon as it is read, so that none stays in memory.

    The index maps each module name to five values: the path, whether the module is a package,
    whether it is compiled, where it begins in the archive, and how many bytes it has.
    """
    index = {}
    archive.write(bytes(HEAD_PLACE_BYTES))  # the place is known, and written here, at the end
    for name, path in _modules():
        data, is_compiled = _compiled(path)
        index[name] = str(path), path.stem == "__init__", is_compiled, archive.tell(), len(data)
        archive.write(data)
    data = STAND_IN_FOR_READLINE
    path = STANDARD_LIBRARY / "readline.py"
    index["readline"] = str(path), False, False, archive.tell(), len(data)
    archive.write(data)
    head_place = archive.tell()
    readers = {name: _code(WORKER_DIR / f"{name}.py") for name in READERS}
    archive.write(marshal.dumps((readers, index)))
    archive.seek(0)
    archive.write(head_place.to_bytes(HEAD_PLACE_BYTES, "little"))


def _modules() -> Iterator[tuple[str, Path]]:
    """Yield the name and path of each module in Python."""
    for path in WORKER_DIR.glob("*.py"):
        if path.stem != "__init__":
            yield f"sandbox_worker.{path.stem}", path
    for folder, folders, files in os.walk(STANDARD_LIBRARY):
        # `os.walk` goes only into the folders that are left in this list.
        folders[:] = [name for name in folders if name not in WITHOUT and name.isidentifier()]
        package = Path(folder).relative_to(STANDARD_LIBRARY).parts
        for file in files:
            path = Path(folder, file)
            if path.suffix == ".py":
                names = package if path.stem == "__init__" else (*package, path.stem)
                yield ".".join(names), path


def _compiled(path: Path) -> tuple[bytes, bool]:
    """Return the file's compiled code and True, or its text and False.

    The code is the one that Python has stored. Without stored code, compile the file only if it
    belongs to the worker, because each sandbox imports all files of the worker.
    """
    code = _stored_code(path)
    if code is None and path.parent == WORKER_DIR:
        code = marshal.dumps(_code(path))
    return (path.read_bytes(), False) if code is None else (code, True)


def _stored_code(path: Path) -> bytes | None:
    """Return the code that Python has stored for the file; None if it is missing or out of date."""
    try:
        data = Path(importlib.util.cache_from_source(str(path))).read_bytes()
    except OSError:
        return None
    kind = int.from_bytes(data[4:8], "little")
    # The time of change as Python stores it in bytecode: whole seconds, in 32 bits.
    changed = path.stat().st_mtime_ns // 10**9 & 0xFFFFFFFF
    is_current = kind == UNCHECKED_HASH or (
        kind == TIMESTAMP and int.from_bytes(data[8:12], "little") == changed
    )
    if data[:4] == importlib.util.MAGIC_NUMBER and is_current:
        return data[COMPILED_HEAD:]
    return None


def _code(path: Path) -> CodeType:
    """Return the compiled file; the `__future__` imports of this module do not affect it."""
    return compile(path.read_bytes(), str(path), "exec", dont_inherit=True)


def native_code() -> Iterator[Path]:
    """Yield the files that a sandbox maps into memory: the interpreter, and code that it loads."""
    maps = Path("/proc/self/maps")
    # A line names the mapped file after its addresses and rights; parts without a file have no
    # path.
    lines = maps.read_text().splitlines() if maps.exists() else []
    paths = {line[line.index("/") :] for line in lines if "/" in line}
    paths |= {str(path) for path in (STANDARD_LIBRARY / "lib-dynload").glob("*.so")}
    paths.add(os.path.realpath(sys.executable))
    for path in map(Path, paths):
        if path.is_file():  # a deleted file or a device cannot be read
            yield path


def _read(path: Path) -> None:
    """Read the file to its end, so that it is in memory; keep nothing of it."""
    with path.open("rb", buffering=0) as file:
        while file.read(CHUNK_BYTES):
            continue
