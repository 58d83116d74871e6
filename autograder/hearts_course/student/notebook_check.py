"""Check the program that a notebook holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hearts_course.course import Stage, Task
from hearts_course.results import Result
from hearts_course.student.brief_examples import DifferingExample, examples_in_work
from hearts_course.student.session import NotebookSession
from hearts_course.student.work import find_work
from hearts_course.student.work_checks import check_work, write_feedback

THIS_NOTEBOOK = "this notebook"


@dataclass(frozen=True)
class NotebookCheck:
    """The result of a check, and what the student should know about it.

    `where` names the program that was checked. `unsaved` says how the saved notebook differs from
    that program, "" if it does not. `page` is the path of the feedback page, "" if none was
    written. `program` is the program's digest. `examples` maps a task's id to an example of the
    brief for which the program's output differs. If the notebook's objects were checked because no
    program was found, `program` and `examples` are empty.
    """

    result: Result
    where: str = THIS_NOTEBOOK
    unsaved: str = ""
    notes: tuple[str, ...] = ()
    page: str = ""
    program: str = ""
    examples: Mapping[str, DifferingExample] = field(default_factory=dict)


def check_notebook(
    session: NotebookSession,
    stage: Stage,
    task: Task | None,
    names: Mapping[str, Any],
    *,
    full: bool = False,
) -> NotebookCheck:
    """Return the result of the visible tests on the cells as they were last run.

    `names` is the notebook's namespace. If the notebook is about another stage than `stage`, the
    stage's saved program is checked. `full` adds the hidden tests; for a whole stage it also writes
    the feedback page. Raise CourseError if the notebook or an earlier stage cannot be read.
    """
    from hearts_course.testing.in_process import check_namespace

    work, unsaved, notes = session.program(stage, names)
    if work is None and session.holds(stage):
        only = None
        if task:
            only = task.id
        return NotebookCheck(check_namespace(stage, names, task=only, hidden=full))
    where = THIS_NOTEBOOK
    if work is None:
        work = find_work(session.folder, stage)
        where = work.where
        notes = (f"this is {stage.name} as saved in {where}", *filter(None, [work.note]))
    tasks = list(filter(None, [task]))
    result = check_work(session.course, session.folder, work, tasks, full=full)
    page = ""
    if full and not task:
        page = write_feedback(session.course, session.folder, work, result)
    examples = examples_in_work(session.course, session.folder, work, result)
    return NotebookCheck(result, where, unsaved, notes, page, work.digest, examples)
