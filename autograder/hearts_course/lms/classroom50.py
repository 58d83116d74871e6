"""Classroom 50's `result.json`, of the schema `classroom50/result/v1`.

Its scores are whole numbers. A task's is rounded so that those of all tasks add up to the rounded
score of the stage.

Run           what the document says of the run that it comes from
run_in        that of a run in Classroom 50's runner
classroom50   the document of a result
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from hearts_course.results import Result

SCHEMA = "classroom50/result/v1"
CLASSROOM = "hearts"


@dataclass(frozen=True)
class Provenance:
    """Of what class and assignment, when, whose, and where it can be looked at."""

    classroom: str
    assignment: str
    owner: str
    submission: str
    commit: str
    release: str
    review: str
    when: str


def run_of(result: Result, digest: str, when: str) -> Provenance:
    """What can be said of a result that was graded here: its submission by what it holds."""
    what = f"urn:sha256:{digest}"
    return Provenance(
        CLASSROOM, result.stage, result.student, f"submit/{digest[:12]}", what, what, what, when
    )


def run_in(environment: Mapping[str, str], run: Provenance) -> Provenance:
    """The same, unless variables of GitHub's, or of Classroom 50's runner, say otherwise."""
    told = environment.get
    commit = told("COMMIT_URL") or _commit_on_github(environment) or run.commit
    sha = told("GITHUB_SHA")
    return Provenance(
        told("CLASSROOM") or run.classroom,
        told("ASSIGNMENT") or run.assignment,
        told("OWNER") or told("USERNAME") or told("GITHUB_ACTOR") or run.owner,
        told("SUBMISSION_TAG") or (f"submit/{sha[:12]}" if sha else run.submission),
        commit,
        told("RELEASE_URL") or commit,
        told("REVIEW_URL") or commit,
        run.when,
    )


def _commit_on_github(environment: Mapping[str, str]) -> str:
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
    server, repository, sha = (environment.get(name, "") for name in names)
    return f"{server}/{repository}/commit/{sha}" if repository and sha else ""


def classroom50(results: Sequence[Result], run: Provenance) -> str:
    """The document of one stage's result, or of several's together.

    Each task is a test, passed if it has all its points.
    """
    tests = [test for result in results for test in _tests(result, several=len(results) > 1)]
    data = {
        "schema": SCHEMA,
        "classroom": run.classroom,
        "assignment": run.assignment,
        "assignment_type": "individual",
        "owner": run.owner,
        "usernames": [run.owner],
        "submission": run.submission,
        "commit": run.commit,
        "release": run.release,
        "review": run.review,
        "datetime": run.when,
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _tests(result: Result, *, several: bool) -> Iterator[dict[str, Any]]:
    shares = whole_scores([task.score for task in result.tasks], result.score)
    stage = f"{result.stage}: " if several else ""
    for number, (task, share) in enumerate(zip(result.tasks, shares, strict=True), start=1):
        yield {
            "test-name": f"{stage}{number}. {task.title}",
            "passed": task.score == task.max_score,
            "score": share,
            "max-score": task.max_score,
        }


def whole_scores(scores: list[float], total: float) -> list[int]:
    """The scores as whole numbers that add up to the rounded total: the largest rests go up."""
    down = [floor(score) for score in scores]
    missing = floor(total + 0.5) - sum(down)
    by_rest = sorted(range(len(scores)), key=lambda i: down[i] - scores[i])
    for i in by_rest[: max(missing, 0)]:
        down[i] += 1
    return down
