"""Commands for students, and `hearts` without a command.

A task's blanks are the definitions that the starter leaves unwritten.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import RenderableType

from hearts_course.cli.common import PATH, say, screen, warn
from hearts_course.course import Course, Stage, Task
from hearts_course.errors import CourseError, UsageError
from hearts_course.notebook import scripts
from hearts_course.python_source import defines
from hearts_course.results import Result, Status, score_stage
from hearts_course.student import terminal
from hearts_course.student.packing import pack_work, packed_before, read_back
from hearts_course.student.progress import (
    StageProgress,
    check_what_changed,
    course_progress,
    current_stage,
    next_hint,
    stage_progress,
    task_hints,
    unproven_note,
)
from hearts_course.student.report import FULL, TERMINAL, report_on, stage_title
from hearts_course.student.state import StudentState
from hearts_course.student.work import (
    Form,
    StageWork,
    differing_files,
    extract_work,
    find_work,
    whole_program,
)
from hearts_course.student.work_checks import check_work, write_feedback
from hearts_course.student.workspace import (
    Workspace,
    add_stages,
    find_root,
    find_workspace,
    holds_course,
    locate,
    need_workspace,
    next_stages,
    open_stages,
    refuse_unsuitable,
    start_bare,
    start_workspace,
)
from hearts_course.submissions.model import STILL_STARTER
from hearts_course.text import listed

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
TO_COME = "not in the workspace yet"
RELOAD = "if the notebook is open in Jupyter, reload it from disk"
JOB_SUMMARY = "GITHUB_STEP_SUMMARY"  # the variable with the path of GitHub's job summary file
Command = TypeVar("Command", bound=Callable[..., Any])

workspace_option = click.option(
    "--dir",
    "folder",
    type=PATH,
    help="Your workspace; default: the one you are in.",
)


def form_options(command: Command) -> Command:
    """Add the options `--py` and `--notebook`, which set the argument `form`."""
    for form, name in ((Form.PY, ".py file"), (Form.NOTEBOOK, "notebook")):
        option = click.option(f"--{form}", "form", flag_value=form.value, help=f"Use the {name}.")
        command = option(command)
    return command


def form_of_option(value: str | None) -> Form | None:
    """Return the form that the user chose; None if the user gave no option and the files decide."""
    if value is None:
        return None
    return Form(value)


@click.command()
@click.argument("folder", metavar="[DIR]", type=PATH, required=False)
@click.option("--all", "everything", is_flag=True, help="Add all stages now, not one by one.")
@click.option("--bare", metavar="STAGE", help="Begin STAGE without the outline of its free tasks.")
@click.option(
    "--work",
    metavar="ZIP",
    type=FILE,
    help="Put in your work from the zip of `save_work()` or `submit`; rename what it replaces.",
)
@click.pass_obj
def start(
    course: Course, folder: Path | None, everything: bool, bare: str | None, work: Path | None
) -> None:
    """Make a workspace in DIR, or update it: add what is missing and what was corrected.

    It begins with the first stage. A stage is added when all that it builds on passes. Without
    DIR: update the workspace that you are in.

    A file that you changed stays, and its new text is put beside it as NAME.new. A program that
    you have begun is never touched.
    """
    folder = folder or find_root(Path.cwd())
    if folder is None:
        raise click.UsageError("name a folder for it, such as `hearts start my-hearts`")
    stage = None
    if bare:  # an unknown name must fail before anything is written
        stage = course.stage(bare)
    if work:
        from hearts_course.student.saved import load_everything

        refuse_unsuitable(course, folder)
        replaced = load_everything(course, folder, work.read_bytes())
        say(*terminal.loaded_text(work, replaced))
    started = start_workspace(course, folder, everything=everything)
    if stage is None:
        say(*terminal.started_text(started))
        return
    paths = start_bare(need_workspace(course, folder), stage)
    click.echo(f"{listed(path.name for path in paths)}: a bare start of {stage.name}")
    say(terminal.command_line("The given outline instead", f"hearts reset {stage.name}"))


@click.command("next")
@click.argument("name", metavar="[STAGE]", required=False)
@workspace_option
@click.pass_obj
def next_stage(course: Course, name: str | None, folder: Path | None) -> None:
    """Add the next stage, or STAGE, to your workspace before its turn has come."""
    workspace = open_workspace(course, folder)
    if name:
        stages: Sequence[Stage] = [course.stage(name)]
        subject = f"{stages[0].name} is"
    else:
        stages = next_stages(workspace)
        subject = "All stages are"
    needed = course.with_prerequisites(stages)
    missing = [stage for stage in needed if stage not in workspace.stages]
    if not missing:
        click.echo(
            f"{subject} in your workspace; `hearts start .` puts back a file that is missing."
        )
        return
    add_stages(workspace, missing)
    say(*terminal.opened_text(missing))


@click.command()
@click.argument("first", metavar="[STAGE]", required=False)
@click.argument("second", metavar="[TASK]", required=False)
@click.option("--full", is_flag=True, help="Run the hidden checks too, where they are installed.")
@form_options
@workspace_option
@click.pass_obj
def check(
    course: Course,
    first: str | None,
    second: str | None,
    full: bool,
    form: str | None,
    folder: Path | None,
) -> int:
    """Run the visible checks of a stage, or of one task.

    Without a stage: the one you are working on. Give a task's id, or a stage and the task's number.
    Exit status: 0 if every check passes, 1 if not.
    """
    workspace = open_workspace(course, folder)
    stage, task = locate(course, first, second, here=lambda: current_stage(workspace))
    work = find_work(workspace.root, stage or current_stage(workspace), form_of_option(form))
    passed = _check(workspace, work, task, full=full)
    say(*_to_extract(workspace, work, passed))
    return int(not passed)


@click.command()
@click.argument("name", metavar="[STAGE]", required=False)
@workspace_option
@click.pass_obj
def watch(course: Course, name: str | None, folder: Path | None) -> None:
    """Check whenever you save a file, and show the first thing to fix.

    Without a stage: the one you are working on.
    """
    from hearts_course.cli import run
    from hearts_course.student.keyboard import Keyboard
    from hearts_course.student.stage_checks import Quit
    from hearts_course.student.watch import POLL_SECONDS, Watch

    workspace = open_workspace(course, folder)
    console = screen()

    def show(renderable: RenderableType) -> None:
        """Clear the screen and show the renderable."""
        console.clear()
        console.print(renderable, crop=False)

    stage = _stage_here(workspace, name)
    with Keyboard(sys.stdin) as keyboard, suppress(Quit):
        watching = Watch(workspace, stage, show=show, asked=keyboard.has_key)
        try:
            key = ""
            changed = True
            while key != "q":
                if changed:
                    show(watching.screen())
                key = keyboard.read(POLL_SECONDS)
                changed = watching.press(key) or watching.poll()
                if not (key or changed):
                    changed = watching.check_rest()
                if key and (command := watching.screen().commands().get(key)):
                    _, arguments = command
                    console.clear()
                    with keyboard.paused():
                        run([*arguments, "--dir", str(workspace.root)], course)
                    console.print("Any key goes back.", style="dim")
                    while not keyboard.read(1.0):
                        pass
                    changed = True
        finally:
            watching.close()


@click.command()
@click.argument("first", metavar="[STAGE]", required=False)
@click.argument("second", metavar="TASK", required=False)
@click.option("--again", is_flag=True, help="Show only the hints that you have already seen.")
@workspace_option
@click.pass_obj
def hint(
    course: Course, first: str | None, second: str | None, again: bool, folder: Path | None
) -> None:
    """Show the next hint for a task; each hint says more than the one before."""
    workspace = open_workspace(course, folder)
    stage, task = locate(course, first, second, here=lambda: current_stage(workspace))
    if stage is None or task is None:
        raise UsageError(_which_task(workspace, stage or current_stage(workspace)))
    taken = workspace.state.hints.get(task.id, 0)
    if again:
        say(*map(terminal.hint_text, task_hints(stage, task)[:taken]))
        if not taken:
            say("No hint taken yet.")
        return
    following, new = next_hint(stage, task, taken)
    say(terminal.hint_text(following, new=new))
    if stage.for_self_study and following.number == following.total:
        say(terminal.command_line("See the solution", f"hearts compare {task.id} --give-up"))
    change_state(workspace, lambda state: state.with_hint(task, following.number))


@click.command()
@click.argument("first", metavar="[STAGE]", required=False)
@click.argument("second", metavar="TASK", required=False)
@click.option("--missing", is_flag=True, help="Put back only the cells that your notebook lacks.")
@form_options
@workspace_option
@click.pass_obj
def reset(
    course: Course,
    first: str | None,
    second: str | None,
    missing: bool,
    form: str | None,
    folder: Path | None,
) -> None:
    """Put the blanks of a task back, or the whole starter of a stage; keep the former text.

    The former text is kept beside the program, in a file such as `cards.py.before-reset`. For a
    task in a notebook, show the starter's cells to paste.
    """
    from hearts_course.student.reset import cells_to_paste, reset_work

    workspace = open_workspace(course, folder)
    stage, task = locate(course, first, second, here=lambda: current_stage(workspace))
    if stage is None:
        raise UsageError("name the task or the stage to begin again, as in `hearts reset TASK`")
    if missing:
        _put_back_missing(workspace.root / stage.notebook.name, stage)
        return
    work = find_work(workspace.root, stage, form_of_option(form))
    if task and work.form is Form.NOTEBOOK:
        say(*map(terminal.markdown_text, cells_to_paste(stage, task, work.paths[0])))
        return
    former = reset_work(work, task)
    subject = "the starter is"
    if task:
        subject = f"the blanks of {task.id} are"
    for path, backup in former.items():
        click.echo(f"{path.name}: {subject} back; your text is now in {backup.name}")
    if not former:
        click.echo(f"nothing to put back: {work.where} is as it was handed out")
    elif work.form is Form.NOTEBOOK:
        click.echo(RELOAD)


def _put_back_missing(path: Path, stage: Stage) -> None:
    """Put missing cells back into the stage's notebook, and say where the old notebook is kept."""
    from hearts_course.student.reset import put_back_missing

    titles, backup = put_back_missing(path, stage)
    if backup:
        click.echo(f"{path.name}: put back {listed(titles)}; {backup.name} is as it was before")
        click.echo(RELOAD)
    else:
        click.echo(f"{path.name} lacks no cell of the program")


@click.command()
@workspace_option
@click.pass_obj
def progress(course: Course, folder: Path | None) -> None:
    """Show every task: its last check and the hints taken."""
    say(terminal.progress_table(_progress_here(open_workspace(course, folder))))


def _progress_here(workspace: Workspace) -> list[StageProgress]:
    """Return the progress in the stages that are in the workspace."""
    stages = workspace.stages
    return [progress for progress in course_progress(workspace) if progress.stage in stages]


@click.command()
@click.argument("name", metavar="STAGE")
@click.argument("files", metavar="[FILE]...", type=FILE, nargs=-1)
@click.option("--anyway", is_flag=True, help="Pack the starter even if it is unchanged.")
@form_options
@workspace_option
@click.pass_obj
def submit(
    course: Course,
    name: str,
    files: tuple[Path, ...],
    anyway: bool,
    form: str | None,
    folder: Path | None,
) -> None:
    """Pack STAGE into a zip to hand in, and check what is in that zip.

    Each FILE is packed as well, for the person who reads your work.

    The receipt is ten letters that stand for what was packed. Your feedback shows the same
    letters if the grader read the same files.
    """
    workspace = open_workspace(course, folder)
    work = find_work(workspace.root, course.stage(name), form_of_option(form))
    if error := work.syntax_error():
        raise UsageError(f"{error}; fix it before you hand it in")
    if not (work.changed or anyway):
        unread = _unread(workspace, work) or f"{work.where}: {STILL_STARTER}; write a task first"
        raise UsageError(f"{unread}, or add --anyway")
    *earlier, _ = whole_program(course, workspace.root, work)
    packed = pack_work(workspace.root, work, earlier, files)
    read = read_back(packed, work.stage)
    note = work.note
    if not anyway:  # a student who adds --anyway has read the note already
        note = note or read.note
    _check(workspace, replace(work, modules=read.modules, note=note), details=False)
    say(*terminal.packed_text(packed, work, workspace.root, read.receipt))


@click.command()
@click.argument("names", metavar="STAGE...", nargs=-1, required=True)
@workspace_option
@click.pass_obj
def extract(course: Course, names: tuple[str, ...], folder: Path | None) -> None:
    """Write the program in the stage's notebook as .py files, to run or import it.

    A file with other work of yours is never replaced.
    """
    root = open_workspace(course, folder).root
    for name in names:
        work = find_work(root, course.stage(name), Form.NOTEBOOK)
        paths = extract_work(root, work)
        click.echo(f"wrote {listed(path.name for path in paths)} from {work.where}")


@click.command()
@click.argument("names", metavar="[STAGE]...", nargs=-1)
@click.option(
    "--out",
    metavar="FILE",
    default="result.json",
    type=PATH,
    help="Where to write; default: `result.json` in the workspace.",
)
@workspace_option
@click.pass_obj
def result(course: Course, names: tuple[str, ...], out: Path, folder: Path | None) -> None:
    """Run the visible checks of all stages, or of the given ones, and write result.json.

    Classroom 50 reads that file: schema classroom50/result/v1. Exit status: 0 whatever the score.
    """
    import os

    from hearts_course.files import digest, write_whole
    from hearts_course.reports.classroom50 import Provenance, classroom50

    workspace = need_workspace(course, folder or Path.cwd())
    stages = [course.stage(name) for name in names] or list(course.stages)
    results = list(_results(workspace, stages))
    assignment = "hearts"
    if len(stages) == 1:
        assignment = stages[0].name
    work = digest(*(f"{result.stage} {result.score}" for result in results))
    here = Provenance.of_digest(assignment, workspace.root.name, work, _commit_time(workspace.root))
    document = classroom50(results, here.with_environment(os.environ))
    path = write_whole(workspace.root / out, document)
    lines = [f"{result.stage}: {result.score:g} of {result.max_score} points" for result in results]
    click.echo("\n".join([*lines, f"wrote {path}"]))
    if page := os.environ.get(JOB_SUMMARY):
        with Path(page).open("a", encoding="utf-8") as file:
            file.write("".join(f"- {line}\n" for line in ["visible checks only", *lines]))


def _results(workspace: Workspace, stages: Sequence[Stage]) -> Iterator[Result]:
    """Yield the result of each stage.

    A stage has no points if its program cannot be read, or if it is not in the workspace yet.
    """
    for stage in stages:
        if stage not in workspace.stages:
            yield score_stage(stage, "", {}, sandbox="none", message=TO_COME, status=Status.MISSING)
            continue
        try:
            work = find_work(workspace.root, stage)
            yield check_work(workspace.course, workspace.root, work)
        except UsageError as error:
            warn(str(error))
            status = Status.UNREADABLE
            yield score_stage(stage, "", {}, sandbox="none", message=str(error), status=status)


def _commit_time(folder: Path) -> str:
    """Return the time of the commit that is checked out in the folder.

    So the results of one commit have the same time whenever they are made. If git or the commit is
    missing, return the present time.
    """
    import subprocess
    from datetime import UTC, datetime

    command = ["git", "-C", str(folder), "show", "-s", "--format=%ct", "HEAD"]
    try:
        seconds = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        time = datetime.fromtimestamp(int(seconds), UTC)
    except (OSError, ValueError, subprocess.CalledProcessError):
        time = datetime.now(UTC)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def open_workspace(course: Course, folder: Path | None) -> Workspace:
    """Return the workspace that is found from `folder`, by default from the current folder.

    Warn if the file with its state was damaged.
    """
    workspace = need_workspace(course, folder or Path.cwd())
    if workspace.note:
        warn(workspace.note)
    return workspace


def _stage_here(workspace: Workspace, name: str | None) -> Stage:
    """Return the stage of that name; without a name, the stage that the student works on."""
    if name:
        return workspace.course.stage(name)
    return current_stage(workspace)


def _check(
    workspace: Workspace,
    work: StageWork,
    task: Task | None = None,
    *,
    details: bool = True,
    full: bool = False,
) -> bool:
    """Run the checks, then show and remember their result. Return whether all of them pass.

    With `full`, run the hidden checks too and, if no `task` is given, write the stage's feedback
    page.
    """
    from hearts_course.student.brief_examples import examples_in_work

    say(*map(terminal.note_text, filter(None, (work.note, _unread(workspace, work)))))
    course = workspace.course
    root = workspace.root
    tasks = list(filter(None, [task]))
    with _status_of_check(full):
        result = check_work(course, root, work, tasks, full=full)
        examples = examples_in_work(course, root, work, result)
    page = ""
    if full and task is None:
        page = write_feedback(course, root, work, result)
    report = report_on(
        work.stage,
        result,
        where=work.where,
        commands=TERMINAL,
        task=task,
        if_wrong=lambda: unproven_note(workspace, work.stage, TERMINAL),
        state=workspace.state,
        page=page,
        examples=examples,
    )
    say(terminal.report_text(report, details=details))
    change_state(workspace, lambda state: state.with_checks(result, work.digest))
    say(*terminal.opened_text(_opened(workspace)))
    return report.passed


def _status_of_check(full: bool) -> AbstractContextManager[object]:
    """Return a context manager. For a full check, which takes longer, it shows "Checking ..."."""
    if full:
        return screen().status("Checking ...")
    return nullcontext()


def _opened(workspace: Workspace) -> tuple[Stage, ...]:
    """Add the stages whose turn has come, and return them.

    Only warn if the folder cannot be written, because the check itself has not failed.
    """
    try:
        return open_stages(workspace)
    except CourseError as error:
        warn(f"the next stage could not be added: {error}")
        return ()


def change_state(workspace: Workspace, change: Callable[[StudentState], StudentState]) -> None:
    """Change the state; if it cannot be written, warn and go on."""
    try:
        workspace.update_state(change)
    except CourseError as error:
        warn(f"your checks and hints are not remembered: {error}")


def _unread(workspace: Workspace, work: StageWork) -> str:
    """Return a note if the program is still the starter, but another file may hold the work.

    Return "" otherwise. Without the note, the student would only read that nothing is written yet.
    """
    if work.changed:
        return ""
    from hearts_course.submissions.read import unread_programs

    unread = unread_programs([path.name for path in workspace.root.iterdir()], work.stage)
    return unread and f"{work.where}: {STILL_STARTER}; {unread}"


def _to_extract(workspace: Workspace, work: StageWork, passed: bool) -> Iterator[RenderableType]:
    """Yield a note if `python` would run or import .py files that differ from the notebooks.

    If the stage's own program is a notebook, yield the note only if all checks pass and the program
    can be run as a script.
    """
    if work.form is Form.NOTEBOOK and not (passed and scripts(work.stage)):
        return
    stages: list[str] = []
    files: list[str] = []
    for used in whole_program(workspace.course, workspace.root, work):
        if differing := differing_files(workspace.root, used):
            stages.append(used.stage.name)
            files += differing
    if files:
        yield terminal.note_text(
            f"your notebook's program is not in {listed(files)}, which `python` would use: "
            f"`hearts extract {' '.join(stages)}` writes it"
        )


def _which_task(workspace: Workspace, stage: Stage) -> str:
    """Return a message that asks for a task's name, with the next task as the example."""
    example = stage.tasks[0]
    if following := stage_progress(workspace.state, stage).next:
        example = following.task
    ids = ", ".join(stage.task_ids)
    return f"name a task of {stage.name}, as in `hearts hint {example.id}`: {ids}"


def show_status(context: click.Context) -> None:
    """Print what is done in the workspace of the current folder, and the next command to run.

    In a checkout of the course, print all commands. Anywhere else, print how to begin.
    """
    here = Path.cwd()
    if workspace := find_workspace(context.obj, here):
        say(*_status_lines(workspace))
    elif any(holds_course(folder) for folder in (here, *here.parents)):
        say("You are in the course itself, where stages are made and classes are graded.", "")
        click.echo(context.get_help())
    else:
        say("Hearts: write a card game in Python, stage by stage.", "")
        say(terminal.command_line("Start", "hearts start my-hearts"))
        say(terminal.command_line("All commands", "hearts --help"))


def _status_lines(workspace: Workspace) -> Iterator[RenderableType]:
    """Yield the stages and their tasks as they are now, and what to do next.

    Programs that were changed are checked first, because their old status may be wrong. At the end
    of a stage, also yield how to hand it in, and the next task of another stage.
    """
    if workspace.note:
        yield terminal.note_text(workspace.note)
    with screen().status("Checking what has changed since the last check ..."):
        current = check_what_changed(workspace)
    checks = current.workspace.state.checks
    if checks != workspace.state.checks:
        change_state(workspace, lambda state: replace(state, checks={**state.checks, **checks}))
    opened = _opened(workspace)
    # The state's file has the stages that were just added, but it may lack the new checks.
    saved_state = need_workspace(workspace.course, workspace.root).state
    state = replace(current.workspace.state, given=saved_state.given)
    workspace = replace(current.workspace, state=state)
    stages = _progress_here(workspace)
    yield from terminal.overview(stages, workspace.root)
    yield from terminal.left_text(len(workspace.course.stages) - len(stages))
    yield ""
    if opened:
        yield from terminal.opened_text(opened)
        yield ""
    progress = stage_progress(workspace.state, current_stage(workspace))
    stage = progress.stage
    if error := current.errors.get(stage.name):
        yield terminal.error_text(error)
        yield terminal.command_line("Fix this first, then", f"hearts check {stage.name}")
        return
    if progress.next is None:
        yield f"{stage_title(stage)}: every visible check passes."
        if stage.is_playable:
            yield terminal.command_line("Play it", f"hearts play {stage.name}")
        yield _hand_in(workspace, stage)
        progress = _unfinished(stages, stage) or progress
    yield from _next_task(workspace, progress)


def _unfinished(stages: Sequence[StageProgress], after: Stage) -> StageProgress | None:
    """Return the first stage, from the stage `after` on, that has a task to do.

    If there is none, return the first of all `stages` that has a task to do, or else None.
    """
    later = dropwhile(lambda shown: shown.stage != after, stages)
    for progress in (*later, *stages):
        if progress.next:
            return progress
    return None


def _hand_in(workspace: Workspace, stage: Stage) -> RenderableType:
    """Return the last step of the stage: hand it in, or in self-study run the hidden checks.

    If the work was packed and has not changed since, name the zip to hand in.
    """
    if stage.for_self_study:
        return terminal.command_line("Check all of it", FULL[TERMINAL].format(stage.name))
    with suppress(UsageError):  # `hearts submit` says what is missing
        work = find_work(workspace.root, stage)
        *earlier, _ = whole_program(workspace.course, workspace.root, work)
        if packed := packed_before(workspace.root, work, earlier):
            return f"  It is packed: hand in {packed.relative_to(workspace.root).as_posix()}."
    return terminal.command_line("Hand it in", f"hearts submit {stage.name}")


def _file_of(workspace: Workspace, stage: Stage, task: Task) -> str:
    """Return the name of the file in which the student writes the task.

    If the program is in .py files, this is the file with the task's blanks. Before the student has
    written anything, name both that file and the notebook.
    """
    changed = False
    form = Form.PY
    with suppress(UsageError):  # `hearts check` says what is missing
        work = find_work(workspace.root, stage)
        changed = work.changed
        form = work.form
    notebook = f"{stage.name}.ipynb"
    modules = stage.starter().items()
    files = [f"{module}.py" for module, text in modules if defines(text, task.blanks)]
    file = (files or stage.files)[0]
    if not changed:
        return f"{file}, or in {notebook}"
    if form is Form.NOTEBOOK:
        return notebook
    return file


def _next_task(workspace: Workspace, progress: StageProgress) -> Iterator[RenderableType]:
    """Yield the next task of a stage, and the commands for it in the order of their use.

    Offer `hearts predict` only while a question is unanswered. If no task is left, yield nothing.
    """
    following = progress.next
    if following is None:
        return
    from hearts_course.student import quiz

    stage = progress.stage
    where = _file_of(workspace, stage, following.task)
    yield f"Next is task {following.number}, {following.task.title}, in {where}."
    yield terminal.command_line("Read", f"briefs/{stage.name}.md")
    to_predict: list[Task | None] = [following.task]
    if following.number == 1:  # the questions before the stage come first
        to_predict.insert(0, None)
    for task in to_predict:
        asked = quiz.questions_before(workspace.course, workspace.state, stage, task)
        if all(question.key in workspace.state.predicted for question in asked):
            continue
        if task:
            yield terminal.command_line("Predict", f"hearts predict {task.id}")
        else:
            yield terminal.command_line("Warm up", f"hearts predict {stage.name}")
    yield terminal.command_line("Check it", f"hearts check {following.task.id}")
    yield terminal.command_line("A hint", f"hearts hint {following.task.id}")
