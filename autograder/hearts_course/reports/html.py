"""Fill in templates of pages: a student's text is never markup, and a page loads nothing."""

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
NOWHERE = "base-uri 'none'; form-action 'none'"  # a page cannot change its base or send a form
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$^:@-])")


def page(template: str, script: str = "", *, folder: Path = TEMPLATES, **values: Any) -> str:
    """Return the page from a template of the folder, with every text in `values` escaped.

    The page's content security policy allows only two things by their hashes: the page's own style,
    and the `script` if there is one.
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
    """Compile the folder's templates early, so that its first page does not wait for this.

    Compiling a template takes longer than filling it in.
    """
    for path in folder.glob("*.j2"):
        _environment(folder, autoescape=path.name.endswith(".html.j2")).get_template(path.name)


@cache
def _text(path: Path) -> str:
    """Return the text of a style or script, which a page contains because it loads nothing."""
    return path.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return a style's or script's hash in the form that a content security policy needs."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def markdown_page(template: str, **values: Any) -> str:
    """Fill in a template of Markdown. The template must filter students' texts itself.

    The filters are `words`, for text on one line, and `fenced`, for a block.
    """
    return _environment(TEMPLATES, autoescape=False).get_template(template).render(**values) + "\n"


@cache
def _environment(folder: Path, *, autoescape: bool) -> Environment:
    """Return jinja's environment with the folder's templates and the templates shared by all.

    If a template uses an unknown name, jinja raises an error. Otherwise nobody would notice the gap
    in the page.
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
    """Return markup of the course as it is, and other text with invisible characters spelt out."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return safe_block(value)
    return value


def _listing(passage: Passage) -> Markup:
    """Return the lines with their numbers; a marked line has a sign as well as a colour."""
    lines: list[Markup] = []
    for line in passage.lines:
        text = Markup.escape(safe_block(str(line)))
        if line.marked:
            text = Markup("<mark>{}</mark>").format(text)
        lines.append(text)
    return Markup("\n").join(lines)


def prose(text: str) -> Markup:
    """Return the text, with the parts between backticks shown as code.

    If the number of backticks is odd, they stay, because nobody can tell which one lacks a partner.
    """
    parts = [Markup.escape(safe_block(part)) for part in text.split("`")]
    if len(parts) % 2 == 0:
        return Markup("`").join(parts)
    parts[1::2] = [Markup("<code>{}</code>").format(part) for part in parts[1::2]]
    return Markup("").join(parts)


def escape_markdown(text: str) -> str:
    """Return the text on one line, with each character escaped that is special in Markdown."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _fenced(text: Passage | str) -> str:
    """Return the text, or the lines of a passage, as a code block in Markdown."""
    if isinstance(text, Passage):
        text = "\n".join(map(str, text.lines))
    return fenced(text)
