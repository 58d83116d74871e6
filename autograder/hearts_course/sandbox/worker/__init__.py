"""The part of the tool that enters the sandbox, and the command that starts it there.

The other modules here import nothing but the standard library; this one stays outside.
"""

import os
import sys
from pathlib import Path

WORKER_DIR = Path(__file__).resolve().parent
SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/bin")
# With a home and a name, because programs greet their user and look for a place for high scores.
ENVIRONMENT = {
    **{"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"},
    **{"HOME": "/", "USER": "student"},
}
# The package is made by hand because the folder around it must stay unreadable to a program.
PACKAGE = f"""
import sys, types
package = sys.modules["sandbox_worker"] = types.ModuleType("sandbox_worker")
package.__path__ = [{str(WORKER_DIR)!r}]
"""
SERVE = "from sandbox_worker.server import serve_submission\nserve_submission()\n"


def worker_command(code: str = "") -> list[str]:
    """Return the command that serves a submission, or runs this code beside the worker's package.

    The interpreter is bare: without site-packages, in UTF-8.
    """
    python = os.path.realpath(sys.executable)
    return [python, "-s", "-S", "-P", "-X", "utf8", "-c", PACKAGE + (code or SERVE)]


def interpreter_folders() -> list[str]:
    """Return what a bare interpreter has to read beside the system's folders."""
    folders = {os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)}
    return sorted(folders - {"/usr"})
