"""House rules: a rule book for each student; a hash of the student's id chooses it.

In some stages, the program reads the rules of the game from an object, the rule book. The table
`[variants]` in the `stage.toml` of such a stage says which of these rules may differ.
"""

import ast
import hashlib
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from hearts_course.text import safe_line

MIN_DIFFERENCES = 2  # differences from the standard rule book


@dataclass(frozen=True)
class HouseRules:
    """A rule book: the Python code that makes it, and how it differs from the standard rule book.

    `sentences` has a sentence for each difference.
    """

    python: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Variants:
    """The rule books that a student may get.

    `book` is a call that makes a rule book, with `{}` in place of its arguments. The arguments are
    at most one option from each of the `choices`. An option is a text such as
    `passes=(Pass.RIGHT,)`. A choice maps each option to a sentence that says what the option means.
    `standard` is the name of the standard rule book. In another `term`, each student's book is
    chosen anew.
    """

    book: str
    standard: str
    choices: tuple[Mapping[str, str], ...] = field(metadata={"key": "choice"})
    term: str = ""

    @cached_property
    def books(self) -> tuple[HouseRules, ...]:
        """All rule books that differ from the standard in at least two ways.

        Each choice may also be left as in the standard, so some combinations differ too little.
        """
        options = [(None, *choice.items()) for choice in self.choices]
        books: list[HouseRules] = []
        for picks in product(*options):
            differences = dict(filter(None, picks))
            if len(differences) >= MIN_DIFFERENCES:
                python = self.with_arguments(*differences)
                books.append(HouseRules(python, tuple(differences.values())))
        return tuple(books)

    def with_arguments(self, *arguments: str) -> str:
        """Return the call `book` with these arguments, as Python text."""
        return self.book.replace("{}", ", ".join(arguments))

    def fields_of(self, sentence: str) -> tuple[str, ...]:
        """Return the names of the arguments whose meaning is this sentence."""
        every = ChainMap(*map(dict, self.choices))
        arguments = next(text for text, meaning in every.items() if meaning == sentence)
        call = ast.parse(self.with_arguments(arguments), mode="eval").body
        return tuple(keyword.arg for keyword in getattr(call, "keywords", ()) if keyword.arg)

    def text_for(self, student: str, stage: str, term: str | None = None) -> str:
        """Return a text about the student's rule book; it names the student and the stage."""
        book = self.of(student, term)
        sentences = "".join(f"- {sentence}\n" for sentence in book.sentences)
        return (
            f"The house rules of {safe_line(student)} in {stage}:\n\n  {book.python}\n\n"
            f"{sentences}\n"
            f"All else is as in {self.standard}. One of {len(self.books):,} books.\n"
        )

    def of(self, student: str, term: str | None = None) -> HouseRules:
        """Return the book of the student with this id; upper and lower case are the same.

        A hash of the id chooses the book, so every machine finds the same book and no book has to
        be stored.
        """
        seed = "/".join((self.book, term or self.term, student.strip().casefold()))
        digest = hashlib.sha256(seed.encode(errors="backslashreplace")).digest()
        return self.books[int.from_bytes(digest) % len(self.books)]
