"""A course as bytes, for machines that have the tool and not the course.

Parcel   the bytes, and the digest that names them
pack     whatever of a course grading may read
unpack   the course again, in a private folder
"""

import io
import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from hearts_course.course import Course
from hearts_course.submissions.untrusted import is_clutter


@dataclass(frozen=True)
class Parcel:
    """A zip, and its digest; the same files always make the same."""

    data: bytes
    digest: str


def pack(course: Course) -> Parcel:
    """The course's stages: what students get, the references, the hidden suites."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files(course):
            member = zipfile.ZipInfo(path.relative_to(course.root).as_posix())  # no time of its own
            archive.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
    data = buffer.getvalue()
    return Parcel(data, sha256(data).hexdigest())


def unpack(data: bytes, folder: Path) -> Course:
    """The course, in a new folder under this one that only its owner can enter."""
    root = Path(tempfile.mkdtemp(prefix="hearts-course-", dir=folder))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(root)
    return Course(root)


def _files(course: Course) -> Iterator[Path]:
    for stage in course.stages:
        for folder in (stage.assignment, stage.solution, stage.autograder):
            for here, folders, files in os.walk(folder):
                folders[:] = sorted(name for name in folders if not is_clutter(name))
                yield from (Path(here, name) for name in sorted(files) if not is_clutter(name))
