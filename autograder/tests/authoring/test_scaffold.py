"""A new stage is complete and small, changes no existing stage, and can be removed again."""

import json
import tomllib
from dataclasses import replace

import pytest
from hearts_course.brief import load_brief, load_hints
from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import read_text
from hearts_grader.authoring.build import build, outdated
from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.authoring.scaffold import remove_stage, scaffold
from hearts_grader.release.bundle import released_stages
from tiny_course import write_course


@pytest.fixture
def course(tmp_path):
    return write_course(tmp_path)


def test_a_new_stage_has_valid_files(course):
    paths = scaffold(course, "08-shoot-the-moon")
    parsers = {".toml": tomllib.loads, ".py": lambda text: compile(text, "", "exec")}
    for path in paths:
        text = path.read_text()
        assert text.endswith("\n")
        assert "$" not in text
        (parsers | {".json": json.loads}).get(path.suffix, str)(text)


def test_the_new_stage_can_be_built_and_its_names_are_unique(course):
    scaffold(course, "08-moon")
    scaffold(Course(course.root), "09-sun")
    course = Course(course.root)
    stage = course.stage("8")
    assert (stage.title, stage.modules, stage.points) == ("Moon", ("moon",), 2)
    build(course, course.stages)
    assert outdated(course, course.stages) == []
    assert 'NotImplementedError("Task 1: Count the penalty points")' in stage.starter()["moon"]
    assert list(load_brief(stage).sections) == ["moon-penalty"]
    assert len(load_hints(stage)["moon-penalty"]) == 3
    assert len(load_chaffs(stage)) == 2
    tasks = [task.id for stage in course.stages for task in stage.tasks]
    assert len(tasks) == len(set(tasks))


def test_points_are_written_in_one_place(course):
    scaffold(course, "08-moon")
    stage = Course(course.root).stage("8")
    path = stage.assignment / "stage.toml"
    path.write_text(path.read_text().replace("points = 2", "points = 3").replace("Count", "Add"))
    course = Course(course.root)
    stage = course.stage("8")
    assert stage.assignment / "README.md" in build(course, [stage])
    brief = read_text(stage.assignment / "README.md")
    assert "## Task 1: Add the penalty points (3 points)\n" in brief
    assert "## Task 1: Add the penalty points\n" in read_text(stage.assignment / "hints.md")
    assert build(course, [stage]) == []


def test_a_stage_is_removed_unless_another_needs_it(course):
    scaffold(course, "08-moon")
    course = Course(course.root)
    paths_before = sorted(course.root.rglob("*"))
    moon = course.stage("8")
    coins = course.stages[0]
    needy = Course(course.root)
    needy.__dict__["stages"] = (coins, replace(moon, builds_on=(coins.name,)))
    with pytest.raises(UsageError, match="08-moon needs 01-coins; remove that first"):
        remove_stage(needy, coins)
    assert sorted(course.root.rglob("*")) == paths_before
    remove_stage(course, moon)
    assert [stage.name for stage in Course(course.root).stages] == ["01-coins"]
    assert not list(course.root.rglob("08-moon*"))


def test_a_draft_is_not_released(course):
    scaffold(course, "08-moon")
    path = course.root / "assignments/08-moon/stage.toml"
    path.write_text(f"draft = true\n{path.read_text()}")
    course = Course(course.root)
    assert [stage.name for stage in released_stages(course, [])] == ["01-coins"]
    with pytest.raises(UsageError, match="08-moon is a draft; delete `draft = true`"):
        released_stages(course, ["08-moon"])
