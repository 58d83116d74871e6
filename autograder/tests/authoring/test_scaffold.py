"""`hearts new` writes a whole small stage, and changes nothing that is there."""

import json
import tomllib

import pytest
from hearts_course.authoring.build import build, outdated
from hearts_course.authoring.chaffs import load_chaffs
from hearts_course.authoring.scaffold import scaffold
from hearts_course.brief import load_brief, load_hints
from hearts_course.course import Course
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
