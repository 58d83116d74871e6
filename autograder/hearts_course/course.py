"""The course as data: its stages, their tasks, and where their files are.

A stage is read from `assignments/NN-name/stage.toml`; no code in this package names a stage.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar

from hearts_course.edition import Edition
from hearts_course.errors import CourseError, StageError, UsageError
from hearts_course.files import parse_toml, read_text, to_dataclass
from hearts_course.text import agreeing, count_of, listed
from hearts_course.variants import Variants

STAGE_FILE = "stage.toml"  # a stage's description, in its folder of assignments
QUESTIONS = "questions.toml", "questions.json"  # the author's file, and the file for students
SUITES = "autograder/stages"  # the folder of the hidden suites, in a checkout
PLACES = ("assignments", "solutions", SUITES)  # folders with a subfolder for each stage
INSTALLED = "course_files"  # the package's folder with the files of an installed course
MISTAKES = "mistakes.json"  # a stage's file: which visible tests fail because of known mistakes
CHANGES = "CHANGES.md"  # a stage's file: the corrections since its first release
SHOW = "show"  # the module that shows what the program of a stage without a game can do
BRIEFS, CHECKS = "briefs", "checks"  # folders of a workspace
T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """What a submission may use; times in seconds, sizes in bytes."""

    test_seconds: float = 2.0
    import_seconds: float = 5.0
    submission_seconds: float = 60.0
    memory_bytes: int = 512 * 2**20
    written_bytes: int = 1 * 2**20
    processes: int = 16
    open_files: int = 64


@dataclass(frozen=True)
class Task:
    """One graded step of a stage.

    The starter leaves the definitions in `blanks` unwritten. It does not even name the definitions
    in `left_out`: students must find them. `objectives` are ids of the stage's objectives. Nothing
    in the core of the course needs an `elective` task.
    """

    id: str
    title: str
    points: int
    blanks: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    builds_on: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ()
    elective: bool = False


@dataclass(frozen=True)
class Manual:
    """Points that a person gives for what no program can judge, such as design.

    `levels` say what a student must do for each number of points, from all points down to none.
    """

    id: str
    title: str
    points: int
    levels: tuple[str, ...] = ()

    @property
    def rubric(self) -> str:
        """What a student must do for each number of points, as a Markdown list."""
        levels = zip(range(self.points, -1, -1), self.levels, strict=False)
        return "\n".join(f"- {count_of(points, 'point')}: {level}" for points, level in levels)


@dataclass(frozen=True)
class Stage:
    """One assignment, whose files lie in four folders of the course.

    `play` is the module that runs the game. `table` is the module that shows a card table in a
    notebook. Both are empty if the stage has no such module. `bot`, such as `table.Bot`, is the
    class of the game's computer players: it has `choose(view)`, and is not in the module `play`.
    `deal`, such as `table.Deal`, is the class whose method `play(card)` plays every card of a deal.
    `replays` names the rule book by which `hearts play --worst` plays.

    `objectives` maps ids to sentences that say what students can do afterwards, as in the brief. A
    clinic is a stage whose starter is a program with a mistake to find; its `clinic` names the
    stage that it belongs to. `bare` are the ids of the tasks whose outline `hearts start --bare`
    leaves out. A `draft` is not released.

    Some examples in the brief are compared less strictly. If an example's code contains one of
    `free_examples`, the program may show anything. If the code contains one of
    `unordered_examples`, the program may show the brief's words in another order.
    """

    name: str
    root: Path
    title: str
    files: tuple[str, ...]
    tasks: tuple[Task, ...] = field(metadata={"key": "task"})
    source: str
    hours: str
    builds_on: tuple[str, ...] = ()
    play: str = ""
    table: str = ""
    bot: str = ""
    deal: str = ""
    replays: str = ""
    elective: bool = False
    clinic: str = ""
    draft: bool = False
    objectives: Mapping[str, str] = field(default_factory=dict, hash=False)
    manual: tuple[Manual, ...] = ()
    bare: tuple[str, ...] = ()
    free_examples: tuple[str, ...] = ()
    unordered_examples: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    variants: Variants | None = field(default=None, hash=False)

    @property
    def assignment(self) -> Path:
        """The folder that students get: brief, starter, hints, visible tests."""
        return self.root / "assignments" / self.name

    @property
    def solution(self) -> Path:
        """The folder of the reference solution; students get it only for self-study."""
        return self.root / "solutions" / self.name

    @property
    def autograder(self) -> Path:
        """The folder of the hidden suite; students get it only for self-study.

        It also has the chaffs: programs with one mistake each, which the suite must catch.
        """
        return self.root / SUITES / self.name

    @property
    def revealed(self) -> Path:
        """The folder with solution and alternatives, which a release after the deadline adds."""
        return self.assignment / "revealed"

    @property
    def shown_solution(self) -> Path:
        """The folder of the solution for `hearts compare`; it exists once the solution is out."""
        return self.solution if self.solution.is_dir() else self.revealed

    @property
    def notebook(self) -> Path:
        """The generated student notebook."""
        return self.root / "notebooks" / f"{self.name}.ipynb"

    @property
    def modules(self) -> tuple[str, ...]:
        """The names by which the stage's files are imported."""
        return tuple(Path(name).stem for name in self.files)

    @property
    def blanks(self) -> frozenset[str]:
        """The definitions that the starter leaves unwritten, of all tasks together."""
        return frozenset[str]().union(*(task.blanks for task in self.tasks))

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The ids of the tasks, in the order of the brief."""
        return tuple(task.id for task in self.tasks)

    @property
    def points(self) -> int:
        """The points that a submission can score, without manual points."""
        return sum(task.points for task in self.tasks)

    @property
    def max_points(self) -> int:
        """The points that a submission can score, with manual points."""
        return self.points + sum(manual.points for manual in self.manual)

    @property
    def visible_tests(self) -> tuple[Path, ...]:
        """The test files that students see."""
        return tuple(sorted(self.assignment.glob("test_*.py")))

    @property
    def samples(self) -> tuple[Path, ...]:
        """Sample files of the brief: all files but Python, Markdown and the course's own data."""
        others = (STAGE_FILE, MISTAKES, *QUESTIONS)
        samples: list[Path] = []
        for path in sorted(self.assignment.iterdir()):
            if path.is_file() and path.suffix not in (".md", ".py") and path.name not in others:
                samples.append(path)
        return tuple(samples)

    @property
    def show(self) -> Path:
        """The file that shows what the student's modules can do, in a stage without a game."""
        return self.assignment / f"{SHOW}.py"

    @property
    def is_playable(self) -> bool:
        """Whether `hearts play` has something to run: the game, or the file `show`."""
        return bool(self.play) or self.show.is_file()

    @property
    def questions(self) -> Path:
        """The file with the stage's questions and their answers; generated."""
        return self.assignment / QUESTIONS[1]

    @property
    def mistakes(self) -> Path:
        """The generated file that says which visible tests fail because of known mistakes."""
        return self.assignment / MISTAKES

    @property
    def hidden_tests(self) -> tuple[Path, ...]:
        """The test files that students of a class never see: their installations lack them."""
        return tuple(sorted(self.autograder.glob("test_*.py")))

    @property
    def alternatives(self) -> tuple[Path, ...]:
        """The folders of correct programs that are written differently from the solution."""
        folders = sorted((self.autograder / "alternatives").glob("*/"))
        # With `hearts --overlay`, the folders are links.
        return tuple(folder.resolve() for folder in folders)

    @property
    def for_self_study(self) -> bool:
        """Whether this is an installation for learners without an instructor."""
        return self.root.name == INSTALLED and bool(self.hidden_tests)

    @property
    def edition(self) -> Edition:
        """The edition of the stage's texts that students read in this installation."""
        return Edition(alone=self.for_self_study)

    def task(self, task_id: str) -> Task:
        """Return the task of that id. If there is none, raise UsageError with a suggestion."""
        return pick(task_id, {task.id: task for task in self.tasks}, f"task of {self.name}")

    def task_in(self, path: Path, task_id: str) -> Task:
        """Return the task that the file at `path` names; raise StageError if there is none."""
        try:
            return self.task(task_id)
        except UsageError as unknown:
            raise StageError(f"{path}: {unknown}") from None

    def is_elective(self, task: Task) -> bool:
        """Return whether the task is elective: nothing in the core of the course needs it."""
        return self.elective or task.elective

    @property
    def core(self) -> tuple[Task, ...]:
        """The tasks with points that are not elective; if there are none, all tasks with points."""
        counted = tuple(task for task in self.tasks if task.points)
        return tuple(task for task in counted if not self.is_elective(task)) or counted

    def number(self, task: Task) -> int:
        """Return the task's number in the brief, counted from 1."""
        return self.tasks.index(task) + 1

    def tasks_below(self, task: Task) -> set[str]:
        """Return the ids of the tasks that the task builds on, directly or not.

        Tasks of other stages are not among them.
        """
        below: set[str] = set()
        todo = list(task.builds_on)
        while todo:
            if (name := todo.pop()) not in below:
                below.add(name)
                todo += self.task(name).builds_on
        return below

    def reference(self) -> dict[str, str]:
        """Return the reference solution: module name to source text."""
        return {Path(name).stem: read_text(self.solution / name) for name in self.files}

    def starter(self) -> dict[str, str]:
        """Return the generated starter: module name to source text."""
        return {Path(name).stem: read_text(self.assignment / name) for name in self.files}


@dataclass(frozen=True)
class Course:
    """All stages under one root folder; a new stage is written under `home`, if that is given."""

    root: Path
    home: Path | None = None

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """Every stage, in the order of the numbers; a clinic comes after its stage."""
        stages = [load_stage(self.root, path) for path in self._paths]
        stages.sort(key=lambda stage: (stage.clinic or stage.name, bool(stage.clinic)))
        return tuple(stages)

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The names of the stages, in their order."""
        return tuple(stage.name for stage in self.stages)

    @property
    def edition(self) -> Edition:
        """The edition of the shared texts that students read in this installation."""
        return Edition(alone=any(stage.for_self_study for stage in self.stages))

    @property
    def counted(self) -> tuple[Stage, ...]:
        """The stages that are not clinics."""
        return tuple(stage for stage in self.stages if not stage.clinic)

    @cached_property
    def _paths(self) -> tuple[Path, ...]:
        """The path of each stage's `stage.toml`, in the order of the stages' names.

        Each search for a stage goes through these paths, so they are cached.
        """
        return tuple(sorted(self.root.glob(f"assignments/*/{STAGE_FILE}")))

    def stages_with(self, text: str) -> Iterator[Stage]:
        """Yield the stages whose `stage.toml` contains this text; parse no other stage."""
        for path in self._paths:
            if text in read_text(path):
                yield load_stage(self.root, path)

    @property
    def shared(self) -> tuple[Path, ...]:
        """Files that students get beside the stages: pictures, and pages for all stages."""
        folder = self.root / "assignments"
        pages = set(folder.glob("*.md")) - {folder / "README.md"}
        return tuple(sorted({*pages, *folder.glob("pictures/*.svg")}))

    def stage(self, name: str) -> Stage:
        """Return the stage of that name or number, such as `1` or `01`.

        A clinic has the number of the stage it belongs to, so it is found only by its full name.
        Raise UsageError if there is no such stage.
        """
        paths = {path.parent.name: path for path in self._paths}
        clinics = {stage.name for stage in self.stages_with("\nclinic = ")}
        by_number: dict[str, Path] = {}
        for full_name, path in paths.items():
            if full_name not in clinics:
                number = full_name.split("-")[0]
                by_number[number] = path
                by_number[str(int(number))] = path
        return load_stage(self.root, by_number.get(name) or pick(name, paths, "stage"))

    def prerequisites(self, stage: Stage) -> tuple[Stage, ...]:
        """Return the stages that `stage` builds on, directly or not, in the course's order."""
        needed: dict[str, Stage] = {}
        todo = list(stage.builds_on)
        while todo:
            if (name := todo.pop()) not in needed:
                needed[name] = self.stage(name)
                todo += needed[name].builds_on
        return tuple(needed[path.parent.name] for path in self._paths if path.parent.name in needed)

    def whole_reference(self, stage: Stage) -> dict[str, str]:
        """Return the reference modules of the stage and of the stages that it builds on."""
        modules: dict[str, str] = {}
        for needed in (*self.prerequisites(stage), stage):
            modules |= needed.reference()
        return modules

    def with_prerequisites(self, stages: Iterable[Stage]) -> tuple[Stage, ...]:
        """Return these stages and all that they build on, in the course's order."""
        stages = tuple(stages)  # `stages` is read twice, and may be an iterator
        names = {stage.name for stage in stages}
        for stage in stages:
            names |= {earlier.name for earlier in self.prerequisites(stage)}
        return tuple(stage for stage in self.stages if stage.name in names)

    def after(self, stage: Stage) -> Stage | None:
        """Return the next stage that is not a clinic; None after the last stage."""
        later = self.stages[self.stage_names.index(stage.name) + 1 :]
        return next((other for other in later if not other.clinic), None)


def root_of(folder: Path) -> Path:
    """Return the root of the course.

    `folder` is a stage's folder of assignments, or the folder of its solution or its hidden suite.
    """
    hidden = Path(SUITES)
    if folder.parent.name == hidden.name:
        return folder.parents[len(hidden.parts)]
    return folder.parents[1]


def find_course() -> Course:
    """Return the course that belongs to this package: the checkout, or the installed files.

    Raise CourseError if there is neither a checkout nor an installed course.
    """
    package = Path(__file__).resolve().parent
    for root in (package.parent.parent, package / INSTALLED):
        if (root / "assignments").is_dir():
            return Course(root)
    raise CourseError(f"{package}: the course's files are missing; reinstall hearts-course")


def in_checkout(course: Course) -> Course:
    """Return the course if it is a checkout; raise CourseError if it is not."""
    if course.root.name == INSTALLED or not (course.root / "solutions").is_dir():
        raise CourseError(f"{course.root}: not a checkout of the course; run this in one")
    return course


def load_stage(root: Path, path: Path) -> Stage:
    """Return the stage that a `stage.toml` describes; raise StageError if it is not valid."""
    return _parsed_stage(root, path, read_text(path))


@cache
def _parsed_stage(root: Path, path: Path, text: str) -> Stage:
    """Return the stage that this text describes, from a cache if the text was parsed before.

    Raise StageError if the stage is not valid. Two faults are looked for here, because
    `to_dataclass` does not find them: a stage without tasks, and a setting that names a missing
    task or module.
    """
    data = parse_toml(path, text)
    if not data.get("task"):
        raise StageError(f"{path}: no [[task]]; describe at least one")
    stage = to_dataclass(Stage, data | {"name": path.parent.name, "root": root}, path)
    for name in stage.bare:
        if name not in stage.task_ids:
            raise StageError(f"{path}: bare = {name!r} is not a task of this stage")
    for key in ("play", "table", "bot", "deal"):
        name = getattr(stage, key)
        if name and name.partition(".")[0] not in stage.modules:
            raise StageError(f"{path}: {key} = {name!r} is not a module of `files`")
    return stage


def pick(name: str, choices: Mapping[str, T], kind: str) -> T:
    """Return the choice called `name`. If there is none, raise UsageError with the nearest one."""
    if name in choices:
        return choices[name]
    advice = f"there are: {', '.join(choices) or 'none'}"
    if close := difflib.get_close_matches(name, choices, n=1, cutoff=0.4):
        advice = f"did you mean {close[0]}?"
    raise UsageError(f"no {kind} is called {name!r}; {advice}")


def name_tasks(tasks: Sequence[int]) -> str:
    """Return words for the tasks with these numbers, such as "tasks 1, 3 and 4"."""
    return f"{agreeing(len(tasks), 'task', 'tasks')} {listed(map(str, tasks))}"
