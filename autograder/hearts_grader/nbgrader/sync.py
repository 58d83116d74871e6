"""Keep results and a gradebook in step: scores go in, manual points come out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hearts_course.course import Course
from hearts_course.results import Result, Status
from hearts_course.text import listed

from hearts_grader.grading.final_scores import (
    NO_ADJUSTMENT,
    NO_ENTRY,
    Adjustments,
    GradebookEntry,
    HandIns,
    apply_all,
)
from hearts_grader.grading.late_policy import Name
from hearts_grader.grading.store import Store
from hearts_grader.nbgrader.class_adjustments import ClassAdjustments
from hearts_grader.nbgrader.class_dates import ClassDates
from hearts_grader.nbgrader.class_gradebook import ClassGradebook
from hearts_grader.reports.comments import Comment


class GradebookSync:
    """Keeps a class's results, their adjustments and its gradebook in step.

    Without a gradebook, manual points come only from files.
    """

    def __init__(
        self, store: Store, course: Course, asked: str = "", dates: ClassDates | None = None
    ) -> None:
        """Keep the results, gradebook and dates that belong together.

        `asked` is the URL of the gradebook that the instructor asked for, or "". By default the
        dates are those of the last run.
        """
        self.store = store
        self.course = course
        self.dates = dates or ClassDates(store, course)
        self.gradebook = ClassGradebook(store, asked)
        self.adjustments = ClassAdjustments(store, course, self.dates)

    def fingerprint(self) -> str:
        """Return a text that changes whenever manual points or the late policy change."""
        gradebook = self.gradebook.fingerprint()
        policy = self.dates.policy
        given = sorted(self.adjustments.given.items())
        return f"{gradebook} {policy} {given}"

    def entries(self) -> Mapping[Name, GradebookEntry]:
        """Return the gradebook's entries, with points from files in place of its own points.

        Raise CourseError if the gradebook cannot be used.
        """
        entries = self.gradebook.entries() if self.gradebook.is_readable else {}
        return self.adjustments.with_files(entries)

    def adjustments_for(self, hand_ins: HandIns) -> Adjustments:
        """Return the adjustments of these submissions, and of all results of earlier runs.

        Points in files win over points in the gradebook. Raise CourseError if the gradebook cannot
        be used.
        """
        names = self.adjustments.former.keys() | hand_ins.keys()
        return self.adjustments.of(names, self.entries(), hand_ins)

    def settle(
        self, results: Sequence[Result], hand_ins: HandIns, comments: Sequence[Comment] = ()
    ) -> tuple[Result, ...]:
        """Save scores, times and comments in the gradebook and return the final results.

        Results without a submission in this run keep the lateness that an earlier run computed.
        Raise CourseError if the gradebook cannot be used.
        """
        self.dates.remember()
        self.gradebook.remember()
        if self.gradebook.url:
            by_name = self._save_in_gradebook(results, hand_ins, comments)
        else:
            by_name = self.adjustments.of(map(_name, results), self.entries(), hand_ins)
        self.adjustments.save(by_name)
        return apply_all(results, by_name)

    def refresh(self) -> Iterator[str]:
        """Fetch manual points given since the last time; raise CourseError if that fails.

        Late penalties stay as `hearts grade` computed them. Yield a line if the dates have changed
        since then, and a line if the pages do not show some points yet. Yield a line if the
        gradebook is missing, because then the points fetched last count.
        """
        if not self.store.adjustments.exists():
            return
        if self.dates.have_changed():
            changed = f"{self.dates.file}: changed since these scores were made"
            yield f"{changed}; run `hearts grade` again"
        if self.gradebook.is_missing:
            yield f"{self.gradebook.file}: missing; the scores saved last still count"
            return
        names = [_name(result) for result in self.store.results.load()[0]]
        entries = self.gradebook.entries(create=False) if self.gradebook.url else {}
        by_name = self.adjustments.of(names, self.adjustments.with_files(entries), {})
        self.adjustments.save(by_name)
        if newer := self.adjustments.newer_than_pages(by_name):
            points = f"manual points of {listed(newer)} are newer than their pages"
            yield f"{points} and than {self.store.grades}; run `hearts grade` again"

    def take_back(self, name: Name, cell: str) -> None:
        """Remove points for a cell that `settle` saved in the gradebook.

        Without a gradebook, or if its file is missing, there is nothing to remove. All members of a
        group lose the points. Raise CourseError if the gradebook cannot be used.
        """
        if self.gradebook.is_readable:
            with self.gradebook.open(create=False) as gradebook:
                student, stage = name
                group = self.adjustments.former.get(name, NO_ADJUSTMENT).group
                gradebook.take_back({(member, stage) for member in (student, *group)}, cell)

    def forget(self, student: str) -> None:
        """Delete a student from gradebook and adjustments; raise CourseError on failure."""
        if self.gradebook.is_readable:
            with self.gradebook.open(create=False) as gradebook:
                gradebook.forget(student)
        self.adjustments.forget(student)

    def _save_in_gradebook(
        self, results: Sequence[Result], hand_ins: HandIns, comments: Sequence[Comment]
    ) -> Adjustments:
        """Save scores, times, points, comments and penalties; return the adjustments."""
        names = [*map(_name, results)]
        stamps = {name: hand_in.stamp for name, hand_in in hand_ins.items()}
        with self.gradebook.open() as gradebook:
            gradebook.save_scores(results, self.course.stages, stamps, self.dates.policy)
            gradebook.name_students(self.dates.roster)
            # Save the points from files before the entries are read, so that they are included.
            gradebook.give(self.adjustments.given_to(names, hand_ins))
            gradebook.comment(results, self.course.stages, comments)
            entries = self.adjustments.with_files(gradebook.entries())
            by_name = self.adjustments.of(names, entries, hand_ins)
            gradebook.set_late_penalties(self._penalties(results, by_name, entries))
        return by_name

    def _penalties(
        self,
        results: Iterable[Result],
        by_name: Adjustments,
        entries: Mapping[Name, GradebookEntry],
    ) -> dict[Name, float]:
        """Map student and stage to the late penalty for nbgrader's gradebook.

        nbgrader subtracts a penalty from the points that its gradebook has for the student. These
        do not include points given to another member of the group. So compute the penalty without
        such points.
        """
        stages = {stage.name: stage for stage in self.course.stages}
        penalties = {}
        for result in results:
            name = _name(result)
            if result.stage in stages and result.status is not Status.GRADER_ERROR:
                entry = entries.get(name, NO_ENTRY)
                mine = by_name[name].with_points(stages[result.stage], entry)
                penalties[name] = mine.parts(result).penalty
        return penalties


def _name(result: Result) -> Name:
    """Return student and stage, the key of entries and adjustments."""
    return result.student, result.stage
