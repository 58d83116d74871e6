"""`make desk`: nbgrader's own commands give the whole sample class the scores of `hearts grade`."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hearts_course.authoring.notebook import build_notebook, notebook_text, reference_notebook
from hearts_course.authoring.sample import make_sample
from hearts_course.cli import run
from hearts_course.course import find_course
from hearts_course.nbgrader.course import make_nbgrader_course

BIN = Path(sys.executable).parent


def nbgrader(*arguments, cwd):
    command = [str(BIN / "nbgrader"), *arguments]
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def is_cut_short(result):
    """Whether the clock ended the submission, so that its score depends on how busy we are."""
    outcomes = {test["outcome"] for task in result["tasks"] for test in task["tests"]}
    return "not-reached" in outcomes and len(outcomes) > 1


@pytest.mark.timeout(3600)
def test_the_whole_sample_class_has_the_same_scores_in_nbgrader(tmp_path):
    course, root, out = find_course(), tmp_path / "nbgrader", tmp_path / "grades"
    list(make_nbgrader_course(course, root, course.counted))
    make_sample(course.counted, root / "submitted")
    assert run(["grade", str(root), "--out", str(out)]) == 0
    results = [json.loads(path.read_text()) for path in sorted(out.glob("results/*/*.json"))]
    ours = {(one["stage"], one["student"]): one for one in results}
    for stage in course.counted:
        done = nbgrader("autograde", stage.name, cwd=root)
        assert done.returncode == 0, done.stderr
        students = {path.parent.name for path in (root / "submitted").glob(f"*/{stage.name}")}
        logged = [line for line in done.stderr.splitlines() if f" of {stage.points}, " in line]
        assert len(logged) == len(students)
    assert nbgrader("export", "--to", "theirs.csv", cwd=root).returncode == 0
    with (root / "theirs.csv").open(encoding="utf-8") as file:
        theirs = {(row["assignment"], row["student_id"]): row for row in csv.DictReader(file)}
    assert len(ours) == len(theirs) > 40
    different = {
        name: (one["score"], theirs[name]["raw_score"])
        for name, one in ours.items()
        if round(float(theirs[name]["raw_score"]), 2) != one["score"] and not is_cut_short(one)
    }
    assert different == {}


@pytest.mark.timeout(600)
def test_validate_shows_what_the_visible_checks_say(tmp_path):
    stage = find_course().stages[0]
    notebooks = {"unwritten": build_notebook(stage), "solved": reference_notebook(stage)}
    for name, notebook in notebooks.items():
        (tmp_path / f"{name}.ipynb").write_text(notebook_text(notebook), encoding="utf-8")
    shown = nbgrader("validate", "unwritten.ipynb", cwd=tmp_path).stdout
    assert f"VALIDATION FAILED ON {len(stage.tasks)} CELL(S)" in shown
    assert f"{stage.tasks[0].title}  0 of {stage.tasks[0].points} points  not written yet" in shown
    assert "Success! Your notebook passes all the tests." in (
        nbgrader("validate", "solved.ipynb", cwd=tmp_path).stdout
    )
