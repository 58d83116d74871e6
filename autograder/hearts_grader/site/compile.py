"""Run in Pyodide: replace source files by bytecode, which loads faster.

Files that the course finds by their path or shows as text stay as they are. Docstrings stay where a
student may read them: in the course and in most of the standard library. Modules of the standard
library move into the package, except those that Pyodide needs to unpack the package.
"""

import importlib.metadata
import lzma
import shutil
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

NEEDED_FIRST = {name.partition(".")[0] for name in sys.modules}
# These modules unpack the package. They are imported so that NEEDED_FIRST has them.
UNPACK = (importlib.metadata, lzma, shutil, tarfile, zipfile)

import py_compile  # noqa: E402 - NEEDED_FIRST must not have it

KEPT, OURS = "course_files", "hearts_course"
UNREAD = {"asyncio", "concurrent", "ctypes", "email", "encodings", "http", "importlib", "logging"}
UNREAD |= {"pyodide", "_pyodide", "tarfile.py", "urllib", "xml", "zipfile"}
SEEN = {  # the paths that tracebacks show
    "/packages": "/" + sysconfig.get_path("purelib").lstrip("/"),
    "/stdlib": "/lib/python314.zip",
}

for folder, seen in SEEN.items():
    for path in sorted(Path(folder).rglob("*.py")):
        if KEPT not in path.parts:
            name = f"{seen}/{path.relative_to(folder)}"
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            is_read = OURS in path.parts or (folder == "/stdlib" and UNREAD.isdisjoint(path.parts))
            level = 0 if is_read else 2
            py_compile.compile(
                *(str(path), f"{path}c", name),
                doraise=True,
                optimize=level,
                invalidation_mode=mode,
            )
            path.unlink()

for path in Path("/stdlib").iterdir():
    if path.stem not in NEEDED_FIRST and (
        path.suffix == ".pyc" or (path / "__init__.pyc").exists()
    ):
        shutil.move(path, Path("/packages") / path.name)
