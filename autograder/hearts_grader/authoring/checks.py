"""Check files, briefs, hints, tests and examples for `hearts verify`, without grading a program.

The first line of a check's docstring says what must hold. The check yields one line per problem,
and nothing if all is well.

blank         a definition that the starter leaves to the student
chaff         a copy of the reference with one plausible mistake
pattern       the tests that a chaff fails, as `patterns.json` lists them
alternative   a correct program that is written differently from the reference
clinic        a stage in which students find the mistake in a given program
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from hearts_course.brief import (
    EXACTLY,
    examples_of,
    idea_and_contract,
    load_brief,
    load_hints,
    load_objectives,
)
from hearts_course.course import STAGE_FILE, SUITES, Course, Stage
from hearts_course.errors import CourseError
from hearts_course.files import read_text
from hearts_course.misconceptions import load_patterns, patterns_path
from hearts_course.python_source import Definition, definitions, first_line
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.student.brief_examples import compare_examples
from hearts_course.submissions.read import read_submission

from hearts_grader.authoring.assemble import is_overlaid
from hearts_grader.authoring.build import near_examples_file, outdated, questions_files
from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.authoring.examples import beside_the_reference, run_examples
from hearts_grader.authoring.near_examples import docs_of_tests, untrue_examples
from hearts_grader.authoring.questions import load_sources
from hearts_grader.authoring.rungs import rung_problems
from hearts_grader.authoring.starter import starter_cells
from hearts_grader.model_answers import MODEL_ANSWERS, load_model_answers, titles

MAX_IDEA = 80  # words of a task's idea
# This text begins the line of a model answer that says what a student must name to get two points.
CONSEQUENCE = "**Must name:**"
MIN_TASKS = 4  # a stage with fewer tasks may have a large first task
# A clinic may share expressions and bodies of functions with a reference, up to these sizes in
# nodes of a syntax tree. Everybody's programs are alike in such short code.
MAX_COMMON_EXPRESSION = 10
MAX_COMMON_BODY = 7
NO_WORDS = re.compile(r"^```.*?^```$|^\|[^\n]*$|!\[[^]]*\]\([^)]*\)", re.DOTALL | re.MULTILINE)
NEAR_EXAMPLE = re.compile(r"\n\s*\n\s*Try:\s+\S")


# Files.


def unknown_files(course: Course) -> Iterator[str]:
    """Every notebook, and every folder with files of a stage, belongs to a stage of the course.

    These are the folders in `solutions` and in the hidden suites, and those folders in
    `assignments` whose names begin with a number. `assignments` may have other folders as well.
    """
    names = {stage.name for stage in course.stages}
    patterns = ("assignments/[0-9]*/", "solutions/*/", f"{SUITES}/*/", "notebooks/*.ipynb")
    for pattern in patterns:
        for path in sorted(course.root.glob(pattern)):
            if path.stem not in names and not path.name.startswith((".", "__")):
                yield f"{path}: no stage.toml describes it; write one or delete it"


def unique_names(course: Course) -> Iterator[str]:
    """Modules, test files and tasks have names that are unique in the course."""
    modules: Counter[str] = Counter()
    test_files: Counter[str] = Counter()
    tasks: Counter[str] = Counter()
    for stage in course.stages:
        modules.update(stage.modules)
        test_files.update(path.name for path in _test_files(stage))
        tasks.update(task.id for task in stage.tasks)
    for kind, names in {"module": modules, "test file": test_files, "task": tasks}.items():
        for name, times in sorted(names.items()):
            if times > 1:
                yield f"{course.root}: {times} {kind}s are called {name!r}; rename all but one"


def needed_files(course: Course, stage: Stage) -> Iterator[str]:
    """The stage has every file that it needs, and no other module.

    A stage needs the texts for students, the reference with its design, the list of chaffs, the
    notebook, and tests of both kinds.
    """
    needed = [stage.assignment / name for name in ("README.md", "hints.md", *stage.files)]
    needed += [stage.solution / name for name in (*stage.files, "design.md")]
    needed += [stage.autograder / "chaffs.toml", stage.notebook]
    for path in needed:
        if not path.is_file():
            yield f"{path}: missing; write it or build it"
    tests = {stage.assignment: stage.visible_tests, stage.autograder: stage.hidden_tests}
    for folder, tests_there in tests.items():
        if not tests_there:
            yield f"{folder}: no test_*.py; write at least one test"
    visible = {path.name for path in stage.visible_tests}
    expected = {
        stage.assignment: {*stage.files, *visible, stage.show.name},
        stage.solution: {*stage.files},
    }
    for folder, names in expected.items():
        for path in sorted(folder.glob("*.py")):
            if path.name not in names:
                yield f"{path}: not among `files` of stage.toml; name it there or delete it"


def model_answers(course: Course, stage: Stage) -> Iterator[str]:
    """Each question for discussion has a model answer.

    One line of each model answer says which consequence a student must name.
    """
    path = stage.autograder / MODEL_ANSWERS
    answers = load_model_answers(stage)
    for title in titles(stage):
        if title not in answers:
            yield f"{path}: no section `## {title}`; write the model answer to this question"
        elif CONSEQUENCE not in answers[title]:
            yield f"{path}: {title}: add a line {CONSEQUENCE!r} with what an answer must name"


def current_files(course: Course, stage: Stage) -> Iterator[str]:
    """The stage's generated files and the README's table are as `hearts build` writes them."""
    for file in outdated(course, [stage]):
        yield file.problem


def lines_to_order(course: Course, stage: Stage) -> Iterator[str]:
    """A task has a hint with shuffled lines of code exactly if `rungs.toml` has such lines for it.

    The hint with these lines must be the task's second to last hint. If headings of brief or hints
    are wrong, only `brief_and_hints` reports a problem.
    """
    if not list(brief_and_hints(course, stage)):
        yield from rung_problems(stage)


def existing_blanks(course: Course, stage: Stage) -> Iterator[str]:
    """Every blank that a task names is a definition of the reference."""
    # `starter_cells` raises StageError for a blank that does not exist. `verify` then reports this
    # error as a problem.
    starter_cells(stage)
    yield from ()


def valid_points(course: Course, stage: Stage) -> Iterator[str]:
    """Points are whole numbers, and each level of manual points is in the brief.

    A task with n manual points has n + 1 levels, one for each score from n to 0. A task builds only
    on other tasks of the stage, and a stage builds only on earlier stages.
    """
    where = stage.assignment / STAGE_FILE
    task_ids = {task.id for task in stage.tasks}
    for task in stage.tasks:
        # An instructor's own folder can replace files of the stage and leave tasks out. Such a task
        # has 0 points; all other tasks need points.
        if task.points < 1 and not (task.points == 0 and is_overlaid(stage)):
            yield f"{where}: {task.id}: points = {task.points!r}; write a whole number above 0"
        for name in sorted(set(task.builds_on) - (task_ids - {task.id})):
            yield f"{where}: {task.id} builds on {name!r}, which is not another task of the stage"
    for manual in stage.manual:
        if len(manual.levels) != manual.points + 1:
            yield f"{where}: {manual.id}: write {manual.points + 1} levels, all points first"
        # A brief wraps its lines, so a level of the rubric may go over two lines.
        end = " ".join(load_brief(stage).end.split())
        for level in manual.levels:
            if level not in end:
                yield f"{where}: {manual.id}: the end of the brief does not say {level!r}"
    names = {each.name for each in course.stages}
    # Stages are ordered by the number that their names begin with.
    earlier = {name for name in names if name < stage.name}
    for name in sorted(set(stage.builds_on) - earlier):
        yield f"{where}: builds on {name!r}, which is not an earlier stage"


def brief_and_hints(course: Course, stage: Stage) -> Iterator[str]:
    """Brief and hints have a section for every task, with its number, title and points."""
    for load in (load_brief, load_hints):
        try:
            load(stage)
        except CourseError as error:
            yield str(error)


def ideas(course: Course, stage: Stage) -> Iterator[str]:
    """Every task begins with an idea of at most MAX_IDEA words, and then has a contract.

    Words in code, tables and pictures do not count.
    """
    for task, section in load_brief(stage).sections.items():
        idea, contract = idea_and_contract(section)
        words = len(NO_WORDS.sub("", idea.partition("\n")[2]).split())
        if not (1 <= words <= MAX_IDEA and contract):
            problem = f"no text below `{EXACTLY}`"
            if contract:
                problem = f"{words} words above `{EXACTLY}`"
            where = f"{stage.assignment / 'README.md'}: {task}"
            yield f"{where}: {problem}; write the idea in 1 to {MAX_IDEA} words, then the contract"


def objectives(course: Course, stage: Stage) -> Iterator[str]:
    """The brief lists stage.toml's objectives; each has a task, and each task has an objective.

    If the stage has questions, students are asked to predict something about each objective.
    """
    where = stage.assignment / STAGE_FILE
    brief = load_objectives(stage)
    for sentence in (*brief, *stage.objectives.values()):
        if (sentence in brief) != (sentence in stage.objectives.values()):
            yield f"{where}: only the brief or only [objectives] has {sentence!r}; correct either"
    served = set(chain.from_iterable(task.objectives for task in stage.tasks))
    for name in sorted(stage.objectives.keys() ^ served):
        problem = "no task serves" if name in stage.objectives else "[objectives] does not have"
        yield f"{where}: {problem} the objective {name!r}; correct either"
    asked = {source.task for source in load_sources(stage).predict}
    not_asked = served & stage.objectives.keys()
    for task in stage.tasks:
        if not task.objectives:
            yield f"{where}: {task.id} serves no objective; name one in its `objectives`"
        elif task.id in asked:
            not_asked -= set(task.objectives)
    if asked:
        for name in sorted(not_asked):
            yield f"{stage.questions}: no [[predict]] about the objective {name!r}; write one"


def known_patterns(course: Course, stage: Stage) -> Iterator[str]:
    """`patterns.json` has an entry for each chaff and for nothing else."""
    chaffs = {chaff.name: chaff.task for chaff in load_chaffs(stage)}
    listed = {pattern.name: pattern.task for pattern in load_patterns(stage)}
    for name in sorted(chaffs.keys() | listed.keys()):
        if chaffs.get(name) == listed.get(name):
            continue
        problem = "is listed under another task"
        if name not in listed:
            problem = "is missing"
        elif name not in chaffs:
            problem = "is no longer a chaff"
        path = patterns_path(stage)
        yield f"{path}: {name!r} {problem}; run `hearts build {stage.name} --patterns`"


def fair_points(course: Course, stage: Stage) -> Iterator[str]:
    """No known mistake in the first task costs more than a third of the stage's points.

    A rule is a test function. A rule counts as lost here even if only some of its cases fail. A
    stage of fewer than four tasks is not checked, because the first task is a large part of the
    stage. A clinic is not checked, because it has too few points.
    """
    counted = [task for task in stage.tasks if task.points]
    if stage.clinic or len(counted) < MIN_TASKS:
        return
    rules: Counter[str] = Counter()
    for test in suite_tests(stage):
        rules.update(test.tasks)
    for pattern in load_patterns(stage):
        lost_by_task = []
        for task, tests in pattern.fails.items():
            lost_rules = len(_functions(tests))
            lost_by_task.append(stage.task(task).points * lost_rules / rules[task])
        lost = sum(lost_by_task)
        is_in_first_task = pattern.task == stage.tasks[0].id
        if is_in_first_task and 3 * lost > stage.points:
            yield (
                f"{stage.name}: {pattern.name!r} may cost {lost:.1f} of {stage.points} points; "
                "make the tests of later tasks depend less on the first"
            )


def answered_questions(course: Course, stage: Stage) -> Iterator[str]:
    """The stage's `questions.json` is as `hearts build` writes it.

    Raise StageError if a question is invalid, for example if no chaff answers it wrongly.
    """
    for file in questions_files(course, [stage]):
        if not file.is_current:
            yield file.problem


def no_solutions_in_clinics(course: Course, stage: Stage) -> Iterator[str]:
    """A clinic's program shares only short code with the solutions of other stages.

    Students get the clinic's program with the next stage, when some of them still write these
    solutions. Names of variables and the layout make no difference.
    """
    if not stage.clinic:
        return
    solved: dict[str, str] = {}
    for solved_stage in course.stages:
        if not solved_stage.clinic:
            for name, node in _solutions(solved_stage):
                for text, _ in _parts(node):
                    solved[text] = f"{solved_stage.name}: {name}"
    for module, source in stage.starter().items():
        for name, node in definitions(source):
            common = {text: shown for text, shown in _parts(node) if text in solved}
            if common:
                text, shown = next(iter(common.items()))  # report only one; a body comes first
                where = f"{stage.solution / module}.py: {name}"
                yield f"{where}: `{shown}` is a solution of {solved[text]}; write it differently"


def _solutions(stage: Stage) -> Iterator[tuple[str, Definition]]:
    """Yield each function and class of the reference that is a blank, with its name.

    Definitions inside a blank are yielded too: their names begin with the name of the blank.
    """
    blanks = tuple(chain.from_iterable(task.blanks for task in stage.tasks))
    insides = tuple(f"{name}." for name in blanks)
    for source in stage.reference().values():
        for name, node in definitions(source):
            if name in blanks or name.startswith(insides):
                yield name, node


def _parts(node: Definition) -> Iterator[tuple[str, str]]:
    """Yield a function's body and each of its expressions, if they are long.

    Yield a pair of texts for each. The first text is the code without names, for the comparison.
    The second text is the code to show in a message; for a body, it is the first line. For a class,
    yield nothing, because its methods are definitions of their own.
    """
    if isinstance(node, ast.ClassDef):
        return
    body = node.body
    if ast.get_docstring(node) is not None:
        body = body[1:]
    function = ast.Module(body, [])
    if _size(function) > MAX_COMMON_BODY:
        yield _without_names(function), ast.unparse(function).split("\n")[0]
    for part in ast.walk(function):
        if isinstance(part, ast.expr) and _size(part) > MAX_COMMON_EXPRESSION:
            yield _without_names(part), ast.unparse(part)


def _size(tree: ast.AST) -> int:
    """Return the number of nodes of a syntax tree, without nodes of the type `expr_context`.

    Such a node says whether a name is read or written.
    """
    return sum(not isinstance(part, ast.expr_context) for part in ast.walk(tree))


def _without_names(tree: ast.AST) -> str:
    """Return the tree as a text in which variables and parameters are numbered instead of named.

    Two programs that differ only in these names and in layout give the same text. Names after a
    dot, names of keyword arguments and names of inner definitions stay. A copy of the tree is
    changed, so that the caller's tree stays as it is.
    """
    numbers: dict[str, str] = {}
    tree = ast.parse(ast.unparse(tree))
    for part in ast.walk(tree):
        if isinstance(part, ast.Name):
            part.id = numbers.setdefault(part.id, f"name_{len(numbers)}")
        elif isinstance(part, ast.arg):
            part.arg = numbers.setdefault(part.arg, f"name_{len(numbers)}")
    return ast.dump(tree)


# The tests as texts.


@dataclass(frozen=True)
class SuiteTest:
    """A test of a suite: its name, where it is, its tasks, and its texts."""

    name: str
    where: str
    hidden: bool
    tasks: tuple[str, ...]
    docstring: str
    source: str


def marked_tests(course: Course, stage: Stage) -> Iterator[str]:
    """Every test is marked with tasks of the stage; every task has a visible test."""
    task_ids = {task.id for task in stage.tasks}
    tests = suite_tests(stage)
    for test in tests:
        if not test.tasks:
            yield f"{test.where}: no task; mark it with @pytest.mark.task(...)"
        for task in sorted(set(test.tasks) - task_ids):
            yield f"{test.where}: {stage.name} has no task {task!r}; correct the mark"
    # A student must be able to check every task before handing in.
    with_visible_test = chain.from_iterable(test.tasks for test in tests if not test.hidden)
    for task in sorted(task_ids.difference(with_visible_test)):
        yield f"{stage.assignment}: no visible test of the task {task!r}; write one"


def explained_tests(course: Course, stage: Stage) -> Iterator[str]:
    """Every test's docstring begins with a topic; a hidden test's ends with a near example."""
    for test in suite_tests(stage):
        if not test.docstring.strip() or test.docstring.lstrip().startswith("Try:"):
            yield f"{test.where}: no topic; begin its docstring with a sentence of the rules"
        elif test.hidden and not NEAR_EXAMPLE.search(test.docstring):
            yield f"{test.where}: no near example; end its docstring with `Try: ...`"


def _test_files(stage: Stage) -> tuple[Path, ...]:
    """Return the stage's test files, the visible ones first."""
    return (*stage.visible_tests, *stage.hidden_tests)


def suite_tests(stage: Stage) -> list[SuiteTest]:
    """Return the stage's tests, in the order of the files.

    A mark of the whole module holds for each test that has no mark of its own.
    """
    tests = []
    for path in _test_files(stage):
        source = read_text(path)
        tree = ast.parse(source, str(path))
        of_module: list[str] = []
        for statement in tree.body:
            match statement:
                case ast.Assign([ast.Name("pytestmark"), *_]):
                    of_module += _marked_tasks(statement.value)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                tasks = tuple(chain.from_iterable(map(_marked_tasks, node.decorator_list)))
                where = f"{path}:{node.lineno}: {node.name}"
                docstring = ast.get_docstring(node, clean=False) or ""
                text = "\n".join(source.split("\n")[first_line(node) - 1 : node.end_lineno])
                hidden = path in stage.hidden_tests
                name = f"{path.name}::{node.name}"
                marks = tasks or tuple(of_module)
                tests.append(SuiteTest(name, where, hidden, marks, docstring, text))
    return tests


def _marked_tasks(node: ast.expr) -> Iterator[str]:
    """Yield the tasks that `pytest.mark.task(...)` names in the expression.

    Only ids written as text are found. An id that a test computes is not found.
    """
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.task":
            yield from (str(arg.value) for arg in call.args if isinstance(arg, ast.Constant))


# The examples of the brief, and the near examples of hidden tests.


def examples(course: Course, stage: Stage) -> Iterator[str]:
    """The brief's `>>>` examples show what the reference answers.

    For a correct program, `hearts check` reports no example as different.
    """
    path = stage.assignment / "README.md"
    brief = read_text(path)
    failures = beside_the_reference(course, stage, run_examples, brief)
    for line, source, got in failures:
        yield f"{path}:{line}: the example `{source}` gives {got}; correct the brief"
    sources = [example.source for example in examples_of(brief)]
    for part in (*stage.free_examples, *stage.unordered_examples):
        if not any(part in source for source in sources):
            where = stage.assignment / STAGE_FILE
            yield f"{where}: no example of the brief has {part!r}; remove it"
    if not failures:
        yield from _told_correct_programs(course, stage)


def _told_correct_programs(course: Course, stage: Stage) -> Iterator[str]:
    """Yield what `hearts check` would say to correct programs about examples of the brief.

    The alternatives are correct programs that differ from the reference. If an example's output
    differs in an alternative, the example fixes something that the brief does not require.
    """
    reference = course.whole_reference(stage)
    programs = {"the reference": reference}
    for folder in stage.alternatives:
        modules = read_submission(folder, "", stage).modules
        programs[f"the alternative {folder.name!r}"] = {**reference, **modules}
    for name, modules in programs.items():
        try:
            differing = compare_examples(stage, modules, [task.id for task in stage.tasks])
        except (RemoteError, SubmissionStopped) as error:
            yield f"{stage.name}: the brief's examples cannot be tried on {name}: {error.text}"
            continue
        for task, example in differing.items():
            yield (
                f"{stage.name}: {name} is told about an example of {task}: "
                f"{' '.join(' '.join(example.lines()).split())}; list it in `free_examples` or "
                "`unordered_examples`"
            )


def house_rules(course: Course, stage: Stage) -> Iterator[str]:
    """Each option in `[variants]` makes a rule book that is not the standard one."""
    if variants := stage.variants:
        # The comparisons are written as examples of a brief, so that they run in another process,
        # together with the reference.
        lines = [f">>> from {name} import *" for name in course.whole_reference(stage)]
        for arguments in chain.from_iterable(variants.choices):
            lines += [f">>> {variants.with_arguments(arguments)} == {variants.standard}", "False"]
        failures = beside_the_reference(course, stage, run_examples, "\n".join(lines))
        for _, source, got in failures:
            yield f"{stage.assignment / STAGE_FILE}: `{source}` gives {got}; correct [variants]"


def near_examples(course: Course, stage: Stage) -> Iterator[str]:
    """The near examples of hidden tests are true.

    Each example can be pasted and gives the same output in every correct program. For at least one
    known mistake of its task, the output differs. If a test finds a known mistake of its task, the
    output of one of the test's examples differs for this mistake.
    """
    tests = {test.name: test for test in suite_tests(stage) if test.hidden}
    docs = docs_of_tests(stage)
    problems = [*untrue_examples(course, stage, docs, lambda name: tests[name].where)]
    yield from problems
    # A wrong example also makes the file of answers outdated. Then report only the example.
    if not problems and not near_examples_file(course, stage).is_current:
        yield near_examples_file(course, stage).problem


def _functions(tests: Iterable[str]) -> set[str]:
    """Return the test functions of these tests, without their cases."""
    return {test.partition("[")[0] for test in tests}
