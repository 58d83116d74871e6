"""A new stage: the four places with a small example that an author then edits.

The example is a whole stage, so that `hearts build` and `hearts verify` pass from the start.
"""

import keyword
import re
import sys
from pathlib import Path
from string import Template

from hearts_course.course import Course
from hearts_course.errors import UsageError

SKELETON = Path(__file__).with_name("skeleton")
NAME = re.compile(r"(\d\d)-([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
RESERVED = sys.stdlib_module_names | {"hearts_course", "pytest", "request", "stdlib"}

# Where each template of the skeleton goes.
PLACES = {
    "stage.toml": "assignments/$name/stage.toml",
    "brief.md": "assignments/$name/README.md",
    "hints.md": "assignments/$name/hints.md",
    "visible.py": "assignments/$name/test_$module.py",
    "reference.py": "solutions/$name/$module.py",
    "design.md": "solutions/$name/design.md",
    "hidden.py": "autograder/$name/test_${module}_hidden.py",
    "chaffs.toml": "autograder/$name/chaffs.toml",
    "patterns.json": "autograder/$name/patterns.json",
}


def scaffold(course: Course, name: str) -> list[Path]:
    """Write the sources of a new stage and return their paths.

    Raises UsageError, and writes nothing, if the name will not do or is taken.
    """
    words = _words(course, name)
    written = []
    for template, place in PLACES.items():
        text = (SKELETON / f"{template}.tmpl").read_text(encoding="utf-8")
        path = course.root / Template(place).substitute(words)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Template(text).substitute(words), encoding="utf-8", newline="\n")
        written.append(path)
    return written


def _words(course: Course, name: str) -> dict[str, str]:
    if not (parts := NAME.fullmatch(name)):
        raise UsageError(
            f"{name!r} cannot name a stage; write two digits and a word, as in 08-name"
        )
    number, slug = parts[1], parts[2]
    module = slug.replace("-", "_")
    _check_free(course, name, number, module)
    title = slug.replace("-", " ").capitalize()
    return {"name": name, "number": number, "slug": slug, "module": module, "title": title}


def _check_free(course: Course, name: str, number: str, module: str) -> None:
    if keyword.iskeyword(module) or module in RESERVED:
        raise UsageError(f"{name}: a module cannot be called {module}; choose another word")
    for folder in ("assignments", "solutions", "autograder", "notebooks"):
        for taken in sorted((course.root / folder).glob(f"{number}-*")):
            raise UsageError(f"{taken}: already there; choose another number")
    for stage in course.stages:
        if module in stage.modules:
            raise UsageError(f"{stage.name} has a module {module}; choose another word")
