"""Gradescope's `results.json`, as an autograder writes it to `/autograder/results/`.

gradescope   its text
"""

import json
from typing import Any

from hearts_course.course import Stage
from hearts_course.lms.topic_lines import TopicResult, lines_of, verdict
from hearts_course.results import Result


def gradescope(result: Result, stage: Stage, notes: tuple[str, ...] = ()) -> str:
    """The document; `notes` are for the instructor.

    All is visible to the student: a hidden test is in it by its topic only. To hide these lines as
    well would make Gradescope hide the score.
    """
    data: dict[str, Any] = {
        "score": result.score,
        "output": verdict(result, stage),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(line) for line in lines_of(result)],
        "extra_data": {
            "student": result.student,
            "stage": result.stage,
            "status": result.status.value,
            "max_score": result.max_score,
            "sandbox": result.sandbox,
            "notes": list(notes),
        },
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _test(line: TopicResult) -> dict[str, Any]:
    return {
        "name": f"{line.title}: {line.topic}",
        "number": line.number,
        "score": line.score,
        "max_score": line.most,
        "status": "passed" if line.passed else "failed",
        "output": line.output,
        "visibility": "visible",
        "tags": ["hidden" if line.hidden else "visible", line.task],
    }
