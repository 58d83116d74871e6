"""Every command accepts stages from another folder, and an instructor's own tests and points."""

import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from hearts_course.cli import run
from hearts_course.course import Course, find_course
from hearts_grader.authoring import checks
from hearts_grader.authoring.assemble import assemble, own_stages
from tiny_class import put
from tiny_course import REFERENCE, STAGE_TOML, write_course

OWN_TEST = """\
import pytest


@pytest.mark.task("total")
def test_three_coins(coins):
    \"\"\"A purse is worth all its coins.

    Try:
        purse = Purse()
        purse.add(Coin("dime"))
        purse.total()
    \"\"\"
    purse = coins.Purse()
    for face in ("dime", "dime", "penny"):
        purse.add(coins.Coin(face))
    assert purse.total() == 21
"""
FORM = """\
import pytest
from hearts_course.python_source import form_of


@pytest.mark.task("total")
def test_form(source):
    \"\"\"`Purse.total` is a comprehension, because one line says what is added up.

    Try: Purse().total()
    \"\"\"
    form = form_of(source["coins"], "Purse.total")
    assert "comprehension" in form.uses
    assert form.lines <= 5
"""
LOOP = REFERENCE.replace(
    "return sum(coin.worth for coin in self._coins)",
    "worth = 0\n        for coin in self._coins:\n            worth += coin.worth\n"
    "        return worth",
)
PROJECT = ("pyproject.toml", "constraints.txt", "LICENSE", "autograder/hearts_course")


@pytest.fixture(name="hearts")
def _hearts(tmp_path, monkeypatch, capsys):
    """Return a function that runs a command line with `--stages=more --overlay own`.

    The function returns the exit status and everything that was printed.
    """
    course = write_course(tmp_path / "course", STAGE_TOML=f'{STAGE_TOML}builds_on = ["worth"]\n')
    for name in PROJECT:
        (course.root / name).symlink_to(find_course().root / name)
    for folder in ("more", "own/01-coins"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert run(["build"], course) == 0
    capsys.readouterr()

    def hearts(line):
        status = run([*line.split(), "--stages=more", "--overlay", "own"], Course(course.root))
        return status, "\n".join(capsys.readouterr())

    return hearts


def everything(folder):
    paths = (path for path in Path(folder).rglob("*") if ".hearts-with" not in path.parts)
    return {path: path.read_bytes() for path in paths if path.is_file()}


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_a_stage_elsewhere_and_own_tests_are_proved_graded_and_released(hearts, tmp_path):
    original_files = everything("course")
    own_files = {"points.toml": "purse = 8\n", "test_own.py": OWN_TEST, "test_form.py": FORM}
    put(Path("own/01-coins"), own_files)
    assert "wrote assignments/08-moon/stage.toml" in hearts("new 08-moon")[1]
    with Path("more/solutions/08-moon/moon.py").open("a") as file:
        file.write("# Of our own.\n")
    status, out = hearts("verify --mutants none")
    assert status == 1
    assert "notebooks/08-moon.ipynb: missing; run `hearts build`" in out
    assert "'a dime is worth five' is missing; run `hearts build 01-coins --patterns`" in out
    assert hearts("build")[0] == hearts("build --patterns")[0] == 0
    assert Path("more/notebooks/08-moon.ipynb").is_file()
    assert "test_own.py::test_three_coins" in Path("own/01-coins/patterns.json").read_text()
    status, out = hearts("verify --mutants none")
    assert (status, out) == (0, out), out
    wrong = REFERENCE.replace("in self._coins)", "in self._coins[:2])")
    put(Path("class/ada"), {"01-coins/coins.py": wrong})
    moon = Path("more/solutions/08-moon/moon.py").read_text()
    put(Path("class/bob"), {"08-moon/moon.py": moon})
    put(Path("class/cyd"), {"01-coins/coins.py": LOOP})
    assert (graded := hearts("grade class --out grades --sandbox none"))[0] == 0, graded[1]
    rows = Path("grades/grades.csv").read_text().splitlines()
    wanted = (
        "ada,01-coins,10.75,11,graded",
        "bob,08-moon,2.0,2,graded",
        "cyd,01-coins,10.75,11,graded",
    )
    assert [sum(row.startswith(row_start) for row in rows) for row_start in wanted] == [1, 1, 1], (
        rows
    )
    reason = "because one line says what is added up"
    pages = {who: Path(f"grades/feedback/{who}/01-coins.md").read_text() for who in ("ada", "cyd")}
    assert [who for who, page in pages.items() if reason in page] == ["cyd"]
    assert "wrote out/hearts" in (done := hearts("release out")[1]), done
    files = everything("out/hearts")
    assert b"## Task 2: A purse (8 points)" in files[Path("out/hearts/briefs/01-coins.md")]
    assert b'"points": 8' in files[Path("out/hearts/01-coins.ipynb")]
    (wheel,) = Path("out/hearts").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "hearts_course/course_files/assignments/08-moon/moon.py" in names
    assert not [name for name in names if "test_own" in name or "_hidden" in name]
    assert hearts("remove 08-moon --yes")[0] == 0
    assert not list(Path("more").rglob("08-moon*"))
    assert "remove it without --overlay" in hearts("remove 01-coins --yes")[1]
    assert everything("course") == original_files


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"own/01-coin/points.toml": ""}, "no stage is called '01-coin'; did you mean 01-coins?"),
        (
            {"own/01-coins/points.toml": "totl = 5"},
            "points.toml: no task of 01-coins is called 'totl'",
        ),
        ({"own/01-coins/points.toml": "total = '5'"}, "total = '5'; write a whole number of"),
        ({"own/01-coins/points.toml": "total = -1"}, 'points above 0, or leave_out = ["total"]'),
        ({"own/01-coins/points.toml": "total = 0"}, 'points above 0, or leave_out = ["total"]'),
        ({"own/01-coins/points.toml": "leave_out = 'total'"}, "'total'; write a list of tasks"),
        ({"own/01-coins/points.toml": "leave_out = ['totl']"}, "called 'totl'; did you mean total"),
        (
            {"own/01-coins/points.toml": "leave_out = ['total']\ntotal = 3"},
            "total has points and is in leave_out; remove one",
        ),
        ({"more/assignments/01-coins/stage.toml": ""}, "the course has a stage of this name"),
        ({"more/assignments/08-moon/stage.toml": ""}, "08-moon/stage.toml: no [[task]]"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line(hearts, files, said):
    put(Path(), files)
    status, out = hearts("build")
    assert status
    assert said in out
    assert out.strip().count("\n") == 0


def test_a_folder_that_is_no_longer_laid_over_a_stage_leaves_nothing(hearts):
    put(Path("own/01-coins"), {"test_own.py": "x = 1\n", "points.toml": "total = 5\n"})
    hearts("build")
    shutil.rmtree("own/01-coins")
    assert hearts("build")[1].strip() == "everything is current"
    (root,) = Path("course/.hearts-with").iterdir()
    stage = Course(root).stages[0]
    assert (stage.points, len(stage.hidden_tests)) == (6, 1)
    assert json.loads(stage.notebook.read_text())


@pytest.mark.needs_sandbox
@pytest.mark.proof
def test_tasks_are_left_out_visible_tests_replaced_and_alternatives_proved(hearts):
    """With an instructor's files, `hearts verify` passes, and tasks left out give no points."""
    stage = Course(Path("course")).stages[0]
    folder = {f"alternatives/other/{stage.files[0]}": REFERENCE}
    put(stage.autograder, folder)
    (visible,) = stage.visible_tests
    text = visible.read_text().replace("A dime is worth ten pence.", "Zehn Pence.")
    assert "Zehn Pence." in text
    left_out = 'leave_out = ["purse", "total"]\n'
    put(Path("own/01-coins"), {"points.toml": left_out, visible.name: text})
    status, out = hearts("build --patterns")
    assert (status, out) == (0, out), out
    assert "08-" not in out
    status, out = hearts("verify --mutants none")
    assert (status, out) == (0, out), out
    put(Path("class/ada"), {"01-coins/coins.py": REFERENCE.replace("10 if", "5 if")})
    assert (graded := hearts("grade class --out grades --sandbox none"))[0] == 0, graded[1]
    (row,) = Path("grades/grades.csv").read_text().splitlines()[1:]
    page = Path("grades/feedback/ada/01-coins.md").read_text()
    assert row.startswith("ada,01-coins,1.0,2,graded"), row
    assert page.count("Zehn Pence.") == 1
    assert "ten pence" not in page
    (brief,) = Path("course/.hearts-with").glob("*/assignments/01-coins/README.md")
    assert "## Task 2: A purse (left out: no points)" in brief.read_text()


def test_patterns_are_made_of_the_own_stages_only(hearts):
    Path("own/01-coins").rmdir()
    assert "`hearts build --stages " in hearts("new 08-moon")[1]
    hearts("build")
    (root,) = Path("course/.hearts-with").iterdir()
    course = Course(root.resolve(), home=Path("more").resolve())
    assert [stage.name for stage in own_stages(course)] == ["08-moon"]
    put(Path("own/01-coins"), {"points.toml": "total = 5\n"})
    hearts("build")
    assert [stage.name for stage in own_stages(course)] == ["01-coins", "08-moon"]


@pytest.mark.proof
def test_the_points_of_the_reference_pass_every_check(tmp_path):
    """The example of points in the manual passes the checks of points in `hearts verify`."""
    manual = (find_course().root / "autograder/docs/REFERENCE.md").read_text()
    (example,) = re.findall(r"```toml\n(make-a-card = .*?)```", manual, re.DOTALL)
    put(tmp_path / "own/01-cards", {"points.toml": example})
    course = assemble(find_course(), None, tmp_path / "own")
    stage = course.stage("01-cards")
    problems = [*checks.fair_points(course, stage), *checks.valid_points(course, stage)]
    assert problems == []
    assert [task.points for task in stage.tasks].count(0) == 1
    shutil.rmtree(course.root)
