"""What students read in a terminal: most functions return something that `rich` prints."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hearts_course.course import Stage
from hearts_course.reports.task_summary import (
    FACT,
    UNFINISHED,
    WITHOUT_MESSAGE,
    TopicStatus,
    TopicSummary,
)
from hearts_course.student.packing import PackedWork
from hearts_course.student.progress import Hint, StageProgress, TaskProgress
from hearts_course.student.report import (
    TERMINAL,
    CheckReport,
    TaskReport,
    grade_note_of,
    lines_by_kind,
    others_failing,
    stage_title,
)
from hearts_course.student.work import StageWork, read_answers
from hearts_course.student.workspace import README, StartedWorkspace
from hearts_course.submissions.model import ANSWERS
from hearts_course.testing.messages import INTERRUPT, TO_TRY, YOUR_PROGRAM
from hearts_course.text import agreeing, count_of, listed

STYLES = {
    TopicStatus.PASSED: "green",
    TopicStatus.PARTLY: "red",
    TopicStatus.FAILED: "red",
    TopicStatus.UNWRITTEN: "dim",
    TopicStatus.BEGUN: "dim",
    TopicStatus.NOT_REACHED: "yellow",
}
COMMAND = "bold cyan"  # the style of what can be typed
MANY_FILES = 12  # if there are more files, they are counted and not named
LINE_STYLES = {"came": "red", "expected": "green", "why": "italic", "": ""}
FENCED = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)`((?:[^`\n]|\n(?!\n))+)`(?!`)")  # code may go on in the next line
# A line of a message that begins with one of these is a sentence. Other lines may be Python.
SENTENCES = (
    YOUR_PROGRAM,
    "not written yet",
    INTERRUPT,
    TO_TRY,
    *WITHOUT_MESSAGE.values(),
)


def without_colour(renderable: RenderableType, width: int = 80) -> str:
    """Return the words that a terminal would show, as plain text.

    A notebook and the tests use this text.
    """
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        color_system=None,
        force_jupyter=False,  # otherwise rich also displays the text in a notebook
        highlight=False,
        markup=False,
        emoji=False,
    )
    # Print a group, because rich wraps a bare text even if the text forbids it.
    console.print(Group(renderable), crop=False)
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


def report_text(report: CheckReport, *, details: bool = True) -> RenderableType:
    """Return the report on a check: a line per task, the points and, with `details`, what fails."""
    return Group(*_report_parts(report, details))


def _report_parts(report: CheckReport, details: bool) -> Iterator[RenderableType]:
    """Yield the parts of a check, from the notes on the file to the commands to go on with."""
    if report.unsaved:
        yield note_text(report.unsaved)
    yield Text.assemble((report.title, "bold"), f"  ({report.where})", "\n")
    if report.error:
        yield error_text(report.error)
        yield ""
    if report.tested:
        yield _task_lines(report)
        yield ""
        if report.begin_with and not report.error:
            yield Text(f"{report.begin_with}\n", style="bold")
        if details:
            yield from _details(report.tasks)
    yield from map(note_text, report.notes)
    yield Text(f"{report.points}. {report.grade_note}")
    yield from (command_line(*offer) for offer in report.offers)


def _details(tasks: tuple[TaskReport, ...]) -> Iterator[RenderableType]:
    """Yield what fails.

    If no failure is shown, yield the command for a hint on the first unfinished task.
    """
    for task in tasks:
        yield from _failures(task)
    unwritten = [task for task in tasks if task.status in UNFINISHED]
    if unwritten and not any(task.failures for task in tasks):
        yield command_line("A hint", unwritten[0].hint)
        yield ""


def error_text(message: str) -> Text:
    """Return why nothing could be checked."""
    return Text(f"✗ {message}", style="red", overflow="ignore")  # a long path is never broken


def note_text(message: str) -> Text:
    """Return a note for the student."""
    return Text(f"Note: {message}", style="yellow")


def command_line(purpose: str, command: str) -> Text:
    """Return a command to type next, or a path to open, and what it is for."""
    return whole_line(f"  {purpose}: ", (command, COMMAND))


def place_line(path: Path, line: int) -> Text:
    """Return a place in a file as `name.py:12`, with a link that a terminal can open."""
    text = Text(f"  {path.name}:{line}", style="cyan", no_wrap=True, overflow="ignore")
    text.stylize(f"link {path.resolve().as_uri()}", 2)
    return text


def whole_line(*parts: str | tuple[str, str]) -> Text:
    """Return a line that is never broken, so that its path or command can be copied."""
    return Text.assemble(*parts, no_wrap=True, overflow="ignore")


def _task_lines(report: CheckReport) -> Table:
    """Return a table with a row for each task.

    If the program's output differs from an example in the brief, the task's words have the colour
    of a warning.
    """
    table = _grid("right", "right", "left", "right", "left")
    for task in report.tasks:
        style = STYLES[task.status]
        if task.example:
            style = STYLES[TopicStatus.NOT_REACHED]
        table.add_row(
            Text(f" {task.status.mark}", style=STYLES[task.status]),
            str(task.summary.number),
            Text(task.summary.title),
            task.points,
            Text(task.words, style=style),
        )
    return table


def _failures(task: TaskReport) -> Iterator[RenderableType]:
    """Yield what fails in a task, and the commands for more checks and for a hint."""
    yield from first_failure_text(task)
    yield from example_text(task)
    if not task.failures and (task.first_failure or not task.summary.not_tried):
        return
    yield Text(f"✗ Task {task.summary.number}: {task.summary.title}", style="bold red")
    yield from map(failure_text, task.failures)
    if task.summary.not_tried:
        yield Text(f"  {task.summary.not_tried}")
    if task.left_out:
        yield command_line(f"{task.left_out} more", task.check)
    yield from mistake_text(task)
    yield command_line("A hint", task.hint)
    yield from (command_line("Or", hint) for hint in task.other_hints)
    yield ""


def first_failure_text(task: TaskReport) -> Iterator[RenderableType]:
    """Yield the first failure of a task whose failures may come from a mistake in another task.

    Such a task does not list its other failures. For any other task, yield nothing.
    """
    if task.first_failure:
        summary = task.summary
        yield Text(f"✗ Task {summary.number}: {summary.title}", style="bold red")
        yield Text(f"  It {task.first_failure.lead}")
        rule, *facts = task.first_failure.lines
        yield Padding(Text(rule, style="bold"), (0, 0, 0, 2))
        yield from _message_lines("\n".join(facts))
        if summary.not_tried:
            yield Text(f"  {summary.not_tried}")
        yield command_line("All of it", task.check)
        yield ""


def example_text(task: TaskReport) -> Iterator[RenderableType]:
    """Yield the example for which the program's output differs from the brief, if there is one."""
    if task.example:
        yield Text(f"Task {task.summary.number}: {task.summary.title}", style="bold yellow")
        yield Padding(Text(task.example.heading), (0, 0, 0, 2))
        yield from _message_lines("\n".join(task.example.lines()))
        if task.example.more:
            other_examples = count_of(task.example.more, "more example")
            yield Text(f"  ({other_examples} of this task: see the brief)")
        yield ""


def mistake_text(task: TaskReport) -> Iterator[RenderableType]:
    """Yield the known mistake that the task's failures look like, if there is one."""
    if task.summary.mistake:
        yield Padding(Text(task.summary.mistake, style="yellow"), (0, 0, 0, 2))


def failure_text(failure: TopicSummary) -> RenderableType:
    """Return a failing topic: what came back, what was expected, and why it matters."""
    return Group(*_failure_parts(failure), "")


def _failure_parts(failure: TopicSummary) -> Iterator[RenderableType]:
    """Yield a topic, the message of its first failing check, and how many more checks fail."""
    yield Padding(Text(failure.topic, style="bold"), (0, 0, 0, 2))
    message = failure.notes[0].text
    yield from _message_lines(message)
    if others := others_failing(failure):
        if _ends_in_block(message):
            yield ""  # Python's prompt needs an empty line after a block
        yield Padding(Text(f"({others})"), (0, 0, 0, 2))


def _ends_in_block(message: str) -> bool:
    """Return whether the message ends with code to try whose last line is indented."""
    _, begins, to_type = message.partition(f"{TO_TRY}\n")
    return begins != "" and to_type.splitlines()[-1].startswith(" " * 5)


def _message_lines(message: str) -> Iterator[RenderableType]:
    """Yield the lines of a message, each in the colour of its kind.

    A line of Python code begins at the left margin and is never wrapped, so that a student can copy
    it.
    """
    to_try = False
    for kind, line in lines_by_kind(message):
        if to_try:
            yield whole_line(line.removeprefix("    "))
        elif kind or FACT.match(line) or line.startswith(SENTENCES):
            yield Padding(Text(line, style=LINE_STYLES[kind]), (0, 0, 0, 4))
        else:
            yield whole_line(line)
        to_try = to_try or line == TO_TRY


def _grid(*justify: JustifyMethod) -> Table:
    """Return a table without lines and headings, one column per justification."""
    table = Table.grid(padding=(0, 2))
    for side in justify:
        table.add_column(justify=side)
    return table


def hint_text(hint: Hint, *, new: bool = True) -> RenderableType:
    """Return a hint with a border around it."""
    title = hint.title
    if not new:
        title += "; there are no more"
    return Panel(
        _markdown(hint.text),
        title=Text(title),
        title_align="left",
        subtitle=Text(hint.task.title),
        subtitle_align="right",
        padding=(0, 2),
        width=80,
    )


def markdown_text(markdown: str) -> RenderableType:
    """Return a text in Markdown with an empty line below; it is readable without colour."""
    return Padding(_markdown(markdown), (0, 0, 1, 0))


def _markdown(markdown: str) -> RenderableType:
    """Return a text in Markdown as `rich` shows it."""
    from rich.markdown import Markdown  # a slow import that a check does not need

    return Markdown(_with_backticks(markdown))


def _with_backticks(markdown: str) -> str:
    """Return the text, changed so that its backticks stay visible: colour may be missing."""
    prose_and_code = FENCED.split(markdown)
    prose_and_code[::2] = [CODE.sub(r"`` `\1` ``", prose) for prose in prose_and_code[::2]]
    return "".join(prose_and_code)


def progress_table(stages: Iterable[StageProgress]) -> RenderableType:
    """Return a table of all stages and tasks: the last check, visible points, hints taken.

    It has a column for the points of all checks only if hidden checks were run for a task.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("task")
    table.add_column("last check")
    table.add_column("visible points", justify="right")
    table.add_column("hints")
    stages = tuple(stages)
    full = any(_has_full_checks(stage) for stage in stages)
    if full:
        table.add_column("all checks", justify="right")
    for stage in stages:
        title = Text(stage_title(stage.stage), style="bold")
        table.add_row(title, "", f"{stage.score:g} of {stage.max_score}", "")
        for task in stage.tasks:
            note = ""
            if stage.stage.is_elective(task.task):
                note = " (elective)"
            table.add_row(*_progress_row(task, note, full=full))
    return Group(table, "", Text(grade_note_of(stages[0].stage, TERMINAL)))


def _has_full_checks(stage: StageProgress) -> bool:
    """Return whether the hidden checks were run for a task of the stage."""
    return any(task.full for task in stage.tasks)


def _progress_row(task: TaskProgress, note: str, *, full: bool) -> Iterator[RenderableType]:
    """Yield the cells of a task's row; with `full`, also a cell for the points of all checks."""
    status, words = task.status
    yield Text(f"  {task.number} {task.task.title}{note}")
    yield Text(f"{status.mark} {words}", style=STYLES[status])
    yield task.points
    yield task.help
    if full and task.full:
        yield f"{task.full.score:g} of {task.task.points}"
    elif full:
        yield ""


def stage_bar(progress: StageProgress, *, outdated: bool = False) -> RenderableType:
    """Return the points that the visible checks give, as a bar and in words.

    An `outdated` bar is dim, because it shows the points before an error.
    """
    if outdated:
        return Text(f"{progress.bar}  {progress.points}, before this error", style="dim")
    return Text.assemble((progress.bar, "green"), f"  {progress.points}")


def task_line(task: TaskProgress) -> RenderableType:
    """Return a line with the task's last check."""
    status, words = task.status
    return Text(f"{status.mark} {task.number} {task.task.title}: {words}", style=STYLES[status])


def stage_glance(progress: StageProgress) -> RenderableType:
    """Return a stage's points as a bar, and a line per task."""
    title = Text(stage_title(progress.stage), style="bold")
    return Group(title, stage_bar(progress), "", *map(task_line, progress.tasks))


def overview(stages: Iterable[StageProgress], folder: Path) -> Iterator[RenderableType]:
    """Yield where the workspace is, and a line per stage: how many of its tasks are done."""
    yield whole_line(("Hearts", "bold"), f"  {folder}\n")
    table = _grid("left", "left", "right")
    for stage in stages:
        bar = "■" * stage.done + "□" * (len(stage.tasks) - stage.done)
        done = f"{stage.done} of {len(stage.tasks)} tasks"
        table.add_row(Text(f"  {stage_title(stage.stage)}"), Text(bar, style="green"), done)
    yield table


def started_text(started: StartedWorkspace) -> Iterator[RenderableType]:
    """Yield what `hearts start` did with each file, what has changed, and what to do next.

    A new workspace has many files, so only its top level is named.
    """
    yield whole_line(("Your workspace", "bold"), f"  {started.root}\n")
    if started.note:
        yield note_text(started.note)
    added: Sequence[str] = started.added
    if not (started.kept or started.replaced or started.beside):  # the workspace is new
        added = _top_level(started.added)
    for action, names in (
        ("added", added),
        ("replaced, because you had not changed them", started.replaced),
        ("changed by you, so the new text is in NAME.new", started.beside),
        ("kept as they are", started.kept),
    ):
        if len(names) > MANY_FILES:
            yield Text(f"  {action}: {len(names)} files")
        elif names:
            yield Text(f"  {action}: {', '.join(names)}")
    for stage, lines in started.changes.items():
        yield Text.assemble(("\nWhat has changed", "bold"), f"  {stage}\n")
        yield from (Text(f"  {line}") for line in lines)
    yield from left_text(len(started.left))
    yield ""
    yield command_line("Begin with", str(started.root / README))
    yield command_line("Then, in that folder", "hearts")


def loaded_text(work: Path, replaced: Mapping[str, str]) -> Iterator[RenderableType]:
    """Yield which files came from a zip of work, and where the replaced files are now."""
    names = [name for name in replaced if not name.startswith(".")]
    yield whole_line(("Your work", "bold"), f"  from {work.name}: {', '.join(names)}")
    for name, former in replaced.items():
        if former:
            yield Text(f"  the former {name} is now {former}")


def _top_level(names: Iterable[str]) -> list[str]:
    """Return the files and folders at the top of the workspace, the files first."""
    tops: dict[str, None] = {}  # each first part of a path once, in the order of `names`
    for name in names:
        first, slash, _ = name.partition("/")
        tops[first + slash] = None
    return sorted(tops, key=_is_folder)


def _is_folder(name: str) -> bool:
    """Return whether this is a folder's name; as a sort key, it puts folders last."""
    return name.endswith("/")


def left_text(stages: int) -> Iterator[RenderableType]:
    """Yield a line that says how many stages will be added later; yield nothing for 0."""
    if stages:
        come = f"{stages} more {agreeing(stages, 'stage comes', 'stages come')}"
        yield Text(f"  {come} as you go on, or at once with `hearts next`.", style="dim")


def opened_text(stages: Iterable[Stage]) -> Iterator[RenderableType]:
    """Yield a line for each stage that was added to the workspace."""
    for stage in stages:
        yield command_line(f"New: {stage_title(stage)}", f"briefs/{stage.name}.md")
        if stage.bare:
            yield command_line("  The fast lane", f"hearts start --bare {stage.name}")


def packed_text(
    packed: PackedWork, work: StageWork, root: Path, receipt: str
) -> Iterator[RenderableType]:
    """Yield where the zip is, what it holds, its receipt, and what to do with it.

    This tool cannot hand in the zip. So the last line says where to hand it in, unless the stage is
    for self-study.
    """
    yield ""
    yield command_line("Packed", packed.path.relative_to(root).as_posix())
    again = ""
    if not packed.new:
        again = ", the same as before"
    yield f"  It holds {work.where}{again}."
    if read_answers(root, work.stage):
        yield f"  It also holds what {ANSWERS} has about this stage."
    elif work.stage.manual and (root / ANSWERS).is_file():
        heading = f"## {work.stage.name}"
        yield f"  {ANSWERS} has nothing below the heading `{heading}`, so it is left out."
    if packed.more:
        yield f"  It also holds {listed(packed.more)}, for a person to read."
    if packed.earlier:
        yield f"  It also holds the program of your {listed(packed.earlier)}, on which it builds."
    if packed.former:
        former = packed.former.relative_to(root).as_posix()
        yield f"  The zip that you packed before is now {former}."
    if not work.stage.for_self_study:
        yield f"  Receipt: {receipt}. Your feedback shows the same letters for what was graded."
        yield "  Hand it in where your course collects this stage."
