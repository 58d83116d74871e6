"""Which program is played, and whose it is.

Game             a stage's program with the earlier stages that it builds on
playable         the stages that can be played, all or the one that was asked for
own_game         the student's, in the form in which they work
reference_game   the course's own, where the solutions are installed
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.student.program import modules_of, whole_program
from hearts_course.student.work import Form, StageWork, begun, find_work


@dataclass(frozen=True)
class Game:
    """The works of a program, the playable stage's last, and the verb that proves them."""

    works: tuple[StageWork, ...]
    verb: str

    @property
    def module(self) -> str:
        """The module that is run."""
        return self.works[-1].stage.play

    @property
    def table(self) -> str:
        """The module that keeps a card table."""
        return self.works[-1].stage.table

    @property
    def modules(self) -> dict[str, str]:
        """All modules of the program: name to source text."""
        return modules_of(self.works)

    @property
    def note(self) -> str:
        """What the student should know about the choice of a form; mostly empty."""
        return self.works[-1].note

    def check(self, work: StageWork) -> str:
        """The command that tells more about a fault in this work."""
        return f"hearts {self.verb} {work.stage.name}"


def playable(course: Course, name: str | None, *, table: bool = False) -> tuple[Stage, ...]:
    """The stage of that name or number, or else all that can be played: in a terminal, or a table.

    Raises UsageError if that is no stage, or nothing to play.
    """
    games = tuple(stage for stage in course.stages if (stage.table if table else stage.play))
    if name is None and games:
        return games
    if name is not None and (stage := course.stage(name)) in games:
        return (stage,)
    there = ", ".join(stage.name for stage in games) or "none"
    what = "this course" if name is None else course.stage(name).name
    missing, kind = ("no card table", "tables") if table else ("nothing to play", "games")
    raise UsageError(f"{what}: there is {missing} in it; {kind} are: {there}")


def own_game(course: Course, root: Path, stages: Sequence[Stage], form: Form | None = None) -> Game:
    """The student's own game, in `root`, of the last of these stages that they have begun.

    Raises UsageError if they have begun none, or if its files are missing or unreadable.
    """
    written = [stage for stage in stages if begun(root, stage) is not None]
    if not written:
        stage = stages[0]
        raise UsageError(
            f"{stage.name}: there is no game to play before you write it; "
            f"begin with briefs/{stage.name}.md"
        )
    work = find_work(root, written[-1], form)
    return Game(whole_program(course, root, work), "check")


def reference_game(course: Course, stages: Sequence[Stage]) -> Game | None:
    """The reference of the last of these stages, None where no solution is installed."""
    solved = [stage for stage in stages if stage.solution.is_dir()]
    if not solved:
        return None
    stages = (*course.prerequisites(solved[-1]), solved[-1])
    return Game(tuple(map(_reference, stages)), "verify")


def _reference(stage: Stage) -> StageWork:
    paths = tuple(stage.solution / name for name in stage.files)
    return StageWork(stage, Form.PY, paths, stage.reference(), changed=True, saved=0)
