"""What is to be placed.

Plan   a student's files for a stage; they are read when they are placed, and not before
"""

from dataclasses import dataclass

from hearts_course.errors import CourseError
from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import Attempt
from hearts_course.lms.attempt_files import PlacedFiles
from hearts_course.lms.stages import File
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.read import MAX_ZIP
from hearts_course.text import safe_line


@dataclass(frozen=True)
class Placement:
    """A student's files for a stage."""

    crate: Archive
    platform: str
    handed: Attempt
    student: str
    stage: str
    files: tuple[File, ...]

    def read(self) -> PlacedFiles:
        """The attempt; a class may hold more than a machine has memory.

        Raises CourseError if a file has changed since it was looked at.
        """
        try:
            contents = {file.name: self.crate.read(file.path, MAX_ZIP) for file in self.files}
        except Unreadable as problem:
            raise CourseError(f"{safe_line(str(problem))}; try again") from None
        return PlacedFiles(
            self.student,
            self.stage,
            _flat(contents, self.stage),
            self.platform,
            self.handed.order,
            self.crate.name,
            self.handed.who.name,
            self.handed.when,
            self.handed.late,
        )


def _flat(contents: dict[str, bytes], stage: str) -> dict[str, bytes]:
    """The files without a folder of the stage's name around them, but where that has another."""
    flat = {name: name.removeprefix(f"{stage}/") for name in contents}
    return {name if flat[name] in contents else flat[name]: data for name, data in contents.items()}
