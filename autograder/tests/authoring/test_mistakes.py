"""Mistakes in a stage's files, each with the message that an author reads.

In `cases/*/transcript.txt`, `$ change FILE FIND PUT`, `$ write FILE TEXT` and `$ remove FILE` edit
the tiny course. `$ check NAME` runs the check of this name and prints the problems. `$ new STAGE`
prints why a new stage is refused. After `$ check` and `$ new`, the next command starts from a fresh
course.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hearts_course.brief import load_brief, load_hints
from hearts_course.course import Course
from hearts_course.errors import CourseError
from hearts_grader.authoring import checks, starter
from hearts_grader.authoring.build import build
from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.authoring.mutants import load_exceptions
from hearts_grader.authoring.scaffold import scaffold
from hearts_grader.authoring.verify import RUNNING_CHECKS, STAGE_CHECKS
from tiny_course import write_course
from transcripts import case_names, replay

CASES = Path(__file__).parent / "cases"
CHECKS: dict[str, Callable[[Course], Iterable[str]]] = {
    "folders": checks.unknown_files,
    "names": checks.unique_names,
    **{
        label: lambda course, find=find: find(course, course.stages[0])
        for label, find in (STAGE_CHECKS | RUNNING_CHECKS).items()
    },
    **{
        load.__name__: lambda course, load=load: (load(course.stages[0]), ())[1]
        for load in (load_brief, load_hints, load_chaffs, load_exceptions, starter.starter_cells)
    },
}


class Author:
    """Runs the commands of a transcript, each mistake in a fresh copy of the tiny course."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number, self.is_fresh = folder, 0, False

    def path(self, name: str) -> Path:
        if not self.is_fresh:
            self.number, self.is_fresh = self.number + 1, True
            course = write_course(self.folder / str(self.number))
            build(course, course.stages)
        path = self.folder / str(self.number) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def change(self, arguments: list[str]) -> None:
        name, find, put = (text.replace("\\n", "\n") for text in arguments)
        text = self.path(name).read_text()
        assert find in text, find
        self.path(name).write_text(text.replace(find, put))

    def write(self, arguments: list[str]) -> None:
        self.path(arguments[0]).write_text(arguments[1].replace("\\n", "\n"))

    def remove(self, arguments: list[str]) -> None:
        self.path(arguments[0]).unlink()

    def check(self, arguments: list[str]) -> None:
        root = self.path("")
        self.is_fresh = False
        try:
            lines = list(CHECKS[arguments[0]](Course(root)))
        except CourseError as error:
            lines = [str(error)]
        print("\n".join(lines).replace(f"{root}/", "").replace(f"{root}", "course"))

    def new(self, arguments: list[str]) -> None:
        root = self.path("")
        paths_before = sorted(root.rglob("*"))
        with pytest.raises(CourseError) as raised:
            scaffold(Course(root), arguments[0])
        assert sorted(root.rglob("*")) == paths_before
        self.is_fresh = False
        print(str(raised.value).replace(f"{root}/", ""))


@pytest.mark.parametrize("name", case_names(CASES))
def test_what_an_author_reads(tmp_path, capsys, name):
    does = Author(tmp_path)
    commands = ("change", "write", "remove", "check", "new")
    replay(CASES / name, capsys, **{command: getattr(does, command) for command in commands})


@pytest.mark.parametrize("check", CHECKS)
def test_a_good_course_has_no_problem(tmp_path, check):
    course = write_course(tmp_path)
    build(course, course.stages)
    for name in ("autograder/hearts_course", "autograder/tests", "notebooks/.ipynb_checkpoints"):
        (course.root / name).mkdir()
    assert list(CHECKS[check](course)) == []
