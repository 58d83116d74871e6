"""Run checks without a sandbox, for students on their own machine.

The tests of a program in files share one child process. Where the system can fork, a test that
fails there runs again in its own process. A notebook's objects, and every program in a browser, are
tested in this process. The checks also work where the system cannot fork.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.results import Result, SourcePosition, score_stage
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.imports import describe_failed_import
from hearts_course.testing.failed_modules import with_failed_modules
from hearts_course.testing.here import ProgramHere
from hearts_course.testing.job import Job, Program, Unreachable
from hearts_course.testing.runner import SuiteRunner
from hearts_course.testing.start import WITHOUT_SANDBOX, start_program


def check_program(
    stage: Stage,
    modules: Mapping[str, str],
    *,
    tasks: Sequence[str] = (),
    hidden: bool = False,
    apart: bool = False,
    runner: SuiteRunner | None = None,
    waiting: Callable[[], None] | None = None,
) -> Result:
    """Run the visible tests on a program, and return the result.

    `modules` maps the names of the program's modules to their source texts. With `tasks`, run only
    the tests of these tasks. `hidden` adds the hidden tests. With `hidden` or `apart`, the tests
    run in forked processes if the system can fork. That is quicker if many tests fail. A `runner`
    that has already collected the tests saves time.

    If the program has its own process, `waiting` is called before each test, and repeatedly while
    the program takes long to answer. Raise UsageError if hidden tests are not installed, and
    SuiteError if the stage's own tests cannot be run.
    """
    tests = _tests(stage, hidden=hidden)
    with (
        nullcontext(runner) if runner else closing(SuiteRunner(stage, tests, tasks)) as suite,
        start_program(modules, stage.limits, fork=hidden or apart) as program,
    ):
        program.waiting = waiting
        program.prepare()
        suite.collect()  # the process starts meanwhile
        try:
            program.load(stage.modules)
        except (RemoteError, SubmissionStopped) as error:
            verdict = describe_failed_import(error, stage.limits)
            if isinstance(error, RemoteError):
                where = SourcePosition.of(error.where)
            else:
                where = SourcePosition(*error.calls[-1]) if error.calls else None
            result = _check(stage, Unreachable(verdict), tasks, suite, verdict)
            return replace(result, where=where)
        result = _check(stage, program, tasks, suite, hidden=hidden)
        return with_failed_modules(result, program.failed, stage)


def check_namespace(
    stage: Stage, namespace: Mapping[str, Any], *, task: str | None = None, hidden: bool = False
) -> Result:
    """Run the visible tests on live objects, such as those of a notebook, and return the result.

    With `task`, run only the tests of that task. `hidden` adds the hidden tests. A test that
    reads a file, or runs the program as a script, gets the outcome NOT_REACHED, which is not a
    pass. Raise UsageError if the hidden tests are not installed, and SuiteError if the stage's own
    tests cannot be run.
    """
    tests = _tests(stage, hidden=hidden)
    tasks = [task] if task else ()
    live = dict.fromkeys(stage.modules, SimpleNamespace(**namespace))
    with closing(SuiteRunner(stage, tests, tasks)) as suite:
        return _check(stage, ProgramHere(stage.limits, {}, live), tasks, suite, hidden=hidden)


def _tests(stage: Stage, *, hidden: bool) -> tuple[Path, ...]:
    if hidden and not stage.hidden_tests:
        raise UsageError(f"{stage.name}: its hidden checks are not installed here")
    return (*stage.visible_tests, *(stage.hidden_tests if hidden else ()))


def _check(
    stage: Stage,
    program: Program,
    tasks: Sequence[str],
    suite: SuiteRunner,
    message: str = "",
    *,
    hidden: bool = False,
) -> Result:
    seconds = stage.limits.submission_seconds
    job = Job(program, tasks=tasks or None, seconds=seconds, quick=not hidden)
    run = suite.run(job)
    return score_stage(
        stage, "", run.tests, sandbox=WITHOUT_SANDBOX, message=message, skipped=run.skipped
    )
