"""Find the programs that an nbgrader course needs, in our Python environment and in others.

If nbgrader cannot read its settings, it goes on without them. For a stage it would then run
students' programs itself, with the instructor's rights. So the settings import our package inside a
`try`, and end nbgrader if the import fails.
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
    """Return the `except` clause for settings: it stops nbgrader and names programs to use."""
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
