"""A stage's files: all there, none too many, and none that contradicts another."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from hearts_course.authoring.blank import starter_cells
from hearts_course.authoring.build import outdated
from hearts_course.authoring.chaffs import load_chaffs
from hearts_course.brief import load_brief, load_hints
from hearts_course.course import STAGE_FILE, Course, Stage
from hearts_course.errors import CourseError
from hearts_course.grading.misconceptions import load_patterns, path_of


def places(course: Course, stage: Stage) -> Iterator[str]:
    """The stage has its four places, and in them every file that a stage needs."""
    needed = [
        *(stage.assignment / name for name in ("README.md", "hints.md", *stage.files)),
        *(stage.solution / name for name in (*stage.files, "design.md")),
        stage.autograder / "chaffs.toml",
        stage.notebook,
    ]
    yield from (f"{path}: missing; write it or build it" for path in needed if not path.is_file())
    tests = {stage.assignment: stage.visible_tests, stage.autograder: stage.hidden_tests}
    for folder, found in tests.items():
        if not found:
            yield f"{folder}: no test_*.py; write at least one test"
    visible = {path.name for path in stage.visible_tests}
    known = {stage.assignment: {*stage.files, *visible}, stage.solution: {*stage.files}}
    for folder, names in known.items():
        for path in sorted(folder.glob("*.py")):
            if path.name not in names:
                yield f"{path}: not among `files` of stage.toml; name it there or delete it"


def strays(course: Course) -> Iterator[str]:
    """No folder or notebook looks like a stage's without there being such a stage."""
    names = {stage.name for stage in course.stages}
    patterns = ("assignments/*/", "solutions/*/", "autograder/[0-9]*/", "notebooks/*.ipynb")
    for pattern in patterns:
        for path in sorted(course.root.glob(pattern)):
            if path.stem not in names and not path.name.startswith((".", "__")):
                yield f"{path}: no stage.toml describes it; write one or delete it"


def current(course: Course, stage: Stage) -> Iterator[str]:
    """The starter, the notebook and the README's table are as `hearts build` writes them."""
    yield from (file.fault for file in outdated(course, [stage]))


def patterns(course: Course, stage: Stage) -> Iterator[str]:
    """It is written down what each chaff fails, and of nothing else."""
    chaffs = {(chaff.name, chaff.task) for chaff in load_chaffs(stage)}
    known = {(pattern.name, pattern.task) for pattern in load_patterns(stage)}
    for name, _ in sorted(chaffs ^ known):
        what = "is not in it" if name not in {name for name, _ in known} else "is not as in it"
        what = what if name in {name for name, _ in chaffs} else "is no chaff any more"
        yield f"{path_of(stage)}: {name!r} {what}; run `hearts build {stage.name} --patterns`"


def blanks(course: Course, stage: Stage) -> Iterator[str]:
    """Every blank that a task names is a definition of the reference."""
    starter_cells(stage)
    yield from ()


def prose(course: Course, stage: Stage) -> Iterator[str]:
    """Brief and hints have a section for every task, with its number, title and points."""
    for load in (load_brief, load_hints):
        try:
            load(stage)
        except CourseError as fault:
            yield str(fault)


def points(course: Course, stage: Stage) -> Iterator[str]:
    """Every task is worth a whole number of points, and builds on other tasks of its stage."""
    where = stage.assignment / STAGE_FILE
    known = {task.id for task in stage.tasks}
    for task in stage.tasks:
        if type(task.points) is not int or task.points < 1:
            yield f"{where}: {task.id}: points = {task.points!r}; write a whole number above 0"
        for other in sorted(set(task.builds_on) - (known - {task.id})):
            yield f"{where}: {task.id} builds on {other!r}, which is no other task of the stage"
    earlier = {other.name for other in course.stages if other.name < stage.name}
    for name in sorted(set(stage.builds_on) - earlier):
        yield f"{where}: builds on {name!r}, which is no earlier stage"


def unique(course: Course) -> Iterator[str]:
    """Modules, test files and task ids have names that nothing else in the course has."""
    stages = course.stages
    tests = [path for stage in stages for path in (*stage.visible_tests, *stage.hidden_tests)]
    kinds: dict[str, Iterable[str]] = {
        "module": [module for stage in stages for module in stage.modules],
        "test file": [Path(path).name for path in tests],
        "task": [task.id for stage in stages for task in stage.tasks],
    }
    for kind, names in kinds.items():
        for name, times in sorted(Counter(names).items()):
            if times > 1:
                yield f"{course.root}: {times} {kind}s are called {name!r}; rename all but one"
