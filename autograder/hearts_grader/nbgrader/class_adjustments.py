"""The adjustments of a class: the manual points and the late penalty of each result."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from hearts_course.course import Course
from hearts_course.files import write_whole

from hearts_grader.grading.final_scores import (
    NO_ADJUSTMENT,
    NO_ENTRY,
    Adjustment,
    Adjustments,
    GradebookEntry,
    HandIns,
    adjustment,
    adjustments_text,
    entry_of,
    read_adjustments,
)
from hearts_grader.grading.late_policy import Lateness, Name
from hearts_grader.grading.store import Store
from hearts_grader.lms.manual import read_given
from hearts_grader.nbgrader.class_dates import ClassDates


@dataclass(frozen=True)
class ClassAdjustments:
    """The manual points and late penalties of a class's results.

    Only a run of `hearts grade` applies dates, and only to the submissions that it grades. The
    lateness stays with the results: a later run for another stage keeps it, and so does every
    export.
    """

    store: Store
    course: Course
    dates: ClassDates

    @property
    def former(self) -> Adjustments:
        """The adjustments that the last run saved; no gradebook is read."""
        return read_adjustments(self.store.adjustments)

    @cached_property
    def given(self) -> Mapping[Name, GradebookEntry]:
        """The points that people gave in files; raise CourseError if a file is invalid."""
        return read_given(self.store, self.course)

    def given_to(self, names: Iterable[Name], hand_ins: HandIns) -> dict[Name, GradebookEntry]:
        """Map each submission to its points from files, to be saved in a gradebook.

        Points for one member count for the whole group. In a gradebook, points belong to a single
        member, so every member gets them here.
        """
        former = self.former
        entries = {}
        for name in names:
            hand_in = hand_ins.get(name)
            group = hand_in.group if hand_in else former.get(name, NO_ADJUSTMENT).group
            entries[name] = entry_of(name, group, self.given)
        return entries

    def with_files(self, entries: Mapping[Name, GradebookEntry]) -> dict[Name, GradebookEntry]:
        """Return the gradebook's entries, with points from files in place of its own points."""
        merged = dict(entries)
        for name, entry in self.given.items():
            merged[name] = entries.get(name, NO_ENTRY).with_given(entry)
        return merged

    def of(
        self, names: Iterable[Name], entries: Mapping[Name, GradebookEntry], hand_ins: HandIns
    ) -> dict[Name, Adjustment]:
        """Return the adjustments: new ones for names in `hand_ins`, former ones for other names.

        Both kinds get the manual points of the entries. A former adjustment without an entry keeps
        its points.
        """
        stages = {stage.name: stage for stage in self.course.stages}
        former = self.former
        by_name = {}
        for name in names:
            student, stage_name = name
            stage = stages.get(stage_name)
            hand_in = hand_ins.get(name)
            adjusted = former.get(name, NO_ADJUSTMENT)
            if stage is None:
                by_name[name] = adjusted
            elif hand_in is not None:
                entry = entry_of(name, hand_in.group, entries)
                by_name[name] = adjustment(student, stage, entry, self.dates.policy, hand_in)
            elif any((member, stage_name) in entries for member in (student, *adjusted.group)):
                entry = entry_of(name, adjusted.group, entries)
                by_name[name] = adjusted.with_points(stage, entry)
            else:
                by_name[name] = adjusted
        return self._with_late_days(by_name, hand_ins) if hand_ins else by_name

    def save(self, by_name: Adjustments) -> None:
        """Write the adjustments for later exports; raise CourseError if that fails."""
        write_whole(self.store.adjustments, adjustments_text(by_name))

    def newer_than_pages(self, by_name: Adjustments) -> list[str]:
        """Return the students whose pages show other adjustments than these.

        If no pages were written yet, the list is empty.
        """
        if not self.store.page_adjustments.exists():
            return []
        shown = read_adjustments(self.store.page_adjustments)
        newer = set()
        for name, adjusted in by_name.items():
            if adjusted != shown.get(name, NO_ADJUSTMENT):
                student, _ = name
                newer.add(student)
        return sorted(newer)

    def forget(self, student: str) -> None:
        """Delete a student's adjustments; raise CourseError if that fails.

        Two files are written anew: one has the adjustments of the final scores, one has the
        adjustments of the pages.
        """
        for path in (self.store.adjustments, self.store.page_adjustments):
            if path.exists():
                others = {}
                for name, adjusted in read_adjustments(path).items():
                    if name[0] != student:
                        others[name] = adjusted
                write_whole(path, adjustments_text(others))

    def _with_late_days(
        self, by_name: Mapping[Name, Adjustment], hand_ins: HandIns
    ) -> dict[Name, Adjustment]:
        """Return the adjustments with the late days spent on the hand-ins of this run.

        Late days that earlier results have spent stay spent.
        """
        spent: dict[str, int] = {}
        fresh: dict[str, dict[str, Lateness]] = {}
        for (student, stage), adjusted in by_name.items():
            if (student, stage) in hand_ins:
                fresh.setdefault(student, {})[stage] = adjusted.late
            else:
                spent[student] = spent.get(student, 0) + adjusted.late.spent
        paid = dict(by_name)
        for student, late in fresh.items():
            already = spent.get(student, 0)
            for stage, lateness in self.dates.policy.spend(student, late, already).items():
                paid[student, stage] = replace(by_name[student, stage], late=lateness)
        return paid
