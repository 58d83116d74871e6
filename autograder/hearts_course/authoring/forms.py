"""The forms in which a program is handed in, made from a stage's reference.

Files       one submission: path to content, or to a link
reference   as `.py` files
solved      as a notebook
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hearts_course.authoring.notebook import build_notebook, solve
from hearts_course.course import Stage


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
