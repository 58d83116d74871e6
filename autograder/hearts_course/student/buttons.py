"""Questions and calls that are answered by clicks, where a notebook shows widgets."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from IPython.display import DisplayHandle, Markdown, display
from ipywidgets import Button, HBox, Layout, ToggleButton

from hearts_course.questions import LETTERS, PICKS, Question
from hearts_course.student.quiz import question_text

LETTER_WIDTH = "4em"  # of a button with one letter
NUMBER_WIDTH = "5em"  # of a button with up to two digits


def ask(
    questions: Sequence[Question],
    answered: Callable[[Question, str], str],
    before_all: str,
    after_all: Callable[[], str],
) -> None:
    """Show the questions with a button for each choice.

    `answered` notes the letter of an answer and returns what is said about it; only the first
    answer counts. What `before_all` says stands below the questions until each has its answer, then
    what `after_all` returns.
    """
    left = list(questions)

    def answer(question: Question, letter: str) -> str:
        """Return what is said about an answer; after the last answer, show what follows."""
        verdict = answered(question, letter)
        left.remove(question)
        if not left:
            last.update(Markdown(after_all()))
        return verdict

    for number, question in enumerate(questions, start=1):
        display(Markdown(question_text(question, number, len(questions))))
        _show_letters(LETTERS[: len(question.choices)], partial(answer, question))
    last = _show(before_all)


def _show_letters(letters: str, answer: Callable[[str], str]) -> None:
    """Show a button for each letter, and below them what `answer` returns for the one clicked."""
    layout = Layout(width=LETTER_WIDTH)
    buttons = [Button(description=letter, layout=layout) for letter in letters]

    def click(clicked: Any) -> None:
        """Take the first click as the answer, and let no other button answer any more."""
        if clicked.disabled:  # two quick clicks
            return
        for button in buttons:
            button.disabled = True
        text = answer(clicked.description)
        clicked.button_style = "danger"
        if text.startswith("✓"):
            clicked.button_style = "success"
        verdict.update(Markdown(text))

    for button in buttons:
        button.on_click(click)
    display(HBox(buttons))
    verdict = _show("")


def pick(count: int, text: str, picked: Callable[[Sequence[int]], str]) -> None:
    """Show the text with a button for each number up to `count`, of which three can be chosen.

    What `picked` returns for three numbers is shown below.
    """
    layout = Layout(width=NUMBER_WIDTH)
    numbers = [ToggleButton(description=str(n), layout=layout) for n in range(1, count + 1)]
    done = Button(description="Unmask", button_style="primary", disabled=True)

    def chosen() -> list[int]:
        """Return the numbers whose buttons are pressed."""
        return [int(button.description) for button in numbers if button.value]

    def choose(change: Any) -> None:
        """Release a button that would be one too many, and allow an answer of three numbers."""
        if len(chosen()) > PICKS:
            change["owner"].value = False
        done.disabled = len(chosen()) != PICKS

    def unmask(button: Any) -> None:
        """Show what the chosen calls unmask."""
        unmasked.update(Markdown(picked(chosen())))

    for number in numbers:
        number.observe(choose, "value")
    done.on_click(unmask)
    display(Markdown(text))
    display(HBox([*numbers, done], layout=Layout(flex_flow="row wrap")))
    unmasked = _show("")


def _show(text: str) -> DisplayHandle:
    """Show Markdown, and return what puts another text in its place."""
    handle = DisplayHandle()
    handle.display(Markdown(text))
    return handle
