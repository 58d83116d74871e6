"""Which program is played, and whose it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hearts_course.course import SHOW, Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import read_text
from hearts_course.student.work import (
    Form,
    StageWork,
    find_work,
    last_change,
    modules_of,
    whole_program,
)


@dataclass(frozen=True)
class Game:
    """A program with the earlier stages it builds on, the played stage last.

    `verb` is the command that checks it: `check` for a student's, `verify` for the reference.
    """

    works: tuple[StageWork, ...]
    verb: str

    @property
    def stage(self) -> Stage:
        """The stage that is played."""
        return self.works[-1].stage

    @property
    def main(self) -> str:
        """The module that is run: the game's, or one that shows a program without a game."""
        return self.stage.play or SHOW

    @property
    def modules(self) -> dict[str, str]:
        """Source text by module name, with the module SHOW if the stage has no game.

        The course has that module, because students do not write it.
        """
        modules = modules_of(self.works)
        if not self.stage.play and self.stage.show.is_file():
            modules[SHOW] = read_text(self.stage.show)
        return modules

    def check(self, work: StageWork) -> str:
        """Return the command that says more about an error in this work."""
        return f"hearts {self.verb} {work.stage.name}"


def playable(
    course: Course, name: str | None, *, table: bool = False, worst: bool = False
) -> tuple[Stage, ...]:
    """Return the stage of that name or number, or without a name all stages that can be played.

    With `table`, a stage can be played if it has a card table, with `worst` if it has players whose
    deals can be replayed. Raise UsageError if there is no such stage, or nothing to play in it.
    """
    kind = "game"
    games = tuple(stage for stage in course.stages if stage.is_playable)
    if table:
        kind = "card table"
        games = tuple(stage for stage in course.stages if stage.table)
    if worst:
        kind = "replay"
        games = tuple(stage for stage in course.stages if stage.replays)
    asked = course.stages
    asked_name = "this course"
    if name is not None:
        asked = (course.stage(name),)
        asked_name = asked[0].name
    if chosen := tuple(stage for stage in asked if stage in games):
        return chosen
    game_names = ", ".join(stage.name for stage in games) or "none"
    way = ""
    if kind == "game" and name is not None:
        way = _other_way(asked[0])
    raise UsageError(f"{asked_name} has no {kind};{way} {kind}s: {game_names}")


def _other_way(stage: Stage) -> str:
    """Return what else `hearts play` shows of a stage that has no game; "" if nothing."""
    if stage.table:
        return f" play at its card table with `hearts play {stage.name} --table`;"
    if stage.replays:
        return f" replay a player's worst deals with `hearts play {stage.name} --worst PLAYER`;"
    return ""


def own_game(course: Course, root: Path, stages: Sequence[Stage], form: Form | None = None) -> Game:
    """Return the student's own game in `root`: of these stages, the last one begun.

    Take a stage without a game only if none of the stages with a game was begun. `form` says
    whether the files or the notebook are played, if the student has both. Raise UsageError if none
    was begun, or if its files are missing or unreadable.
    """
    written = [stage for stage in stages if last_change(root, stage) is not None]
    written.sort(key=_has_game)
    if not written:
        stage = stages[0]
        raise UsageError(
            f"{stage.name}: there is no game to play before you write it; "
            f"begin with briefs/{stage.name}.md"
        )
    work = find_work(root, written[-1], form)
    return Game(whole_program(course, root, work), "check")


def _has_game(stage: Stage) -> bool:
    """Return whether the stage is a game itself, and not only something to look at."""
    return bool(stage.play or stage.table)


def reference_game(course: Course, stages: Sequence[Stage]) -> Game | None:
    """Return the reference of the last of these stages, None where no solution is installed.

    The game of a later stage is the better one to play. A stage without a game is taken only if no
    stage has a game.
    """
    solved = [stage for stage in stages if stage.solution.is_dir()]
    solved.sort(key=_has_game)
    if not solved:
        return None
    stages = (*course.prerequisites(solved[-1]), solved[-1])
    return Game(tuple(map(_reference, stages)), "verify")


def _reference(stage: Stage) -> StageWork:
    """Return the stage's reference as if it was the work of a student."""
    paths = tuple(stage.solution / name for name in stage.files)
    return StageWork(stage, Form.PY, paths, stage.reference(), changed=True)
