"""The part of the tool that runs in the sandbox, and the command that starts it there.

The other modules here import only the standard library; this one stays outside.
"""

import os
import sys
from pathlib import Path

WORKER_DIR = Path(__file__).resolve().parent
SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/bin")
# With HOME and USER, because programs greet their user and save high scores.
ENVIRONMENT = {
    **{"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"},
    **{"HOME": "/", "USER": "student"},
}
# The package is made by hand, because a program must not read the folder around it.
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
    """Return the folders that a bare interpreter reads, beside the system's."""
    folders = {os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)}
    return sorted(folders - {"/usr"})
