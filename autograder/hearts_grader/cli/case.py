"""Command for instructors: case."""

from pathlib import Path

import click
from hearts_course.cli.common import PATH
from hearts_course.course import Course, Stage, Task, pick
from hearts_course.errors import UsageError
from hearts_course.submissions.find import find_submissions
from hearts_course.text import count_of, safe_block

from hearts_grader.case import case_text
from hearts_grader.cli.options import sandbox_option
from hearts_grader.grading.final_scores import CHECK
from hearts_grader.grading.store import Store
from hearts_grader.lms.groups import grouped
from hearts_grader.lms.manual import Given, read_overrides, write_overrides
from hearts_grader.nbgrader.sync import GradebookSync


@click.command()
@click.argument("student")
@click.argument("stage_name", metavar="STAGE")
@click.argument("task_name", metavar="TASK")
@click.option("--submissions", metavar="DIR", type=PATH, help="The folder that you grade.")
@click.option("--out", metavar="DIR", type=PATH, help="The folder with the grades.")
@click.option("--give", metavar="POINTS", type=float, help="The points that count for the task.")
@click.option("--because", metavar="TEXT", default="", help="Why; the student reads it.")
@click.option("--take-back", is_flag=True, help="Let the points by the checks count again.")
@sandbox_option
@click.pass_obj
def case(
    course: Course,
    student: str,
    stage_name: str,
    task_name: str,
    submissions: Path | None,
    out: Path | None,
    give: float | None,
    because: str,
    take_back: bool,
    sandbox: str,
) -> None:
    """Show why STUDENT lost points in a TASK: all failed questions, with right and wrong answers.

    Hidden questions are shown too, so the output is for you alone. With --give, your points for the
    task count from now on, even if it is graded again. Pages, history and exports show these points
    and your reason.
    """
    stage = course.stage(stage_name)
    task = _task_of(stage, task_name)
    # Check every option before the program is run, which takes seconds.
    changes = give is not None or take_back
    if give is not None and (take_back or not because.strip()):
        raise UsageError("--give needs --because TEXT, and excludes --take-back")
    if changes and out is None:
        raise UsageError("--give and --take-back need --out DIR: the folder with the grades")
    if give is not None and not 0 <= give <= task.points:
        raise UsageError(f"--give {give:g}: {task.id} has {count_of(task.points, 'point')}")
    if submissions is None and not changes:
        raise UsageError("name the folder that you grade, with --submissions DIR")
    if submissions is not None:
        layout = grouped(find_submissions(submissions, course, [stage.name]), course)
        text = case_text(stage, task, student, layout, sandbox)
        # The text holds what the student's program printed, which must not steer the terminal.
        click.echo(safe_block(text), nl=False)
    if out is None or not changes:
        return
    store = Store(out)
    students = [path.parent.name for path in store.results.files() if path.stem == stage.name]
    # `pick` returns the value of the chosen key, so the names are both keys and values.
    graded = {student: student for student in students}
    name = pick(student, graded, "student"), stage.name
    cell = f"{CHECK}{task.id}"
    given = Given(student, stage.name, task.id, cell, give, because.strip())
    rows = read_overrides(store.overrides, course)
    # Points given again for the same task replace those given before.
    kept = [row for row in rows if row.key != given.key]
    if not take_back:
        kept.append(given)
    elif len(kept) == len(rows):
        raise UsageError(f"{store.overrides}: gives {student} no points for {task.id}")
    else:
        # A run of `hearts grade` may have saved the points in the gradebook, from which the next
        # run would restore them.
        GradebookSync(store, course).take_back(name, cell)
    path = write_overrides(store.overrides, kept)
    click.echo(f"wrote {path}; run `hearts grade` again, so that the page says so as well")


def _task_of(stage: Stage, name: str) -> Task:
    """Return the task with this id or number; raise UsageError if the stage has no such task."""
    for task in stage.tasks:
        if name == str(stage.number(task)):
            return task
    return stage.task(name)
