"""The notebook that a person sees who grades a submission, whatever was handed in.

    shown     the course's own cells with the student's words in them, and the student's own cells
    verdict   what is said below a check

It is made afresh, so that nothing of a stranger's notebook but its texts reaches nbgrader: no
metadata, no output, no attachment. A program in `.py` files is shown in the notebook's cells, too.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from hearts_course.authoring.notebook import build_notebook, solve
from hearts_course.course import Stage
from hearts_course.errors import StageError
from hearts_course.notebook import modules_from_notebook, places, program_cells
from hearts_course.reports.task_summary import summarise
from hearts_course.results import Result, Status, TaskResult
from hearts_course.submissions.model import Submission, Unreadable
from hearts_course.submissions.read import MAX_NOTEBOOK
from hearts_course.submissions.untrusted import Folder
from hearts_course.text import safe_block

MOST_CELLS = 500
MOST_NOTES = 3  # of one topic
MAKE = {"code": new_code_cell, "markdown": new_markdown_cell}


def shown(stage: Stage, path: Path | None, submission: Submission) -> Any:
    """The notebook, for nbformat, of the submission that lies at `path`; raises StageError."""
    ours = build_notebook(stage)
    if submission.problem:
        return ours
    for theirs in _notebooks(path, stage):
        if _holds(theirs, submission.modules, stage):
            return _merged(ours, theirs["cells"], program_cells(stage))
    return _solved(ours, {name: _kept(text) for name, text in submission.modules.items()})


def _solved(ours: Any, modules: Mapping[str, str]) -> Any:
    """The modules in our cells; one that cannot be divided is in its first cell as a whole."""
    for name, text in modules.items():
        try:
            ours = solve(ours, {name: text})
        except StageError:
            own = [cell for cell in ours.cells if cell.id.startswith(f"{name}-")]
            for cell in own:
                cell.source = text.strip("\n") if cell is own[0] else ""
    return ours


def _notebooks(path: Path | None, stage: Stage) -> Iterator[Any]:
    """Every notebook in the folder that can be read, the stage's own first."""
    try:
        box = Folder(path) if path and path.is_dir() and not path.is_symlink() else None
    except Unreadable:
        return
    names = [name for name in (box.names if box else ()) if name.endswith(".ipynb")]
    for name in sorted(names, key=lambda name: PurePosixPath(name).stem != stage.name):
        try:
            yield json.loads(box.read(name, MAX_NOTEBOOK), parse_int=float) if box else None
        except (Unreadable, ValueError, RecursionError):
            continue


def _holds(notebook: Any, modules: Mapping[str, str], stage: Stage) -> bool:
    """Whether it is from this notebook that the graded program came."""
    try:
        return modules_from_notebook(notebook, stage)[0] == dict(modules)
    except (ValueError, RecursionError):
        return False


def _merged(ours: Any, theirs: list[Any], program: Collection[str]) -> Any:
    """The student's cells in the student's order; ours that are gone are where they belong."""
    known = {cell.id: cell for cell in ours.cells if "nbgrader" in cell.metadata}
    names = _names(theirs, program, known.keys() - set(program))
    cells: list[Any] = []
    for number, cell in enumerate(theirs):
        if mine := known.get(names.get(number, "")):
            cells.append(_filled(mine, _text(cell)))
        elif number < MOST_CELLS and (made := MAKE.get(str(cell.get("cell_type")))):
            cells.append(made(_text(cell), id=f"theirs-{number}"))
    _put_back(cells, list(known.values()))
    return new_notebook(cells=cells, metadata=ours.metadata)


def _names(theirs: list[Any], program: Collection[str], others: Collection[str]) -> dict[int, str]:
    """Which cells, by number, are ours: those of the program just as the grader sees it."""
    ids = [_ids(cell) for cell in theirs]
    code = [number for number, cell in enumerate(theirs) if cell.get("cell_type") == "code"]
    graded = places([ids[number] for number in code], program)
    found = [(number, name) for name, number in places(ids, others).items()]
    return dict([*found, *((code[place], name) for name, place in graded.items())])


def _ids(cell: Any) -> tuple[str, str]:
    """grade_id and cell id, empty where there are none: all of it is a stranger's."""
    match cell:
        case {"metadata": {"nbgrader": {"grade_id": str(name)}}}:
            grade_id = name
        case _:
            grade_id = ""
    return grade_id, cell["id"] if isinstance(cell.get("id"), str) else ""


def _filled(cell: Any, text: str) -> Any:
    """Our cell; where students may write, with what they wrote."""
    if cell.metadata.nbgrader.solution:
        cell.source = text
    return cell


def _put_back(cells: list[Any], known: list[Any]) -> None:
    """Insert those of our cells that are not there, each behind the one that it follows."""
    for before, cell in zip([None, *known], known, strict=False):
        if cell not in cells:
            cells.insert(cells.index(before) + 1 if before in cells else 0, cell)


def _text(cell: Any) -> str:
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    return _kept("".join(line for line in lines if isinstance(line, str)))


def _kept(text: str) -> str:
    """The text, if need be with what no file can hold spelt out."""
    return text.encode("utf-8", "backslashreplace").decode()


def verdict(result: Result, task: TaskResult, number: int) -> str:
    """What is said of a task, safe for the student to read."""
    if result.status is not Status.GRADED or not any(
        t.outcome != "not-reached" for t in task.tests
    ):
        message = result.for_student().message
        return safe_block(f"{result.status.value}: {message}".rstrip(": ")) + "\n"
    summary = summarise(number, task)
    lines = [f"{summary.face.mark} {summary.sentence}"]
    for finding in summary.failing:
        kind = "a hidden check" if finding.hidden else "a check"
        lines.append(f"✗ {finding.topic}  ({kind}: {finding.passed} of {finding.total} pass)")
        for note in finding.notes[:MOST_NOTES]:
            lines += [f"    {line}" for line in note.message.split("\n")]
    return safe_block("\n".join(lines)) + "\n"
