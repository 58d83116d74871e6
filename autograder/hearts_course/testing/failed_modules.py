"""Tell in a result which modules of the program cannot be imported, and why."""

from collections.abc import Mapping
from dataclasses import replace

from hearts_course.course import Course, Stage
from hearts_course.results import Outcome, Result, SourcePosition
from hearts_course.sandbox.answers import RemoteError
from hearts_course.sandbox.imports import (
    NO_MODULE,
    WITHOUT_PACKAGES,
    describe_failed_import,
)
from hearts_course.text import safe_line

REST_TESTED = "the rest was tested"
NOTHING_TESTED = "so nothing was tested"


def with_failed_modules(result: Result, failed: Mapping[str, RemoteError], stage: Stage) -> Result:
    """Return the result with a message on the failed modules.

    `where` of the result becomes the line of the first error. If no module failed, return the
    result as it is.
    """
    if not failed:
        return result
    said = safe_line(_describe(result, failed, stage))
    where = SourcePosition.of(next(iter(failed.values())).where)
    return replace(result, message="; ".join(filter(None, (said, result.message))), where=where)


def _describe(result: Result, failed: Mapping[str, RemoteError], stage: Stage) -> str:
    """Return a line that says which modules cannot be imported, why, and whether tests ran."""
    lines = [
        describe_failed_import(error, stage.limits, _alone(error, stage) or WITHOUT_PACKAGES)
        for error in failed.values()
    ]
    is_tested = any(test.outcome is not Outcome.NOT_REACHED for test in result.tests)
    lines.append(REST_TESTED if is_tested else NOTHING_TESTED)
    return "; ".join(dict.fromkeys(lines))


def _alone(error: RemoteError, stage: Stage) -> str:
    """Return why a clinic's program cannot import a module of the course.

    Return "" for any other error.
    """
    missing = NO_MODULE.search(error.text)
    if not (stage.clinic and missing):
        return ""
    course = Course(stage.root)
    if not any(missing[1] in other.modules for other in course.stages):
        return ""
    clinic_module = stage.modules[0]
    return f"this check runs the clinic's program alone: import from {clinic_module}"
