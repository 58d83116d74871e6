"""What a stranger wrote, made safe to show and to name files after.

safe_block   a text for a terminal or a page: nothing in it steers either
safe_line    the same on one line, shortened
safe_name    a folder's name as a student's: different folders stay different
safe_cell    a cell of a table: no formula to a spreadsheet
"""

import hashlib
import os
import re

MAX_LINE = 300
MAX_NAME = 150
ELLIPSIS = "…"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


def safe_block(text: str) -> str:
    """The text with every character that cannot be seen, but for ends of lines and tabs, spelt out.

    That takes the power from terminal escapes, from marks that reverse the writing, and the like.
    """
    plain = text.replace("\r\n", "\n")
    if plain.replace("\n", "").replace("\t", "").isprintable():
        return plain
    return "".join(c if c.isprintable() or c in "\n\t" else _spelt(c) for c in plain)


def _spelt(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def safe_line(text: str, longest: int = MAX_LINE) -> str:
    """The text as one line of at most so many characters."""
    line = " ".join(safe_block(text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + ELLIPSIS


def safe_name(name: str) -> str:
    r"""The student's name that a folder's name stands for; `Ada` is `Ada`, `a\nb` is `a%0Ab`.

    No name is empty, hidden, a path, an option of a command, or too long for a file.
    """
    first, rest = name[:1], name[1:]
    safe = _percent(first) if first in (".", "-", "~") else _kept(first)
    safe += "".join(map(_kept, rest))
    if safe.endswith(" "):
        safe = safe[:-1] + "%20"
    return _shortened(safe, name)


def _kept(character: str) -> str:
    return _percent(character) if _harmful(character) else character


def _harmful(character: str) -> bool:
    return character in "%/\\" or not character.isprintable()


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in os.fsencode(character))


def _shortened(safe: str, name: str) -> str:
    if len(safe.encode()) <= MAX_NAME:
        return safe
    digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
    return _whole(safe.encode()[: MAX_NAME - 9].decode(errors="ignore")) + f"%{digest}"


def _whole(cut: str) -> str:
    """Without half of a spelt-out byte at its end."""
    return re.sub(r"%.?$", "", cut)


def safe_cell(cell: str) -> str:
    """The cell, with a mark before it that makes it text where a spreadsheet would execute it."""
    return f"'{cell}" if is_formula(cell) else cell


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would execute the cell; a number, or a lone dash, it only reads."""
    return cell.startswith(FORMULA) and len(cell) > 1 and not NUMBER.fullmatch(cell)
