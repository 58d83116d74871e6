"""What a cluster's worker does. It has the tool; everything else comes to it as bytes.

survey   what the worker is, and what would keep programs in there
grade    a unit's result
"""

import pickle
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import distributed
from distributed import get_worker

from hearts_course.course import Course
from hearts_course.errors import CourseError
from hearts_course.grading.bounds import must_end
from hearts_course.grading.cache import tool_digest
from hearts_course.grading.cluster.course_archive import unpack
from hearts_course.grading.job import GradeJob, chosen_sandbox, give_up, grade_one
from hearts_course.results import Result
from hearts_course.sandbox.backends import sandbox_warnings

_one_at_a_time = threading.Lock()  # a suite's host serves one job at a time
_courses: dict[str, Course] = {}


class OtherTool(CourseError):
    """A worker has another tool than whoever asks it to grade, so that its results are others."""


@dataclass(frozen=True)
class Tool:
    """What results rest on beside course and submission, and what brings them."""

    digest: str
    python: str
    dask: str

    def __str__(self) -> str:
        return f"{self.digest[:8]}, Python {self.python}, Dask {self.dask}"


@dataclass(frozen=True)
class Survey:
    """A worker's tool; lines about the sandbox there; why there is none, if there is none."""

    tool: Tool
    notices: tuple[str, ...]
    no_sandbox: str


def own_tool() -> Tool:
    """The tool of this process."""
    python = ".".join(map(str, sys.version_info[:3]))
    return Tool(tool_digest(), python, distributed.__version__)


def survey(sandbox: str) -> Survey:
    """What this worker is; `sandbox` is the one asked for."""
    try:
        return Survey(own_tool(), sandbox_warnings(sandbox, chosen_sandbox(sandbox)), "")
    except CourseError as fault:
        return Survey(own_tool(), (), str(fault))


def grade(tool: Tool, digest: str, parcel: bytes, packed: bytes) -> Result:
    """The result of a Work that was pickled, on the course that was packed.

    Raises OtherTool if this worker's tool is not that one.
    """
    worker = get_worker()
    if tool != own_tool():
        raise OtherTool(other_tool(worker.address, own_tool(), tool))
    with _one_at_a_time:
        if digest not in _courses:
            # Dask removes this folder when the worker ends; if that was killed, when the next
            # one begins.
            _courses[digest] = unpack(parcel, Path(worker.local_directory))
        return grade_on(_courses[digest], pickle.loads(packed), worker.address)


def grade_on(course: Course, work: GradeJob, address: str) -> Result:
    """The result of the work on this copy of the course; a fault of ours names the worker."""
    here = replace(work, stage=course.stage(work.stage.name))
    try:
        chosen_sandbox(here.sandbox)
    except CourseError as fault:
        return give_up(here, f"{address}: {fault}")
    with must_end(here.stage):
        return grade_one(here)


def other_tool(where: str, theirs: Tool, ours: Tool) -> str:
    """What is the matter, and what can be done."""
    return (
        f"{where}: has another hearts-course ({theirs}) than this machine ({ours}); install the "
        "same there, and start it again"
    )
