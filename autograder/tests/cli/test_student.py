"""Commands for students, mostly when something goes wrong.

The folder `cases/student` tests other uses of the commands.
"""

import pytest
from hearts_course import cli
from hearts_course.cli import student
from hearts_course.files import zipped
from hearts_course.student.work_checks import check_work
from hearts_grader.authoring.notebook import build_notebook, notebook_text, solve
from student_course import (
    REFERENCE,
    TWO_MODULES,
    start_workspace,
    student_course,
    two_stages,
    use,
)
from surroundings import files_of_at_most

FIVE_PENCE = REFERENCE.replace("10 if", "5 if")


@pytest.fixture
def course(tmp_path, monkeypatch):
    course = student_course(tmp_path / "course")
    use(course, monkeypatch)
    return course


@pytest.fixture
def root(course, tmp_path, monkeypatch):
    root = start_workspace(course, tmp_path / "mine").root
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def hearts(course, capsys):
    """Return a function that runs a command line, and returns status, output and error output."""

    def typed(line):
        status = cli.run(line.split())
        return status, *capsys.readouterr()

    return typed


def write(root, text):
    (root / "coins.py").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "task",
    [
        *("worth", "01-coins worth", "01-coins 1", "1 1", "01 worth"),
        *("what-a-coin-is-worth", "1 What-a-coin-is-worth"),
    ],
)
def test_a_task_is_named_by_its_id_its_title_or_its_number_after_the_stage(hearts, root, task):
    assert "1  What a coin is worth" in hearts(f"check {task}")[1]


def test_the_form_that_changed_is_checked(hearts, root, course):
    notebook = notebook_text(solve(build_notebook(course.stages[0]), {"coins": REFERENCE}))
    (root / "01-coins.ipynb").write_text(notebook, encoding="utf-8")
    status, out, _ = hearts("check")
    assert (status, out.splitlines()[0]) == (0, "01 Coins and purses  (01-coins.ipynb)")
    status, out, _ = hearts("check --py")
    assert (status, out.splitlines()[0]) == (1, "01 Coins and purses  (coins.py)")
    write(root, FIVE_PENCE)
    assert (
        "Note: you changed both coins.py and 01-coins.ipynb; coins.py is used" in hearts("check")[1]
    )
    assert hearts("check --notebook")[0] == 0


def test_a_hint_taken_during_a_check_is_kept(hearts, root, monkeypatch):
    def check_slowly(*arguments, **options):
        hearts("hint purse")
        return check_work(*arguments, **options)

    monkeypatch.setattr(student, "check_work", check_slowly)
    hearts("check worth")
    assert "Hint 1 of 1" in hearts("hint purse --again")[1]


def test_submit_checks_what_is_in_the_zip(hearts, root, monkeypatch):
    write(root, REFERENCE)
    wrong_zips = [zipped({"coins.py": FIVE_PENCE.encode()}), b"no zip"]
    monkeypatch.setattr("hearts_course.student.packing.zipped", lambda files: wrong_zips.pop(0))
    assert "1 of 2 checks pass" in hearts("submit 1")[1]
    assert hearts("submit 1") == (
        2,
        "",
        "hearts: 01-coins.zip could not be read by the grader: "
        "the zip is damaged; make it again and submit it again\n",
    )


@pytest.mark.parametrize(("line", "shown"), [("hint worth", "Hint 1 of 2"), ("check", "0 of 6 po")])
def test_a_state_that_cannot_be_written_is_a_note(hearts, root, line, shown):
    with files_of_at_most(100):
        status, out, err = hearts(line)
    assert (status, shown in out) == (int(line == "check"), True)
    assert err == (
        f"hearts: your checks and hints are not remembered: {root / '.hearts.json'}: "
        "File too large; make room and run the same command again\n"
    )


def test_plain_hearts_names_the_one_file_that_holds_the_next_task(tmp_path, monkeypatch, capsys):
    course = two_stages(tmp_path / "course", TWO_MODULES)
    root = start_workspace(course, tmp_path / "mine").root
    write(root, REFERENCE)
    (root / "bank.py").write_text(TWO_MODULES["solutions/02-bank/bank.py"], encoding="utf-8")
    cli.run(["check", "02", "--dir", str(root)], course)
    monkeypatch.chdir(root)
    cli.run([], course)
    assert "Next is task 2, Serve, in teller.py.\n" in capsys.readouterr().out


def test_plain_hearts_in_the_course_shows_all_verbs(hearts, course, monkeypatch):
    monkeypatch.chdir(course.root / "assignments")
    out = hearts("")[1]
    assert out.startswith("You are in the course itself")
    assert "For instructors" in out


def test_plain_hearts_goes_by_what_is_saved_now(hearts, root):
    write(root, FIVE_PENCE)
    hearts("check")
    assert "Next is task 1, What a coin is worth, in coins.py." in hearts("")[1]
    write(root, REFERENCE)  # saved, but not checked
    out = hearts("")[1]
    assert "3 of 3 tasks" in out
    assert "01 Coins and purses: every visible check passes." in out
    write(root, REFERENCE.replace("self._coins.append(coin)", "pass"))
    assert "Next is task 3, Add up, in coins.py." in hearts("")[1]


def test_plain_hearts_checks_nothing_twice(hearts, root, tmp_path):
    runs = tmp_path / "runs"
    write(root, f"{REFERENCE}\nopen({str(runs)!r}, 'a').write('x')\n")
    hearts("")
    runs_of_one_check = runs.read_text()
    assert "every visible check passes" in hearts("")[1]
    assert runs.read_text() == runs_of_one_check


@pytest.mark.parametrize("broken", ["def f(:", "raise ValueError('no')"])
def test_plain_hearts_names_an_error_that_stops_every_check(hearts, root, broken):
    write(root, REFERENCE)
    hearts("check")
    write(root, f"{REFERENCE}\n{broken}\n")
    out = hearts("")[1]
    assert "3 of 3 tasks" in out
    assert "✗ coins.py" in out
    assert "Fix this first, then: hearts check 01-coins" in out
    assert "Next is" not in out


def test_a_wrong_task_is_answered_with_those_of_the_stage_that_is_worked_on(hearts, root):
    message = "no stage or task is called 'count-it'; 01-coins has: worth, purse, total"
    for command in ("check", "hint", "reset", "predict", "compare"):
        assert message in " ".join(hearts(f"{command} count-it")[2].split())
    assert "did you mean worth?" in hearts("check wort")[2]
