"""The attacks in `hostile/`, in every sandbox of this machine.

Each submission gets exactly the points that its honest parts are worth. It learns no secret, harms
nothing, leaves nothing behind, and does not change the result of another submission.
"""

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from hostile import ATTACKS, FAMILIES
from hostile.attack import PATIENT
from hostile.scene import faults, set_up, unsafe
from machine import sandboxes
from proofs import proofs_after

SANDBOXES = sandboxes()

AIMS = [attack.aim for attack in ATTACKS]
# Only a time limit ends the attacks in SLOW. This takes seconds, so `make test` tries just the
# first of them.
QUICK = [attack.aim for attack in ATTACKS if attack.limits == PATIENT]
SLOW = [attack.aim for attack in ATTACKS if attack.limits != PATIENT]


@pytest.fixture(scope="module")
def graders():
    """Yield a dict: for each sandbox, a process that tries one attack after another."""
    with ExitStack() as stack:
        started = {}
        for name in SANDBOXES:
            started[name] = subprocess.Popen(
                [sys.executable, "-m", "hostile", name, "-"],
                cwd=Path(__file__).parents[1],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=1,
                text=True,
            )
            stack.enter_context(started[name])
            stack.callback(started[name].kill)
        yield started


def faults_of(aim, grader):
    """Let the process `grader` try the attack; return a line for each fault."""
    try:
        grader.stdin.write(f"{aim}\n")
        tried, found = json.loads(grader.stdout.readline())
    except (BrokenPipeError, json.JSONDecodeError):
        return [f"the grader ended with {grader.wait()}"]
    assert tried == aim
    return found


# The first sandbox is always tried, and the others only by `make test-all` (the mark `exhaustive`).
# `.ci/run` also runs these tests without bubblewrap, so another sandbox is tried there.
@pytest.mark.parametrize("name", proofs_after(1, SANDBOXES, most=1))
@pytest.mark.parametrize("aim", QUICK + proofs_after(1, SLOW))
def test_an_attack_is_blocked(graders, name, aim):
    assert faults_of(aim, graders[name]) == []


def test_every_attack_has_its_own_aim():
    assert len(AIMS) == len(set(AIMS)) >= 60
    assert all(family.ATTACKS for family in FAMILIES)


@pytest.fixture(name="open_scene", scope="module")
def _open_scene(tmp_path_factory):
    with set_up(tmp_path_factory.mktemp("open"), "none") as scene:
        yield scene


@pytest.mark.parametrize(
    ("aim", "notices"),
    [
        ("reads grades, another's submission and the home folder", "results in feedback/eve"),
        ("overwrites the suite, the grades and another's submission", "test_safe_hidden.py"),
        ("leaves another program behind", "sleep"),
    ],
)
def test_without_a_sandbox_attacks_are_noticed(open_scene, aim, notices):
    attack = next(attack for attack in ATTACKS if attack.aim == aim)
    assert notices in str(faults(open_scene, attack))


def test_unsafe_texts_are_noticed():
    texts = {"a": "\x1b[31m", "b.html": "<p onclick=''><hostile>", "c.csv": "ada,=1+1", "d": "d"}
    assert len(unsafe(texts)) == 3
