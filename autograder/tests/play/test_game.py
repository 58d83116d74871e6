"""Which game `hearts play` takes, and what it says of one that does not work."""

import shutil
import sys

import pytest
from hearts_course import cli
from hearts_course.authoring.notebook import as_text, build_notebook, solve
from hearts_course.course import Course, load_stage
from hearts_course.errors import StageError
from hearts_course.student.workspace import STATE_FILE
from student_course import REFERENCE, SECOND_STAGE, start_workspace, two_stages, use
from tiny_course import STAGE_TOML, write_course

COINS_TOML = STAGE_TOML.replace("source =", 'play = "coins"\nsource =')
BANK_TOML = "assignments/02-bank/stage.toml"
SCRIPT = """

# %% script
if __name__ == "__main__":
    print("Heads or tails?")
"""
COINS = REFERENCE + SCRIPT
BANK = '''\
"""Banks."""

import sys

from coins import Coin


def main():
    """Play."""
    print("I give you", Coin("dime").worth, *sys.argv)


if __name__ == "__main__":
    main()
'''


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Two stages that can be played."""
    toml = SECOND_STAGE[BANK_TOML].replace("source =", 'play = "bank"\nsource =')
    monkeypatch.setitem(SECOND_STAGE, BANK_TOML, toml)
    course = two_stages(tmp_path / "course", STAGE_TOML=COINS_TOML, REFERENCE=COINS)
    use(course, monkeypatch)
    return course


@pytest.fixture
def root(course, tmp_path, monkeypatch):
    """A workspace, to be in."""
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


@pytest.fixture
def broken(root, hearts):
    """Write a program in place of the bank's, and play it."""
    write(root, "coins.py", COINS)

    def played(text):
        write(root, "bank.py", text)
        return hearts("play")

    return played


def write(root, name, text):
    (root / name).write_text(text, encoding="utf-8")


def write_notebook(course, root, text):
    notebook = solve(build_notebook(course.stages[0]), {"coins": text})
    write(root, "01-coins.ipynb", as_text(notebook))


def test_where_the_solutions_are_the_last_game_is_played(hearts, course, monkeypatch):
    monkeypatch.chdir(course.root)
    write(course.root, "solutions/02-bank/bank.py", BANK)
    assert hearts("play a b") == (
        2,
        "",
        "hearts: no stage is called 'a'; there are: 01-coins, 02-bank\n",
    )
    assert hearts("play -a b --c=d") == (0, "I give you 10 bank.py -a b --c=d\n", "")
    assert hearts("play 1") == (0, "Heads or tails?\n", "")


def test_playing_leaves_a_damaged_memory_to_whoever_can_tell_of_it(hearts, root):
    write(root, "coins.py", COINS)
    write(root, STATE_FILE, "{")
    assert hearts("play 1") == (0, "Heads or tails?\n", "")
    assert (root / STATE_FILE).read_text(encoding="utf-8") == "{"


def test_without_solutions_one_is_led_to_a_workspace(hearts, course, tmp_path, monkeypatch):
    shutil.rmtree(course.root / "solutions")
    monkeypatch.chdir(tmp_path)
    said = f"{tmp_path} is not a workspace; make one with `hearts start DIR` and go there"
    assert hearts("play") == (2, "", f"hearts: {said}\n")


@pytest.mark.parametrize("flag", ["--py", "--notebook", "--dir ."])
def test_who_asks_for_their_own_game_does_not_get_ours(hearts, course, monkeypatch, flag):
    monkeypatch.chdir(course.root)
    status, out, err = hearts(f"play {flag}")
    assert (status, out, "is not a workspace" in err) == (2, "", True)


def test_a_stage_without_a_game_is_answered_with_those_that_have_one(hearts, course, monkeypatch):
    path = course.root / BANK_TOML
    path.write_text(path.read_text().replace('play = "bank"', ""))
    use(Course(course.root), monkeypatch)
    assert hearts("play 2") == (
        2,
        "",
        "hearts: 02-bank has nothing to play; games: 01-coins\n",
    )


def test_a_course_without_any_game_says_so(hearts, course, monkeypatch):
    for stage in course.stages:
        path = stage.assignment / "stage.toml"
        path.write_text(path.read_text().replace("play =", "# play ="))
    use(Course(course.root), monkeypatch)
    assert hearts("play") == (
        2,
        "",
        "hearts: this course has nothing to play; games: none\n",
    )


def test_a_game_that_is_no_module_of_the_stage_is_the_authors_fault(tmp_path):
    course = write_course(tmp_path, STAGE_TOML=COINS_TOML.replace('"coins"', '"coin"', 1))
    with pytest.raises(StageError, match="play = 'coin' is not a module of"):
        load_stage(tmp_path, course.root / "assignments/01-coins/stage.toml")


def test_the_last_game_that_was_begun_is_played(hearts, root):
    assert hearts("play") == (
        2,
        "",
        "hearts: 01-coins: there is no game to play before you write it; "
        "begin with briefs/01-coins.md\n",
    )
    write(root, "coins.py", COINS)
    assert hearts("play") == (0, "Heads or tails?\n", "")
    write(root, "bank.py", BANK)
    assert hearts("play") == (0, "I give you 10 bank.py\n", "")
    assert hearts("play 1")[1] == "Heads or tails?\n"


def test_the_form_that_was_changed_is_played(hearts, root, course):
    write_notebook(course, root, COINS.replace("Heads", "Mine: heads"))
    assert hearts("play")[0] == 0
    write(root, "coins.py", COINS)
    status, out, err = hearts("play")
    assert (status, out) == (0, "Heads or tails?\n")
    assert err.startswith("hearts: you changed both coins.py and 01-coins.ipynb; this is coins.py")
    assert hearts("play --notebook")[0] == 0


@pytest.mark.parametrize(
    ("end", "status", "err"),
    [("", 0, ""), ("0", 0, ""), ("3", 3, ""), ("None", 0, ""), ("'no cards'", 1, "no cards\n")],
)
def test_the_exit_status_is_the_games(broken, end, status, err):
    assert broken(f"import sys\nsys.exit({end})\n") == (status, "", err)


def test_an_interrupt_that_the_game_does_not_answer_ends_it(broken):
    assert broken("raise KeyboardInterrupt\n") == (130, "", "\nhearts: stopped\n")


def test_playing_leaves_nothing_behind(broken, monkeypatch):
    monkeypatch.setitem(sys.modules, "coins", sys)
    before = (list(sys.argv), list(sys.meta_path), dict(sys.modules))
    assert broken(BANK)[0] == 0
    after = (sys.argv, sys.meta_path, {name: sys.modules[name] for name in before[2]})
    assert after == before
    assert "bank" not in sys.modules


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nfor\n", "bank.py:2: SyntaxError: invalid syntax in `for`"),
        ("\nx = y\n", "bank.py:2: NameError: name 'y' is not defined in `x = y`"),
        ("assert 1 > 2\n", "bank.py:1: AssertionError in `assert 1 > 2`"),
        (
            "import coinz\n",
            "bank.py:1: ModuleNotFoundError: No module named 'coinz' in `import coinz`",
        ),
        ("\0", "bank.py:"),
    ],
)
def test_what_cannot_be_imported_is_said_in_a_line(broken, text, said):
    status, out, err = broken(text)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"hearts: {said}")
    assert err.endswith("; `hearts check 02-bank` says more\n")


def test_a_fault_in_an_earlier_stage_is_placed_there(root, broken):
    write(root, "coins.py", "worth = wroth\n")
    assert broken(BANK) == (
        1,
        "",
        "hearts: coins.py:1: NameError: name 'wroth' is not defined in `worth = wroth`; "
        "`hearts check 01-coins` says more\n",
    )


def test_a_fault_in_a_notebook_is_placed_there(hearts, root, course):
    write_notebook(course, root, COINS.replace("FACES = (", "FACES = int("))
    status, out, err = hearts("play")
    assert (status, out) == (1, "")
    assert err.startswith("hearts: 01-coins.ipynb, line 5 of its program: TypeError: ")


@pytest.mark.parametrize(("task", "which"), [("'Task 1: Worth'", " (Task 1: Worth)"), ("", "")])
def test_what_is_not_written_is_said_to_be_so(broken, task, which):
    text = f"def savings(face):\n    raise NotImplementedError({task})\n\n\nsavings('dime')\n"
    said = f"bank.py:2: not written yet{which}; `hearts check 02-bank` says more"
    assert broken(text) == (2, "", f"hearts: {said}\n")


def test_a_game_that_breaks_off_shows_the_way_there_and_nothing_of_ours(broken):
    status, out, err = broken(BANK.replace("*sys.argv", "1 / 0"))
    assert (status, out) == (1, "")
    assert err.splitlines()[0] == "Traceback (most recent call last):"
    assert err.count("  File ") == err.count('  File "bank.py"') == 2
    assert err.endswith(
        "ZeroDivisionError: division by zero\n"
        "hearts: bank.py:10: the game broke off here; `hearts check 02-bank` says more\n"
    )


def test_a_reference_that_breaks_off_is_for_its_author_to_verify(hearts, course, monkeypatch):
    monkeypatch.chdir(course.root)
    write(course.root, "solutions/02-bank/bank.py", "x = y\n")
    assert hearts("play")[2].endswith("; `hearts verify 02-bank` says more\n")


def test_plain_hearts_says_when_there_is_something_to_play(hearts, root):
    write(root, "coins.py", COINS)
    hearts("check")
    assert "  Play it: hearts play 01-coins\n" in hearts("")[1]
