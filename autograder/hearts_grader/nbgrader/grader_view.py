"""Build the notebook in which a person grades a submission, whatever form the submission has.

Only the texts of a student's notebook reach nbgrader, never its metadata, outputs or attachments. A
program in `.py` files appears in the cells of the course's notebook.

formgrader puts Markdown and raw cells into its page as they are, and scripts in the page have the
instructor's rights. Therefore only the course's Markdown stays Markdown. A student's Markdown is
shown as plain text. In this module, "our cells" are the cells of the course's notebook.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from hearts_course.course import Stage
from hearts_course.errors import StageError
from hearts_course.misconceptions import load_patterns
from hearts_course.notebook import (
    cell_ids,
    given_cells,
    modules_from_notebook,
    places,
    solution_cells,
)
from hearts_course.reports.task_summary import TaskSummary, TopicStatus, summarise
from hearts_course.results import Result, Status
from hearts_course.submissions.model import Submission, Unreadable
from hearts_course.submissions.read import MAX_NOTEBOOK
from hearts_course.submissions.untrusted import Folder
from hearts_course.text import fenced, safe_block
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from hearts_grader.authoring.notebook import build_notebook, solve
from hearts_grader.model_answers import answers_to_compare

MAX_CELLS = 500  # a student's own cells are shown only among the first 500 cells of the notebook
GRADERS_ONLY = "graders-only"  # the tag of cells that students' pages leave out
MAX_NOTES = 3  # messages shown for each failing topic


def notebook_to_grade(stage: Stage, path: Path | None, submission: Submission) -> Any:
    """Return a submission as a notebook of nbformat; `submission` was read from `path`.

    If the submission has a problem, return the course's own notebook without any text of the
    student. Raise StageError if the stage's files do not make a notebook.
    """
    ours = build_notebook(stage)
    if submission.problem:
        return ours
    # A person must see the very program that was graded, so a notebook counts only if the program
    # came from it.
    for notebook in _notebooks(path, stage):
        if _holds(notebook, submission.modules, stage):
            ours = _merged(ours, notebook["cells"], given_cells(stage))
            break
    else:
        ours = _with_modules(ours, submission.modules)
    if submission.receipt:
        ours.cells.append(new_markdown_cell(f"Receipt: {submission.receipt}", id="receipt"))
    if submission.answers:
        text = f"## Answer for discussion\n\n{fenced(safe_block(submission.answers))}"
        ours.cells.append(new_markdown_cell(text, id="answers"))
        if model := answers_to_compare(stage, submission.answers):
            text = f"## Model answer, for graders only\n\n{model}"
            tags = {"tags": [GRADERS_ONLY]}
            ours.cells.append(new_markdown_cell(text, id="model-answers", metadata=tags))
    return ours


def _with_modules(ours: Any, modules: Mapping[str, str]) -> Any:
    """Put the modules into our cells; a module that cannot be divided goes into one cell."""
    for name, text in modules.items():
        text = _encodable(text)
        try:
            ours = solve(ours, {name: text})
        except StageError:
            module_cells = [cell for cell in ours.cells if cell.id.startswith(f"{name}-")]
            for cell in module_cells:
                cell.source = text.strip("\n") if cell is module_cells[0] else ""
    return ours


def open_folder(path: Path | None) -> Folder | None:
    """Return a submission's folder; None if it is a link, unreadable or not a folder."""
    if path is None or path.is_symlink() or not path.is_dir():
        return None
    try:
        return Folder(path)
    except Unreadable:
        return None


def _notebooks(path: Path | None, stage: Stage) -> Iterator[Any]:
    """Yield every notebook in the folder that can be read, the stage's own first."""
    if folder := open_folder(path):
        names = [name for name in folder.names if name.endswith(".ipynb")]
        for name in sorted(names, key=lambda name: PurePosixPath(name).stem != stage.name):
            try:
                # A number may have more digits than Python converts to an `int`.
                yield json.loads(folder.read(name, MAX_NOTEBOOK), parse_int=float)
            except (Unreadable, ValueError, RecursionError):
                continue


def _holds(notebook: Any, modules: Mapping[str, str], stage: Stage) -> bool:
    """Return whether the graded program came from this notebook.

    A student's notebook may contain anything. If it cannot be read, return False.
    """
    try:
        return modules_from_notebook(notebook, stage)[0] == dict(modules)
    except (ValueError, RecursionError):
        return False


def _merged(ours: Any, theirs: list[Any], program: Mapping[str, str]) -> Any:
    """Return a notebook with the student's cells in their order, and with our missing cells.

    "Our cells" are here only those that the course marks for nbgrader. A missing cell is added
    below the cell that it follows in our notebook. Cells of the student's own are shown only if
    they are among the first MAX_CELLS cells of the notebook.
    """
    our_cells = {cell.id: cell for cell in ours.cells if "nbgrader" in cell.metadata}
    our_texts = {cell.source for cell in ours.cells if cell.cell_type == "markdown"}
    names = _names(theirs, program, our_cells.keys() - set(program))
    cells: list[Any] = []
    for number, cell in enumerate(theirs):
        if mine := our_cells.get(names.get(number, "")):
            if mine.cell_type == "markdown":  # the rubric stays, and the student's words follow
                words = _text(cell).removeprefix(mine.source).strip()
                if words:
                    mine.source += f"\n\n{fenced(safe_block(words))}"
            elif mine.metadata.nbgrader.solution:
                if mine in cells:  # the student has divided the cell
                    mine.source = f"{mine.source}\n{_text(cell)}"
                else:
                    mine.source = _text(cell)
            if mine not in cells:
                cells.append(mine)
        elif number < MAX_CELLS and (text := _text(cell)):
            cells += _extra_cells(str(cell.get("cell_type")), text, f"theirs-{number}", our_texts)
    # Go through our cells in order, because a missing cell may follow one that was just added.
    previous = None
    for cell in our_cells.values():
        if cell not in cells:
            place = cells.index(previous) + 1 if previous in cells else 0
            cells.insert(place, cell)
        previous = cell
    return new_notebook(cells=cells, metadata=ours.metadata)


def _extra_cells(kind: str, text: str, cell_id: str, our_texts: Collection[str]) -> Iterator[Any]:
    """Yield a cell that shows a cell of the student's own; yield nothing for a raw cell.

    Markdown is shown as plain text, unless it is the text of one of our own Markdown cells.
    """
    if kind == "code":
        yield new_code_cell(text, id=cell_id)
    elif kind == "markdown":
        shown = text if text in our_texts else fenced(safe_block(text))
        yield new_markdown_cell(shown, id=cell_id)


def _names(
    theirs: list[Any], program: Mapping[str, str], others: Collection[str]
) -> dict[int, str]:
    """Map the position of a student's cell to the id of our cell that it stands for.

    Positions count from 0. A student's own cells are left out. Cells of the program are found as
    the autograder finds them, so that a person reads what was graded. `others` are the ids of our
    cells that are not part of the program.
    """
    ids = [cell_ids(cell) for cell in theirs]
    code = [number for number, cell in enumerate(theirs) if cell.get("cell_type") == "code"]
    graded = solution_cells([(*ids[number], _text(theirs[number])) for number in code], program)
    names = {}
    for name, numbers in places(ids, others).items():
        # If the student has split or copied the cell, its last part stands for it.
        names[numbers[-1]] = name
    for name, positions in graded.cells.items():
        for position in positions:
            names[code[position]] = name
    return names


def _text(cell: Any) -> str:
    """Return a cell's text; it may be stored as a list of lines, and other values are ignored."""
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    return _encodable("".join(line for line in lines if isinstance(line, str)))


def _encodable(text: str) -> str:
    """Return the text with an escape for each character that UTF-8 cannot encode."""
    return text.encode("utf-8", "backslashreplace").decode()


def check_outputs(result: Result, stage: Stage) -> dict[str, str]:
    """Map each task's id to the text to show in its check cell, without control characters."""
    tasks = summarise(result, stage, load_patterns(stage))
    return {task.id: safe_block(_check_output(result, task)) + "\n" for task in tasks}


def _check_output(result: Result, task: TaskSummary) -> str:
    """Return a task's status, and below it the causes of its failures and each failing topic.

    A cause may be another task or a known mistake. The text also says which checks were not tried.
    It shows at most MAX_NOTES messages of a topic. If there is no score, or the task was not
    reached, return the result's status and its reason.
    """
    if result.status is not Status.GRADED or task.status is TopicStatus.NOT_REACHED:
        return f"{result.status.value}: {result.for_student().message}".rstrip(": ")
    lines = [f"{task.status.mark} {task.sentence}"]
    lines += filter(None, [task.causes.words, task.mistake, task.not_tried])
    for topic in task.failing:
        kind = "a hidden check" if topic.hidden else "a check"
        lines.append(f"✗ {topic.topic}  ({kind}: {topic.passed} of {topic.total} pass)")
        for note in topic.notes[:MAX_NOTES]:
            lines += [f"    {line}" for line in note.text.split("\n")]
    return "\n".join(lines)
