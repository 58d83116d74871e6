"""Give advice on the form of a program, by rules that the instructor writes.

The rules are in the file `structure.toml` in the output folder of `hearts grade`:

    [[rule]]
    task = "sort-and-show"
    uses = "comprehension"      # or avoids = "global", or max_lines = 20
    because = "One line says what is in the list."

Advice gives and costs no points. To give points for the form, write a test that calls `form_of`,
and add it with `--overlay`, the instructor's folder of additional tests. A program that Python
cannot read gets no advice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import StageError, UsageError
from hearts_course.files import read_toml, to_dataclass
from hearts_course.python_source import (
    FORMS,
    UNPARSABLE,
    Definition,
    definitions_in,
    form_in,
    parsed,
)
from hearts_course.text import listed

FILE = "structure.toml"


@dataclass(frozen=True)
class Rule:
    """A form that a task's definitions should use or avoid, or a limit on their lines, and why."""

    task: str
    because: str
    uses: str = ""
    avoids: str = ""
    max_lines: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError unless the rule has exactly one demand and a reason."""
        if sum(map(bool, (self.uses, self.avoids, self.max_lines))) != 1 or self.max_lines < 0:
            raise ValueError(f"{self.task}: write one of uses, avoids and max_lines")
        if (form := self.uses or self.avoids) and form not in FORMS:
            raise ValueError(f"{self.task}: {form!r} is not one of {', '.join(FORMS)}")
        if not self.because.strip():
            raise ValueError(f"{self.task}: because: write the reason")


@dataclass(frozen=True)
class _Rules:
    """The file's content: TOML collects all tables `[[rule]]` in a list `rule`."""

    rule: tuple[Rule, ...] = ()


def load_rules(course: Course, grades: Path) -> tuple[Rule, ...]:
    """Return the rules in the file `structure.toml` of the folder `grades`.

    If the file is missing, there are no rules. Raise UsageError for an invalid rule. A rule for an
    unknown task is invalid, because a misspelled task would silently switch the rule off.
    """
    path = grades / FILE
    if not path.is_file():
        return ()
    tasks: set[str] = set()
    for stage in course.stages:
        tasks.update(task.id for task in stage.tasks)
    try:
        rules = to_dataclass(_Rules, read_toml(path), path).rule
    except StageError as error:
        raise UsageError(str(error)) from None
    for rule in rules:
        if rule.task not in tasks:
            raise UsageError(f"{path}: no task is called {rule.task!r}")
    return rules


def advice(modules: Mapping[str, str], stage: Stage, rules: Sequence[Rule]) -> Iterator[str]:
    """Yield what the student reads about each rule that the program breaks."""
    tasks = {task.id: task for task in stage.tasks}
    wanted = [rule for rule in rules if rule.task in tasks]
    if not wanted:
        return
    all_definitions: dict[str, Definition] = {}
    try:
        for name in stage.modules:
            all_definitions |= dict(definitions_in(parsed(modules.get(name, ""))))
    except UNPARSABLE:
        return
    for rule in wanted:
        task = tasks[rule.task]
        of_task = {name: all_definitions[name] for name in task.blanks if name in all_definitions}
        if broken := _broken(rule, of_task):
            yield f"Advice on task {stage.number(task)}, without points: {broken}. {rule.because}"


def _broken(rule: Rule, of_task: Mapping[str, Definition]) -> str:
    """Return how the definitions break the rule; "" if they keep it or are missing.

    If the rule forbids a form, one definition with the form breaks the rule. If the rule demands a
    form, one definition with the form is enough to keep the rule.
    """
    if not of_task:
        return ""
    if rule.max_lines:
        return _too_long(of_task, rule.max_lines)
    form = rule.uses or rule.avoids
    having = [name for name, node in of_task.items() if form in form_in(node).uses]
    if rule.avoids and having:
        return f"{listed(having)} can do without a {rule.avoids}"
    if rule.uses and not having:
        return f"try a {rule.uses} in {listed(of_task)}"
    return ""


def _too_long(of_task: Mapping[str, Definition], max_lines: int) -> str:
    """Return which definitions are too long, and how many lines each has; "" if none is."""
    long = []
    for name, node in of_task.items():
        lines = form_in(node).lines
        if lines > max_lines:
            long.append(f"{name} has {lines} lines")
    return f"{listed(long)}, more than {max_lines}" if long else ""
