"""Submissions that go wrong, each in its own way; made from any stage's reference.

Each function takes a stage and returns the files of one submission: path to content.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hearts_course.authoring.blank import blank, definitions
from hearts_course.authoring.notebook import as_text, build_notebook, solve
from hearts_course.course import Stage

HUGE = 50 * 10**6
BOMB = 200 * 2**20
MIDNIGHT = (1980, 1, 1, 0, 0, 0)
PLACE = "put the hostile lines here"


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


def empty_folder(stage: Stage) -> Files:
    """Nothing at all."""
    return {}


def wrong_name(stage: Stage) -> Files:
    """The right program under another name."""
    return {f"my_{name}": content for name, content in reference(stage).items()}


def syntax_error(stage: Stage) -> Files:
    """A first definition without its colon."""
    lines = stage.reference()[stage.modules[0]].split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(("class ", "def ")))
    lines[first] = lines[first].rstrip(":")
    return _first_file(stage, "\n".join(lines))


def import_raises(stage: Stage) -> Files:
    """An exception on import."""
    return _appended(stage, 'raise RuntimeError("this deck is cursed")')


def import_loops(stage: Stage) -> Files:
    """An import that never ends."""
    return _appended(stage, "while True:\n    pass")


def exit_on_import(stage: Stage) -> Files:
    """A program that ends itself on import."""
    return _appended(stage, "import sys\n\nsys.exit(0)")


def loop_under_except(stage: Stage) -> Files:
    """A function that loops and swallows whatever is raised in it."""
    loop = ["while True:", "    try:", "        while True:", "            pass"]
    return _injected(stage, [*loop, "    except:", "        pass"])


def exit_in_function(stage: Stage) -> Files:
    """A function that ends the process with a status that means success."""
    return _injected(stage, ["import os", "", "os._exit(0)"])


def endless_output(stage: Stage) -> Files:
    """A function that prints for ever."""
    return _injected(stage, ["while True:", '    print("hearts " * 100, flush=True)'])


def much_memory(stage: Stage) -> Files:
    """A function that takes 2 GiB."""
    return _injected(stage, ['return len(b"x" * 2 * 2**30)'])


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


def _first_file(stage: Stage, text: str) -> Files:
    return {**reference(stage), stage.files[0]: text.encode()}


def _appended(stage: Stage, lines: str) -> Files:
    return _first_file(stage, f"{stage.reference()[stage.modules[0]]}\n\n{lines}\n")


def _injected(stage: Stage, lines: list[str]) -> Files:
    """The reference with these lines as the body of the first function that is a blank."""
    for name in (name for task in stage.tasks for name in task.blanks):
        for module, source in stage.reference().items():
            if name in definitions(source):
                text = _with_body(source, name, lines)
                if text != source:
                    return {**reference(stage), f"{module}.py": text.encode()}
    raise AssertionError(f"no task of {stage.name} leaves a function blank")


def _with_body(source: str, name: str, lines: list[str]) -> str:
    """The source with another body for the function, or as it is if that is a class."""
    found = blank(source, {name: PLACE}).split("\n")
    stub = next((i for i, line in enumerate(found) if PLACE in line), None)
    if stub is None:
        return source
    indent = " " * (len(found[stub]) - len(found[stub].lstrip()))
    found[stub : stub + 1] = [f"{indent}{line}".rstrip() for line in lines]
    return "\n".join(found)
