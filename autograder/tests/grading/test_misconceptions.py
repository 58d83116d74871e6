"""Where failures come from: a known misconception, or another task that fails too."""

import pytest
from hearts_course.grading.misconceptions import Pattern, diagnose, load_patterns, patterns_text
from hearts_course.results import Outcome, TestResult, score_stage
from tiny_course import write_course, write_stage

P, F, N, T = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_REACHED, Outcome.TIMEOUT


@pytest.fixture
def stage(tmp_path):
    return write_stage(tmp_path)


def pattern(name, *failing, task="purse", **later):
    fails = {task: frozenset(f"t[{i}]" for i in failing)}
    return Pattern(name, task, fails | {k: frozenset(v) for k, v in later.items()})


def result(stage, **outcomes):
    """A result in which the tests of these tasks, t[1] and so on, ended like this."""
    tests = {
        task: [TestResult(f"t[{i}]", "A.", True, end) for i, end in enumerate(ends, start=1)]
        for task, ends in outcomes.items()
    }
    return score_stage(stage, "ada", tests, sandbox="none")


def matched(stage, patterns, **outcomes):
    found = diagnose(result(stage, **outcomes), stage, patterns)
    return {task: (like.names, like.exact) for task, like in found.matches.items()}


def test_the_same_tests_fail(stage):
    patterns = [pattern("one", 1, 2), pattern("other", 2), pattern("else", 1, 2, task="worth")]
    assert matched(stage, patterns, purse=[F, T, P]) == {"purse": (("one",), True)}


def test_two_equal_matches_are_reported_and_three_are_not(stage):
    patterns = [pattern(name, 1) for name in ("one", "other", "third")]
    for number, tells in ((2, True), (3, False)):
        (like,) = diagnose(result(stage, purse=[F, P]), stage, patterns[:number]).matches.values()
        assert len(like.names) == number
        assert like.tells is tells


def test_the_most_similar_misconception_matches_if_it_is_similar_enough(stage):
    patterns = [pattern("near", 1, 2, 3, 4, 5), pattern("far", 1, 2, 3, 6)]
    near = matched(stage, patterns, total=[P], purse=[F, F, F, F, P, P, P])
    assert near == {"purse": (("near",), False)}
    assert matched(stage, patterns, total=[P], purse=[F, F, F, P, P, P, P]) == {}


@pytest.mark.parametrize("ends", [[T, T, P], [T, T, T, T, P, P]])
def test_timeouts_alone_are_not_a_match(stage, ends):
    patterns = [pattern("two", 1, 2), pattern("five", 1, 2, 3, 4, 5)]
    assert matched(stage, patterns, total=[P], purse=ends) == {}
    assert matched(stage, patterns, total=[P], purse=[F, *ends[1:]]) != {}


@pytest.mark.parametrize("ends", [[F, F, F, F, P, P], [F, F, F, F, F, P]], ids=["near", "exact"])
def test_a_task_that_builds_on_a_failing_one_has_no_match(stage, ends):
    patterns = [pattern("one", 1, 2, 3, 4, 5)]
    assert matched(stage, patterns, purse=ends, total=[F, P]) == {}
    assert matched(stage, patterns, purse=ends, total=[P, P]) == {"purse": (("one",), ends[4] is F)}


@pytest.mark.parametrize(
    ("ends", "patterns", "follows"),
    [
        ({"purse": [F], "total": [F]}, [], {"purse": ("total",)}),
        ({"purse": [P], "total": [F]}, [], {}),
        ({"purse": [F], "worth": [F], "total": [P]}, [], {}),
        ({"purse": [F], "total": [T, P]}, [], {"purse": ("total",)}),
        ({"worth": [F, P], "total": [F, N]}, [pattern("x", 1, task="worth")], {}),
        # What the exact match of a known mistake says counts more than what the task builds on.
        ({"purse": [F], "total": [F, P]}, [pattern("x", 1, task="total")], {}),
        (
            {"purse": [F, F], "total": [F, P]},
            [pattern("x", 1, task="total", purse=["t[2]"])],
            {"purse": ("total",)},
        ),
        (
            {"worth": [F, P], "total": [F]},
            [pattern("x", 1, task="worth", total=["t[1]"])],
            {"total": ("worth",)},
        ),
        (
            {"worth": [F, P], "total": [F], "purse": [F]},
            [pattern("x", 1, task="worth", total=["t[1]"], purse=["t[1]"])],
            {"total": ("worth",), "purse": ("worth",)},
        ),
    ],
)
def test_a_failure_follows_from_the_first_task_below_that_fails(stage, ends, patterns, follows):
    assert diagnose(result(stage, **ends), stage, patterns).follows == follows


@pytest.mark.parametrize("ends", [[F, F], [P, P], [F, N], []])
def test_nothing_matches_if_all_tests_fail_or_pass_or_one_was_not_run(stage, ends):
    assert matched(stage, [pattern("one", 1, 2), pattern("other", 1)], purse=ends) == {}


def test_a_failure_that_follows_from_a_match_is_not_another_match(stage):
    patterns = [
        pattern("first", 1, task="worth", total=["t[2]"]),
        pattern("second", 2, task="total"),
    ]
    assert matched(stage, patterns, worth=[F, P], total=[P, F]) == {"worth": (("first",), True)}
    assert matched(stage, patterns, worth=[P, P], total=[P, F]) == {"total": (("second",), True)}


def test_patterns_are_read_as_they_were_written(tmp_path):
    patterns = (pattern("“one”\n", 1, 12, total=["x"]), pattern("other"))
    stage = write_stage(tmp_path, PATTERNS=patterns_text(patterns))
    assert load_patterns(stage) == patterns


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": {"task": "t"}}', "\xff"])
def test_a_damaged_file_has_no_patterns(tmp_path, text):
    (stage,) = write_course(tmp_path, PATTERNS=text).stages
    assert load_patterns(stage) == ()
    (stage.autograder / "patterns.json").unlink()
    assert load_patterns(stage) == ()
