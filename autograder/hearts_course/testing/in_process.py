"""The visible checks without a sandbox, for students on their own machine.

Neither way needs `fork`: a file is tested in one child process, and in this process what has none:
a notebook's objects, and every program in a browser.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hearts_course.course import Stage
from hearts_course.results import Result, SourcePosition, score_stage
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.submission_process import describe_failed_import
from hearts_course.testing.here import WITHOUT_SANDBOX, ProgramHere, start_program
from hearts_course.testing.job import Job, Program, Unreachable
from hearts_course.testing.runner import SuiteRunner, run_once


def check_program(
    stage: Stage,
    modules: Mapping[str, str],
    *,
    tasks: Sequence[str] = (),
    runner: SuiteRunner | None = None,
) -> Result:
    """Return the visible tests' result, all or those of tasks, for source texts by module name.

    `runner` has the tests collected already. Raise SuiteError if the stage's own tests cannot be
    run.
    """
    with start_program(modules, stage.limits) as program:
        try:
            program.load()
        except (RemoteError, SubmissionStopped) as error:
            verdict = describe_failed_import(error, stage.limits)
            where = SourcePosition.of(error.where) if isinstance(error, RemoteError) else None
            result = _check(stage, Unreachable(verdict), tasks, verdict, runner=runner)
            return replace(result, where=where)
        return _check(stage, program, tasks, runner=runner)


def check_namespace(
    stage: Stage, namespace: Mapping[str, Any], *, task: str | None = None, hidden: bool = False
) -> Result:
    """Return the visible tests' result for live objects, such as those of a notebook.

    Tests that run or read a file are not reached and so do not pass. `hidden` adds the hidden
    tests, where they are installed. Raise SuiteError if the stage's own tests cannot be run.
    """
    tests = (*stage.visible_tests, *(stage.hidden_tests if hidden else ()))
    live = dict.fromkeys(stage.modules, SimpleNamespace(**namespace))
    program = ProgramHere(stage.limits, {}, live)
    return _check(stage, program, [task] if task else (), tests=tests)


def _check(
    stage: Stage,
    program: Program,
    tasks: Sequence[str],
    message: str = "",
    tests: tuple[Path, ...] = (),
    runner: SuiteRunner | None = None,
) -> Result:
    job = Job(program, tasks=tasks or None, seconds=stage.limits.submission_seconds)
    run = runner.run(job) if runner else run_once(stage, job, tests or stage.visible_tests)
    return score_stage(
        stage, "", run.tests, sandbox=WITHOUT_SANDBOX, message=message, skipped=run.skipped
    )
