"""The files of each attempt of a download, and the stages that they belong to."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.read import MAX_ZIP
from hearts_course.submissions.untrusted import TIMESTAMP
from hearts_course.text import safe_line, safe_name

from hearts_grader.lms.archive import Archive, Attempt, AttemptFile
from hearts_grader.lms.stage_files import CourseFiles

# Limits for one attempt, which is read whole to find out which stage it is for.
MAX_FILES = 100
MAX_BYTES = 20 * 2**20
MAX_PARTS = 3  # parts of a path that are kept: the file, and folders that may name a stage


@dataclass
class Remarks:
    """Lines for the instructor: `notes` on what was done, `unplaced` on files that fit nowhere."""

    notes: list[str]
    unplaced: list[str]

    def unplace(self, student: str, why: str, files: Iterable[str]) -> None:
        """Report each file that fits nowhere, with the reason.

        `why` continues the sentence that begins with the file's name.
        """
        self.unplaced.extend(f"{student}: {safe_line(file)} {why}" for file in files)


@dataclass
class StudentFiles:
    """One attempt: its files by stage, its other files, and the stages with the student's work.

    Each mapping of files goes from a name in the student's folder to a path in the archive.
    """

    name: str
    attempt: Attempt
    stages: dict[str, dict[str, str]] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)


class AttemptReader:
    """Reads the attempts of an archive to find out which stages their files belong to."""

    def __init__(self, archive: Archive, course_files: CourseFiles, remarks: Remarks) -> None:
        """Read nothing yet; `remarks` get a line for each file that is left out."""
        self._archive = archive
        self._course_files = course_files
        self._remarks = remarks

    def files_of(self, attempt: Attempt, student: str) -> StudentFiles:
        """Return the files of the student's attempt, grouped by the stages that they belong to.

        Do not keep file contents, because those of a whole class may not fit in memory.
        """
        files = StudentFiles(student, attempt)
        for place, (path, data) in self._read(attempt, student).items():
            belongs = self._course_files.stages_of(place, data)
            files.written |= belongs.written
            for stage in belongs.stages:
                files.stages.setdefault(stage, {})[place] = path
            if not belongs.stages and not belongs.given:
                files.unknown[place] = path
        return files

    def _read(self, attempt: Attempt, student: str) -> dict[str, tuple[str, bytes]]:
        """Map each path in the student's folder to the file's path in the archive and its content.

        If several files have the same name, the last upload counts.
        """
        files: dict[str, tuple[str, bytes]] = {}
        own_names = {file.name for file in attempt.files}
        # How many bytes may still be read: a student must not fill the disk or the memory.
        room = MAX_BYTES
        for file in sorted(attempt.files, key=lambda file: (file.number, file.path)):
            if len(files) >= MAX_FILES or room <= 0:
                remark = "too many or too large files; the rest was left out"
                self._remarks.unplaced.append(f"{student}: {remark}")
                break
            place = self._place(file, own_names)
            if place.rpartition("/")[2] == TIMESTAMP:  # a student must not set the hand-in time
                continue
            try:
                data = self._archive.files.read(file.path, MAX_ZIP)
            except Unreadable as problem:
                self._remarks.unplaced.append(f"{student}: {safe_line(str(problem))}")
                continue
            room -= len(data)
            if place in files:
                remark = f"{safe_line(file.name)} counts, uploaded last"
                self._remarks.notes.append(f"{student}: {remark}")
            files[place] = (file.path, data)
        return files

    def _place(self, file: AttemptFile, own_names: set[str]) -> str:
        """Return the file's path in the student's folder; the path never leads out of it."""
        name = self._course_files.original_name(file.name)
        if name in own_names and not file.number:  # both `cards.py` and `cards-1.py` were handed in
            name = file.name
        parts = [safe_name(part) for part in name.split("/") if part not in ("", ".")]
        return "/".join(parts[-MAX_PARTS:])
