"""Players of a tournament that tests write, and rounds that they play."""

import json

from hearts_course.course import find_course
from hearts_grader.sandbox.backends import choose_sandbox
from hearts_grader.tournament.entries import table_modules, tournament_stage
from hearts_grader.tournament.rounds import Setup, Workers
from tiny_class import put

COURSE = find_course()
STAGE = tournament_stage(COURSE)
PLAYERS = STAGE.reference()["players"]
HONEST = "return Lowest()"
SEED = "a seed that nobody can guess"


def program(body="", *, enter=HONEST, alias=""):
    """Return a program with a player that begins each play with these lines."""
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
    """Return what a process needs to play rounds of these players."""
    table = table_modules(COURSE)
    return Setup(table, tuple(entries), book, seed, STAGE.limits, choose_sandbox(sandbox))


def played(entries, numbers, jobs=1, sandbox="auto", book="ESTELL"):
    """Return the rounds as texts, by number."""
    with Workers(setup_for(entries, sandbox, book), jobs) as workers:
        return {number: record.text for number, record in workers.play(numbers)}


def faults_by_player(text):
    """Return how many deals ended in which fault, by player."""
    found = {}
    for table in json.loads(text)["tables"]:
        for deal in table["deals"]:
            for seat, _, what in deal["faults"]:
                found.setdefault(table["players"][deal["order"][seat]], []).append(what)
    return found
