"""A set of files, as a folder and as a zip; the same for the same course.

publish   write both
"""

import os
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

from hearts_course.errors import CourseError, UsageError
from hearts_course.files import file_mode, write_whole, zipped
from hearts_course.submissions.untrusted import BROKEN

Files = Mapping[str, bytes]


def publish(folder: Path, name: str, files: Files) -> str:
    """Write `folder/name/` and `folder/name.zip`; returns what became of them: "wrote", "replaced"
    or "unchanged". Raises UsageError if the folder holds what no release has put there, and
    CourseError if writing fails; either leaves it as it was.
    """
    target, archive = folder / name, folder / f"{name}.zip"
    data = zipped({f"{name}/{path}": content for path, content in files.items()})
    if archive.exists() and archive.read_bytes() == data and _holds(target, files):
        return "unchanged"
    _refuse_changed(target, files, _last(archive, name))
    done = "replaced" if target.exists() else "wrote"
    fresh = folder / f".{name}-new-{os.getpid()}"
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        for path, content in files.items():
            _write(fresh / path, content)
        _exchange(target, fresh, folder / f".{name}-old-{os.getpid()}")
        write_whole(archive, data)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise CourseError(f"{error.filename or target}: {error.strerror}; choose another") from None
    return done


def _last(archive: Path, name: str) -> Files:
    """What the last release has written into the folder; nothing if its zip does not tell."""
    try:
        with zipfile.ZipFile(archive) as last:
            return {path.removeprefix(f"{name}/"): last.read(path) for path in last.namelist()}
    except (OSError, *BROKEN):
        return {}


def _refuse_changed(target: Path, files: Files, last: Files) -> None:
    """Raises UsageError for a folder with a file in it that is neither new nor of the last release.

    Those that are new are left by a release that was stopped before it wrote its zip.
    """
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target}: is no folder")
    for path in sorted(p for p in target.rglob("*") if p.is_symlink() or not p.is_dir()):
        inside = path.relative_to(target).as_posix()
        plain = path.is_file() and not path.is_symlink()
        if not plain or path.read_bytes() not in (files.get(inside), last.get(inside)):
            raise UsageError(f"{path}: was not released so; move it away, or choose another folder")


def _exchange(target: Path, fresh: Path, old: Path) -> None:
    """Put the fresh folder in the target's place; raises OSError, and leaves the target then."""
    there = target.exists()
    if there:
        target.rename(old)
    try:
        fresh.rename(target)
    except OSError:
        if there:
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def publish_zip(folder: Path, name: str, files: Files) -> str:
    """Write `folder/name.zip` with the files at its top; returns and raises as `publish`."""
    path, data = folder / f"{name}.zip", zipped(files)
    if path.exists() and path.read_bytes() == data:
        return "unchanged"
    done = "replaced" if path.exists() else "wrote"
    write_whole(path, data)
    return done


def refuse_foreign(folder: Path, names: tuple[str, ...]) -> None:
    """Raises UsageError for a folder with other things in it than those of these names."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is no folder")
    others = {path.name for path in folder.iterdir()} - set(names) if folder.exists() else set()
    if others:
        raise UsageError(f"{folder}: holds {sorted(others)[0]}; choose an empty folder")


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(file_mode(content))


def _holds(folder: Path, files: Files) -> bool:
    there = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    return there.keys() == files.keys() and all(there[n].read_bytes() == files[n] for n in files)
