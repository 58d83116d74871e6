"""What a student installs: the tool, briefs and notebooks, and nothing that answers a question."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hearts_course.course import find_course

COURSE_FILES = "hearts_course/course_files"
ROOT = find_course().root


@pytest.fixture(name="wheel", scope="module")
def _wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_the_wheel_holds_no_solution_and_no_hidden_test(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    secret = [path for stage in find_course().stages for path in (stage.solution, stage.autograder)]
    texts = {path.read_bytes() for folder in secret for path in folder.rglob("*.py")}
    assert texts
    with zipfile.ZipFile(wheel) as archive:
        leaked = [name for name in names if archive.read(name) in texts]
    assert leaked == []
    shipped = {name.split("/")[2] for name in names if name.startswith(f"{COURSE_FILES}/")}
    assert shipped == {"assignments", "notebooks"}


def test_a_student_can_begin_with_what_the_wheel_holds(wheel: Path, tmp_path: Path) -> None:
    installed, workspace = tmp_path / "installed", tmp_path / "my-hearts"
    zipfile.ZipFile(wheel).extractall(installed)
    environment = os.environ | {"PYTHONPATH": str(installed)}
    begin = [sys.executable, "-P", "-m", "hearts_course"]

    def hearts(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*begin, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    started = hearts("start", str(workspace))
    assert started.returncode == 0, started.stderr
    stage = find_course().stages[0]
    assert (workspace / stage.files[0]).exists()
    checked = hearts("check", stage.name, "--dir", str(workspace))
    assert checked.returncode == 1, checked.stderr
    assert f"0 of {stage.points}" in checked.stdout
