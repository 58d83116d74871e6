"""Write files as a folder and as a zip; the same files always give the same bytes."""

import os
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

from hearts_course.errors import UsageError
from hearts_course.files import disk_error, file_mode, write_whole, zipped
from hearts_course.submissions.untrusted import BROKEN

Files = Mapping[str, bytes]


def publish(folder: Path, name: str, files: Files) -> str:
    """Write `folder/name/` and `folder/name.zip`; return "wrote", "replaced" or "unchanged".

    Raise UsageError if the folder contains a file that no release put there. Raise CourseError if
    writing fails. In both cases the folder and the zip stay as they were, with one exception: if
    only the zip cannot be written, the folder is already new.
    """
    target = folder / name
    archive = folder / f"{name}.zip"
    data = zipped({f"{name}/{path}": content for path, content in files.items()})
    if _read(archive) == data and _holds(target, files):
        return "unchanged"
    _refuse_changed(target, files, _last_release(archive, name))
    # Look now whether the target exists, because `_exchange` creates it.
    done = "replaced" if target.exists() else "wrote"
    # The new folder is complete before it takes the old one's place.
    fresh = folder / f".{name}-new-{os.getpid()}"
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        for path, content in files.items():
            place = fresh / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            place.chmod(file_mode(content))
        _exchange(target, fresh, folder / f".{name}-old-{os.getpid()}")
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise disk_error(target, error) from None
    write_whole(archive, data)
    return done


def publish_zip(folder: Path, name: str, files: Files) -> str:
    """Write `folder/name.zip` with the files at its top, in place of any zip of that name.

    Return "wrote", "replaced" or "unchanged"; raise CourseError if writing fails.
    """
    path = folder / f"{name}.zip"
    data = zipped(files)
    former_data = _read(path)
    if former_data == data:
        return "unchanged"
    write_whole(path, data)
    return "wrote" if former_data is None else "replaced"


def refuse_foreign(folder: Path, names: tuple[str, ...]) -> None:
    """Raise UsageError if the folder holds anything but files and folders of these names.

    A folder that does not exist yet is accepted.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder}: not a folder")
    others = {path.name for path in folder.iterdir()} - set(names)
    if others:
        raise UsageError(f"{folder}: holds {min(others)}; choose an empty folder")


def _read(path: Path) -> bytes | None:
    """Return the file's content; None if it does not exist."""
    return path.read_bytes() if path.exists() else None


def _holds(folder: Path, files: Files) -> bool:
    """Return whether the folder holds exactly these files with this content."""
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    if present != files.keys():
        return False
    return all((folder / name).read_bytes() == content for name, content in files.items())


def _last_release(archive: Path, name: str) -> Files:
    """Return the files of the last release; none if its zip is missing or damaged.

    A file that differs from these files was changed or added by somebody.
    """
    try:
        with zipfile.ZipFile(archive) as last:
            return {path.removeprefix(f"{name}/"): last.read(path) for path in last.namelist()}
    except BROKEN:  # OSError is one of them
        return {}


def _refuse_changed(target: Path, files: Files, last: Files) -> None:
    """Raise UsageError for a file that is neither in the last release nor in this one.

    A release that was stopped may have left its files in the folder, but no zip. So the files of
    this release are accepted as well.
    """
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target}: not a folder")
    for path in sorted(target.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        inside = path.relative_to(target).as_posix()
        ordinary = path.is_file() and not path.is_symlink()
        if not ordinary or path.read_bytes() not in (files.get(inside), last.get(inside)):
            raise UsageError(f"{path}: not part of a release; move it away, or use another folder")


def _exchange(target: Path, fresh: Path, old: Path) -> None:
    """Put the fresh folder in the target's place; on failure raise OSError and keep the target.

    The target is first renamed to `old`. It is put back if the fresh folder cannot be renamed.
    """
    has_target = target.exists()
    if has_target:
        target.rename(old)
    try:
        fresh.rename(target)
    except OSError:
        if has_target:
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
