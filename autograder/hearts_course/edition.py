"""The editions of one text: for files or notebooks, with a terminal or not, in a class or alone.

A source text is written for a class that works in files at a terminal. The words of the other
editions stand in comments, which a page of Markdown does not show:

    in <!-- if files -->`cards.py`<!-- else the cells below -->.<!-- notebook: Run them. -->

A part without `else` ends with `<!-- end -->`. A comment with a colon adds a sentence for the
edition that it names. In a notebook, commands become calls of functions.
"""

import re
import shlex
import sys
from dataclasses import dataclass

from hearts_course.errors import StageError

PART = re.compile(
    r"^<!-- if ([a-z ]+) -->\n(.*?)^<!-- (?:end -->|else\n(.*?)^-->)\n(?P<blank>\n?)"  # whole lines
    r"|<!-- if ([a-z ]+) -->(.*?)<!-- (?:end|else (.*?)) -->"
    r"|<!-- ([a-z]+):( .*?) -->",
    re.DOTALL | re.MULTILINE,
)
# One form of PART fills whole lines, and two forms stand within a line. Each slice takes the groups
# of its forms: first the words that name an edition, then the text or the two texts of the part.
WHOLE_LINES, WITHIN_A_LINE = slice(3), slice(4, None)
WORDS = ("files", "notebook", "terminal", "site", "class", "alone")
VERBS = "catch|check|compare|explain|hint|predict|progress|reset|submit|variant"
COMMAND = re.compile(rf"`hearts ({VERBS})((?:\s[^`]+)?)`")
FLAGS = {"--full": "full=True", "--give-up": "give_up=True", "--missing": "missing=True"}


@dataclass(frozen=True)
class Edition:
    """Where a text is read: in files or a notebook, with a terminal or not, in a class or alone."""

    notebook: bool = False
    terminal: bool = True
    alone: bool = False

    @property
    def words(self) -> frozenset[str]:
        """The words of this edition; a part is shown if all words that it names are among them."""
        return frozenset(
            {
                "notebook" if self.notebook else "files",
                "terminal" if self.terminal else "site",
                "alone" if self.alone else "class",
            }
        )

    def text(self, source: str) -> str:
        """Return this edition of the source text.

        Raise StageError if a part lacks its beginning or its end, or names an unknown edition.
        """
        text = PART.sub(self._part, source)
        if "<!-- if" in text or "<!-- e" in text:
            begin = text[text.index("<!-- ") :].partition("\n")[0]
            if begin.startswith("<!-- end"):
                raise StageError("an `<!-- end -->` ends nothing: remove it")
            raise StageError(f"a part of a text does not end: {begin!r}; add `<!-- end -->`")
        if self.notebook:
            return as_calls(text)
        return text

    def _part(self, part: re.Match[str]) -> str:
        """Return the text of this edition that replaces a marked part of the source.

        The blank line below the part stays, unless the part is empty and has a blank line above.
        """
        blank = part["blank"] or ""
        groups = part.groups()[WITHIN_A_LINE]
        if part["blank"] is not None:  # the form that fills whole lines
            groups = part.groups()[WHOLE_LINES]
        words, *texts = (group for group in groups if group is not None)
        if unknown := sorted(set(words.split()) - {*WORDS}):
            raise StageError(f"no edition is called {', '.join(unknown)}; use {', '.join(WORDS)}")
        text = "".join(texts[1:])  # the text after `else`, or ""
        if self.words.issuperset(words.split()):
            text = texts[0]
        above = part.string[: part.start()]
        if not text and above.endswith("\n\n"):
            return ""  # one blank line stays, not two
        return text + blank


FILES, NOTEBOOK = Edition(), Edition(notebook=True)
# The edition of messages. Messages name commands. A notebook that shows a message turns the
# commands into calls.
HERE = Edition(terminal=sys.platform != "emscripten")


def as_calls(text: str) -> str:
    """Return the text with commands written as a notebook's calls: `check("read-a-card")`."""
    return COMMAND.sub(lambda command: f"`{_call(command[1], command[2])}`", text)


def _call(verb: str, arguments: str) -> str:
    """Return a command as a call: `hearts check 01 read-a-card` as `check("read-a-card")`.

    A command without arguments becomes the name of the function alone.
    """
    words = shlex.split(arguments)
    names = [word for word in words if not word.startswith("-")]
    if verb != "variant":
        names = names[-1:]  # the task, or the stage if the command names no task
    arguments_of_call = [f'"{name}"' for name in names]
    arguments_of_call += [FLAGS[word] for word in words if word in FLAGS]
    if not arguments_of_call:
        return verb
    return f"{verb}({', '.join(arguments_of_call)})"
