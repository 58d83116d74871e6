"""The tool with only some stages in it, to be installed by students.

A wheel tells its version in its name. One with some of the stages is called after these, as in
`0.1.0+stages.1.2`, so that `pip` takes the next release for another one.

Wheel         its name, its content
build_wheel   the one with these stages
"""

import base64
import csv
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hearts_course.course import Course
from hearts_course.errors import CourseError
from hearts_course.files import zipped
from hearts_course.release.files import Files

INSIDE = "hearts_course/course_files/"
STUDENTS = ("assignments", "notebooks")


@dataclass(frozen=True)
class Wheel:
    """A wheel, and the files in it."""

    name: str
    files: Files

    @property
    def data(self) -> bytes:
        """The file."""
        return zipped(self.files)


def build_wheel(course: Course, names: Collection[str]) -> Wheel:
    """The tool with the stages of these names; raises CourseError if it cannot be built, or would
    hold what is not for students.
    """
    if find_spec("hatchling") is None:
        raise CourseError("to release the course takes hatchling; run `pip install hatchling`")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)
        built = list(Path(folder).glob("*.whl"))
        if done.returncode or len(built) != 1:
            said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing was built"]
            raise CourseError(f"{course.root}: no wheel: {said[0]}")
        with zipfile.ZipFile(built[0]) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    _refuse_secrets(course, files)
    return _restricted(course, built[0].name, files, names)


def _refuse_secrets(course: Course, files: Files) -> None:
    """Whatever the packaging says: no solution and no hidden test leaves the checkout."""
    folders = [folder for stage in course.stages for folder in (stage.solution, stage.autograder)]
    secret = {path.read_bytes() for folder in folders for path in folder.rglob("*.py")}
    for name, data in files.items():
        outside = name.startswith(INSIDE) and name.split("/")[2] not in STUDENTS
        if outside or (data.strip() and data in secret):
            raise CourseError(f"{name}: not for students, and yet in the wheel; see pyproject.toml")


def _restricted(course: Course, name: str, files: Files, names: Collection[str]) -> Wheel:
    chosen = [stage.name for stage in course.stages if stage.name in names]
    if len(chosen) == len(course.stages):
        return Wheel(name, files)
    others = {stage.name for stage in course.stages} - set(chosen)
    distribution, version, *tags = name.split("-")
    local = f"{version}+stages." + ".".join(_label(stage) for stage in chosen)
    before, after = f"{distribution}-{version}.dist-info/", f"{distribution}-{local}.dist-info/"
    kept = {
        path.replace(before, after): data
        for path, data in files.items()
        if not _is_of(path, others)
    }
    metadata, record = f"{after}METADATA", f"{after}RECORD"
    lines = (f"Version: {version}\n".encode(), f"Version: {local}\n".encode())
    kept[metadata] = kept[metadata].replace(*lines, 1)
    kept[record] = _record(kept, record)
    return Wheel("-".join((distribution, local, *tags)), kept)


def _label(stage: str) -> str:
    """The stage's number, as a version may have it."""
    number = stage.partition("-")[0]
    return str(int(number)) if number.isdecimal() else number.lower()


def _is_of(path: str, stages: Collection[str]) -> bool:
    if not path.startswith(INSIDE):
        return False
    return path.split("/")[3].removesuffix(".ipynb") in stages


def _record(files: Files, record: str) -> bytes:
    """The list of what is in the wheel, with digests, as the format has it."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(_entries(files, record))
    return buffer.getvalue().encode()


def _entries(files: Files, record: str) -> Iterator[tuple[str, str, str]]:
    for path, data in files.items():
        if path != record:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            yield path, f"sha256={digest}", str(len(data))
    yield record, "", ""
