"""The ladder of hints: a question first, then a pointer, then nearly there.

Hint     one rung of a task's ladder
ladder   all rungs of a task
take     the next one
"""

from dataclasses import dataclass

from hearts_course.brief import load_hints
from hearts_course.course import Stage, Task


@dataclass(frozen=True)
class Hint:
    """One rung, in Markdown; rungs are counted from 1."""

    task: Task
    number: int
    total: int
    text: str

    @property
    def title(self) -> str:
        """Which rung it is: "Hint 2 of 4"."""
        return f"Hint {self.number} of {self.total}"


def ladder(stage: Stage, task: Task) -> tuple[Hint, ...]:
    """Every rung for the task, the gentlest first."""
    texts = load_hints(stage)[task.id]
    return tuple(Hint(task, i, len(texts), text) for i, text in enumerate(texts, start=1))


def take(stage: Stage, task: Task, shown: int) -> tuple[Hint, bool]:
    """The rung after the `shown` first ones, and whether it is new; the last repeats for ever."""
    rungs = ladder(stage, task)
    return rungs[min(shown, len(rungs) - 1)], shown < len(rungs)
