"""Replay transcripts: texts with the commands to type and the output that must come back.

    cases/<name>/in/               the files at the beginning; a folder `x.zip` becomes a zip
    cases/<name>/in/x.files        lists the files of the folder or zip `x`, if Windows forbids
                                   their names; each line is `NAME: TEXT`
    cases/<name>/transcript.txt    `$ hearts ...` runs a command, `$ files DIR` shows a folder,
                                   `$ change FILE TEXT NEW` replaces a text in a file

`HEARTS_WRITE_CASES=1` writes the transcripts anew; read the difference before you commit it.
"""

import difflib
import os
import re
import shlex
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from commands import hearts
from hearts_course.cli import run
from tiny_class import put

TIME = (2026, 11, 1, 10, 0, 0)
WHEN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
CHANGING = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?!:)|usually about \d+ s")
DIGEST = re.compile(r"/[0-9a-f]{64}/")


def case_names(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob("*/transcript.txt"))


def replay(case: Path, capsys, folder: str | None = None, **commands: Callable[..., None]) -> None:
    """Run the transcript's commands in the current folder, and compare their output.

    `folder` contains the course; without it, `hearts` finds its usual course. `commands` adds kinds
    of `$` lines: the name is the first word, and the function gets the other words.
    """
    for path in sorted((case / "in").glob("*")):
        if path.suffix == ".files":
            _write_listed(path)
        elif path.suffix == ".zip":
            _zip(path.name, _files_in(path))
        elif path.is_dir():
            shutil.copytree(path, path.name)
        else:
            shutil.copy(path, path.name)
    known = {"files": _print_files, "change": _change} | commands
    expected = (case / "transcript.txt").read_text(encoding="utf-8")
    lines: list[str] = []
    for line in (line for line in expected.split("\n") if line.startswith(("$ ", "# "))):
        if line.startswith("# ") and lines and not lines[-1].startswith("# ") and lines[-1]:
            lines.append("")
        lines.append(line)
        if line.startswith("$ "):
            name, *arguments = shlex.split(line[2:])
            if name != "hearts":
                status = known[name](arguments)
            elif folder is None:
                status = run(arguments)
            else:
                status = hearts(*arguments, folder=folder)
            out, err = capsys.readouterr()
            shown = [_same_everywhere(line) for line in [*out.splitlines(), *err.splitlines()]]
            while shown and not shown[-1]:
                shown.pop()
            shown += [f"[exit status {status}]"] * bool(status)
            lines += [*shown, ""] if shown else []
    found = "\n".join(lines).rstrip("\n") + "\n"
    if os.environ.get("HEARTS_WRITE_CASES"):
        (case / "transcript.txt").write_text(found, encoding="utf-8")
    elif found != expected:
        changes = difflib.unified_diff(expected.split("\n"), found.split("\n"), "expected", "found")
        pytest.fail("\n".join(changes), pytrace=False)


def _same_everywhere(line: str) -> str:
    """Return the line without the current folder, times and spaces at its end."""
    line = line.replace(f"{Path.cwd()}/", "").replace(str(Path.cwd()), ".")
    return CHANGING.sub("(time)", line).rstrip()


def _write_listed(listing: Path) -> None:
    """Write the files that `x.files` lists: into the zip or the folder `x`."""
    lines = listing.read_text(encoding="utf-8").splitlines()
    files = {
        name: f"{text}\n".encode() for name, _, text in (line.partition(": ") for line in lines)
    }
    target = listing.stem
    if target.endswith(".zip"):
        _zip(target, files)
    else:
        put(Path(target), files)


def _files_in(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _zip(target: str, files: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, TIME), content)


def _change(arguments: list[str]) -> None:
    """Replace a text in a file, which must contain it."""
    name, find, put = (text.replace("\\n", "\n") for text in arguments)
    text = Path(name).read_text(encoding="utf-8")
    assert find in text
    Path(name).write_text(text.replace(find, put), encoding="utf-8")


def _print_files(arguments: list[str]) -> None:
    """Print each file, or those in a folder, with `...` for digests; leave out `collected.json`."""
    for root in map(Path, arguments):
        for path in sorted(path for path in [root, *root.rglob("*")] if path.is_file()):
            name = DIGEST.sub("/.../", path.as_posix())
            text = path.read_text(encoding="utf-8").rstrip("\n")
            if path.name != "collected.json":
                print(f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
