"""Templates filled in: nothing that a student wrote is markup, and a page loads nothing."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hearts_course.reports.source_excerpt import Passage
from hearts_course.text import fenced, safe_block

TEMPLATES = Path(__file__).with_name("templates")
NOWHERE = "base-uri 'none'; form-action 'none'"
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$^:@-])")


def page(template: str, script: str = "", *, folder: Path = TEMPLATES, **values: Any) -> str:
    """Return the folder's template filled in; every text in `values` is neutralised and escaped.

    The page's policy allows its own style and the script of that name, both by their hash.
    """
    style = _text(TEMPLATES / "style.css")
    code = ""
    allowed = ""
    if script:
        code = _text(folder / script)
        allowed = f" script-src {_hash(code)};"
    values |= {
        "style": Markup(style),
        "script": Markup(code),
        "policy": f"default-src 'none'; style-src {_hash(style)};{allowed} {NOWHERE}",
    }
    return _environment(folder, autoescape=True).get_template(template).render(**values)


def compile_templates(folder: Path = TEMPLATES) -> None:
    """Read and compile all templates now, which takes longer than to fill in a page."""
    for path in (*TEMPLATES.glob("*.j2"), *folder.glob("*.j2")):
        _environment(folder, autoescape=path.name.endswith(".html.j2")).get_template(path.name)


@cache
def _text(path: Path) -> str:
    """Return the text of a style or script; a page loads nothing, so it holds its own."""
    return path.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash by which a page's policy allows its own style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def markdown_page(template: str, **values: Any) -> str:
    """Return the template filled in; it must filter texts of students by `words` or `fenced`."""
    return _environment(TEMPLATES, autoescape=False).get_template(template).render(**values) + "\n"


@cache
def _environment(folder: Path, *, autoescape: bool) -> Environment:
    """Return the templates of the folder, and the templates that all folders share.

    A name that a template does not know is an error, since a page with a gap would go unnoticed.
    """
    environment = Environment(
        loader=FileSystemLoader([folder, TEMPLATES]),
        autoescape=autoescape,
        undefined=StrictUndefined,
        finalize=_neutral,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"prose": prose, "listing": _listing}
    environment.filters |= {"words": escape_markdown, "fenced": _fenced}
    return environment


def _neutral(value: object) -> object:
    """Return our own markup as it is, and other text with its invisible characters spelt out."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return safe_block(value)
    return value


def _listing(passage: Passage) -> Markup:
    """Return the lines with their numbers; marked ones also have a sign that needs no colour."""
    lines: list[Markup] = []
    for line in passage.lines:
        text = Markup.escape(safe_block(str(line)))
        if line.marked:
            text = Markup("<mark>{}</mark>").format(text)
        lines.append(text)
    return Markup("\n").join(lines)


def prose(text: str) -> Markup:
    """Return the text with what is between backticks as code.

    An odd backtick may stand anywhere, so such a text stays as it is.
    """
    parts = [Markup.escape(safe_block(part)) for part in text.split("`")]
    if len(parts) % 2 == 0:
        return Markup("`").join(parts)
    parts[1::2] = [Markup("<code>{}</code>").format(part) for part in parts[1::2]]
    return Markup("").join(parts)


def escape_markdown(text: str) -> str:
    """Return the text on one line, with everything escaped that Markdown would take for markup."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _fenced(text: Passage | str) -> str:
    """Return the text, or the lines of a passage, as Markdown shows them unchanged."""
    if isinstance(text, Passage):
        text = "\n".join(map(str, text.lines))
    return fenced(text)
