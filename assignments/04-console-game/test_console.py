"""Visible checks of stage 04: the console, which reads and writes with what it is given."""

import re
from types import SimpleNamespace

import pytest

SEAT = "(?:North|East|South|West)"
CARD = r"(?:[2-9]|10|Jack|Queen|King|Ace) of (?:Clubs|Diamonds|Hearts|Spades)"
WON = rf"{SEAT} wins\.|{SEAT}(?:, {SEAT})* and {SEAT} win\."
CODE = "[2-9TJQKA][CDHS]"
WRITE = "lambda text: print(text, file=file)"  # one text, as the brief says


@pytest.fixture
def main(console, stdlib):
    """Return a function that calls your `main` with flags and typed lines; then the input ends.

    It returns the exit status, the prompts, and the lines that were written.
    """

    def call(flags, typed):
        text = stdlib("io").StringIO()
        write = stdlib("builtins").eval(WRITE, {"file": text})
        read = stdlib("unittest.mock").Mock(side_effect=[*typed, stdlib("builtins").EOFError])
        status = console.main(flags, read, write)
        prompts = [prompt for call in read.call_args_list for prompt in call.args]
        lines = text.getvalue().rstrip().splitlines()
        return SimpleNamespace(status=status, prompts=prompts, lines=lines)

    return call


def those(lines, form):
    """Return the lines that have exactly this form."""
    return [line for line in lines if re.fullmatch(form, line.rstrip())]


def played(lines, seat=SEAT):
    """Return the lines that say which cards the seat has played; of all seats by default."""
    return those(lines, rf"{seat} (?:leads|plays) the {CARD}\.")


def codes(lines, label):
    """Return the codes in the first line that consists of this label and codes."""
    return re.findall(CODE, "".join(those(lines, rf"{label}: {CODE}(?: {CODE})*")[:1]))


@pytest.mark.task("take-a-seat")
@pytest.mark.timeout(5)
def test_a_watched_game_asks_nothing(main):
    """With `--watch`, four computer players play a game to its end, and nothing is asked."""
    game = main(["--watch", "--seed", "7"], typed=[])
    assert [game.status, game.prompts, len(those(game.lines, WON))] == [0, [], 1]


@pytest.mark.task("take-a-seat")
@pytest.mark.timeout(5)
def test_without_flags_the_program_asks(main):
    """Without flags the program asks for a seat, and asks again until the answer makes sense."""
    game = main(["--seed", "7"], typed=["maybe", "", "?", "WATCH"])
    assert game.prompts == ["Watch, or play which seat? "] * 4
    assert [game.status, len(those(game.lines, WON))] == [0, 1]


@pytest.mark.task("take-a-seat")
@pytest.mark.parametrize(
    ("flags", "typed"),
    [
        (["--seed", "7"], ["south"]),
        (["--seed", "7"], ["N"]),
        (["--play", "North", "--seed", "7"], []),
    ],
)
def test_a_seat_is_chosen_by_name_or_letter(main, flags, typed):
    """The user names a seat in full or by its first letter, and is asked for it only once."""
    game = main(flags, typed=typed)
    seats = game.prompts.count("Watch, or play which seat? ")
    assert [seats, len(game.prompts) > seats] == [len(typed), True]


@pytest.mark.task("take-a-seat")
def test_nobody_watches_and_plays(console):
    """`--watch` together with `--play` is invalid and ends the program with exit status 2.

    A program that ignores one of the two flags does something that the user did not ask for.
    """
    try:
        status = console.main(["--watch", "--play", "South"], None, None)
    except SystemExit as error:
        status = int(str(error))
    assert status == 2


@pytest.mark.task("play-your-cards")
def test_the_program_says_goodbye_when_the_input_ends(main):
    """When the input ends, the program says goodbye in its last line and returns 1."""
    game = main(["--play", "South", "--seed", "7"], typed=[])
    assert [game.status, re.findall("Goodbye", game.lines[-1])] == [1, ["Goodbye"]]


@pytest.mark.task("play-your-cards")
def test_help_shows_what_may_be_played(main):
    """`?` shows which of the 13 codes in the line `Your hand: ` may be played.

    Both lines have nothing else in them, and single spaces between the codes.
    """
    game = main(["--play", "East", "--seed", "5"], typed=["?"])
    assert game.prompts == ["Your card? ", "Your card? "]
    assert len(codes(game.lines, "Your hand")) == 13
    assert codes(game.lines, "You may play") != []
    assert set(codes(game.lines, "You may play")) <= set(codes(game.lines, "Your hand"))


@pytest.mark.task("play-your-cards")
@pytest.mark.timeout(5)
def test_a_wrong_entry_changes_nothing(main):
    """After a wrong answer the program asks again, and the game goes on unchanged."""
    may_play = codes(main(["--play", "East", "--seed", "5"], typed=["?"]).lines, "You may play")
    assert may_play != []
    card = may_play[0]
    plain = main(["--play", "East", "--seed", "5"], typed=[card])
    confused = main(["--play", "East", "--seed", "5"], typed=["hello", "", "1S", card.lower()])
    assert played(confused.lines, "East") == played(plain.lines, "East")
    assert played(confused.lines) == played(plain.lines)


@pytest.mark.task("play-your-cards")
def test_the_program_runs_as_a_script(run):
    """The program also plays when it is run as a script; its exit status says how it ended."""
    done = run("console", "--seed", "7", stdin="west\n")
    assert re.findall(r"Your card\? ", done.out.decode())[:1] == ["Your card? "]
    assert done.status == 1
