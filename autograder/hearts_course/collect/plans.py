"""What is to be placed.

Plan   a student's files for a stage; they are read when they are placed, and not before
"""

from dataclasses import dataclass

from hearts_course.collect.attempts import Attempt
from hearts_course.collect.crate import Crate
from hearts_course.collect.handed import Handed
from hearts_course.collect.stages import File
from hearts_course.errors import CourseError
from hearts_course.grading.reader import MAX_ZIP
from hearts_course.grading.safe import safe_line
from hearts_course.grading.submission import Unreadable


@dataclass(frozen=True)
class Plan:
    """A student's files for a stage."""

    crate: Crate
    platform: str
    handed: Handed
    student: str
    stage: str
    files: tuple[File, ...]

    def read(self) -> Attempt:
        """The attempt; a class may hold more than a machine has memory.

        Raises CourseError if a file has changed since it was looked at.
        """
        try:
            contents = {file.name: self.crate.read(file.path, MAX_ZIP) for file in self.files}
        except Unreadable as problem:
            raise CourseError(f"{safe_line(str(problem))}; try again") from None
        return Attempt(
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
