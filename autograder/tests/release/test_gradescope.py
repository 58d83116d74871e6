"""What goes to Gradescope grades a submission there, and says nothing that it should not."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from hearts_course.course import Course, find_course
from hearts_course.errors import NoSandbox
from hearts_course.grading import grade
from hearts_course.release import in_gradescope
from hearts_course.release.gradescope import autograder
from test_separate_user import environment, in_container
from tiny_class import course_with_starter, put
from tiny_course import REFERENCE

COURSE = find_course()
LAST = COURSE.stages[-1]


@pytest.fixture(name="place")
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that Gradescope has, for the tiny course."""
    course: Course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr(in_gradescope, "find_course", lambda: course)
    monkeypatch.setattr(grade, "chosen_sandbox", lambda asked: "none")
    told = {"users": [{"email": "ada@example.org", "name": "Ada"}]}
    files = {"submission/coins.py": REFERENCE, "submission_metadata.json": json.dumps(told)}
    return put(tmp_path / "autograder", files)


def shown(place: Path) -> dict[str, object]:
    return dict(json.loads((place / "results/results.json").read_text()))


def test_a_submission_is_graded_there(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert in_gradescope.main("01-coins", place) == 0
    result = shown(place)
    assert (result["score"], result["visibility"]) == (6.0, "visible")
    assert "01-coins of ada@example.org: 6 of 6 points\n" in capsys.readouterr().out


def test_what_is_less_than_the_best_is_in_the_result(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_gradescope.main("01-coins", place)
    extra = shown(place)["extra_data"]
    assert isinstance(extra, dict)
    assert extra["sandbox"] == "none"
    assert extra["notes"] == ["no sandbox: the programs run with all your rights"]
    assert "hearts: no sandbox: the programs run with all" in capsys.readouterr().out


def test_what_cannot_be_read_has_a_verdict(place: Path) -> None:
    (place / "submission/coins.py").rename(place / "submission/coin.py")
    (place / "submission_metadata.json").write_text("{")
    assert in_gradescope.main("01-coins", place) == 0
    result = shown(place)
    assert result["score"] == 0
    assert "rename coin.py to coins.py" in str(result["output"])


def test_a_fault_of_the_graders_gives_no_points(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(asked: str) -> str:
        raise NoSandbox("no sandbox works here")

    monkeypatch.setattr(grade, "chosen_sandbox", refuse)
    assert in_gradescope.main("01-coins", place) == 1
    assert in_gradescope.main("99-none", place) == 1
    assert "the grader failed: no sandbox works here" in capsys.readouterr().err
    assert not (place / "results").exists()


def test_the_archive_holds_what_it_needs_and_of_other_stages_no_tests() -> None:
    files = autograder(COURSE, LAST)
    assert {"setup.sh", "run_autograder", "course/pyproject.toml"} <= files.keys()
    assert f"in_gradescope {LAST.name}\n" in files["run_autograder"].decode()
    for test in LAST.hidden_tests:
        assert f"course/{test.relative_to(COURSE.root).as_posix()}" in files
    before = COURSE.prerequisites(LAST)
    assert before
    for stage in COURSE.stages:
        suite = [name for name in files if name.startswith(f"course/autograder/{stage.name}/")]
        answers = [name for name in files if name.startswith(f"course/solutions/{stage.name}/")]
        assert bool(suite) == (stage is LAST)
        assert bool(answers) == (stage is LAST or stage in before)
    assert not [name for name in files if "__pycache__" in name or "/tests/" in name]


def test_what_gradescope_unpacks_can_be_run(tmp_path: Path) -> None:
    """In a container without Landlock: a thief of the suite gets nothing, and that in user."""
    stage = COURSE.stages[0]
    source = put(tmp_path / "source", dict(autograder(COURSE, stage)))
    (hidden,) = stage.hidden_tests[:1]
    secret = source / "course" / hidden.relative_to(COURSE.root)
    results = tmp_path / "results/results.json"
    thief = f"""
def grab():
    try:
        return open({str(secret)!r}).read(200)
    except OSError as error:
        return type(error).__name__
def put():
    try:
        open({str(results)!r}, "w").write("{{}}")
    except OSError as error:
        return type(error).__name__
raise ValueError(f"{{grab()}} {{put()}}")
"""
    put(tmp_path / "submission", {stage.files[0]: thief})
    code = (
        "import sys; from pathlib import Path\n"
        "from hearts_course.release.in_gradescope import main\n"
        f"if __name__ == '__main__': sys.exit(main({stage.name!r}, Path({str(tmp_path)!r})))\n"
    )
    script = put(tmp_path, {"go.py": code}) / "go.py"
    command = in_container(tmp_path / "tool", str(script))
    variables = environment(source / "course") | {"PATH": os.environ["PATH"]}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = shown(tmp_path)
    assert "PermissionError PermissionError" in str(result["output"])
    assert result["score"] == 0
    assert isinstance(result["extra_data"], dict)
    assert result["extra_data"]["sandbox"] == "user"
