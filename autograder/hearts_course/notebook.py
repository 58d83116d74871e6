"""A student's notebook as a program: its solution cells become the stage's modules.

A solution cell holds a part of the program. nbgrader marks it with a `grade_id` in its metadata:
the module's name, a hyphen and the cell's name. A student's notebook is only data here and is never
run.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from hearts_course.course import Stage
from hearts_course.files import read_json
from hearts_course.python_source import UNPARSABLE, parsed
from hearts_course.text import agreeing, listed

# Lines that IPython understands and Python does not: %magic, %%magic, !shell, ?help, help?,
# x = %magic.
MAGIC = re.compile(r"\s*(%{1,2}\w|!|\?)|\s*[\w.]+\s*\?{1,2}\s*$|\s*\w[\w., ]*=\s*[%!]\w")

MAX_PARSED = 100_000  # characters of a student's text that Python may parse
MAX_TRIED = 20  # cells without a grade_id that are parsed to find lost parts
MAX_QUOTED = 60  # characters of a student's line that a note quotes
MAIN_GUARD = re.compile(r"""^if __name__ == ['"]__main__['"]:""", re.MULTILINE)
BETWEEN = 2  # blank lines between two cells of a module
NOTHING_RUN: Mapping[int, str] = MappingProxyType({})
# The patterns below search students' cells, which may be hostile. Two repeated parts of a
# pattern must never match the same spaces, because a search might then take for ever.
DEFINITION = re.compile(r"^(?:async )?(class|def) +(\w+)", re.MULTILINE)
ASSIGNED = re.compile(r"^(\w+)(?: *:[^=\n]*| *)=(?!=)", re.MULTILINE)
DEFINED = re.compile(
    r"^[ \t]*(?:async )?(?:class|def) +(\w+)|^(\w+)(?: *:[^=\n]*| *)=(?!=)", re.MULTILINE
)
IMPORTING = re.compile(r"^(?:from +[\w.]+ +)?import .*", re.MULTILINE)
DEFINING = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
    *(ast.Assign, ast.AnnAssign, ast.Pass),
)
EXTRACTED = "# Made by `hearts extract` from a notebook: change the notebook, not this file. "
MARK_LETTERS = 16  # letters of a hash that make a mark
OF_THE_SITE = "site-"  # the beginning of the ids of cells that the web site adds
HEADER = "header"  # the name of a module's first cell, above the first `# %%` line
THE_CELL = "the cell of "
# The name of the `# %%` cell with the main guard. A notebook does not have this cell, because the
# guard would always hold there.
SCRIPT = "script"


def text_mark(cells: Iterable[Any]) -> str:
    """Return the mark of these cells: a short hash of their texts.

    Empty cells and the cells that the web site adds are left out. A notebook's metadata keep the
    mark of the cells that were handed out. If the cells still have this mark, the student has only
    opened the notebook. If the course's notebook has another mark now, the student's notebook has
    an older text. The web site's page computes the same mark.
    """
    texts: list[str] = []
    for cell in cells:
        if not str(cell.get("id", "")).startswith(OF_THE_SITE):
            texts.append("".join(cell["source"]))
    return sha256("\0".join(filter(None, texts)).encode()).hexdigest()[:MARK_LETTERS]


def mark_of(notebook: Any) -> str:
    """Return the mark with which a notebook was handed out, "" if the notebook keeps none."""
    match notebook:
        case {"metadata": {"hearts": {"text": str(mark)}}}:
            return mark
    return ""


def only_opened(notebook: Any) -> bool:
    """Return whether all cells of a notebook still have the texts that were handed out."""
    try:
        return mark_of(notebook) == text_mark(notebook["cells"])
    except (KeyError, TypeError):  # a student may have written anything
        return False


@dataclass(frozen=True)
class CellText:
    """The lines `first` to `last` of a module, which come from one cell.

    `above` is the number of blank lines that come before these lines in the cell. `cell` is what
    students call the cell.
    """

    module: str
    cell: str
    first: int
    last: int
    above: int

    def line(self, number: int) -> int:
        """Return a line's number in the cell; `number` is its number in the module."""
        return number - self.first + 1 + self.above


@dataclass(frozen=True)
class CodeCell:
    """A code cell. `program` is its grade_id if it is a solution cell, else ""."""

    program: str
    id: str
    source: str


@dataclass(frozen=True)
class Contents:
    """What a student's notebook holds.

    `modules` are source texts by name, and `pieces` say which lines of them come from which cell.
    `missing` are the titles of the program's cells that the notebook lacks. `notes` say, in a
    sentence each, what was done about cells of the program that are missing, copied, split or
    unmarked. `cells` are all code cells. `absent` are the grade_ids of missing cells that are not
    in the notebook in any form, not even as text.
    """

    modules: dict[str, str]
    missing: tuple[str, ...]
    notes: tuple[str, ...]
    pieces: tuple[CellText, ...]
    cells: tuple[CodeCell, ...]
    absent: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProgramPlaces:
    """The positions of the program's cells in a notebook, by grade_id.

    `cells` are the parts of the program. `copies` are not parts of the program, because
    cells with the same grade_id already define their names. The cells in `unmarked` are also among
    `cells`. They lost their grade_id and were recognized by the names that they define.
    """

    cells: dict[str, list[int]]
    copies: dict[str, list[int]]
    unmarked: dict[str, list[int]]


def scripts(stage: Stage) -> dict[str, str]:
    """Map each module that can be run as a script to its `if __name__ == "__main__":` block.

    No cell has these blocks, so they are kept in the metadata of the course's own notebook. Raise
    StageError if that notebook is missing.
    """
    metadata = read_json(stage.notebook).get("metadata", {})
    return dict(metadata.get("hearts", {}).get("scripts", {}))


def program_cells(stage: Stage) -> dict[str, str]:
    """Map each solution cell's grade_id to what students call the cell, in the notebook's order.

    The cells come from the course's own notebook; raise StageError if it is missing.
    """
    return {name: cell_title(name, source) for name, source in given_cells(stage).items()}


def given_cells(stage: Stage) -> dict[str, str]:
    """Map each solution cell's grade_id to the cell's text in the starter, in the notebook's order.

    The cells come from the course's own notebook; raise StageError if it is missing.
    """
    cells: dict[str, str] = {}
    for cell in read_json(stage.notebook)["cells"]:
        mark = cell["metadata"].get("nbgrader", {})
        if mark.get("solution") and not mark.get("grade"):
            cells[mark["grade_id"]] = "".join(cell["source"])
    return cells


def cell_title(grade_id: str, source: str) -> str:
    """Return what students call a cell of the course's notebook: "the cell of class Card".

    Students look for a cell by the name of its first class or function. The first cell of a module
    has neither.
    """
    module, _, name = grade_id.partition("-")
    if name == HEADER:
        return f"the first cell of {module}"
    first = DEFINITION.search(source)
    if first is None:
        return f"the cell {grade_id}"
    if first[1] == "class":
        return f"{THE_CELL}class {first[2]}"
    return f"{THE_CELL}{first[2]}"


def place_in_cells(pieces: Iterable[CellText], module: str, line: int) -> tuple[str, int] | None:
    """Return the title of the cell that holds a line of a module, and the line's number there.

    The title is what students call the cell. If no cell holds the line, return None.
    """
    for piece in pieces:
        if piece.module == module and piece.first <= line <= piece.last:
            return piece.cell, piece.line(line)
    return None


def modules_from_notebook(notebook: Any, stage: Stage) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the modules and the missing cells that `read_notebook` finds."""
    contents = read_notebook(notebook, stage)
    return contents.modules, contents.missing


def read_notebook(notebook: Any, stage: Stage, runs: Mapping[int, str] = NOTHING_RUN) -> Contents:
    """Return what a notebook holds.

    `runs` maps the position of a code cell to the text that was last run in it. This text counts
    instead of the saved one. A cell is recognized by its grade_id, its cell id, or the names that
    it defines (see `solution_cells`). The starter's cell replaces a missing cell; if all cells of
    the program are missing, there are no modules. A module that can be run as a script gets the
    course's `if __name__ == "__main__":` block, unless it has such a block itself. Raise
    ValueError, in words for the student, if `notebook` is not a notebook.
    """
    code = list(_code_cells(notebook))
    starter_cells = given_cells(stage)
    titles = {name: cell_title(name, source) for name, source in starter_cells.items()}
    newest: list[tuple[str, str, str]] = []
    for place, (grade_id, cell_id, source) in enumerate(code):
        newest.append((grade_id, cell_id, runs.get(place, source)))
    program = solution_cells(newest, starter_cells)
    modules: dict[str, list[str]] = {}
    # By module, the title and the parts of each cell.
    titles_and_parts: dict[str, list[tuple[str, list[str]]]] = {}
    if not program.cells:  # this is another notebook, which the starter must not replace
        starter_cells = {}
    for grade_id, starter in starter_cells.items():
        module = grade_id.partition("-")[0]
        parts = [newest[place][2] for place in program.cells.get(grade_id, ())] or [starter]
        source = "\n".join(parts)
        modules.setdefault(module, []).append(plain_python(source))
        title = _title_now(titles[grade_id], grade_id, source)
        titles_and_parts.setdefault(module, []).append((title, parts))
    _add_scripts(modules, scripts(stage))
    pieces: list[CellText] = []
    for module, module_cells in titles_and_parts.items():
        pieces += _pieces(module, module_cells)
    missing = [name for name in titles if name not in program.cells]
    ids = set[str]().union(*map(cell_ids, notebook["cells"]))
    return Contents(
        modules={name: join_cells(sources) for name, sources in modules.items()},
        missing=tuple(titles[name] for name in missing),
        notes=(*_notes_on_missing(program, titles, ids), *_notes_on_parts(program, titles, newest)),
        pieces=tuple(pieces),
        cells=tuple(_with_program(code, program)),
        absent=tuple(name for name in missing if name not in ids),
    )


def _add_scripts(modules: Mapping[str, list[str]], scripts: Mapping[str, str]) -> None:
    """Append each script's main guard block to its module, unless the module has one itself."""
    for name, script in scripts.items():
        if name in modules and not any(map(MAIN_GUARD.search, modules[name])):
            modules[name].append(script)


def _title_now(title: str, grade_id: str, source: str) -> str:
    """Return the cell's title, or a new title if students have renamed its class or function."""
    if title.split()[-1] in source:
        return title
    return cell_title(grade_id, source)


def _with_program(
    code: Sequence[tuple[str, str, str]], program: ProgramPlaces
) -> Iterator[CodeCell]:
    """Yield the code cells; cells of the program get their grade_id, even if they lost it."""
    grade_ids: dict[int, str] = {}
    for name, places in program.cells.items():
        grade_ids |= dict.fromkeys(places, name)
    for place, (_, cell_id, source) in enumerate(code):
        yield CodeCell(grade_ids.get(place, ""), cell_id, source)


def _notes_on_missing(
    program: ProgramPlaces, titles: Mapping[str, str], ids: Collection[str]
) -> Iterator[str]:
    """Yield what was done about cells that are missing, or have become cells of text.

    `ids` are the grade_ids and cell ids of all cells of any type.
    """
    missing = {name: title for name, title in titles.items() if name not in program.cells}
    for state, names in (
        ("missing", missing.keys() - ids),
        ("not code any more", missing.keys() & ids),
    ):
        if cells := [title for name, title in missing.items() if name in names]:
            verb = agreeing(len(cells), "is", "are")
            yield f"{listed(cells)} {verb} {state}, so the starter's version was used"


def _notes_on_parts(
    program: ProgramPlaces, titles: Mapping[str, str], cells: Sequence[tuple[str, str, str]]
) -> Iterator[str]:
    """Yield what was done about copies, and about cells in several parts.

    Copies and parts are told apart by what they define: see `_without_copies`.
    """
    for name, copies in program.copies.items():
        counted = program.cells[name][-1]
        all_copies = sorted([*copies, counted])
        which = "another"
        if counted == all_copies[-1]:
            which = "the last"
        elif counted == all_copies[0]:
            which = "the first"
        yield f"{titles[name]} is there {len(all_copies)} times: {which} counts, delete the rest"
    for name, places in program.unmarked.items():
        known_by = _first_defined([cells[place][2] for place in places])
        taken = f"your own cell with `{known_by}` was taken"
        if places == program.cells[name]:
            yield f"{taken} in place of {titles[name]}, which is missing"
        else:
            yield f"{taken} as a part of {titles[name]}: merge them in Jupyter"
    split: list[str] = []
    for name, places in program.cells.items():
        marked = set(places).difference(program.unmarked.get(name, ()))
        if len(marked) > 1:
            split.append(titles[name])
    if split:
        yield f"the parts of {listed(split)} were joined in order; merge them in Jupyter"


def _first_defined(sources: Sequence[str]) -> str:
    """Return the first name that these cells define, or else their first import; "" for neither.

    A note needs this name, because an unmarked cell has no title.
    """
    text = "\n".join(sources)
    if definition := DEFINED.search(text):
        return definition[1] or definition[2]
    if first_import := IMPORTING.search(text):
        return first_import[0][:MAX_QUOTED]
    return ""


def _pieces(module: str, cells: Iterable[tuple[str, Sequence[str]]]) -> Iterator[CellText]:
    """Yield the place of each cell, or part of a cell, in the module that `join_cells` makes.

    Empty cells and parts are left out. `join_cells` drops the empty lines at the beginning and end
    of a cell, so the module does not have these lines.
    """
    first = 1  # the module's line where the cell's text begins
    for cell, parts in cells:
        source = "\n".join(parts)
        if stripped := source.strip("\n"):
            last = first + stripped.count("\n")
            empty_lines = len(source) - len(source.lstrip("\n"))
            begin = first - empty_lines  # where the cell would begin if its empty lines were kept
            for part in parts:
                end = begin + part.count("\n")
                above = max(0, first - begin)
                if begin <= last and end >= first:
                    yield CellText(module, cell, begin + above, min(end, last), above)
                begin = end + 1
            first = last + 1 + BETWEEN


def join_cells(sources: Iterable[str]) -> str:
    """Join the cells into a module, with two empty lines between them and a newline at the end."""
    stripped = (source.strip("\n") for source in sources)
    return ("\n" * (BETWEEN + 1)).join(filter(None, stripped)) + "\n"


def as_extract(module: str) -> str:
    """Return the module with a last line by which `is_extract` recognizes it.

    The line has a hash of the module. So a file that a student has changed is not taken for an
    extract and overwritten.
    """
    return f"{module}\n{EXTRACTED}{sha256(module.encode()).hexdigest()[:16]}\n"


def is_extract(text: str) -> bool:
    """Return whether the text is just as `as_extract` made it, so that no other work is in it."""
    return text == as_extract(text.rpartition(f"\n{EXTRACTED}")[0])


def plain_python(source: str) -> str:
    """Return the cell with IPython's own lines turned into comments, line for line.

    A cell that Python can parse stays as it is: in it, a line that looks like IPython's can only be
    part of a string.
    """
    lines = source.split("\n")
    if not any(map(MAGIC.match, lines)) or _parses(source):
        return source
    return "\n".join(_without_magic(line) for line in lines)


def _without_magic(line: str) -> str:
    """Turn a line of IPython's into a comment after `pass`. Return any other line unchanged.

    The `pass` keeps an `if` above the line complete.
    """
    if not MAGIC.match(line):
        return line
    bare = line.lstrip()
    return f"{line[: len(line) - len(bare)]}pass  # {bare}"


def _parses(source: str) -> bool:
    """Return whether Python can parse the text.

    If the text is very long, do not try to parse it, and return False.
    """
    if len(source) > MAX_PARSED:
        return False
    try:
        parsed(source)
    except UNPARSABLE:
        return False
    return True


def places(ids: Sequence[tuple[str, str]], expected: Collection[str]) -> dict[str, list[int]]:
    """Map each expected grade_id that is found to the positions of its cells.

    `ids` has the grade_id and the cell id of each cell. A cell that lost its grade_id is found by
    its cell id, because the course's notebooks use the same text for both. If a cell was split or
    copied, several cells have its grade_id.
    """
    by_cell_id = dict[str, list[int]]()
    by_grade_id = dict[str, list[int]]()
    for place, (grade_id, cell_id) in enumerate(ids):
        if grade_id in expected:
            by_grade_id.setdefault(grade_id, []).append(place)
        else:
            by_cell_id[cell_id] = [place]
    by_id = by_cell_id | by_grade_id
    return {name: by_id[name] for name in expected if name in by_id}


def solution_cells(
    cells: Sequence[tuple[str, str, str]], starter_cells: Mapping[str, str]
) -> ProgramPlaces:
    """Return which of the `cells` belong to the program.

    Each cell is given as its grade_id, cell id and source. `starter_cells` has the starter's text
    of each cell of the program. A cell that was split in Jupyter has several parts with one
    grade_id. A part that lost its grade_id is recognized by the names that it defines.
    """
    sources = [source for *_, source in cells]
    marked = places([(grade_id, cell_id) for grade_id, cell_id, _ in cells], starter_cells)
    copies: dict[str, list[int]] = {}
    for name, parts in marked.items():
        marked[name] = _without_copies(parts, sources, starter_cells[name])
        kept = {sources[place].strip() for place in marked[name]}
        if different := [place for place in parts if sources[place].strip() not in kept]:
            copies[name] = different
    unmarked: dict[str, list[int]] = {}
    if marked:  # without marked cells, it is another notebook, whatever its cells define
        unmarked = _unmarked_parts(marked, sources, starter_cells)
    program: dict[str, list[int]] = {}
    for name in starter_cells:
        if parts := sorted([*marked.get(name, ()), *unmarked.get(name, ())]):
            program[name] = parts
    return ProgramPlaces(program, copies, unmarked)


def _without_copies(places: Sequence[int], sources: Sequence[str], starter: str) -> list[int]:
    """Return the positions of the cells that count, among cells with the same grade_id.

    Copies define the same names, and only one copy counts. First, a changed copy wins over an
    unchanged copy. Next, a copy that Python can parse wins over a copy that it cannot parse. Next,
    the copy with the most names of the starter's cell wins. If copies are still equal, the last one
    counts, as in nbgrader.
    """
    if len(places) == 1:
        return [*places]

    def worth(place: int) -> tuple[bool, bool, int, int]:
        """Return the properties by which a copy is chosen, the most important first."""
        source = sources[place]
        is_changed = source.strip() != starter.strip()
        names_kept = len(_names_with_methods(source) & _names_with_methods(starter))
        return is_changed, _parses(plain_python(source)), names_kept, place

    kept: list[int] = []
    bound: set[str] = set()
    for place in sorted(places, key=worth, reverse=True):
        names = _outer_names(sources[place])
        if names - bound or not names:
            kept.append(place)
            bound |= names
    return sorted(kept)


def _unmarked_parts(
    marked: Mapping[str, Sequence[int]], sources: Sequence[str], starter_cells: Mapping[str, str]
) -> dict[str, list[int]]:
    """Map each cell of the program to the positions of its parts that lost their grade_id.

    Such a part only defines names. The program has none of these names yet, and the starter's cell
    defines at least one of them. If several parts define the same name, the last counts, as when
    all cells are run. If no marked part of the starter's cell is left, a cell with all imports of
    the starter's cell is recognized too.
    """
    program = set[int]().union(*marked.values())
    bound = set[str]().union(*(_outer_names(sources[place]) for place in program))
    unmarked: dict[str, list[int]] = {}
    tries_left = MAX_TRIED
    # The names of a cell are cached, because all cells are searched again for each missing part.
    names_in = cache(_names_of_part)

    for name, starter in starter_cells.items():
        parts = list(marked.get(name, ()))
        lacking, imports = _lacking(starter, [sources[part] for part in parts], bound)
        if not (lacking or imports):
            continue
        for place in reversed(range(len(sources))):
            if place in program or not tries_left:
                continue
            names = names_in(sources[place])
            defines_lacking = bool(names & lacking)
            may_import = bool(imports and IMPORTING.search(sources[place]))
            if names & bound or not (defines_lacking or may_import):
                continue
            tries_left -= 1
            if not (defines_lacking or _imported(sources[place]) >= imports):
                continue
            with_part = sorted([*parts, place])
            if _only_defines([sources[part] for part in with_part], with_part.index(place)):
                parts = with_part
                program.add(place)
                bound |= _outer_names(sources[place])
                lacking -= names
                imports = set()
                unmarked[name] = sorted([*unmarked.get(name, ()), place])
    return unmarked


def _lacking(
    starter: str, parts: Sequence[str], bound: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return two sets: names that are still missing, and names that the starter's cell imports.

    A name is missing if the starter's cell defines it, but neither the parts nor the program do. If
    there are parts, the second set is empty.
    """
    lacking = _names_with_methods(starter).difference(*map(_names_with_methods, parts), bound)
    if parts:
        return lacking, set()
    return lacking, _imported(starter)


def _names_of_part(source: str) -> set[str]:
    """Return the names that a cell defines, with methods only if the cell continues a class.

    The methods of a whole class are left out, because any other class may have such methods.
    """
    if _goes_on(source):
        return _names_with_methods(source)
    return _outer_names(source)


def _only_defines(parts: Sequence[str], index: int) -> bool:
    """Return whether all parts together are valid, and the part at `index` only defines names.

    A cell that also calls something is an experiment of the student's, and must not become a part
    of the module.
    """
    source = plain_python("\n".join(parts))
    if not _parses(source):
        return False
    first = 1 + sum(part.count("\n") + 1 for part in parts[:index])
    lines = range(first, first + parts[index].count("\n") + 1)
    statements = parsed(source).body
    own_statements = [node for node in statements if node.lineno in lines]
    return all(isinstance(node, DEFINING) or _is_text(node) for node in own_statements)


def _is_text(statement: ast.stmt) -> bool:
    """Return whether the statement is only a string, such as a module's docstring."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _goes_on(source: str) -> bool:
    """Return whether a cell continues a class or function that an earlier cell has begun."""
    return source.lstrip("\n")[:1].isspace()


def _imported(source: str) -> set[str]:
    """Return the names that a cell imports at its outermost level, if Python can parse the cell."""
    source = plain_python(source)
    if not IMPORTING.search(source) or not _parses(source):
        return set()
    statements = parsed(source).body
    names: set[str] = set()
    for node in statements:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {name.asname or name.name for name in node.names}
    return names


def _outer_names(source: str) -> set[str]:
    """Return the names that a cell defines at its outermost level, without imports."""
    return {match[2] for match in DEFINITION.finditer(source)} | {*ASSIGNED.findall(source)}


def _names_with_methods(source: str) -> set[str]:
    """Return the names that a cell defines, with those of methods and inner definitions."""
    return _outer_names(source) | {match[1] for match in DEFINED.finditer(source)}


def cell_ids(cell: Any) -> tuple[str, str]:
    """Return the cell's grade_id and cell id; each is "" if it is missing or not a text.

    nbgrader marks a cell by its grade_id; the cell id is the notebook format's own.
    """
    grade_id = ""
    match cell:
        case {"metadata": {"nbgrader": {"grade_id": str(name)}}}:
            grade_id = name
    cell_id = cell.get("id")
    if not isinstance(cell_id, str):
        cell_id = ""
    return grade_id, cell_id


def _code_cells(notebook: Any) -> Iterator[tuple[str, str, str]]:
    """Yield grade_id, cell id and source of each code cell; a missing id is "".

    Raise ValueError, in words for the student, at the first fault in the notebook's form.
    """
    cells = _mapping(notebook, "the file").get("cells")
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells; save it again from Jupyter as a notebook")
    for number, data in enumerate(cells, start=1):
        cell = _mapping(data, f"cell {number}")
        if cell.get("cell_type") != "code":
            continue
        metadata = _mapping(cell.get("metadata", {}), f"the metadata of cell {number}")
        _mapping(metadata.get("nbgrader", {}), f"the metadata of cell {number}")
        yield *cell_ids(cell), _source(cell.get("source", ""), number)


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    """Return the value if it is a JSON object.

    Raise ValueError, in words for the student, if it is anything else.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{where} is not a JSON object; save the notebook again from Jupyter")
    return value


def _source(value: Any, number: int) -> str:
    """Return the text of a cell, which a notebook keeps as one text or as a list of lines.

    Raise ValueError, in words for the student, for anything else. Raise it also for half a
    surrogate pair, because no file can hold one.
    """
    lines = [value]
    if isinstance(value, list):
        lines = value
    if not all(isinstance(line, str) for line in lines):
        raise ValueError(f"the source of cell {number} is not text; save it again from Jupyter")
    source = "".join(lines)
    try:
        source.encode()
    except UnicodeEncodeError:
        raise ValueError(f"cell {number} holds a character that no file can hold") from None
    return source
