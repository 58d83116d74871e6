"""Choose the program to play: a student's own, or the course's reference."""

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
    """A stage's program, together with the programs of the stages that it builds on.

    The last of the `works` is the stage that is played. `verb` is the command that checks the
    program: `check` for a student's program, `verify` for the reference.
    """

    works: tuple[StageWork, ...]
    verb: str

    @property
    def stage(self) -> Stage:
        """The stage that is played."""
        return self.works[-1].stage

    @property
    def main(self) -> str:
        """The name of the module to run: the game or, if the stage has no game, `show`.

        `show` is the module that shows what the stage's program can do.
        """
        return self.stage.play or SHOW

    @property
    def modules(self) -> dict[str, str]:
        """The program's source texts, keyed by module name.

        If the stage has no game, the module `show` is among them. `show` comes from the course,
        because students do not write it.
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
    """Return the stage with this name or number. Without a name, return all playable stages.

    A stage is playable if it has a game or the module `show`. If `table`, a stage is playable only
    if it has a card table. If `worst`, a stage is playable only if `hearts play --worst PLAYER` can
    replay the five worst deals of a computer player of that stage. Raise UsageError if there is no
    such stage, or if it is not playable.
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
    """Return advice on how to use `hearts play` in a stage without a game.

    The advice names the option `--table` or `--worst`; it is "" if neither works in this stage.
    """
    if stage.table:
        return f" play at its card table with `hearts play {stage.name} --table`;"
    if stage.replays:
        return f" replay a player's worst deals with `hearts play {stage.name} --worst PLAYER`;"
    return ""


def own_game(course: Course, root: Path, stages: Sequence[Stage], form: Form | None = None) -> Game:
    """Return the student's own game in `root`: the last of these stages that the student has begun.

    Take a stage without a game only if the student has begun no stage with a game. `form` says
    whether to play the files or the notebook, if the student has both. Raise UsageError if no stage
    was begun, or if the files of the stage are missing or unreadable.
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
    """Return whether the stage can be played, and not only looked at."""
    return bool(stage.play or stage.table)


def reference_game(course: Course, stages: Sequence[Stage]) -> Game | None:
    """Find the last of these stages that has a solution, and return its reference as a game.

    Return None if no stage has a solution. Take the last stage, because the game of a later stage
    is better to play. Take a stage without a game only if no solved stage has a game.
    """
    solved = [stage for stage in stages if stage.solution.is_dir()]
    solved.sort(key=_has_game)
    if not solved:
        return None
    stages = (*course.prerequisites(solved[-1]), solved[-1])
    return Game(tuple(map(_reference, stages)), "verify")


def _reference(stage: Stage) -> StageWork:
    """Return the stage's reference in the form of a student's work."""
    paths = tuple(stage.solution / name for name in stage.files)
    return StageWork(stage, Form.PY, paths, stage.reference(), changed=True)
