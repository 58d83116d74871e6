"""Files that are written whole or not at all, whatever happens meanwhile.

write   a text to a file
sweep   away with what killed writers have left
place   a student's file of a stage
fault   what is the matter with the disk, in one line
"""

import errno
import os
from contextlib import suppress
from pathlib import Path

from hearts_course.errors import CourseError, UsageError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
PART = ".part"


def write_whole(path: Path, text: str) -> Path:
    """Write the file, so that at any moment it holds all of the old text or all of the new.

    Raises CourseError if that fails.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}{PART}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
        part.replace(path)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise disk_fault(path, error) from None
        raise
    return path


def sweep(folder: Path) -> None:
    """Remove what was half written under the folder; raises CourseError if that fails."""
    try:
        for path in list(folder.rglob(f".*{PART}")):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise disk_fault(folder, error) from None


def place(folder: Path, student: str, stage: str, suffix: str) -> Path:
    """The file; raises ValueError for a name that leads elsewhere, as none of `safe_name` does."""
    for name in (student, stage):
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise ValueError(f"{name!r} cannot name a file")
    return folder / student / f"{stage}{suffix}"


def disk_fault(path: Path, error: OSError) -> CourseError:
    """What is the matter, and what can be done."""
    if error.errno in FULL:
        return CourseError(f"{path}: {error.strerror}; make room and run the same command again")
    return UsageError(f"{path}: {error.strerror}; choose another folder with --out")
