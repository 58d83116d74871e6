"""The visible checks of one stage, collected once and run after every save."""

from collections.abc import Callable, Sequence
from pathlib import Path

from hearts_course.course import Stage, Task
from hearts_course.results import Result
from hearts_course.student.work import StageWork, find_work, work_files
from hearts_course.student.work_checks import check_work
from hearts_course.student.workspace import Workspace
from hearts_course.testing.runner import SuiteRunner

Signature = dict[Path, tuple[int, int]]  # modification time and size of each file


class CheckEnded(KeyboardInterrupt):
    """Ends a check whose result is no longer needed.

    It is a KeyboardInterrupt, so that no test catches it.
    """


class Quit(KeyboardInterrupt):
    """Ends the watch in the middle of a check.

    It is a KeyboardInterrupt, so that no check catches it.
    """


class StageChecks:
    """The visible checks of a stage, collected once and run on the program as it is saved now."""

    def __init__(self, workspace: Workspace, stage: Stage, asked: Callable[[], bool]) -> None:
        """Remember when the program was saved; the first check collects the tests.

        `asked` returns whether a pressed key is waiting, and raises Quit if the key ends the watch.
        """
        self.stage = stage
        self._workspace = workspace
        self._asked = asked
        self._runner = SuiteRunner(stage, stage.visible_tests)
        self._stages = (*workspace.course.prerequisites(stage), stage)
        self._seen = self._signatures()

    def close(self) -> None:
        """End the collected checks."""
        self._runner.close()

    def newly_saved(self) -> Stage | None:
        """Return the earliest stage with a file that was saved since the last call, or None.

        Only this stage and the stages that it builds on are looked at.
        """
        for stage in self._stages:
            signature = self._signature(stage)
            if self._seen[stage.name] != signature:
                self._seen[stage.name] = signature
                return stage
        return None

    def check(self, tasks: Sequence[Task]) -> tuple[StageWork, Result]:
        """Return the stage's program and the result of these tasks.

        If the program is saved during the check, the check begins again. Raise Quit if a key ends
        the watch, and CourseError if the program cannot be read.
        """
        while True:
            saved = self._signature(self.stage)
            self._seen[self.stage.name] = saved

            def look(saved: Signature = saved) -> None:
                """End the check if the program was saved again, or the watch if q was pressed.

                Any other key is kept until the check ends.
                """
                self._asked()
                if self._signature(self.stage) != saved:
                    raise CheckEnded

            try:
                return self._run(tasks, look)
            except CheckEnded:
                continue

    def check_unless_disturbed(self, tasks: Sequence[Task]) -> tuple[StageWork, Result]:
        """Return the stage's program and the result of these tasks.

        Raise CheckEnded if a key is pressed, or if the program or an earlier stage is saved. Raise
        CourseError if the program cannot be read.
        """
        saved = self._signatures()

        def look() -> None:
            """End the check if a key is waiting or a program was saved."""
            if self._asked() or self._signatures() != saved:
                raise CheckEnded

        return self._run(tasks, look)

    def _run(self, tasks: Sequence[Task], look: Callable[[], None]) -> tuple[StageWork, Result]:
        """Return the program and these tasks' result; `look` may end the check with CheckEnded."""
        root = self._workspace.root
        work = find_work(root, self.stage)
        course = self._workspace.course
        return work, check_work(course, root, work, tasks, runner=self._runner, waiting=look)

    def _signatures(self) -> dict[str, Signature]:
        """Return the signatures of the stage's program and of all programs that it builds on."""
        return {stage.name: self._signature(stage) for stage in self._stages}

    def _signature(self, stage: Stage) -> Signature:
        """Return the times and sizes of the stage's files, which change when a file is saved.

        No file is read, because this is called many times a second.
        """
        signature = {}
        for path in work_files(self._workspace.root, stage):
            if path.is_file():
                status = path.stat()
                signature[path] = (status.st_mtime_ns, status.st_size)
        return signature
