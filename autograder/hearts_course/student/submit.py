"""Packing a stage for handing it in: a zip that the grader takes, the same for the same work."""

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

from hearts_course.student.drafts import draft
from hearts_course.student.work import StageWork

FOLDER = "submissions"
EPOCH = (1980, 1, 1, 0, 0, 0)  # a zip's earliest date: when it was packed is no part of the work


@dataclass(frozen=True)
class Packed:
    """The zip, what it holds, whether it was written anew, and where a former one went."""

    path: Path
    members: tuple[str, ...]
    new: bool
    former: Path | None = None


def pack(root: Path, work: StageWork) -> Packed:
    """Write the work's zip under `root`; a former, different one is kept under a number.

    If it cannot be written, raises OSError, and the former one is still in its place.
    """
    data = _zipped(work)
    members = tuple(path.name for path in work.paths)
    path = root / FOLDER / f"{work.stage.name}.zip"
    path.parent.mkdir(exist_ok=True)
    if path.exists() and path.read_bytes() == data:
        return Packed(path, members, new=False)
    new = draft(path, data)
    former = path.rename(_free(path)) if path.exists() else None
    new.replace(path)
    return Packed(path, members, True, former)


def _zipped(work: StageWork) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in work.paths:
            member = zipfile.ZipInfo(path.name, EPOCH)
            member.create_system = 3  # Unix, wherever it is packed
            member.external_attr = 0o644 << 16
            archive.writestr(member, path.read_bytes(), zipfile.ZIP_STORED)
    return buffer.getvalue()


def _free(path: Path) -> Path:
    number = 1
    while (other := path.with_name(f"{path.stem}-{number}{path.suffix}")).exists():
        number += 1
    return other
