"""How a page is made: nothing a student wrote is markup in it, and it loads nothing.

page   a template filled in, with the style and a policy that allows that style and no more
"""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hearts_course.reports import feedback_words
from hearts_course.reports.source_excerpt import Passage
from hearts_course.text import safe_block

TEMPLATES = Path(__file__).with_name("templates")
POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"


def page(template: str, **values: Any) -> str:
    """The template filled in; every text in `values` is neutralised and escaped."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_neutral,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment.filters |= {"prose": _prose, "listing": _listing}
    environment.globals |= {
        "style": Markup(style),
        "policy": POLICY.format(digest),
        "words": feedback_words,
    }
    return environment


def _neutral(value: object) -> object:
    """Markup is ours; any other text may hold what steers a terminal or a reader."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return safe_block(value)
    return value


def _listing(passage: Passage) -> Markup:
    """The lines with their numbers; those concerned are marked, also for who sees no colour."""
    shown = []
    for line in passage.lines:
        mark = "▶" if line.concerned else " "
        text = f"{mark}{line.number or '':>4}  {line.text}".rstrip()
        escaped = Markup.escape(safe_block(text))
        shown.append(Markup("<mark>{}</mark>").format(escaped) if line.concerned else escaped)
    return Markup("\n").join(shown)


def _prose(text: str) -> Markup:
    """The text with what stands between backticks as code."""
    parts = [Markup.escape(safe_block(part)) for part in text.split("`")]
    if len(parts) % 2 == 0:
        return Markup("`").join(parts)
    parts[1::2] = [Markup("<code>{}</code>").format(part) for part in parts[1::2]]
    return Markup("").join(parts)
