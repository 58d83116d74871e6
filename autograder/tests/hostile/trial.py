"""One attack handed in beside an honest program, and everything that must hold afterwards."""

import json
import time

from hearts_course.results import Result

from hostile.attack import Attack
from hostile.scene import Scene, unsafe

LONGEST = 20  # seconds, also on a busy machine
LINE = 600  # characters of a verdict
MOST = 2000  # characters that a student may be told of one test


def faults(scene: Scene, attack: Attack) -> list[str]:
    """What is wrong: a score not earned, a neighbour's changed, something harmed, told or shown."""
    calm = scene.calm(attack.limits)
    with scene.beside_the_honest(attack):
        before, started = scene.snapshot(), time.monotonic()
        result = scene.grade(scene.student(attack), attack.limits)
        honest = scene.grade("ada", attack.limits)
        seconds = time.monotonic() - started
        found = scene.harm(before)
        texts = scene.publish([result, honest])
    if seconds > LONGEST:
        found.append(f"took {seconds:.0f} s")
    if json.dumps(honest.as_json()) != calm:
        found.append(f"changed a neighbour's result: {honest.message or endings(honest)}")
    return [*found, *_unearned(attack, result), *scene.leaks(texts), *unsafe(texts)]


def _unearned(attack: Attack, result: Result) -> list[str]:
    got = (result.status, result.score, endings(result))
    if got[:2] != (attack.status, attack.score) or not attack.has_ended_so(got[2]):
        return [f"{got}, not {attack.status} {attack.score} {attack.ends}: {result.message}"]
    if len(result.message) > LINE:
        return [f"a verdict of {len(result.message)} characters"]
    tests = [test for task in result.tasks for test in task.tests]
    return [f"{test.name} tells too much" for test in tests if len(test.message) > MOST]


def endings(result: Result) -> str:
    """How the tests ended, a letter each, the visible ones apart."""
    return " ".join("".join(test.outcome[0] for test in task.tests) for task in result.tasks)
