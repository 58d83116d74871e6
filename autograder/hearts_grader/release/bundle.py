"""Make a workspace with the released stages, and a wheel that installs `hearts`.

The wheel holds the released stages only, so it is built from a copy of the checkout that has no
other stages. The wheel's version names the stages and ends with letters of a digest of the files,
as in `0.1.0+stages.1.2.solved.1.xbfde`. So different wheels have different versions. `pip` needs
this, because it does not install a wheel whose version is installed already.

A clinic is a stage in which students find and repair the mistake in a program that they are given.
"""

import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from _imp import source_hash  # computes the hash that `py_compile` writes into bytecode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from hearts_course.course import INSTALLED, STAGE_FILE, Course, Stage
from hearts_course.edition import NOTEBOOK, Edition
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import digest, read_text, write_whole
from hearts_course.student.state import StudentState, state_text
from hearts_course.student.workspace import (
    INSTALL,
    README,
    STATE_FILE,
    given_digests,
    naming_install,
    workspace_files,
)
from hearts_course.submissions.untrusted import files_below

from hearts_grader.authoring.notebook import build_notebook, notebook_text
from hearts_grader.model_answers import MODEL_ANSWERS
from hearts_grader.release.publish import Files

Placed: TypeAlias = Mapping[str, Path]  # paths of files by the files' names in a release

HERE = Path(__file__).parent
CONSTRAINTS = "constraints.txt"
PROJECT = "pyproject.toml"
PROJECT_FILES = (PROJECT, CONSTRAINTS, "README.md", "LICENSE")
TOOL = "autograder/hearts_course"
GRADER = "autograder/hearts_grader"
STUDENTS = ("assignments", "notebooks")
INSIDE = f"hearts_course/{INSTALLED}/"
# The table in `pyproject.toml` of the folders outside the package that go into the wheel.
INCLUDED = "[tool.hatch.build.targets.wheel.force-include]\n"
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
WORKFLOW = ".github/workflows/hearts.yml"  # checks each push to a student's repository
ALONE = ("selfstudy",)
ZIPS = (".whl", ".zip")
TAR = ".tar.xz"
NOTHING: Placed = MappingProxyType({})
IGNORED = (".venv/", "__pycache__/", ".ipynb_checkpoints/", "submissions/", "result.json")


@dataclass(frozen=True)
class Wheel:
    """The name of a wheel, and its content."""

    name: str
    data: bytes


def released_stages(course: Course, names: Sequence[str]) -> tuple[Stage, ...]:
    """Return the named stages and the stages that they build on, in the course's order.

    If `names` is empty, return all stages except drafts. A stage's clinic is released if any later
    stage is released too. Raise UsageError if a stage does not exist or is a draft.
    """
    chosen = [course.stage(name) for name in names]
    chosen = chosen or [stage for stage in course.stages if not stage.draft]
    wanted = {stage.name for stage in chosen}
    for stage in chosen:
        wanted.update(earlier.name for earlier in course.prerequisites(stage))
    # A stage's name begins with its number, so the last stage has the greatest name.
    last = max(wanted)
    with_later_stage = {name for name in wanted if name < last}
    for stage in course.stages:
        if stage.clinic in with_later_stage and not stage.draft:
            wanted.add(stage.name)
    for stage in course.stages:
        if stage.name in wanted and stage.draft:
            raise UsageError(f"{stage.name} is a draft; delete `draft = true` in its {STAGE_FILE}")
    return tuple(stage for stage in course.stages if stage.name in wanted)


def bundle(course: Course, stages: Sequence[Stage], reveal: Sequence[str] = ()) -> Files:
    """Return a workspace with the stages and with files that install `hearts`.

    The wheel holds the solutions of the stages in `reveal`, for `hearts compare`. Raise UsageError
    if a revealed stage is not released. Raise CourseError if the wheel cannot be built, or contains
    a file that is not for students.
    """
    solved = [course.stage(name) for name in reveal]
    label = []
    for stage in solved:
        if stage not in stages:
            raise UsageError(f"--reveal {stage.name}: not among the released stages")
    if solved:
        label = ["solved", *map(_label, solved)]
    with released_copy(course, stages, solutions(solved), label) as (copy, wheel):
        return _workspace(course, dict(workspace_files(copy)), wheel, "install.md")


def self_study(course: Course, stages: Sequence[Stage]) -> Files:
    """Return a workspace for learners without an instructor, with files that install `hearts`.

    A class gets all released stages at once, but a learner alone gets one stage after another. The
    wheel holds the hidden tests and the solutions of the stages. Raise CourseError if the wheel
    cannot be built.
    """
    edition = replace(NOTEBOOK, alone=True)
    with released_copy(course, stages, everything_hidden(stages), ALONE, edition) as (copy, wheel):
        first = [stage for stage in copy.stages if not stage.builds_on]
        texts = dict(workspace_files(copy, first, edition=Edition(alone=True)))
        return _workspace(course, texts, wheel, "self_study.md", grows=True)


def _workspace(
    course: Course, texts: Mapping[str, str], wheel: Wheel, guide: str, *, grows: bool = False
) -> dict[str, bytes]:
    """Return a workspace with these texts, its state, and files that install the wheel."""
    texts = {**texts, README: naming_install(texts[README])}
    state = StudentState(given=given_digests(texts), grows=grows)
    files = {name: text.encode() for name, text in texts.items()}
    files[STATE_FILE] = state_text(state).encode()
    files[wheel.name] = wheel.data
    files[INSTALL] = (HERE / guide).read_bytes()
    files[CONSTRAINTS] = read_text(course.root / CONSTRAINTS).encode()
    files["requirements.txt"] = _lines(f"-c {CONSTRAINTS}", f"./{wheel.name}")
    files["requirements-notebook.txt"] = _lines(f"-c {CONSTRAINTS}", f"./{wheel.name}[notebook]")
    return files


def github_template(workspace: Files) -> Files:
    """Return the workspace as a template for repositories that check each push."""
    workflow = (HERE / "workflow.yml").read_bytes()
    return {**workspace, WORKFLOW: workflow, ".gitignore": _lines(*IGNORED)}


def autograder(course: Course, stage: Stage) -> Files:
    """Return the stage's autograder, which runs our grader in Gradescope's container.

    The files are our two packages, the stage with its hidden tests, and the stages that it builds
    on.
    """
    run = (HERE / "run_autograder").read_text(encoding="utf-8").replace("{stage}", stage.name)
    files = {"setup.sh": (HERE / "setup.sh").read_bytes(), "run_autograder": run.encode()}
    paths = [course.root / name for name in PROJECT_FILES]
    for folder in (course.root / TOOL, course.root / GRADER, stage.autograder):
        paths += _without_model_answers(folder)
    for part in (*course.prerequisites(stage), stage):
        paths += [*files_below(part.assignment), *files_below(part.solution), part.notebook]
    for path in paths:
        files[f"course/{path.relative_to(course.root).as_posix()}"] = path.read_bytes()
    return files


def solutions(stages: Iterable[Stage]) -> Placed:
    """Return solutions and alternatives of the stages, for a release that reveals them."""
    placed: dict[str, Path] = {}
    for stage in stages:
        inside = stage.revealed.relative_to(stage.root).as_posix()
        for name in (*stage.files, "design.md"):
            placed[f"{inside}/{name}"] = stage.solution / name
        for path in sorted(stage.autograder.glob("alternatives/*/*.py")):
            placed[f"{inside}/{path.relative_to(stage.autograder).as_posix()}"] = path
    return placed


def everything_hidden(stages: Iterable[Stage]) -> Placed:
    """Return the solutions and hidden files of the stages, without model answers.

    Students of a class never get these files, but a learner without an instructor does.
    """
    placed: dict[str, Path] = {}
    for stage in stages:
        for folder in (stage.solution, stage.autograder):
            for path in _without_model_answers(folder):
                placed[path.relative_to(stage.root).as_posix()] = path
    return placed


def _without_model_answers(folder: Path) -> list[Path]:
    """Return the folder's files except model answers, which no release may hold."""
    return [path for path in files_below(folder) if path.name != MODEL_ANSWERS]


def model_answers(stages: Iterable[Stage]) -> list[Path]:
    """Return the stages' model answers; no release holds them, not even one for self-study."""
    paths = [stage.autograder / MODEL_ANSWERS for stage in stages]
    return [path for path in paths if path.is_file()]


def in_wheel(files: Placed) -> dict[str, Path]:
    """Map the files' names in a wheel to the files."""
    return {f"{INSIDE}{name}": path for name, path in files.items()}


@contextmanager
def released_copy(
    course: Course,
    stages: Sequence[Stage],
    extra: Placed = NOTHING,
    label: Sequence[str] = (),
    edition: Edition = NOTEBOOK,
) -> Iterator[tuple[Course, Wheel]]:
    """Yield a copy of the checkout with the students' files of these stages, and its wheel.

    The wheel also holds `extra`, and its version contains `label`. The notebooks are built for the
    edition. Raise CourseError if the wheel cannot be built, or contains a file that is not for
    students.
    """
    others = {stage.name for stage in course.stages} - {stage.name for stage in stages}
    contents = _contents(course, extra, others)
    # The notebooks in the checkout are those of the edition NOTEBOOK.
    if edition != NOTEBOOK:
        for stage in stages:
            inside = stage.notebook.relative_to(course.root).as_posix()
            contents[inside] = notebook_text(build_notebook(stage, edition)).encode()
    labels = [*label, _letters(contents)]
    if others:
        labels = ["stages", *map(_label, stages), *labels]
    with tempfile.TemporaryDirectory() as name:
        copy = Course(Path(name))
        for inside, data in contents.items():
            write_whole(copy.root / inside, data)
        project = read_text(copy.root / PROJECT).replace(INCLUDED, INCLUDED + _included(extra))
        write_whole(copy.root / PROJECT, project)
        tool = copy.root / TOOL / "__init__.py"
        version = rf'__version__ = "\1+{".".join(labels)}"'
        write_whole(tool, VERSION.sub(version, read_text(tool), count=1))
        wheel = build_wheel(copy)
        refuse_secrets(course, [(wheel.name, wheel.data)], in_wheel(extra))
        yield copy, wheel


def _contents(course: Course, extra: Placed, left_out: Collection[str]) -> dict[str, bytes]:
    """Return the students' files of the checkout, and `extra`, without the stages left out."""
    paths = [course.root / name for name in PROJECT_FILES]
    for folder in (TOOL, *STUDENTS):
        paths += files_below(course.root / folder)
    files = {path.relative_to(course.root).as_posix(): path for path in paths}
    contents = {}
    for inside, path in (files | dict(extra)).items():
        top, *below = inside.split("/")
        if top in STUDENTS:
            # `assignments/` has a folder with the name of the stage, `notebooks/` a file.
            stage = below[0].split(".")[0]
            if stage in left_out:
                continue
        contents[inside] = path.read_bytes()
    return contents


def _included(extra: Placed) -> str:
    """Return lines for the project's settings, which add the folders of `extra` to the wheel.

    The folders in STUDENTS are left out, because the settings list them already.
    """
    folders = set()
    for name in extra:
        parts = name.split("/")
        if parts[0] not in STUDENTS:
            folders.add("/".join(parts[:2]))
    return "".join(f'"{name}" = "{INSIDE}{name}"\n' for name in sorted(folders))


def _letters(files: Mapping[str, bytes]) -> str:
    """Return letters of a digest of the files, for a version."""
    parts: list[str | bytes] = []
    for name, data in sorted(files.items()):
        parts += [name, data]
    return "x" + digest(*parts)[:7]


def _label(stage: Stage) -> str:
    """Return the stage's number in the form that a version of a wheel allows."""
    number = stage.name.partition("-")[0]
    return str(int(number)) if number.isdecimal() else number.lower()


def build_wheel(checkout: Course) -> Wheel:
    """Build the checkout's wheel and return it; raise CourseError if this fails."""
    if find_spec("hatchling") is None:
        raise CourseError("releasing the course needs hatchling; run `pip install hatchling`")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        done = subprocess.run(
            command, cwd=checkout.root, capture_output=True, text=True, check=False
        )
        built = list(Path(folder).glob("*.whl"))
        if done.returncode or len(built) != 1:
            output = (done.stderr or done.stdout).strip().splitlines() or ["nothing was built"]
            raise CourseError(f"no wheel could be built: {output[-1]}")
        return Wheel(built[0].name, built[0].read_bytes())


def refuse_secrets(
    course: Course, files: Iterable[tuple[str, bytes]], allowed: Placed = NOTHING
) -> None:
    """Raise CourseError if a file is not for students; also look into archives among the files.

    Hidden tests and solutions are not for students, not even as bytecode. `allowed` are the hidden
    files that this release may contain. Files are compared by content, because wrong settings could
    put a hidden file anywhere.
    """
    hidden = [*everything_hidden(course.stages).values(), *model_answers(course.stages)]
    contents = [path.read_bytes() for path in hidden]
    secret = frozenset(data for data in contents if data.strip())  # an empty file reveals nothing
    for name, data in _unpacked(files):
        source = data
        if name.endswith(".pyc"):
            source = _source_of(data, secret)
        if name in allowed and allowed[name].read_bytes() == source:
            continue
        is_in_course = name.startswith(INSIDE)
        folder = name.removeprefix(INSIDE).split("/")[0]
        if (is_in_course and folder not in STUDENTS) or source in secret:
            raise CourseError(f"{name}: not for students, but about to be released; see {PROJECT}")


def _unpacked(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield each file, and the files in the archives among them."""
    for name, data in files:
        yield name, data
        if name.endswith(TAR):
            yield from _unpacked(_in_tar(data))
        elif name.endswith(ZIPS):
            yield from _unpacked(_in_zip(data))


def _in_tar(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the files in a tar archive."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if file := archive.extractfile(member):  # None for a folder
                yield member.name, file.read()


def _in_zip(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the entries of a zip or wheel."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)


def _source_of(bytecode: bytes, sources: frozenset[bytes]) -> bytes:
    """Return the source from which the bytecode was compiled.

    Return b"" if it was compiled from none of `sources`. Bytes 0 to 3 of bytecode stand for
    Python's version. Bytes 8 to 15 are the hash of the source.
    """
    return _hashes(int.from_bytes(bytecode[:4], "little"), sources).get(bytecode[8:16], b"")


@cache
def _hashes(version: int, sources: frozenset[bytes]) -> Mapping[bytes, bytes]:
    """Map the hash of each source to the source; each version of Python has its own hash."""
    return {source_hash(version, source): source for source in sources}


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
