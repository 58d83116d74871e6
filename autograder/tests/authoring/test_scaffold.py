"""`hearts new` writes a whole small stage, and changes nothing that is there."""

import json
import tomllib

import pytest
from hearts_course.authoring.build import build, outdated
from hearts_course.authoring.chaffs import load_chaffs
from hearts_course.authoring.scaffold import scaffold
from hearts_course.brief import load_brief, load_hints
from hearts_course.course import Course
from hearts_course.errors import UsageError
from tiny_course import write_course


@pytest.fixture
def course(tmp_path):
    return write_course(tmp_path)


def test_the_four_places_are_filled_with_valid_files(course):
    paths = scaffold(course, "08-shoot-the-moon")
    assert [str(path.relative_to(course.root)) for path in paths] == [
        "assignments/08-shoot-the-moon/stage.toml",
        "assignments/08-shoot-the-moon/README.md",
        "assignments/08-shoot-the-moon/hints.md",
        "assignments/08-shoot-the-moon/test_shoot_the_moon.py",
        "solutions/08-shoot-the-moon/shoot_the_moon.py",
        "solutions/08-shoot-the-moon/design.md",
        "autograder/08-shoot-the-moon/test_shoot_the_moon_hidden.py",
        "autograder/08-shoot-the-moon/chaffs.toml",
        "autograder/08-shoot-the-moon/patterns.json",
    ]
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


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("moon", "'moon' cannot name a stage; write two digits and a word, as in 08-name"),
        ("8-moon", "'8-moon' cannot name"),
        ("08-Moon", "'08-Moon' cannot name"),
        ("08-", "'08-' cannot name"),
        ("08-moon/..", "'08-moon/..' cannot name"),
        ("../08-moon", "'../08-moon' cannot name"),
        ("08-class", "08-class: a module cannot be called class; choose another word"),
        ("08-random", "08-random: a module cannot be called random"),
        ("08-request", "08-request: a module cannot be called request"),
        ("08-coins", "01-coins has a module coins; choose another word"),
        ("01-moon", "assignments/01-coins: already there; choose another number"),
        ("09-moon", "solutions/09-sun: already there"),
    ],
)
def test_an_invalid_or_taken_name_is_refused_and_nothing_written(course, name, problem):
    (course.root / "solutions/09-sun").mkdir()
    before = sorted(course.root.rglob("*"))
    with pytest.raises(UsageError) as raised:
        scaffold(course, name)
    assert problem in str(raised.value)
    assert sorted(course.root.rglob("*")) == before
