"""What a student gets: a workspace with the released stages, and a wheel that installs the tool.

The wheel holds the released stages only, so it is built from a copy of the checkout without the
others. Its version names them and ends with letters of a digest of its files, as in
`0.1.0+stages.1.2.solved.1.xbfde`, because `pip` installs only what has another version.
"""

import io
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hearts_course.course import INSTALLED, STAGE_FILE, Course, Stage
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import digest, read_text
from hearts_course.release.publish import Files
from hearts_course.student.state import StudentState, state_text
from hearts_course.student.workspace import STATE_FILE, given_digests, workspace_files
from hearts_course.submissions.untrusted import files_below

HERE = Path(__file__).parent
CONSTRAINTS = "constraints.txt"
PROJECT = "pyproject.toml"
PROJECT_FILES = (PROJECT, CONSTRAINTS, "README.md", "LICENSE")
TOOL = "autograder/hearts_course"
STUDENTS = ("assignments", "notebooks")
INSIDE = f"hearts_course/{INSTALLED}/"
INCLUDED = "[tool.hatch.build.targets.wheel.force-include]\n"
VERSION = re.compile(r'^version = "(.+)"$', re.MULTILINE)
WORKFLOW = ".github/workflows/hearts.yml"
IGNORED = (".venv/", "__pycache__/", ".ipynb_checkpoints/", "submissions/", "result.json")


@dataclass(frozen=True)
class Wheel:
    """The name of a wheel, and its content."""

    name: str
    data: bytes


def released_stages(course: Course, names: Sequence[str]) -> tuple[Stage, ...]:
    """Return the stages of these names, or all, and those that they build on, in order.

    A clinic comes with the first later stage than its own. Raise UsageError if a stage does not
    exist or is a draft.
    """
    chosen = [course.stage(name) for name in names]
    chosen = chosen or [stage for stage in course.stages if not stage.draft]
    wanted = {stage.name for stage in chosen}
    wanted |= {before.name for stage in chosen for before in course.prerequisites(stage)}
    last = max(wanted)
    clinics = (one for one in course.stages if one.clinic in wanted and not one.draft)
    wanted |= {one.name for one in clinics if one.clinic < last}
    for stage in course.stages:
        if stage.name in wanted and stage.draft:
            raise UsageError(f"{stage.name} is a draft; delete `draft = true` in its {STAGE_FILE}")
    return tuple(stage for stage in course.stages if stage.name in wanted)


def bundle(course: Course, stages: Sequence[Stage], reveal: Sequence[str] = ()) -> Files:
    """Return a workspace with the stages, and what installs it.

    The wheel holds the solutions of the stages in `reveal`, for `hearts compare`. Raise UsageError
    if one of them is not released. Raise CourseError if the wheel cannot be built, or contains a
    file that is not for students.
    """
    solved = [course.stage(name) for name in reveal]
    for stage in solved:
        if stage not in stages:
            raise UsageError(f"--reveal {stage.name}: not among the released stages")
    with _checkout(course, stages, _solutions(solved), _labels(course, stages, solved)) as released:
        wheel = build_wheel(released)
        files = dict(workspace_files(released))
    refuse_secrets(course, wheel, solved)
    return _workspace(course, files, wheel, "install.md")


def self_study(course: Course, stages: Sequence[Stage]) -> Files:
    """Return a workspace for learners without an instructor, and what installs it.

    The wheel holds the hidden tests and the solutions of the stages. Raise CourseError if it cannot
    be built.
    """
    folders = [folder for stage in stages for folder in (stage.solution, stage.autograder)]
    paths = (path for folder in folders for path in files_below(folder))
    hidden = [(path, path.relative_to(course.root)) for path in paths]
    labels = [*_labels(course, stages, ()), "selfstudy"]
    with _checkout(course, stages, hidden, labels) as released:
        project = released.root / PROJECT
        names = [folder.relative_to(course.root).as_posix() for folder in folders]
        lines = "".join(f'"{name}" = "{INSIDE}{name}"\n' for name in names)
        text = read_text(project).replace(INCLUDED, INCLUDED + lines)
        project.write_text(text, encoding="utf-8")
        wheel = build_wheel(released)
        files = dict(workspace_files(released))
    return _workspace(course, files, wheel, "self_study.md")


def _workspace(
    course: Course, texts: Mapping[str, str], wheel: Wheel, guide: str
) -> dict[str, bytes]:
    """Return a workspace with these texts, its state, and what installs the wheel."""
    files = {name: text.encode() for name, text in texts.items()}
    files[STATE_FILE] = state_text(StudentState(given=given_digests(texts))).encode()
    files[wheel.name] = wheel.data
    files["INSTALL.md"] = (HERE / guide).read_bytes()
    files[CONSTRAINTS] = read_text(course.root / CONSTRAINTS).encode()
    files["requirements.txt"] = _lines(f"-c {CONSTRAINTS}", f"./{wheel.name}")
    files["requirements-notebook.txt"] = _lines(f"-c {CONSTRAINTS}", f"./{wheel.name}[notebook]")
    return files


def github_template(workspace: Files) -> Files:
    """Return the workspace as a template for repositories that check each push."""
    workflow = (HERE / "workflow.yml").read_bytes()
    return {**workspace, WORKFLOW: workflow, ".gitignore": _lines(*IGNORED)}


def autograder(course: Course, stage: Stage) -> Files:
    """Return the files of the stage's autograder for Gradescope: our grader in its container.

    It holds the tool, the stage with its hidden tests, and the stages that it builds on.
    """
    run = (HERE / "run_autograder").read_text(encoding="utf-8").replace("{stage}", stage.name)
    files = {"setup.sh": (HERE / "setup.sh").read_bytes(), "run_autograder": run.encode()}
    paths = [course.root / name for name in PROJECT_FILES]
    paths += files_below(course.root / TOOL) + files_below(stage.autograder)
    for one in (*course.prerequisites(stage), stage):
        paths += [*files_below(one.assignment), *files_below(one.solution), one.notebook]
    for path in paths:
        files[f"course/{path.relative_to(course.root).as_posix()}"] = path.read_bytes()
    return files


def _solutions(stages: Iterable[Stage]) -> Iterator[tuple[Path, Path]]:
    """Yield solutions and alternatives of the stages, each with its path in a release."""
    for stage in stages:
        inside = stage.revealed.relative_to(stage.root)
        for name in (*stage.files, "design.md"):
            yield stage.solution / name, inside / name
        for path in sorted(stage.autograder.glob("alternatives/*/*.py")):
            yield path, inside / path.relative_to(stage.autograder)


@contextmanager
def _checkout(
    course: Course,
    stages: Sequence[Stage],
    more: Iterable[tuple[Path, Path]],
    labels: Sequence[str],
) -> Iterator[Course]:
    """Yield a copy of the checkout with what students may have of these stages, and no others.

    `more` are files, each with its path in the copy, and `labels` end its version.
    """
    others = {other.name for other in course.stages} - {stage.name for stage in stages}
    paths = [course.root / name for name in PROJECT_FILES]
    for folder in (TOOL, *STUDENTS):
        paths += files_below(course.root / folder)
    files = [(path, path.relative_to(course.root)) for path in paths]
    with tempfile.TemporaryDirectory() as copy:
        contents = dict[str, bytes]()
        for path, inside in (*files, *more):
            if not (inside.parts[0] in STUDENTS and inside.parts[1].split(".")[0] in others):
                place = Path(copy) / inside
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(path.read_bytes())
                contents[inside.as_posix()] = path.read_bytes()
        project = Path(copy) / PROJECT
        version = rf'version = "\1+{".".join([*labels, _letters(contents)])}"'
        project.write_text(VERSION.sub(version, read_text(project), count=1), encoding="utf-8")
        yield Course(Path(copy))


def _letters(files: Mapping[str, bytes]) -> str:
    """Return letters that stand for these files."""
    return "x" + digest(*(part for file in sorted(files.items()) for part in file))[:7]


def _labels(course: Course, stages: Sequence[Stage], solved: Sequence[Stage]) -> list[str]:
    """Return what the version of a wheel says about its stages."""
    some = ["stages", *map(_label, stages)] if len(stages) < len(course.stages) else []
    return [*some, *(["solved", *map(_label, solved)] if solved else [])]


def _label(stage: Stage) -> str:
    """Return the stage's number in the form that a version allows."""
    number = stage.name.partition("-")[0]
    return str(int(number)) if number.isdecimal() else number.lower()


def build_wheel(checkout: Course) -> Wheel:
    """Return the wheel that a checkout makes; raise CourseError if it cannot be built."""
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


def refuse_secrets(course: Course, wheel: Wheel, solved: Iterable[Stage] = ()) -> None:
    """Raise CourseError if the wheel has a hidden test or a solution that is not in `solved`."""
    revealed = {f"{INSIDE}{inside.as_posix()}": path for path, inside in _solutions(solved)}
    folders = [folder for stage in course.stages for folder in (stage.solution, stage.autograder)]
    secret = {path.read_bytes() for folder in folders for path in folder.rglob("*.py")}
    with zipfile.ZipFile(io.BytesIO(wheel.data)) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            if name in revealed and revealed[name].read_bytes() == data:
                continue
            outside = name.startswith(INSIDE) and name.split("/")[2] not in STUDENTS
            if outside or (data.strip() and data in secret):
                raise CourseError(f"{name}: not for students, but in the wheel; see {PROJECT}")


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
