"""Every tracked name works on every system, and no tracked file has a merge conflict.

`make lint` runs these tests.
"""

import re
import shutil
import subprocess
import unicodedata
from collections import defaultdict
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
CONFLICT = re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE)
FORBIDDEN = re.compile(r'[\x00-\x1f<>:"|?*\\]|[ .]$')  # what Windows forbids in a name
DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
LONGEST = 160  # Windows allows a path 260 characters; the rest is for the checkout's folder


@pytest.fixture(name="tracked", scope="module")
def _tracked():
    """Return the names of the files that git tracks, and of new files that git does not ignore."""
    if not shutil.which("git"):
        pytest.skip("without git nobody can say what it tracks")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True)
    if listing.returncode or not listing.stdout:
        pytest.skip("this folder is not a git checkout of one's own")
    names = listing.stdout.decode().rstrip("\0").split("\0")
    return [name for name in names if (ROOT / name).is_file()]


def faulty_names(names):
    """Return the names that some system cannot hold, or cannot tell apart."""
    alike = defaultdict(set)
    for name in names:
        # Folders are compared too: some systems put `Cases/a` and `cases/b` into one folder.
        for path in [PurePosixPath(name), *PurePosixPath(name).parents[:-1]]:
            alike[unicodedata.normalize("NFC", str(path)).casefold()].add(str(path))
    clashing = {path for paths in alike.values() if len(paths) > 1 for path in paths}
    impossible = {
        name
        for name in names
        if len(name) > LONGEST
        or any(FORBIDDEN.search(part) or DEVICES.fullmatch(part) for part in name.split("/"))
    }
    return sorted(clashing | impossible)


def conflicts(text):
    """Return the numbers of the lines with a merge conflict's marker."""
    return [text.count(b"\n", 0, found.start()) + 1 for found in CONFLICT.finditer(text)]


def test_every_tracked_name_is_possible_everywhere(tracked):
    assert faulty_names(tracked) == []


def test_no_tracked_file_has_a_merge_conflict(tracked):
    marked = {name: conflicts((ROOT / name).read_bytes()) for name in tracked}
    assert {name: lines for name, lines in marked.items() if lines} == {}


@pytest.mark.parametrize(
    "names",
    [
        ["a/10:00.py"],
        ["what?/a.py"],
        ["folder./a.py"],
        ["a /b.py"],
        ["tests/aux.py"],
        ["NUL"],
        [f"{'a' * LONGEST}.py"],
        ["a/B.py", "a/b.py"],
        ["Müller.py", "Mu\u0308ller.py"],
    ],
)
def test_a_name_that_some_system_cannot_hold_is_reported(names):
    assert faulty_names([*names, "a/good.py", ".github/good name.yml"]) == sorted(names)


def test_folders_that_differ_in_case_are_reported():
    assert faulty_names(["Cases/a.py", "cases/b.py"]) == ["Cases", "cases"]


def test_both_ends_of_a_conflict_are_reported_and_no_heading_is():
    text = b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n=======\n  <<<<<<< d\n"
    assert conflicts(text) == [2, 6]
