"""Packing a stage for handing it in: a zip that the grader takes, the same for the same work."""

from dataclasses import dataclass
from pathlib import Path

from hearts_course.files import write_whole, zipped
from hearts_course.student.work import StageWork

FOLDER = "submissions"


@dataclass(frozen=True)
class Packed:
    """The zip, what it holds, whether it was written anew, and where a former one went."""

    path: Path
    members: tuple[str, ...]
    new: bool
    former: Path | None = None


def pack(root: Path, work: StageWork) -> Packed:
    """Write the work's zip under `root`; a former, different one is kept under a number.

    If it cannot be written, raises CourseError, and the former one is still in its place.
    """
    data = zipped({path.name: path.read_bytes() for path in work.paths})
    members = tuple(path.name for path in work.paths)
    path = root / FOLDER / f"{work.stage.name}.zip"
    path.parent.mkdir(exist_ok=True)
    if path.exists() and path.read_bytes() == data:
        return Packed(path, members, new=False)
    former = write_whole(_free(path), path.read_bytes()) if path.exists() else None
    write_whole(path, data)
    return Packed(path, members, True, former)


def _free(path: Path) -> Path:
    number = 1
    while (other := path.with_name(f"{path.stem}-{number}{path.suffix}")).exists():
        number += 1
    return other
