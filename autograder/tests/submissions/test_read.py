import io
import json
import os
import random
import stat
import struct
import time
import tracemalloc
import zipfile

import pytest
from hearts_course.submissions import untrusted
from hearts_course.submissions.read import read_submission
from tiny_class import (
    CELLS,
    STAGE,
    STARTER,
    course_with_starter,
    full_notebook,
    notebook,
    put,
    starter_notebook,
    zipped,
)
from tiny_course import REFERENCE

PROGRAM = "x = 1\n"
NOTEBOOK = f"{STAGE}.ipynb"
ZIP = f"{STAGE}.zip"


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


# What is read


def test_a_file_is_its_text(read):
    submission = read({"coins.py": PROGRAM, "notes.txt": "hi", "test_coins.py": "x"})
    assert (submission.student, submission.stage) == ("ada", STAGE)
    assert submission.modules == {"coins": PROGRAM}
    assert (submission.problem, submission.note) == ("", "")


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfx = 1\n", b"x = 1\r\n", b"x = 1\r"])
def test_a_byte_order_mark_and_any_end_of_line_are_fine(read, data):
    assert read({"coins.py": data}).modules == {"coins": PROGRAM}


def test_what_is_no_python_is_read_all_the_same(read):
    assert read({"coins.py": "def ("}).modules == {"coins": "def ("}


def test_a_notebook_is_the_program_of_its_cells(read):
    modules = read({NOTEBOOK: full_notebook()}).modules
    assert list(modules) == ["coins"]
    assert "class Coin:" in modules["coins"]
    assert "def richest" in modules["coins"]


@pytest.mark.parametrize("wrap", ["", "hand in/", f"work/{STAGE}/"])
@pytest.mark.parametrize("kind", ["folder", "zip beside", "zip inside"])
def test_one_folder_around_the_program_is_fine(read, folder, wrap, kind):
    files = {f"{wrap}coins.py": PROGRAM, f"{wrap}README.md": "hi", "__MACOSX/._coins.py": b"\0"}
    if kind == "zip inside":
        files = {"any name.ZIP": zipped(files)}
    if kind == "zip beside":
        put(folder.parent, {ZIP: zipped(files)})
        submission = read({}, folder.parent / ZIP)
    else:
        submission = read(files)
    assert submission.modules == {"coins": PROGRAM}, submission.problem


def test_of_several_folders_the_stage_s_own_counts(read):
    files = {f"work/{STAGE}/coins.py": PROGRAM, "work/old/coins.py": "y = 2\n"}
    assert read(files).modules == {"coins": PROGRAM}


def test_a_zip_that_windows_made_is_fine(read):
    assert read({ZIP: zipped({"work\\coins.py": PROGRAM})}).modules == {"coins": PROGRAM}


def test_a_zip_beside_the_program_is_mentioned(read):
    submission = read({"coins.py": PROGRAM, ZIP: zipped({"coins.py": "y = 2\n"})})
    assert submission.modules == {"coins": PROGRAM}
    assert submission.note == f"{ZIP} was not read"


def test_a_notebook_without_some_cells_is_graded_and_says_so(read):
    submission = read({NOTEBOOK: notebook(coins_header="a = 1", other="b", coins_purse="c = 3")})
    assert submission.modules == {"coins": "a = 1\n\n\nc = 3\n"}
    assert submission.note == f"{NOTEBOOK} lacks the cell coins-coin; the rest was graded"


def test_a_lone_notebook_of_another_name_is_read(read):
    submission = read({"01-coins (1).ipynb": full_notebook()})
    assert submission.modules
    assert "please keep that name" in submission.note


# Both forms


def test_of_an_untouched_file_and_a_notebook_the_notebook_counts(read):
    files = {"coins.py": STARTER.replace("\n", "  \r\n"), NOTEBOOK: full_notebook()}
    submission = read(files)
    assert "def richest" in submission.modules["coins"]
    assert submission.note == ""


def test_of_a_file_and_an_untouched_notebook_the_file_counts(read):
    submission = read({"coins.py": PROGRAM, NOTEBOOK: starter_notebook()})
    assert (submission.modules, submission.note) == ({"coins": PROGRAM}, "")


def test_of_two_that_differ_the_file_counts_and_the_note_says_so(read):
    submission = read({"coins.py": PROGRAM, NOTEBOOK: full_notebook()})
    assert submission.modules == {"coins": PROGRAM}
    assert submission.note == f"coins.py and {NOTEBOOK} differ; coins.py counts"


def test_two_that_are_the_same_need_no_note(read):
    program = read({NOTEBOOK: full_notebook()}).modules["coins"]
    assert read({"coins.py": program}).note == ""


def test_a_broken_notebook_does_not_harm_the_file_beside_it(read):
    submission = read({"coins.py": PROGRAM, NOTEBOOK: "{"})
    assert (submission.modules, submission.problem) == ({"coins": PROGRAM}, "")


def test_a_broken_notebook_beside_an_untouched_file_is_the_verdict(read):
    assert "is not a notebook" in read({"coins.py": STARTER, NOTEBOOK: "{"}).problem


def test_nothing_but_starters_is_the_starter(read):
    assert read({"coins.py": STARTER, NOTEBOOK: starter_notebook()}).modules == {"coins": STARTER}


# Verdicts

MANY = {f"{number}.txt": "" for number in range(101)}
PICKY = [
    ({}, "nothing was handed in for 01-coins; expected coins.py or 01-coins.ipynb"),
    ({"__pycache__/x.pyc": "", ".git/x": ""}, "nothing was handed in for 01-coins"),
    (
        {"Coins.py": PROGRAM, "a.txt": ""},
        "expected coins.py or 01-coins.ipynb, found Coins.py, a.txt; rename Coins.py to coins.py",
    ),
    ({"a/my_coins.py": PROGRAM}, "rename a/my_coins.py to coins.py"),
    ({"test_coins.py": PROGRAM}, "found test_coins.py; the name must be exactly that"),
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
    ({NOTEBOOK: '{"cells": [\n  1,'}, "01-coins.ipynb is not a notebook: broken at line 2"),
    ({NOTEBOOK: ""}, "01-coins.ipynb is not a notebook: broken at line 1"),
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
    (
        {"a.zip": b"", "b.zip": b""},
        "several zips (a.zip, b.zip); hand in only one, called 01-coins",
    ),
    ({ZIP: b"PK, but no more"}, "01-coins.zip: the zip is damaged"),
    ({ZIP: zipped({})}, "01-coins.zip: there is nothing in it"),
    ({ZIP: zipped({"inner.zip": zipped({"coins.py": "x"})})}, "01-coins.zip: a zip within a zip"),
    ({ZIP: zipped({"../coins.py": PROGRAM})}, "the zip contains an unsafe path (../coins.py)"),
    ({ZIP: zipped({"..\\coins.py": PROGRAM})}, "the zip contains an unsafe path (../coins.py)"),
    ({ZIP: zipped({"/coins.py": PROGRAM})}, "the zip contains an unsafe path (/coins.py)"),
    ({ZIP: zipped({"C:\\coins.py": PROGRAM})}, "the zip contains an unsafe path (C:/coins.py)"),
    ({ZIP: zipped({"coins.py": PROGRAM, "x/../../a": ""})}, "the zip contains an unsafe path"),
    ({ZIP: zipped(MANY)}, "the zip holds 101 files (at most 100)"),
    (
        {ZIP: zipped({"coins.py": b"#" * (11 * 2**20)})},
        "the zip unpacks to 11 MiB (at most 10 MiB)",
    ),
    ({ZIP: zipped({"coins.py": b"#" * (2 * 2**20)})}, "01-coins.zip: coins.py is too big (2 MiB"),
    ({ZIP: os.urandom(2**10) * (6 * 2**10)}, "01-coins.zip is too big (6 MiB; at most 5 MiB)"),
    ({ZIP: zipped({"coins.py": PROGRAM}, zipfile.ZIP_LZMA)}, "coins.py is packed in a rare way"),
    ({ZIP: zipped({"coins.py": PROGRAM}, zipfile.ZIP_BZIP2)}, "coins.py is packed in a rare way"),
    (
        {ZIP: zipped({"coin.py": PROGRAM})},
        "01-coins.zip: expected coins.py or 01-coins.ipynb, found coin.py",
    ),
]


@pytest.mark.parametrize(("files", "verdict"), PICKY, ids=[text[:60] for _, text in PICKY])
def test_what_cannot_be_read_gets_one_line(read, files, verdict):
    submission = read(files)
    assert verdict in submission.problem
    assert submission.modules == {}
    assert "\n" not in submission.problem
    assert len(submission.problem) <= 300


def test_nothing_at_all_is_a_verdict(stage):
    problem = read_submission(None, "ada", stage).problem
    assert problem == "nothing was handed in for 01-coins; expected coins.py or 01-coins.ipynb"


def test_a_missing_folder_is_a_verdict(stage, folder):
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


def test_no_link_is_followed(read, folder, tmp_path):
    put(tmp_path / "secret", {"coins.py": "SECRET = 1\n"})
    put(folder, {})
    (folder / "coins.py").symlink_to(tmp_path / "secret/coins.py")
    submission = read({})
    assert submission.problem == "coins.py is a symbolic link; hand in the file itself"
    (folder / "coins.py").unlink()
    (folder / "inner").symlink_to(tmp_path / "secret")
    assert read({}).problem.startswith("expected coins.py or 01-coins.ipynb, found inner")


@pytest.mark.parametrize("name", [STAGE, ZIP])
def test_a_submission_that_is_itself_a_link_is_not_followed(read, folder, tmp_path, name):
    put(tmp_path / "secret", {"coins.py": "SECRET = 1\n", ZIP: zipped({"coins.py": "x"})})
    link = folder.parent / "linked"
    link.symlink_to(tmp_path / "secret" / ("" if name == STAGE else ZIP))
    assert "linked is a symbolic link" in read({}, link).problem


def test_a_folder_swapped_for_a_link_while_reading_is_not_followed(stage, folder, tmp_path):
    put(folder, {"inner/coins.py": PROGRAM})
    box = untrusted.Folder(folder)
    put(tmp_path / "secret", {"coins.py": "SECRET = 1\n"})
    (folder / "inner").rename(folder / "moved")
    (folder / "inner").symlink_to(tmp_path / "secret")
    with pytest.raises(untrusted.Unreadable, match="symbolic link"):
        box.read("inner/coins.py", 100)


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_file_swapped_after_it_was_looked_at_is_not_read(read, folder, monkeypatch, kind):
    look = os.stat

    def swap(path, **named):
        found = look(path, **named)
        if path == "coins.py":
            (folder / path).rename(folder / "moved")
            (folder / path).symlink_to("moved") if kind == "link" else os.mkfifo(folder / path)
        return found

    monkeypatch.setattr(os, "stat", swap)
    problem = read({"coins.py": PROGRAM}).problem
    assert ("symbolic link" if kind == "link" else "not an ordinary file") in problem


def test_a_link_to_nowhere_and_one_to_itself(read, folder):
    put(folder, {})
    (folder / "coins.py").symlink_to("coins.py")
    assert "symbolic link" in read({}).problem


@pytest.mark.parametrize("special", ["fifo", "socket"])
def test_a_pipe_or_socket_neither_blocks_nor_counts(read, folder, special):
    put(folder, {})
    kind = stat.S_IFIFO if special == "fifo" else stat.S_IFSOCK
    os.mknod(folder / "coins.py", kind | 0o600)
    assert read({}).problem == "coins.py is not an ordinary file; hand in the file itself"


def test_a_submission_that_is_a_pipe_does_not_block(read, folder):
    os.mkfifo(folder.parent / ZIP)
    assert f"{ZIP} is not an ordinary file" in read({}, folder.parent / ZIP).problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_closed_file_and_a_closed_folder(read, folder):
    put(folder, {"coins.py": PROGRAM})
    (folder / "coins.py").chmod(0)
    assert "coins.py may not be opened (Permission denied)" in read({}).problem
    folder.chmod(0)
    assert "may not be opened (Permission denied)" in read({}).problem
    folder.chmod(0o700)


def test_a_file_that_the_system_refuses(read, monkeypatch):
    whole = os.open

    def refuse(path, *args, **named):
        if path == "coins.py":
            raise PermissionError(13, "Permission denied")
        return whole(path, *args, **named)

    monkeypatch.setattr(os, "open", refuse)
    verdict = read({"coins.py": PROGRAM}).problem
    assert verdict == (
        "coins.py may not be opened (Permission denied); make it readable and hand it in again"
    )


def test_countless_files_end_the_listing(read, folder):
    put(folder, {f"{i // 100}/{i}": "" for i in range(1001)})
    assert read({}).problem.startswith("more than 1000 files")


def test_countless_folders_end_the_listing(read, folder):
    for number in range(1001):
        (folder / str(number)).mkdir(parents=True)
    assert read({}).problem.startswith("more than 1000 files")


NAME = "\x1b[2J\ncoins.py"


@pytest.mark.parametrize("files", [{NAME: PROGRAM}, {ZIP: zipped({f"../{NAME}": PROGRAM})}])
def test_names_cannot_steer_a_terminal(read, files):
    problem = read(files).problem
    assert "\\x1b[2J coins.py" in problem
    assert problem.isprintable()


# Zips that lie


def member(name="coins.py", **changes):
    info = zipfile.ZipInfo(name)
    for key, value in changes.items():
        setattr(info, key, value)
    return info


@pytest.mark.parametrize(
    ("mode", "what"), [(stat.S_IFLNK, "symbolic link"), (stat.S_IFIFO, "special file")]
)
def test_a_link_in_a_zip_is_refused(read, mode, what):
    data = zipped({member(external_attr=(mode | 0o777) << 16): "/etc/passwd"})
    assert f"coins.py is a {what} in the zip; zip the file itself" in read({ZIP: data}).problem


def test_a_locked_zip_is_refused(read):
    data = bytearray(zipped({"coins.py": PROGRAM}))
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.index(signature) + offset
        data[at : at + 2] = struct.pack("<H", 1)
    assert "locked with a password" in read({ZIP: bytes(data)}).problem


def test_a_zip_with_two_files_of_one_name_is_refused(read):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("coins.py", "a = 1\n")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("coins.py", "b = 2\n")
    assert "holds coins.py 2 times" in read({ZIP: buffer.getvalue()}).problem


def test_a_zip_that_understates_its_size_is_not_believed(read):
    """The header promises ten bytes; a hundred megabytes lie behind it."""
    data = bytearray(zipped({"coins.py": b"#" * (100 * 2**20)}))
    for signature, offset in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        at = data.index(signature) + offset
        data[at : at + 4] = struct.pack("<I", 10)
    start = time.monotonic()
    assert "the zip is damaged" in read({ZIP: bytes(data)}).problem
    assert time.monotonic() - start < 1


def test_a_changed_byte_is_noticed(read):
    data = bytearray(zipped({"coins.py": PROGRAM * 50}, zipfile.ZIP_STORED))
    data[data.index(b"x = 1")] = ord("y")
    assert "the zip is damaged" in read({ZIP: bytes(data)}).problem


def test_no_broken_zip_raises(read, stage, folder):
    whole = zipped({"coins.py": PROGRAM * 20, "notes/a.txt": "b"})
    rng = random.Random(7)
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        submission = read({ZIP: bytes(data)[: rng.choice([None, rng.randrange(len(data))])]})
        assert bool(submission.problem) != bool(submission.modules)


def test_no_strange_notebook_raises(read):
    strange = [None, 1, -1.5, "x", [], {}, [[]], {"a": 1}, ["x", 2], True, 10**400]
    shapes = [{"cells": s} for s in strange] + [{"cells": [s]} for s in strange] + strange
    good = json.loads(full_notebook())
    for key in ("cell_type", "metadata", "source", "id"):
        for value in strange:
            cells = [dict(c) for c in good["cells"]]
            cells[0][key] = value
            shapes.append({"cells": cells})
    for value in strange:
        cells = [dict(c, metadata={"nbgrader": value}) for c in good["cells"]]
        shapes += [
            {"cells": cells},
            {"cells": [dict(c, metadata={"nbgrader": {"grade_id": value}}) for c in good["cells"]]},
        ]
    for shape in shapes:
        submission = read({NOTEBOOK: json.dumps(shape)})
        assert bool(submission.problem) != bool(submission.modules), shape


def test_an_int_of_many_digits_is_no_matter(read):
    text = full_notebook().replace('"nbformat": 4', f'"nbformat": {"9" * 10_000}')
    assert read({NOTEBOOK: text}).modules


def test_the_program_of_a_notebook_is_the_reference(read):
    modules = read({NOTEBOOK: full_notebook()}).modules
    plain = "".join(line for line in REFERENCE.splitlines(True) if not line.startswith("# %%"))
    assert modules["coins"].split() == plain.split()
    assert len(CELLS) == 3
