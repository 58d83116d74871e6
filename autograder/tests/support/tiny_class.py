"""Submissions and results for the tiny course."""

import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Literal

from hearts_course.course import Course
from hearts_course.results import Outcome, Result, Status, TestResult, score_stage
from tiny_course import REFERENCE, write_course

STARTER = '''\
"""Coins and what they are worth."""


class Coin:
    """One coin."""
'''
STAGE = "01-coins"
HEADER, COIN, PURSE = REFERENCE.partition("# %% coin\n")[0], *REFERENCE.split("# %% ")[1:]
CELLS = {
    "coins-header": HEADER,
    "coins-coin": COIN.removeprefix("coin\n"),
    "coins-purse": PURSE.removeprefix("purse\n"),
}


def cell(grade_id: str, source: str) -> dict[str, object]:
    """Return a solution cell as in the course's notebooks."""
    mark = {"schema_version": 3, "solution": True, "grade": False, "grade_id": grade_id}
    return {
        "cell_type": "code",
        "id": grade_id,
        "metadata": {"nbgrader": mark},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def notebook(**sources: str) -> str:
    """Return a notebook of these solution cells; `coins_coin` is for the cell `coins-coin`."""
    cells = [cell(name.replace("_", "-"), source) for name, source in sources.items()]
    return json.dumps(
        {"cells": cells, "metadata": {"hearts": {}}, "nbformat": 4, "nbformat_minor": 5}
    )


def full_notebook() -> str:
    """Return the reference as a notebook."""
    return notebook(**{name.replace("-", "_"): source for name, source in CELLS.items()})


def starter_notebook() -> str:
    """Return the notebook that students get."""
    return notebook(coins_header=STARTER, coins_coin="...", coins_purse="...")


def course_with_starter(root: Path) -> Course:
    """Write the tiny course with its generated files."""
    course = write_course(root)
    (root / "assignments" / STAGE / "coins.py").write_text(STARTER, encoding="utf-8")
    (root / "notebooks" / f"{STAGE}.ipynb").write_text(starter_notebook(), encoding="utf-8")
    return course


def zipped(
    members: dict[str | zipfile.ZipInfo, str | bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """Return a reproducible zip of the members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(_member(name), content, method)
    return buffer.getvalue()


def _member(name: str | zipfile.ZipInfo) -> zipfile.ZipInfo:
    if isinstance(name, zipfile.ZipInfo):
        return name
    member = zipfile.ZipInfo(name)
    member.external_attr = 0o600 << 16
    return member


def tarred(
    files: dict[str, str | bytes],
    form: int = tarfile.PAX_FORMAT,
    mode: Literal["w", "w:gz"] = "w:gz",
    kind: bytes = tarfile.REGTYPE,
) -> bytes:
    """Return a tar of the files; `kind` is the kind of its members, such as a link."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=form) as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(name)
            member.type, member.size = kind, len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def put(root: Path, files: dict[str, str | bytes]) -> Path:
    """Write the files into the folder, and return the folder."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def result(
    course: Course,
    student: str,
    passing: int = 2,
    status: Status = Status.GRADED,
    message: str = "",
    text: str = "dime\n  came back    5\n  expected     10",
) -> Result:
    """Return a result of the tiny stage; `passing` says how many of the two visible tests pass."""
    outcomes = [Outcome.PASSED] * passing + [Outcome.FAILED] * (2 - passing)
    if status is not Status.GRADED:
        outcomes = [Outcome.NOT_REACHED] * 2
    worth = [
        TestResult(
            f"test_worth[{i}]",
            "A dime is worth ten pence.",
            False,
            outcome,
            "" if outcome is Outcome.PASSED else text,
        )
        for i, outcome in enumerate(outcomes)
    ]
    hidden = TestResult(
        "test_richest",
        "The richest purse is worth most.",
        True,
        outcomes[0],
        "" if outcomes[0] is Outcome.PASSED else "Try: richest([Purse(), Purse()])",
    )
    return score_stage(
        course.stages[0],
        student,
        {"worth": worth, "total": [hidden]},
        sandbox="none",
        message=message,
        status=status,
    )


def opened(page: Any, folder: Path, name: str = "report.html") -> Any:
    """Open one of the folder's pages in the browser's page, and return the browser's page.

    Raise AssertionError if the browser reports an error.
    """
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto((folder / name).as_uri())
    assert faults == []  # the page obeys its own security policy
    return page
