"""Make students' texts and names safe to show, and put numbers and lists into words.

Also let a console print any character.
"""

import hashlib
import io
import os
import re
import sys
from collections.abc import Iterable

MAX_LINE = 300  # characters of a line from `safe_line`
MAX_NAME = 150  # bytes of a student's name
ELLIPSIS = "…"
MARKUP = '<>"'  # characters that are HTML if a page shows a name without escaping it
BACKTICKS = re.compile("`+")
SHORTEST_FENCE = 3  # backticks


def safe_block(text: str) -> str:
    """Return the text with invisible characters spelt out, except for line ends and tabs.

    So terminal escapes, characters that reverse the direction of writing, and the like have no
    effect.
    """
    plain = text.replace("\r\n", "\n")
    if plain.replace("\n", "").replace("\t", "").isprintable():
        return plain
    return "".join(c if c.isprintable() or c in "\n\t" else _spelt(c) for c in plain)


def _spelt(character: str) -> str:
    r"""Return the character as Python would write it in a literal, such as `\x1b` for an escape."""
    return character.encode("unicode_escape").decode("ascii")


def fenced(text: str) -> str:
    """Return Markdown that shows the text as it is, whatever markup is in it.

    The fences are longer than every row of backticks in the text, so no line of the text ends the
    block.
    """
    longest = max(map(len, BACKTICKS.findall(text)), default=0)
    fence = "`" * max(SHORTEST_FENCE, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def safe_line(text: str, longest: int = MAX_LINE) -> str:
    """Return the text as one line of at most `longest` characters.

    Invisible characters are spelt out.
    """
    line = " ".join(safe_block(text).split())
    if len(line) <= longest:
        return line
    return line[: longest - 1].rstrip() + ELLIPSIS


def safe_name(name: str) -> str:
    r"""Return a safe form of a student's name: `Ada` for `Ada`, `a%0Ab` for `a\nb`.

    Different names have different safe forms. A safe form can name a file: it is not too long, not
    hidden, and not a path, an option of a command or HTML.
    """
    first = name[:1]
    after_first = name[1:]
    safe = _percent_if_harmful(first)
    if first in (".", "-", "~", " "):
        safe = _percent(first)
    safe += "".join(map(_percent_if_harmful, after_first))
    if safe.endswith(" "):
        safe = safe[:-1] + "%20"
    return _shortened(safe, name)


def _percent_if_harmful(character: str) -> str:
    if _harmful(character):
        return _percent(character)
    return character


def _harmful(character: str) -> bool:
    """Return whether the character has a meaning in a path, a page or a terminal.

    The percent sign counts as well; otherwise two different names could become the same.
    """
    return character in f"%/\\{MARKUP}" or not character.isprintable()


def _percent(character: str) -> str:
    """Return the character's bytes as in a URL, such as `%0A` for a line end."""
    return "".join(f"%{byte:02X}" for byte in os.fsencode(character))


def _shortened(safe: str, name: str) -> str:
    """Return the safe name. If it is longer than MAX_NAME bytes, cut it and add a hash of the name.

    Because of the hash, two long names that begin alike stay different.
    """
    if len(safe.encode()) <= MAX_NAME:
        return safe
    digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
    return _whole(safe.encode()[: MAX_NAME - 9].decode(errors="ignore")) + f"%{digest}"


def _whole(cut: str) -> str:
    """Return the text without an incomplete byte, such as `%0`, at its end."""
    return re.sub(r"%.?$", "", cut)


def count_of(number: float, noun: str) -> str:
    """Return the number with its noun: "1 point", "2.5 points"."""
    return f"{number:g} {agreeing(number, noun, f'{noun}s')}"


def agreeing(number: float, singular: str, plural: str) -> str:
    """Return the word that agrees with the number: the singular for 1, the plural for all else."""
    if number == 1:
        return singular
    return plural


def listed(words: Iterable[str]) -> str:
    """Return the words as in a sentence: "a, b and c"; "" for none."""
    *others, last = [*words] or [""]
    if not others:
        return last
    return f"{', '.join(others)} and {last}"


def make_stdout_tolerant() -> None:
    """Make stdout and stderr print a `?` for each character that their encoding does not have.

    A suit such as ♠ must not end the command on a console that cannot show the suit.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
