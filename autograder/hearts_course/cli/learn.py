"""Commands that ask students questions, before and after a task, and compare programs."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from hearts_course.cli.common import say, screen
from hearts_course.cli.student import (
    change_state,
    form_of_option,
    form_options,
    open_workspace,
    workspace_option,
)
from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.questions import LETTERS, Question
from hearts_course.student import quiz
from hearts_course.student.explain import (
    WhatIf,
    chosen_letters,
    discussion_text,
    outcome_text,
    what_if_text,
    work_questions,
)
from hearts_course.student.house_rules import house_rules
from hearts_course.student.own_answers import own_answers
from hearts_course.student.progress import current_stage, stage_progress
from hearts_course.student.terminal import command_line, markdown_text
from hearts_course.student.work import find_work
from hearts_course.student.workspace import Workspace, find_workspace, locate, need_workspace


@click.command()
@click.argument("first", metavar="[STAGE]", required=False)
@click.argument("second", metavar="[TASK]", required=False)
@workspace_option
@click.pass_obj
def predict(course: Course, first: str | None, second: str | None, folder: Path | None) -> None:
    """Predict what code shows, before you write a task; no points.

    Without STAGE and TASK: the next task. With STAGE alone: what you should know before that stage.
    If the task passes already, you can also run the questions' code on your own program.
    """
    workspace = open_workspace(course, folder)
    stage, task = locate(course, first, second, here=lambda: current_stage(workspace))
    if stage is None:
        progress = stage_progress(workspace.state, current_stage(workspace))
        stage = progress.stage
        if progress.next:
            task = progress.next.task
    questions = quiz.questions_before(course, workspace.state, stage, task)
    if not questions:
        name = stage.name
        if task:
            name = task.id
        click.echo(f"Nothing to predict before {name}.")
        return
    total = len(questions)
    right = 0
    for number, question in enumerate(questions, start=1):
        right += _ask(workspace, question, number, total)
    say(f"{right} of {total} right.")
    if task is None:
        state = need_workspace(course, workspace.root).state  # has the new answers
        if advice := quiz.advice_text(stage, state):
            say(markdown_text(advice))
        return
    if not workspace.state.passes(task):
        say(command_line("Now write it, then", f"hearts check {task.id}"))
    elif click.confirm(f"{task.title} passes. Run it now on your own program?", default=True):
        work = find_work(workspace.root, stage)
        answers = own_answers(course, workspace.root, work, [asked.code for asked in questions])
        say("", markdown_text(quiz.own_answers_text(questions, answers)))


def _ask(workspace: Workspace, question: Question, number: int, total: int) -> bool:
    """Ask a question and remember the answer; return whether it was right.

    A skipped question is not remembered, so `hearts` keeps offering `hearts predict`.
    """
    say(markdown_text(quiz.question_text(question, number, total)))
    if not (answer := _chosen(question)):
        return False
    say("", markdown_text(quiz.verdict_text(question, answer)))
    change_state(workspace, lambda state: state.with_prediction(question, answer))
    return answer == question.right


def _chosen(question: Question) -> str:
    """Ask for a letter and return the choice with this letter; "" for an empty line.

    After any other text, print the letters that can be typed, and ask again.
    """
    while letter := click.prompt("Your answer, or Enter to skip", default="", show_default=False):
        try:
            return quiz.answer_of(question, letter.strip())
        except UsageError as error:
            click.echo(error)
    return ""


@click.command()
@click.argument("name", metavar="STAGE")
@click.argument("calls", metavar="[CALL CALL CALL]", nargs=-1, type=int)
@click.pass_obj
def catch(course: Course, name: str, calls: tuple[int, ...]) -> None:
    """Choose the three calls that unmask as many wrong programs as possible.

    Without CALLs: show all calls.
    """
    stage = course.stage(name)
    if calls:
        workspace = find_workspace(course, Path.cwd())
        # Outside of workspaces no tries are counted, so show the best calls at once.
        tries = quiz.TRIES
        if workspace:
            tries = workspace.state.catches.get(stage.name, 0)
        say(markdown_text(quiz.caught_text(course, stage, calls, tries + 1)))
        if workspace:
            change_state(workspace, lambda state: state.with_catch(stage))
    else:
        command = f"`hearts catch {stage.name} 1 2 3`"
        say(markdown_text(quiz.catch_text(course, stage, command)))


@click.command()
@click.argument("name", metavar="STAGE")
@click.argument("answers", nargs=-1)
@form_options
@workspace_option
@click.pass_obj
def explain(
    course: Course, name: str, answers: tuple[str, ...], form: str | None, folder: Path | None
) -> None:
    """Answer up to two questions about your own program for STAGE, and get one to discuss.

    Each question changes one place in your program and asks which visible check fails then, if any.
    Type a letter when asked, or give the letters as ANSWERS, such as `hearts explain 02 b a`.
    """
    root = open_workspace(course, folder).root
    work = find_work(root, course.stage(name), form_of_option(form))
    with screen().status("Trying changes of your program ..."):
        questions = work_questions(course, root, work)
    letters = iter(chosen_letters("".join(answers), questions) or _typed(questions))
    for number, question in enumerate(questions, start=1):
        say(markdown_text(what_if_text(number, question, work)))
        say(markdown_text(outcome_text(question, next(letters))))
    say(markdown_text(discussion_text(root, work.stage, work.modules)))


def _typed(asked: Sequence[WhatIf]) -> Iterator[str]:
    """Ask for a letter for each question, and yield the letters.

    Yield "" if the user skips a question. After the end of the input, ask nothing more and yield ""
    for the remaining questions. Letters are yielded one by one, because the explanation of each
    answer is shown before the next question.
    """
    ended = False
    for question in asked:
        choice = click.Choice([*LETTERS[: len(question.options)], ""], case_sensitive=False)
        ask = partial(click.prompt, type=choice, show_choices=False, show_default=False)
        if ended:
            yield ""
            continue
        try:
            yield ask("Your answer, or Enter to skip", "")
        except click.Abort:
            click.echo()
            ended = True
            yield ""


@click.command()
@click.argument("first", metavar="STAGE")
@click.argument("second", metavar="[TASK]", required=False)
@click.option("--give-up", is_flag=True, help="After the last hint: see a task's solution anyway.")
@form_options
@workspace_option
@click.pass_obj
def compare(
    course: Course,
    first: str,
    second: str | None,
    give_up: bool,
    form: str | None,
    folder: Path | None,
) -> None:
    """Show your own functions beside the course's, and beside a third version.

    A task can be compared when its visible checks pass, a stage when it is packed to be handed in.
    """
    from hearts_course.student.compare import comparison_text, finished_tasks, may_give_up

    workspace = open_workspace(course, folder)
    stage, task = locate(course, first, second, here=lambda: current_stage(workspace))
    assert stage is not None
    state = workspace.state
    if give_up and (given_up := may_give_up(stage, task, state)):
        question = f"Give up {given_up.title}? You see its solution, and `hearts progress` notes it"
        if not click.confirm(question):
            return
        state = state.with_given_up(given_up)
        change_state(workspace, lambda state: state.with_given_up(given_up))
    tasks = finished_tasks(workspace.root, stage, task, state)
    work = find_work(workspace.root, stage, form_of_option(form))
    say(markdown_text(comparison_text(stage, tasks, work.modules)))


@click.command()
@click.argument("student", metavar="STUDENT")
@click.argument("stage", metavar="[STAGE]", required=False)
@click.option(
    "--term", metavar="WORD", help="The term, such as autumn: each term draws other rule books."
)
@click.pass_obj
def variant(course: Course, student: str, stage: str | None, term: str | None) -> None:
    """Show the house rules of STUDENT: a rule book drawn for that student alone.

    Without STAGE: the rule books for every stage that has house rules. STUDENT is an id. The same
    id gets the same rule book on every machine.
    """
    for text in house_rules(course, student, stage or "", term):
        click.echo(text)
