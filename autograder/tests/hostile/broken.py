"""What cannot be read, by accident or on purpose."""

import zipfile
from pathlib import Path

from hearts_course.results import Status

from hostile.attack import NONE, REFERENCE, Attack, HandIn


def holds(name: str, content: bytes) -> HandIn:
    """A folder with one file."""

    def hand_in(folder: Path, at: dict[str, str]) -> None:
        (folder / name).write_bytes(content)

    return hand_in


def _nothing(folder: Path, at: dict[str, str]) -> None:
    pass


def _sparse(folder: Path, at: dict[str, str]) -> None:
    with (folder / "safe.py").open("wb") as file:
        file.truncate(2**40)


def _bomb(folder: Path, at: dict[str, str]) -> None:
    with zipfile.ZipFile(folder / "01-safe.zip", "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("safe.py", bytes(2**26))


def unread(aim: str, hand_in: HandIn) -> Attack:
    return Attack(aim, ends=NONE, hand_in=hand_in, status=Status.UNREADABLE)


def graded(aim: str, source: str) -> Attack:
    return Attack(aim, source, NONE)


ATTACKS = [
    unread("has handed in an empty folder", _nothing),
    unread("is no UTF-8", holds("safe.py", b"\xff\xfe" + REFERENCE.encode("utf-16-le"))),
    unread("is a file of 1 TiB", _sparse),
    unread("is a zip that unpacks to 64 MiB", _bomb),
    unread("is a notebook of broken JSON", holds("01-safe.ipynb", b'{"cells": [')),
    unread("is a notebook nested a million deep", holds("01-safe.ipynb", b"[" * 10**6)),
    Attack("is no Python", "def (:\n", NONE, status=Status.UNREADABLE),
    Attack("is nested deeper than Python reads", "x = " + "(" * 9999, NONE,
        status=Status.UNREADABLE),
    graded("is a constant that takes the interpreter down", f"x = {'-' * 99_999}1\n"),
    graded("imports what is not there", "import numpy, safe_hidden, test_safe\n"),
    graded("needs more memory than there is, on import", "x = bytearray(2**34)\n"),
]  # fmt: skip
