"""Assemble a course with an instructor's stages, and with the instructor's tests and points.

    STAGES/assignments/08-name/ ...      a new stage, laid out like a stage of the course
    OVERLAY/01-cards/test_own.py         adds or replaces a file of the hidden suite
    OVERLAY/01-cards/test_cards.py       replaces the visible tests
    OVERLAY/01-cards/points.toml         read-a-card = 5, and leave_out = ["shuffle-a-deck"]

The stages in STAGES are added to the course. A file in OVERLAY is added to its stage, or replaces
the stage's file of the same name.

The assembled course is a folder of links in the checkout, and every command works on this folder.
Some files depend on points or tests. They are not links, but real files that are written into this
folder: stage.toml, brief, hints, mistakes, notebook and the README.
"""

import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hearts_course.brief import BRIEF, HINTS, with_headings
from hearts_course.course import (
    MISTAKES,
    PLACES,
    STAGE_FILE,
    SUITES,
    Course,
    Stage,
    in_checkout,
    load_stage,
    pick,
)
from hearts_course.errors import StageError, UsageError
from hearts_course.files import digest, disk_error, read_text, read_toml, write_whole
from hearts_course.misconceptions import FILE as PATTERNS
from hearts_course.submissions.untrusted import files_below, is_clutter
from hearts_course.testing.near_examples import FILE as EXAMPLES

from hearts_grader.authoring.build import build
from hearts_grader.authoring.trials import VERDICTS

ASSEMBLED = ".hearts-with"  # the folder of the checkout that holds the folders of links
NOTEBOOKS = "notebooks"
README = "README.md"
PARTS = ".parts"  # the folder of files that npm has downloaded for a web site
POINTS = "points.toml"
LEAVE_OUT = "leave_out"  # the key in points.toml that lists the tasks without points
ALTERNATIVES = "alternatives"
SUITE = re.compile(r"test_.*\.py|chaffs\.toml")


def assemble(course: Course, stages: Path | None, overlay: Path | None) -> Course:
    """Return the course with the stages of the folder `stages`, changed by the folder `overlay`.

    An overlay has a folder for each stage that it changes. The files in this folder replace files
    of the stage, are added to them, or change the points. Either folder may be None.

    The returned course is a folder of links. This folder is named by a digest of both paths, so
    that each pair of paths has its own folder of links. Raise UsageError if two stages have the
    same name, or if a folder of `overlay` is not named like a stage. Raise StageError for invalid
    points.
    """
    home = in_checkout(course).root.resolve()
    stages = stages and stages.resolve()
    overlay = overlay and overlay.resolve()
    root = home / ASSEMBLED / digest(str(stages), str(overlay))[:12]
    links = _links_into(home)
    if stages:
        links |= _links_to_stages(stages, links)
    sources = {}
    if overlay:
        for folder in overlay.iterdir():
            if folder.is_dir() and not is_clutter(folder.name):
                sources[folder] = _lay_over(folder, links)
    written = [VERDICTS, README]
    for source_of_file in sources.values():
        written += source_of_file.keys()
    try:
        _write_links(root, {name: links[name] for name in links if name != README}, written)
    except OSError as error:
        raise disk_error(root, error) from None
    # The README is copied and not linked, because `build` changes the table in it.
    _put(root / README, read_text(home / README))
    overlaid = [_stage_with_points(root, folder, files) for folder, files in sources.items()]
    assembled = replace(course, root=root, home=stages)
    build(assembled, overlaid)
    return assembled


def _links_into(home: Path) -> dict[str, Path]:
    """Map the path of each link, in the folder of links, to the link's target in the checkout.

    Stages from another folder are added to the folders of PLACES and to the notebooks. So there is
    no link to such a folder as a whole, but a link to each file and folder in it.
    """
    shared = [home / folder for folder in (*PLACES, NOTEBOOKS)]
    shared.append((home / SUITES).parent)
    links = {}
    for folder in (home, *shared):
        for path in folder.iterdir():
            if path not in shared and (path.name == PARTS or not is_clutter(path.name)):
                links[path.relative_to(home).as_posix()] = path
    return links


def _links_to_stages(stages: Path, present: Collection[str]) -> dict[str, Path]:
    """Return links to the folders and the notebook of each stage in `stages`.

    The links have the same form as those of `_links_into`. Raise UsageError if the course already
    has a stage of the same name.
    """
    links = {}
    for path in stages.glob(f"assignments/*/{STAGE_FILE}"):
        name = path.parent.name
        if f"assignments/{name}" in present:
            raise UsageError(f"{path.parent}: the course has a stage of this name; choose another")
        for place in (*(f"{folder}/{name}" for folder in PLACES), f"{NOTEBOOKS}/{name}.ipynb"):
            links[place] = path.parents[2] / place
    return links


def is_overlaid(stage: Stage) -> bool:
    """Return whether an overlay changes the stage.

    An overlay is the instructor's folder of files that replace a stage's files. A changed stage has
    a real folder among the links, because some of its files are written there.
    """
    return stage.root.parent.name == ASSEMBLED and not stage.assignment.is_symlink()


def own_stages(course: Course) -> tuple[Stage, ...]:
    """Return the stages that come from another folder, and the stages that an overlay changes."""
    stages = []
    for stage in course.stages:
        is_elsewhere = course.home and stage.assignment.resolve().is_relative_to(course.home)
        if is_elsewhere or is_overlaid(stage):
            stages.append(stage)
    return tuple(stages)


def _lay_over(overlay: Path, links: dict[str, Path]) -> dict[str, Path]:
    """Link a stage's files one by one; files of the folder `overlay` replace those of the stage.

    Return the files that are written and not linked: map the path of each, in the folder of links,
    to the file from which it is made. Raise UsageError if no stage has the folder's name.
    """
    names = {Path(name).name: name for name in links if name.startswith("assignments/")}
    assignment = pick(overlay.name, names, "stage")
    suite = f"{SUITES}/{overlay.name}"
    sources = {place: links.pop(place) for place in (assignment, suite)}
    visible = {path.name for path in files_below(sources[assignment]) if SUITE.fullmatch(path.name)}
    for place, source in (*sources.items(), (suite, overlay)):
        for path in _parts(source):
            is_at_top = source == overlay and path.parent == overlay
            replaces_visible = is_at_top and path.name in visible
            folder = assignment if replaces_visible else place
            links[f"{folder}/{path.relative_to(source).as_posix()}"] = path
    links.pop(f"{suite}/{POINTS}", None)
    if any(SUITE.fullmatch(path.name) for path in overlay.iterdir()):
        # `hearts build --patterns` writes these two files through the links into the overlay.
        for name in (PATTERNS, EXAMPLES):
            links[f"{suite}/{name}"] = overlay / name
    written = [f"{assignment}/{name}" for name in (STAGE_FILE, BRIEF, HINTS, MISTAKES)]
    written.append(f"{NOTEBOOKS}/{overlay.name}.ipynb")
    return {name: links.pop(name) for name in written if name in links}


def _parts(folder: Path) -> Iterator[Path]:
    """Yield the paths to link: single files, and the whole folder of each alternative.

    An alternative is a correct program that is written differently from the reference. It is read
    as a submission, and a submission must not be made of links.
    """
    for path in files_below(folder):
        inside = path.relative_to(folder).parts
        if inside[0] != ALTERNATIVES:
            yield path
    yield from (folder / ALTERNATIVES).glob("*/")


def _write_links(root: Path, links: Mapping[str, Path], written: Collection[str]) -> None:
    """Make the links under the folder; remove all other files, but keep the `written` ones.

    A changed link is made under another name and then renamed. So a command that runs at the same
    time always finds a file there.
    """
    root.mkdir(parents=True, exist_ok=True)
    for here, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(here, name)
            place = path.relative_to(root).as_posix()
            if place == VERDICTS:
                # Do not let `os.walk` enter the folder with the verdicts of `hearts verify`.
                folders.remove(name)
            elif path.is_symlink() or not path.is_dir():
                wanted: Collection[str] = links if path.is_symlink() else written
                if place not in wanted:
                    path.unlink()
            elif place in links:
                shutil.rmtree(path)
    for place, target in links.items():
        path = root / place
        if not (path.is_symlink() and path.readlink() == target):
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f".{path.name}.{os.getpid()}")
            new.symlink_to(target)
            new.replace(path)


def _stage_with_points(root: Path, overlay: Path, sources: Mapping[str, Path]) -> Stage:
    """Write the stage's stage.toml, brief and hints with the overlay's points; return the stage.

    Raise StageError if a task does not exist, or if no task is left.
    """
    folder = f"assignments/{overlay.name}"
    path = root / folder / STAGE_FILE
    points = overlay / POINTS
    text = read_text(sources[f"{folder}/{STAGE_FILE}"])
    wanted = _points(points) if points.exists() else {}
    # Python reads TOML but does not write it, so the points are replaced in the text itself.
    tasks = re.split(r"^(?=\[\[)", text, flags=re.MULTILINE)
    for name, number in wanted.items():
        marked = re.compile(rf'^id = "{re.escape(name)}"$', re.MULTILINE)
        for index, task in enumerate(tasks):
            if marked.search(task):
                tasks[index] = _with_points(task, number)
    _put(path, "".join(tasks))
    stage = load_stage(root, path)
    for name in wanted:
        stage.task_in(points, name)  # raises StageError for a name that no task has
    if not stage.points:
        raise StageError(f"{points}: leaves out every task; leave out the stage instead")
    for name in (BRIEF, HINTS):
        _put(root / folder / name, with_headings(stage, sources[f"{folder}/{name}"]))
    return stage


def _points(path: Path) -> dict[str, object]:
    """Map each task in the file to its points; a task to leave out has 0 points.

    Raise StageError if the file is invalid.
    """
    wanted = read_toml(path)
    left_out = wanted.pop(LEAVE_OUT, [])
    if not isinstance(left_out, list):
        raise StageError(f"{path}: {LEAVE_OUT} = {left_out!r}; write a list of tasks")
    for name, number in wanted.items():
        if not isinstance(number, int) or number < 1:
            advice = f'write a whole number of points above 0, or {LEAVE_OUT} = ["{name}"]'
            raise StageError(f"{path}: {name} = {number!r}; {advice}")
        if name in left_out:
            raise StageError(f"{path}: {name} has points and is in {LEAVE_OUT}; remove one")
    return wanted | dict.fromkeys(map(str, left_out), 0)


def _with_points(task: str, number: object) -> str:
    """Return the task's table with another number of points."""
    return re.sub(r"^points = .*", f"points = {number}", task, flags=re.MULTILINE)


def _put(path: Path, text: str) -> None:
    """Write the file if its text differs, so that an unchanged file keeps its time."""
    if not path.is_file() or read_text(path) != text:
        write_whole(path, text)
