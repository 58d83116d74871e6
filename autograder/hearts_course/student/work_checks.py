"""Check a student's program in the workspace, and write the page about a check with all tests."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hearts_course.course import Course, Task
from hearts_course.files import write_whole
from hearts_course.misconceptions import load_patterns, unknown_ground
from hearts_course.results import Result, SourcePosition
from hearts_course.student.work import Form, StageWork, modules_of, read_answers, whole_program
from hearts_course.submissions.model import Submission
from hearts_course.submissions.untouched import untouched_tasks

if TYPE_CHECKING:
    from hearts_course.testing.runner import SuiteRunner

FEEDBACK = "feedback"  # the folder of the pages, in a workspace


def check_work(
    course: Course,
    root: Path,
    work: StageWork,
    tasks: Iterable[Task] = (),
    *,
    full: bool = False,
    runner: "SuiteRunner | None" = None,
    waiting: Callable[[], None] | None = None,
) -> Result:
    """Run the visible tests on the work, together with the earlier stages in `root`.

    With `tasks`, run only the tests of these tasks. `full` adds the hidden tests. A `runner` that
    has collected the tests saves time. `waiting` is called before each test, and also while the
    program takes long to answer. If a task fails like a known mistake, the tasks that it builds on
    are tested as well. If they all pass, the result includes them. Raise UsageError if an earlier
    stage is missing or unreadable, or if the hidden tests are not installed.
    """
    from hearts_course.testing.in_process import check_program

    wanted = [task.id for task in tasks]
    works = whole_program(course, root, work)
    modules = modules_of(works)
    untouched = untouched_tasks(work.stage, work.modules)

    check = partial(check_program, work.stage, modules, hidden=full, runner=runner, waiting=waiting)
    result = check(tasks=wanted).with_untouched(untouched)
    patterns = load_patterns(work.stage, visible=not full)
    ground: set[str] = set()
    if not result.timed_out:  # a run of more tests would time out as well
        ground = unknown_ground(result, work.stage, patterns)
    if ground:
        wider_result = check(tasks=[*wanted, *ground]).with_untouched(untouched)
        below = [done for done in wider_result.tasks if done.task in ground]
        if all(done.score == done.max_score for done in below):
            result = wider_result
    return _with_cells(result, works)


def _with_cells(result: Result, works: Iterable[StageWork]) -> Result:
    """Return the result. For modules from a notebook, its messages name cells instead of files."""
    notebooks: dict[str, StageWork] = {}
    for work in works:
        if work.form is Form.NOTEBOOK:
            notebooks |= dict.fromkeys(work.modules, work)

    def place(where: SourcePosition) -> str:
        """Return where the student finds the line."""
        if where.module not in notebooks:
            return str(where)
        return notebooks[where.module].place(where.module, where.line)

    return result.with_places(place)


def write_feedback(course: Course, root: Path, work: StageWork, result: Result) -> str:
    """Write the page about a result with hidden tests, and return its path in the workspace.

    A browser can open the page as a file, without a network.
    """
    from hearts_course.reports.feedback import as_page, feedback

    stage = work.stage
    path = f"{FEEDBACK}/{work.stage.name}.html"
    answers = read_answers(root, stage)
    submission = Submission("", stage.name, work.modules, pieces=work.pieces, answers=answers)
    patterns = load_patterns(stage)
    later_stages = course.after(stage)
    page = feedback(result, stage, submission, patterns, later_stages)
    write_whole(root / path, as_page(page))
    return path
