"""Chaffs: copies of the reference, each with one plausible mistake that the tests must catch.

    [[chaff]]
    name = "sorts the ten before the nine"    # the misconception
    task = "card-order"                       # where it must lose points
    find = '''text that occurs exactly once in the reference'''
    put = '''what the misconception writes instead'''

A chaff that needs several edits has a `[[chaff.edit]]` with `find` and `put` for each edit. In a
stage of several files, each edit names its file: `file = "cards.py"`. A clinic is a stage in which
students find the mistake in a given program. The first chaff of a clinic is that program.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hearts_course.course import Stage
from hearts_course.errors import CourseError, StageError
from hearts_course.files import read_toml, to_dataclass
from hearts_course.misconceptions import Pattern, pattern_of
from hearts_course.results import Result, Status
from hearts_course.submissions.model import Submission
from hearts_course.testing.reach import changes

from hearts_grader.grading.grade import GradeJob

PATTERN_SECONDS = 600.0  # time for a chaff; ample, so that every test is reached on a busy machine
Grade = Callable[[Iterable[GradeJob]], Iterable[Result]]


@dataclass(frozen=True)
class _Edit:
    """A text that occurs once in the reference, and its replacement."""

    find: str
    put: str
    file: str = ""


@dataclass(frozen=True)
class _Entry:
    """A `[[chaff]]` table; its edits are collected in `edit`."""

    name: str
    task: str
    edit: tuple[_Edit, ...]


@dataclass(frozen=True)
class Chaff:
    """A plausible wrong program: its misconception, and the task where the program must fail."""

    name: str
    task: str
    modules: Mapping[str, str]


def load_chaffs(stage: Stage) -> tuple[Chaff, ...]:
    """Return the chaffs of the stage's `chaffs.toml`; raise StageError for an invalid chaff."""
    path = stage.autograder / "chaffs.toml"
    data = read_toml(path)
    entries = data.pop("chaff", [])
    are_tables = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    if data or not are_tables:
        raise StageError(f"{path}: may hold [[chaff]] tables only")
    chaffs: dict[str, Chaff] = {}
    for number, entry in enumerate(entries, start=1):
        where = f"{path}: [[chaff]] {number}"
        chaff = _chaff(stage, to_dataclass(_Entry, _with_edits(entry, where), where), where)
        if chaff.name in chaffs:
            raise StageError(f"{where}: a second one is called {chaff.name!r}; rename one")
        chaffs[chaff.name] = chaff
    return tuple(chaffs.values())


def find_patterns(stage: Stage, grade: Grade) -> tuple[Pattern, ...]:
    """Grade the chaffs and return their patterns: the tests that each chaff fails.

    The results come in any order. So each job has its chaff's number as the student's name, and the
    result tells to which chaff it belongs. Raise CourseError if a chaff cannot be graded.
    """
    chaffs = load_chaffs(stage)
    jobs = [_pattern_job(stage, number, chaff) for number, chaff in enumerate(chaffs)]
    patterns: dict[int, Pattern] = {}
    for result in grade(jobs):
        chaff = chaffs[int(result.student)]
        if result.status is not Status.GRADED:
            raise CourseError(f"{stage.name}: cannot grade {chaff.name!r}: {result.message}")
        patterns[int(result.student)] = pattern_of(chaff.name, chaff.task, result)
    return tuple(patterns[number] for number in sorted(patterns))


def tasks_above(stage: Stage, task: str) -> set[str]:
    """Return the ids of the tasks that build on the task.

    A mistake in the task may make the tests of these tasks fail too.
    """
    return {above.id for above in stage.tasks if task in stage.tasks_below(above)}


def _pattern_job(stage: Stage, number: int, chaff: Chaff) -> GradeJob:
    """Return the job that finds the chaff's pattern.

    It runs only the tests of tasks that the chaff may fail.
    """
    submission = Submission(str(number), stage.name, chaff.modules)
    ample = replace(stage, limits=replace(stage.limits, submission_seconds=PATTERN_SECONDS))
    tasks = frozenset({chaff.task, *tasks_above(stage, chaff.task)})
    return GradeJob(
        ample,
        submission,
        tasks=tasks,
        changed=changes(stage.reference(), chaff.modules),
        examples=False,
    )


def _with_edits(entry: dict[str, object], where: str) -> dict[str, object]:
    """Return the chaff's table with all its edits in the list `edit`.

    An author may write a single edit directly into the chaff's table. Raise StageError for edits in
    both places.
    """
    others = dict(entry)
    single_edit = {key: others.pop(key) for key in ("find", "put", "file") if key in entry}
    if "edit" not in entry:
        return others | {"edit": [single_edit]}
    if single_edit:
        raise StageError(
            f"{where}: both [[chaff.edit]] and `{next(iter(single_edit))}`; use the tables"
        )
    return entry


def _chaff(stage: Stage, entry: _Entry, where: str) -> Chaff:
    """Return the reference with the entry's edits.

    Raise StageError for an unknown task, or if the edited text is not valid Python.
    """
    if entry.task not in {task.id for task in stage.tasks}:
        raise StageError(f"{where}: {stage.name} has no task {entry.task!r}; correct `task`")
    modules = stage.reference()
    edited = {_module(stage, edit, where) for edit in entry.edit}
    for edit in entry.edit:
        module = _module(stage, edit, where)
        modules[module] = _edited(modules[module], edit, where)
    for module in sorted(edited):
        try:
            ast.parse(modules[module])
        except SyntaxError as error:
            raise StageError(
                f"{where}: {module}.py is no longer Python: line {error.lineno}: {error.msg}"
            ) from None
    return Chaff(entry.name, entry.task, modules)


def _module(stage: Stage, edit: _Edit, where: str) -> str:
    """Return the name of the module that the edit changes.

    If the stage has only one file, the edit may leave out `file`. Raise StageError if the stage has
    no such file, or has several files and the edit names none.
    """
    if not edit.file and len(stage.files) == 1:
        return stage.modules[0]
    if edit.file not in stage.files:
        raise StageError(f"{where}: file = {edit.file!r}; name one of {', '.join(stage.files)}")
    return Path(edit.file).stem


def _edited(source: str, edit: _Edit, where: str) -> str:
    """Return the text after the edit; raise StageError if it is unclear where the edit belongs."""
    times = source.count(edit.find) if edit.find else 0
    if times != 1:
        shown = edit.find.strip().partition("\n")[0]
        raise StageError(f"{where}: {shown!r} occurs {times} times; quote a text that occurs once")
    if edit.find == edit.put:
        raise StageError(f"{where}: `find` and `put` are the same")
    return source.replace(edit.find, edit.put)
