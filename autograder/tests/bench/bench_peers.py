"""The graders that `bench.py` times: ours, and peers that run the same tests on the same class.

    pytest               `python -m pytest` once per submission, with pytest-timeout and a short
                         conftest that has the fixtures
    gradescope-utils     its JSONTestRunner once per submission
    nbgrader             the same programs as notebooks, with all tests in the last check cell;
                         then `generate_feedback`, because our grader writes feedback too

The peers have no sandbox: the student's code runs in their process. gradescope-utils and nbgrader
cannot run pytest, so each calls our runner in its own process, once for all tasks. Our runner
cannot run a program as a script there, so both leave out the tests that need a script. pytest
leaves out the tests that talk to a running program, or replace a part of the program.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.submissions.read import read_submission
from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.authoring.notebook import build_notebook, notebook_text, solve
from hearts_grader.grading.grade import reference_before

Commands = list[list[str]]
Programs = Callable[[Stage], Iterator[Mapping[str, str]]]
PYTHON = [sys.executable, "-m"]
ONLY_NAMED_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
NOT_THE_SUITE = shutil.ignore_patterns("alternatives", "*chaffs.toml", "__pycache__")

CONFTEST = """
import importlib, sys
from pathlib import Path
import pytest
sys.path.insert(0, str(Path(__file__).parent))

def pytest_configure(config):
    config.addinivalue_line("markers", "task(id): the task of the test")

@pytest.fixture
def stdlib():
    return importlib.import_module

@pytest.fixture
def source():
    return {p.stem: p.read_text() for p in Path(__file__).parent.glob("*.py")}

@pytest.fixture
def run():
    import subprocess
    from types import SimpleNamespace
    def run(name, *arguments, stdin=""):
        typed = stdin.encode() if isinstance(stdin, str) else stdin
        command = [sys.executable, f"{name}.py", *arguments]
        done = subprocess.run(command, cwd=Path(__file__).parent, input=typed, capture_output=True)
        return SimpleNamespace(out=done.stdout, err=done.stderr, status=done.returncode)
    return run

@pytest.fixture
def start():
    pytest.skip("no terminal here")

@pytest.fixture(scope="session")
def once():
    return {}

@pytest.fixture
def program_with():
    pytest.skip("only the grader has other programs to try")
"""
MODULE_FIXTURE = """
@pytest.fixture
def {name}():
    return importlib.import_module("{name}")
"""
SCORE = """
from hearts_course.course import find_course
from hearts_course.testing.in_process import check_namespace

def score(names):
    return check_namespace(find_course().stage("{stage}"), names, hidden=True).score
"""
RUN_TESTS = """
import importlib, sys, unittest
from gradescope_utils.autograder_utils.decorators import weight
from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner
{score}

class Stage(unittest.TestCase):
    @weight({points})
    def test_all(self):
        names = {{}}
        for module in {modules}:
            names |= vars(importlib.import_module(module))
        self.assertEqual(score(names), {points})

suite = unittest.defaultTestLoader.loadTestsFromTestCase(Stage)
with open("results.json", "w") as results:
    JSONTestRunner(visibility="visible", stream=results).run(suite)
"""


def wrong_class(stage: Stage) -> Iterator[Mapping[str, str]]:
    """Yield the reference and its chaffs (each the reference with one mistake), again and again."""
    return itertools.cycle([stage.reference(), *(chaff.modules for chaff in load_chaffs(stage))])


def real_class(stage: Stage, without: str = "") -> Iterator[Mapping[str, str]]:
    """Yield programs. In every ten, seven get all points, two have a mistake, and one is broken.

    The broken one is the starter, or cannot be imported. The texts of errors differ from program to
    program. No program loops for ever or calls `exit`, because that would stop the peers. The
    alternative with the name `without` is left out.
    """
    reference = stage.reference()
    last = stage.modules[-1]
    alternatives = sorted((stage.autograder / "alternatives").glob("*/"))
    folders = [folder for folder in alternatives if folder.name != without]
    right = [reference, *(read_submission(folder, "", stage).modules for folder in folders)]
    fault = [chaff.modules for chaff in load_chaffs(stage)]
    broken = [stage.starter(), reference | {last: f"{reference[last]}\nimport nothing_there\n"}]
    full, less, none = map(itertools.cycle, (right, fault, broken))
    for number, kind in enumerate(itertools.cycle([full] * 7 + [less] * 2 + [none])):
        yield {
            name: re.sub(r'(raise \w+\(f?")', rf"\g<1>No. {number}: ", text)
            for name, text in next(kind).items()
        }


def make_class(
    stage: Stage,
    folder: Path,
    students: int,
    programs: Programs = wrong_class,
) -> list[Mapping[str, str]]:
    """Write the submissions of this many students; return the students' programs."""
    class_ = list(itertools.islice(programs(stage), students))
    for number, modules in enumerate(class_):
        write(folder / f"student-{number:03}" / stage.name, modules)
    return class_


def write(folder: Path, modules: Mapping[str, str]) -> None:
    """Write the modules as files into a new folder."""
    folder.mkdir(parents=True)
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")


def ours(class_: Path, out: Path, sandbox: str, jobs: int) -> Callable[[], Commands]:
    """Return a function that returns our grader's command, with a new output folder each time."""
    runs = itertools.count()
    options = ["--sandbox", sandbox, "--jobs", str(jobs)]

    def commands() -> Commands:
        where = out / f"{sandbox}-{jobs}-{next(runs)}"
        return [[*PYTHON, "hearts_course", "grade", str(class_), "--out", str(where), *options]]

    return commands


def again(class_: Path, out: Path) -> Callable[[], Commands]:
    """Return a function that returns our grader's command for a folder that has results already."""
    return lambda: [
        [*PYTHON, "hearts_course", "grade", str(class_), "--out", str(path)]
        for path in sorted(out.iterdir())[:1]
    ]


def plain_pytest(
    stage: Stage, place: Path, class_: list[Mapping[str, str]]
) -> Callable[[], Commands]:
    """Return a function that returns the commands: one pytest for each student.

    Each pytest runs in its own copy of the suite's folder, because tests read files there.
    """
    suites = []
    for number, modules in enumerate(class_):
        home = place / f"student-{number:03}"
        student = home / "autograder/stages" / stage.name
        write(student, reference_before(stage) | dict(modules))
        shutil.copytree(stage.autograder, student, ignore=NOT_THE_SUITE, dirs_exist_ok=True)
        for folder in (stage.solution, stage.assignment):
            shutil.copytree(folder, home / folder.relative_to(stage.root))
        names = [name for earlier in Course(stage.root).stages for name in earlier.modules]
        fixtures = "".join(MODULE_FIXTURE.format(name=name) for name in names)
        (student / "conftest.py").write_text(CONFTEST + fixtures, encoding="utf-8")
        for file in (*stage.visible_tests, *stage.samples):
            shutil.copy(file, student)
        suites.append(student)
    seconds = f"--timeout={stage.limits.test_seconds:g}"  # a wrong program may never end
    options = ["-q", "-p", "no:cacheprovider", "-p", "pytest_timeout", seconds]
    return lambda: [[*PYTHON, "pytest", *options, str(suite)] for suite in suites]


def gradescope(
    stage: Stage, folder: Path, class_: list[Mapping[str, str]]
) -> Callable[[], Commands]:
    """Return a function that returns the commands: one JSONTestRunner for each student."""
    score = SCORE.format(stage=stage.name)
    text = RUN_TESTS.format(score=score, modules=stage.modules, points=stage.points)
    for number, modules in enumerate(class_):
        student = folder / f"student-{number:03}"
        write(student, reference_before(stage) | dict(modules))
        (student / "run_tests.py").write_text(text, encoding="utf-8")
    return lambda: [
        [sys.executable, str(path / "run_tests.py")] for path in sorted(folder.iterdir())
    ]


def nbgrader(stage: Stage, root: Path, class_: list[Mapping[str, str]]) -> Callable[[], Commands]:
    """Write an nbgrader course with the class; return a function that returns the commands."""
    blank = build_notebook(stage)
    score = SCORE.format(stage=stage.name)
    checks = [cell for cell in blank.cells if cell.id.startswith("check-")]
    for cell in (*checks, next(cell for cell in blank.cells if cell.id == "setup")):
        cell.source = "True"
    checks[-1].source = f"{score}\nscore(globals()) / {stage.points}".strip()
    source = root / "source" / stage.name / f"{stage.name}.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(notebook_text(solve(blank, stage.reference())), encoding="utf-8")
    (root / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.course_id = "bench"\n'
    )
    for name, text in reference_before(stage).items():
        (source.parent / f"{name}.py").write_text(text, encoding="utf-8")
    course = f"--course-dir={root}"
    run([*PYTHON, "nbgrader", "generate_assignment", stage.name, course])
    for number, modules in enumerate(class_):
        handed_in = root / "submitted" / f"student-{number:03}" / stage.name / source.name
        handed_in.parent.mkdir(parents=True)
        handed_in.write_text(notebook_text(solve(blank, modules)), encoding="utf-8")
    commands = ("autograde", "generate_feedback")
    return lambda: [
        [*PYTHON, "nbgrader", notebook, stage.name, "--force", course] for notebook in commands
    ]


def run(command: list[str]) -> None:
    """Run a command to its end; if it fails, raise SystemExit with its output.

    pytest may end with status 1, because some programs of the class must fail tests.
    """
    fine = (0, 1) if "pytest" in command else (0,)
    # nbgrader calls alembic, which is beside this Python.
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=Path(command[-1]).parent if command[-1].endswith("run_tests.py") else None,
        env=os.environ | {"PATH": programs} | ONLY_NAMED_PLUGINS,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in fine:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
