"""The forms in which a program is handed in, made from a stage's reference.

Files       one submission: path to content, or to a link
reference   as `.py` files
solved      as a notebook
zipped      any files as a zip
"""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hearts_course.authoring.notebook import build_notebook, solve
from hearts_course.course import Stage

MIDNIGHT = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Link:
    """A symbolic link in place of a file."""

    target: str


Files = Mapping[str, bytes | Link]


def reference(stage: Stage) -> dict[str, bytes]:
    """The reference as files."""
    return {f"{name}.py": text.encode() for name, text in stage.reference().items()}


def solved(stage: Stage) -> Any:
    """The reference as a notebook, for nbformat."""
    return solve(build_notebook(stage), stage.reference())


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip of the files, the same bytes every time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as box:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, MIDNIGHT)
            box.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
