"""Write the site's pages of text, made from the course's Markdown.

The pages load nothing from other sites, and only the page of the card table runs a script.
"""

import itertools
import re
from functools import cache
from pathlib import Path
from typing import Any

from hearts_course import view
from hearts_course.brief import load_brief, load_hints
from hearts_course.course import Course, Stage
from hearts_course.edition import Edition
from hearts_course.files import read_text, write_whole
from hearts_course.reports.html import TEMPLATES
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

HERE = Path(__file__).parent
VIEW = Path(view.__file__).parent
LAB = "lab/notebooks/index.html?path="
LINK = re.compile(r'(href|src)="(?:\.\./)?([\w-]+\.md|pictures/[\w.-]+)"')
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
SCROLL = '<div class="scroll" tabindex="0" role="region" aria-label="Table {}">{}</div>'


# The card table runs Python, so its page allows the site's own scripts and WebAssembly.
PLAY = {
    "policy": "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'",
    "styles": ["../style.css", "card_table.css"],
}
PLAY_FILES = (HERE / "play.js", *(VIEW / f"card_table.{kind}" for kind in ("js", "css")))


def write_pages(
    course: Course, folder: Path, picture: Path, edition: Edition, *, play: bool = False
) -> None:
    """Write the start page, a page for each stage and each shared text, and files for the pages.

    `play` adds a page for the card table, whose program is in the folder `lab`. For learners
    without an instructor, the start page says that the site has hidden tests and solutions.
    """
    stages = course.stages
    values = {"stages": stages, "picture": picture.name, "alone": edition.alone}
    start = _filled("start", play=play, **values)
    pages = {"index": ("Hearts", start)}
    for stage in stages:
        pages[stage.name] = f"{stage.name} {stage.title}", _stage_page(stage, edition)
    for path in course.shared:
        if path.suffix == ".md":
            text = edition.text(read_text(path))
            pages[path.stem] = text.partition("\n")[0].lstrip("# "), as_html(text)
    files: dict[str, str] = {}
    for name, (title, content) in pages.items():
        files[f"{name}.html"] = _scrollable(_page(title, content, play=play))
    if play:
        files |= {f"play/{path.name}": read_text(path) for path in PLAY_FILES}
        table = _filled("play", lab=f"../{LAB}")
        files["play/index.html"] = _page("Play Hearts", table, root="../", play=True, **PLAY)
    files["style.css"] = read_text(TEMPLATES / "style.css") + read_text(HERE / "site.css")
    for name, text in files.items():
        write_whole(folder / name, text)
    pictures = [path for path in course.shared if path.suffix == ".svg"]
    for path in (*pictures, HERE / "icon.svg", picture):
        write_whole(folder / "pictures" / path.name, path.read_bytes())


def _stage_page(stage: Stage, edition: Edition) -> Markup:
    """Return the stage's brief, with the hints of each task behind folds."""
    brief = load_brief(stage, edition)
    hints = load_hints(stage)
    tasks = []
    for task in stage.tasks:
        hints_of_task = [as_html(hint) for hint in hints[task.id]]
        tasks.append((as_html(brief.sections[task.id]), hints_of_task))
    intro = as_html(brief.intro)
    end = as_html(brief.end)
    return _filled("stage", stage=stage, intro=intro, tasks=tasks, end=end)


def as_html(text: str) -> Markup:
    """Return Markdown of the course as HTML; its links to Markdown files become links to pages.

    An empty cell in a table's head becomes an ordinary cell.
    """
    html: str = MarkdownIt("commonmark").enable("table").render(text)
    return Markup(LINK.sub(_as_page, html).replace("<th></th>", "<td></td>"))


def _scrollable(page: str) -> str:
    """Return the page with tables in boxes that scroll, for phones and for the keyboard."""
    numbers = itertools.count(1)
    return TABLE.sub(lambda found: SCROLL.format(next(numbers), found[0]), page)


def _as_page(link: re.Match[str]) -> str:
    """Return the link; if it leads to a Markdown file, change it to the page made from the file."""
    target = link[2]
    if target.endswith(".md"):
        target = f"{target.removesuffix('.md')}.html"
    return f'{link[1]}="{target}"'


def _page(title: str, content: Markup, root: str = "", **values: Any) -> Markup:
    """Return a whole page; `root` is the path from the page's folder to the site's.

    A page runs no script and loads only pictures and styles of the site, unless the value `policy`
    allows more.
    """
    values = {"policy": "style-src 'self'", "styles": [f"{root}style.css"]} | values
    return _filled("page", title=title, content=content, root=root, lab=root + LAB, **values)


def _filled(template: str, **values: Any) -> Markup:
    """Return the filled-in template; a missing value is an error."""
    return Markup(_templates().get_template(f"{template}.html.j2").render({"lab": LAB} | values))


@cache
def _templates() -> Environment:
    """Return the site's templates; they escape what is not `Markup`."""
    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
