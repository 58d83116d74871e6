"""Pack a stage's program into the zip that a student hands in."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.files import first_free, unzipped, write_whole, zipped
from hearts_course.student.work import StageWork, modules_of, read_answers
from hearts_course.submissions.model import ANSWERS, EARLIER, Submission

SUBMISSIONS = "submissions"  # the folder of the zips, in a workspace


@dataclass(frozen=True)
class PackedWork:
    """A zip to hand in.

    `earlier` names the files of the earlier stages' programs that the zip also holds. `more` names
    the files that the student added. `new` says whether the zip was written now. If that replaced
    an older zip with other content, `former` is the path under which the older zip was kept.
    """

    path: Path
    earlier: tuple[str, ...]
    more: tuple[str, ...]
    new: bool
    former: Path | None = None


def packed_before(root: Path, work: StageWork, earlier: Iterable[StageWork]) -> Path | None:
    """Return the path of the stage's zip if it holds all of this work as it is now, else None."""
    path = root / SUBMISSIONS / f"{work.stage.name}.zip"
    if not path.is_file():
        return None
    packed = unzipped(path.read_bytes()) or {}
    if not _to_pack(work, earlier).items() <= packed.items():
        return None
    return path


def pack_work(
    root: Path, work: StageWork, earlier: Iterable[StageWork] = (), more: Iterable[Path] = ()
) -> PackedWork:
    """Write the zip of the work, the earlier stages' modules, and more files for a person to read.

    The same work gives the same zip, which is not written again. An older zip with other content is
    kept under a name with a number. Raise UsageError if one of the `more` files is missing, or has
    the name of another file in the zip. Raise CourseError if the zip cannot be written; then the
    older zip is still in its place.
    """
    earlier = [*earlier]
    files = _to_pack(work, earlier)
    read_by_a_person = _more_to_pack(more, {*work.stage.files, work.stage.notebook.name, ANSWERS})
    data = zipped(files | read_by_a_person)
    earlier_files: list[str] = []
    for earlier_work in earlier:
        if earlier_work.changed:
            earlier_files += [path.name for path in earlier_work.paths]
    path = root / SUBMISSIONS / f"{work.stage.name}.zip"
    former = None
    is_new = not (path.exists() and path.read_bytes() == data)
    if is_new and path.exists():
        names = (f"{path.stem}-{number}{path.suffix}" for number in count(1))
        former = write_whole(first_free(map(path.with_name, names)), path.read_bytes())
    if is_new:
        write_whole(path, data)
    return PackedWork(path, tuple(earlier_files), tuple(read_by_a_person), is_new, former)


def _more_to_pack(paths: Iterable[Path], taken: Collection[str]) -> dict[str, bytes]:
    """Map the name of each file to its content; `taken` are names that the zip already has.

    Raise UsageError for a file that is missing, or whose name is taken.
    """
    files: dict[str, bytes] = {}
    for path in paths:
        if path.name in taken:
            raise UsageError(f"{path.name}: is packed anyway; name only files beside the program")
        if not path.is_file():
            raise UsageError(f"{path.name}: there is no such file in {path.parent}")
        if path.name in files:
            raise UsageError(f"{path.name}: two files have this name; rename one of them")
        files[path.name] = path.read_bytes()
    return files


def read_back(packed: PackedWork, stage: Stage) -> Submission:
    """Return what the grader will read in the zip; raise UsageError if it cannot read the zip.

    So a student learns at once if something is wrong with the zip.
    """
    from hearts_course.submissions.read import read_packed  # only `submit` needs this

    read = read_packed(packed.path.read_bytes(), stage)
    if read.problem:
        raise UsageError(f"{packed.path.name} could not be read by the grader: {read.problem}")
    return read


def _to_pack(work: StageWork, earlier: Iterable[StageWork]) -> dict[str, bytes]:
    """Map each name in the zip to its content: program, answers, and changed earlier stages."""
    changed = [earlier_work for earlier_work in earlier if earlier_work.changed]
    files = {path.name: path.read_bytes() for path in work.paths}
    if answers := read_answers(work.paths[0].parent, work.stage):
        files[ANSWERS] = f"{answers}\n".encode()
    for name, text in modules_of(changed).items():
        files[f"{EARLIER}/{name}.py"] = text.encode()
    return files
