"""A sample class: submissions of every kind, made from the course's own stages.

Right and wrong programs, unfinished and hostile ones; a student's name says which. The same course
gives the same class, byte for byte.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from hearts_course.authoring import forms, hostile, misshapen
from hearts_course.authoring.blank import blank, starter_cells
from hearts_course.authoring.cells import join
from hearts_course.authoring.chaffs import Chaff, load_chaffs
from hearts_course.authoring.forms import Files, Link
from hearts_course.authoring.notebook import as_text
from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.files import zipped

FIRST_NAMES = ("ben", "bo", "cy", "dee")
LONGEST_NAME = 40
ALTERNATIVE_STUDENTS = ("abe-written-differently", "amy-written-differently")


def make_sample(stages: Iterable[Stage], folder: Path) -> dict[str, int]:
    """Write the class under `folder`; the number of stages that each student handed in.

    Raises UsageError if there is something in the folder already, or StageError.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: not empty; choose a new folder")
    handed_in: Counter[str] = Counter()
    for number, stage in enumerate(stages):
        for student, files in submissions(stage, whole_class=number == 0):
            _write(folder / student / stage.name, files)
            handed_in[student] += 1
    return dict(handed_in)


def submissions(stage: Stage, *, whole_class: bool) -> Iterator[tuple[str, Files]]:
    """Every student's name and files; raises StageError.

    The whole class goes through one stage; what is broken in all stages alike need not be seen in
    each. A few go on, with right, wrong and unfinished programs, as files and as notebooks.
    """
    for student, make in STUDENTS.items():
        if whole_class or student in IN_EVERY_STAGE:
            yield student, make(stage)
    for student, chaff in _mistaken(stage, len(FIRST_NAMES) if whole_class else 1):
        yield student, {f"{name}.py": text.encode() for name, text in chaff.modules.items()}
    alternatives = sorted((stage.autograder / "alternatives").glob("*/"))
    others = ALTERNATIVE_STUDENTS if whole_class else ALTERNATIVE_STUDENTS[:1]
    for student, alternative in zip(others, alternatives, strict=False):
        yield student, {name: (alternative / name).read_bytes() for name in stage.files}


def _mistaken(stage: Stage, number: int) -> Iterator[tuple[str, Chaff]]:
    """A few students, each called after a misconception, from all over the stage."""
    chaffs = load_chaffs(stage)
    step = max(1, len(chaffs) // number)
    for name, chaff in zip(FIRST_NAMES[:number], chaffs[::step], strict=False):
        words = textwrap.shorten(re.sub(r"\W+", " ", chaff.name), LONGEST_NAME, placeholder="")
        yield f"{name}-{words.replace(' ', '-').lower()}", chaff


def _notebook(stage: Stage) -> Files:
    return {stage.notebook.name: as_text(forms.solved(stage)).encode()}


def _zip(stage: Stage) -> Files:
    return {f"{stage.name}.zip": zipped(forms.reference(stage))}


def _starter(stage: Stage) -> Files:
    return {f"{name}.py": text.encode() for name, text in join(starter_cells(stage)).items()}


def _half_done(stage: Stage) -> Files:
    """The reference without what only the last half of the tasks asks for."""
    half = (len(stage.tasks) + 1) // 2
    written = {name for task in stage.tasks[:half] for name in task.blanks}
    left = {name for task in stage.tasks[half:] for name in task.blanks} - written
    messages = dict.fromkeys(left, "not written yet")
    sources = stage.reference().items()
    return {f"{name}.py": blank(source, messages).encode() for name, source in sources}


def _write(folder: Path, files: Files) -> None:
    folder.mkdir(parents=True)
    for name, content in files.items():
        path = folder / name
        if isinstance(content, Link):
            path.symlink_to(content.target)
        else:
            path.write_bytes(content)


IN_EVERY_STAGE = ("ana-notebook", "eva-half-done")
STUDENTS: dict[str, Callable[[Stage], Files]] = {
    "ada-reference": forms.reference,
    "ana-notebook": _notebook,
    "art-zip": _zip,
    "eli-starter-unchanged": _starter,
    "eva-half-done": _half_done,
    "fay-empty-folder": misshapen.empty_folder,
    "gus-wrong-file-name": misshapen.wrong_name,
    "hal-syntax-error": hostile.syntax_error,
    "ida-import-raises": hostile.import_raises,
    "ian-import-loops": hostile.import_loops,
    "jan-exit-on-import": hostile.exit_on_import,
    "jim-loop-under-except": hostile.loop_under_except,
    "kay-exit-in-function": hostile.exit_in_function,
    "leo-endless-output": hostile.endless_output,
    "max-two-gigabytes": hostile.much_memory,
    "ned-not-utf8": misshapen.not_utf8,
    "oda-huge-file": misshapen.huge_file,
    "pam-broken-notebook": misshapen.broken_notebook,
    "ray-changed-grade-ids": misshapen.changed_grade_ids,
    "sue-failing-scratch-cells": misshapen.failing_scratch_cells,
    "tom-zip-slip": misshapen.zip_slip,
    "una-zip-bomb": misshapen.zip_bomb,
    "val-symlink": misshapen.symlink,
}
