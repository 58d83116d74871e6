"""Mutants that the suite does not notice: there may be none but those listed as equivalent."""

import hashlib
import platform
from collections.abc import Iterable, Iterator
from pathlib import Path

from hearts_course.authoring.checks.trials import Grade
from hearts_course.authoring.mutants import Mutant, load_equivalents, load_exempt, mutants_of
from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError
from hearts_course.grading.grade import GradeJob, reference_before
from hearts_course.results import Result, Status
from hearts_course.submissions.model import Submission
from hearts_course.testing.job import StopAfter

MEMORY = ".hearts-verify"
KILLED, ALIVE = "killed", "alive"
KNOWN = ([KILLED], [ALIVE])
TOOL = Path(__file__).parents[2]
# What is about other programs.
ASIDE = {"chaffs.toml", "patterns.json", "equivalents.toml", "alternatives", "__pycache__"}
JUDGES = ("*.py", "sandbox/**/*.py", "submissions/*.py", "grading/*.py", "testing/*")


def survivors(course: Course, stage: Stage, grade: Grade) -> Iterator[str]:
    """Every mutant of the reference is killed, or listed with its reason."""
    exempt = load_exempt(stage)
    wanted = {name: text for name, text in stage.reference().items() if name not in exempt}
    mutants = [mutant for name, source in wanted.items() for mutant in mutants_of(name, source)]
    memory = MutantVerdicts(course.root / MEMORY, stage)
    _grade_new(stage, mutants, memory, grade)
    alive = [mutant for mutant in mutants if not memory.killed[memory.key(mutant)]]
    listed = load_equivalents(stage)
    known = {(equivalent.line, equivalent.mutant) for equivalent in listed}
    for mutant in alive:
        if (mutant.line, mutant.mutant) not in known:
            where = f"{stage.solution / mutant.module}.py:{mutant.number}"
            change = f"`{mutant.mutant}` in place of `{mutant.line}`"
            yield f"{where}: no test notices {change}; write one, or list it as equivalent"
    for line, text in sorted(known - {(mutant.line, mutant.mutant) for mutant in alive}):
        path = stage.autograder / "equivalents.toml"
        yield f"{path}: `{text}` in place of `{line}` is killed or no longer made; take it out"


class MutantVerdicts:
    """Which mutants were killed, kept on disk, so that a run that was interrupted goes on.

    It is about one suite and one tool: a change of either starts a new file.
    """

    def __init__(self, folder: Path, stage: Stage) -> None:
        """What is remembered about the stage under `folder`."""
        self._reference = stage.reference()
        self._path = folder / stage.name / f"{_digest(_judges(stage))[:16]}.txt"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        for other in self._path.parent.glob("*.txt"):
            if other != self._path:
                other.unlink()
        text = self._path.read_text() if self._path.exists() else ""
        found = (line.split() for line in text.splitlines())
        self.killed = {line[0]: line[1] == KILLED for line in found if line[1:] in KNOWN}

    def key(self, mutant: Mutant) -> str:
        """The name of a mutated program in the file."""
        modules = self._reference | {mutant.module: mutant.text}
        return _digest(f"{name}\n{text}".encode() for name, text in sorted(modules.items()))

    def keep(self, mutant: Mutant, *, killed: bool) -> None:
        """Remember what became of the mutant, at once."""
        key = self.key(mutant)
        self.killed[key] = killed
        with self._path.open("a") as file:
            file.write(f"{key} {KILLED if killed else ALIVE}\n")


def _grade_new(stage: Stage, mutants: list[Mutant], memory: MutantVerdicts, grade: Grade) -> None:
    new = [mutant for mutant in mutants if memory.key(mutant) not in memory.killed]
    reference = stage.reference()
    programs = (reference | {mutant.module: mutant.text} for mutant in new)
    works = [
        GradeJob(stage, Submission(str(number), stage.name, modules), stop=StopAfter.RUN)
        for number, modules in enumerate(programs)
    ]
    for result in grade(works):
        memory.keep(new[int(result.student)], killed=_is_killed(result))


def _is_killed(result: Result) -> bool:
    if result.status is Status.GRADER_ERROR:
        raise CourseError(f"a mutant cannot be graded: {result.message}")
    return result.score < result.max_score


def _judges(stage: Stage) -> Iterator[bytes]:
    """All that decides about a mutant besides its text."""
    yield platform.python_version().encode()
    yield from (source.encode() for source in reference_before(stage).values())
    prose = {"README.md", "hints.md", *stage.files}
    shown = [path for path in stage.assignment.glob("*") if path.name not in prose]
    tool = [path for pattern in JUDGES for path in TOOL.glob(pattern)]
    for path in (*sorted(shown), *sorted(_suite(stage)), *sorted(tool)):
        if path.is_file():
            yield path.name.encode()
            yield path.read_bytes()


def _suite(stage: Stage) -> Iterator[Path]:
    """The hidden side of the stage, with what its tests read."""
    for path in stage.autograder.rglob("*"):
        if ASIDE.isdisjoint(path.relative_to(stage.autograder).parts):
            yield path


def _digest(parts: Iterable[bytes]) -> str:
    """A hash of the parts; where one ends matters."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()
