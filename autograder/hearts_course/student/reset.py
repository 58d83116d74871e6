"""Put a task's blanks or a stage's starter back, and keep the former text in another file.

A blank is a definition that the starter leaves for the student to write.
"""

import ast
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from hearts_course.course import Stage, Task, name_tasks
from hearts_course.edition import HERE
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import first_free, read_json, write_whole
from hearts_course.notebook import cell_ids, mark_of, only_opened, program_cells
from hearts_course.python_source import UNPARSABLE, defines, definitions_in, lines_of, without_lines
from hearts_course.student.work import (
    Form,
    StageWork,
    notebook_contents,
    put_back_command,
)
from hearts_course.student.workspace import given_digests

Former = dict[Path, Path]
BRIEF_CELL = "brief-"  # beginning of the ids of the notebook cells that show the brief
BRING = HERE.text(
    "<!-- if terminal -->`hearts start .` brings it<!-- else load this page again -->"
)


def reset_work(work: StageWork, task: Task | None) -> Former:
    """Put the blanks of the task, or the whole starter, back into the files of the work.

    Return a dictionary that maps each changed file to the file with its former text. Raise
    UsageError if there is a `task` and the program cannot be parsed. Raise CourseError if a file
    cannot be written.
    """
    former = {}
    for path in work.paths:
        previous = path.read_bytes()
        text = _fresh(work, path, task)
        if text != previous.decode("utf-8-sig", "replace"):
            former[path] = _keep_former(path)
            write_whole(path, text)
    return former


def put_back_missing(path: Path, stage: Stage) -> tuple[tuple[str, ...], Path | None]:
    """Put missing cells back into a notebook, each after the cell that it follows in the starter.

    Return the titles of the cells, and the path of the former notebook. The path is None if no cell
    was missing. Raise UsageError if the notebook is unreadable, CourseError if it cannot be
    written.
    """
    absent = notebook_contents(path, stage).absent
    if not absent:
        return (), None
    notebook = read_json(path)
    cells = notebook["cells"]
    last_place = -1
    for cell in read_json(stage.notebook)["cells"]:
        names = {*filter(None, cell_ids(cell))}
        places = [n for n, own_cell in enumerate(cells) if names.intersection(cell_ids(own_cell))]
        if names.intersection(absent):
            last_place += 1
            cells.insert(last_place, cell)
        elif places:
            last_place = max(places)
    former = _keep_former(path)
    write_whole(path, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    titles = program_cells(stage)
    return tuple(titles[name] for name in absent), former


def corrected_texts(stage: Stage, path: Path, seen: Mapping[str, str]) -> dict[str, str]:
    """Map cell ids to the corrected texts of the brief that the notebook at `path` lacks.

    `seen` has the digests of corrected texts that the student has seen already; these are left out.
    Return {} if the notebook was handed out with the present text, or cannot be read.
    """
    try:
        notebook = read_json(path)
    except CourseError:
        return {}
    new = read_json(stage.notebook)
    if mark_of(notebook) in ("", mark_of(new)):
        return {}
    sources = {cell_ids(cell)[1]: "".join(cell["source"]) for cell in notebook["cells"]}
    texts: dict[str, str] = {}
    for cell in new["cells"]:
        if cell["cell_type"] == "markdown" and cell["id"].startswith(BRIEF_CELL):
            texts[cell["id"]] = "".join(cell["source"])
    digests = given_digests({seen_as(stage, name): text for name, text in texts.items()})
    corrected = {}
    for name, text in texts.items():
        key = seen_as(stage, name)
        if sources.get(name) != text and seen.get(key) != digests[key]:
            corrected[name] = text
    return corrected


def seen_as(stage: Stage, cell: str) -> str:
    """Return this cell's key in the student's record of corrected texts that were shown."""
    return f"{stage.notebook.name} {cell}"


def correction_note(stage: Stage, path: Path, seen: Mapping[str, str]) -> str:
    """Return a note on corrected texts of the brief that the notebook lacks; "" if there are none.

    `seen` is used as in `corrected_texts`. If nothing was written in the notebook, the note says
    how to replace it. Any other notebook stays, so the note says how to see the corrected texts.
    """
    texts = corrected_texts(stage, path, seen)
    if not texts:
        return ""
    if only_opened(read_json(path)):
        return f"A corrected text of this notebook is out: {BRING}."
    calls: list[str] = []
    for task in stage.tasks:
        if f"{BRIEF_CELL}{task.id}" in texts:
            calls.append(f'`reset("{task.id}")` shows that of task {stage.number(task)}')
    if len(calls) != len(texts):
        calls.append(f'`reset("{stage.name}")` shows all of it')
    return f"A corrected text is out, and what you wrote stays. {'; '.join(calls)}."


def _keep_former(path: Path) -> Path:
    """Copy the file within its folder, and return the copy's path; replace no earlier copy."""
    name = f"{path.name}.before-reset"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return write_whole(first_free(map(path.with_name, names)), path.read_bytes())


def _fresh(work: StageWork, path: Path, task: Task | None) -> str:
    """Return the file's new text: the starter, or the student's text with the task's blanks.

    For a notebook, return the whole starter. Raise UsageError if the text cannot be parsed, before
    or after the change.
    """
    if work.form is Form.NOTEBOOK:
        return work.stage.notebook.read_text(encoding="utf-8")
    starter = work.stage.starter()[path.stem]
    if task is None:
        return starter
    try:
        text = with_blanks(work.modules[path.stem], starter, task.blanks, work.stage.blanks)
        ast.parse(text)
    except UNPARSABLE:
        why = work.syntax_error() or f"{path.name}: its classes are not indented as in the starter"
        raise UsageError(
            f"{why}; the blanks of one task cannot be put back there: "
            f"`hearts reset {work.stage.name}` puts back the whole starter"
        ) from None
    return text


def with_blanks(text: str, starter: str, wanted: Iterable[str], blanks: Iterable[str]) -> str:
    """Return the module `text` with the wanted definitions as in the starter.

    A wanted definition that the starter does not have is removed. Blanks of other tasks inside a
    wanted class stay as they are. For this they are first copied into the starter's class, and then
    that class replaces the student's class. Raise SyntaxError for an unparsable module.
    """
    wanted = set(wanted)
    present = _lines(text)
    in_starter = _lines(starter)
    wanted_classes = tuple(f"{name}." for name in wanted)
    inside_wanted = {name for name in blanks if name.startswith(wanted_classes)}
    to_keep = sorted((inside_wanted - wanted) & present.keys())
    starter_with_kept = _graft(starter, to_keep, text)
    to_remove = wanted - in_starter.keys()
    spans = chain.from_iterable(parts for name, parts in present.items() if name in to_remove)
    to_put_back = [name for name in in_starter if name in wanted - inside_wanted]
    return _graft(without_lines(text, spans), to_put_back, starter_with_kept)


def _graft(text: str, names: Iterable[str], source: str) -> str:
    """Return `text` with each of these definitions as in `source`.

    If `text` lacks a definition, `_gap_for` says where it goes.
    """
    lines = text.rstrip("\n").split("\n")
    spans_here = _lines(text)
    spans_in_source = _lines(source)
    donor = source.split("\n")
    order = [name for name in spans_in_source if "." not in name]
    # The keys are start and stop, not ranges: all empty ranges are equal, whatever their place.
    edits: dict[tuple[int, int], list[str]] = {}
    outermost = (_outermost_missing(name, spans_here) for name in names)
    for name in dict.fromkeys(outermost):  # each name once
        new: list[str] = []
        for span in spans_in_source[name]:
            new += donor[span.start : span.stop]
        if name in spans_here:
            first, *others = spans_here[name]
            edits[first.start, first.stop] = new
            for span in others:
                edits[span.start, span.stop] = []
            continue
        place, above, below = _gap_for(name, order, spans_here, len(lines))
        edits[place, place] = [*edits.get((place, place), ()), *above, *new, *below]
    for start, stop in sorted(edits, reverse=True):
        lines[start:stop] = edits[start, stop]
    return "\n".join(lines) + "\n"


def _gap_for(
    name: str, order: Sequence[str], spans: Mapping[str, Sequence[range]], end: int
) -> tuple[int, list[str], list[str]]:
    """Return the line where a missing definition goes, and the empty lines above and below it.

    A method goes to the end of its class. Any other definition goes below its nearest predecessor
    in `order` that the module has. If the module has no predecessor, the definition goes above its
    nearest successor, or else to the `end`.
    """
    if outer := name.rpartition(".")[0]:
        return spans[outer][-1].stop, [""], []
    number = order.index(name)
    if earlier := [other for other in order[:number] if other in spans]:
        return spans[earlier[-1]][-1].stop, ["", ""], []
    if later := [other for other in order[number:] if other in spans]:
        return spans[later[0]][0].start, [], ["", ""]
    return end, ["", ""], []


def _outermost_missing(name: str, present: Collection[str]) -> str:
    """Return the outermost missing class around a definition, or else the definition's own name.

    A method cannot be put back without its class.
    """
    while (outer := name.rpartition(".")[0]) and outer not in present:
        name = outer
    return name


def _lines(text: str) -> dict[str, list[range]]:
    """Map the name of each definition to its lines; a property and its setter share a name."""
    spans: dict[str, list[range]] = {}
    for name, node in definitions_in(ast.parse(text)):
        spans.setdefault(name, []).append(lines_of(node))
    return spans


def cells_to_paste(stage: Stage, task: Task | None, path: Path) -> Iterator[str]:
    """Yield, in Markdown, the starter's cells of the task, or of the whole stage.

    A cell that the notebook at `path` lacks cannot be pasted over. For it, yield the command that
    puts it back.
    """
    absent: tuple[str, ...] = ()
    if path.is_file():
        absent = notebook_contents(path, stage).absent
    titles = program_cells(stage)
    tasks: Sequence[Task] = stage.tasks
    if task:
        tasks = [task]
    for cell in read_json(stage.notebook)["cells"]:
        source = "".join(cell["source"])
        title = titles.get(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))
        held = [asked for asked in stage.tasks if title and defines(source, asked.blanks)]
        if title and any(asked in tasks for asked in held):
            if cell["metadata"]["nbgrader"]["grade_id"] in absent:
                yield f"{path.name} lacks {title}: `{put_back_command(stage)}` puts it back."
                continue
            others = [stage.number(asked) for asked in held if asked not in tasks]
            advice = f"Paste this over {title}."
            if others:
                advice += f" It also has the blanks of {name_tasks(others)}: "
                advice += "copy only what you want back."
            yield f"{advice}\n\n```python\n{source}\n```"
