"""Results as Classroom 50's `result.json`, which `hearts result` and `hearts export` write.

The schema of that file is classroom50/result/v1. Scores must be whole numbers, and each task is a
test.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from hearts_course.results import Result


@dataclass(frozen=True)
class Provenance:
    """What a result was made from: class, assignment, student, submission, and links to them.

    Without GitHub, most fields can only hold the digest of the program that was checked.
    """

    classroom: str
    assignment: str
    owner: str
    submission: str
    commit: str
    release: str
    review: str
    when: str

    @classmethod
    def of_digest(cls, assignment: str, owner: str, digest: str, when: str) -> "Provenance":
        """Return the provenance of a submission of which only the digest is known."""
        urn = f"urn:sha256:{digest}"
        return cls("hearts", assignment, owner, f"submit/{digest[:12]}", urn, urn, urn, when)

    def with_environment(self, environment: Mapping[str, str]) -> "Provenance":
        """Return the provenance with values from Classroom 50's and GitHub's environment variables.

        Variables of Classroom 50 win over variables of GitHub. A field for which there is no
        variable stays as it is.
        """
        value_of = environment.get
        github = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
        server, repository, sha = (value_of(name, "") for name in github)
        commit = self.commit
        submission = self.submission
        if sha:
            submission = f"submit/{sha[:12]}"
        if repository and sha:
            commit = f"{server}/{repository}/commit/{sha}"
        commit = value_of("COMMIT_URL") or commit
        owner = value_of("OWNER") or value_of("USERNAME") or value_of("GITHUB_ACTOR")
        return Provenance(
            classroom=value_of("CLASSROOM") or self.classroom,
            assignment=value_of("ASSIGNMENT") or self.assignment,
            owner=owner or self.owner,
            submission=value_of("SUBMISSION_TAG") or submission,
            commit=commit,
            release=value_of("RELEASE_URL") or commit,
            review=value_of("REVIEW_URL") or commit,
            when=self.when,
        )


def classroom50(results: Sequence[Result], origin: Provenance) -> str:
    """Return Classroom 50's `result.json` for one student's results, one result per stage.

    Each task is a test, which passes if the task has all its points. Scores are rounded to whole
    numbers. A stage's tasks keep their order, so they have the same numbers as in the brief.
    """
    several = len(results) > 1
    tests: list[dict[str, Any]] = []
    for result in results:
        tests += _classroom50_tests(result, several=several)
    return as_json(
        {
            "schema": "classroom50/result/v1",
            "classroom": origin.classroom,
            "assignment": origin.assignment,
            "assignment_type": "individual",
            "owner": origin.owner,
            "usernames": [origin.owner],
            "submission": origin.submission,
            "commit": origin.commit,
            "release": origin.release,
            "review": origin.review,
            "datetime": origin.when,
            "score": sum(test["score"] for test in tests),
            "max-score": sum(test["max-score"] for test in tests),
            "tests": tests,
        }
    )


def _classroom50_tests(result: Result, *, several: bool) -> Iterator[dict[str, Any]]:
    """Yield a test for each task; with `several` stages, a test's name begins with its stage."""
    scores = whole_scores([task.score for task in result.tasks], result.score)
    stage = ""
    if several:
        stage = f"{result.stage}: "
    for number, (task, score) in enumerate(zip(result.tasks, scores, strict=True), start=1):
        yield {
            "test-name": f"{stage}{number}. {task.title}",
            "passed": task.score == task.max_score,
            "score": score,
            "max-score": task.max_score,
        }


def whole_scores(scores: Sequence[float], total: float) -> list[int]:
    """Return the scores as whole numbers that add up to the rounded total.

    The scores with the largest fractions are rounded up.
    """
    rounded = [floor(score) for score in scores]
    missing = floor(total + 0.5) - sum(rounded)
    by_fraction = sorted(range(len(scores)), key=lambda i: rounded[i] - scores[i])
    for i in by_fraction[: max(missing, 0)]:
        rounded[i] += 1
    return rounded


def as_json(data: Mapping[str, Any]) -> str:
    """Return the data as JSON, without escapes for letters such as `é`."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
