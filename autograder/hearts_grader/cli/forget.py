"""Command for instructors: forget."""

import json
import re
import shutil
from pathlib import Path

import click
from hearts_course.cli.common import PATH
from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import read_json, write_whole

from hearts_grader.grading.store import Store, claim
from hearts_grader.lms.csv_table import CsvTable, read_table
from hearts_grader.nbgrader.sync import GradebookSync

MAX_BYTES = 50 * 2**20  # files with more bytes are not searched for the student's name
# The folder, beside the students' folders, in which `hearts collect` keeps notes and attempts.
OURS = ".hearts"


@click.command()
@click.argument("student")
@click.option("--submissions", metavar="DIR", type=PATH, required=True, help="What you grade.")
@click.option("--out", metavar="DIR", type=PATH, required=True, help="The folder with the grades.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def forget(course: Course, student: str, submissions: Path, out: Path, yes: bool) -> None:
    """Delete all that is stored of STUDENT, and list the files that still name them.

    This deletes the submissions with all attempts, results, pages, history, points, and the rows in
    the gradebook.
    """
    # The name becomes part of paths that are deleted, so it must be a single folder's name.
    if "/" in student or student in ("", ".", ".."):
        raise UsageError(f"{student!r} is not a student's folder")
    own = submissions / student
    store = Store(out)
    if not own.is_dir() and not (store.results.folder / student).is_dir():
        raise UsageError(f"{student}: neither in {submissions} nor in {out}")
    if not yes:
        click.confirm(f"Delete everything of {student} in {submissions} and {out}?", abort=True)
    store.refuse_links()
    # A run of `hearts grade` at the same time would write deleted files again.
    with claim(store.lock, store.root):
        for folder in (own, submissions / OURS / "attempts" / student):
            # Deleting through a link would delete files outside of these folders.
            if folder.is_symlink():
                raise UsageError(f"{folder}: is a symbolic link; delete it yourself")
            if folder.is_dir():
                shutil.rmtree(folder)
        _forget_notes(submissions / OURS / "collected.json", student)
        store.forget(student)
        GradebookSync(store, course).forget(student)
        for table in (store.overrides, *store.manual.glob("*.csv"), submissions / "groups.csv"):
            _forget_rows(table, student)
    click.echo(f"deleted   everything of {student}; run `hearts grade` again for report and tables")
    for path in _naming(student, submissions, out):
        click.echo(f"names {student} still: {path}")


def _forget_notes(path: Path, student: str) -> None:
    """Delete the notes of `hearts collect` about the student.

    The keys of the file are `STUDENT/STAGE`. Without the file there is nothing to forget.
    """
    if path.is_file():
        notes = read_json(path)
        others = {name: note for name, note in notes.items() if name.split("/")[0] != student}
        write_whole(path, json.dumps(others, indent=1) + "\n")


def _forget_rows(path: Path, student: str) -> None:
    """Delete the student's rows from a table that `hearts` itself reads or writes.

    The table has a column `student`. Other rows, and their order, stay as they are.
    """
    if not path.is_file():
        return
    table = read_table(path)
    column = table.column("student")
    rows = [table.header]
    for number in range(1, len(table.rows)):
        if table.cell(number, column) != student:
            rows.append(table.rows[number])
    write_whole(path, CsvTable(path.name, tuple(rows)).as_text())


def _naming(student: str, *folders: Path) -> list[Path]:
    """Return the files that contain the student's name as a word; very large files are not read.

    Hyphens and letters continue a word, so `ada` is not found in `ada-maria`. Binary files are
    searched as well.
    """
    word = re.compile(rb"(?<![\w-])" + re.escape(student.encode()) + rb"(?![\w-])")
    naming = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            is_small = path.is_file() and path.stat().st_size <= MAX_BYTES
            if is_small and word.search(path.read_bytes()):
                naming.append(path)
    return naming
