"""Texts fit their readers: students with files, with notebooks, on the site, or without a class."""

import ast
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from hearts_course.brief import load_hints
from hearts_course.course import find_course
from hearts_course.edition import FILES, NOTEBOOK, Edition, as_calls
from hearts_course.errors import StageError
from hearts_course.files import read_text
from hearts_course.questions import load_questions
from hearts_course.student.workspace import workspace_files
from hearts_grader.authoring.notebook import build_notebook
from hearts_grader.release import bundle
from hearts_grader.site import build, lab
from hearts_grader.site.pages import write_pages

COURSE = find_course()
TOOL = COURSE.root / "autograder/hearts_course"
SITE = Edition(notebook=True, terminal=False)
VERBS = (
    "catch|check|collect|compare|explain|export|extract|grade|hint|next|play|predict|progress|"
    "release|reset|start|submit|variant|watch"
)
TERMINAL = re.compile(
    rf"^\$ |\bhearts ({VERBS})\b(?! are)|`hearts`|\bpip install|`pytest[` ]|`python |"
    "[Ii]n a terminal"
)
CLASS = re.compile(r"\binstructor|\bdeadline|\bgrad(e|es|ed|ing)\b|\bhanded in\b|\bHand (it )?in\b")
CELL = re.compile(r"\bcells?\b", re.IGNORECASE)
ALLOWED = (
    # Commands for students with a terminal. Students on the site call functions instead.
    "$ python uva181.py < sample-decks.txt",
    '$ echo "TS QC TS #" | python uva181.py',
    "$ echo $?",
    "$ python console.py --play south --seed 7",
    "$ python console.py --watch --book DYNACOMP",
    "$ python hearts15.py",
    # In a brief, "handed in" means passed as arguments. The second of the two lines below stands on
    # the site itself: it tells readers about another edition.
    "whatever it depends on can be handed in: who answers",
    "It also works on a computer with the course: `hearts start my-hearts",
)
SHELL = {"cli", "play", "sandbox", "submissions"} | {"terminal.py", "__main__.py"}
SHELL |= {"watch.py", "watch_screen.py"}
SHELL.add("edition.py")  # handles the texts that name a terminal
KNOWN_MESSAGES = (
    "a table is shown in a notebook only",  # shown only outside of notebooks
    "`hearts grade` gives the grade",  # shown only while nbgrader runs a notebook
    "is not a workspace; make one with",
    "; `hearts start .` there makes a new one",
    "is inside the course itself",
    "and ask again",  # shown only by `hearts start --bare`
    "is not in your workspace yet",  # the site has all notebooks
    "# Made by `hearts extract`",
    "the card table needs anywidget",  # the site has anywidget
)


def lines_with(pattern, texts, allowed=ALLOWED):
    """Return, as "NAME: LINE", the lines that match the pattern and have no allowed part."""
    return [
        f"{name}: {line}"
        for name, text in texts.items()
        for line in text.splitlines()
        if pattern.search(line) and not any(part in line for part in allowed)
    ]


def notebooks(edition):
    """Return the texts of all notebooks' cells by "STAGE CELL"."""
    return {
        f"{stage.name} {cell.id}": re.sub(r"base64,\S+", "", cell.source)
        for stage in COURSE.stages
        for cell in build_notebook(stage, edition).cells
    }


def beside(edition):
    """Map names to texts: the hints, the questions and the workspace's files except notebooks."""
    texts = dict(workspace_files(COURSE, edition=edition))
    for stage in COURSE.stages:
        for task, hints in load_hints(stage).items():
            texts[f"hints {task}"] = "\n".join(hints)
        questions = load_questions(stage)
        for asked in (*questions.know, *questions.predict):
            texts[f"question {asked.key}"] = f"{asked.why}\n{asked.because}"
    return {name: text for name, text in texts.items() if not name.endswith(".ipynb")}


def test_what_is_written_for_files_names_no_cell():
    for edition in (FILES, Edition(alone=True)):
        texts = {name: text for name, text in beside(edition).items() if name[-3:] != ".py"}
        assert "README.md" in texts
        del texts["README.md"]  # the README is also for students with notebooks
        assert lines_with(CELL, texts) == []


@pytest.mark.proof
@pytest.mark.parametrize("edition", [Edition(alone=True), replace(SITE, alone=True)])
def test_who_learns_alone_reads_of_no_class(edition):
    texts = beside(edition) | notebooks(replace(edition, notebook=True))
    texts["INSTALL.md"] = read_text(Path(bundle.__file__).with_name("self_study.md"))
    assert lines_with(CLASS, texts) == []
    assert lines_with(CLASS, beside(FILES)), "the pattern finds what a class reads"


def html_texts(folder):
    """Return each page's words by file name, without the part for teachers."""
    pages = {path.name: read_text(path) for path in folder.glob("*.html")}
    return {
        name: unescape(re.sub(r"<[^>]+>", "", page.partition("<h2>If you teach</h2>")[0]))
        for name, page in pages.items()
    }


@pytest.mark.proof
@pytest.mark.parametrize("alone", [False, True])
def test_the_site_names_no_command_of_a_terminal(tmp_path, alone):
    edition = replace(SITE, alone=alone)
    picture = COURSE.root / build.PICTURE
    write_pages(COURSE, tmp_path, picture, edition)
    pages = html_texts(tmp_path)
    assert len(pages) == len(COURSE.stages) + 4
    cells = notebooks(edition) | {str(n): "\n".join(cell) for n, cell in enumerate(lab.CELLS)}
    assert lines_with(TERMINAL, pages | cells) == []
    if alone:
        assert lines_with(CLASS, pages | cells) == []
    assert lines_with(TERMINAL, beside(FILES)), "the pattern finds what a terminal can do"


def messages(path):
    """Yield the place and the text of each string in a module, except docstrings.

    A `?` stands for each value that an f-string fills in.
    """
    tree = ast.parse(read_text(path))
    inside = {
        id(part) for one in ast.walk(tree) if isinstance(one, ast.JoinedStr) for part in one.values
    }
    docs = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "?" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in inside | docs else node.value
        else:
            continue
        yield f"{path.name}:{node.lineno}", text


def test_no_message_of_a_notebook_on_the_site_names_a_terminal():
    paths = [path for path in sorted(TOOL.rglob("*.py")) if not {*path.parts} & SHELL]
    texts = {place: SITE.text(text) for path in paths for place, text in messages(path)}
    assert lines_with(TERMINAL, texts, KNOWN_MESSAGES) == []


def test_a_part_of_a_text_is_in_the_editions_that_it_names():
    text = (
        "Use <!-- if files -->`hearts check a`<!-- else the cell -->.<!-- notebook: (Run it.) -->"
    )
    assert FILES.text(text) == "Use `hearts check a`."
    assert NOTEBOOK.text(text) == "Use the cell. (Run it.)"
    lines = "a\n\n<!-- if class terminal -->\nb\n<!-- else\nc\n-->\n\nd\n"
    assert (FILES.text(lines), SITE.text(lines)) == ("a\n\nb\n\nd\n", "a\n\nc\n\nd\n")
    left_out = "<!-- if files -->\nb\n<!-- end -->\n"
    assert SITE.text(f"a\n\n\n\nb\n\n{left_out}\nc") == "a\n\n\n\nb\n\nc"
    assert SITE.text(f"a\n{left_out}\nc") == "a\n\nc"


@pytest.mark.parametrize(
    "text", ["<!-- if files -->", "<!-- if boat -->a<!-- end -->", "a<!-- end -->"]
)
def test_a_part_without_an_end_is_refused(text):
    with pytest.raises(StageError, match=r"does not end|ends nothing|no edition is called boat"):
        FILES.text(text)


def test_no_line_of_a_source_begins_with_a_part_that_markdown_would_not_format():
    pages = [*COURSE.root.glob("assignments/*.md"), *COURSE.root.glob("assignments/*/*.md")]
    begins = re.compile(r"^<!-- (if [a-z ]+ -->.|[a-z]+:)", re.MULTILINE)
    assert [path for path in pages if begins.search(read_text(path))] == []


@pytest.mark.parametrize(
    ("command", "call"),
    [
        ("`hearts check 01-cards read-a-card`", '`check("read-a-card")`'),
        ("`hearts check --full 01`", '`check("01", full=True)`'),
        ("`hearts variant ada 02`", '`variant("ada", "02")`'),
        ("answers `hearts predict`, then", "answers `predict`, then"),
        ("`hearts reset 01 --missing`", '`reset("01", missing=True)`'),
        ("`hearts play 04`", "`hearts play 04`"),
    ],
)
def test_a_notebook_has_calls_in_place_of_commands(command, call):
    assert as_calls(command) == call
    assert NOTEBOOK.text(command) == call
    assert FILES.text(command) == command
