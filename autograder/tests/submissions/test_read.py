"""Every submission becomes modules, or one line that says what to fix."""

import json
import os
import random
import stat
import struct
import tarfile
import time
import tracemalloc
import zipfile
from functools import partial

import pytest
from hearts_course.notebook import as_extract
from hearts_course.submissions import untrusted
from hearts_course.submissions.read import read_submission
from surroundings import closed
from tiny_class import (
    STAGE,
    STARTER,
    cell,
    course_with_starter,
    full_notebook,
    notebook,
    put,
    starter_notebook,
    tarred,
    zipped,
)
from tiny_course import REFERENCE

PROGRAM = "x = 1\n"
NOTEBOOK = f"{STAGE}.ipynb"
ZIP = f"{STAGE}.zip"
TAR = "work.tar.gz"
EXPECTED = "expected coins.py or 01-coins.ipynb"
MANY_SECONDS, MANY_BYTES = 20, 300 * 2**20  # limits for reading one submission
WHOLE = "".join(line for line in REFERENCE.splitlines(True) if not line.startswith("# %%"))


@pytest.fixture
def stage(tmp_path):
    return course_with_starter(tmp_path / "course").stages[0]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "class/ada").mkdir(parents=True)
    return tmp_path / "class/ada" / STAGE


@pytest.fixture
def read(stage, folder):
    def read(content, path=None):
        put(folder, content)
        return read_submission(path or folder, "ada", stage)

    return read


@pytest.mark.parametrize("data", [PROGRAM, b"\xef\xbb\xbfx = 1\n", b"x = 1\r\n", b"x = 1\r"])
def test_a_file_is_its_text_with_any_line_ends(read, data):
    submission = read({"coins.py": data, "notes.txt": "hi", "test_coins.py": "x"})
    assert (submission.student, submission.stage) == ("ada", STAGE)
    assert submission.modules == {"coins": PROGRAM}
    assert (submission.problem, submission.note, submission.missing) == ("", "", False)


def test_a_program_with_a_syntax_error_is_read(read):
    assert read({"coins.py": "def ("}).modules == {"coins": "def ("}


def test_the_program_of_a_notebook_is_its_solution_cells(read):
    assert read({NOTEBOOK: full_notebook()}).modules["coins"].split() == WHOLE.split()


def as_tar(size):
    """Return a tar whose only member claims this size; `size` is the text in its header."""
    archive = tarred({"coins.py": PROGRAM}, mode="w")
    return archive[:124] + size + archive[124 + len(size) :]


LONG = f"{'long-' * 15}/{'way-' * 12}/"  # more than the 100 bytes of a plain name in a tar
PACK = {
    "any name.ZIP": zipped,
    "work.tar.gz": tarred,
    "work.TGZ": partial(tarred, form=tarfile.GNU_FORMAT),
    "work.tar": partial(tarred, form=tarfile.USTAR_FORMAT, mode="w"),
    "outer.zip": lambda files: zipped({"__MACOSX/x": "", "work/inner.zip": zipped(files)}),
    "outer.tgz": lambda files: tarred({"inner.zip": zipped(files)}),
    ZIP: zipped,  # this zip and the next tar stand in place of the stage's folder
    f"{STAGE}.tar.gz": tarred,
}


@pytest.mark.parametrize("wrap", ["", "hand in/", f"work/{STAGE}/", "work\\", LONG])
@pytest.mark.parametrize("kind", ["folder", *PACK])
def test_the_program_may_be_in_one_folder_inside(read, folder, wrap, kind):
    if kind == "folder":
        wrap = wrap.replace("\\", "/")
    files = {f"{wrap}coins.py": PROGRAM, f"{wrap}README.md": "hi", "__MACOSX/._coins.py": b"\0"}
    beside = folder.parent if kind.startswith(STAGE) else folder
    if kind != "folder":
        files = {kind: PACK[kind](files)}
    put(beside, files)
    submission = read({}, beside / kind if beside != folder else None)
    assert submission.modules == {"coins": PROGRAM}, submission.problem


def test_among_several_folders_the_stage_s_own_counts(read):
    files = {f"work/{STAGE}/coins.py": PROGRAM, "work/old/coins.py": "y = 2\n"}
    assert read(files).modules == {"coins": PROGRAM}


SOME_CELLS = notebook(coins_header="a = 1", other="b", coins_purse="c = 3")
BOTH = [
    ({"coins.py": PROGRAM, ZIP: zipped({"coins.py": "y"})}, PROGRAM, f"{ZIP} was not read"),
    (
        {NOTEBOOK: SOME_CELLS},
        "a = 1\n\n\n...\n\n\nc = 3\n",
        "the cell coins-coin is missing, so the starter's version was used",
    ),
    (
        {"01-coins (1).ipynb": full_notebook()},
        WHOLE,
        f"01-coins (1).ipynb was read as {NOTEBOOK}; please keep that name",
    ),
    ({"coins.py": STARTER.replace("\n", "  \r\n"), NOTEBOOK: full_notebook()}, WHOLE, ""),
    ({"coins.py": PROGRAM, NOTEBOOK: starter_notebook()}, PROGRAM, ""),
    (
        {"coins.py": STARTER, NOTEBOOK: starter_notebook(), "test_coins.py": ""},
        STARTER,
        "coins.py: still the starter as it was handed out",
    ),
    (
        {"coins.py": PROGRAM, NOTEBOOK: full_notebook()},
        PROGRAM,
        f"coins.py and {NOTEBOOK} differ; coins.py counts",
    ),
    ({"coins.py": PROGRAM, NOTEBOOK: "{"}, PROGRAM, ""),
    ({"coins.py": as_extract(PROGRAM), NOTEBOOK: full_notebook()}, WHOLE, ""),
    ({"coins.py": as_extract(PROGRAM)}, as_extract(PROGRAM), ""),
]


@pytest.mark.parametrize(("files", "program", "note"), BOTH)
def test_the_changed_form_counts_and_otherwise_the_file(read, files, program, note):
    submission = read(files)
    assert submission.modules["coins"].split() == program.split()
    assert submission.note == note


def test_a_file_and_a_notebook_that_are_the_same_need_no_note(read):
    program = read({NOTEBOOK: full_notebook()}).modules["coins"]
    assert read({"coins.py": program}).note == ""


@pytest.mark.parametrize("files", [None, {}, {"__pycache__/x.pyc": "", ".git/x": ""}])
def test_nothing_or_an_empty_folder_is_missing(read, stage, files):
    submission = read_submission(None, "ada", stage) if files is None else read(files)
    assert submission.problem == f"nothing was handed in for {STAGE}; {EXPECTED}"
    assert (submission.modules, submission.missing) == ({}, True)


def special(mode):
    """Return a zip member with this mode, such as that of a link."""
    member = zipfile.ZipInfo("coins.py")
    member.external_attr = (mode | 0o777) << 16
    return member


def without_name():
    member = zipfile.ZipInfo("x")
    member.filename = ""
    return member


def far_away(place):
    """Return a zip whose only file, as a field of 64 bits says, begins at byte `place`."""
    data = bytearray(zipped({"coins.py": PROGRAM}))
    listing = data.index(b"PK\1\2")
    end = data.index(b"PK\5\6")
    extra = struct.pack("<HHQ", 1, 8, place)
    struct.pack_into("<H", data, listing + 30, len(extra))
    struct.pack_into("<L", data, listing + 42, 2**32 - 1)  # means: see `extra`
    struct.pack_into("<L", data, end + 12, end - listing + len(extra))
    return bytes(data[:end] + extra + data[end:])


def patched(data, at, value, size):
    """Return the zip with this value in both headers of its member.

    `at` is the value's place in the local header, and `size` is its number of bytes.
    """
    data = bytearray(data)
    for signature, offset in ((b"PK\3\4", at), (b"PK\1\2", at + 2)):
        place = data.index(signature) + offset
        data[place : place + size] = value.to_bytes(size, "little")
    return bytes(data)


STORED = zipped({"coins.py": PROGRAM * 50}, zipfile.ZIP_STORED)
MANY = {f"{number}.txt": "" for number in range(101)}
PICKY = [
    (
        {"Coins.py": PROGRAM, "a.txt": ""},
        f"{EXPECTED}, found Coins.py, a.txt; rename Coins.py to coins.py",
    ),
    *(
        (
            {"coins.py": STARTER, name: text, "test_coins.py": "", "earlier/x.txt": ""},
            f"coins.py: still the starter as it was handed out; {name} was not read; if {name} is "
            f"your program, hand it in as {right}",
        )
        for name, text, right in (
            ("coins_final.py", PROGRAM, "coins.py"),
            ("01-coins (1).ipynb", full_notebook(), NOTEBOOK),
            ("my-hearts/coins.py", PROGRAM, "coins.py"),
        )
    ),
    ({"a/my_coins.py": PROGRAM}, "rename a/my_coins.py to coins.py"),
    ({"test_coins.py": PROGRAM}, "found test_coins.py; the names must match exactly"),
    ({"a": "", "b": "", "c": "", "d": "", "z.py": ""}, "found z.py, a, b and 2 more;"),
    ({"a/coins.py": PROGRAM, "b/coins.py": "y"}, "several folders (a/coins.py, b/coins.py)"),
    (
        {"coins.py": "x = 1\ny = 'caf\u00e9'\n".encode("latin-1")},
        "coins.py, line 2: byte 0xE9 is not UTF-8; save the file with the encoding UTF-8",
    ),
    ({"coins.py": PROGRAM.encode("utf-16")}, "coins.py, line 1: byte 0xFF is not UTF-8"),
    ({"coins.py": b"x = 1\n\0"}, "coins.py, line 2: a null byte"),
    ({"coins.py": " \n"}, "coins.py is empty; save your program in it"),
    ({"coins.py": b"#" * (2**20 + 1)}, "coins.py is too big (1 MiB; at most 1 MiB)"),
    ({NOTEBOOK: b" " * (6 * 2**20)}, "01-coins.ipynb is too big (6 MiB; at most 5 MiB)"),
    ({"coins.py": STARTER, NOTEBOOK: "{"}, "01-coins.ipynb is not a notebook: broken at line 1"),
    ({NOTEBOOK: '{"cells": [\n  1,'}, "01-coins.ipynb is not a notebook: broken at line 2"),
    ({NOTEBOOK: b"\xff{}"}, "01-coins.ipynb, line 1: byte 0xFF is not UTF-8"),
    ({NOTEBOOK: "[]"}, "01-coins.ipynb is not a notebook: the file is not a JSON object"),
    ({NOTEBOOK: "[" * 100_000}, "01-coins.ipynb is not a notebook: it is nested too deeply"),
    ({NOTEBOOK: notebook(coins_header="\0x")}, "01-coins.ipynb, line 1: a null byte"),
    ({NOTEBOOK: notebook(coins_header="'\ud800'")}, "a character that no file can hold"),
    (
        {NOTEBOOK: notebook(scratch="x = 1")},
        "01-coins.ipynb has none of the cells that hold the program (changed or missing grade_id)",
    ),
    ({"a.ipynb": "{}", "b.ipynb": "{}"}, "found a.ipynb, b.ipynb;"),
    ({"a.zip": b"", "b.zip": b""}, "several archives (a.zip, b.zip); hand in only one, called 0"),
    ({ZIP: b"PK, but no more"}, "01-coins.zip: the zip is damaged"),
    ({ZIP: zipped({})}, "01-coins.zip: it is empty; expected"),
    (
        {ZIP: zipped({"b.zip": zipped({"c.zip": zipped({"coins.py": "x"})})})},
        "01-coins.zip: b.zip: a zip within zips; zip coins.py or 01-coins.ipynb itself",
    ),
    ({"b.zip": zipped({"c.zip": zipped({"coin.py": "x"})})}, "c.zip: expected coins.py or"),
    ({TAR: tarred({"../coins.py": PROGRAM})}, "the tar contains an unsafe path (../coins.py)"),
    ({TAR: tarred({"x/coins.py": ""}, kind=tarfile.SYMTYPE)}, "x/coins.py is a link or a special"),
    ({TAR: tarred(MANY)}, "work.tar.gz: the tar holds 101 files (at most 100)"),
    ({TAR: tarred({"coins.py": b"#" * (11 * 2**20)})}, "the tar unpacks to more than 10 MiB"),
    ({TAR: tarred({"coins.py": b"#" * (2 * 2**20)})}, "work.tar.gz: coins.py is too big (2 MiB"),
    ({TAR: tarred({"coins.py": PROGRAM})[:60]}, "work.tar.gz: the tar is damaged; make it again"),
    ({"a.tar": as_tar(size=b"-0000001000")}, "a.tar: the tar is damaged; make it again"),
    (
        {"My coins.docx": b"PK", "notes.txt": ""},
        "My coins.docx is a document: copy the program from it into coins.py and hand that in",
    ),
    ({"coins.rar": b"Rar!"}, "coins.rar cannot be unpacked here: hand in coins.py, or a zip"),
    ({"coins.png": b""}, "coins.png is not a program: hand in coins.py"),
    ({ZIP: zipped({"../coins.py": PROGRAM})}, "contains an unsafe path (../coins.py)"),
    ({ZIP: zipped({"..\\coins.py": PROGRAM})}, "contains an unsafe path (../coins.py)"),
    ({ZIP: zipped({"/coins.py": PROGRAM})}, "contains an unsafe path (/coins.py)"),
    ({ZIP: zipped({"C:\\coins.py": PROGRAM})}, "contains an unsafe path (C:/coins.py)"),
    ({ZIP: zipped({"coins.py": PROGRAM, "x/../../a": ""})}, "the zip contains an unsafe path"),
    ({ZIP: zipped(MANY)}, "the zip holds 101 files (at most 100)"),
    (
        {ZIP: zipped({"coins.py": b"#" * (11 * 2**20)})},
        "the zip unpacks to 11 MiB (at most 10 MiB)",
    ),
    ({ZIP: zipped({"coins.py": b"#" * (2 * 2**20)})}, "01-coins.zip: coins.py is too big (2 MiB"),
    ({ZIP: os.urandom(2**10) * (6 * 2**10)}, "01-coins.zip is too big (6 MiB; at most 5 MiB)"),
    (
        {ZIP: zipped({"coins.py": PROGRAM}, zipfile.ZIP_LZMA)},
        "compressed in a rare way; make an",
    ),
    (
        {ZIP: zipped({"coins.py": PROGRAM}, zipfile.ZIP_BZIP2)},
        "compressed in a rare way; make an",
    ),
    ({ZIP: zipped({"coin.py": PROGRAM})}, f"01-coins.zip: {EXPECTED}, found coin.py"),
    ({ZIP: zipped({special(stat.S_IFLNK): "/etc"})}, "coins.py is a symbolic link in the zip; zip"),
    ({ZIP: zipped({special(stat.S_IFIFO): ""})}, "coins.py is a special file in the zip; zip the"),
    ({ZIP: patched(zipped({"coins.py": PROGRAM}), 6, 1, 2)}, "locked with a password"),
    ({ZIP: zipped({without_name(): "", "coins.py": PROGRAM})}, "holds a file without a name"),
    ({ZIP: far_away(2**63)}, "01-coins.zip: the zip is damaged; make it again"),
    ({ZIP: far_away(2**64 - 1)}, "01-coins.zip: the zip is damaged; make it again"),
    ({ZIP: zipped({"coins.py": PROGRAM, "./coins.py": "y"})}, "the zip holds coins.py 2 times"),
    ({ZIP: STORED.replace(b"x = 1", b"y = 1", 1)}, "the zip is damaged"),
    ({f"{i // 100}/{i}": "" for i in range(1001)}, "more than 1000 files"),
]


@pytest.mark.parametrize(("files", "verdict"), PICKY, ids=[text[:60] for _, text in PICKY])
def test_a_submission_that_cannot_be_read_gets_one_line(read, files, verdict):
    submission = read(files)
    assert verdict in submission.problem
    assert (submission.modules, submission.missing) == ({}, False)
    assert "\n" not in submission.problem
    assert len(submission.problem) <= 300


def test_a_missing_folder_is_reported(stage, folder):
    assert "cannot be reached (No such file" in read_submission(folder, "ada", stage).problem


def test_a_file_of_50_megabytes_is_not_read(read, folder):
    put(folder, {})
    with (folder / "coins.py").open("wb") as file:
        file.truncate(50 * 10**6)
    tracemalloc.start()
    assert "coins.py is too big (47.7 MiB; at most 1 MiB)" in read({}).problem
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_countless_folders_end_the_listing(read, folder):
    for number in range(1001):
        (folder / str(number)).mkdir(parents=True)
    assert read({}).problem.startswith("more than 1000 files")


@pytest.mark.parametrize(
    ("link", "target", "problem"),
    [
        ("coins.py", "../secret/coins.py", "coins.py is a symbolic link; hand in the file itself"),
        ("coins.py", "coins.py", "coins.py is a symbolic link; hand in the file itself"),
        ("inner", "../secret", f"{EXPECTED}, found inner; the names must match exactly"),
    ],
)
def test_a_link_is_not_followed(read, folder, link, target, problem):
    put(folder.parent / "secret", {"coins.py": "SECRET = 1\n"})
    put(folder, {})
    (folder / link).symlink_to(target)
    assert read({}).problem == problem


@pytest.mark.parametrize("name", [STAGE, ZIP])
def test_a_submission_that_is_itself_a_link_is_not_followed(read, folder, tmp_path, name):
    put(tmp_path / "secret", {"coins.py": "SECRET = 1\n", ZIP: zipped({"coins.py": "x"})})
    link = folder.parent / "linked"
    link.symlink_to(tmp_path / "secret" / ("" if name == STAGE else ZIP))
    assert "linked is a symbolic link" in read({}, link).problem


def test_a_folder_swapped_for_a_link_while_reading_is_not_followed(stage, folder, tmp_path):
    put(folder, {"inner/coins.py": PROGRAM})
    source = untrusted.Folder(folder)
    put(tmp_path / "secret", {"coins.py": "SECRET = 1\n"})
    (folder / "inner").rename(folder / "moved")
    (folder / "inner").symlink_to(tmp_path / "secret")
    with pytest.raises(untrusted.Unreadable, match="symbolic link"):
        source.read("inner/coins.py", 100)


def test_a_download_lists_its_unsafe_files_and_keeps_the_others(folder):
    put(folder, {"coins.py": PROGRAM, "a/b/c/coins.py": PROGRAM})
    (folder / "link").symlink_to("coins.py")
    os.mkfifo(folder / "pipe")
    faults = []
    source = untrusted.Folder(folder, untrusted.Bounds(depth=1), faults)
    assert (source.names, sorted(faults)) == (
        ("coins.py",),
        [
            "a/b: the folder is nested too deep",
            "link: is a symbolic link; hand in the file itself",
            "pipe: is not an ordinary file; hand in the file itself",
        ],
    )


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_file_swapped_between_check_and_open_is_not_read(read, folder, monkeypatch, kind):
    look = os.stat

    def swap(path, **named):
        look_result = look(path, **named)
        if path == "coins.py":
            (folder / path).rename(folder / "moved")
            (folder / path).symlink_to("moved") if kind == "link" else os.mkfifo(folder / path)
        return look_result

    monkeypatch.setattr(os, "stat", swap)
    problem = read({"coins.py": PROGRAM}).problem
    assert ("symbolic link" if kind == "link" else "not an ordinary file") in problem


@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFSOCK])
@pytest.mark.parametrize("place", [f"{STAGE}/coins.py", ZIP])
def test_a_pipe_or_socket_is_refused_and_does_not_block(read, folder, kind, place):
    folder.mkdir()
    os.mknod(folder.parent / place, kind | 0o600)
    submission = read({}, folder.parent / ZIP if place == ZIP else folder)
    assert "is not an ordinary file; hand in the file itself" in submission.problem


def test_a_file_that_cannot_be_opened_is_reported(read, folder):
    put(folder, {"coins.py": PROGRAM})
    with closed(folder / "coins.py"):
        problem = read({}).problem
    verdict = "coins.py cannot be opened (Permission denied); make it readable and submit it"
    assert verdict in problem


NAME = "\x1b[2J\ncoins.py"


@pytest.mark.parametrize("files", [{NAME: PROGRAM}, {ZIP: zipped({f"../{NAME}": PROGRAM})}])
def test_names_cannot_control_a_terminal(read, files):
    problem = read(files).problem
    assert "\\x1b[2J coins.py" in problem
    assert problem.isprintable()


def test_a_zip_that_understates_its_size_is_damaged(read):
    """The header promises 10 bytes, but 100 MB follow."""
    data = patched(zipped({"coins.py": b"#" * (100 * 2**20)}), 22, 10, 4)
    start = time.process_time()
    assert "the zip is damaged" in read({ZIP: data}).problem
    assert time.process_time() - start < 1


@pytest.mark.parametrize("pack", [zipped, tarred, partial(tarred, mode="w")])
def test_a_broken_archive_never_raises(read, pack):
    archive = pack({"coins.py": PROGRAM * 20, "notes/a.txt": "b"})
    name = ZIP if pack is zipped else TAR
    rng = random.Random(7)
    for _ in range(300):
        data = bytearray(archive)
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        submission = read({name: bytes(data)[: rng.choice([None, rng.randrange(len(data))])]})
        assert bool(submission.problem) != bool(submission.modules)


def test_a_strange_notebook_never_raises(read):
    strange = [None, 1, -1.5, "x", [], {}, [[]], {"a": 1}, ["x", 2], True, 10**400]
    shapes = [{"cells": s} for s in strange] + [{"cells": [s]} for s in strange] + strange
    good = json.loads(full_notebook())["cells"]
    for value in strange:
        for key in ("cell_type", "metadata", "source", "id"):
            shapes.append({"cells": [dict(good[0], **{key: value}), *good[1:]]})
        for mark in (value, {"grade_id": value}):
            shapes.append({"cells": [dict(cell, metadata={"nbgrader": mark}) for cell in good]})
    for shape in shapes:
        submission = read({NOTEBOOK: json.dumps(shape)})
        assert bool(submission.problem) != bool(submission.modules), shape
    digits = full_notebook().replace('"nbformat": 4', f'"nbformat": {"9" * 10_000}')
    assert read({NOTEBOOK: digits}).modules


BLANKS = " " * 2_000_000
HEAVY = {
    "blanks behind a colon": [cell("coins-coin", f"a:{BLANKS}")],
    "a program of megabytes, twice": [
        cell("coins-coin", f"a{n} = {'[],' * 700_000}") for n in (1, 2)
    ],
    "thousands of cells that may be parts": [
        cell("coins-coin", f"a = [{'[],' * 30_000}]"),
        *(cell("", "class Coin:\n    pass\nprint()") for _ in range(5_000)),
    ],
}


@pytest.mark.parametrize("cells", HEAVY.values(), ids=HEAVY)
def test_no_notebook_takes_minutes_or_gigabytes(read, cells):
    data = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    started = time.process_time()
    tracemalloc.start()
    submission = read({NOTEBOOK: json.dumps(data)})
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert submission.modules
    assert most < MANY_BYTES
    assert time.process_time() - started < MANY_SECONDS
