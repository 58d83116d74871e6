"""The correct programs of every stage get full points in each sandbox and in a container."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hearts_course.course import find_course
from in_container import in_container
from machine import sandboxes

COURSE = find_course()
SUPPORT = Path(__file__).parents[1] / "support"
# These stages run programs at a terminal. A sandbox may slow them down, or leave zombies behind.
AT_RISK = ("04-console-game",)
STAGES = [
    pytest.param(
        stage.name,
        marks=pytest.mark.proof if stage.name in AT_RISK else pytest.mark.exhaustive,
    )
    for stage in COURSE.stages
]


def problems(python, sandbox, stage, environment):
    """Return the lines of `full_points`: the points that correct programs lose, or an error."""
    command = [*python, "-m", "full_points", sandbox, stage]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.stdout.splitlines() + done.stderr.splitlines()


# bwrap is left out: `hearts verify` uses it where it works, and its process 1 reaps zombies.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("sandbox", sandboxes(but=["bwrap"]))
def test_correct_programs_get_full_points_where_process_1_does_not_reap(sandbox, stage):
    environment = os.environ | {"PYTHONPATH": str(SUPPORT)}
    assert problems([sys.executable], sandbox, stage, environment) == []


@pytest.fixture(name="container", scope="module")
def _container(tmp_path_factory):
    """Return two values that run Python in a container with the course: command, environment."""
    place = tmp_path_factory.mktemp("container") / "tool"
    python, environment = in_container(place)
    folders = [COURSE.root / name for name in ("assignments", "notebooks", "solutions")]
    for folder in [*folders, *(stage.autograder for stage in COURSE.stages)]:
        shutil.copytree(folder, place / folder.relative_to(COURSE.root))
    shutil.copy(SUPPORT / "full_points.py", place / "autograder/tests")
    return python, environment


@pytest.mark.timeout(600)
@pytest.mark.parametrize("stage", STAGES)
def test_correct_programs_get_full_points_as_another_user_in_a_container(container, stage):
    python, environment = container
    assert problems(python, "user", stage, environment) == []
