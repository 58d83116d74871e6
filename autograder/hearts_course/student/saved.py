"""All of a student's work as one zip: to keep, or for another browser or computer.

`hearts start --work` makes a workspace of it, and `hearts collect` takes it as well.
"""

import io
import zipfile
from itertools import count
from pathlib import Path

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import first_free, write_whole, zipped
from hearts_course.student.work import SUBMISSIONS, work_files
from hearts_course.student.workspace import STATE_FILE
from hearts_course.submissions.model import ANSWERS, EARLIER

SAVED = "my-hearts.zip"


def save_everything(course: Course, root: Path) -> Path:
    """Zip all that the student may have changed, beside the zips to hand in; return its path."""
    paths = [root / name for name in _names(course)]
    files = {path.name: path.read_bytes() for path in paths if path.is_file()}
    return write_whole(root / SUBMISSIONS / SAVED, zipped(files))


def load_everything(course: Course, root: Path, data: bytes) -> list[str]:
    """Write the files of such a zip, or of one to hand in, and return their names.

    What they replace stays under another name. Raise UsageError if the zip holds no work.
    """
    course_names = _names(course)
    loaded = []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError):
        raise UsageError(
            "this is not a zip; choose one that `save_work()` or `submit` made"
        ) from None
    for name, content in files.items():
        folder, _, bare = name.rpartition("/")
        path = root / bare
        if bare in course_names and folder in ("", EARLIER) and not (folder and path.exists()):
            if path.exists() and path.read_bytes() != content and bare != STATE_FILE:
                names = (f"{path.stem}-before-{number}{path.suffix}" for number in count(1))
                path.replace(first_free(map(path.with_name, names)))
            write_whole(path, content)
            loaded.append(bare)
    if not loaded:
        raise UsageError("this zip holds no work of this course")
    return loaded


def _names(course: Course) -> list[str]:
    files = [path.name for stage in course.stages for path in work_files(Path(), stage)]
    return [*files, ANSWERS, STATE_FILE]
