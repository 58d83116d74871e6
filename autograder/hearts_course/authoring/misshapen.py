"""Submissions whose files are not what they should be.

Each function takes a stage and returns the files of one submission.
"""

import json
from typing import Any

from hearts_course.authoring.forms import Files, Link, reference, solved
from hearts_course.authoring.notebook import as_text
from hearts_course.course import Stage
from hearts_course.files import zipped

HUGE = 50 * 10**6
BOMB = 200 * 2**20


def empty_folder(stage: Stage) -> Files:
    """Nothing at all."""
    return {}


def wrong_name(stage: Stage) -> Files:
    """The right program under another name."""
    return {f"my_{name}": content for name, content in reference(stage).items()}


def not_utf8(stage: Stage) -> Files:
    """A source saved with an old encoding."""
    name, content = next(iter(reference(stage).items()))
    return {**reference(stage), name: content + "# café\n".encode("latin-1")}


def huge_file(stage: Stage) -> Files:
    """A source of 50 MB."""
    name, content = next(iter(reference(stage).items()))
    line = b"# one more line of nothing\n"
    return {**reference(stage), name: content + line * (HUGE // len(line) + 1)}


def broken_notebook(stage: Stage) -> Files:
    """The first half of a notebook."""
    text = as_text(solved(stage))
    return {stage.notebook.name: text[: len(text) // 2].encode()}


def changed_grade_ids(stage: Stage) -> Files:
    """A notebook in which no cell is called what it was."""
    notebook = solved(stage)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id += "-mine"
    return {stage.notebook.name: as_text(notebook).encode()}


def failing_scratch_cells(stage: Stage) -> Files:
    """A good notebook with cells between that fail."""
    notebook = json.loads(as_text(solved(stage)))
    sources = ["1 / 0", "this is no Python (", "%no_such_magic", "raise SystemExit"]
    output = {"output_type": "error", "ename": "Error", "evalue": "", "traceback": []}
    for number, source in enumerate(sources):
        cell: dict[str, Any] = {"cell_type": "code", "id": f"scratch-{number}", "source": source}
        cell |= {"metadata": {}, "execution_count": None, "outputs": [output]}
        notebook["cells"].insert(3 * number + 2, cell)
    return {stage.notebook.name: f"{json.dumps(notebook, indent=1)}\n".encode()}


def zip_slip(stage: Stage) -> Files:
    """A zip whose files would land outside of the folder."""
    outside = {f"../../../{name}": content for name, content in reference(stage).items()}
    return {f"{stage.name}.zip": zipped(outside)}


def zip_bomb(stage: Stage) -> Files:
    """A small zip of 200 MiB."""
    return {f"{stage.name}.zip": zipped({stage.files[0]: b"#" * BOMB})}


def symlink(stage: Stage) -> Files:
    """A link to somebody else's file in place of the program."""
    return {name: Link(f"../../ada-reference/{stage.name}/{name}") for name in stage.files}
