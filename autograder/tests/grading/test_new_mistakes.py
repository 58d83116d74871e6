"""Grade programs with new mistakes. If the feedback names a known mistake, the name must be true.

A chaff is the reference with one known mistake; its name describes the mistake. No chaff contains
the mistakes that are tested here, but the name of a chaff may also be true of one of them.
"""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hearts_course.course import find_course
from hearts_course.misconceptions import diagnose, load_patterns
from hearts_course.submissions.model import Submission
from hearts_course.testing.reach import changes
from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.grading.grade import GradeJob, grade_one

pytestmark = pytest.mark.needs_sandbox
COURSE = find_course()
MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))["mistake"]
STAGES = sorted({mistake["stage"] for mistake in MISTAKES})
AMPLE_SECONDS = 600.0
# Some new mistakes are described by a chaff's name. The feedback must give such a name for at least
# this share of them.
MIN_NAMED = 0.8


def some_stages():
    """Yield the names of the stages that have new mistakes.

    Stage 01 and clinics get the mark `proof`, and all other stages get the mark `exhaustive`.
    """
    for name in STAGES:
        often = name.startswith("01") or name.endswith("clinic")
        mark = pytest.mark.proof if often else pytest.mark.exhaustive
        yield pytest.param(name, marks=mark)


def of_stage(name):
    return [mistake for mistake in MISTAKES if mistake["stage"] == name]


def edited(stage, mistake):
    """Return the reference with the mistake's edits."""
    modules = stage.reference()
    for edit in mistake.get("edit", [mistake]):
        (module,) = (name for name, text in modules.items() if text.count(edit["find"]) == 1)
        modules[module] = modules[module].replace(edit["find"], edit["put"])
    return modules


def visible_part(result):
    """Return the result with visible tests only, as in a student's own check."""
    tasks = (
        replace(task, tests=tuple(test for test in task.tests if not test.hidden))
        for task in result.tasks
    )
    return replace(result, tasks=tuple(tasks))


def names_told(result, stage, *, visible):
    """Return the names of known mistakes that the student reads."""
    patterns = load_patterns(stage, visible=visible)
    matches = diagnose(result, stage, patterns).matches.values()
    return [match.names for match in matches if match.tells]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [*some_stages()])
def test_no_name_is_false_and_most_mistakes_that_are_known_are_named(name):
    found = COURSE.stage(name)
    stage = replace(found, limits=replace(found.limits, submission_seconds=AMPLE_SECONDS))
    false = []
    named = 0
    known_count = 0
    for mistake in of_stage(name):
        modules = edited(stage, mistake)
        submission = Submission("eve", name, modules)
        changed = changes(stage.reference(), modules)
        graded = grade_one(GradeJob(stage, submission, "none", changed=changed, examples=False))
        told = [
            *names_told(graded, found, visible=False),
            *names_told(visible_part(graded), found, visible=True),
        ]
        true = mistake.get("names", ())
        false += [(mistake["about"], names) for names in told if not set(names) & set(true)]
        known_count += "names" in mistake
        named += "names" in mistake and bool(told)
    assert false == []
    assert named >= MIN_NAMED * known_count


def test_there_are_enough_mistakes_and_each_is_described_once():
    described = {(mistake["stage"], mistake["about"]) for mistake in MISTAKES}
    assert len(described) == len(MISTAKES) >= 40


@pytest.mark.parametrize("name", STAGES)
def test_every_name_that_is_true_of_a_mistake_is_the_name_of_a_chaff(name):
    known = {chaff.name for chaff in load_chaffs(COURSE.stage(name))}
    true = {name for mistake in of_stage(name) for name in mistake.get("names", ())}
    assert true <= known
