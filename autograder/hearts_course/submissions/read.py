"""Turn a submission into modules, or into one line that says what to fix.

Faults are stored in `Submission.problem`; a bad submission never raises an exception.
"""

import difflib
import json
import os
import posixpath
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from hearts_course.brief import answers_for, section_of
from hearts_course.course import Course, Stage
from hearts_course.files import digest
from hearts_course.notebook import (
    CellText,
    is_extract,
    read_notebook,
)
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import (
    ANSWERS,
    STILL_STARTER,
    NothingSubmitted,
    Submission,
    Unreadable,
    expected_files,
)
from hearts_course.submissions.packed import is_packed, open_packed, without_ending
from hearts_course.submissions.untouched import is_starter, same_text
from hearts_course.submissions.untrusted import (
    LINK,
    SPECIAL,
    FileSource,
    Folder,
    Zip,
    is_clutter,
    read_beneath,
)
from hearts_course.text import agreeing, listed, safe_line

MAX_ZIP = 5 * 2**20  # bytes, like the next three limits
MAX_MODULE = 2**20
MAX_ANSWERS = 2**16
MAX_NOTEBOOK = 5 * 2**20
MAX_LISTED = 3  # names in a message, which also gives the number of further names
MAX_PACKED = 2  # archives around a program: a zip in a zip is read
MAX_NAME = 60  # characters of a name in a message
# Similarity, from 0 to 1, of a file's name to the name that the student may mean.
MIN_SIMILARITY = 0.7

FOREIGN = {
    (".docx", ".doc", ".odt", ".rtf", ".pages", ".pdf"): (
        "{0} is a document: copy the program from it into {1} and hand that in"
    ),
    (".rar", ".7z", ".xz", ".bz2", ".gz"): "{0} cannot be unpacked here: hand in {1}, or a zip",
    (".png", ".jpg", ".jpeg", ".heic", ".pyc", ".html"): "{0} is not a program: hand in {1}",
}

Modules = Mapping[str, str]
Place = Path | bytes | None


@dataclass(frozen=True)
class _Program:
    """A program as it was read.

    `note` is a remark for the student. `pieces` says which notebook cell each line comes from.
    `answers` are the student's answers to the question for discussion.
    """

    modules: Modules
    note: str = ""
    pieces: tuple[CellText, ...] = ()
    answers: str = ""


def read_found(path: SubmissionPath) -> Submission:
    """Return the submission at `path`, with the student's own modules of earlier stages.

    An earlier stage that cannot be read, or is still the starter, is left out.
    """
    if path.problem:
        return Submission(path.student, path.stage.name, problem=path.problem, missing=path.missing)
    submission = _with_earlier(path.student, path.stage, path.path, path.earlier)
    return replace(submission, note=_joined(submission.note, safe_line(path.note.renamed)))


def read_packed(data: bytes, stage: Stage) -> Submission:
    """Return what the grader will read in a student's zip, with earlier stages packed in it.

    The zip is read like one that comes from a platform. So the student learns before handing in
    what the grader will see.
    """
    prerequisites = Course(stage.root).prerequisites(stage)
    return _with_earlier("", stage, data, [(earlier, data) for earlier in prerequisites])


def _with_earlier(
    student: str, stage: Stage, place: Place, earlier_places: Iterable[tuple[Stage, Place]]
) -> Submission:
    """Return the submission at `place`, with the modules of the student's earlier stages.

    An earlier stage may have two places: where the student handed it in, and packed with this
    stage. The place that comes later in `earlier_places` wins.
    """
    earlier: dict[str, str] = {}
    packed: dict[str, str] = {}
    for earlier_stage, earlier_place in earlier_places:
        modules = read_submission(earlier_place, student, earlier_stage).modules
        if is_starter(modules, earlier_stage):
            continue
        earlier |= modules
        if earlier_place == place:  # the digest includes modules packed with this stage
            packed |= modules
    submission = read_submission(place, student, stage)
    return replace(submission, earlier=earlier, digest=_digest(submission, packed))


def _digest(submission: Submission, packed: Modules) -> str:
    """Return a hash of the program, the answers and the `packed` modules; "" without a program.

    The word `earlier` separates the program's modules from the packed modules, so that the hash
    also depends on which modules are packed.
    """
    if submission.problem:
        return ""
    modules = chain(sorted(submission.modules.items()), [("earlier", "")], sorted(packed.items()))
    return digest(submission.stage, submission.answers, *chain.from_iterable(modules))


def read_submission(path: Place, student: str, stage: Stage) -> Submission:
    """Return the submission in the folder or zip at `path`.

    `path` may also be the content of a zip, or None if nothing was handed in.
    """
    try:
        if path is None:
            raise NothingSubmitted(stage)
        program = _read(path, stage)
    except Unreadable as error:
        problem = safe_line(str(error))
        missing = isinstance(error, NothingSubmitted)
        return Submission(student, stage.name, problem=problem, missing=missing)
    note = safe_line(program.note)
    return Submission(
        student,
        stage.name,
        program.modules,
        note=note,
        pieces=program.pieces,
        answers=program.answers,
    )


def _read(path: Path | bytes, stage: Stage) -> _Program:
    """Return the program in a folder, in an archive, or in the content of a zip.

    Raise Unreadable, with a message for the student, if no program can be read.
    """
    if isinstance(path, bytes):
        return _read_source(Zip(path), stage, depth=1)
    if not _is_folder(path):
        return _read_packed(path.name, read_beneath(path.parent, path.name, MAX_ZIP), stage)
    folder = Folder(path)
    if not folder.names:
        raise NothingSubmitted(stage)
    return _read_source(folder, stage)


def problem_of(source: FileSource, stage: Stage) -> str:
    """Return why the files cannot be read as a program, and what to do; "" if they can."""
    try:
        _read_source(source, stage)
    except Unreadable as problem:
        return safe_line(str(problem))
    return ""


def _read_source(source: FileSource, stage: Stage, depth: int = 0) -> _Program:
    """Return the program in the files, or in the only archive among them.

    If there is a program, archives beside it are only mentioned in the note. Otherwise open the
    archive that has the stage's name, or else the only archive.
    """
    packed = [name for name in source.names if is_packed(name)]
    if not packed:
        return _read_program(source, stage)
    if any(_find(source.names, stage)):
        program = _read_program(source, stage)
        unread = (f"{name} was not read" for name in packed)
        return replace(program, note=_joined(program.note, *unread))
    of_stage = [name for name in packed if without_ending(posixpath.basename(name)) == stage.name]
    packed = of_stage or packed
    if len(packed) > 1:
        several = f"several archives ({_listed(packed)})"
        raise Unreadable(f"{several}; hand in only one, called {stage.name}.zip")
    if depth == MAX_PACKED:
        raise Unreadable(f"a zip within zips; zip {expected_files(stage)} itself")
    return _read_packed(packed[0], source.read(packed[0], MAX_ZIP), stage, depth + 1)


def _is_folder(path: Path) -> bool:
    """Return whether `path` is a folder; raise Unreadable if it is neither folder nor file.

    A link is refused, because it may lead to another person's file.
    """
    try:
        mode = os.lstat(path).st_mode
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be reached ({error.strerror})") from None
    if stat.S_ISLNK(mode):
        raise Unreadable(f"{path.name} {LINK.replace('file', 'folder')}")
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise Unreadable(f"{path.name} {SPECIAL}")
    return stat.S_ISDIR(mode)


def _read_packed(name: str, data: bytes, stage: Stage, depth: int = 1) -> _Program:
    """Return the program in an archive; raise Unreadable with the archive's name in the message.

    If an archive lies in another, the name tells the student which of them is at fault.
    """
    try:
        return _read_source(open_packed(name, data), stage, depth)
    except Unreadable as problem:
        text = str(problem)
        if not text.startswith(name):
            text = f"{name}: {text}"
        raise Unreadable(text) from None


def _find(names: tuple[str, ...], stage: Stage) -> tuple[list[str], list[str]]:
    """Return the paths of the program's files and of its notebook; either may be empty.

    If no file and no notebook has the right name, a single notebook is taken. A note then asks the
    student for the right name. Only notebooks at the top, or in a folder at the top, are looked at
    for this.
    """
    files = _in_one_folder(names, stage.files, stage)
    notebooks = _in_one_folder(names, [f"{stage.name}.ipynb"], stage)
    others = [name for name in names if name.endswith(".ipynb") and name.count("/") < 2]
    if not files and not notebooks and len(others) == 1:
        notebooks = others
    return files, notebooks


def _in_one_folder(names: Iterable[str], wanted: Collection[str], stage: Stage) -> list[str]:
    """Return the paths of the wanted files in the first folder that has any of them.

    The folders are searched in this order: the outermost folder, a folder with the stage's name, a
    folder directly inside the outermost one, any other folder. Raise Unreadable if two folders are
    equally good, because nobody can tell which of them is meant.
    """
    paths = [name for name in names if posixpath.basename(name) in wanted]
    folders = {posixpath.dirname(name) for name in paths}
    stage_folders = {folder for folder in folders if posixpath.basename(folder) == stage.name}
    outer_folders = {folder for folder in folders if "/" not in folder}
    chosen = folders & {""} or stage_folders or outer_folders or folders
    if len(chosen) > 1:
        raise Unreadable(f"the same file in several folders ({_listed(paths)}); hand in only one")
    return [name for name in paths if posixpath.dirname(name) in chosen]


def _read_program(source: FileSource, stage: Stage) -> _Program:
    """Return the program.

    Raise Unreadable if it is the starter and an unread program lies beside it. The unread program
    is probably the student's work under a wrong name. A starter alone is returned, with a note.
    """
    program = replace(_read_changed(source, stage), answers=_answers(source, stage))
    if is_starter(program.modules, stage):
        files, notebooks = _find(source.names, stage)
        starter = f"{_names(files or notebooks)}: {STILL_STARTER}"
        if unread := unread_programs(source.names, stage):
            raise Unreadable(f"{starter}; {unread}")
        return replace(program, note=_joined(program.note, starter))
    return program


def _answers(source: FileSource, stage: Stage) -> str:
    """Return the stage's section of the student's answers; if there is none, return all answers.

    Answers that cannot be read are left out, because no points depend on them.
    """
    for name in source.names:
        if posixpath.basename(name) == ANSWERS:
            with suppress(Unreadable, UnicodeDecodeError):
                text = source.read(name, MAX_ANSWERS).decode("utf-8-sig")
                if section_of(text, stage.name):
                    return answers_for(text, stage)
                return text.strip()
    return ""


def unread_programs(names: Iterable[str], stage: Stage) -> str:
    """Return a message on unread files that may be the program; "" if there are none.

    The message also says what to do. Test files and files of other stages are not mentioned,
    because their names are right.
    """
    of_other_stages: set[str] = set()
    for another in Course(stage.root).stages:
        if another != stage:
            of_other_stages |= {*another.files, f"{another.name}.ipynb"}
    names = tuple(sorted(names))
    read = {*chain(*_find(names, stage))}
    unread: list[str] = []
    for name in names:
        file_name = posixpath.basename(name)
        is_ours = file_name.startswith("test_") or file_name in of_other_stages
        is_program = name.endswith((".py", ".ipynb")) and not is_clutter(file_name)
        if is_program and not is_ours and name not in read:
            unread.append(name)
    if not unread:
        return ""
    wanted: Sequence[str] = [f"{stage.name}.ipynb"]
    if unread[0].endswith(".py"):
        wanted = stage.files
    near = difflib.get_close_matches(unread[0], wanted, n=1, cutoff=0)[0]
    first = safe_line(unread[0], MAX_NAME)
    verb = agreeing(len(unread), "was", "were")
    return f"{_listed(unread)} {verb} not read; if {first} is your program, hand it in as {near}"


def _read_changed(source: FileSource, stage: Stage) -> _Program:
    """Return the program in the files or in the notebook, whichever the student has changed.

    If neither is changed, return the files. If both are changed and differ, return the files with a
    note. Files that `hearts extract` made from a notebook count as unchanged.
    """
    files, notebooks = _find(source.names, stage)
    if not notebooks:
        if not files:
            raise Unreadable(_unexpected(source.names, stage))
        return _read_files(source, files, stage)
    if not files:
        return _read_notebook(source, notebooks[0], stage)
    in_files = _read_files(source, files, stage)
    if is_starter(in_files.modules, stage) or all(map(is_extract, in_files.modules.values())):
        in_notebook = _read_notebook(source, notebooks[0], stage)
        if is_starter(in_notebook.modules, stage):
            return in_files
        return in_notebook
    try:
        in_notebook = _read_notebook(source, notebooks[0], stage)
    except Unreadable:
        return in_files
    if is_starter(in_notebook.modules, stage) or same_text(in_notebook.modules, in_files.modules):
        return in_files
    names = _names(files)
    counts = agreeing(len(files), "counts", "count")
    choice = f"{names} and {posixpath.basename(notebooks[0])} differ; {names} {counts}"
    return replace(in_files, note=_joined(in_files.note, choice))


def _read_files(source: FileSource, paths: list[str], stage: Stage) -> _Program:
    """Return the program in these files; raise Unreadable if all of them are empty."""
    modules = {}
    for path in paths:
        name = posixpath.basename(path)
        text = _text(source.read(path, MAX_MODULE), name)
        modules[name.removesuffix(".py")] = _source(text, name)
    if not any(text.strip() for text in modules.values()):
        are = agreeing(len(paths), "is", "are")
        them = agreeing(len(paths), "it", "them")
        raise Unreadable(f"{_names(paths)} {are} empty; save your program in {them}")
    note = ""
    if missing := [name for name in stage.files if name.removesuffix(".py") not in modules]:
        are = agreeing(len(missing), "is", "are")
        note = f"{', '.join(missing)} {are} missing; the rest was graded"
    return _Program(modules, note)


def _read_notebook(source: FileSource, path: str, stage: Stage) -> _Program:
    """Return the program in a notebook; raise Unreadable if it is damaged or not the stage's."""
    name = posixpath.basename(path)
    wanted = f"{stage.name}.ipynb"
    text = _text(source.read(path, MAX_NOTEBOOK), name)
    try:
        # Numbers are not needed, and Python raises an error for an int with too many digits.
        contents = read_notebook(json.loads(text, parse_int=float), stage)
    except json.JSONDecodeError as error:
        why = f"broken at line {error.lineno} ({error.msg}); save it again from Jupyter"
        raise Unreadable(f"{name} is not a notebook: {why}") from None
    except RecursionError:
        raise Unreadable(f"{name} is not a notebook: it is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"{name} is not a notebook: {error}") from None
    if not contents.modules:
        raise Unreadable(
            f"{name} has none of the cells that hold the program (changed or missing grade_id); "
            "copy your code into a fresh notebook of the stage"
        )
    modules = {module: _source(text, name) for module, text in contents.modules.items()}
    renamed = ""
    if name != wanted:
        renamed = f"{name} was read as {wanted}; please keep that name"
    return _Program(modules, _joined(renamed, *contents.notes), contents.pieces)


def _text(data: bytes, name: str) -> str:
    r"""Return a file's text with `\n` as line ends; raise Unreadable if it is not UTF-8.

    Some Windows editors write a byte order mark before the text. It is left out.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"{name}, line {line}: byte 0x{data[error.start]:02X} is not UTF-8; "
            "save the file with the encoding UTF-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _source(text: str, name: str) -> str:
    """Return the text unchanged; raise Unreadable if it has a null byte."""
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise Unreadable(f"{name}, line {line}: a null byte; save the file as plain text")
    return text


def _unexpected(names: Collection[str], stage: Stage) -> str:
    """Return a message on what was found instead of the program, and what to do.

    The advice is about the first file that looks like the program under another name or in another
    format. A student's own tests are never taken for the program.
    """
    expected = expected_files(stage)
    if not names:
        return f"it is empty; expected {expected}"
    wanted = [*stage.files, f"{stage.name}.ipynb"]
    advice = "the names must match exactly"
    for name in sorted(names, key=_programs_first):
        base = posixpath.basename(name)
        if instead := _instead(base, stage):
            advice = instead
            break
        close = difflib.get_close_matches(base.lower(), wanted, n=1, cutoff=MIN_SIMILARITY)
        if close and not base.startswith("test_"):
            advice = f"rename {safe_line(name, MAX_NAME)} to {close[0]}"
            break
    return f"expected {expected}, found {_listed(names)}; {advice}"


def _programs_first(name: str) -> tuple[bool, str]:
    """Return a key that sorts the names of Python files and notebooks before other names."""
    return not name.endswith((".py", ".ipynb")), name


def _instead(name: str, stage: Stage) -> str:
    """Return what to hand in instead of a document, archive or picture; "" for other files."""
    for endings, advice in FOREIGN.items():
        if name.lower().endswith(endings):
            return advice.format(safe_line(name, MAX_NAME), listed(stage.files))
    return ""


def _listed(names: Collection[str]) -> str:
    """Return the first few names for a message, programs first, and how many more there are."""
    shown = [safe_line(name, MAX_NAME) for name in sorted(names, key=_programs_first)]
    text = ", ".join(shown[:MAX_LISTED])
    if len(shown) > MAX_LISTED:
        text += f" and {len(shown) - MAX_LISTED} more"
    return text


def _names(paths: Iterable[str]) -> str:
    """Return the names of the files without their folders."""
    return ", ".join(posixpath.basename(path) for path in paths)


def _joined(*notes: str) -> str:
    """Return the notes that are not empty as one line."""
    return "; ".join(filter(None, notes))
