"""What to read next: a section of the brief, a hint, another stage.

Step         what to do first, and what to read and to type for it
first_step   the one after a result
section      where a task is described
"""

from dataclasses import dataclass

from hearts_course.course import Stage, Task
from hearts_course.results import Result, Status


@dataclass(frozen=True)
class Step:
    """What to do next, in words, and what to read and to type for it; both may be empty."""

    words: str
    read: str = ""
    command: str = ""


def first_step(result: Result, stage: Stage, after: Stage | None) -> Step:
    """The next thing to do: the first task that lacks points and builds on none that does.

    `after` is the stage after this one, if there is one.
    """
    if result.status is Status.GRADER_ERROR:
        return Step("There is nothing for you to do.")
    if result.status is Status.MISSING:
        return Step("Hand in your program.")
    if result.status is Status.UNREADABLE:
        return Step("Fix this and submit again.")
    lacking = [scored.task for scored in result.tasks if scored.score < scored.max_score]
    ready = [name for name in lacking if not set(stage.task(name).builds_on) & set(lacking)]
    for task in map(stage.task, (ready or lacking)[:1]):
        words = f"Begin with task {stage.number(task)}, {task.title}."
        return Step(words, section(stage, task), f"hearts hint {task.id}")
    if after is None:
        return Step("All of it holds, and this was the last stage.")
    return Step(f"All of it holds. The next stage is {after.title}.", f"briefs/{after.name}.md")


def section(stage: Stage, task: Task) -> str:
    """Where the task is described."""
    heading = f"Task {stage.number(task)}: {task.title}"
    return f"“{heading}”, in briefs/{stage.name}.md or in the notebook"
