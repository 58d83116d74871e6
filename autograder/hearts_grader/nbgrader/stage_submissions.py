"""What was handed in for a stage of an nbgrader course, and the dates of the class."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.results import Result
from hearts_course.submissions.find import Layout, SubmissionPath, find_submissions
from hearts_course.text import listed

from hearts_grader.grading.attempts import attempts_of, choose, scores_of
from hearts_grader.grading.final_scores import NO_ENTRY, HandedIn, adjustment
from hearts_grader.grading.late_policy import Counts, LatePolicy, Name
from hearts_grader.lms.groups import grouped
from hearts_grader.lms.roster import Roster
from hearts_grader.nbgrader.class_dates import policy_of_class, roster_of_class
from hearts_grader.nbgrader.gradebook import open_gradebook
from hearts_grader.reports.comments import Comment, load_comments

# A function that grades attempts, and returns their results by student and stage.
Grade = Callable[[Sequence[SubmissionPath]], dict[Name, Result]]


@dataclass(frozen=True)
class StageSubmissions:
    """The submissions of a stage, and the dates, roster and comments of their class.

    `folders` maps a student to the name of the student's folder, which is nbgrader's name for the
    student. `hand_ins` says when an attempt came, which attempt it is, and which member of a group
    handed it in. `hand_ins` is empty until the attempts that count are chosen.
    """

    stage: Stage
    layout: Layout
    folders: Mapping[str, str]
    policy: LatePolicy
    roster: Roster
    comments: tuple[Comment, ...]
    hand_ins: Mapping[Name, HandedIn] = field(default_factory=dict)

    @property
    def by_folder(self) -> dict[str, SubmissionPath]:
        """The submissions that are not missing; the keys are nbgrader's names for the students."""
        return {self.folders[path.student]: path for path in self.layout.paths if path.path}

    def with_chosen_attempts(self, db_url: str, grade: Grade) -> "StageSubmissions":
        """Return a copy that has the attempts that count, and when each of them came.

        If the best attempt counts, all attempts are graded. The gradebook at `db_url` has the
        extensions, which decide whether an attempt was in time.
        """
        rule = self.policy.counts
        # Without earlier attempts there is nothing to choose between, and the gradebook need not be
        # opened.
        if not self.layout.attempts:
            layout, hand_ins = choose(self.layout, {}, rule, {})
            return replace(self, layout=layout, hand_ins=hand_ins)
        with open_gradebook(db_url) as gradebook:
            attempts = attempts_of(self.layout, self.policy, gradebook.entries())
        # The times show which attempt is the latest. To find the best one, grade all of them.
        scores: Mapping[Name, Sequence[float | None]] = {}
        if rule is Counts.BEST:
            scores = scores_of(attempts, grade)
        layout, hand_ins = choose(self.layout, attempts, rule, scores)
        return replace(self, layout=layout, hand_ins=hand_ins)

    def stamp(self, path: SubmissionPath) -> datetime | None:
        """Return when the submission came, None if that is unknown."""
        return self.hand_ins[path.name].stamp

    def group_note(self, path: SubmissionPath) -> str:
        """Return who handed in for the group, and which attempt counts; "" if there is no group."""
        hand_in = self.hand_ins[path.name]
        if not hand_in.group:
            return ""
        dated = adjustment(path.student, self.stage, NO_ENTRY, self.policy, hand_in)
        counting = f" This is {dated.attempt_that_counts}." if dated.attempts else ""
        return f"Handed in by {hand_in.by}, for {listed(hand_in.group)}.{counting}"


def find_stage_submissions(
    root: Path, course: Course, stage: Stage, warn: Callable[[str], None]
) -> StageSubmissions:
    """Return the stage's submissions in the folder; the attempts that count are not chosen yet.

    Call `warn` with each line about groups. Raise CourseError if the dates, the roster or the
    comments of the class cannot be used.
    """
    layout = find_submissions(root, course, [stage.name])
    # Record each student's own folder first: `grouped` lets the paths of all members lead to the
    # group's program, which may be in another member's folder.
    folder_of = {path.student: path.path.parent.name for path in layout.paths if path.path}
    ungrouped = layout
    layout = grouped(layout, course)
    for line in layout.warnings[len(ungrouped.warnings) :]:
        warn(line)
    folders = {}
    for path in layout.paths:
        if path.path:
            # A member of a group may have no folder.
            folders[path.student] = folder_of.get(path.student, path.student)
    policy = policy_of_class(course, layout.late_file, folders)
    roster = roster_of_class(course, layout.late_file)
    comments = load_comments(course, layout.comments_file)
    return StageSubmissions(stage, layout, folders, policy, roster, comments)
