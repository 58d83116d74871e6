"""Grade a stage's correct programs: `python -m full_points SANDBOX STAGE`.

The script prints a line for each task in which the reference or an alternative loses points. It
runs as a separate process, because it acts like a process 1 that reaps nothing: each process that a
sandbox leaves behind becomes a child of the script, and stays as a zombie when it is dead.
"""

import sys
from dataclasses import replace

from hearts_course.course import find_course
from hearts_course.results import Status
from hearts_course.sandbox.worker import kernel
from hearts_grader.authoring.trials import REFERENCE, TRIALS
from hearts_grader.grading.grade import grade_one

ALTERNATIVES = "correct programs written differently score full"


def main(sandbox, name):
    """Print what each correct program of the stage loses in this sandbox."""
    kernel.adopt_orphans()
    stage = find_course().stage(name)
    as_files, _as_notebook = TRIALS[REFERENCE](stage)  # the other trial grades the same program
    for number, trial in enumerate([as_files, *TRIALS[ALTERNATIVES](stage)]):
        result = grade_one(replace(trial.job(stage, number), sandbox=sandbox))
        lines = trial.problems(result)
        if result.status is not Status.GRADED:
            lines = [f"cannot be graded: {result.message}"]
        for line in lines:
            print(f"{trial.name} {line}")


if __name__ == "__main__":
    main(*sys.argv[1:])
