"""Write the programs of a tournament's players, and play rounds with them."""

import json
from pathlib import Path

from hearts_course.course import find_course
from hearts_grader.sandbox.backends import choose_sandbox
from hearts_grader.tournament.entries import table_reference, tournament_stage
from hearts_grader.tournament.rounds import LocalWorkers, Setup, play_all
from tiny_class import put

COURSE = find_course()
STAGE = tournament_stage(COURSE)
PLAYERS = STAGE.reference()["players"]
HONEST = "return Lowest()"
TWELVE = Path(__file__).parents[1] / "tournament/twelve"
SEED = "a seed that nobody can guess"


def program(body="", *, enter=HONEST, alias=""):
    """Return a program whose player runs `body` before it plays a card.

    The lines `enter` are the body of the function `enter`, which makes the player.
    """
    mine = f"""

class Mine(Lowest):
    def play(self, view):
        {body or "pass"}
        return super().play(view)


def enter():
    {enter}
"""
    return f"{PLAYERS}\nALIAS = {alias!r}\n{mine}"


def write(folder, **programs):
    """Write a class with these students' programs; return its folder."""
    put(folder, {f"{name}/{STAGE.name}/players.py": text for name, text in programs.items()})
    return folder


def setup_for(entries, sandbox="auto", book="ESTELL", seed=SEED):
    """Return the settings for a process that plays rounds between these players."""
    table = table_reference(COURSE)
    return Setup(table, tuple(entries), book, seed, STAGE.limits, choose_sandbox(sandbox))


def played(entries, numbers, jobs=1, sandbox="auto", book="ESTELL"):
    """Play the rounds with these numbers; return the text of each round by its number."""
    with LocalWorkers(setup_for(entries, sandbox, book), jobs) as workers:
        return {number: record.text for number, record in play_all(workers, numbers)}


def faults_by_player(text):
    """Return a list of faults for each player, read from the text of a round."""
    faults = {}
    for table in json.loads(text)["tables"]:
        for deal in table["deals"]:
            for seat, _, what in deal["faults"]:
                faults.setdefault(table["players"][deal["order"][seat]], []).append(what)
    return faults


def write_twelve(folder):
    """Write a class of twelve: weak, strong, slow, broken and hostile players; return its folder.

    Each player was written from the brief alone, and is added below the starter's code.
    """
    starter_text = (STAGE.assignment / "players.py").read_text(encoding="utf-8")
    texts = {path.stem: path.read_text(encoding="utf-8") for path in TWELVE.glob("*.py")}
    return write(folder, **{name: f"{starter_text}\n\n{text}" for name, text in texts.items()})


def files_of(folder):
    """Return the contents of a tournament's files by path, without the files that hold times."""
    clocks = ("times.json", "slowest.html")
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in clocks]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(paths)}
