"""Import the standard library, and the worker itself, from memory.

A program may not open files. If two programs could open the same file, they could lock it, watch it
or time its use, and so learn about each other. So all modules that a program may import lie in an
archive, which `hearts_grader.sandbox.library_archive` writes and this module reads. Modules in C
cannot be imported from memory. So the process imports those of `IN_C` before it gives up
its files, in case a program needs them.
"""

import importlib
import importlib.machinery
import marshal
import os
import sys
import types
from contextlib import suppress
from typing import Any

from .kernel import library

# For each module: its file, whether it is a package, whether it is compiled, where it begins in the
# archive, and how many bytes it has.
Index = dict[str, tuple[str, bool, bool, int, int]]

PROT_READ, MAP_PRIVATE = 1, 2
# Modules in C that the standard library imports; in some Pythons they are built in or missing.
# `readline` is left out, because it would change how every program asks for input; a stand-in takes
# its place. Modules that load big libraries are left out if they have a substitute in Python.
IN_C = (
    *("array", "binascii", "cmath", "fcntl", "math", "mmap", "resource", "select", "termios"),
    *("unicodedata", "zlib", "_bisect", "_blake2", "_contextvars", "_csv", "_ctypes", "_datetime"),
    *("_decimal", "_heapq", "_hmac", "_json", "_md5", "_multiprocessing", "_opcode", "_pickle"),
    *("_posixshmem", "_posixsubprocess", "_queue", "_random", "_sha1", "_sha2", "_sha256", "_sha3"),
    *("_sha512", "_socket", "_statistics", "_struct", "_types"),
)


class MemoryFinder:
    """Imports modules from the archive. For `importlib`, it is both a finder and a loader."""

    def __init__(self, descriptor: int, index: Index) -> None:
        """Map the open archive into memory."""
        self._index = index
        size = os.fstat(descriptor).st_size
        # Do not use the module `mmap`, because it keeps a descriptor open. A program could move the
        # descriptor's position.
        address = library().mmap(None, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
        self._archive = memoryview(_bytes_at(address, size))

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec of a module in the archive, None for any other."""
        if name not in self._index:
            return None
        file, is_package, _, _, _ = self._index[name]
        loader: Any = self
        spec = importlib.machinery.ModuleSpec(name, loader, origin=file, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(file)]  # noqa: PTH120 - fast
        return spec

    def create_module(self, spec: Any) -> None:
        """Let the import system make the module."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module's code in the module."""
        exec(self.get_code(module.__name__), vars(module))

    def get_code(self, name: str) -> types.CodeType:
        """Return the module's code."""
        file, _, is_compiled, begin, size = self._index[name]
        data = self._archive[begin : begin + size]
        if not is_compiled:
            return compile(bytes(data), file, "exec", dont_inherit=True)
        code: types.CodeType = marshal.loads(data)
        return code


def _bytes_at(address: int, size: int) -> Any:
    import ctypes

    return (ctypes.c_char * size).from_address(address)


def import_from_memory(descriptor: int, index: Index) -> None:
    """Let imports find the archive's modules from now on; import the modules in C at once."""
    finder: Any = MemoryFinder(descriptor, index)
    os.close(descriptor)
    built_in_and_frozen = 2
    sys.meta_path.insert(built_in_and_frozen, finder)
    for name in IN_C:
        with suppress(ImportError):
            importlib.import_module(name)
