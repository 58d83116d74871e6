"""Final scores: the late policy, times, and scores spread over tasks."""

from dataclasses import replace
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from hearts_course.errors import UsageError
from hearts_grader.grading.final_scores import (
    Adjustment,
    AttemptSummary,
    GradebookEntry,
    HandedIn,
    ManualScore,
    adjustment,
    adjustments_text,
    apply_all,
    entry_of,
    read_adjustments,
)
from hearts_grader.grading.late_policy import Dates, Lateness, LatePolicy, load_policy, parse_time
from hearts_grader.nbgrader.class_dates import policy_of_class
from hearts_grader.nbgrader.late_penalties import lateness_by_stage
from tiny_class import STAGE, result
from tiny_course import MANUAL_TOML, write_course

LATE = Lateness(25 * 3600, 2, 0.2)


DUE = datetime(2026, 10, 1, 22)
DATES = f"""\
grace_minutes = 15
percent_per_day = 10
max_percent = 25
[due]
{STAGE} = 2026-10-02T00:00:00+02:00
[section.evening]
students = ["eve", "fay"]
due.{STAGE} = 2026-10-02T22:00:00Z
[section.noon]
extension_days.{STAGE} = 0.5
[student.fay]
extension_days.{STAGE} = 2
[student.gil]
due.{STAGE} = 2026-10-11T22:00:00Z
"""


@pytest.fixture
def policy_for(tmp_path):
    """Return a function that takes students and returns their late policy."""
    course = write_course(tmp_path)
    (tmp_path / "dates.toml").write_text('roster = "class.csv"\n' + DATES)
    roster = "Login,Section,Email\nnoa,noon,noa@uni.example\neve,noon,eve@uni.example\n"
    (tmp_path / "class.csv").write_text(roster)
    return lambda *students: policy_of_class(course, tmp_path / "dates.toml", students)


@pytest.fixture
def policy(policy_for):
    return policy_for("noa", "eve")


def test_the_policy_does_not_depend_on_the_order_of_students(policy, policy_for):
    """The students' order varies from run to run, and a changed policy would rebuild the report."""
    assert repr(policy) == repr(policy_for("eve", "noa"))
    assert policy.addresses == {"noa": "noa@uni.example", "eve": "eve@uni.example"}


@pytest.mark.parametrize(
    ("student", "hours", "words", "days", "percent"),
    [
        ("ada", -1, "", 0, 0),
        ("ada", 0.25, "15 minutes late", 0, 0),  # within the grace period
        ("ada", 0.26, "16 minutes late", 1, 10),
        ("ada", 24.25, "1 day 1 hour late", 1, 10),
        ("ada", 24.26, "1 day 1 hour late", 2, 20),
        ("ada", 48, "2 days late", 2, 20),
        ("ada", 100, "4 days 4 hours late", 5, 25),  # never more than 25 %
        ("eve", 24, "", 0, 0),  # in `evening`: its `students` override the roster
        ("eve", 25, "1 hour late", 1, 10),
        ("noa", 12, "", 0, 0),  # an extension of the roster's section
        ("noa", 13, "1 hour late", 1, 10),
        ("fay", 72, "", 0, 0),  # her own extension, after her section's date
        ("fay", 73, "1 hour late", 1, 10),
        ("gil", 240, "", 0, 0),  # his own date
        ("gil", 241, "1 hour late", 1, 10),
    ],
)
def test_how_late_a_submission_is(policy, student, hours, words, days, percent):
    late = policy.lateness((student, STAGE), DUE + timedelta(hours=hours))
    assert (late.words, late.days, late.fraction) == (words, days, percent / 100)


@pytest.mark.parametrize(
    ("student", "extension", "hours", "days"),
    [("ada", 2, 48, 0), ("ada", 2, 49, 1), ("fay", 1, 72, 0), ("gil", 1, 241, 1)],
)
def test_of_two_extensions_the_longer_one_counts(policy, student, extension, hours, days):
    """`extension` is the student's extension in the gradebook, in days."""
    stamp = DUE + timedelta(hours=hours)
    assert policy.lateness((student, STAGE), stamp, timedelta(days=extension)).days == days


def test_extensions_count_where_a_stage_is_due_for_one_student_only():
    dates = Dates(due={STAGE: DUE}, extension_days={STAGE: 2})
    policy = LatePolicy(student={"gil": dates})
    assert policy.dates_of("gil").until(STAGE) == DUE + timedelta(days=2)
    assert policy.dates_of("gil").until(STAGE, timedelta(days=3)) == DUE + timedelta(days=3)
    assert policy.dates_of("ada").until(STAGE, timedelta(days=3)) is None


@pytest.mark.parametrize(
    ("group", "days", "design"),
    [((), 3, None), (("ada", "cyd"), 3, None), (("eve", "ada"), 1, 1), (("fay", "ada"), 0, None)],
)
def test_what_one_of_a_group_is_given_all_have(policy, tmp_path, group, days, design):
    """eve has a later due date, an extension in the gradebook, and manual points."""
    course = write_course(tmp_path, STAGE_TOML=MANUAL_TOML)
    points_by_cell = {"manual-design": 1.0}
    entries = {
        ("ada", STAGE): GradebookEntry(DUE + timedelta(hours=72)),
        ("eve", STAGE): GradebookEntry(None, timedelta(hours=25), points_by_cell),
    }
    entry = entry_of(("ada", STAGE), group, entries)
    hand_in = HandedIn(group=group, by="ada")
    adas_adjustment = adjustment("ada", course.stages[0], entry, policy, hand_in)
    assert (adas_adjustment.late.days, adas_adjustment.manual[0].score) == (days, design)


@pytest.mark.parametrize(
    ("grace", "student", "extension", "days"),
    [(0, "ada", 0, 1), (0, "eve", 0, 1), (0, "ada", 1, 0), (0, "gil", 0, 0), (0.5, "ada", 0, 0)],
)
def test_a_mark_without_a_time_is_one_second_late(policy, grace, student, extension, days):
    policy = replace(policy, grace_minutes=0, grace_days=grace)
    late = policy.lateness((student, STAGE), None, timedelta(days=extension), marked=True)
    assert late.days == days
    assert late.words in ("marked late by Canvas", "")
    assert policy.lateness((student, STAGE), DUE, marked=True) == Lateness()


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
    if not text.endswith("+0100"):  # nbgrader reads +0100 as 100 seconds
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
        ("percent_per_day = 'ten'", "percent_per_day: expected a number, not 'ten'"),
        ("percent_per_day = 120", "percent_per_day and max_percent must be from 0 to 100"),
        ("grace_minutes = -1", "must not be negative"),
        ("counts = 'last'", "counts: expected latest, latest-in-time or best, not 'last'"),
        ("[section]\na.students = ['x']\nb.students = ['x']", "x is in two sections"),
        ("[student.x]\ndue.02 = 2026-10-01T10:00:00Z", "no stage is called '02'"),
        ("[student.x.due]\n01-coins = 2026-10-01T10:00:00", "student.x.due.01-coins: write date"),
        ("[due]\n01-coins = 2026-10-01", "due.01-coins: expected date, time and offset"),
        ("[due]\n01-coins = 2026-10-01T10:00:00", "write date, time and offset"),
    ],
)
def test_an_invalid_late_policy_is_refused(text, why, tmp_path):
    course = write_course(tmp_path)
    (tmp_path / "autograder/late.toml").write_text(text)
    with pytest.raises(UsageError, match=why):
        load_policy(course)


def test_adjustments_with_keys_of_a_later_version_are_read(tmp_path):
    manual = (ManualScore("design", "Every class has one job", 4, 3.0),)
    attempts = (AttemptSummary(), AttemptSummary("2026-10-01 10:00 UTC", LATE, 3.5))
    adjustments = {("ada", STAGE): Adjustment(manual, {}, LATE, attempts, 2, "best")}
    text = adjustments_text(adjustments).replace('"id":', '"rubric": [1], "id":')
    path = tmp_path / "adjustments.json"
    path.write_text(text.replace('"late":', '"excused": false, "late":'))
    assert read_adjustments(path) == adjustments


def test_spread_scores_add_up(tmp_path):
    course = write_course(tmp_path)
    by_hand = (ManualScore("design", "Every class has one job", 4, 3.0),)
    late = Adjustment(by_hand, {}, LATE)
    spread_result = late.apply(result(course, "ada"), spread=True)
    assert spread_result.score == pytest.approx(sum(task.score for task in spread_result.tasks))
    assert (spread_result.score, spread_result.max_score) == (4.8, 10)
    assert spread_result.score_parts.words == "checks 3, manual +3, 1 day 1 hour late -1.2"
    (plain,) = apply_all([result(course, "bob")], {("ada", STAGE): late})
    assert plain == result(course, "bob")


class OneSubmission:
    """A gradebook in which one student has handed in one assignment."""

    def __init__(self, student, hours_late):
        self.assignments = [SimpleNamespace(name=STAGE), SimpleNamespace(name="essay")]
        self._submission = SimpleNamespace(
            student=SimpleNamespace(id=student),
            timestamp=DUE + timedelta(hours=hours_late),
            extension=None,
        )

    def assignment_submissions(self, name):
        assert name == STAGE, "an assignment of the instructor's own"
        return [self._submission]


@pytest.mark.parametrize(("name", "days"), [("fay", 0), ("team-7", 0), ("gone", 3)])
def test_a_student_with_another_name_in_the_gradebook_has_the_own_dates(policy, name, days):
    """fay has an extension; `team-7` is the name of her group's folder."""
    gradebook = OneSubmission(name, 49)
    late = lateness_by_stage(gradebook, [STAGE], policy, {"team-7": "fay"})
    student = {"team-7": "fay"}.get(name, name)
    assert {who: of_stage[STAGE].days for who, of_stage in late.items()} == {student: days}
