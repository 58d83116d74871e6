"""Check programs of every stage as a student's installation does, and print the results as JSON.

`test_under_node.py` runs this in Pyodide and in its own Python, and the results must be the same.
"""

import ast
import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path

from hearts_course.course import Course, find_course
from hearts_course.sandbox.worker.script import ProgramFinder
from hearts_course.student.compare import comparison_text
from hearts_course.testing.in_process import check_program
from hearts_course.tournament.here import play_tournament

TEST_SECONDS = 0.5  # short, because an endless loop uses it up in several tests


def with_body(modules, blank, body):
    """Return the modules with `body` as the new body of the function or method `blank`."""
    changed = {}
    for module, text in modules.items():
        nodes = [tree := ast.parse(text)]
        for name in blank.split("."):
            inner = [child for node in nodes for child in ast.iter_child_nodes(node)]
            nodes = [node for node in inner if getattr(node, "name", None) == name]
        for node in nodes:
            node.body = ast.parse(body).body
            changed[module] = ast.unparse(tree)
    assert changed, blank
    return {**modules, **changed}


def results(checkout):
    """Return a list of points, message and tests for each key "STAGE PROGRAM".

    A test is its name, its outcome and its message. The keys "STAGE compare" and "tournament" have
    texts instead.
    """
    found = {}
    for stage in find_course().stages:
        there = checkout.stage(stage.name)
        earlier = {
            n: text for s in checkout.prerequisites(there) for n, text in s.reference().items()
        }
        reference = {**earlier, **there.reference()}
        first = stage.tasks[0]
        # Do not change a class: its new body would run while the program is imported.
        function = next(name for name in first.blanks if "." in name or name[0].islower())
        quick = replace(stage, limits=replace(stage.limits, test_seconds=TEST_SECONDS))
        for kind, program, tasks, limited in (
            ("reference", reference, [], stage),
            ("full", reference, [], stage),
            ("starter", {**reference, **stage.starter()}, [], stage),
            ("wrong", with_body(reference, function, "return 'wrong'"), [first.id], stage),
            ("loop", with_body(reference, function, "while True: pass"), [first.id], quick),
        ):
            if kind == "full" and earlier:  # hidden tests of some later stages need a process
                continue
            result = check_program(limited, program, tasks=tasks, hidden=kind == "full")
            ends = [(t.name, t.outcome, t.message) for task in result.tasks for t in task.tests]
            found[f"{stage.name} {kind}"] = [result.score, result.message, ends]
        found[f"{stage.name} compare"] = comparison_text(stage, stage.tasks, reference)
    found["tournament"] = tournament(checkout)
    return found


def tournament(checkout):
    """Return the ranking and the report of a small tournament with a player of the reference."""
    [stage] = [s for s in checkout.stages if (s.autograder / "tournament_seat.py").is_file()]
    earlier = [s.reference() for s in checkout.prerequisites(stage)]
    finder = ProgramFinder({name: text for part in earlier for name, text in part.items()})
    own = ProgramFinder(stage.reference())
    sys.meta_path[:0] = [finder, own]
    players = importlib.import_module("players")
    held = play_tournament(
        [lambda: players.CardCounter(players.Dumper()), "counter", "random"],
        vars(players),
        deals=2,
        book="ESTELL",
        seed="1",
    )
    sys.meta_path[:2] = []
    return [repr(held), held._repr_html_()]


print(json.dumps(results(Course(Path("/course" if sys.platform == "emscripten" else sys.argv[1])))))
