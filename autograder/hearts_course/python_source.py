"""Parse what strangers have written, in seconds.

`ast.parse` takes time that grows with the square of two things, and cannot be interrupted: of the
accents on one letter, which it sorts, and of the parts of an imported name, which it joins. A text
of 100,000 characters can take minutes in that way.
"""

import ast
import re
import unicodedata
import warnings

MAX_CHARACTERS = 200_000  # a longer text could take gigabytes of memory
MAX_ACCENTS = 30  # in a row, as Unicode's "stream-safe" texts have at most
MAX_PARTS = 200  # of an imported name such as `os.path`
# From an `import` or `from` to the statement's end; a backslash continues it in the next line.
IMPORTED = re.compile(r"\b(?:import|from)\b((?:\\\r?\n|\\\r|[^\\\r\n;()])*)")
UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # what `parsed` raises


def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a module, without warnings.

    Raise one of UNPARSABLE if Python cannot read the text, or would take too long to do so.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"more than {MAX_CHARACTERS} characters")
    names = (name for match in IMPORTED.finditer(text) for name in match[1].split(","))
    if any(name.count(".") > MAX_PARTS for name in names):
        raise ValueError(f"an imported name of more than {MAX_PARTS} parts")
    if _has_too_many_accents(text):
        raise ValueError(f"more than {MAX_ACCENTS} accents in a row")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _has_too_many_accents(text: str) -> bool:
    """Return whether a letter has more accents than any language needs.

    Some characters become accents only when Python brings names into their usual form.
    """
    if text.isascii():
        return False
    usual = {character: unicodedata.normalize("NFKD", character) for character in set(text)}
    accents = [character for character in usual if unicodedata.combining(usual[character][0])]
    in_a_row = f"[{''.join(map(re.escape, accents))}]{{{MAX_ACCENTS + 1}}}"
    return bool(accents) and re.search(in_a_row, text) is not None
