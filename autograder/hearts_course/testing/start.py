"""Start a program for its checks: in its own process, or in a browser within this process."""

import sys
from collections.abc import Mapping

from hearts_course.course import Limits
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.script import CAN_FORK
from hearts_course.testing.here import ProgramHere
from hearts_course.testing.job import StartedProgram

WITHOUT_SANDBOX = "none"
HAS_PROCESSES = sys.platform != "emscripten"


def start_program(
    modules: Mapping[str, str], limits: Limits, *, fork: bool = False
) -> StartedProgram:
    """Return the program in its own process, without a sandbox. In a browser, use this process.

    With `fork`, each `begin` of the program starts a new process if the system can fork.
    """
    if HAS_PROCESSES:
        return SubmissionProcess(modules, limits, WITHOUT_SANDBOX, fork=fork and CAN_FORK)
    return ProgramHere(limits, modules)
