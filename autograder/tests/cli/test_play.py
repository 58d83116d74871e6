"""`hearts play` with real games: through pipes, in a terminal, and with a student's program."""

import itertools
import re
import subprocess
import sys

import nbformat
import pytest
from hearts_course import cli
from hearts_course.course import find_course
from hearts_grader.authoring.notebook import notebook_text, solve
from proofs import proofs_after
from references import module_at
from student_course import start_workspace
from surroundings import typed
from terminal import Terminal

COURSE = find_course()
STAGE = COURSE.stage("04-console-game")
FLAGS = ("--watch", "--seed", "7")
WATCH = ("4", *FLAGS)
CARD = "Your card? "
BYE = "\nGoodbye. The game was not finished.\n"
MINE = "My very own game.\n"


def play(folder, *arguments, typed=""):
    """Run `hearts play` with pipes; return its exit status, output and error output."""
    done = subprocess.run(
        [sys.executable, "-m", "hearts_course", "play", *arguments],
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def play_here(monkeypatch, capsys):
    """Return a function that runs `hearts play` in this process, twice as fast as `play` does.

    The function types `lines`. It returns the exit status, the output and the error output.
    """

    def run(folder, *arguments, lines=()):
        monkeypatch.chdir(folder)
        typed(monkeypatch, lines)
        status = cli.run(["play", *arguments])
        return status, *capsys.readouterr()

    return run


def faults(transcript):
    """Return the faults that the stage's referee finds in the transcript of a game."""
    return module_at(STAGE.autograder / "referee.py").faults(transcript)


def own_sources(stage):
    """Return the reference's modules, with a welcome that shows whose program runs."""
    sources = stage.reference()
    return {m: text.replace('"""Hearts', f'"""{MINE}Hearts') for m, text in sources.items()}


def write_files(stage, root):
    for name, text in own_sources(stage).items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")


def write_notebook(stage, root):
    path = root / f"{stage.name}.ipynb"
    notebook = solve(nbformat.read(path, as_version=4), own_sources(stage))
    path.write_text(notebook_text(notebook), encoding="utf-8")


@pytest.fixture
def root(tmp_path):
    """A fresh workspace."""
    return start_workspace(COURSE, tmp_path / "mine").root


def test_a_game_is_watched_to_its_end(tmp_path):
    status, out, err = play(tmp_path, *WATCH)
    assert (status, err) == (0, "")
    assert faults(out) == []
    assert out.rstrip().endswith(" wins.")


def test_stage_and_flags_may_have_any_order(play_here, tmp_path):
    same = ("04-console-game", "--seed=7", "--watch"), ("04", "--", *FLAGS), WATCH
    assert len({play_here(tmp_path, *words) for words in same}) == 1


def test_the_game_refuses_wrong_flags(tmp_path):
    status, out, err = play(tmp_path, "4", "--seed", "lucky")
    assert (status, out) == (2, "")
    assert err.endswith("error: argument --seed: invalid int value: 'lucky'\n")


def test_through_a_pipe_a_wrong_card_is_refused_and_a_right_one_played(tmp_path):
    status, out, err = play(tmp_path, "4", "--play", "south", "--seed", "7", typed="xyzzy\n7c\n")
    assert f"{CARD}'xyzzy' is not a card" in out
    assert f"{CARD}South plays the 7 of Clubs." in out
    assert out.endswith(CARD + BYE)  # because the input has ended
    assert (status, err) == (1, "")


def test_a_closed_pipe_ends_the_game_quietly(tmp_path):
    command = [sys.executable, "-m", "hearts_course", "play", *WATCH]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as game:
        game.stdout.close()
        assert game.stderr.read() == b""


def test_in_a_terminal_cards_are_played_until_ctrl_c(tmp_path):
    game = Terminal("play", "4", "--seed", "7", cwd=tmp_path)
    game.expect("Watch, or play which seat? ")
    game.send("south")
    game.expect(CARD)
    game.send("xyzzy")
    assert "'xyzzy' is not a card" in game.expect(CARD)
    game.send("7c")
    assert "South plays the 7 of Clubs.\n" in game.expect(CARD)
    assert game.interrupt() == 1
    assert game.text.endswith(BYE)
    assert "hearts:" not in game.text
    assert "Traceback" not in game.text


def test_in_a_terminal_lines_can_be_edited_and_repeated(tmp_path):
    pytest.importorskip("readline")
    game = Terminal("play", "4", "--play", "south", "--seed", "7", cwd=tmp_path)
    game.expect(CARD)
    game.send("c\x017")  # Ctrl-A goes to the line's beginning
    assert "South plays the 7 of Clubs." in game.expect(CARD)
    game.send("\x1b[A")  # the up arrow shows the previous line again
    assert "7C may not be played" in game.expect(CARD)
    assert game.interrupt() == 1


@pytest.mark.parametrize(
    "ways",
    proofs_after(
        1,
        [
            [write_notebook, write_files, write_notebook],
            [write_files, write_notebook, write_files],
        ],
    ),
)
def test_in_a_workspace_the_students_own_game_is_played(play_here, root, ways):
    stages = (*COURSE.prerequisites(STAGE), STAGE)
    for stage, write in zip(stages, ways, strict=True):
        write(stage, root)
    status, out, err = play_here(root / "briefs", *WATCH)
    assert (status, err) == (0, "")
    assert out.startswith(MINE)
    assert faults(out) == []
    assert play(root.parent, "--dir", str(root), *WATCH) == (0, out, "")


def test_ctrl_c_ends_an_own_game_too(root):
    for stage in (*COURSE.prerequisites(STAGE), STAGE):
        write_notebook(stage, root)
    game = Terminal("play", "--play", "n", "--seed", "7", cwd=root)
    assert MINE in game.expect(CARD)
    assert game.interrupt() == 1
    assert game.text.endswith(BYE)


TYPED = ("KC 5D", "2C 9C QS", "xx", "", "")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("1", "7"), r"North holds 13 cards:\nS: [AKQJT2-9]*\nH: .*\n(.*\n)+\nWest holds"),
        (("2",), r"You may play: 2C 9C\nSo far KC takes the trick.\n\n.*'xx' is not"),
        (("2", "hart"), "There is no rule book HART; there are UVA181, ESTELL, HEART, CIT590, DYN"),
        (("3",), r"Seat 1 leads: A♠ T♠ Q♠ 9♠ K♠\n    Seat 1 takes the trick.\n(.*\n){18}$"),
        (("5", "7"), r" 1  left( +\d+){4}\n(.*\n)+ +together( +\d+){4}\nFewest points: \w+"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "shown",
)
def test_a_stage_without_a_game_shows_what_its_program_can_do(play_here, tmp_path, words, shown):
    status, out, err = play_here(tmp_path, *words, lines=TYPED)
    # With a seed, another process prints the same, although its hashes of strings differ.
    if "7" in words:
        assert play(tmp_path, *words) == (status, out, err)
    assert re.search(shown, out + err)
    assert status == ("hart" in words)


def test_in_a_workspace_the_students_own_program_is_shown_and_games_come_first(play_here, root):
    stage = COURSE.stages[0]
    with (root / "cards.py").open("a", encoding="utf-8") as file:
        file.write("# begun\n")
    assert re.search(r"cards\.py:\d+: not written yet", play_here(root, "1")[2])
    (root / "cards.py").write_text(stage.reference()["cards"].replace("♠", "!"), encoding="utf-8")
    assert play_here(root)[1].count(" holds 13 cards:") == 4
    write_files(STAGE, root)
    assert "legal.py" in play_here(root, *WATCH)[2]


def test_an_unwritten_game_is_reported(play_here, root):
    status, out, err = play_here(root)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"hearts: {COURSE.stages[0].name}: ")


def test_a_game_that_needs_an_unwritten_stage_names_it(play_here, root):
    write_files(STAGE, root)
    status, _, err = play_here(root, "--watch")
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("hearts: cards.py:")
    assert "not written yet (Task " in err
    assert err.endswith("; `hearts check 01-cards` says more\n")


def test_a_game_is_chosen_by_its_stage(tmp_path):
    status, out, err = play(tmp_path, "06", typed="75\n")
    assert (status, err) == (1, "")
    assert out.startswith("*****\n**** HEARTS 1.5 ****\n*****\n")
    assert out.endswith("BETWEEN 0 AND 999\n?\nGOODBYE.\n\n")


def test_in_a_terminal_a_deal_of_1980_is_played_to_its_table(tmp_path):
    game = Terminal("play", "06", cwd=tmp_path)
    for answer, question in (("", "TO? "), ("1", "\n?"), ("6.12", "PLAYER 2\n\n?")):
        game.send(answer)
        game.expect(question)
    pack = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
    for card in itertools.cycle(pack):  # after a card that is not allowed, the game asks again
        game.send(card)
        # Type a card only when the game asks for one: the terminal's echo would split the table.
        if not game.expect("?").endswith("?"):
            break
    assert game.finish() == 0
    assert f"\n{'':14}YOU{'':11}PLAYER 2{'':6}PLAYER 3\nTHIS\nGAME:{'':9}" in game.text
