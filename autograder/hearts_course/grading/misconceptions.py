"""Which tests a known misconception fails, and which misconception a result looks like.

Every chaff of a stage has been graded beforehand; what it failed is in `patterns.json`, beside
`chaffs.toml`, made by `hearts build --patterns` and proved by `hearts verify`. So a result costs a
comparison of sets, and no grading.

Pattern         a misconception: its name, its task, the tests that fail, by task
Match        a task of a result that fails like some misconceptions, by their names
load_patterns   the stage's patterns
likenesses      those of a result, by task
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hearts_course.course import Stage, Task
from hearts_course.results import Outcome, Result, TaskResult

FILE = "patterns.json"
LEAST_ALIKE = 0.8  # of the tests that either fails, both do
LEAST_TESTS = 4  # that fail, before something less than the same set counts
MOST_NAMES = 2  # what still more misconceptions share tells none of them


@dataclass(frozen=True)
class Pattern:
    """A misconception, and the tests that fail because of it: in its task, and in later ones."""

    name: str
    task: str
    fails: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Match:
    """A task fails exactly like these misconceptions, or more like them than any other does."""

    task: str
    names: tuple[str, ...]
    exact: bool

    @property
    def tells(self) -> bool:
        """Whether so few fail like this that it says something to the student."""
        return len(self.names) <= MOST_NAMES


def load_patterns(stage: Stage) -> tuple[Pattern, ...]:
    """The stage's patterns; none where there is no such file, or none that can be read."""
    try:
        data = json.loads(path_of(stage).read_text(encoding="utf-8"))
        return tuple(_pattern(name, entry) for name, entry in data.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ()


def path_of(stage: Stage) -> Path:
    """Where they are kept."""
    return stage.autograder / FILE


def pattern_of(name: str, task: str, result: Result) -> Pattern:
    """The pattern of a misconception whose program has this result."""
    failed = {scored.task: failing(scored) for scored in result.tasks}
    return Pattern(name, task, {task: tests for task, tests in failed.items() if tests})


def as_text(patterns: Iterable[Pattern]) -> str:
    """The content of the file: by name its task and, by task and test function, which cases."""
    entries = []
    for pattern in patterns:
        fails = {task: _folded(tests) for task, tests in pattern.fails.items()}
        entry = json.dumps({"task": pattern.task, "fails": fails})
        entries.append(f" {json.dumps(pattern.name)}: {entry}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def likenesses(result: Result, stage: Stage, patterns: Iterable[Pattern]) -> dict[str, Match]:
    """What each task of a result looks like, by task; tasks that look like nothing known are out.

    A task tells nothing if it passes, if all its tests fail, or if it fails just as it must because
    of a misconception found in an earlier one. Unless it fails just the same tests, it also tells
    nothing if a task that it builds on does not pass: it may fail because of that.
    """
    by_task: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        by_task.setdefault(pattern.task, []).append(pattern)
    found: dict[str, Match] = {}
    met: list[Pattern] = []
    for scored in result.tasks:
        failed = failing(scored)
        if not failed or len(failed) == len(scored.tests) or _is_echo(scored.task, failed, met):
            continue
        alike, exact = _most_alike(failed, scored.task, by_task.get(scored.task, ()))
        if alike and (exact or _ground_holds(stage.task(scored.task), result)):
            names = tuple(pattern.name for pattern in alike)
            found[scored.task] = Match(scored.task, names, exact)
            met += alike
    return found


def failing(scored: TaskResult) -> frozenset[str]:
    """The tests of a task that do not pass; none if one of them was not reached."""
    if any(test.outcome is Outcome.NOT_REACHED for test in scored.tests):
        return frozenset()
    return frozenset(test.name for test in scored.tests if test.outcome is not Outcome.PASSED)


def _ground_holds(task: Task, result: Result) -> bool:
    ground = [scored for scored in result.tasks if scored.task in task.builds_on]
    return all(scored.score == scored.max_score for scored in ground)


def _is_echo(task: str, failed: frozenset[str], met: Iterable[Pattern]) -> bool:
    return any(pattern.fails.get(task) == failed for pattern in met)


def _most_alike(
    failed: frozenset[str], task: str, patterns: Iterable[Pattern]
) -> tuple[list[Pattern], bool]:
    """Those that fail the same tests; else those that come closest, if that is close enough."""
    if same := [pattern for pattern in patterns if pattern.fails.get(task) == failed]:
        return same, True
    shares = [
        (_share(failed, pattern.fails.get(task, frozenset())), pattern) for pattern in patterns
    ]
    best = max((share for share, _ in shares), default=0.0)
    if best < LEAST_ALIKE or len(failed) < LEAST_TESTS:
        return [], False
    return [pattern for share, pattern in shares if share == best], False


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    """Of the tests that are in either set, the share of those that are in both."""
    return len(one & other) / len(one | other) if one or other else 0.0


def _folded(tests: Iterable[str]) -> dict[str, list[int]]:
    """`test_x[1]` and `test_x[3]` as `test_x: [1, 3]`; a test without cases as an empty list."""
    found: dict[str, list[int]] = {}
    for test in sorted(tests):
        name, _, case = test.rstrip("]").partition("[")
        found.setdefault(name, []).extend([int(case)] if case else [])
    return {name: sorted(cases) for name, cases in found.items()}


def _pattern(name: str, entry: Mapping[str, Any]) -> Pattern:
    fails = {
        task: frozenset(
            test
            for function, cases in tests.items()
            for test in ([f"{function}[{case}]" for case in cases] or [function])
        )
        for task, tests in entry["fails"].items()
    }
    return Pattern(name, entry["task"], fails)
