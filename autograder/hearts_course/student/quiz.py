"""The texts of two games, in Markdown for terminals and notebooks.

predict   say what code shows, before writing the task or stage
catch     choose three calls that together unmask as many wrong programs as possible

A call unmasks a wrong program if the program answers it wrongly. Each wrong program has one known
mistake.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from hearts_course.course import Course, Stage, Task
from hearts_course.edition import HERE
from hearts_course.errors import UsageError
from hearts_course.questions import (
    LETTERS,
    NOTHING,
    PICKS,
    RAISES,
    Question,
    Questions,
    load_questions,
    mistakes_unmasked_by,
    unmasked_by,
)
from hearts_course.student.state import StudentState
from hearts_course.text import agreeing, listed

MAX_WARM_UP = 8  # questions that are asked before a stage
MAX_MISSED = 6  # missed mistakes that are named at the end of a game of catch
MAX_HELP = 2  # missed mistakes that are named after the first try
KNOWN = HERE.text(
    "You know what this stage counts on.<!-- if terminal --> `README.md` describes the fast lane."
    "<!-- end -->"
)
TRIES = 2  # from this try on, a game of catch shows the best calls


def questions_before(
    course: Course, state: StudentState, stage: Stage, task: Task | None
) -> tuple[Question, ...]:
    """Return the questions before the task, or before the stage if there is no task.

    Before a stage, ask what a student should know. Ask again the questions of earlier stages that
    the student answered wrongly. Return at most MAX_WARM_UP questions before a stage.
    """
    if task:
        about_stage = load_questions(stage).predict
        return tuple(question for question in about_stage if question.task == task.id)
    asked: list[Question] = []
    for earlier_stage in course.prerequisites(stage):
        earlier = load_questions(earlier_stage)
        asked += [*earlier.know, *earlier.predict]
    # `False` means a wrong answer; `None` means that the question was never asked.
    missed = [question for question in asked if state.predicted.get(question.key) is False]
    return (*load_questions(stage).know, *missed)[:MAX_WARM_UP]


def answer_of(question: Question, letter: str) -> str:
    """Return the choice with that letter; raise UsageError if there is none."""
    choices = dict(zip(LETTERS, question.choices, strict=False))
    if letter.lower() not in choices:
        raise UsageError(f"{letter!r} is no answer; choose {' or '.join(choices)}")
    return choices[letter.lower()]


def question_text(question: Question, number: int, total: int) -> str:
    """Return the question, with a letter before each choice."""
    lines = [
        f"**Question {number} of {total}.** What does the last line show?",
        f"\n```python\n{question.code}\n```\n",
    ]
    for letter, choice in zip(LETTERS, question.choices, strict=False):
        lines.append(f"- **{letter}** {shown_answer(choice)}")
    return "\n".join(lines)


def how_to_answer(name: str, questions: int, answer: str = "Answer") -> str:
    """Return a sentence that tells how to answer the questions in a notebook.

    `name` is the task or stage that the questions are about, and `questions` is their number.
    `answer` begins the sentence, such as "Answer".
    """
    if questions == 1:
        return f'{answer} with a letter, such as `predict("{name}", "b")`.'
    letters = "".join(islice(cycle("bac"), questions))
    return f'{answer} with a letter for each, such as `predict("{name}", "{letters}")`.'


def verdict_text(question: Question, answer: str) -> str:
    """Return whether the answer is right, and why.

    If the question is about a task, the text always cites the sentence of the brief that gives the
    answer. Otherwise, after a wrong answer, the text says where to read about it.
    """
    right = answer == question.right
    parts = ["✓ Yes."]
    if not right:
        parts = [f"✗ No, the answer is: {shown_answer(question.right)}"]
        if question.because:
            parts.append(question.because)
    if question.task:
        parts.append(f"The brief says: {question.why.rstrip('.')}.")
    elif not right:
        parts.append(f"Read about it in {question.why}.")
    if mistake := question.mistakes.get(answer):
        parts.append(f"Your answer belongs to a known mistake: *{mistake}*.")
    return "\n\n".join(parts)


def own_answers_text(questions: Sequence[Question], answers: Sequence[str]) -> str:
    """Return what each question's code shows in the student's program, and whether it is right."""
    parts = ["Your own program shows:\n"]
    for question, answer in zip(questions, answers, strict=True):
        parts.append(f"```python\n{question.code}\n```\n\n{shown_answer(answer)}")
        if answer != question.right:
            parts.append(f"✗ The course's program shows {shown_answer(question.right)}.")
    if [question.right for question in questions] == list(answers):
        parts.append("✓ The course's program shows the same.")
    return "\n\n".join(parts)


def advice_text(stage: Stage, state: StudentState) -> str:
    """Return what to read before the stage, judged by the last answers to its questions.

    If all answers are right, return a sentence that says so. Return "" if some answers are wrong
    but enough are right, or if nothing was answered.
    """
    questions = load_questions(stage)
    right = [question for question in questions.know if state.predicted.get(question.key)]
    answered = any(question.key in state.predicted for question in questions.know)
    if answered and len(right) == len(questions.know):
        return KNOWN
    if not answered or len(right) >= questions.enough:
        return ""
    to_read: dict[str, None] = {}  # places, each once, in the order of the questions
    for question in questions.know:
        if question not in right:
            to_read[question.why] = None
    places = "\n".join(f"- {place}" for place in to_read)
    return (
        f"{len(right)} of {len(questions.know)}: {stage.name} counts on what you missed. Read "
        f"this first, and try each example there:\n\n{places}\n\n"
        f"If you begin at once, plan twice the usual {stage.hours} hours: this stage is hard "
        "without it."
    )


def shown_answer(text: str) -> str:
    """Return an answer in Markdown that fits into an item of a list."""
    if "\n" in text:
        lines = text.replace("\n", "\n  ")
        return f"\n\n  ```text\n  {lines}\n  ```\n"
    if text.startswith(RAISES):
        return f"an error, `{text.removeprefix(RAISES)}`"
    if text == NOTHING:
        return text
    if "`" in text:  # a backtick would end code in single backticks
        return f"`` {text} ``"
    return f"`{text}`"


def catch_text(course: Course, stage: Stage, command: str, answer: str = "Answer") -> str:
    """Return the stage's page of calls to choose from; raise UsageError if it has none.

    `command` is an example of an answer. `answer` begins the last sentence, such as "Answer".
    """
    questions = _calls(course, stage)
    calls: list[str] = []
    for number, call in enumerate(questions.calls, start=1):
        calls.append(f"**{number}.** {shown_answer(call.code)}\n")
    return "\n".join(
        [
            f"{len(questions.mistakes)} programs for {stage.name} are wrong, each in one place. A "
            "call unmasks those that answer it wrongly. Which three calls together unmask most?\n",
            *calls,
            f"\n{answer} with three numbers, such as {command}.",
        ]
    )


def caught_text(course: Course, stage: Stage, picked: Sequence[int], tries: int) -> str:
    """Return what the picked calls unmask. From the second try on, also name the best three calls.

    `tries` is the number of tries, with this one. After the first try the text names missed
    mistakes but no calls, so that there is something left to find. Raise UsageError if `picked` are
    not three different numbers of the stage's calls.
    """
    questions = _calls(course, stage)
    count = len(questions.calls)
    if len(set(picked)) != PICKS or not all(1 <= number <= count for number in picked):
        raise UsageError(f"choose three different numbers from 1 to {count}")
    calls = tuple(questions.calls[number - 1] for number in picked)
    best = questions.best()
    most = unmasked_by(best)
    total = len(questions.mistakes)
    lines: list[str] = []
    for number, call in zip(picked, calls, strict=True):
        shown = shown_answer(call.right)
        lines.append(f"- Call {number} shows {shown} and unmasks {len(call.unmasks)}.")
    lines.append(f"\nTogether they unmask **{unmasked_by(calls)} of {total}** wrong programs. ")
    if unmasked_by(calls) == most:
        return "\n".join([*lines, "No three calls unmask more."])
    unmasked = mistakes_unmasked_by(calls)
    if tries < TRIES:
        lines.append(f"Three calls can unmask {most}. Which mistakes does none of yours show?\n")
        missed = sorted(_missed_mistakes(questions, unmasked))
        lines += [f"- *{mistake}*" for mistake in missed[:MAX_HELP]]
        return "\n".join([*lines, "\nChoose again; then you see the best three."])
    numbers = listed(str(questions.calls.index(call) + 1) for call in best)
    lines.append(f"The calls {numbers} unmask {most}. You missed, for example:\n")
    return "\n".join([*lines, *_missed(questions, unmasked)])


def _missed_mistakes(questions: Questions, unmasked: frozenset[str]) -> frozenset[str]:
    """Return the mistakes that the best calls unmask and that are not among `unmasked`."""
    return mistakes_unmasked_by(questions.best()) - unmasked


def _missed(questions: Questions, unmasked: frozenset[str]) -> Iterator[str]:
    """Yield lines on mistakes that the best calls unmask and the picked calls did not.

    Each line names the mistake and the first of the best calls that unmasks it.
    """
    left = MAX_MISSED
    for call in questions.best():
        for mistake in sorted(call.unmasks - unmasked)[:left]:
            yield f"- *{mistake}*: call {questions.calls.index(call) + 1}"
            left -= 1
        unmasked |= call.unmasks


def _calls(course: Course, stage: Stage) -> Questions:
    """Return the stage's questions; raise UsageError if it has no page of calls."""
    questions = load_questions(stage)
    if not questions.calls:
        others = [other.name for other in course.stages if load_questions(other).calls]
        where = f"; {listed(others)} {agreeing(len(others), 'has', 'have')} one" if others else ""
        raise UsageError(f"{stage.name} has no page of calls{where}")
    return questions
