"""Programs that `hearts verify` grades, and the results that they must have.

- The starter can be imported. It scores nothing in a task that has blanks, which are definitions to
  write. A clinic is a stage where students find a mistake in a given program. There the starter
  scores nothing at all.
- The reference scores full, as files and as a notebook.
- A chaff is the reference with a known mistake. It loses points in the task with the mistake. There
  it fails exactly the tests that `patterns.json` names. A chaff may also fail tasks that build on
  this task, but no others.
- An alternative is a correct program that is written differently. It scores full.
- A rung is a hint with lines of code to put in order. In the right order, the lines solve the task.
- A mutant is the reference with one small change. It fails a test, unless it is listed as
  equivalent.
"""

import platform
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

import hearts_course
from hearts_course.brief import DISCUSSION
from hearts_course.course import CHANGES, MISTAKES, QUESTIONS, STAGE_FILE, Course, Stage
from hearts_course.errors import CourseError
from hearts_course.files import digest, read_text
from hearts_course.misconceptions import (
    Pattern,
    answers,
    load_patterns,
    patterns_path,
)
from hearts_course.python_source import definitions, first_line, without_docstrings
from hearts_course.results import Outcome, Result, Status, TaskResult
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission
from hearts_course.testing.job import StopAfter
from hearts_course.testing.reach import changes

from hearts_grader.authoring import mutants as mutation
from hearts_grader.authoring.chaffs import Chaff, Grade, load_chaffs, tasks_above
from hearts_grader.authoring.mutants import Exceptions, Mutant, load_exceptions, mutants_of
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from hearts_grader.authoring.rungs import RUNGS, load_rungs, program_of
from hearts_grader.authoring.starter import join, starter_cells
from hearts_grader.grading.grade import GradeJob, reference_before
from hearts_grader.model_answers import MODEL_ANSWERS
from hearts_grader.tournament.entries import SEAT

VERDICTS = ".hearts-verify"  # a folder in the checkout; it is not committed
# A file in a stage's folder of hidden tests. It has a digest of the texts, such as the reference
# and the tests, with which the mutants were last tried.
TRIED = "mutants.txt"
FAILED = "failed"  # the three verdicts on mutants
TIMED_OUT = "timed-out"
ALIVE = "alive"
TOOL = (Path(hearts_course.__file__).parent, Path(__file__).parents[1])
# Reports, exports and commands are left out, because no verdict depends on them.
TOOL_FILES = ("*.py", "sandbox/**/*.py", "submissions/*.py", "grading/*.py", "testing/*")
NOT_TESTS = {
    "chaffs.toml",
    "patterns.json",
    "examples.json",
    "equivalents.toml",
    TRIED,
    MODEL_ANSWERS,
    RUNGS,
    "alternatives",
    f"{SEAT}.py",
    "__pycache__",
}


@dataclass(frozen=True)
class Trial:
    """A program to grade, and a function `problems` that finds what is wrong with its result.

    The program is graded in `tasks`; None means in all tasks. `changed` is what `reach.changes`
    returns for the program: where the program differs from the reference. None means that this is
    unknown.
    """

    name: str
    submission: Submission
    problems: Callable[[Result], Iterable[str]]
    tasks: frozenset[str] | None = None
    changed: frozenset[str] | None = None

    def job(self, stage: Stage, number: int) -> GradeJob:
        """Return the job, with the number as the student's name."""
        # Results come in any order, and this name tells to which program a result belongs.
        submission = replace(self.submission, student=str(number))
        stop = StopAfter.NEVER if self.tasks is None else StopAfter.TASK
        return GradeJob(
            stage,
            submission,
            tasks=self.tasks,
            stop=stop,
            changed=self.changed,
            examples=False,
        )


def run_trials(stage: Stage, grade: Grade) -> dict[str, list[str]]:
    """Return the problems that each check of `TRIALS` finds, in the order of its programs.

    A check that finds no problem has an empty list. The jobs of all checks are graded together, so
    that no processor waits for the last job of one check.
    """
    problems: dict[str, list[str]] = {check: [] for check in TRIALS}
    todo: list[tuple[str, Trial]] = []
    for check, make in TRIALS.items():
        try:
            trials = list(make(stage))
            todo += [(check, trial) for trial in trials]
        # One unreadable chaff must not hide the problems of the other programs.
        except CourseError as error:
            problems[check].append(str(error))
    jobs = [trial.job(stage, number) for number, (_, trial) in enumerate(todo)]
    jobs.sort(key=lambda job: job.tasks is not None)  # jobs for all tasks first: they take longest
    for result in sorted(grade(jobs), key=lambda result: int(result.student)):
        check, trial = todo[int(result.student)]
        lines: Iterable[str] = [f"cannot be graded: {result.message}"]
        if result.status is Status.GRADED:
            lines = trial.problems(result)
        problems[check] += [f"{stage.name}: {trial.name} {line}" for line in lines]
    return problems


def try_mutants(
    course: Course, stage: Stage, grade: Grade, *, again: bool = False
) -> tuple[list[str], str]:
    """Try the stage's mutants; return a line for each problem, and a note.

    A problem is, for example, a mutant that no test notices. The note is "" if there is nothing to
    note. A mutant may survive only if it is listed with the reason why no test can notice it. If
    the last try found no problem and the stage is unchanged, try nothing, unless `again`.
    """
    record = stage.autograder / TRIED
    texts = digest(*_texts_of_a_try(stage))[:16]
    tried = record.read_text(encoding="utf-8") if record.is_file() else ""
    if tried.split()[-1:] == [texts] and not again:
        return [], "tried before on these very texts"
    problems, note, number = _every_mutant(course, stage, grade)
    # Record only a run without problems: after any other run, the mutants must be tried again.
    if not problems:
        tried = f"{number} mutants, tried by `hearts verify` on the texts {texts}\n"
        record.write_text(tried, encoding="utf-8")
    return problems, note


def _every_mutant(course: Course, stage: Stage, grade: Grade) -> tuple[list[str], str, int]:
    """Try all mutants; return a line for each problem, a note, and the number of mutants."""
    listed = load_exceptions(stage)
    exempt = {exemption.module for exemption in listed.exempt}
    mutants: list[Mutant] = []
    for module, source in stage.reference().items():
        if module not in exempt:
            mutants += mutants_of(module, source)
    verdicts = MutantVerdicts(course.root / VERDICTS, stage)
    problems = _grade_mutants(stage, mutants, listed, verdicts, grade)
    verdict_on = {mutant: verdicts.known.get(verdicts.key(mutant)) for mutant in mutants}
    alive = [mutant for mutant, verdict in verdict_on.items() if verdict == ALIVE]
    equivalent = {mutant.change for mutant in listed.equivalent}
    for mutant in alive:
        if mutant.change not in equivalent:
            where = _describe(stage, mutant)
            problems.append(f"{where}: no test notices it; write one, or list it as equivalent")
    # Report each entry of the list that belongs to no surviving mutant. Otherwise the entry could
    # later excuse another mutant with the same change.
    for line, text in sorted(equivalent - {mutant.change for mutant in alive}):
        problems.append(
            f"{stage.autograder / 'equivalents.toml'}: `{text}` in place of `{line}` is killed or "
            "no longer made; remove it"
        )
    timed_out = list(verdict_on.values()).count(TIMED_OUT)
    note = f"{timed_out} of {len(mutants)} by a timeout" if timed_out else ""
    return problems, note, len(mutants)


def _describe(stage: Stage, mutant: Mutant) -> str:
    """Return the mutant's place, and the line of the reference that it changes."""
    where = f"{stage.solution / mutant.module}.py:{mutant.number}"
    return f"{where}: `{mutant.mutant}` in place of `{mutant.line}`"


class MutantVerdicts:
    """The verdict on each mutant, kept on disk, so that an interrupted run can be continued.

    A change of the tests or of the grader's code starts a new file, because it may change any
    verdict.
    """

    def __init__(self, folder: Path, stage: Stage) -> None:
        """Read the stage's verdicts from its file in `folder`.

        Delete the verdicts that come from earlier tests or from earlier code of the grader.
        """
        self._reference = stage.reference()
        self._path = folder / stage.name / f"{digest(*_what_decides(stage))[:16]}.txt"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        for former in self._path.parent.glob("*.txt"):
            if former != self._path:
                former.unlink()
        self.known: dict[str, str] = {}
        if self._path.exists():
            for line in self._path.read_text().splitlines():
                words = line.split()
                # Skip an incomplete line: a run may have been killed while it wrote the line.
                if words[1:] in ([FAILED], [TIMED_OUT], [ALIVE]):
                    self.known[words[0]] = words[1]

    def key(self, mutant: Mutant) -> str:
        """Return the digest of the mutated program, which names the mutant in the file."""
        modules = self._reference | {mutant.module: mutant.text}
        return digest(*chain.from_iterable(sorted(modules.items())))

    def keep(self, mutant: Mutant, verdict: str) -> None:
        """Write the mutant's verdict to disk at once."""
        key = self.key(mutant)
        self.known[key] = verdict
        with self._path.open("a") as file:
            file.write(f"{key} {verdict}\n")


def _grade_mutants(
    stage: Stage,
    mutants: list[Mutant],
    listed: Exceptions,
    verdicts: MutantVerdicts,
    grade: Grade,
) -> list[str]:
    """Grade the mutants that have no verdict yet.

    If a mutant gets no verdict, return a line about it. If a mutant listed as equivalent timed out
    before, try it again, because the machine may have been busy. The mutants listed as equivalent
    come first, because only they need the whole suite.

    The others come in the order of their lines. Each run begins with the tests that noticed earlier
    mutants, because these often notice a change of the next line too. Then come the tests of the
    tasks to which the changed line belongs.

    Raise CourseError if the grader fails on a mutant, because a failed grader gives no verdict.
    """
    equivalent_changes = {equivalent.change for equivalent in listed.equivalent}
    new = []
    for mutant in mutants:
        verdict = verdicts.known.get(verdicts.key(mutant))
        if not verdict or (verdict == TIMED_OUT and mutant.change in equivalent_changes):
            new.append(mutant)
    new.sort(key=lambda mutant: mutant.change not in equivalent_changes)
    tasks = _tasks_for_mutants(stage, {exemption.module for exemption in listed.exempt})
    reference = stage.reference()
    spans = _task_lines(stage)
    jobs = []
    for number, mutant in enumerate(new):
        modules = reference | {mutant.module: mutant.text}
        first = set()
        for task, module, lines in spans:
            if module == mutant.module and mutant.number in lines:
                first.add(task)
        job = GradeJob(
            stage,
            Submission(str(number), stage.name, modules),
            tasks=tasks,
            first=frozenset(first),
            stop=StopAfter.RUN,
            changed=changes(reference, modules),
            examples=False,
        )
        jobs.append(job)
    problems = []
    for result in grade(jobs):
        mutant = new[int(result.student)]
        if result.status is Status.GRADER_ERROR:
            raise CourseError(f"a mutant cannot be graded: {result.message}")
        if verdict := _verdict(result):
            verdicts.keep(mutant, verdict)
        else:
            problems.append(f"{_describe(stage, mutant)}: not tried to the end: {result.message}")
    return problems


def _verdict(result: Result) -> str:
    """Return the verdict on a mutant.

    Return "" if no test failed, but the time was over before all tests had run.
    """
    outcomes = _outcomes(result)
    if not _failed_tasks(result):
        return "" if Outcome.NOT_REACHED in outcomes else ALIVE
    return TIMED_OUT if Outcome.TIMEOUT in outcomes else FAILED


def _outcomes(result: Result) -> set[Outcome]:
    """Return how the tests of all tasks ended."""
    outcomes: set[Outcome] = set()
    for task in result.tasks:
        outcomes.update(test.outcome for test in task.tests)
    return outcomes


def _task_lines(stage: Stage) -> list[tuple[str, str, range]]:
    """Return the lines of each task's definitions: task, module and line numbers.

    A definition that is a blank of two tasks is listed for both. Lines are counted from 1, and a
    decorator belongs to its definition.
    """
    spans = []
    for module, source in stage.reference().items():
        for name, node in definitions(source):
            lines = range(first_line(node), (node.end_lineno or node.lineno) + 1)
            for task in stage.tasks:
                if name in task.blanks:
                    spans.append((task.id, module, lines))
    return spans


def _tasks_for_mutants(stage: Stage, exempt: set[str]) -> frozenset[str]:
    """Return the ids of the tasks whose tests must run on mutants.

    A task is left out if all its blanks are in exempt modules, because no line there is mutated.
    """
    reference = stage.reference()
    exempt_names: set[str] = set()
    for module in exempt:
        exempt_names.update(name for name, _ in definitions(reference[module]))
    tasks = set()
    for task in stage.tasks:
        if not task.blanks or not exempt_names.issuperset(task.blanks):
            tasks.add(task.id)
    return frozenset(tasks)


def _what_decides(stage: Stage) -> Iterator[str | bytes]:
    """Yield everything that a mutant's verdict depends on, except the mutant's text.

    The Python version is included, because an error message or an optimisation may differ. Reports,
    exports and commands are left out, because no verdict depends on them.
    """
    yield platform.python_version()
    yield from reference_before(stage).values()
    yield from _names_and_texts(_files_of_tests(stage))
    yield from _names_and_texts([stage.assignment / STAGE_FILE])
    for folder in TOOL:
        for pattern in TOOL_FILES:
            yield from _names_and_texts(folder.glob(pattern))


def _texts_of_a_try(stage: Stage) -> Iterator[str | bytes]:
    """Yield the texts that decide whether the mutants must be tried again.

    These are the reference, the tests, the list of equivalent mutants, and the module that makes
    mutants.

    The grader's own code and the docstrings of tests are left out, so that a change there does not
    lead to a new try.
    """
    for module, text in sorted(stage.reference().items()):
        yield module
        yield text
    yield from reference_before(stage).values()
    for path in _files_of_tests(stage):
        yield path.name
        yield without_docstrings(read_text(path)) if path.suffix == ".py" else path.read_bytes()
    yield from _names_and_texts([stage.autograder / "equivalents.toml", Path(mutation.__file__)])


def _files_of_tests(stage: Stage) -> list[Path]:
    """Return the files of the stage's tests, visible and hidden, and the files that they read."""
    # `stage.toml` is left out: it names tasks, points and options, which no test of a program
    # reads.
    not_read = {"README.md", "hints.md", STAGE_FILE, CHANGES, MISTAKES, DISCUSSION}
    not_read |= {*QUESTIONS, *stage.files}
    visible = [path for path in stage.assignment.glob("*") if path.name not in not_read]
    hidden = []
    for path in stage.autograder.rglob("*"):
        if NOT_TESTS.isdisjoint(path.relative_to(stage.autograder).parts):
            hidden.append(path)
    return [path for path in [*sorted(visible), *sorted(hidden)] if path.is_file()]


def _names_and_texts(paths: Iterable[Path]) -> Iterator[str | bytes]:
    """Yield name and content of each file, sorted by path, so that the order is always the same."""
    for path in sorted(paths):
        if path.is_file():
            yield path.name
            yield path.read_bytes()


def _starter(stage: Stage) -> Iterator[Trial]:
    """Yield the starter as a student gets it; it must be importable and score nothing."""
    submission = Submission("", stage.name, join(starter_cells(stage)))
    yield Trial("the starter", submission, partial(_scores_nothing, stage))


def _references(stage: Stage) -> Iterator[Trial]:
    """Yield the reference in each form that a student may hand in, read like a submission."""
    notebook = notebook_text(reference_notebook(stage))
    forms = {
        "the reference": {f"{name}.py": text for name, text in stage.reference().items()},
        "the reference as a notebook": {stage.notebook.name: notebook},
    }
    for name, files in forms.items():
        with tempfile.TemporaryDirectory() as folder:
            for file, text in files.items():
                (Path(folder) / file).write_text(text, encoding="utf-8")
            submission = read_submission(Path(folder), "", stage)
        yield Trial(name, submission, partial(_scores_full, stage))


def _chaffs(stage: Stage) -> Iterator[Trial]:
    """Yield each chaff, graded in its own task and in the tasks where it must not fail.

    Tasks that build on its own task are left out, because a chaff may fail or pass there.
    """
    patterns = {pattern.name: pattern for pattern in load_patterns(stage)}
    for chaff in load_chaffs(stage):
        submission = Submission("", stage.name, chaff.modules)
        problems = partial(_is_caught, stage, chaff, patterns.get(chaff.name))
        tasks = {task.id for task in stage.tasks} - tasks_above(stage, chaff.task)
        changed = changes(stage.reference(), chaff.modules)
        name = f"the chaff {chaff.name!r}"
        yield Trial(name, submission, problems, frozenset(tasks), changed)


def _alternatives(stage: Stage) -> Iterator[Trial]:
    """Yield each correct program that is written differently: a test must accept all of them."""
    for folder in stage.alternatives:
        submission = read_submission(folder, "", stage)
        problems = partial(_scores_full, stage)
        yield Trial(f"the alternative {folder.name!r}", submission, problems)


def _rungs(stage: Stage) -> Iterator[Trial]:
    """Yield, for each rung, the program with the rung's lines in order; it must solve the task."""
    for rung in load_rungs(stage):
        submission = Submission("", stage.name, program_of(stage, rung))
        task = frozenset({rung.task})
        yield Trial(f"the lines of {rung.task}", submission, _passes, task)


def _passes(result: Result) -> Iterator[str]:
    """Yield a line for each tried task that loses points."""
    for scored in result.tasks:
        if scored.tests and scored.score != scored.max_score:
            yield f"do not pass{_reason(scored)}"


def _scores_nothing(stage: Stage, result: Result) -> Iterator[str]:
    """Yield why the starter does not import, and the tasks in which it would score."""
    if Outcome.NOT_REACHED in _outcomes(result):
        yield f"does not import: {result.message}"
    for task, scored in zip(stage.tasks, result.tasks, strict=True):
        if (task.blanks or stage.clinic) and scored.score:
            passed = next(test for test in scored.tests if test.outcome is Outcome.PASSED)
            yield f"scores in {task.id}, because {passed.name} passes; make that test ask more"


def _scores_full(stage: Stage, result: Result) -> Iterator[str]:
    """Yield where a correct program loses points."""
    for scored in result.tasks:
        if scored.score != scored.max_score:
            yield f"scores {scored.score} of {scored.max_score} in {scored.task}{_reason(scored)}"
    if result.max_score != stage.points:
        yield f"could score {result.max_score}, but the tasks add up to {stage.points}"


def _reason(scored: TaskResult) -> str:
    """Return why a task lost points: its first test that failed, and the test's message.

    The caller appends this text to its line about the problem.
    """
    for test in scored.tests:
        if test.outcome is not Outcome.PASSED:
            shown = " ".join(test.message.split())
            return f": {test.name}: {shown or test.outcome.value}"
    return ", which has no test"


def _is_caught(
    stage: Stage, chaff: Chaff, pattern: Pattern | None, result: Result
) -> Iterator[str]:
    """Yield the problems of a chaff's result.

    `pattern` lists the tests that the chaff failed when the patterns were built.
    """
    (scored,) = (task for task in result.tasks if task.task == chaff.task)
    if pattern and (test := _unlike(pattern, scored)):
        yield (
            f"fails in another way than {patterns_path(stage)} says, such as in {test}: patterns "
            f"are out of date; run `hearts build {stage.name} --patterns`"
        )
    lost = _failed_tasks(result)
    if chaff.task not in lost:
        yield f"loses nothing in {chaff.task}; write a test that catches it"
    for name in sorted(lost - {chaff.task}):
        yield (
            f"also loses points in {name}, which does not build on {chaff.task}; "
            "make its tests ask less, or say so in stage.toml"
        )


def _unlike(pattern: Pattern, scored: TaskResult) -> str:
    """Return the name of the first test whose result differs from the pattern; "" if none does."""
    failed_before = pattern.fails.get(scored.task, ())
    current = answers(scored)
    for test in scored.tests:
        if test.outcome is Outcome.NOT_REACHED:
            continue
        fails = test.outcome is not Outcome.PASSED
        if fails != (test.name in failed_before):
            return test.name
        if pattern.answers and pattern.answers.get(test.name) != current.get(test.name):
            return test.name
    return ""


def _failed_tasks(result: Result) -> set[str]:
    """Return the tasks with a failed test, or all tasks of a program that cannot be imported.

    A test that was not reached because the time was used up proves nothing.
    """
    if _outcomes(result) == {Outcome.NOT_REACHED}:  # the program cannot be imported
        return {task.task for task in result.tasks if task.tests}
    failed = set()
    for task in result.tasks:
        outcomes = {test.outcome for test in task.tests}
        if outcomes - {Outcome.PASSED, Outcome.NOT_REACHED}:
            failed.add(task.task)
    return failed


REFERENCE = "the reference scores full, as .py and as notebook"
TRIALS: dict[str, Callable[[Stage], Iterable[Trial]]] = {
    "the starter imports and scores 0": _starter,
    REFERENCE: _references,
    "every chaff is caught, and where it should be": _chaffs,
    "correct programs written differently score full": _alternatives,
    "lines that a hint asks to put in order solve the task": _rungs,
}
