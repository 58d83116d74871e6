"""A result matches a known misconception if the same tests fail."""

import pytest
from hearts_course.grading.misconceptions import Pattern, as_text, load_patterns, matches_of
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
    """Return a result in which the tests t[1], t[2], ... of these tasks ended like this."""
    tests = {
        task: [TestResult(f"t[{i}]", "A.", True, end) for i, end in enumerate(ends, start=1)]
        for task, ends in outcomes.items()
    }
    return score_stage(stage, "ada", tests, sandbox="none")


def matched(stage, patterns, **outcomes):
    found = matches_of(result(stage, **outcomes), stage, patterns)
    return {task: (like.names, like.exact) for task, like in found.items()}


def test_the_same_tests_fail(stage):
    patterns = [pattern("one", 1, 2), pattern("other", 2), pattern("else", 1, 2, task="worth")]
    assert matched(stage, patterns, purse=[F, T, P]) == {"purse": (("one",), True)}


def test_two_equal_matches_are_reported_and_three_are_not(stage):
    patterns = [pattern(name, 1) for name in ("one", "other", "third")]
    for number, tells in ((2, True), (3, False)):
        (like,) = matches_of(result(stage, purse=[F, P]), stage, patterns[:number]).values()
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


def test_a_similar_misconception_does_not_match_if_an_earlier_task_fails(stage):
    patterns = [pattern("near", 1, 2, 3, 4, 5)]
    ends = [F, F, F, F, P, P]
    assert matched(stage, patterns, purse=ends, total=[F, P]) == {}
    assert matched(stage, patterns, purse=ends, total=[P, P]) == {"purse": (("near",), False)}


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
    stage = write_stage(tmp_path, PATTERNS=as_text(patterns))
    assert load_patterns(stage) == patterns


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": {"task": "t"}}', "\xff"])
def test_a_damaged_file_has_no_patterns(tmp_path, text):
    (stage,) = write_course(tmp_path, PATTERNS=text).stages
    assert load_patterns(stage) == ()
    (stage.autograder / "patterns.json").unlink()
    assert load_patterns(stage) == ()
