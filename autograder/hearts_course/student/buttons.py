"""Buttons in a notebook: to answer questions, and to pick calls in the game `catch`."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from IPython.display import DisplayHandle, Markdown, display
from ipywidgets import Button, HBox, Layout, ToggleButton

from hearts_course.questions import LETTERS, PICKS, Question
from hearts_course.student.quiz import question_text

LETTER_WIDTH = "4em"  # width of a button with one letter
NUMBER_WIDTH = "5em"  # width of a button with up to two digits


def ask(
    questions: Sequence[Question],
    answered: Callable[[Question, str], str],
    before_all: str,
    after_all: Callable[[], str],
) -> None:
    """Show the questions with a button for each choice.

    `answered` saves the letter of an answer, and returns the verdict in Markdown. Only the first
    answer counts. The text `before_all` stands below the questions until the last answer; then the
    text that `after_all` returns takes its place.
    """
    left = list(questions)

    def answer(question: Question, letter: str) -> str:
        """Return the verdict on an answer; after the last answer, show the text of `after_all`."""
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
    """Show a button for each letter. After a click, show below them what `answer` returns."""
    layout = Layout(width=LETTER_WIDTH)
    buttons = [Button(description=letter, layout=layout) for letter in letters]

    def click(clicked: Any) -> None:
        """Take the first click as the answer, and disable all buttons."""
        if clicked.disabled:  # this is the second of two quick clicks
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
    """Show the text with a button for each number up to `count`; three of them can be chosen.

    Below them, show what `picked` returns for the three numbers.
    """
    layout = Layout(width=NUMBER_WIDTH)
    numbers = [ToggleButton(description=str(n), layout=layout) for n in range(1, count + 1)]
    done = Button(description="Unmask", button_style="primary", disabled=True)

    def chosen() -> list[int]:
        """Return the numbers whose buttons are pressed."""
        return [int(button.description) for button in numbers if button.value]

    def choose(change: Any) -> None:
        """Release a fourth number; enable the button Unmask only while three are pressed."""
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
    """Show Markdown, and return a handle that can replace it by another text."""
    handle = DisplayHandle()
    handle.display(Markdown(text))
    return handle
