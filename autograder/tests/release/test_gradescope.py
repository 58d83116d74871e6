"""The autograder for Gradescope grades a submission, and the submission learns no secret."""

import json
import os
import subprocess

import pytest
from hearts_course.course import find_course
from hearts_grader.release import in_gradescope
from hearts_grader.release.bundle import autograder
from in_container import in_container
from surroundings import no_sandbox_works
from tiny_class import course_with_starter, put
from tiny_course import REFERENCE

COURSE = find_course()
LAST = next(stage for stage in reversed(COURSE.stages) if stage.builds_on)


@pytest.fixture(name="place")
def _place(tmp_path):
    """The folder that Gradescope fills with a submission."""
    told = {"users": [{"email": "ada@example.org", "name": "Ada"}]}
    files = {"submission/coins.py": REFERENCE, "submission_metadata.json": json.dumps(told)}
    return put(tmp_path / "autograder", files)


@pytest.fixture(name="main")
def _main(tmp_path, place):
    """Return a function that grades as on Gradescope, and returns the exit status."""
    course = course_with_starter(tmp_path / "course")

    def run(stage="01-coins", sandbox="none"):
        return in_gradescope.main(stage, place, course=course, sandbox=sandbox)

    return run


def shown(place):
    return json.loads((place / "results/results.json").read_text())


def test_a_submission_is_graded_and_what_its_sandbox_lacks_is_said(main, place, capsys):
    assert main() == 0
    result = shown(place)
    assert (result["score"], result["visibility"]) == (6.0, "visible")
    assert result["extra_data"]["sandbox"] == "none"
    assert result["extra_data"]["notes"] == ["no sandbox: the programs run with all your rights"]
    out = capsys.readouterr().out
    assert "01-coins of ada@example.org: 6 of 6 points\n" in out
    assert "hearts: no sandbox: the programs run with all" in out


def test_an_unreadable_submission_has_a_verdict(main, place):
    (place / "submission/coins.py").rename(place / "submission/coin.py")
    (place / "submission_metadata.json").write_text("{")
    assert main() == 0
    result = shown(place)
    assert result["score"] == 0
    assert "rename coin.py to coins.py" in result["output"]


def test_a_grader_error_writes_no_result(main, place, monkeypatch, capsys):
    no_sandbox_works(monkeypatch)
    assert main(sandbox="auto") == 1
    assert main("99-none") == 1
    assert "the grader failed: no sandbox works on this machine" in capsys.readouterr().err
    assert not (place / "results").exists()


def test_the_archive_holds_the_tests_of_its_stage_only():
    files = autograder(COURSE, LAST)
    assert {"setup.sh", "run_autograder", "course/pyproject.toml"} <= files.keys()
    assert f"in_gradescope {LAST.name}\n" in files["run_autograder"].decode()
    for test in LAST.hidden_tests:
        assert f"course/{test.relative_to(COURSE.root).as_posix()}" in files
    before = COURSE.prerequisites(LAST)
    assert before
    for stage in COURSE.stages:
        suite = [
            name for name in files if name.startswith(f"course/autograder/stages/{stage.name}/")
        ]
        answers = [name for name in files if name.startswith(f"course/solutions/{stage.name}/")]
        assert bool(suite) == (stage is LAST)
        assert bool(answers) == (stage is LAST or stage in before)
    assert not [name for name in files if "__pycache__" in name or "/tests/" in name]


def test_a_thief_of_the_suite_gets_nothing_in_a_container(tmp_path):
    """The container has no Landlock, so the autograder runs the program as another user."""
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
        "from hearts_grader.release.in_gradescope import main\n"
        f"if __name__ == '__main__': sys.exit(main({stage.name!r}, Path({str(tmp_path)!r})))\n"
    )
    script = put(tmp_path, {"go.py": code}) / "go.py"
    container, variables = in_container(tmp_path / "tool")
    packages = variables["PYTHONPATH"].split(os.pathsep)[2:]
    course = [str(source / "course/autograder"), str(source / "course/autograder/tests")]
    variables["PYTHONPATH"] = os.pathsep.join([*course, *packages])
    command = [*container, str(script)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = shown(tmp_path)
    assert "FileNotFoundError FileNotFoundError" in result["output"]
    assert result["score"] == 0
    assert result["extra_data"]["sandbox"] == "user"
