"""What a cluster's worker does. It has the tool; course and submissions come to it as bytes."""

import io
import os
import pickle
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import distributed
from distributed import get_worker

from hearts_course.course import Course
from hearts_course.errors import CourseError
from hearts_course.files import zipped
from hearts_course.grading.cache import tool_digest
from hearts_course.grading.grade import (
    GradeJob,
    chosen_sandbox,
    grade_one,
    grader_error,
    watchdog,
)
from hearts_course.results import Result
from hearts_course.sandbox.backends import sandbox_warnings
from hearts_course.submissions.untrusted import is_clutter

_one_at_a_time = threading.Lock()  # a suite's runner serves one job at a time
_courses: dict[str, Course] = {}


class OtherTool(CourseError):
    """A worker has another version of the tool than the client, so its results would differ."""


@dataclass(frozen=True)
class Tool:
    """The versions that results depend on."""

    digest: str
    python: str
    dask: str

    def __str__(self) -> str:
        return f"{self.digest[:8]}, Python {self.python}, Dask {self.dask}"


@dataclass(frozen=True)
class WorkerInfo:
    """A worker's tool, warnings about its sandbox, and why it has none, if it has none."""

    tool: Tool
    warnings: tuple[str, ...]
    no_sandbox: str = ""


def own_tool() -> Tool:
    """Return the tool of this process."""
    python = ".".join(map(str, sys.version_info[:3]))
    return Tool(tool_digest(), python, distributed.__version__)


def worker_info(sandbox: str) -> WorkerInfo:
    """Return what this worker is; `sandbox` is the one asked for."""
    try:
        return WorkerInfo(own_tool(), sandbox_warnings(sandbox, chosen_sandbox(sandbox)))
    except CourseError as fault:
        return WorkerInfo(own_tool(), (), str(fault))


def grade(tool: Tool, digest: str, archive: bytes, packed: bytes) -> Result:
    """Return the result of a pickled job on the course in the archive of this digest.

    Raise OtherTool if this worker's tool is not that one.
    """
    worker = get_worker()
    if tool != own_tool():
        raise OtherTool(other_tool(worker.address, own_tool(), tool))
    with _one_at_a_time:
        if digest not in _courses:
            # Dask removes this folder when the worker ends, or else when the next one begins.
            _courses[digest] = unpack(archive, Path(worker.local_directory))
        return grade_on(_courses[digest], pickle.loads(packed), worker.address)


def grade_on(course: Course, job: GradeJob, address: str) -> Result:
    """Return the job's result on this copy of the course; a missing sandbox names the worker."""
    here = replace(job, stage=course.stage(job.stage.name))
    try:
        chosen_sandbox(here.sandbox)
    except CourseError as fault:
        return grader_error(here, f"{address}: {fault}")
    with watchdog(here.stage):
        return grade_one(here)


def other_tool(where: str, theirs: Tool, ours: Tool) -> str:
    """Say that versions differ, and what to do."""
    return (
        f"{where}: has another hearts-course ({theirs}) than this machine ({ours}); install the "
        "same there, and start it again"
    )


def pack(course: Course) -> bytes:
    """Return an archive of the course's stages, the same for the same files."""
    return zipped(
        {path.relative_to(course.root).as_posix(): path.read_bytes() for path in _files(course)}
    )


def unpack(archive: bytes, folder: Path) -> Course:
    """Return the course, in a new folder under this one that only its owner can enter."""
    root = Path(tempfile.mkdtemp(prefix="hearts-course-", dir=folder))
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        files.extractall(root)
    return Course(root)


def _files(course: Course) -> Iterator[Path]:
    for stage in course.stages:
        for folder in (stage.assignment, stage.solution, stage.autograder):
            for here, folders, files in os.walk(folder):
                folders[:] = [name for name in folders if not is_clutter(name)]
                yield from (Path(here, name) for name in files if not is_clutter(name))
