"""What students call in a notebook: `check`, `hint`, `predict`, `explain` and the others.

To nbgrader, a cell that raises an error or prints on stderr has failed. So these functions do
neither, and `check` returns a number. The exception is nbgrader's Validate, which shows only
errors: there, a failed check raises NotYet.
"""

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr, suppress
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Group, RenderableType

from hearts_course.course import Stage, Task, find_course, pick
from hearts_course.edition import as_calls
from hearts_course.errors import CourseError, UsageError
from hearts_course.questions import Question, load_questions
from hearts_course.student import page, quiz, terminal
from hearts_course.student.house_rules import house_rules
from hearts_course.student.live import notebook_finder
from hearts_course.student.notebook_check import check_notebook
from hearts_course.student.progress import next_hint, stage_progress, unproven_note
from hearts_course.student.report import NOTEBOOK, report_on
from hearts_course.student.session import NotebookSession
from hearts_course.student.state import StudentState
from hearts_course.student.workspace import (
    Workspace,
    find_root,
    find_workspace,
    given_digests,
    open_stages,
)
from hearts_course.submissions.model import STILL_STARTER
from hearts_course.text import count_of, listed, make_stdout_tolerant

if TYPE_CHECKING:
    from hearts_course.tournament.here import SmallTournament

T = TypeVar("T")
NOT_THE_GRADE = (
    "This is not the grade: a check in the notebook runs only the visible tests, and not in the "
    "sandbox. `hearts grade` gives the grade."
)
NO_FILES = (
    "Python cannot read or keep files in this browser, so `submit`, `save_work`, `load_work` and "
    "later notebooks do not find your work. Open the site at an address that begins with https, "
    "not in a private window, and load this page again"
)
NO_WIDGETS = "the card table needs anywidget; `pip install 'hearts-course[notebook]'`"


class NotYet(Exception):
    """A failed check, as the error that nbgrader's Validate shows."""

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows instead of a traceback."""
        return str(self).rstrip().split("\n")


class Points(float):
    """Points that a notebook does not show below a check, because the report shows them."""

    def _ipython_display_(self) -> None:
        """Show nothing."""


@cache
def _session() -> NotebookSession:
    """Return this process's session; one is enough, because each notebook has its own kernel."""
    return NotebookSession(find_course())


# Install the finder on import, so that a notebook can import the program of an earlier notebook
# even before `work_on`. If the course's files are missing, the first call of a function says so.
with suppress(CourseError):
    notebook_finder(find_course())


def work_on(stage: str) -> None:
    """Say which stage this notebook is about. The notebook's cells make up the stage's modules.

    From then on, `from table import Deal` imports this notebook's own `Deal` if the stage has the
    module `table`. A check looks at the cells as they were last run.
    """
    names = _names(sys._getframe(1).f_globals)
    _guarded(lambda: _session().open(stage, names, _shell()))
    _guarded(_refuse_without_files)
    _guarded(lambda: _note_correction(stage))


def check(task: str = "", *, full: bool = False) -> float:
    """Run the visible checks of a task on this notebook's own code, and return the points.

    A number means the task with that number in this notebook's stage. Without a task, check the
    whole stage. If the task belongs to another stage, the saved program of that stage is checked.
    `full` runs the hidden checks too, where they are installed.
    """
    names = _names(sys._getframe(1).f_globals)
    if os.environ.get("NBGRADER_EXECUTION") == "autograde":
        print(NOT_THE_GRADE)
    points = _guarded(lambda: _check(task, names, full=full)) or 0.0
    if _is_run_by_nbgrader():  # nbgrader uses the number as the cell's score
        return points
    return Points(points)


def hint(task: str = "") -> None:
    """Show the task's next hint; each hint says more than the one before."""
    _guarded(lambda: _hint(task))


def reset(task: str = "", *, missing: bool = False) -> None:
    """Show the starter's cells of a task, or of a stage, for you to paste; nothing is changed.

    With `missing`, put cells that the saved notebook lacks back into it.
    """
    if missing:
        _guarded(lambda: _put_back_missing(task))
    else:
        _guarded(lambda: _reset(task))


def predict(task: str = "", answers: str = "", *, run: bool = False) -> None:
    """Ask what code shows, before you write the task or stage; `answers` are letters: "bac".

    With `run`, show what this notebook's own program answers; the task must pass first.
    """
    names = _names(sys._getframe(1).f_globals)
    if run:
        _guarded(lambda: _run_questions(task, names))
    else:
        _guarded(lambda: _predict(task, answers))


def catch(stage: str = "", *calls: int) -> None:
    """Show the stage's page of calls; with three numbers, show which mistakes these calls find."""
    _guarded(lambda: _catch(stage, calls))


def explain(stage: str = "", answers: str = "") -> None:
    """Ask up to two questions about this notebook's program; with `answers`, say which are right.

    The answers are letters: "ba" answers the first question with b and the second with a. While
    nbgrader runs the notebook, do nothing.
    """
    names = _names(sys._getframe(1).f_globals)
    if not _is_run_by_nbgrader():
        _guarded(lambda: _explain(stage, answers, names))


def compare(task: str = "", *, give_up: bool = False) -> None:
    """Show this notebook's own definitions beside the course's, for a task or a whole stage.

    With `give_up`, show a task's solution even before the task passes, but only after its last
    hint.
    """
    names = _names(sys._getframe(1).f_globals)
    _guarded(lambda: _compare(task, names, give_up=give_up))


def progress(stage: str = "") -> None:
    """Show the stage's points, and each task's last check and hints."""
    _guarded(lambda: _progress(stage))


def variant(student: str, stage: str = "") -> None:
    """Show the house rules of the student with this id, for one stage or for all stages."""
    _guarded(lambda: _variant(student, stage))


def submit(stage: str = "", *files: str) -> None:
    """Pack the saved notebook of the stage into a zip to hand in, and offer it as a download.

    The named files are packed as well, for the person who reads your work.
    """
    names = _names(sys._getframe(1).f_globals)
    _guarded(lambda: _submit(stage, names, files))


def save_work() -> None:
    """Pack all work of this course into a zip, and offer it as a download."""
    _guarded(_save_work)


def load_work() -> None:
    """Ask for a zip that `save_work` or `submit` made, and put its files into their places."""
    _guarded(_load_work)


def show_hand(cards: Iterable[object]) -> None:
    """Show a hand, or any cards, as faces; `str` must give each card's code, such as "QS"."""
    _guarded(lambda: _show_hand(cards))


def show_table(module: str = "", seed: int | None = None, against: str = "cautious") -> None:
    """Show the card table of this notebook's own program, or of the module called `module`.

    With the same seed, the same deals come again. `against` names the computer's players: `random`,
    `cautious`, `counter` or `sampler`.
    """
    names = _names(sys._getframe(1).f_globals)
    _guarded(lambda: _show_table(module, names, seed, against))


def hold_tournament(
    *players: Any, deals: int = 10, book: str = "ESTELL", seed: str = "1"
) -> "SmallTournament | None":
    """Let players play against each other, and return the report.

    Each deal is played from every seat. A player is an object with the methods `pass_cards` and
    `play`, or a function that makes such an object for each deal. It may also be the name of one of
    the course's players: `random`, `cautious`, `counter` or `sampler`.
    """
    names = _names(sys._getframe(1).f_globals)
    return _guarded(lambda: _hold_tournament(players, names, deals, book, seed))


def _hold_tournament(
    players: tuple[Any, ...], names: Mapping[str, Any], deals: int, book: str, seed: str
) -> "SmallTournament":
    """Play the tournament; its modules are imported only when somebody plays."""
    from hearts_course.tournament.here import play_tournament

    return play_tournament(players, names, deals, book, seed)


def _show_table(module: str, names: Mapping[str, Any], seed: int | None, against: str) -> None:
    """Show the card table of a program.

    Raise UsageError if the program cannot show a game, if `against` is not a computer player, if
    anywidget is not installed, or if this is not a notebook.
    """
    from hearts_course.view.players import Chance, Opponent
    from hearts_course.view.sitting import Sitting

    chance = Chance(seed)
    chance.opponent = pick(against, {kind.value: kind for kind in Opponent}, "computer player")
    if module:
        names = _imported(module)
    sitting = Sitting(names, chance)
    try:
        from hearts_course.view.widget import CardTable
    except ImportError:
        raise UsageError(NO_WIDGETS) from None
    if _shell() is None:
        raise UsageError("a table is shown in a notebook only; `hearts play --table` opens one")
    from IPython.display import display

    display(CardTable(sitting))


def _show_hand(cards: Iterable[object]) -> None:
    """Show the faces of the cards; raise UsageError for anything that is not a card.

    The codes come from the student's own `__str__`, which may raise any error.
    """
    try:
        codes = list(map(str, cards))
        words = page.cards_text(codes)
    except Exception as error:
        raise UsageError(
            f"these cannot be shown as cards ({type(error).__name__}: {error})"
        ) from None
    _show(words, "text/html", page.cards_html(codes))


def _imported(module: str) -> Mapping[str, Any]:
    """Return the module's names; raise UsageError if importing it fails in any way."""
    try:
        return vars(importlib.import_module(module))
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"`{module}` cannot be imported ({reason}); `import {module}` in a cell shows where"
        ) from None


def _check(name: str, names: Mapping[str, Any], *, full: bool) -> float:
    """Check, show the report and return the points of the visible checks.

    While nbgrader validates the notebook, raise NotYet if points are missing.
    """
    stage, task = _session().find_task(name)
    done = check_notebook(_session(), stage, task, names, full=full)
    state = _load_state()
    _session().update_state(lambda state: state.with_checks(done.result, done.program))
    workspace = find_workspace(_session().course, Path.cwd())

    def if_wrong() -> str:
        """Return which earlier programs to check first; "" without a workspace."""
        if workspace is None:
            return ""
        return unproven_note(workspace, stage, NOTEBOOK)

    report = report_on(
        stage,
        done.result,
        where=done.where,
        commands=NOTEBOOK,
        task=task,
        notes=tuple(map(as_calls, done.notes)),
        if_wrong=if_wrong,
        unsaved=as_calls(done.unsaved),
        state=state,
        page=done.page,
        examples=done.examples,
    )
    text = terminal.report_text(report)
    _show(text, "text/html", page.report_html(report))
    if workspace:
        _show_opened(workspace)
    if _validating() and report.score < report.max_score:
        raise NotYet(terminal.without_colour(text))
    return float(min(max(report.score, 0), report.max_score))


def _show_opened(workspace: Workspace) -> None:
    """Add to the workspace the stages that the checks have opened, and show their names."""
    opened: tuple[Stage, ...] = ()
    with suppress(CourseError, OSError):  # a check must not fail because a folder is read-only
        opened = open_stages(workspace)
    if opened:
        _show_markdown(page.opened_markdown(opened))


def _hint(name: str) -> None:
    """Show the next hint, and remember it; raise UsageError if no task is named."""
    stage, task = _session().find_task(name)
    if task is None:
        tasks = ", ".join(stage.task_ids)
        raise UsageError(f'say which task, as in hint("{stage.tasks[0].id}"): {tasks}')
    following, new = next_hint(stage, task, _load_state().hints.get(task.id, 0))
    _session().update_state(lambda state: state.with_hint(task, following.number))
    markdown = page.hint_markdown(following, new=new)
    _show(terminal.hint_text(following, new=new), "text/markdown", markdown)
    if stage.for_self_study and following.number == following.total:
        _show_markdown(f'Or see the solution: `compare("{task.id}", give_up=True)`')


def _note_correction(name: str) -> None:
    """Show a note if the notebook's text was corrected since it was handed out."""
    from hearts_course.student.reset import correction_note

    stage = _session().course.stage(name)
    path = _session().folder / stage.notebook.name
    if path.is_file() and (note := correction_note(stage, path, _load_state().given)):
        _show_markdown(note)


def _reset(name: str) -> None:
    """Show corrected texts and the starter's cells, and remember that the texts were seen.

    `work_on` announces a corrected text only until the student has seen it.
    """
    from hearts_course.student.reset import BRIEF_CELL, cells_to_paste, corrected_texts, seen_as

    stage, task = _session().find_task(name)
    path = _session().folder / stage.notebook.name
    texts: dict[str, str] = {}
    if path.is_file():
        texts = corrected_texts(stage, path, {})
    shown: list[str] = []
    seen: dict[str, str] = {}
    for name_of_cell, text in texts.items():
        if task is None or name_of_cell == f"{BRIEF_CELL}{task.id}":
            shown.append(f"*The corrected text:*\n\n{text}")
            seen[seen_as(stage, name_of_cell)] = text
    _show_markdown("\n\n".join([*shown, *cells_to_paste(stage, task, path)]))
    digests = given_digests(seen)
    _session().update_state(lambda state: replace(state, given={**state.given, **digests}))


def _put_back_missing(name: str) -> None:
    """Put missing cells back into the saved notebook, and show where the former notebook is."""
    from hearts_course.student.reset import put_back_missing

    stage, _ = _session().find_task(name)
    path = _session().folder / stage.notebook.name
    cells, former = put_back_missing(path, stage)
    if former is None:
        _show_markdown(f"{path.name} lacks no cell.")
    else:
        _show_markdown(
            f"{path.name} has {listed(cells)} again. Load this page again to see it. Your former "
            f"notebook is now {former.name}."
        )


def _variant(student: str, stage: str) -> None:
    """Show the rule books of this student, whose id may also be a number."""
    for text in house_rules(_session().course, str(student), stage):
        _show_markdown(text)


def _predict(name: str, answers: str) -> None:
    """Show questions, and the verdict on each answer.

    Without `answers`, show buttons if the notebook has them. If there are fewer letters than
    questions, they answer the first questions. Raise UsageError for too many letters.
    """
    stage, task = _session().find_task(name)
    questions = quiz.questions_before(_session().course, _load_state(), stage, task)
    letters = [letter for letter in answers if letter.isalnum()]
    if questions and not letters and _has_buttons():
        _ask_by_buttons(stage, task, questions)
        return
    if len(letters) > len(questions):
        raise UsageError(
            f"too many letters: {count_of(len(questions), 'question')}, "
            f"and {count_of(len(letters), 'answer')}"
        )
    shown = []
    for number, question in enumerate(questions, start=1):
        shown.append(quiz.question_text(question, number, len(questions)))
        if number <= len(letters):
            shown.append(_answered(question, letters[number - 1]))
    if len(letters) < len(questions):
        shown.append(quiz.how_to_answer(_asked_about(stage, task), len(questions)))
    elif questions or task is None:
        shown.append(_after_the_last(stage, task))
    _show_markdown("\n\n".join(filter(None, shown)) or "Nothing to predict here.")


def _asked_about(stage: Stage, task: Task | None) -> str:
    """Return the name of the task, or of the stage if there is no task, for a call of `predict`."""
    if task is None:
        return stage.name
    return task.id


def _after_the_last(stage: Stage, task: Task | None) -> str:
    """Return what to read or do after the last question before a stage or a task."""
    if task is None:
        return quiz.advice_text(stage, _load_state())
    if _load_state().passes(task):
        return f'Run it now on your own program: `predict("{task.id}", run=True)`'
    return ""


def _has_buttons() -> bool:
    """Return whether a person, and not nbgrader, runs a notebook that can show widgets."""
    has_notebook = getattr(_shell(), "kernel", None) is not None and not _is_run_by_nbgrader()
    return has_notebook and find_spec("ipywidgets") is not None


def _ask_by_buttons(stage: Stage, task: Task | None, questions: Sequence[Question]) -> None:
    """Show the questions with buttons, and how to answer with letters if buttons are not shown."""
    from hearts_course.student import buttons

    name = _asked_about(stage, task)
    how = quiz.how_to_answer(name, len(questions), "Click on a letter, or answer")
    buttons.ask(questions, _answered, how, lambda: _after_the_last(stage, task))


def _run_questions(name: str, names: Mapping[str, Any]) -> None:
    """Show what the code of a task's questions shows in this notebook's own program.

    Raise UsageError before the task passes.
    """
    from hearts_course.student.own_answers import own_answers

    stage, task = _session().find_task(name)
    state = _load_state()
    if task is None or not state.passes(task):
        raise UsageError("your program answers once the checks of the task pass; predict first")
    questions = quiz.questions_before(_session().course, state, stage, task)
    work, root = _session().work(stage, names), _session().folder
    answers = own_answers(_session().course, root, work, [asked.code for asked in questions])
    _show_markdown(quiz.own_answers_text(questions, answers))


def _answered(question: Question, letter: str) -> str:
    """Remember the answer with that letter, and return the verdict on it."""
    answer = quiz.answer_of(question, letter)
    _session().update_state(lambda state: state.with_prediction(question, answer))
    return quiz.verdict_text(question, answer)


def _catch(name: str, calls: tuple[int, ...]) -> None:
    """Show which mistakes the given calls unmask; without calls, show the page to choose from."""
    course = _session().course
    stage, _ = _session().find_task(name)
    command = f'`catch("{stage.name}", 1, 2, 3)`'
    if calls:
        _show_markdown(_caught(stage, calls))
    elif _has_buttons():
        from hearts_course.student import buttons

        text = quiz.catch_text(course, stage, command, "Click on three and on Unmask, or answer")
        count = len(load_questions(stage).calls)
        buttons.pick(count, text, lambda numbers: _caught(stage, numbers))
    else:
        _show_markdown(quiz.catch_text(course, stage, command))


def _caught(stage: Stage, calls: Sequence[int]) -> str:
    """Return which mistakes these calls unmask, and count the try."""
    tries = _load_state().catches.get(stage.name, 0) + 1
    text = quiz.caught_text(_session().course, stage, calls, tries)
    _session().update_state(lambda state: state.with_catch(stage))
    return text


def _explain(name: str, answers: str, names: Mapping[str, Any]) -> None:
    """Show the questions about the program; with `answers`, the verdicts and what to discuss."""
    from hearts_course.student import explain

    stage, _ = _session().find_task(name)
    work, root = _session().work(stage, names), _session().folder
    questions = explain.work_questions(_session().course, root, work)
    letters = explain.chosen_letters(answers, questions)
    if questions and not letters:
        numbered = enumerate(questions, start=1)
        parts = [explain.what_if_text(number, question, work) for number, question in numbered]
        parts.append(f'Answer with a letter for each, as in `explain("{stage.name}", "ab")`.\n')
    else:
        answered = zip(questions, letters, strict=True)
        parts = [explain.outcome_text(question, letter) for question, letter in answered]
        parts.append(explain.discussion_text(root, stage, work.modules))
    _show_markdown("\n".join(parts))


def _compare(name: str, names: Mapping[str, Any], *, give_up: bool) -> None:
    """Show the student's definitions and the course's.

    Raise UsageError if no task may be compared yet, or if the solution is not here.
    """
    from hearts_course.student.compare import comparison_text, finished_tasks, may_give_up

    stage, task = _session().find_task(name)
    work, root, state = _session().work(stage, names), _session().folder, _load_state()
    if give_up and (given_up := may_give_up(stage, task, state)):
        state = state.with_given_up(given_up)
        _session().update_state(lambda state: state.with_given_up(given_up))
    tasks = finished_tasks(root, stage, task, state)
    _show_markdown(comparison_text(stage, tasks, work.modules))


def _submit(name: str, names: Mapping[str, Any], files: Iterable[str]) -> None:
    """Pack the saved notebook; raise UsageError if it differs from the cells that were last run.

    A check is about the cells that were run, but the zip has the saved notebook. If the two differ,
    the student would hand in a program that was not checked.
    """
    from hearts_course.student.packing import pack_work, read_back
    from hearts_course.student.work import Form, find_work, whole_program

    stage, _ = _session().find_task(name)
    root = _session().folder
    ran = _session().work(stage, names)
    form = None
    if _session().holds(stage):
        form = Form.NOTEBOOK
    work = find_work(root, stage, form)
    if work.modules != ran.modules:
        raise UsageError(f"{work.where} is not saved as you ran it last; save it and submit again")
    if error := work.syntax_error():
        raise UsageError(f"{error}; fix it before you hand it in")
    if not work.changed:
        raise UsageError(f"{work.where}: {STILL_STARTER}; write a task first")
    *earlier, _ = whole_program(_session().course, root, work)
    packed = pack_work(root, work, earlier, [root / file for file in files])
    text = Group(*terminal.packed_text(packed, work, root, read_back(packed, stage).receipt))
    _show(text, "text/html", page.file_html(packed.path.relative_to(root)))


def _refuse_without_files() -> None:
    """Raise UsageError if Python runs in a browser and has no access to the saved files."""
    if sys.platform == "emscripten" and find_root(Path.cwd()) is None:
        raise UsageError(NO_FILES)


def _save_work() -> None:
    """Write the zip with all work, and show a link that downloads it."""
    _refuse_without_files()
    from hearts_course.student.saved import save_everything

    path = save_everything(_session().course, _session().folder)
    _show(
        terminal.whole_line(str(path)),
        "text/html",
        page.file_html(path.relative_to(_session().folder)),
    )


def _load_work() -> None:
    """Show a button that takes a zip.

    The cell ends at once; the files are written when a zip is chosen.
    """
    _refuse_without_files()
    from IPython.display import display
    from ipywidgets import FileUpload, Output

    from hearts_course.student.saved import load_everything

    def load(change: Any) -> None:
        """Write the files of the zip that was chosen, and show their names."""
        data = bytes(change["new"][0]["content"])
        names = load_everything(_session().course, _session().folder, data)
        _show_markdown(f"Loaded: {', '.join(names)}. Reload pages that show one of them.")

    def take(change: Any) -> None:
        """Load the zip, and show an error instead of raising it."""
        _guarded(lambda: load(change))

    upload, shown = FileUpload(accept=".zip", description="Choose the zip"), Output()
    show_below = shown.capture()  # what `take` shows would otherwise be lost
    upload.observe(show_below(take), "value")
    display(upload, shown)


def _progress(name: str) -> None:
    """Show the stage's points and tasks, as the last checks found them."""
    stage, _ = _session().find_task(name)
    progress = stage_progress(_load_state(), stage)
    _show(terminal.stage_glance(progress), "text/markdown", page.progress_markdown(progress))


def _show_markdown(text: str) -> None:
    """Show a text in Markdown; commands in it, such as `hearts check`, become calls."""
    text = as_calls(text)
    _show(terminal.markdown_text(text), "text/markdown", text)


def _load_state() -> StudentState:
    """Return the student's state, and show a note if its file was damaged."""
    state, note = _session().load_state()
    if note:
        _show_error(note)
    return state


def _guarded(work: Callable[[], T]) -> T | None:
    """Return what `work` returns. After an error, show the error in one line and return None.

    The message of a CourseError is meant for the student. Any other error is a fault of `hearts`;
    if HEARTS_DEBUG is set, raise it. While nbgrader validates the notebook, raise NotYet instead.
    """
    try:
        with redirect_stderr(sys.stdout):
            return work()
    except NotYet:
        raise
    except CourseError as error:
        message = str(error)
    except KeyboardInterrupt:
        message = "interrupted: the check did not finish; look for an endless loop and check again"
    except Exception as error:
        if os.environ.get("HEARTS_DEBUG"):
            raise
        message = (
            f"an error in the course itself, please report it: {type(error).__name__}: {error}"
        )
    _show_error(message)
    if _validating():
        raise NotYet(message)
    return None


def _is_run_by_nbgrader() -> bool:
    """Return whether nbgrader runs the notebook, to grade or to validate it."""
    return "NBGRADER_EXECUTION" in os.environ


def _validating() -> bool:
    """Return whether nbgrader's Validate runs the notebook."""
    return os.environ.get("NBGRADER_EXECUTION") == "validate"


def _names(callers: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook's namespace; outside IPython, the caller's namespace."""
    shell = _shell()
    if shell is None:
        return callers
    names: dict[str, Any] = shell.user_ns
    return names


def _shell() -> Any:
    """Return the IPython that runs this code, None outside IPython; never import IPython."""
    ipython = sys.modules.get("IPython")
    if ipython is None:
        return None
    return ipython.get_ipython()


def _show_error(message: str) -> None:
    """Show an error's message on one line, without a traceback."""
    message = as_calls(message)
    _show(terminal.error_text(message), "text/html", page.error_html(message))


def _show(renderable: RenderableType, kind: str, rich_text: str) -> None:
    """Show rich text of this kind in a notebook; outside a notebook, print the plain words."""
    words = terminal.without_colour(renderable)
    if _shell() is None:
        make_stdout_tolerant()
        print(words, end="")
        return
    from IPython.display import display

    display({kind: rich_text, "text/plain": words}, raw=True)
