"""`hearts play`: which game is played, and how an error in a game is explained."""

import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hearts_course import cli
from hearts_course.course import Course, find_course
from hearts_course.errors import CourseError
from hearts_course.play.run import run_game
from hearts_course.student.workspace import STATE_FILE
from hearts_course.view import players
from hearts_course.view.rules_of_thumb import PACK
from hearts_course.view.sampler import Worlds
from hearts_grader.authoring.notebook import build_notebook, notebook_text, solve
from student_course import REFERENCE, SECOND_STAGE, start_workspace, two_stages, use
from surroundings import knowledge_of_samplers, typed
from tiny_course import STAGE_TOML

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
    """Return a course of two stages, each with a game to play."""
    toml = SECOND_STAGE[BANK_TOML].replace("source =", 'play = "bank"\nsource =')
    monkeypatch.setitem(SECOND_STAGE, BANK_TOML, toml)
    course = two_stages(tmp_path / "course", STAGE_TOML=COINS_TOML, REFERENCE=COINS)
    use(course, monkeypatch)
    return course


@pytest.fixture
def root(course, tmp_path, monkeypatch):
    """Return the folder of a workspace, which is the current folder."""
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


@pytest.fixture
def play_bank(root, hearts):
    """Return a function that writes a text as bank.py, plays it, and returns what `hearts` did."""
    write(root, "coins.py", COINS)

    def played(text):
        write(root, "bank.py", text)
        return hearts("play")

    return played


def write(root, name, text):
    (root / name).write_text(text, encoding="utf-8")


def write_notebook(course, root, text):
    notebook = solve(build_notebook(course.stages[0]), {"coins": text})
    write(root, "01-coins.ipynb", notebook_text(notebook))


def test_outside_a_workspace_the_last_reference_is_played(hearts, course, monkeypatch):
    monkeypatch.chdir(course.root)
    write(course.root, "solutions/02-bank/bank.py", BANK)
    unknown = "hearts: no stage is called 'a'; there are: 01-coins, 02-bank\n"
    assert hearts("play a b") == (2, "", unknown)
    assert hearts("play -a b --c=d") == (0, "I give you 10 bank.py -a b --c=d\n", "")
    assert hearts("play 1") == (0, "Heads or tails?\n", "")
    write(course.root, "solutions/02-bank/bank.py", "x = y\n")
    assert hearts("play")[2].endswith("; `hearts verify 02-bank` says more\n")
    for flag in ("--py", "--notebook", "--dir ."):  # these options ask for the student's own game
        status, out, err = hearts(f"play {flag}")
        assert (status, out, "is not a workspace" in err) == (2, "", True)


def test_without_solutions_a_workspace_is_needed(hearts, course, tmp_path, monkeypatch):
    shutil.rmtree(course.root / "solutions")
    monkeypatch.chdir(tmp_path)
    message = f"{tmp_path} is not a workspace; make one with `hearts start DIR` and go there"
    assert hearts("play") == (2, "", f"hearts: {message}\n")


@pytest.mark.parametrize(
    ("key", "way"),
    [
        ("table", "play at its card table with `hearts play 02-bank --table`"),
        ("replays", "replay a player's worst deals with `hearts play 02-bank --worst PLAYER`"),
    ],
)
def test_a_stage_without_a_game_names_what_else_is_shown_of_it(
    hearts, course, monkeypatch, key, way
):
    path = course.stages[1].assignment / "stage.toml"
    path.write_text(path.read_text().replace("play =", f"{key} ="))
    use(Course(course.root), monkeypatch)
    assert hearts("play 2") == (2, "", f"hearts: 02-bank has no game; {way}; games: 01-coins\n")


@pytest.mark.parametrize(
    ("without", "command", "message"),
    [
        ((1,), "play 2", "02-bank has no game; games: 01-coins"),
        ((0, 1), "play", "this course has no game; games: none"),
        ((), "play 2 --table", "02-bank has no card table; card tables: none"),
    ],
)
def test_a_stage_without_a_game_is_answered_with_those_that_have_one(
    hearts, course, monkeypatch, without, command, message
):
    for stage in (course.stages[i] for i in without):
        path = stage.assignment / "stage.toml"
        path.write_text(path.read_text().replace("play =", "# play ="))
    use(Course(course.root), monkeypatch)
    assert hearts(command) == (2, "", f"hearts: {message}\n")


def test_in_a_workspace_the_last_game_begun_is_played(hearts, root):
    write(root, STATE_FILE, "{")
    status, out, err = hearts("play")
    assert (status, out) == (2, "")
    assert err.endswith("no game to play before you write it; begin with briefs/01-coins.md\n")
    write(root, "coins.py", COINS)
    assert hearts("play") == (0, "Heads or tails?\n", "")
    assert (root / STATE_FILE).read_text(encoding="utf-8") == "{"  # `play` does not repair it
    hearts("check")
    assert "  Play it: hearts play 01-coins\n" in hearts("")[1]
    write(root, "bank.py", BANK)
    assert hearts("play") == (0, "I give you 10 bank.py\n", "")
    assert hearts("play 1")[1] == "Heads or tails?\n"


def test_the_form_that_was_changed_is_played(hearts, root, course):
    write_notebook(course, root, COINS.replace("Heads", "Mine: heads"))
    assert hearts("play")[0] == 0
    write(root, "coins.py", COINS)
    status, out, err = hearts("play")
    assert (status, out) == (0, "Heads or tails?\n")
    assert err.startswith("hearts: you changed both coins.py and 01-coins.ipynb; coins.py is used")
    assert hearts("play --notebook")[0] == 0


@pytest.mark.parametrize(
    ("text", "status", "err"),
    [
        ("", 0, ""),
        ("import sys\nsys.exit(3)\n", 3, ""),
        ("import sys\nsys.exit(None)\n", 0, ""),
        ("import sys\nsys.exit('no cards')\n", 1, "no cards\n"),
        ("raise KeyboardInterrupt\n", 130, "\nhearts: stopped\n"),
    ],
)
def test_the_exit_status_is_that_of_the_game(play_bank, text, status, err):
    assert play_bank(text) == (status, "", err)


def test_playing_changes_nothing_in_the_process(play_bank, monkeypatch):
    monkeypatch.setitem(sys.modules, "coins", sys)
    before = (list(sys.argv), list(sys.meta_path), dict(sys.modules))
    assert play_bank(BANK)[0] == 0
    after = (sys.argv, sys.meta_path, {name: sys.modules[name] for name in before[2]})
    assert after == before
    assert "bank" not in sys.modules


BOTS = """
from random import Random
from types import SimpleNamespace

class Bot:
    def __init__(self, rng):
        self.rng = rng

    def choose(self, view):
        return self.rng.choice(view.legal)

def view(*trick):
    return SimpleNamespace(legal=["2D", "QS", "AH"], turn=SimpleNamespace(trick=trick))
"""
FIRST_CARDS = """
from bots import Bot, Random, view
print(*sorted({Bot(Random(seed)).choose(view("4C")) for seed in range(9)}))
"""


@pytest.mark.parametrize(
    ("bots", "chosen"),
    [
        (BOTS, "QS"),
        (BOTS.replace("self.rng.choice(view.legal)", "view.legal[0]"), "2D"),
        (BOTS.replace("self.rng.choice(view.legal)", "self.rng.choice([5])"), "5"),
        (BOTS.replace("turn=", "now="), "2D AH QS"),
        (BOTS.replace("turn=SimpleNamespace(trick=trick)", "trick=trick"), "QS"),
    ],
)
def test_computer_players_that_draw_by_lot_get_sensible_cards(bots, chosen, capsys):
    assert run_game(game_with(bots), []) == 0
    assert capsys.readouterr().out == f"{chosen}\n"


def test_the_traceback_shows_the_program_only(capsys):
    with pytest.raises(CourseError, match=r"bots.py:10: the game broke off here; `check it` says"):
        run_game(game_with(BOTS.replace("choice(view.legal)", "choice([])")), [])
    *files, library = re.findall(r'File "(.*?)"', capsys.readouterr().err)
    # Up to Python 3.11, the traceback lists a comprehension apart, so it may name a file twice.
    assert (list(dict.fromkeys(files)), Path(library).name) == (["main.py", "bots.py"], "random.py")


def game_with(bots):
    """Return a game whose module `bots` is this text."""
    modules = {"bots": bots, "main": FIRST_CARDS}
    work = SimpleNamespace(modules=modules, place=lambda module, line: f"{module}.py:{line}")
    return SimpleNamespace(
        modules=modules,
        works=[work],
        main="main",
        stage=SimpleNamespace(bot="bots.Bot", deal=""),
        check=lambda _: "check it",
    )


def test_the_computer_players_of_the_course_draw_by_lot(monkeypatch):
    tricks = []
    monkeypatch.setattr(
        players, "card_to_play", lambda legal, trick: tricks.append(len(trick)) or legal[0]
    )
    monkeypatch.chdir(find_course().root)
    (stage,) = (stage for stage in find_course().stages if stage.bot)
    assert cli.run(["play", stage.name, "--watch", "--seed", "7"]) == 0
    assert sorted(set(tricks)) == [0, 1, 2, 3]


COINZ = "ModuleNotFoundError: No module named 'coinz' in `import coinz`"
STUB = "def savings(face):\n    raise NotImplementedError({})\n\n\nsavings('dime')\n"


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("a = 1\nfor\n", 1, "bank.py:2: SyntaxError: invalid syntax in `for`"),
        ("\nx = y\n", 1, "bank.py:2: NameError: name 'y' is not defined in `x = y`"),
        ("assert 1 > 2\n", 1, "bank.py:1: AssertionError in `assert 1 > 2`"),
        ("import coinz\n", 1, f"bank.py:1: {COINZ}"),
        ("\0", 1, "bank.py:"),
        (STUB.format("'Task 1: Worth'"), 2, "bank.py:2: not written yet (Task 1: Worth)"),
        (STUB.format(""), 2, "bank.py:2: not written yet"),
    ],
)
def test_a_program_that_cannot_begin_is_explained_in_one_line(play_bank, text, status, message):
    found, out, err = play_bank(text)
    assert (found, out, err.count("\n")) == (status, "", 1)
    assert err.startswith(f"hearts: {message}")
    assert err.endswith("; `hearts check 02-bank` says more\n")


def test_an_error_is_placed_in_the_earlier_stage_or_the_notebook(hearts, root, course):
    write(root, "coins.py", "worth = wroth\n")
    write(root, "bank.py", BANK)
    assert hearts("play")[2] == (
        "hearts: coins.py:1: NameError: name 'wroth' is not defined in `worth = wroth`; "
        "`hearts check 01-coins` says more\n"
    )
    write_notebook(course, root, COINS.replace("FACES = (", "FACES = int("))
    status, out, err = hearts("play 1 --notebook")
    assert (status, out) == (1, "")
    assert err.startswith("hearts: 01-coins.ipynb, the first cell of coins, line 5: TypeError: ")


def test_a_game_that_breaks_off_shows_the_programs_own_traceback(play_bank):
    status, out, err = play_bank(BANK.replace("*sys.argv", "1 / 0"))
    assert (status, out) == (1, "")
    assert err.splitlines()[0] == "Traceback (most recent call last):"
    assert err.count("  File ") == err.count('  File "bank.py"') == 2
    assert err.endswith(
        "ZeroDivisionError: division by zero\n"
        "hearts: bank.py:10: the game broke off here; `hearts check 02-bank` says more\n"
    )


def test_the_kinds_of_computer_players_play_differently(capsys):
    games = []
    for kind in ("random", "cautious", "counter", "counter"):
        assert cli.run(["play", "04", "--watch", "--seed", "7", "--against", kind]) == 0
        games.append(capsys.readouterr().out)
    assert len({*games}) == 3
    assert games[2] == games[3]


def test_a_sampler_sees_each_card_of_the_user_and_what_it_holds_itself(monkeypatch):
    """The cards that the sampler has not seen are always the cards in the other hands."""
    told = knowledge_of_samplers(monkeypatch)
    typed(monkeypatch, PACK * 100)  # the game asks again after a card that is not allowed
    options = ["--play", "South", "--seed", "7", "--against", "sampler"]
    assert cli.run(["play", "04", *options]) == 0
    assert {len(knowledge.trick) for knowledge in told} == {0, 1, 2, 3}
    assert all(Worlds(knowledge).are_known for knowledge in told)
