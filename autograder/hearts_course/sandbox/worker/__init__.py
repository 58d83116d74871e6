"""The worker, which serves a program in the sandbox, and the command that starts it there.

The other modules here run in the sandbox and import only the standard library. This module is used
outside of the sandbox.
"""

import os
import sys
from pathlib import Path

WORKER_DIR = Path(__file__).resolve().parent
# HOME and USER are set, because programs greet their user and save high scores.
ENVIRONMENT = {
    **{"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"},
    **{"HOME": "/", "USER": "student"},
}
HEAD_PLACE_BYTES = 8
READERS = ("kernel", "library")  # the worker's modules that read an archive
# The package is made by hand, because a program must not read the folder around the worker.
PACKAGE = """
import sys, types
package = sys.modules["sandbox_worker"] = types.ModuleType("sandbox_worker")
package.__path__ = {path!r}
"""
READ_ARCHIVE = """
import marshal, os
place = int.from_bytes(os.pread({archive}, {bytes}, 0), "little")
size = os.fstat({archive}).st_size - place
readers, index = marshal.loads(os.pread({archive}, size, place))
for name, code in readers.items():
    module = types.ModuleType("sandbox_worker." + name)
    module.__package__ = "sandbox_worker"
    sys.modules[module.__name__] = module
    exec(code, vars(module))
module.import_from_memory({archive}, index)
"""
SERVE = """
from sandbox_worker.server import serve_submission
serve_submission(confined={confined})
"""


def worker_command(code: str = "", archive: int | None = None) -> list[str]:
    """Return the command that serves a submission.

    With `code`, the command runs that code instead. The code can import the worker. `archive` is
    the descriptor of an archive of modules, which the process must inherit. With it, the worker and
    the standard library are imported from the archive, and the worker confines itself and the
    submission. The interpreter is bare: without site-packages, in UTF-8.
    """
    if archive is None:
        begin = PACKAGE.format(path=[str(WORKER_DIR)])
    else:
        read = READ_ARCHIVE.format(archive=archive, bytes=HEAD_PLACE_BYTES)
        begin = PACKAGE.format(path=[]) + read
    code = code or SERVE.format(confined=archive is not None)
    python = os.path.realpath(sys.executable)
    return [python, "-s", "-S", "-P", "-X", "utf8", "-c", begin + code]
