"""A sample class: right, wrong, unfinished, broken and hostile submissions of the course's stages.

A student's name says what was handed in. The same course gives the same class, byte for byte.

chaff         a copy of the reference with one plausible mistake
alternative   a correct program that is written differently from the reference
blank         a definition that the starter leaves to the student
"""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.files import zipped
from hearts_course.python_source import definitions

from hearts_grader.authoring.chaffs import Chaff, load_chaffs
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from hearts_grader.authoring.starter import blank, join, starter_cells

CHAFF_STUDENTS = ("ben", "bo", "cy", "dee")
ALTERNATIVE_STUDENTS = ("abe-written-differently", "amy-written-differently")
MAX_NAME = 40  # letters of a chaff's name that go into a student's name
HUGE_LINES = 3 * 10**6  # far more lines than a module may have
BOMB_BYTES = 200 * 2**20  # far more bytes than an archive may unpack to
PLACE = "put the hostile lines here"  # the message by which `_when_called` finds a stub


@dataclass(frozen=True)
class Link:
    """A symbolic link in place of a file."""

    target: str


Files = Mapping[str, bytes | Link]


def make_sample(stages: Iterable[Stage], folder: Path, *, hostile: bool = True) -> dict[str, int]:
    """Write the class under `folder` and return how many stages each student handed in.

    The whole class hands in only the first stage, because a broken submission looks the same in
    every stage. A few students hand in the other stages too. Without `hostile` submissions, the
    class can be graded without a sandbox. Raise UsageError if the folder is not empty, and
    StageError if a stage is invalid.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: not empty; choose a new folder")
    submitted: Counter[str] = Counter()
    everybody = dict(STUDENTS)
    if hostile:
        everybody |= HOSTILE
    for number, stage in enumerate(stages):
        for student, files in _submissions(stage, everybody, whole_class=number == 0):
            _write(folder / student / stage.name, files)
            submitted[student] += 1
    return dict(submitted)


def _submissions(
    stage: Stage, everybody: Mapping[str, Callable[[Stage], Files]], *, whole_class: bool
) -> Iterator[tuple[str, Files]]:
    """Yield the name and the files of each student who hands in the stage.

    Without `whole_class` only a few students hand in: those of IN_EVERY_STAGE, one with a chaff and
    one with an alternative.
    """
    for student, make in everybody.items():
        if whole_class or student in IN_EVERY_STAGE:
            yield student, make(stage)
    for student, chaff in _mistaken(stage, len(CHAFF_STUDENTS) if whole_class else 1):
        yield student, _as_files(chaff.modules)
    others = ALTERNATIVE_STUDENTS if whole_class else ALTERNATIVE_STUDENTS[:1]
    for student, alternative in zip(others, stage.alternatives, strict=False):
        yield student, {name: (alternative / name).read_bytes() for name in stage.files}


def _mistaken(stage: Stage, number: int) -> Iterator[tuple[str, Chaff]]:
    """Yield up to `number` students with a chaff each; the student's name says what is wrong.

    The chaffs are taken at equal distances, so that they come from all over the stage.
    """
    chaffs = load_chaffs(stage)
    # A stage may have fewer chaffs than there are students for them.
    step = max(1, len(chaffs) // number)
    for name, chaff in zip(CHAFF_STUDENTS[:number], chaffs[::step], strict=False):
        words = textwrap.shorten(re.sub(r"\W+", " ", chaff.name), MAX_NAME, placeholder="")
        yield f"{name}-{words.replace(' ', '-').lower()}", chaff


def _write(folder: Path, files: Files) -> None:
    """Write the files and links into a new folder."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        path = folder / name
        if isinstance(content, Link):
            path.symlink_to(content.target)
        else:
            path.write_bytes(content)


def _as_files(modules: Mapping[str, str]) -> dict[str, bytes]:
    return {f"{name}.py": text.encode() for name, text in modules.items()}


def _reference(stage: Stage) -> dict[str, bytes]:
    return _as_files(stage.reference())


def _notebook(stage: Stage) -> Files:
    return {stage.notebook.name: notebook_text(reference_notebook(stage)).encode()}


def _zip(stage: Stage) -> Files:
    return {f"{stage.name}.zip": zipped(_reference(stage))}


def _starter(stage: Stage) -> Files:
    return _as_files(join(starter_cells(stage)))


def _half_done(stage: Stage) -> Files:
    """Return the reference, with the definitions of the second half of the tasks left blank."""
    half = (len(stage.tasks) + 1) // 2
    written = chain.from_iterable(task.blanks for task in stage.tasks[:half])
    left = set(chain.from_iterable(task.blanks for task in stage.tasks[half:]))
    messages = dict.fromkeys(left.difference(written), "not written yet")
    return _as_files({name: blank(text, messages) for name, text in stage.reference().items()})


# Submissions that are made by changing the reference's files, its notebook or its zip.


def _first_file(change: Callable[[bytes], bytes]) -> Callable[[Stage], Files]:
    """Return a function that makes a submission: the reference, with its first file changed."""

    def make(stage: Stage) -> Files:
        files = _reference(stage)
        return files | {stage.files[0]: change(files[stage.files[0]])}

    return make


def _with_lines(lines: str) -> Callable[[Stage], Files]:
    """Return a function that makes a submission: the reference, with these lines in its first file.

    The lines are added at the end of the file.
    """
    return _first_file(lambda old: old + f"\n\n{lines}\n".encode())


def _broken_notebook(stage: Stage) -> Files:
    """Return the first half of a notebook, as after an interrupted download."""
    text = notebook_text(reference_notebook(stage))
    return {stage.notebook.name: text[: len(text) // 2].encode()}


def _changed_grade_ids(stage: Stage) -> Files:
    """Return a notebook whose cells have lost their names, as after copying them by hand."""
    notebook = reference_notebook(stage)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id += "-mine"
    return {stage.notebook.name: notebook_text(notebook).encode()}


def _failing_scratch_cells(stage: Stage) -> Files:
    """Return a good notebook with additional cells that fail.

    Such cells are common in students' notebooks, and the grader must find the program among them.
    """
    notebook = json.loads(notebook_text(reference_notebook(stage)))
    output = {"output_type": "error", "ename": "Error", "evalue": "", "traceback": []}
    sources = ("1 / 0", "this is not Python (", "%no_such_magic", "raise SystemExit")
    for number, source in enumerate(sources):
        cell: dict[str, Any] = {"cell_type": "code", "id": f"scratch-{number}", "source": source}
        cell |= {"metadata": {}, "execution_count": None, "outputs": [output]}
        notebook["cells"].insert(3 * number + 2, cell)
    return {stage.notebook.name: f"{json.dumps(notebook, indent=1)}\n".encode()}


def _zip_slip(stage: Stage) -> Files:
    """Return a zip whose names lead out of the folder into which somebody may unpack it.

    The content is that of a correct program, so that only the names can be the reason for a
    refusal.
    """
    outside = {f"../../../{name}": content for name, content in _reference(stage).items()}
    return {f"{stage.name}.zip": zipped(outside)}


# Programs that fail when they are compiled, imported or called.


def _without_colon(source: bytes) -> bytes:
    """Return the program without the colon of its first definition, a beginner's mistake."""
    return re.sub(rb"^((?:class|def) [^\n]*):$", rb"\1", source, count=1, flags=re.MULTILINE)


def _when_called(lines: str) -> Callable[[Stage], Files]:
    """Return a function that makes a submission: the reference, with these lines in a function.

    The lines replace the body of the first function that the starter leaves blank.
    """

    def make(stage: Stage) -> Files:
        for name in chain.from_iterable(task.blanks for task in stage.tasks):
            for module, source in stage.reference().items():
                if name in dict(definitions(source)):
                    # `blank` puts a stub where the body begins. The lines then replace the stub.
                    stub = blank(source, {name: PLACE})
                    if place := re.search(rf'^( *)raise .*"{PLACE}"\)$', stub, re.MULTILINE):
                        body = textwrap.indent(lines, place[1])
                        text = f"{stub[: place.start()]}{body}{stub[place.end() :]}"
                        return _reference(stage) | {f"{module}.py": text.encode()}
        raise AssertionError(f"no task of {stage.name} leaves a function blank")

    return make


LOOP_UNDER_EXCEPT = """\
while True:
    try:
        while True:
            pass
    except:
        pass"""

IN_EVERY_STAGE = ("ana-notebook", "eva-half-done")
STUDENTS: dict[str, Callable[[Stage], Files]] = {
    "ada-reference": _reference,
    "ana-notebook": _notebook,
    "art-zip": _zip,
    "eli-starter-unchanged": _starter,
    "eva-half-done": _half_done,
    "fay-empty-folder": lambda stage: {},
    "gus-wrong-file-name": lambda stage: {f"my_{n}": data for n, data in _reference(stage).items()},
    "hal-syntax-error": _first_file(_without_colon),
    "ida-import-raises": _with_lines('raise RuntimeError("this deck is cursed")'),
    "ned-not-utf8": _first_file(lambda old: old + "# café\n".encode("latin-1")),
    "pam-broken-notebook": _broken_notebook,
    "ray-changed-grade-ids": _changed_grade_ids,
    "sue-failing-scratch-cells": _failing_scratch_cells,
}
HOSTILE: dict[str, Callable[[Stage], Files]] = {
    "ian-import-loops": _with_lines("while True:\n    pass"),
    "jan-exit-on-import": _with_lines("import sys\n\nsys.exit(0)"),
    "jim-loop-under-except": _when_called(LOOP_UNDER_EXCEPT),
    "kay-exit-in-function": _when_called("import os\n\nos._exit(0)"),
    "leo-endless-output": _when_called('while True:\n    print("hearts " * 100, flush=True)'),
    "max-two-gigabytes": _when_called('return len(b"x" * 2 * 2**30)'),
    "oda-huge-file": _first_file(lambda old: old + b"# one more line\n" * HUGE_LINES),
    "tom-zip-slip": _zip_slip,
    "una-zip-bomb": lambda stage: {
        f"{stage.name}.zip": zipped({stage.files[0]: b"#" * BOMB_BYTES})
    },
    "val-symlink": lambda stage: {
        name: Link(f"../../ada-reference/{stage.name}/{name}") for name in stage.files
    },
}
