"""What is handed out: the stages that are released, what installs them, and no answer."""

import base64
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from shutil import which

import pytest
from hearts_course.cli import release, result, run
from hearts_course.course import Course, find_course
from hearts_course.errors import CourseError, UsageError
from hearts_course.release import bundle as bundles
from hearts_course.release import wheel as wheels
from hearts_course.release.bundle import bundle, released_stages
from hearts_course.release.files import publish
from hearts_course.release.github import template
from hearts_course.student.workspace import start_workspace
from tiny_class import course_with_starter

COURSE = find_course()
FIRST = COURSE.stages[0]


@pytest.fixture(name="wheel", scope="module")
def _wheel() -> wheels.Wheel:
    return wheels.build_wheel(COURSE, [FIRST.name])


@pytest.fixture(name="files", scope="module")
def _files(wheel: wheels.Wheel) -> dict[str, bytes]:
    return dict(bundle(COURSE, wheel))


def test_the_wheel_knows_the_released_stages_and_no_others(wheel: wheels.Wheel) -> None:
    assert wheel.name == "hearts_course-0.1.0+stages.1-py3-none-any.whl"
    inside = {name.split("/")[3] for name in wheel.files if name.startswith(wheels.INSIDE)}
    assert {FIRST.name, f"{FIRST.name}.ipynb"} <= inside
    assert not {stage.name for stage in COURSE.stages[1:]} & inside


def test_the_list_in_the_wheel_is_right(wheel: wheels.Wheel) -> None:
    (record,) = (name for name in wheel.files if name.endswith("dist-info/RECORD"))
    rows = list(csv.reader(io.StringIO(wheel.files[record].decode())))
    assert {row[0] for row in rows} == set(wheel.files)
    for name, told, size in rows[:-1]:
        digest = hashlib.sha256(wheel.files[name]).digest()
        assert told == "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")
        assert int(size) == len(wheel.files[name])


def test_nothing_that_is_handed_out_is_a_secret(files: dict[str, bytes]) -> None:
    secret = {
        path.read_bytes()
        for stage in COURSE.stages
        for folder in (stage.solution, stage.autograder)
        for path in folder.rglob("*.py")
    }
    assert not secret & set(template(files).values())
    assert not [name for name in files if "hidden" in name or "chaffs" in name]


def test_a_secret_in_a_wheel_is_refused() -> None:
    answer = (FIRST.solution / FIRST.files[0]).read_bytes()
    with pytest.raises(CourseError, match="not for students"):
        wheels._refuse_secrets(COURSE, {"hearts_course/answer.py": answer})
    with pytest.raises(CourseError, match="not for students"):
        wheels._refuse_secrets(COURSE, {f"{wheels.INSIDE}solutions/x": b"x"})


def test_a_student_can_begin_with_what_is_handed_out(
    files: dict[str, bytes], wheel: wheels.Wheel, tmp_path: Path
) -> None:
    assert publish(tmp_path, "hearts", files) == "wrote"
    assert publish(tmp_path, "hearts", files) == "unchanged"
    with zipfile.ZipFile(tmp_path / "hearts.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    workspace = tmp_path / "unpacked/hearts"
    assert f"./{wheel.name}\n" in (workspace / "requirements.txt").read_text()
    with zipfile.ZipFile(workspace / wheel.name) as archive:
        archive.extractall(tmp_path / "installed")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "hearts_course", "result"],
        cwd=workspace,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed"), "GITHUB_ACTOR": "ada"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads((workspace / "result.json").read_text())
    assert (told["schema"], told["owner"], told["assignment"]) == (
        *("classroom50/result/v1", "ada"),
        FIRST.name,
    )
    assert (told["score"], told["max-score"]) == (0, FIRST.points)


@pytest.mark.parametrize("name", ["a.py", "mine.py", ".git/HEAD"])
def test_what_somebody_put_into_a_release_stays(tmp_path: Path, name: str) -> None:
    publish(tmp_path, "hearts", {"a.py": b"1"})
    mine = tmp_path / "hearts" / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(UsageError, match=rf"hearts/{name}: was not released so; move it away"):
        publish(tmp_path, "hearts", {"a.py": b"2"})
    assert mine.read_text() == "mine"


def test_a_release_that_was_interrupted_is_finished(tmp_path: Path) -> None:
    publish(tmp_path, "hearts", {"a.py": b"1"})
    old = (tmp_path / "hearts.zip").read_bytes()
    publish(tmp_path, "hearts", {"a.py": b"2"})
    (tmp_path / "hearts.zip").write_bytes(old)
    assert publish(tmp_path, "hearts", {"a.py": b"2"}) == "replaced"
    assert publish(tmp_path, "hearts", {"a.py": b"2"}) == "unchanged"


def test_a_release_that_fails_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, "hearts", {"a.py": b"1"})
    rename = Path.rename

    def renamed(path: Path, target: Path) -> Path:
        if target.name == "hearts" and (path / "a.py").read_bytes() == b"2":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", renamed)
    with pytest.raises(CourseError, match="No space left"):
        publish(tmp_path, "hearts", {"a.py": b"2"})
    assert (tmp_path / "hearts/a.py").read_bytes() == b"1"
    assert {path.name for path in tmp_path.iterdir()} == {"hearts", "hearts.zip"}


def test_a_repository_checks_itself(files: dict[str, bytes]) -> None:
    made = template(files)
    workflow = made[".github/workflows/hearts.yml"].decode()
    assert "pip install --quiet -r requirements.txt" in workflow
    assert "run: hearts result" in workflow
    assert b"result.json\n" in made[".gitignore"]
    assert made.keys() - files.keys() == {".github/workflows/hearts.yml", ".gitignore"}


def test_a_stage_comes_with_those_that_it_builds_on() -> None:
    last = COURSE.stages[-1]
    names = {stage.name for stage in released_stages(COURSE, [last.name])}
    assert names == {last.name} | {stage.name for stage in COURSE.prerequisites(last)}
    assert released_stages(COURSE, []) == COURSE.stages


def test_the_release_is_said_and_repeated(
    wheel: wheels.Wheel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(wheels, "build_wheel", lambda course, names: wheel)
    out = str(tmp_path / "out")
    assert run(["release", out, "--stage", "1", "--github"]) == 0
    told = capsys.readouterr().out
    assert told == (
        f"stages: {FIRST.name}\nwrote {out}/hearts, and hearts.zip\n"
        f"wrote {out}/hearts-github, and hearts-github.zip\n"
    )
    monkeypatch.setattr(bundles, "NOTEBOOK", ("jupyterlab",))
    assert run(["release", out, "--stage", "1"]) == 0
    assert f"replaced {out}/hearts, and hearts.zip\n" in capsys.readouterr().out
    (tmp_path / "out/hearts/README.md").write_text("mine")
    assert run(["release", out, "--stage", "1"]) == 2
    assert (tmp_path / "out/hearts/README.md").read_text() == "mine"


def test_a_folder_with_other_things_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert run(["release", str(tmp_path)]) == 2
    assert run(["release", str(tmp_path / "mine.txt")]) == 2
    assert run(["release", str(tmp_path / "new"), "--stage", "99"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "holds mine.txt; choose an empty folder" in lines[0]


def test_what_is_out_of_date_is_not_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr(release, "find_course", lambda: course)
    assert run(["release", str(tmp_path / "out")]) == 1
    assert "coins.py: out of date; run `hearts build`" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_without_hatchling_it_says_what_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "find_spec", lambda name: None)
    with pytest.raises(CourseError, match="run `pip install hatchling`"):
        wheels.build_wheel(COURSE, [FIRST.name])


@pytest.mark.skipif(which("git") is None, reason="there is no git here")
def test_the_time_of_a_result_is_that_of_the_workspaces_own_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr(result, "find_course", lambda: course)
    start_workspace(course, tmp_path / "work")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for folder, seconds in {"../work": 10**9, ".": 2 * 10**9}.items():
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{seconds} +0000")
        for command in ("init", "-c user.name=a -c user.email=b commit --allow-empty -m x"):
            git = ["git", "-C", folder, *command.split()]
            subprocess.run(git, check=True, capture_output=True)
    assert run(["result", "--dir", str(tmp_path / "work")]) == 0
    assert '"2001-09-09T01:46:40Z"' in (tmp_path / "work/result.json").read_text()


def test_a_program_that_cannot_be_read_has_no_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    course: Course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr(result, "find_course", lambda: course)
    start_workspace(course, tmp_path / "work")
    (tmp_path / "work/coins.py").unlink()
    (tmp_path / "work/01-coins.ipynb").write_text("{")
    page = tmp_path / "page.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    assert run(["result", "--dir", str(tmp_path / "work")]) == 0
    assert "01-coins.ipynb: not a notebook" in capsys.readouterr().err
    told = json.loads((tmp_path / "work/result.json").read_text())
    assert (told["score"], told["max-score"]) == (0, 6)
    assert page.read_text() == "- visible checks only\n- 01-coins: 0 of 6 points\n"
