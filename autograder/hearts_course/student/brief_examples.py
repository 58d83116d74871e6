"""The brief's own examples, tried on a program whose visible checks pass.

An example differs if the program's output differs from the output in the brief. Checks cannot test
everything that an example shows. The examples are typed in one session, in the order of the brief,
and only examples of tasks that pass are compared. They run in the program's process, and the
program could forge what they show. So no points depend on them.
"""

import ast
import builtins
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

from hearts_course.brief import BRIEF, examples_of, load_brief, typed_code
from hearts_course.course import Course, Stage, Task
from hearts_course.errors import CourseError
from hearts_course.files import read_text
from hearts_course.python_source import names_in
from hearts_course.results import Outcome, Result, TestResult
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.student.own_answers import Prompt, Shown
from hearts_course.student.work import StageWork, modules_of, whole_program
from hearts_course.testing.messages import YOUR_PROGRAM, as_typed
from hearts_course.testing.start import start_program
from hearts_course.testing.steps import clip

if TYPE_CHECKING:
    from doctest import Example

UNWRITTEN = "NotImplementedError"  # raised by a definition that the starter leaves unwritten
NOTHING = "nothing"
WORD = re.compile(r"\w+")
AS_GOOD = {(int, bool), (float, int)}  # pairs: the wanted type, another accepted type
IMPORTS = ("from ", "import ")
TESTS = 2  # all examples together have the time limit of this many tests


@dataclass(frozen=True)
class DifferingExample:
    """An example of the brief for which a program's output differs.

    source      the example's code
    came_back   what the program shows
    wanted      what the brief shows
    stopped     why the program gave no answer, "" if it gave one
    raised      `came_back` ends with an error
    more        the number of the task's other examples that differ
    setup       earlier examples of the brief, to type before this one
    all_uses    a longer setup, with all earlier examples that use one of the example's names
    above       the longest setup: all earlier examples

    A longer setup is needed if `came_back` depends on a change that another example made.
    """

    source: str
    came_back: str
    wanted: str
    stopped: str = ""
    raised: bool = False
    more: int = 0
    setup: tuple[str, ...] = ()
    all_uses: tuple[str, ...] = ()
    above: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What the report's line on a task says about the example, if the task's checks pass."""
        if self.stopped:
            return "an example does not end"
        return "an example differs"

    @property
    def heading(self) -> str:
        """The heading above `lines`."""
        if self.stopped:
            return "An example of the brief does not end, so the examples below it were not tried:"
        return "An example of the brief comes out differently:"

    def lines(self, *, imports: bool = True) -> Iterator[str]:
        """Yield the lines to type, what came back, and what the brief shows.

        If the example did not end, say so in place of what came back, and yield nothing after it.
        Without `imports`, leave out the imports: a notebook already knows the imported names.
        """
        typed: list[str] = []
        for source in (*self.setup, self.source):
            if imports or not source.startswith(IMPORTS):
                typed += typed_code(source).rstrip("\n").split("\n")
        yield from as_typed(typed)
        if self.stopped:
            yield f"{YOUR_PROGRAM}{self.stopped}"
            return
        label = "raised" if self.raised else "came back"
        yield from _labelled(label, self.came_back)
        no_error = "no error" if self.raised else ""
        yield from _labelled("expected", self.wanted or no_error)


def _labelled(label: str, text: str) -> Iterator[str]:
    """Yield a text below its label, or on the same line if it is a single line."""
    lines = text.rstrip("\n").split("\n")
    if lines == [""]:
        lines = [NOTHING]
    if len(lines) == 1:
        yield clip(f"  {label:<13}{lines[0]}")
        return
    yield f"  {label}"
    yield from (clip(f"    {line}") for line in lines)


def examples_in_work(
    course: Course, root: Path, work: StageWork, result: Result
) -> dict[str, DifferingExample]:
    """Call `differing_examples` for the work together with the earlier stages in `root`."""
    return differing_examples(work.stage, modules_of(whole_program(course, root, work)), result)


def differing_examples(
    stage: Stage, modules: Mapping[str, str], result: Result
) -> dict[str, DifferingExample]:
    """Map the id of each task whose visible checks pass to its first example that differs, if any.

    Return {} in three cases:

    - The checks timed out; an example might time out as well.
    - A failing check calls only written definitions; their fault may affect any example.
    - The program cannot be imported.
    """
    if result.timed_out:
        return {}
    passing = set()
    failing = set()
    for done in result.tasks:
        visible = [test for test in done.tests if not test.hidden]
        outcomes = {test.outcome for test in visible}
        if any(test.outcome is Outcome.FAILED and _is_written(test) for test in visible):
            return {}
        if outcomes == {Outcome.PASSED}:
            passing.add(done.task)
        elif outcomes:
            failing.add(done.task)
    compared: set[str] = set()
    for task in stage.tasks:
        if task.id in passing and not failing & stage.tasks_below(task):
            compared.add(task.id)
    if compared:
        with suppress(CourseError, RemoteError, SubmissionStopped):
            return compare_examples(stage, modules, compared, _definitions_of(stage, failing))
    return {}


def _is_written(test: TestResult) -> bool:
    """Return whether a failing test has called only definitions that are written."""
    return test.stub is None and not test.unfinished


def _definitions_of(stage: Stage, task_ids: Collection[str]) -> set[str]:
    """Return the names of the functions and classes that students write for these tasks."""
    blanks = [blank for task in stage.tasks if task.id in task_ids for blank in task.blanks]
    return {blank for blank in blanks if "." not in blank}


def compare_examples(
    stage: Stage,
    modules: Mapping[str, str],
    compared: Collection[str],
    not_ready: Collection[str] = (),
) -> dict[str, DifferingExample]:
    """Map the id of each task in `compared` to its first example that differs, if any.

    Names in `not_ready` belong to failing tasks. An example that uses such a name is not compared,
    because the fault may be in the failing task. Raise RemoteError or SubmissionStopped if the
    program cannot be imported.
    """
    with start_program(modules, stage.limits) as program:
        program.prepare()
        session = _Session(stage)  # reads the brief while the process starts
        program.load(stage.modules)
        # `load` has started a process. `begin` uses it only for a test with the usual time or less.
        program.begin(stage.limits.test_seconds)
        program.go_on(TESTS * stage.limits.test_seconds)
        session.leave_out(not_ready)
        session.type_in(Prompt(program, session.files), compared)
    differing = session.differing(compared)
    for task, example in differing.items():
        if not example.stopped:
            differing[task] = _with_setup_that_shows_it(stage, modules, example, session.files)
    return differing


def _with_setup_that_shows_it(
    stage: Stage, modules: Mapping[str, str], example: DifferingExample, files: Mapping[str, str]
) -> DifferingExample:
    """Return the example with the shortest setup after which the program still shows `came_back`.

    Try `setup` and then `all_uses`, each in a new process. If neither is enough, take `above`.
    """
    for setup in dict.fromkeys((example.setup, example.all_uses)):
        tried = replace(example, setup=setup)
        if _differs_alone(stage, modules, tried, files):
            return tried
    return replace(example, setup=example.above)


def _differs_alone(
    stage: Stage, modules: Mapping[str, str], example: DifferingExample, files: Mapping[str, str]
) -> bool:
    """Return whether the example shows `came_back` in a new process, after only its `setup`."""
    with start_program(modules, stage.limits) as program:
        program.load(stage.modules)
        program.begin(stage.limits.test_seconds)
        prompt = Prompt(program, files)
        try:
            for source in example.setup:
                prompt.type_in(source)
            return _came_back(prompt.type_in(example.source)) == example.came_back
        except SubmissionStopped:
            return False


def _came_back(shown: Shown) -> str:
    """Return what the screen shows, with an error as its last line."""
    if not shown.raised:
        return shown.screen
    return shown.screen + f"{shown.raised[0]}: {shown.text}".rstrip(": ")


class _Session:
    """The examples of a stage's brief, typed one after another, and the examples that differ.

    Later examples may use names that an earlier example defines. So examples that are not compared
    are typed as well.
    """

    def __init__(self, stage: Stage) -> None:
        """Read the brief, and the files that its examples open by name."""
        self._stage = stage
        brief = load_brief(stage)
        self._intro = examples_of(brief.intro)
        self._sections = {task.id: examples_of(brief.sections[task.id]) for task in stage.tasks}
        text = read_text(stage.assignment / BRIEF)
        files = [file for file in stage.assignment.iterdir() if f'"{file.name}"' in text]
        self.files = {file.name: read_text(file) for file in files}
        self._differing: dict[str, list[DifferingExample]] = {}
        self._unknown: set[str] = set()  # names that the program failed to define
        self._typed: list[Example] = []

    def leave_out(self, names: Collection[str]) -> None:
        """Compare no example that needs one of these names."""
        self._unknown.update(names)

    def type_in(self, prompt: Prompt, compared: Collection[str]) -> None:
        """Type all examples up to the last one that is compared, or until the program stops.

        Examples above the tasks are about given code, so they belong to no task. In a clinic (a
        stage with a program to repair) they belong to the last task, which is the repair. After an
        example that does not end, no more examples are typed, because the program's process is
        gone.
        """
        tasks = self._stage.tasks
        last = max(self._stage.number(self._stage.task(task)) for task in compared)
        parts: list[tuple[Task | None, list[Example]]] = [(None, self._intro)]
        if self._stage.clinic:
            parts = [(tasks[-1], self._intro)]
        parts += [(task, self._sections[task.id]) for task in tasks[:last]]
        for task, examples in parts:
            for example in examples:
                try:
                    self._type(prompt, example, task)
                except SubmissionStopped as stopped:
                    if task:
                        setup = lines_before(example, self._typed)
                        differing = DifferingExample(
                            example.source, "", "", stopped.text, setup=setup
                        )
                        self._differing.setdefault(task.id, []).append(differing)
                    return
                self._typed.append(example)

    def differing(self, compared: Collection[str]) -> dict[str, DifferingExample]:
        """Map the id of each task in `compared` to its first example that differs, if any.

        A task may build on another task that is not compared. If an example of the other task
        differs, leave out the task that builds on it, because the fault may be in the other task.
        """
        unready = self._differing.keys() - compared
        first_ones = {}
        for task in self._stage.tasks:
            examples = self._differing.get(task.id)
            if examples and task.id in compared and not unready & self._stage.tasks_below(task):
                first_ones[task.id] = replace(examples[0], more=len(examples) - 1)
        return first_ones

    def _type(self, prompt: Prompt, example: "Example", task: Task | None) -> None:
        """Type an example, and compare it if the program has defined all names that it uses.

        An example that uses a missing name would fail only because of this name. So this example is
        not compared, and the names that it defines count as missing too.
        """
        used, defined = names_of(example.source)
        shown = prompt.type_in(example.source)
        is_known = not used & self._unknown
        if not is_known or (shown.raised and example.exc_msg is None):
            self._unknown |= defined
        if not is_known or task is None or UNWRITTEN in shown.raised:
            return
        if not _is_as_wanted(self._stage, example, shown):
            came_back = _came_back(shown)
            wanted = example.exc_msg or example.want
            setup = lines_before(example, self._typed)
            differing = DifferingExample(
                example.source,
                came_back,
                wanted,
                raised=bool(shown.raised),
                setup=setup,
                all_uses=lines_before(example, self._typed, all_uses=True),
                above=tuple(earlier.source for earlier in self._typed),
            )
            self._differing.setdefault(task.id, []).append(differing)


def _is_as_wanted(stage: Stage, example: "Example", shown: Shown) -> bool:
    """Return whether the program shows for the example what the brief shows.

    Some differences are allowed. Students choose the words of an error, and the value of a call for
    which the brief shows nothing. The stage may allow other words or another order for an example.
    The order of sets and dictionaries does not count.
    """
    if example.exc_msg is not None:
        name = example.exc_msg.partition(":")[0].strip().rpartition(".")[2]
        return name in shown.raised
    if shown.raised:
        return False
    if not example.want or _contains(example, stage.free_examples):
        return True
    if _contains(example, stage.unordered_examples):
        return sorted(WORD.findall(example.want)) == sorted(WORD.findall(shown.screen))
    return any(_are_equal(example.want, text) for text in (shown.screen, f"{shown.value}\n"))


def _contains(example: "Example", parts: Iterable[str]) -> bool:
    """Return whether the example's code contains one of these parts."""
    return any(part in example.source for part in parts)


def _are_equal(wanted: str, text: str) -> bool:
    """Return whether `text` is the wanted text, or shows an equal value."""
    from doctest import ELLIPSIS, OutputChecker

    if OutputChecker().check_output(wanted, text, ELLIPSIS):
        return True
    with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _is_value(ast.literal_eval(text), ast.literal_eval(wanted))
    return False


def _is_value(value: object, wanted: object) -> bool:
    """Return whether the value is as wanted; True is accepted for 1, and 1 for 1.0.

    Lists and dictionaries are compared element by element, by the same rule.
    """
    if (type(wanted), type(value)) in AS_GOOD:
        return value == wanted
    if type(value) is not type(wanted):
        return False
    if isinstance(wanted, dict) and isinstance(value, dict):
        pairs = [(value[key], wanted[key]) for key in wanted if key in value]
        return len(wanted) == len(value) == len(pairs) and all(starmap(_is_value, pairs))
    if isinstance(wanted, list | tuple) and isinstance(value, list | tuple):
        pairs = list(zip(value, wanted, strict=False))
        return len(wanted) == len(value) and all(starmap(_is_value, pairs))
    return value == wanted


def lines_before(
    example: "Example", typed: Iterable["Example"], *, all_uses: bool = False
) -> tuple[str, ...]:
    """Return the code of the earlier examples that an example needs, in the order of the brief.

    An earlier example is needed if it defines a name that is used later. It is also needed if it
    uses such a name and may change the named object. These examples may change it:

    - an example that shows nothing, such as `deck.shuffle(7)`
    - an example that passes the object to a function, such as `ask_limit(script)`
    - with `all_uses`, any example that uses the name, such as `hand.pop()`
    """
    makers = list(typed)
    made_names: set[str] = set()
    for earlier in makers:
        made_names |= names_of(earlier.source)[1]
    needed, _ = names_of(example.source)
    sources: list[str] = []
    for earlier in reversed(makers):
        used, defined = names_of(earlier.source)
        shared = used & needed & made_names
        shows_nothing = not earlier.want and earlier.exc_msg is None
        may_change = all_uses or shows_nothing or _hands_on(earlier.source, shared)
        if defined & (needed | {"*"}) or (shared and may_change):
            sources.insert(0, earlier.source)
            # Above this example, the names that it defines are no longer needed, and the names that
            # it uses are needed.
            needed = (needed - defined) | (used - _bound_by_blocks(earlier.source))
    return tuple(sources)


def _hands_on(source: str, names: Collection[str]) -> bool:
    """Return whether the example passes one of these names to a function that is not built in."""
    given: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) not in vars(builtins):
            given |= {argument.id for argument in node.args if isinstance(argument, ast.Name)}
    return not given.isdisjoint(names)


def _bound_by_blocks(source: str) -> set[str]:
    """Return the names that the example's `for` and `with` statements assign to."""
    targets: list[ast.expr] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.For):
            targets.append(node.target)
        elif isinstance(node, ast.withitem) and node.optional_vars:
            targets.append(node.optional_vars)
    return {
        name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
    }


def names_of(source: str) -> tuple[set[str], set[str]]:
    """Return the names that the example uses, and the names that it defines for later examples.

    Names of comprehensions, parameters and caught errors are left out, because they exist only
    inside the example. `*` stands for all names that a star import defines.
    """
    names = names_in(typed_code(source))
    return set(names.read) - names.inner, set(names.defined - names.inner)
