"""All of a student's work as one zip: to keep, or to move to another browser or computer.

`hearts start --work` makes a workspace from the zip. `hearts collect` accepts such a zip as well.
"""

from dataclasses import replace
from itertools import count
from pathlib import Path

from hearts_course.course import Course
from hearts_course.errors import StageError, UsageError
from hearts_course.files import first_free, read_json, to_dataclass, unzipped, write_whole, zipped
from hearts_course.student.packing import SUBMISSIONS
from hearts_course.student.state import StudentState
from hearts_course.student.work import work_files
from hearts_course.student.workspace import STATE_FILE, starter_files
from hearts_course.submissions.model import ANSWERS, EARLIER

NO_ZIP = "this is not a zip, or it is damaged; choose one that `save_work()` or `submit` made"
SAVED = "my-hearts.zip"  # the zip lies beside the zips to hand in


def save_everything(course: Course, root: Path) -> Path:
    """Zip all files that the student may have changed; return the path of the zip."""
    paths = [root / name for name in _names(course)]
    files = {path.name: path.read_bytes() for path in paths if path.is_file()}
    return write_whole(root / SUBMISSIONS / SAVED, zipped(files))


def load_everything(course: Course, root: Path, data: bytes) -> dict[str, str]:
    """Write the files of a zip from `save_everything` or `pack_work` into the workspace.

    An old file with other work of the student is renamed first. So is the state's file, unless the
    student has done nothing here yet. Return a dictionary that maps the name of each written file
    to the new name of the old file, or to "" if no file was renamed. A zip to hand in also holds
    programs of earlier stages. Such a program replaces only an unchanged starter. Raise UsageError
    if the zip holds no work.
    """
    course_names = _names(course)
    starters: dict[str, bytes] = {}
    for stage in course.stages:
        for name, text in starter_files(stage).items():
            starters[name] = text.encode()
    replaced = {}
    files = unzipped(data)
    if files is None:
        raise UsageError(NO_ZIP)
    for name, content in files.items():
        folder, _, bare = name.rpartition("/")
        path = root / bare
        if bare not in course_names or folder not in ("", EARLIER):
            continue
        old_content = None
        if path.exists():
            old_content = path.read_bytes()
        if folder and old_content not in (None, starters.get(bare)):
            continue
        replaced[bare] = ""
        is_work = old_content not in (None, content, starters.get(bare))
        if is_work and not (bare == STATE_FILE and _has_no_news(path)):
            names = (f"{path.name}.before-{number}" for number in count(1))
            replaced[bare] = path.replace(first_free(map(path.with_name, names))).name
        write_whole(path, content)
    if not replaced:
        raise UsageError("this zip holds no work of this course")
    return replaced


def _has_no_news(path: Path) -> bool:
    """Return whether the state's file is that of a workspace in which nothing was done yet."""
    try:
        state = to_dataclass(StudentState, read_json(path), path, lenient=True)
    except StageError:  # keep a damaged file, because it may hold something new
        return False
    return state == replace(StudentState(), given=state.given, grows=state.grows)


def _names(course: Course) -> list[str]:
    """Return the names of all files that a student may have changed, in the course's order."""
    names: list[str] = []
    for stage in course.stages:
        names += [path.name for path in work_files(Path(), stage)]
    return [*names, ANSWERS, STATE_FILE]
