"""Final scores: the late policy, times, and scores spread over tasks."""

import pytest
from hearts_course.errors import StageError
from hearts_course.grading.final_scores import (
    Adjustment,
    LatePolicy,
    ManualScore,
    adjustments_text,
    apply_all,
    load_policy,
    parse_time,
    read_adjustments,
)
from tiny_class import STAGE, result
from tiny_course import write_course


@pytest.mark.parametrize(
    ("hours", "days"), [(0, 0), (1, 0), (24, 0), (25, 1), (48, 1), (49, 2), (1000, 41)]
)
def test_each_day_begun_after_the_grace_days_counts(hours, days):
    policy = LatePolicy(grace_days=1, percent_per_day=10)
    assert policy.days(hours * 3600) == days
    assert policy.penalty(20, hours * 3600) == min(20, 2 * days)


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2015-02-02 14:58:23.948203 America/Los_Angeles", "2015-02-02 22:58:23.948203"),
        ("2015-02-02 14:58:23 UTC", "2015-02-02 14:58:23"),
        ("2015-02-02 14:58:23", "2015-02-02 14:58:23"),
        ("2015-02-02T14:58:23+01:00", "2015-02-02 13:58:23"),
        ("2015-02-02 14:58:23 +0100", "2015-02-02 13:58:23"),
        ("2015-02-02T14:58:23Z", "2015-02-02 14:58:23"),
    ],
)
def test_times_of_nbgrader_and_others_are_read(text, utc):
    from nbgrader.utils import parse_utc

    assert str(parse_time(text)) == utc
    if not text.endswith("+0100"):  # nbgrader takes that for 100 seconds
        assert str(parse_utc(text)) == utc


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2015-02-30 10:00:00", "2015-02-02 10:00:00 ../../etc", "9" * 200]
)
def test_an_invalid_time_is_refused(text):
    with pytest.raises(ValueError, match=r"time|iso|day|TZPATH"):
        parse_time(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("grace_days = ", "not TOML"),
        ("grace_day = 1", "unknown key 'grace_day'; did you mean 'grace_days'"),
        ("percent_per_day = 'ten'", "percent_per_day: expected float, not 'ten'"),
        ("percent_per_day = 120", "percent_per_day from 0 to 100"),
        ("[due]\n01-coins = 2026-10-01", "due.01-coins: expected datetime"),
        ("[due]\n01-coins = 2026-10-01T10:00:00", "write date, time and offset"),
    ],
)
def test_an_invalid_late_policy_is_refused(text, why, tmp_path):
    course = write_course(tmp_path)
    (tmp_path / "autograder/late.toml").write_text(text)
    with pytest.raises(StageError, match=why):
        load_policy(course)


def test_adjustments_with_keys_of_a_later_version_are_read(tmp_path):
    manual = (ManualScore("design", "Every class has one job", 4, 3.0),)
    adjustments = {("ada", STAGE): Adjustment(manual, {}, 2, 0.2)}
    text = adjustments_text(adjustments).replace('"id":', '"rubric": [1], "id":')
    path = tmp_path / "adjustments.json"
    path.write_text(text.replace('"days_late":', '"excused": false, "days_late":'))
    assert read_adjustments(path) == adjustments


def test_spread_scores_add_up(tmp_path):
    course = write_course(tmp_path)
    by_hand = (ManualScore("design", "Every class has one job", 4, 3.0),)
    adjustment = Adjustment(by_hand, {}, days_late=2, late_fraction=0.2)
    whole = adjustment.apply(result(course, "ada"), spread=True)
    assert whole.score == pytest.approx(sum(task.score for task in whole.tasks))
    assert (whole.max_score, whole.message) == (10, "2 days late, which costs 1.2")
    (plain,) = apply_all([result(course, "bob")], {("ada", STAGE): adjustment})
    assert plain == result(course, "bob")
