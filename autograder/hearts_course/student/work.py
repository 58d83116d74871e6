"""A stage's program as the student has it now, in `.py` files or a notebook.

Some stages also have a bare start: a starter without the outline of the tasks that the student
designs.
"""

import ast
import json
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from hearts_course.course import BRIEFS, Course, Stage
from hearts_course.edition import HERE
from hearts_course.errors import UsageError
from hearts_course.files import digest, write_whole
from hearts_course.notebook import (
    NOTHING_RUN,
    CellText,
    CodeCell,
    Contents,
    as_extract,
    is_extract,
    place_in_cells,
    program_cells,
    read_notebook,
)
from hearts_course.python_source import UNPARSABLE
from hearts_course.student.names import OutsideNames, missing_definitions, names_in
from hearts_course.submissions.bare import bare_modules
from hearts_course.submissions.model import ANSWERS

DIGEST_LETTERS = 16  # enough letters to tell the versions of a program apart
FRESH = HERE.text(
    "<!-- if terminal -->`hearts start .` puts the starter back"
    "<!-- else open its page again, and the starter is back -->"
)
MAX_HIDDEN = 2  # files that a note names, because each of them hides a module of Python


class Form(StrEnum):
    """The two forms of one program."""

    PY = "py"
    NOTEBOOK = "notebook"


@dataclass(frozen=True)
class StageWork:
    """A stage's program in one form.

    `modules` are source texts by name. `changed` says whether they differ from the starter and the
    bare start. `note` is what the student should know about the files. `pieces` says which notebook
    cell each line comes from.
    """

    stage: Stage
    form: Form
    paths: tuple[Path, ...]
    modules: Mapping[str, str]
    changed: bool
    note: str = ""
    pieces: tuple[CellText, ...] = ()

    @property
    def where(self) -> str:
        """The names of the files."""
        return ", ".join(path.name for path in self.paths)

    @property
    def digest(self) -> str:
        """A short hash of the modules, to compare versions of the program."""
        return digest(*(f"{name}\n{text}" for name, text in self.modules.items()))[:DIGEST_LETTERS]

    @property
    def saved(self) -> float:
        """When a file of the program was last saved, in seconds since 1970."""
        return max(path.stat().st_mtime for path in self.paths)

    def syntax_error(self) -> str:
        """Return the place and text of the first syntax error, "" if there is none."""
        for name, text in self.modules.items():
            try:
                with warnings.catch_warnings(action="ignore"):
                    ast.parse(text)
            except UNPARSABLE as error:
                reason = str(error) or type(error).__name__
                if isinstance(error, SyntaxError) and error.text:
                    reason = f"{error.msg} in `{error.text.strip()}`"
                return f"{self.place(name, getattr(error, 'lineno', 0) or 1)}: {reason}"
        return ""

    def place(self, module: str, line: int) -> str:
        """Return where the student finds the line: file and line, or notebook, cell and line."""
        if self.form is Form.PY:
            return f"{module}.py:{line}"
        cell, line = place_in_cells(self.pieces, module, line) or (module, line)
        return f"{self.where}, {cell}, line {line}"


def find_work(root: Path, stage: Stage, form: Form | None = None) -> StageWork:
    """Return the stage's program in this form, or else in the form that the student works in.

    The student works in the form that differs from the starter. If both forms differ, take the form
    that was saved last and add a note. Raise UsageError if the files are missing or unreadable.
    """
    work = _in_form_of_student(root, stage) if form is None else _read(root, stage, form)
    if work.form is Form.PY and (note := _names_of_python(root)):
        return replace(work, note="; ".join(filter(None, (note, work.note))))
    return work


def _in_form_of_student(root: Path, stage: Stage) -> StageWork:
    """Return the stage's program in the form that the student works in, see `find_work`."""
    works = _read_existing(root, stage)
    if not works and _is_to_come(root, stage):
        raise UsageError(
            f"{stage.name} is not in your workspace yet; `hearts next {stage.name}` adds it"
        )
    changed = [work for work in works if work.changed and not _is_extract(work)]
    if len(changed) < 2:
        if candidates := changed or works:
            return candidates[0]
        return _read(root, stage, Form.PY)  # raises an error that says what is missing
    last, older = sorted(changed, key=lambda work: -work.saved)
    choice = (
        f"you changed both {last.where} and {older.where}; {last.where} is used, because it was "
        f"saved last (--{older.form} uses the other)"
    )
    return replace(last, note="; ".join(filter(None, (last.note, choice))))


def _is_to_come(root: Path, stage: Stage) -> bool:
    """Return whether the folder is a workspace that does not have the stage yet."""
    briefs = root / BRIEFS
    return briefs.is_dir() and not (briefs / f"{stage.name}.md").exists()


def _is_extract(work: StageWork) -> bool:
    """Return whether the files only repeat a notebook, as `hearts extract` wrote them."""
    return all(map(is_extract, work.modules.values()))


def last_change(root: Path, stage: Stage) -> float | None:
    """Return when the student last saved a change to the stage, in seconds since 1970.

    Return None if nothing was changed.
    """
    works = _read_existing(root, stage)
    return max((work.saved for work in works if work.changed), default=None)


def _read_existing(root: Path, stage: Stage) -> list[StageWork]:
    """Return the stage's program in each form that exists.

    A workspace has both forms from the start. So a notebook beside the files counts only once it
    differs from the course's notebook.
    """
    forms: list[Form] = []
    for form in Form:
        if any(path.exists() for path in _paths(root, stage, form)):
            forms.append(form)
    (notebook,) = _paths(root, stage, Form.NOTEBOOK)
    if forms == [*Form] and _are_identical(notebook, stage.notebook):
        forms.remove(Form.NOTEBOOK)
    return [_read(root, stage, form) for form in forms]


def _are_identical(first: Path, second: Path) -> bool:
    """Return whether two files have the same content; False if one cannot be read."""
    with suppress(OSError):
        return first.read_bytes() == second.read_bytes()
    return False


def work_files(root: Path, stage: Stage) -> tuple[Path, ...]:
    """Return the files of the stage's program, in both forms, whether they exist or not."""
    return (*_paths(root, stage, Form.PY), *_paths(root, stage, Form.NOTEBOOK))


def _paths(root: Path, stage: Stage, form: Form) -> tuple[Path, ...]:
    """Return the files that the program has in this form, whether they exist or not."""
    if form is Form.NOTEBOOK:
        return (root / f"{stage.name}.ipynb",)
    return tuple(root / name for name in stage.files)


def _read(root: Path, stage: Stage, form: Form) -> StageWork:
    """Return the stage's program in this form; raise UsageError if it cannot be read."""
    paths = _paths(root, stage, form)
    if form is Form.NOTEBOOK:
        return read_notebook_work(paths[0], stage)
    modules = {path.stem: _text(path) for path in paths}
    return StageWork(stage, form, paths, modules, not _is_given(modules, stage))


def _names_of_python(root: Path) -> str:
    """Return a note on files with the name of one of Python's modules, "" if there are none.

    The checks do not read such a file. But a program that the student runs in this folder imports
    it in place of Python's own module.
    """
    hidden = [path for path in sorted(root.glob("*.py")) if path.stem in sys.stdlib_module_names]
    return "; ".join(
        f"rename {path.name}: in this folder, `import {path.stem}` imports it, "
        f"and not Python's own module {path.stem}"
        for path in hidden[:MAX_HIDDEN]
    )


def _is_given(modules: Mapping[str, str], stage: Stage) -> bool:
    """Return whether the modules are the starter, or a bare start."""
    return modules == stage.starter() or modules == bare_modules(stage)


def read_notebook_work(
    path: Path,
    stage: Stage,
    runs: Mapping[int, str] = NOTHING_RUN,
    *,
    scratch: Iterable[str] = (),
    kernel: Iterable[str] = (),
) -> StageWork:
    """Return the program in a notebook; `runs` maps a cell's position to the text it ran last.

    `scratch` are texts that were run in cells of the student's own. `kernel` are the names that the
    kernel knows. Raise UsageError if the notebook is missing or unreadable.
    """
    contents = notebook_contents(path, stage, runs)
    if set(contents.modules) != set(stage.modules):
        raise UsageError(
            f"{path.name}: the cells that hold your program are missing; "
            f"`{put_back_command(stage)}` puts them back, for you to copy your code into"
        )
    modules = contents.modules
    starter = notebook_contents(stage.notebook, stage).modules
    changed = modules not in (starter, bare_modules(stage))
    saved_scratch = [cell.source for cell in contents.cells if not cell.program]
    saved: dict[str, str] = {}
    if runs:
        saved = _names_not_run(stage, contents.cells, runs)
    outside = OutsideNames(names_in([*saved_scratch, *scratch]), saved, [*kernel])
    notes = [*contents.notes]
    if contents.absent:
        notes.append(f"`{put_back_command(stage)}` puts back what is missing")
    note = "; ".join((*notes, *missing_definitions(contents, outside)))
    return StageWork(stage, Form.NOTEBOOK, (path,), modules, changed, note, contents.pieces)


def put_back_command(stage: Stage) -> str:
    """Return the command that puts missing cells back into the stage's notebook."""
    return f"hearts reset {stage.name} --missing"


def _names_not_run(
    stage: Stage, cells: Sequence[CodeCell], runs: Mapping[int, str]
) -> dict[str, str]:
    """Find the names that a cell's saved text defines, but the text last run in the cell does not.

    The result maps each such name to the title of the cell.
    """
    titles = program_cells(stage)
    missing: dict[str, str] = {}
    for place, text in runs.items():
        cell = cells[place]
        for name in names_in([cell.source]) - names_in([text]):
            missing[name] = titles[cell.program]
    return missing


def _text(path: Path) -> str:
    """Return the file's text, without the byte order mark that some Windows editors write."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path.name}: missing; {FRESH}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError(f"{path.name}:{line}: not UTF-8 text; save it as UTF-8") from None


def notebook_contents(path: Path, stage: Stage, runs: Mapping[int, str] = NOTHING_RUN) -> Contents:
    """Return what the stage's notebook at `path` holds; raise UsageError if it is unreadable."""
    try:
        return read_notebook(json.loads(_text(path)), stage, runs)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path.name}: not a notebook ({error}); rename it. Then {FRESH}"
        ) from None


def whole_program(course: Course, root: Path, work: StageWork) -> tuple[StageWork, ...]:
    """Return the student's work for each stage that `work` builds on, in order, then `work`.

    Raise UsageError if the work for an earlier stage is missing or unreadable.
    """
    works = []
    for stage in course.prerequisites(work.stage):
        try:
            works.append(find_work(root, stage))
        except UsageError as error:
            raise UsageError(f"{work.stage.name} builds on {stage.name}: {error}") from None
    return (*works, work)


def modules_of(works: Iterable[StageWork]) -> dict[str, str]:
    """Return the modules of all these works: source texts by name."""
    modules: dict[str, str] = {}
    for work in works:
        modules |= work.modules
    return modules


def extract_work(root: Path, work: StageWork) -> tuple[Path, ...]:
    """Write the modules of a notebook as files; return their paths.

    A file is replaced if it is as it was handed out, or if it is an earlier extract. Raise
    UsageError if a file holds other work, and CourseError if a file cannot be written.
    """
    paths = _paths(root, work.stage, Form.PY)
    starter = work.stage.starter()
    bare = bare_modules(work.stage)
    for path in paths:
        if not path.exists():
            continue
        text = _text(path)
        replaceable = (starter[path.stem], bare.get(path.stem), work.modules[path.stem])
        if not is_extract(text) and text not in replaceable:
            raise UsageError(
                f"{path.name}: has work that is not in {work.where}; rename it and extract again"
            )
    return tuple(write_whole(path, as_extract(work.modules[path.stem])) for path in paths)


def differing_files(root: Path, work: StageWork) -> list[str]:
    """Return the names of the files whose text differs from this notebook's modules.

    Outside the notebook Python imports these files. Return [] for a program in files.
    """
    if work.form is Form.PY:
        return []
    differing: list[str] = []
    for path in _paths(root, work.stage, Form.PY):
        module = work.modules[path.stem]
        if path.exists() and _text(path) not in (module, as_extract(module)):
            differing.append(path.name)
    return differing


def read_answers(root: Path, stage: Stage | None = None) -> str:
    """Return the student's answers to questions for discussion, for one stage or for all."""
    from hearts_course.brief import answers_for  # a check does not need this module

    path = root / ANSWERS
    text = ""
    if path.is_file():
        text = _text(path)
    if stage is None:
        return text
    return answers_for(text, stage)
