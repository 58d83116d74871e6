"""The Python environment that an nbgrader course needs, and programs of other environments.

nbgrader goes on without settings that it cannot read. For a stage it would then run students'
programs itself, with the instructor's rights. So the settings stop nbgrader in an environment that
cannot use them.
"""

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = ("nbgrader", "jupyter")
STOP = """\
except Exception as error:  # without the stages, nbgrader would run students' programs itself
    import sys

    raise SystemExit(
        f"nbgrader stops, because {{sys.executable}} cannot use the stages here: {{error}}\\n"
        "Run instead: {nbgrader}, or {jupyter} lab"
    ) from None
"""


def stop_lines() -> str:
    """Return the end of a `try` in settings: it stops nbgrader and names the programs to use."""
    return STOP.format(**{name: our_program(name).as_posix() for name in PROGRAMS})


def our_program(name: str) -> Path:
    """Return the program of that name in the environment that runs this tool.

    If no folder has it, return where a virtual environment would have it.
    """
    folders = (
        Path(sys.executable).parent,
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", f"{os.name}_user")),
    )
    for folder in folders:
        if shutil.which(folder / name):
            return folder / name
    return folders[0] / name


def foreign_programs() -> Iterator[tuple[Path, Path]]:
    """Yield each program that PATH finds in another environment, with our program of that name."""
    for name in PROGRAMS:
        ours = our_program(name)
        program = shutil.which(name)
        if program and Path(program).resolve().parent != ours.resolve().parent:
            yield Path(program), ours
