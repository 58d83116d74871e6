"""Run the browser's Python without a browser: node runs it with the wheel of the site."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hearts_course.course import find_course
from hearts_grader.release.bundle import ALONE, everything_hidden, released_copy
from hearts_grader.site import parts

SCRIPT = Path(__file__).with_name("under_node.py")
PARTS = SCRIPT.parents[3] / ".parts"
# Python 3.12 changed the words of this error; the browser's Python may be newer than ours.
OLD_WORDS = "max() arg is an empty sequence"
NEW_WORDS = "max() iterable argument is empty"


@pytest.fixture(name="wheel", scope="module")
def _wheel():
    if not (shutil.which("npm") and shutil.which("node")):
        if os.environ.get("HEARTS_NODE") == "needed":
            pytest.fail(parts.NO_NODE)
        pytest.skip(parts.NO_NODE)
    course = find_course()
    hidden = everything_hidden(course.stages)
    with released_copy(course, course.stages, hidden, ALONE) as (_, wheel):
        return wheel.data


@pytest.mark.timeout(1500)
def test_a_browser_gives_the_points_and_messages_of_a_student_s_own_computer(wheel, tmp_path):
    """Programs of each stage: the reference, the starter, a wrong function, an endless loop."""
    course = find_course()
    pyodide = tmp_path / "pyodide"
    parts.write_python(pyodide, parts.fetch_pyodide(PARTS), [wheel])
    found = json.loads(
        parts.run_in_pyodide(pyodide, SCRIPT, f"+{parts.PACKAGE}", f"course={course.root}").replace(
            OLD_WORDS, NEW_WORDS
        )
    )
    for stage in course.stages:
        assert found[f"{stage.name} reference"][0] == stage.points
        assert "The course's" in found[f"{stage.name} compare"]
        assert found[f"{stage.name} starter"][0] == 0
        assert "took longer than 0.5 s" in str(found[f"{stage.name} loop"])
    ranking, report = found["tournament"]
    assert len(ranking.splitlines()) == 3
    assert "Replay a deal" in report
    full = found[f"{course.stages[0].name} full"]
    assert full[0] == course.stages[0].points
    assert len(full[2]) > len(found[f"{course.stages[0].name} reference"][2])
    with zipfile.ZipFile(io.BytesIO(wheel)) as files:
        files.extractall(tmp_path / "installed")
    own = subprocess.run(
        [sys.executable, str(SCRIPT), str(course.root)],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        check=True,
    )
    on_own_computer = json.loads(own.stdout.decode().replace(OLD_WORDS, NEW_WORDS))
    for stage in course.stages:
        if stage.clinic:  # a clinic tries its programs in a random order
            for shown in (found, on_own_computer):
                shown[f"{stage.name} loop"] = shown[f"{stage.name} loop"][0]
    assert found == on_own_computer
