"""Write a new stage, with a small example for the author to edit, or remove a stage.

A stage has four places: its folders of assignment, solution and hidden tests, and its notebook,
which `hearts build` makes. The example is a whole stage, so `hearts verify` passes after the first
`hearts build`.
"""

import keyword
import re
import shutil
import sys
from pathlib import Path
from string import Template

from hearts_course.course import PLACES, SUITES, Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import read_text, write_whole

SKELETON = Path(__file__).with_name("skeleton")
NAME = re.compile(r"(\d\d)-([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
PACKAGES = {"hearts_course", "hearts_grader"}
RESERVED = sys.stdlib_module_names | PACKAGES | {"pytest", "request", "stdlib", "typed"}

# Where each template of the skeleton goes.
TEMPLATES = {
    "stage.toml": "assignments/$name/stage.toml",
    "brief.md": "assignments/$name/README.md",
    "hints.md": "assignments/$name/hints.md",
    "discuss.md": "assignments/$name/discuss.md",
    "visible.py": "assignments/$name/test_$module.py",
    "reference.py": "solutions/$name/$module.py",
    "design.md": "solutions/$name/design.md",
    "hidden.py": f"{SUITES}/$name/test_${{module}}_hidden.py",
    "chaffs.toml": f"{SUITES}/$name/chaffs.toml",
    "model-answers.md": f"{SUITES}/$name/model-answers.md",
    "patterns.json": f"{SUITES}/$name/patterns.json",
    "examples.json": f"{SUITES}/$name/examples.json",
}


def scaffold(course: Course, name: str) -> list[Path]:
    """Write the sources of a new stage and return their paths.

    Raise UsageError, and write nothing, if the name is invalid or taken.

    The paths are below the course's home, which may be outside of the checkout.
    """
    if not (parts := NAME.fullmatch(name)):
        raise UsageError(
            f"{name!r} cannot name a stage; write two digits and a word, as in 08-name"
        )
    number = parts[1]
    slug = parts[2]
    module = slug.replace("-", "_")
    title = slug.replace("-", " ").capitalize()
    _check_free(course, name, number, module)
    words = {"name": name, "number": number, "slug": slug, "module": module, "title": title}
    written = []
    for template, place in TEMPLATES.items():
        path = (course.home or course.root) / Template(place).substitute(words)
        text = Template(read_text(SKELETON / f"{template}.tmpl")).substitute(words)
        written.append(write_whole(path, text))
    return written


def remove_stage(course: Course, stage: Stage) -> list[Path]:
    """Delete the stage's four places and return them.

    Raise UsageError if another stage needs this stage, or if an overlay (`--overlay`) replaces
    files of it.
    """
    if stage.solution.is_symlink() and not stage.assignment.is_symlink():
        raise UsageError(f"{stage.name}: files are laid over it; remove it without --overlay")
    # Stages that build on this stage would be left without the modules that they need.
    for other in course.stages:
        if stage.name in (*other.builds_on, other.clinic):
            raise UsageError(f"{other.name} needs {stage.name}; remove that first")
    places = [stage.assignment, stage.solution, stage.autograder, stage.notebook]
    present = [place for place in places if place.exists()]
    for place in present:
        place = place.resolve()  # a stage outside of the checkout is reached by links
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()
    return present


def _check_free(course: Course, name: str, number: str, module: str) -> None:
    """Raise UsageError if the number or the module is taken, or if no module may have this name.

    A module named like a library would hide the library from `hearts`.
    """
    if keyword.iskeyword(module) or module in RESERVED:
        raise UsageError(f"{name}: a module cannot be called {module}; choose another word")
    for folder in (*PLACES, "notebooks"):
        for taken in sorted((course.root / folder).glob(f"{number}-*")):
            raise UsageError(f"{taken}: already there; choose another number")
    for stage in course.stages:
        if module in stage.modules:
            raise UsageError(f"{stage.name} has a module {module}; choose another word")
