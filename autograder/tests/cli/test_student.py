"""Commands for students: their output and exit status."""

import zipfile

import pytest
from hearts_course import cli
from hearts_course.authoring.notebook import build_notebook, notebook_text, solve
from hearts_course.cli import student
from hearts_course.files import disk_error, zipped
from hearts_course.student.work import check_work
from student_course import (
    REFERENCE,
    TWO_MODULES,
    start_workspace,
    student_course,
    two_stages,
    use,
)
from tiny_course import STAGE_TOML

LIMITS = "\n[limits]\ntest_seconds = 0.5\n"
FIVE_PENCE = REFERENCE.replace("10 if", "5 if")


@pytest.fixture
def course(tmp_path, monkeypatch):
    course = student_course(tmp_path / "course", STAGE_TOML=STAGE_TOML + LIMITS)
    use(course, monkeypatch)
    return course


@pytest.fixture
def root(course, tmp_path, monkeypatch):
    root = start_workspace(course, tmp_path / "mine").root
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def hearts(course, capsys):
    """Type a command; its status and what it printed on either stream come back."""

    def typed(line):
        status = cli.run(line.split())
        return status, *capsys.readouterr()

    return typed


def write(root, text):
    (root / "coins.py").write_text(text, encoding="utf-8")


def test_start_says_what_it_added_and_what_comes_next(hearts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = hearts("start mine")
    assert (status, err) == (0, "")
    assert "  added: README.md, briefs/01-coins.md, coins.py, 01-coins.ipynb" in out
    assert "  Begin with: mine/README.md\n" in out
    assert "kept as they are" not in out


SLOW = REFERENCE.replace("return 10 if", "while True: pass\n        return 10 if")


@pytest.mark.parametrize(
    ("program", "line", "status", "shown"),
    [
        (None, "check", 1, ["not written yet", "0 of 6 points."]),
        (
            REFERENCE,
            "check",
            0,
            ["6 of 6 points. Your grade comes from these visible "],
        ),
        (f"{REFERENCE}\ndef f(:\n", "check", 1, ["✗ coins.py, line 44"]),
        (SLOW, "check worth", 1, ["took longer than 0.5 s"]),
        (
            FIVE_PENCE,
            "check worth",
            1,
            [
                "◐  1  What a coin is worth  1 of 2 points  1 of 2 checks pass",
                "A dime is worth ten pence.",
                "Coin('dime').worth",
                "came back    5",
                "expected     10",
                "Your program fails the same checks as a known mistake: “a dime is worth five”.",
                "A hint: hearts hint worth",
            ],
        ),
    ],
)
def test_check_shows_what_passes_and_what_does_not(hearts, root, program, line, status, shown):
    if program:
        write(root, program)
    done, out, err = hearts(line)
    assert (done, err) == (status, "")
    assert [words for words in shown if words not in out] == []
    assert ("A purse" in out) == (line == "check" and "✗ coins.py" not in out)


@pytest.mark.parametrize(
    "task",
    [
        *("worth", "01-coins worth", "01-coins 1", "1 1", "01 worth"),
        *("what-a-coin-is-worth", "1 What-a-coin-is-worth"),
    ],
)
def test_a_task_is_named_by_its_id_its_title_or_its_number_after_the_stage(hearts, root, task):
    assert "1  What a coin is worth" in hearts(f"check {task}")[1]


@pytest.mark.parametrize(
    ("names", "advice"),
    [
        ("wort", "no stage or task is called 'wort'; did you mean worth?"),
        ("01-coin", "no stage or task is called '01-coin'; did you mean 01-coins?"),
        ("1 wort", "no task of 01-coins is called 'wort'; did you mean worth?"),
        ("1 7", "no task of 01-coins is called '7'; there are: worth, purse, total"),
        (
            "9",
            "there is no stage 9; the last one is 01-coins. Name a task by its id, or by its "
            "number after its stage: `01-coins 9`",
        ),
        ("xyzzy worth", "no stage is called 'xyzzy'; there are: 01-coins"),
    ],
)
@pytest.mark.parametrize("verb", ["check", "hint"])
def test_a_wrong_name_is_answered_with_the_right_one(hearts, root, verb, names, advice):
    assert hearts(f"{verb} {names}") == (2, "", f"hearts: {advice}\n")


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


def test_outside_a_workspace_the_error_says_how_to_make_one(hearts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in ("check", "hint worth", "progress", "submit 1"):
        assert hearts(line) == (
            2,
            "",
            f"hearts: {tmp_path} is not a workspace; "
            "make one with `hearts start DIR` and go there\n",
        )


def test_a_missing_state_file_is_reported_with_the_fix(hearts, root):
    (root / ".hearts.json").unlink()
    said = f"hearts: {root}: .hearts.json is missing; `hearts start .` there makes a new one\n"
    assert hearts("check") == (2, "", said)
    assert hearts("start .")[0] == 0
    assert hearts("progress")[0] == 0


def test_a_workspace_is_found_from_a_near_folder_or_by_option(hearts, root, tmp_path, monkeypatch):
    for folder in (root / "briefs", tmp_path):
        monkeypatch.chdir(folder)
        assert hearts("progress")[0] == 0
        assert f"Hearts {root} " in " ".join(hearts("")[1].split())
    assert hearts("start other")[0] == 0
    assert hearts("progress")[0] == 2
    for line in ("check worth", "hint worth", "progress", "submit 1 --anyway"):
        assert hearts(f"{line} --dir mine")[0] in (0, 1)


def test_each_hint_is_the_next_one(hearts, root):
    texts = [hearts("hint worth")[1] for _ in range(3)]
    assert "Hint 1 of 2" in texts[0]
    assert "How many coins are there?" in texts[0]
    assert "Hint 2 of 2 " in texts[1]
    assert "Look at `if`." in texts[1]
    assert "Hint 2 of 2; there are no more" in texts[2]


def test_hints_taken_are_shown_again_without_taking_another(hearts, root):
    assert hearts("hint worth --again")[1] == "No hint taken yet.\n"
    hearts("hint worth")
    for _ in range(2):
        out = hearts("hint worth --again")[1]
        assert ("Hint 1 of 2" in out, "Hint 2 of 2" in out) == (True, False)


@pytest.mark.parametrize("names", ["", " 01-coins"])
def test_a_hint_needs_a_task(hearts, root, names):
    assert hearts(f"hint{names}") == (
        2,
        "",
        "hearts: name a task of 01-coins, as in `hearts hint worth`: worth, purse, total\n",
    )


def test_a_hint_taken_during_a_check_is_kept(hearts, root, monkeypatch):
    def check_slowly(*given, **options):
        hearts("hint purse")
        return check_work(*given, **options)

    monkeypatch.setattr(student, "check_work", check_slowly)
    hearts("check worth")
    assert "Hint 1 of 1" in hearts("hint purse --again")[1]


def test_progress_shows_checks_points_and_hints(hearts, root):
    write(root, FIVE_PENCE)
    hearts("check worth")
    hearts("check purse")
    hearts("hint worth")
    rows = [" ".join(line.split()) for line in hearts("progress")[1].splitlines()]
    assert rows[:5] == [
        "task last check visible points hints",
        "01 Coins and purses 4 of 6",
        "1 What a coin is worth ◐ 1 of 2 pass 1 of 2 1 of 2",
        "2 A purse (elective) ✓ passed 3 of 3 0 of 1",
        "3 Add up ○ not checked yet 0 of 1 0 of 1",
    ]


def test_submit_packs_the_program_into_a_zip(hearts, root):
    write(root, FIVE_PENCE)
    status, out, err = hearts("submit 1")
    assert (status, err) == (0, "")
    assert "1 of 2 checks pass" in out
    assert "Packed: submissions/01-coins.zip\n" in out
    assert "It holds coins.py.\n" in out
    with zipfile.ZipFile(root / "submissions/01-coins.zip") as archive:
        assert archive.read("coins.py").decode() == FIVE_PENCE


def test_submit_checks_what_is_in_the_zip(hearts, root, monkeypatch):
    write(root, REFERENCE)
    other = zipped({"coins.py": FIVE_PENCE.encode()})
    monkeypatch.setattr("hearts_course.student.work.zipped", lambda files: other)
    assert "1 of 2 checks pass" in hearts("submit 1")[1]
    monkeypatch.setattr("hearts_course.student.work.zipped", lambda files: b"no zip")
    assert hearts("submit 1") == (
        2,
        "",
        "hearts: 01-coins.zip could not be read by the grader: "
        "the zip is damaged; make it again and submit it again\n",
    )


def test_submit_keeps_the_former_zip(hearts, root):
    write(root, FIVE_PENCE)
    hearts("submit 1")
    write(root, REFERENCE)
    assert "is now submissions/01-coins-1.zip." in hearts("submit 01-coins")[1]
    assert "It holds coins.py, the same as before." in hearts("submit 01-coins")[1]


def test_submit_refuses_the_starter_without_anyway(hearts, root):
    assert hearts("submit 1") == (
        2,
        "",
        "hearts: coins.py: still the starter as it was handed out; write a task first, "
        "or add --anyway\n",
    )
    assert not (root / "submissions").exists()
    assert hearts("submit 1 --anyway")[0] == 0


@pytest.mark.parametrize(
    ("name", "right"), [("coins_final.py", "coins.py"), ("01-coins (1).ipynb", "01-coins.ipynb")]
)
def test_a_program_beside_the_starter_is_named(hearts, root, name, right):
    (root / name).write_text(REFERENCE, encoding="utf-8")
    said = f"{name} was not read; if {name} is your program, hand it in as {right}"
    starter = "coins.py: still the starter as it was handed out"
    assert hearts("submit 1") == (2, "", f"hearts: {starter}; {said}, or add --anyway\n")
    assert " ".join(hearts("check")[1].split()).startswith(f"Note: {starter}; {said} 01 Coins")
    write(root, REFERENCE)
    assert "Note:" not in hearts("check")[1]


def test_submit_refuses_a_program_that_is_not_python(hearts, root):
    write(root, "def f(:\n")
    error = "hearts: coins.py:1: invalid syntax in `def f(:`; fix it before you hand it in\n"
    assert hearts("submit 1") == (2, "", error)


def test_a_damaged_state_file_is_reported_and_replaced(hearts, root):
    (root / ".hearts.json").write_text("{", encoding="utf-8")
    status, out, err = hearts("hint worth")
    assert (status, "Hint 1 of 2" in out) == (0, True)
    assert err == (
        "hearts: .hearts.json was damaged; it is now .hearts.json.damaged, and a new one began\n"
    )


@pytest.mark.parametrize(("line", "shown"), [("hint worth", "Hint 1 of 2"), ("check", "0 of 6 po")])
def test_a_state_that_cannot_be_written_is_a_note(hearts, root, monkeypatch, line, shown):
    def refuse(path, _):
        raise disk_error(path, PermissionError(13, "Access is denied"))

    monkeypatch.setattr("hearts_course.student.workspace.save_state", refuse)
    status, out, err = hearts(line)
    assert (status, shown in out) == (int(line == "check"), True)
    assert err == (
        f"hearts: your checks and hints are not remembered: {root / '.hearts.json'}: "
        "Access is denied; choose a folder that you can write to\n"
    )


def test_plain_hearts_says_what_is_next(hearts, root):
    status, out, _ = hearts("")
    assert status == 0
    assert "  01 Coins and purses  □□□  0 of 3 tasks\n" in out
    assert "Next is task 1, What a coin is worth, in coins.py, or in 01-coins.ipynb.\n" in out
    assert "  Check it: hearts check worth\n" in out


def test_plain_hearts_goes_on_with_the_first_task_that_does_not_pass(hearts, root):
    write(root, REFERENCE.replace("return sum(", "return 1 + sum("))
    hearts("check")
    out = hearts("")[1]
    assert "■■□  2 of 3 tasks" in out
    assert "Next is task 3, Add up, in coins.py.\n" in out


def test_plain_hearts_names_the_one_file_that_holds_the_next_task(tmp_path, monkeypatch, capsys):
    course = two_stages(tmp_path / "course", TWO_MODULES)
    root = start_workspace(course, tmp_path / "mine").root
    write(root, REFERENCE)
    (root / "bank.py").write_text(TWO_MODULES["solutions/02-bank/bank.py"], encoding="utf-8")
    cli.run(["check", "02", "--dir", str(root)], course)
    monkeypatch.chdir(root)
    cli.run([], course)
    assert "Next is task 2, Serve, in teller.py.\n" in capsys.readouterr().out


def test_plain_hearts_says_when_to_hand_in(hearts, root):
    write(root, REFERENCE)
    hearts("check")
    assert "  Hand it in: hearts submit 01-coins\n" in hearts("")[1]
    assert "Next is" not in hearts("")[1]
    hearts("submit 1")
    assert "Hand it in" not in hearts("")[1]
    assert "  It is packed: hand in submissions/01-coins.zip.\n" in hearts("")[1]
    write(root, f"{REFERENCE}# better\n")
    assert "  Hand it in: hearts submit 01-coins\n" in hearts("")[1]


def test_plain_hearts_outside_says_how_to_start(hearts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "  Start: hearts start my-hearts\n" in hearts("")[1]


def test_plain_hearts_in_the_course_shows_all_verbs(hearts, course, monkeypatch):
    monkeypatch.chdir(course.root / "assignments")
    out = hearts("")[1]
    assert out.startswith("You are in the course itself")
    assert "For students" in out
