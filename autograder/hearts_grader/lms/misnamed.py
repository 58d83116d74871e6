"""Modules that were handed in under another name, such as `cards_final.py` for `cards.py`."""

from collections.abc import Mapping
from dataclasses import dataclass

from hearts_course.course import Course
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.packed import is_packed
from hearts_course.submissions.read import MAX_ZIP, problem_of
from hearts_course.submissions.untrusted import FileSource
from hearts_course.text import safe_line, safe_name

from hearts_grader.lms.archive import Archive
from hearts_grader.lms.attempt_files import MAX_PARTS, Remarks
from hearts_grader.lms.stage_files import CourseFiles

Files = Mapping[str, str]  # paths in the archive, by names in the student's folder


@dataclass(frozen=True)
class NamedFiles:
    """A student's files under their new names; `renamed` says which files were renamed."""

    files: Files
    renamed: str = ""


class MisnamedModules:
    """Finds files that have all definitions of a missing module, but another name."""

    def __init__(
        self,
        archive: Archive,
        course: Course,
        course_files: CourseFiles,
        remarks: Remarks,
        *,
        accept_names: bool,
    ) -> None:
        """Read no file yet; `remarks` get a note on each file that has a module's definitions.

        With `accept_names`, such a file is renamed. Without it, the note says how to accept it.
        """
        self._archive = archive
        self._course = course
        self._course_files = course_files
        self._remarks = remarks
        self._accept_names = accept_names

    def named(self, student: str, stage: str, files: Files) -> NamedFiles:
        """Return the files under the names that a submission for the stage needs.

        If no misnamed module is found, and the files cannot be read as a submission, add a note
        with the reason.
        """
        renamed: list[str] = []
        opened = self._opened(files)
        for wanted in self._course_files.missing_modules(stage, opened):
            for name, path in opened.items():
                try:
                    data = self._archive.files.read(path, MAX_ZIP)
                except Unreadable:
                    continue  # another file may have the definitions
                if count := self._course_files.definitions_found(wanted, name, data):
                    self._note_other_name(student, name, wanted, count)
                    renamed.append(f"{safe_line(name)} was taken as {wanted}")
                    folder, slash, _ = name.rpartition("/")
                    opened = _without(opened, name)
                    opened[f"{folder}{slash}{wanted}"] = path
                    break
        if not renamed:
            self._note_problem(student, stage, files)
        if renamed and self._accept_names:
            return NamedFiles(opened, "; ".join(renamed))
        return NamedFiles(files)

    def _note_problem(self, student: str, stage: str, files: Files) -> None:
        """If the files cannot be read as a submission, add a note with the reason, only once."""
        problem = problem_of(_Chosen(self._archive.files, files), self._course.stage(stage))
        line = f"{student}: {problem}"
        if problem and line not in self._remarks.notes:
            self._remarks.notes.append(line)

    def _note_other_name(self, student: str, name: str, wanted: str, count: int) -> None:
        """Add a note that a file defines all of the wanted module; say if the file is renamed."""
        definitions = "the one definition" if count == 1 else f"all {count} definitions"
        how = "it was taken as" if self._accept_names else "--accept-names takes it as"
        remark = f"{safe_line(name)} has {definitions} of {wanted}; {how} {wanted}"
        self._remarks.notes.append(f"{student}: {remark}")

    def _opened(self, files: Files) -> dict[str, str]:
        """Return the files; if there is a single archive among them, its files replace it."""
        packed = [name for name in files if is_packed(name)]
        if len(packed) != 1:
            return dict(files)
        opened = _without(files, packed[0])
        path = files[packed[0]]
        for name in self._archive.files.inside(path):
            place = "/".join(map(safe_name, name.split("/")[-MAX_PARTS:]))
            opened[place] = f"{path}/{name}"
        return opened


def _without(files: Files, left_out: str) -> dict[str, str]:
    """Return all files except `left_out`."""
    return {name: path for name, path in files.items() if name != left_out}


@dataclass(frozen=True)
class _Chosen:
    """Some files of an archive, under the names that they will have in the student's folder."""

    archive: FileSource
    paths: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.paths)

    def read(self, name: str, limit: int) -> bytes:
        return self.archive.read(self.paths[name], limit)

    def time(self, name: str) -> str:
        return self.archive.time(self.paths[name])
