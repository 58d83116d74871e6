"""A stage's brief, hints and questions for discussion, divided at their headings.

Each task's heading must have the number and title from `stage.toml`. In the brief, it must also
have the points.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hearts_course.course import BRIEFS, Stage, Task
from hearts_course.edition import FILES, Edition
from hearts_course.errors import StageError
from hearts_course.files import read_text
from hearts_course.text import count_of

if TYPE_CHECKING:
    from doctest import Example

BRIEF, HINTS = "README.md", "hints.md"
TASK = "## Task "
END = "## Out of scope"
DISCUSSION = "discuss.md"
EXACTLY = "### Exactly"
OBJECTIVES = "## Objectives"
PAGE = re.compile(r"\]\(\.\./([\w-]+\.md)\)")  # a link to a page that all stages share
FIRST_EXAMPLES = re.compile(r"^```\w+\n(>>> .*?)^```", re.DOTALL | re.MULTILINE)
PROGRAM = re.compile(r"^```python\n(?!>>>)(.*?)^```", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r" {0,3}(```+|~~~+)(.*)")


@dataclass(frozen=True)
class Brief:
    """The parts of a stage's README.md. Each part begins with its heading.

    `sections` maps each task's id to the part about this task.
    """

    intro: str
    sections: dict[str, str]
    end: str


@dataclass(frozen=True)
class _Section:
    """A heading with the text below it; `line` is the heading's line in the file, for messages."""

    line: int
    heading: str
    body: str

    @property
    def text(self) -> str:
        return f"{self.heading}\n{self.body}".strip()


def linked_from_root(text: str) -> str:
    """Return a brief's text with links that work from the folder with the student's programs."""
    return PAGE.sub(rf"]({BRIEFS}/\1)", text).replace("](../", "](")


def linked_from_briefs(text: str) -> str:
    """Return a brief's text with links that work from the one folder of all briefs and pages."""
    return PAGE.sub(r"](\1)", text)


def page_among_briefs(text: str) -> str:
    """Return a shared page's text with links that work from the folder of the briefs."""
    return text.replace("](pictures/", "](../pictures/")


def load_brief(stage: Stage, edition: Edition = FILES) -> Brief:
    """Return the stage's brief in this edition.

    Raise StageError if a heading contradicts `stage.toml`. The brief has three parts: an
    introduction, a section for each task in the order of the tasks, and an end. The end begins with
    the heading END.
    """
    path = stage.assignment / BRIEF
    preface, *sections = _sections(edition.text(read_text(path)), "##")
    first_place = 0  # the index of the first task's section
    while first_place < len(sections) and not _opens_tasks(sections[first_place]):
        first_place += 1
    end_place = first_place + len(stage.tasks)
    title = f"# {stage.name.split('-')[0]} {stage.title}"
    first_line = preface.body.partition("\n")[0]
    if first_line != title:
        raise StageError(f"{path}:1: the brief begins with {first_line!r}; write {title!r}")
    of_tasks = sections[first_place : end_place + 1]
    headings = [task_heading(stage, task) for task in stage.tasks]
    _match(path, of_tasks, [*headings, END])
    intro = [preface, *sections[:first_place]]
    end = sections[end_place:]
    for late in filter(_opens_tasks, end[1:]):
        raise StageError(f"{path}:{late.line}: {late.heading!r} comes after {END!r}; move it up")
    parts = {task.id: section.text for task, section in zip(stage.tasks, of_tasks, strict=False)}
    return Brief(_join(intro), parts, _join(end))


def load_objectives(stage: Stage) -> tuple[str, ...]:
    """Return the items that the brief lists under `## Objectives`, without final punctuation."""
    _, *sections = _sections(load_brief(stage).intro, "##")
    items: list[str] = []
    for section in sections:
        if section.heading == OBJECTIVES:
            _, *listed_items = re.split(r"^- ", section.body, flags=re.MULTILINE)
            items += listed_items
    return tuple(" ".join(item.split()).rstrip(";.") for item in items)


def load_hints(stage: Stage) -> dict[str, tuple[str, ...]]:
    """Map each task's id to the hints for the task, the gentlest hint first.

    Raise StageError if a heading is missing or wrong, or if a task has no hint or an empty one.
    """
    path = stage.assignment / HINTS
    _, *sections = _sections(read_text(path), "##")
    _match(path, sections, [_heading(stage, task) for task in stage.tasks])
    hints: dict[str, tuple[str, ...]] = {}
    for task, section in zip(stage.tasks, sections, strict=True):
        hints[task.id] = tuple(_hints(path, section))
    return hints


def with_headings(stage: Stage, path: Path) -> str:
    """Return the stage's brief or hints with the headings that stage.toml asks for.

    So an author who renames a task, or changes its points, changes only stage.toml. Return the text
    unchanged if it has more or fewer sections than the stage has tasks.
    """
    heading = _heading
    if path.name == BRIEF:
        heading = task_heading
    lines = read_text(path).split("\n")
    places = [s.line - 1 for s in _sections("\n".join(lines), "##") if s.heading.startswith(TASK)]
    if len(places) == len(stage.tasks):
        for place, task in zip(places, stage.tasks, strict=True):
            lines[place] = heading(stage, task)
    return "\n".join(lines)


def load_discussion(stage: Stage) -> tuple[str, ...]:
    """Return the stage's questions for discussion, each with its heading.

    If the stage has no file of such questions, return ().
    """
    path = stage.assignment / DISCUSSION
    if not path.is_file():
        return ()
    _, *sections = _sections(read_text(path), "##")
    return tuple(section.text for section in sections)


def section_of(text: str, title: str) -> str:
    """Return the part of a Markdown text under the heading `## title`, "" if there is none."""
    for section in _sections(text, "##"):
        if section.heading == f"## {title}":
            return section.text
    return ""


def discussion_section(question: str) -> str:
    """Return a question as it stands in a student's answers: its heading is one level lower."""
    return f"#{question}"


def answers_for(text: str, stage: Stage) -> str:
    """Return the stage's section of a student's answers.

    Return "" if there is no such section, or if it holds only a question and no answer.
    """
    section = section_of(text, stage.name)
    questions = [discussion_section(question).strip() for question in load_discussion(stage)]
    _, _, below = section.partition("\n")
    if below.strip() in questions:
        return ""
    return section


def task_heading(stage: Stage, task: Task) -> str:
    """Return the heading of the task's section of the brief."""
    points = "left out: no points"
    if task.points:
        points = count_of(task.points, "point")
    return f"{_heading(stage, task)} ({points})"


def idea_and_contract(section: str) -> tuple[str, str]:
    """Return the parts of a task's section above and below `### Exactly`; "" for a missing part."""
    idea, _, contract = section.partition(f"\n{EXACTLY}\n")
    return idea.strip(), contract.strip()


def _heading(stage: Stage, task: Task) -> str:
    """Return a task's heading without points, as in the hints."""
    return f"## Task {stage.number(task)}: {task.title}"


def _opens_tasks(section: _Section) -> bool:
    """Return whether the section is a task's, or the END section that follows the last task."""
    return section.heading.startswith(TASK) or section.heading == END


def _join(sections: list[_Section]) -> str:
    """Return the sections as one text, with a blank line between two of them."""
    return "\n\n".join(section.text for section in sections)


def _match(path: Path, sections: list[_Section], expected: list[str]) -> None:
    """Raise StageError at the first section whose heading is not the expected one.

    A missing or additional section is an error as well, because sections are matched to tasks by
    their order.
    """
    for section, wanted in zip(sections, expected, strict=False):
        if section.heading != wanted:
            raise StageError(
                f"{path}:{section.line}: found {section.heading!r} where stage.toml "
                f"asks for {wanted!r}; fix either"
            )
    if len(sections) < len(expected):
        missing = expected[len(sections)]
        raise StageError(f"{path}: no heading {missing!r}; write that section")
    if len(sections) > len(expected):
        extra = sections[len(expected)]
        raise StageError(f"{path}:{extra.line}: stage.toml has no task for {extra.heading!r}")


def _hints(path: Path, section: _Section) -> Iterator[str]:
    """Yield the hints in a task's section.

    Raise StageError if there are no hints, if they are not numbered from 1 without gaps, or if a
    hint is empty.
    """
    _, *hints = _sections(section.body, "###", section.line)
    if not hints:
        raise StageError(f"{path}:{section.line}: {section.heading!r} has no hint; add `### 1`")
    for number, hint in enumerate(hints, start=1):
        if hint.heading != f"### {number}":
            raise StageError(f"{path}:{hint.line}: found {hint.heading!r}; write '### {number}'")
        if not hint.body.strip():
            raise StageError(f"{path}:{hint.line}: hint {number} is empty; write it or drop it")
        yield hint.body.strip()


def _sections(text: str, level: str, above: int = 0) -> list[_Section]:
    """Return the text above the first heading of this `level`, then a section for each heading.

    A line of code that looks like a heading, such as a comment, does not begin a section. `above`
    is the number of lines that precede the text in its file.
    """
    sections: list[tuple[int, str, list[str]]] = [(above + 1, "", [])]
    fence = ""
    for number, line in enumerate(text.split("\n"), start=above + 1):
        if mark := FENCE.match(line):
            fence = _after_fence(fence, mark[1], info=mark[2])
        if not fence and line.startswith(f"{level} "):
            sections.append((number, line.rstrip(), []))
        else:
            sections[-1][2].append(line)
    return [_Section(number, heading, "\n".join(body)) for number, heading, body in sections]


def _after_fence(fence: str, mark: str, info: str) -> str:
    """Return the fence that is open after a line with a fence; "" if the line closes the block.

    `mark` is the line's backticks or tildes, and `info` is the rest of the line. `fence` is the
    fence that was open before the line, "" if none was open.
    """
    if not fence:
        return mark
    closes = mark.startswith(fence) and not info.strip()
    if closes:
        return ""
    return fence


def first_examples(brief: str) -> str:
    """Return the code of the brief's first block of examples."""
    import doctest  # needed only where examples are run

    block = FIRST_EXAMPLES.search(brief)
    if block is None:
        return ""
    examples = doctest.DocTestParser().get_examples(block[1])
    return "".join(example.source for example in examples)


def examples_of(text: str) -> "list[Example]":
    """Return the examples of a brief, or of a part of it, in order.

    A block of code without `>>>` becomes one example, because later examples need its definitions.
    This example calls the function `silently` with the code.
    """
    import doctest  # needed only where examples are run

    text = PROGRAM.sub(_as_example, text)
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if FENCE.match(line):
            # An empty line ends the output of the example above. The line is emptied, not deleted,
            # so that the lines below keep their numbers.
            lines[place] = ""
    return doctest.DocTestParser().get_examples("\n".join(lines))


def _as_example(block: re.Match[str]) -> str:
    """Return a block of code as one example with the same number of lines.

    So the lines below the block keep the numbers that messages name.
    """
    return f">>> silently({block[1]!r}, globals())" + "\n" * block[0].count("\n")


def typed_code(source: str) -> str:
    """Return an example's code as a student types it.

    If `examples_of` made the example from a block without prompts, return the text of the block.
    """
    match ast.parse(source).body:
        case [ast.Expr(ast.Call(ast.Name("silently"), [ast.Constant(str(code)), *_]))]:
            return code
    return source
