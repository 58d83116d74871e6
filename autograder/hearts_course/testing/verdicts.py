"""Verdicts: what a student reads about a test that has run, with the place of the error.

A near example is code that a student may try when a hidden test fails.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError
from hearts_course.python_source import UNPARSABLE, functions_that_may_give_none
from hearts_course.results import Outcome, SourcePosition, TestResult
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.testing.job import Loop, Program
from hearts_course.testing.outcomes import TestOutcome, classify
from hearts_course.testing.places import (
    CALLED_FROM,
    REACHED_FROM,
    ErrorPlace,
    StudentLines,
    function_at,
    loop_place,
    task_at,
    task_of_module,
)
from hearts_course.testing.stubs import stub_shown
from hearts_course.testing.tests import Test


class Verdicts:
    """Turns the outcomes of a stage's tests into the results that students read."""

    def __init__(self, stage: Stage) -> None:
        """Look up the stages that this one builds on, because errors may come from their files."""
        self._stage = stage
        self._earlier = Course(stage.root).prerequisites(stage)
        self._student_lines = StudentLines(stage)

    def result_of(
        self, test: Test, outcome: TestOutcome, program: Program, *, example: str = ""
    ) -> TestResult:
        """Return the test's result, with the place of the error and the task of that place.

        `example` is the test's near example that fails on the program, "" if none does.
        """
        ends_in = ""  # the task in whose definition the program stopped
        elsewhere = ""  # the file of an earlier stage, if the error was raised there
        error = outcome.error
        sources: Mapping[str, str] = {}
        with suppress(SubmissionStopped):  # a notebook's live objects have no source texts
            sources = program.sources
        if isinstance(error, RemoteError) and not test.hidden:
            outcome = replace(outcome, place=self._student_lines.place_of(error, sources))
            if end := ErrorPlace.last(error):
                ends_in = task_at(end.position, self._stage, sources)
                if end.position.module in sources.keys() - set(self._stage.modules):
                    elsewhere = end.position.file
        if outcome.place:
            task = task_at(outcome.place.position, self._stage, sources)
            if not isinstance(error, RemoteError):  # after a timeout, the place is the loop
                ends_in = task
            if task != test.task:  # then the message also names the task of the place
                place = replace(outcome.place, task=self._named(task))
                if isinstance(error, RemoteError) and place.other is None:
                    place = self._with_caller(place, task, error, sources)
                outcome = replace(outcome, place=place)
        result = classify(
            test,
            outcome,
            example,
            elsewhere=elsewhere,
            in_kernel=_is_live(program),
            may_give_none=lambda: self._may_give_none,
        )
        result = replace(result, ends_in=ends_in)
        if error is not None and not test.hidden:
            result = self._with_stub(result, error, elsewhere)
        return result

    def not_imported(self, test: Test, outcome: TestOutcome, program: Program) -> TestResult | None:
        """Return the result of a test that met the failed import of a file; None for other tests.

        The result of the whole stage says why the file cannot be imported. The test is not reached,
        because its task is not at fault. If only one task is written in the file, the result names
        this task.
        """
        name = _failed_module(outcome.error, program)
        if not name:
            return None
        file = f"{name}.py"
        if task := task_of_module(name, self._stage):
            file = f"{file} (task {self._stage.number(self._stage.task(task))})"
        return test.result(Outcome.NOT_REACHED, f"{file} cannot be imported")

    @cached_property
    def _may_give_none(self) -> frozenset[str]:
        """The functions and methods whose annotation in a starter says that they may give None."""
        names: set[str] = set()
        for stage in (*self._earlier, self._stage):
            with suppress(CourseError, *UNPARSABLE):
                for text in stage.starter().values():
                    names |= functions_that_may_give_none(text)
        return frozenset(names)

    def _with_caller(
        self, place: ErrorPlace, task: str, error: RemoteError, sources: Mapping[str, str]
    ) -> ErrorPlace:
        """Return the place. If a line outside of this task led to it, add the last such line.

        A method may be right to refuse a value. Then the line that passed the value is the cause.
        """
        calls = [SourcePosition(file, line) for file, line in error.calls]
        for called, caller in reversed([*zip(calls[1:], calls[:-1], strict=True)]):
            if caller.module not in self._stage.modules:
                continue
            if task_at(caller, self._stage, sources) != task:
                relation = CALLED_FROM if called == place.position else REACHED_FROM
                return replace(place, relation=relation, other=caller)
        return place

    def _named(self, name: str) -> str:
        """Return the number and title of the task with this id, "" if there is none."""
        task = next((task for task in self._stage.tasks if task.id == name), None)
        return f"{self._stage.number(task)} ({task.title})" if task else ""

    def _with_stub(self, result: TestResult, error: BaseException, elsewhere: str) -> TestResult:
        """Return the result with the stub (an unwritten definition) that the test has met, if any.

        A script or a student's own test shows its stub only in the message. If the error
        comes from a file of an earlier stage, `elsewhere` names that file. A stub in that file
        makes the earlier stage unfinished.
        """
        # If the stub's message names no task, take the task in which the program stopped.
        if result.stub == 0 and result.ends_in:
            task = self._stage.task(result.ends_in)
            return replace(result, stub=self._stage.number(task))
        if result.stub is not None:
            return result
        if elsewhere:
            if isinstance(error, NotImplementedError):
                names = [stage.name for stage in self._earlier if elsewhere in stage.files]
                result = replace(result, unfinished="".join(names))
            return result
        stub = stub_shown(result.message, (self._stage, *self._earlier))
        if stub is None:
            return result
        if stub.stage is self._stage:
            return replace(result, stub=stub.number)
        return replace(result, unfinished=stub.stage.name)


def loop_of(test: Test, error: BaseException | None, program: Program) -> ErrorPlace | None:
    """Return where the program looped when a visible test took too long, None if unknown."""
    if test.hidden or not isinstance(error, SubmissionStopped) or not error.calls:
        return None
    return loop_place(error.calls, program.sources)


def looping_function(place: ErrorPlace | None, program: Program) -> Loop | None:
    """Return the function around the place where the program loops, None if it is unknown."""
    if place and (name := function_at(place.position, program.sources)):
        return Loop(name, place.position)
    return None


def _failed_module(error: BaseException | None, program: Program) -> str:
    """Return the module whose failed import raised this error; "" for any other error."""
    if isinstance(error, RemoteError):
        for name, failed in program.failed.items():
            if (error.kind, error.text, error.where) == (failed.kind, failed.text, failed.where):
                return name
    return ""


def _is_live(program: Program) -> bool:
    """Return whether the program is a notebook's live objects, which have no source texts."""
    try:
        return not program.sources
    except SubmissionStopped:
        return True
