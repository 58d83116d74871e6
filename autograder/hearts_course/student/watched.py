"""The last check of `hearts watch`, and the task that the student works on."""

from dataclasses import dataclass

from hearts_course.course import Stage, Task
from hearts_course.python_source import MAX_SEARCHED, definition_spans
from hearts_course.reports.task_summary import TopicStatus
from hearts_course.results import SourcePosition
from hearts_course.student.report import CheckReport, TaskReport
from hearts_course.student.work import Form, StageWork


@dataclass(frozen=True)
class Watched:
    """What is on the screen; `task` is the number of the task that the student works on.

    `error` says why the program could not be read or imported, "" if it could. `hint` is the number
    of the hint that is shown, 0 for none. `listing` says that all tasks are listed. `ended` says
    that the student went on from the last task. `work` is the program that was checked.
    """

    stage: Stage
    task: int
    report: CheckReport | None = None
    error: str = ""
    hint: int = 0
    listing: bool = False
    ended: bool = False
    work: StageWork | None = None

    @property
    def shown(self) -> TaskReport | None:
        """The first task that does not pass, among the tasks up to the current one.

        None if all these tasks pass, or before the first check.
        """
        for task in self.reported[: self.task]:
            if task.status is not TopicStatus.PASSED:
                return task
        return None

    @property
    def passes(self) -> bool:
        """Whether the current task and those before it pass."""
        return self.report is not None and not self.error and self.shown is None

    @property
    def reported(self) -> tuple[TaskReport, ...]:
        """The reports on all tasks; none before the first check."""
        if self.report is None:
            return ()
        return self.report.tasks

    def task_of(self, report: TaskReport) -> Task:
        """Return the stage's task that the report is about."""
        return self.stage.task(report.summary.id)

    def place_of(self, shown: TaskReport) -> SourcePosition | None:
        """Return the line that the first failure names, or else the line of the task's first blank.

        A blank is a definition that the starter leaves unwritten. Return None if there is no such
        line. Return None for a notebook too, because its cells are not lines of a file.
        """
        if self.work is None or self.work.form is Form.NOTEBOOK:
            return None
        if shown.failures and shown.failures[0].where:
            return shown.failures[0].where
        blanks = self.task_of(shown).blanks
        for module, text in self.work.modules.items():
            for span in definition_spans(text[:MAX_SEARCHED]):
                if span.name in blanks[:1]:
                    return SourcePosition(f"{module}.py", span.opens)
        return None

    def waiting_for(self, shown: TaskReport) -> list[str]:
        """Return number and title of each task that builds on `shown` and does not pass yet."""
        passed: set[str] = set()
        for report in self.reported:
            if report.status is TopicStatus.PASSED:
                passed.add(report.summary.id)
        waiting: list[str] = []
        for later in self.stage.tasks:
            if shown.summary.id in self.stage.tasks_below(later) and later.id not in passed:
                waiting.append(f"{self.stage.number(later)} {later.title}")
        return waiting
