"""The tests that fail because of a known misconception, and the causes of a result's failures.

A chaff is the reference with one misconception. `hearts build --patterns` grades the chaffs and
finds the tests that each chaff fails. It writes these tests into the file `patterns.json`, which
lies beside `chaffs.toml`. Each entry of this file is a pattern. `hearts verify` checks the file. A
misconception is found in a student's program by comparing the program's result with the patterns;
no test is run again. Students get the visible part of the file, called `mistakes.json`.

A stub is a definition that is still unwritten, as in the starter. A task's blanks are the
definitions that the starter leaves unwritten. A task is below another task if the other task builds
on it. A clinic is a stage whose starter is a program with a mistake to find.
"""

import ast
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import filterfalse
from pathlib import Path
from typing import Any
from zlib import crc32

from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.files import read_json
from hearts_course.results import Outcome, Result, TaskResult, TestResult
from hearts_course.testing.endings import says_how_it_ends

FILE = "patterns.json"  # a file of each stage, beside the stage's chaffs
# Matches the lines of a message that say what the program answered. A line about an error matches
# only up to the error's name.
FACTS = re.compile(
    r"^  raised\s+\w+"  # the name of an error, without the error's text
    # In a clinic, this line says that a student's own test failed before it called the program. The
    # file and the line of the test come later in the line, and are not part of the match.
    r"|^  came back\s+(?:on [^:\n]*: )?fails without asking their program anything"
    # The line may also say that the test itself, or the repair, raised an error on one of the
    # clinic's programs.
    r"|^  came back\s+(?:on [^:\n]*: [^:\n]*; )?(?:on [^:\n]*: )?"
    r"raises (?:the same \w+|\w+ (?:itself|in)\b)"
    # All other lines about the answer match. These lines do not: the place of an error, its text, a
    # note that something was printed, and a note on what `<Coin>` stands for.
    r"|^  (?!<|in |which |called |reached |raised |its message |your program printed )\S.*"
    r"|^(?:not written|your program) .*",
    re.M,
)
# Matches the place of an error. The hash of an answer leaves the place out: if a program fails in a
# game with shuffled cards, the place is a matter of chance.
WHERE = re.compile(r"""line \d+, (['"]).*?\1: """)
CAME_BACK = re.compile(r"^  came back\s+(.*)", re.M)
TOLD_OF_TESTS = re.compile(r"^  (?:came back|found)\s+(.*)", re.M)
RAISED = re.compile(r"^  raised\s+(.*)", re.M)
ERROR_OF_SCRIPT = re.compile(r"^  came back\s+the error (.*), and exit status \d+", re.M)
# Errors that show a mistake in the code: programs seldom raise them on purpose.
RAISED_BY_PYTHON = frozenset(
    {
        *("AttributeError", "ImportError", "IndexError", "KeyError", "ModuleNotFoundError"),
        *("NameError", "RecursionError", "TypeError", "UnboundLocalError", "ZeroDivisionError"),
    }
)
MIN_RULES = 2  # if only hidden checks fail, a mistake is named only if this many rules fail
MAX_NAMES = 2  # name at most this many misconceptions; if more fit a task, none is likely


@dataclass(frozen=True)
class Pattern:
    """A misconception, and the tests that fail because of it.

    `task` is the task with the misconception. `fails` maps task ids to failing tests, because
    tests of later tasks may fail as well. `answers` maps each visible test that fails to a hash of
    what the program answers.
    """

    name: str
    task: str
    fails: Mapping[str, frozenset[str]]
    answers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Match:
    """The misconceptions whose programs fail a task in the same way as the student's program.

    If more than MAX_NAMES misconceptions match, none is likely, and the student is told none.
    """

    task: str
    names: tuple[str, ...]

    @property
    def tells(self) -> bool:
        """Whether the student is told the names: not if too many misconceptions match."""
        return len(self.names) <= MAX_NAMES


@dataclass(frozen=True)
class Diagnosis:
    """Where each task's failures come from: from a misconception, or from other tasks.

    matches      the misconceptions that fit the task's failures
    follows      the tasks from which all failures of the task were shown to come
    may_follow   the tasks from which failures of the task may come
    apart        failing tests with an unknown cause, of a task whose other failures are explained
    waits        the tasks whose visible failures all come from stubs of other tasks
    unfinished   the earlier stages whose stubs the task's tests call
    """

    matches: dict[str, Match]
    follows: dict[str, tuple[str, ...]]
    may_follow: dict[str, tuple[str, ...]] = field(default_factory=dict)
    apart: dict[str, frozenset[str]] = field(default_factory=dict)
    waits: set[str] = field(default_factory=set)
    unfinished: dict[str, tuple[str, ...]] = field(default_factory=dict)


def load_patterns(stage: Stage, *, visible: bool = False) -> tuple[Pattern, ...]:
    """Return the stage's patterns; with `visible`, only the part that students get.

    If the file of patterns cannot be read, return (). A result without patterns is still a result,
    so a broken file must not stop a check.
    """
    try:
        path = patterns_path(stage)
        if visible:
            path = stage.mistakes
        data = read_json(path)
        return tuple(_pattern(name, entry) for name, entry in data.items())
    except (CourseError, ValueError, KeyError, TypeError, AttributeError):
        return ()


def patterns_path(stage: Stage) -> Path:
    """Return the file of the stage's patterns."""
    return stage.autograder / FILE


def visible_part(stage: Stage, patterns: Iterable[Pattern]) -> Iterator[Pattern]:
    """Yield each pattern that fails a visible test of its own task, without its hidden tests.

    Students get these patterns, so nothing in them may reveal a hidden test.
    """
    files = {path.name for path in stage.visible_tests}
    for pattern in patterns:
        seen: dict[str, frozenset[str]] = {}
        for task, tests in pattern.fails.items():
            if visible := frozenset(test for test in tests if test.partition("::")[0] in files):
                seen[task] = visible
        if pattern.task in seen:
            yield replace(pattern, fails=seen)


def pattern_of(name: str, task: str, result: Result) -> Pattern:
    """Return the pattern of a misconception whose program has this result."""
    fails: dict[str, frozenset[str]] = {}
    hashes: dict[str, str] = {}
    for scored in result.tasks:
        if failed := failing(scored):
            fails[scored.task] = failed
            hashes |= answers(scored)
    return Pattern(name, task, fails, hashes)


def patterns_text(patterns: Iterable[Pattern]) -> str:
    """Return the content of FILE: each pattern's name, task, failing tests and answers.

    Each pattern is on a line of its own, so a diff of two versions shows which patterns changed.
    """
    entries = []
    for pattern in patterns:
        fails = {task: _folded(tests) for task, tests in pattern.fails.items()}
        entry: dict[str, Any] = {"task": pattern.task, "fails": fails}
        if pattern.answers:
            entry["answers"] = dict(pattern.answers)
        entries.append(f" {json.dumps(pattern.name)}: {json.dumps(entry)}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def diagnose(result: Result, stage: Stage, patterns: Iterable[Pattern]) -> Diagnosis:
    """Return what the failures of a result come from.

    A task follows from other tasks if these other tasks cause all its failures. For each
    failing task, only the first line of this list counts whose condition is true:

    - If a test of the task calls a stub of an earlier stage, the task is only in `unfinished`.
    - If the task is not written yet, it follows from no other task, but other tasks may follow from
      it.
    - If `_explained` and `_waiting` find another task as the cause of each failure, the task
      follows from these other tasks.
    - If `_likely_causes` finds tasks with mistakes of their own, the task may follow from them.
    - Otherwise the task has a mistake of its own. If every task below it passes, its failures are
      compared with the patterns of known misconceptions.
    """
    by_task = _by_task(patterns)
    below = {task.id: stage.tasks_below(task) for task in stage.tasks}
    passing = {scored.task for scored in result.tasks if scored.tests and _passes(scored)}
    diagnosis = Diagnosis({}, {})
    causes: dict[str, tuple[Pattern, ...]] = {}  # the matches of each task with a mistake
    failing_tasks: list[TaskResult] = []
    for scored in filterfalse(_passes, result.tasks):
        if stages := _unfinished_stages(scored):
            diagnosis.unfinished[scored.task] = stages
        else:
            failing_tasks.append(scored)
    unwritten = {scored.task for scored in failing_tasks if _is_unwritten(scored, stage)}
    causes |= dict.fromkeys(unwritten, ())
    failing_before = [scored for scored in failing_tasks if scored.task in unwritten]
    others = [scored for scored in failing_tasks if scored.task not in unwritten]
    for scored in sorted(others, key=lambda scored: len(below.get(scored.task, ()))):
        task = scored.task
        needed = below.get(task, set())
        failed = failing(scored)
        likely_causes = tuple(
            cause
            for cause in _likely_causes(scored, failing_before, causes, needed)
            if cause not in unwritten or _may_meet_stub(scored, cause, stage)
        )
        # Find the tests of this task that fail because of each other failing task. They are the
        # tests that call a stub of the other task. If the other task is below this one or a likely
        # cause, its mistakes may be the reason for more failures.
        explained: dict[str, frozenset[str]] = {}
        for other in failing_tasks:
            if other.task == task:
                continue
            tests = _waiting(scored, other, stage)
            may_be_cause = other.task in needed.union(likely_causes)
            if may_be_cause and other in failing_before:
                tests |= _explained(scored, other, causes.get(other.task, ()))
            explained[other.task] = tests
        failing_before.append(scored)
        shown = frozenset().union(*explained.values())
        if failed and failed == shown:
            diagnosis.follows[task] = tuple(cause for cause, tests in explained.items() if tests)
            visible = _failing_visible(scored)  # a hidden test does not say which stub it called
            if visible and all(test.stub is not None for test in visible):
                diagnosis.waits.add(task)
        elif likely_causes:
            diagnosis.may_follow[task] = likely_causes
            if shown:
                diagnosis.apart[task] = failed - shown
        else:
            causes[task] = ()
            if passing.issuperset(needed):
                causes[task] = _alike(scored, by_task.get(task, ()))
            if causes[task] and _tells_faults_apart(scored):
                diagnosis.matches[task] = Match(task, tuple(match.name for match in causes[task]))
    return diagnosis


def _failing_visible(scored: TaskResult) -> list[TestResult]:
    """Return the visible tests of a task that were run and do not pass."""
    ends = (Outcome.PASSED, Outcome.NOT_REACHED)
    return [test for test in scored.tests if not test.hidden and test.outcome not in ends]


def _is_unwritten(scored: TaskResult, stage: Stage) -> bool:
    """Return whether visible tests of the task fail, and each calls a stub of the task itself."""
    task = stage.task(scored.task)
    return meet_own_stub(_failing_visible(scored), stage.number(task), blanks=bool(task.blanks))


def meet_own_stub(failed: Collection[TestResult], number: int, *, blanks: bool = True) -> bool:
    """Return whether there are failing tests, and each calls a stub of the task with this number.

    `blanks` says whether the task has definitions to write. If not, the task is about definitions
    of other tasks, and the stubs of those tasks count as its own.
    """
    if not failed:
        return False
    own_stubs = (0, number)  # a stub that names no task has the number 0
    return all(test.stub in own_stubs or (test.stub and not blanks) for test in failed)


def _unfinished_stages(scored: TaskResult) -> tuple[str, ...]:
    """Return the earlier stages whose stubs are called by failing visible tests of the task.

    Other tests of the task, such as the student's own test, may fail for the same reason.
    """
    names = [test.unfinished for test in _failing_visible(scored) if test.unfinished]
    return tuple(dict.fromkeys(names))


def _may_meet_stub(scored: TaskResult, cause: str, stage: Stage) -> bool:
    """Return whether a task may fail because the task `cause` is not written yet.

    If visible tests fail, one of them must call a stub of `cause`. If only hidden tests fail, the
    answer is yes, because hidden tests do not say which stub they called.
    """
    number = stage.number(stage.task(cause))
    visible = _failing_visible(scored)
    return not visible or any(test.stub == number for test in visible)


def _waiting(scored: TaskResult, other: TaskResult, stage: Stage) -> frozenset[str]:
    """Return the visible tests of a task that call a stub of the `other` task."""
    number = stage.number(stage.task(other.task))
    return frozenset(test.name for test in _failing_visible(scored) if test.stub == number)


def _by_task(patterns: Iterable[Pattern]) -> dict[str, list[Pattern]]:
    """Return the patterns, grouped by the task that has the misconception."""
    by_task: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        by_task.setdefault(pattern.task, []).append(pattern)
    return by_task


def _likely_causes(
    scored: TaskResult,
    failing_before: Iterable[TaskResult],
    causes: Mapping[str, Iterable[Pattern]],
    needed: Collection[str],
) -> Iterator[str]:
    """Yield the earlier tasks whose own faults may be the reason why a task fails.

    `causes` maps each task that has its own fault to the patterns that the task matches. `needed`
    are the tasks below the failing task.
    """
    failed = failing(scored)
    for earlier in failing_before:
        if earlier.task not in causes:
            continue  # the failures of `earlier` come from another task
        matched = causes[earlier.task]
        builds_on = earlier.task in needed
        if _may_explain(matched, scored.task, failed, builds_on=builds_on) or _ends_in(
            scored, earlier
        ):
            yield earlier.task


def unknown_ground(result: Result, stage: Stage, patterns: Iterable[Pattern]) -> set[str]:
    """Return the tasks that have to be run before a failing task can match a mistake.

    These are the tasks below a failing task that were not run. The failing task can match a mistake
    only if they pass.
    """
    run = {scored.task for scored in result.tasks if scored.tests}
    # Without `builds_on`, tasks match mistakes as if all tasks below them passed.
    tasks = tuple(replace(task, builds_on=()) for task in stage.tasks)
    without_order = replace(stage, tasks=tasks)
    needed: set[str] = set()
    for task_id in diagnose(result, without_order, patterns).matches:
        needed |= stage.tasks_below(stage.task(task_id))
    return needed - run


def _passes(scored: TaskResult) -> bool:
    """Return whether all tests of the task passed; also True if no test was run."""
    return all(test.outcome is Outcome.PASSED for test in scored.tests)


def failing(scored: TaskResult) -> frozenset[str]:
    """Return the failing tests of a task; an empty set if a test of the task was not reached."""
    if any(test.outcome is Outcome.NOT_REACHED for test in scored.tests):
        return frozenset()
    return frozenset(test.name for test in scored.tests if test.outcome is not Outcome.PASSED)


def answers(scored: TaskResult) -> dict[str, str]:
    """Map each failed visible test to a short hash of what the program answers in it.

    Answers are only compared, so the file of patterns needs the hashes and not the answers.
    """
    hashes: dict[str, str] = {}
    for test in scored.tests:
        if test.outcome is not Outcome.PASSED and not test.hidden:
            hashes[test.name] = _short_hash(_failing_call(test) + "".join(facts(test)))
    return hashes


def _failing_call(test: TestResult) -> str:
    """Return the line of the test that raised an error, "" if the message shows no such line.

    The same error at another line is another fault, although the facts are the same.
    """
    before, raised, _ = test.message.partition("\n  raised ")
    return before.rpartition("\n")[2] if raised else ""


def _short_hash(text: str) -> str:
    """Return a short hash of the text, without the place of an error in it."""
    encoded = WHERE.sub("", text).encode(errors="surrogatepass")  # a program may answer any text
    return f"{crc32(encoded) & 0xFFFF:04x}"


def facts(test: TestResult) -> list[str]:
    """Return the lines of a test's message that say what the program answered."""
    return FACTS.findall(test.message)


def _may_explain(
    matched: Iterable[Pattern], task: str, failed: frozenset[str], *, builds_on: bool
) -> bool:
    """Return whether an earlier task that matched these patterns may explain why `task` fails.

    If `task` builds on the earlier task, one of the patterns must fail some of the `failed` tests.
    Without any pattern, the fault is unknown and may explain every failure. If `task` does not
    build on the earlier task, one of the patterns must fail all of the `failed` tests.
    """
    shared = [pattern.fails.get(task, frozenset()) & failed for pattern in matched]
    if builds_on:
        return not shared or any(shared)
    return any(tests and tests == failed for tests in shared)


def _ends_in(scored: TaskResult, earlier: TaskResult) -> bool:
    """Return whether a failing test of the task stops in a definition of the earlier task.

    A test that stops elsewhere also counts, if a test of the earlier task stops at the same line.
    """
    lines = {test.where for test in earlier.tests if test.where}
    return any(test.ends_in == earlier.task or test.where in lines for test in scored.tests)


def _explained(
    scored: TaskResult, earlier: TaskResult, matched: Iterable[Pattern]
) -> frozenset[str]:
    """Return which failing tests of a task are shown to fail because of an earlier task's fault.

    There are three ways to show this for a test:

    - The test and a test of the earlier task stop at the same line of the earlier task. If only the
      first test stopped there, the line might be right to raise an error for its input.
    - The test and a test of the earlier task stop with the same error of Python, such as an
      undefined name.
    - The earlier task matches some known mistakes. With each of these mistakes, a program fails the
      test and gives the same answer as the student's program.
    """
    stops = {test.where for test in earlier.tests if test.ends_in == earlier.task and test.where}
    slips = {_slip(test) for test in earlier.tests}
    stopped: set[str] = set()
    for test in scored.tests:
        slip = _slip(test)
        same_slip = slip != "" and slip in slips
        if (test.where in stops or same_slip) and test.outcome is not Outcome.PASSED:
            stopped.add(test.name)
    failed = failing(scored)
    answered = answers(scored)
    foreseen: list[set[str]] = []
    for pattern in matched:
        fails = failed & pattern.fails.get(scored.task, frozenset())
        foreseen.append({name for name in fails if pattern.answers.get(name) == answered.get(name)})
    if foreseen:
        stopped |= set.intersection(*foreseen)
    return frozenset(stopped)


def _slip(test: TestResult) -> str:
    """Return the error of Python that stopped the test or ended a script, "" if none did.

    Other errors do not count, because a definition may be right to raise them for its input.
    """
    shown = RAISED.search(test.message) or ERROR_OF_SCRIPT.search(test.message)
    if shown is None or shown[1].partition(":")[0] not in RAISED_BY_PYTHON:
        return ""
    return shown[1]


def _alike(scored: TaskResult, patterns: Iterable[Pattern]) -> tuple[Pattern, ...]:
    """Return the patterns that match the result of a task.

    A pattern matches if it fails the same tests as the program, and if the pattern has no answer
    that differs from the program's answer. If all tests fail, the tests alone say too little, so
    the pattern must have at least one of the answers. If all failures are timeouts, there is no
    match, because any endless loop causes timeouts. If the student has not begun the task, there is
    no match either: in a clinic, the match would name the mistake that the student has to find.
    """
    if scored.untouched:
        return ()
    run = frozenset(test.name for test in scored.tests)
    failed = failing(scored)
    timed_out = {test.name for test in scored.tests if test.outcome is Outcome.TIMEOUT}
    seen = answers(scored)
    alike: list[Pattern] = []
    for pattern in patterns:
        fails = pattern.fails.get(scored.task, frozenset()) & run
        if fails != failed or fails <= timed_out:
            continue
        if any(pattern.answers.get(test, answer) != answer for test, answer in seen.items()):
            continue
        if failed != run or seen.keys() & pattern.answers.keys():
            alike.append(pattern)
    return tuple(alike)


def _tells_faults_apart(scored: TaskResult) -> bool:
    """Return whether the failures of a task can tell one kind of fault from another.

    A hidden check says only that it fails. A rule is a test function with all its cases. If only
    hidden checks fail, return True only if at least two rules fail, because a single rule may fail
    through any fault. Visible checks show answers, but some answers say little:

    - A missing text may have gone elsewhere, such as to the screen.
    - A yes or a no has many possible reasons. If there are no other answers, a hidden check must
      also fail.
    - An error outside of all tasks has many possible reasons too. If all failures are such errors,
      a hidden check must also fail.
    - The way in which the student's own test ends does not say what is wrong in the test.
    """
    failed = [test for test in scored.tests if test.outcome is not Outcome.PASSED]
    visible = [test for test in failed if not test.hidden]
    if not visible:
        return len({test.name.partition("[")[0] for test in failed}) >= MIN_RULES
    if all(map(_lacks_text, visible)) or all(map(_says_how_a_test_ends, visible)):
        return False
    vague = all(map(_says_yes_or_no, visible)) or all(map(_stops_elsewhere, visible))
    return len(visible) < len(failed) or not vague


def _lacks_text(test: TestResult) -> bool:
    """Return whether an empty text came back, and all values that came back are empty."""
    values = _values_that_came_back(test)
    return "" in values and not any(values)


def _says_how_a_test_ends(test: TestResult) -> bool:
    """Return whether the answer in the message says only how the student's own tests end."""
    answer = TOLD_OF_TESTS.search(test.message)
    return answer is not None and says_how_it_ends(answer[1])


def _says_yes_or_no(test: TestResult) -> bool:
    """Return whether only `True` or `False` came back."""
    values = _values_that_came_back(test)
    return values != [] and all(isinstance(value, bool) for value in values)


def _stops_elsewhere(test: TestResult) -> bool:
    """Return whether the program raised an error outside of the definitions of all tasks."""
    return test.where is not None and not test.ends_in


def _values_that_came_back(test: TestResult) -> list[object]:
    """Return the values in the answer that came back; [] if there is none that can be read.

    If a list came back, return the values in it.
    """
    came_back = CAME_BACK.search(test.message)
    if came_back is None:
        return []
    try:
        return _values_in(ast.literal_eval(came_back[1]))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []


def _values_in(answer: object) -> list[object]:
    """Return a list with the answer; if the answer is a list, return the values in it.

    If the answer is a list of lists, return the values in the inner lists.
    """
    if not isinstance(answer, list | tuple):
        return [answer]
    values: list[object] = []
    for part in answer:
        values += _values_in(part)
    return values


def _folded(tests: Iterable[str]) -> dict[str, list[int]]:
    """Map each test function to the numbers of its cases, [] if it has no cases.

    For example, `test_x[1]` and `test_x[3]` become `test_x: [1, 3]`. So the file does not repeat a
    test's name for each of its cases.
    """
    cases_by_name: dict[str, list[int]] = {}
    for test in sorted(tests):
        name, _, case = test.rstrip("]").partition("[")
        cases = cases_by_name.setdefault(name, [])
        if case:
            cases.append(int(case))
    return {name: sorted(cases) for name, cases in cases_by_name.items()}


def _unfolded(cases_by_name: Mapping[str, Iterable[int]]) -> Iterator[str]:
    """Yield the names of the tests that `_folded` has folded."""
    for name, cases in cases_by_name.items():
        tests = [f"{name}[{case}]" for case in cases]
        yield from tests or [name]


def _pattern(name: str, entry: Mapping[str, Any]) -> Pattern:
    """Return the pattern that an entry of the file describes.

    Raise KeyError, TypeError or AttributeError if the entry has another form.
    """
    fails = {task: frozenset(_unfolded(tests)) for task, tests in entry["fails"].items()}
    return Pattern(name, entry["task"], fails, entry.get("answers", {}))
