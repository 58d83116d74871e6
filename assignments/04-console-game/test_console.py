"""Visible checks of stage 04: the console, which reads and writes with what it is given."""

import re

import pytest

SEAT = "(?:North|East|South|West)"
CARD = r"(?:[2-9]|10|Jack|Queen|King|Ace) of (?:Clubs|Diamonds|Hearts|Spades)"
WON = rf"{SEAT} wins\.|{SEAT}(?:, {SEAT})* and {SEAT} win\."
CODE = "[2-9TJQKA][CDHS]"
BEFORE_THE_QUESTION = "A player must read what has happened before choosing a card."
BOTH = """\
try:
    status = main(["--watch", "--play", "South"], input, print)
except SystemExit as error:
    status = error.code
status
"""
GAME = """\
answers = iter(typed)
prompts, lines = [], []
def read(prompt):
    prompts.append(prompt)
    for answer in answers:
        if answer == "Ctrl-C":
            raise KeyboardInterrupt
        return answer
    raise EOFError
def write(text):
    lines.extend(str(text).splitlines())
status = main(flags, read, write)
status, prompts, lines
"""


def those(lines, form):
    """Return the lines that have exactly this form."""
    return [line for line in lines if re.fullmatch(form, line.rstrip())]


def played(lines, seat=SEAT):
    """Return the lines that say which cards the seat has played; of all seats by default."""
    return those(lines, rf"{seat} (?:leads|plays) the {CARD}\.")


def codes(lines, label):
    """Return the codes in the first line that consists of this label and codes."""
    return re.findall(CODE, "".join(those(lines, rf"{label}: {CODE}(?: {CODE})*")[:1]))


def end_of(done):
    """Return how a script ended: the last line of its error messages, and its exit status."""
    errors = done.err.decode(errors="replace").strip().splitlines()
    if errors:
        error = f"the error {errors[-1]}"
        if len(errors) > 1:
            error = f"{len(errors)} lines of errors, which end with {errors[-1]}"
        return f"{error}, and exit status {done.status}"
    ended = f"no error, and exit status {done.status}"
    return ended if done.out else f"{ended}, but nothing is printed"


def question_in(out):
    """Return the card question if a script's output has it, else how much it printed."""
    lines = out.decode(errors="replace").splitlines()
    asks = any("Your card? " in line for line in lines)
    if not asks and any("Your card?" in line for line in lines):
        return "the question without the blank at its end"
    return "the question: Your card? " if asks else f"{len(lines)} lines without that question"


@pytest.mark.task("take-a-seat")
@pytest.mark.timeout(5)
def test_a_watched_game_asks_nothing(console, typed):
    """With `--watch`, four computer players play a game to its end, and nothing is asked."""
    status, prompts, lines = typed(GAME, console, flags=["--watch", "--seed", "7"], typed=[])
    assert [status, prompts, len(those(lines, WON))] == [0, [], 1]


@pytest.mark.task("take-a-seat")
@pytest.mark.timeout(5)
def test_without_flags_the_program_asks(console, typed):
    """Without flags the program asks for a seat, and asks again until the answer makes sense."""
    status, prompts, lines = typed(
        GAME, console, flags=["--seed", "7"], typed=["maybe", "", "?", "WATCH"]
    )
    assert prompts == ["Watch, or play which seat? "] * 4
    assert [status, len(those(lines, WON))] == [0, 1]


@pytest.mark.task("take-a-seat")
@pytest.mark.parametrize(
    ("flags", "answers"),
    [
        (["--seed", "7"], ["south"]),
        (["--seed", "7"], ["N"]),
        (["--play", "North", "--seed", "7"], []),
    ],
)
def test_a_seat_is_chosen_by_name_or_letter(console, typed, flags, answers):
    """The user names a seat in full or by its first letter, and is asked for it only once."""
    _, prompts, lines = typed(GAME, console, flags=flags, typed=answers)
    seats = prompts.count("Watch, or play which seat? ")
    assert [seats, len(prompts) > seats] == [len(answers), True]
    assert len(those(lines, rf"{SEAT} deals\.")) == 1, BEFORE_THE_QUESTION


@pytest.mark.task("take-a-seat")
@pytest.mark.parametrize("answers", [[], ["Ctrl-C"]])
def test_the_user_may_leave_at_the_first_question(console, typed, answers):
    """If the input ends at the first question, or at Ctrl-C, the last line is a goodbye.

    A traceback would look like a crash. The exit status 1 tells the shell that no game was played.
    """
    status, prompts, lines = typed(GAME, console, flags=["--seed", "7"], typed=answers)
    written = [line for line in lines if line.strip()]
    assert [status, len(prompts), "Goodbye" in written[-1]] == [1, 1, True]


@pytest.mark.task("take-a-seat")
def test_nobody_watches_and_plays(console, typed):
    """`--watch` together with `--play` is invalid and ends the program with exit status 2.

    A program that ignores one of the two flags does something that the user did not ask for.
    """
    status = typed(BOTH, console)
    assert status == 2


@pytest.mark.task("play-your-cards")
def test_the_program_says_goodbye_when_the_input_ends(console, typed):
    """When the input ends, the program says goodbye in its last line and returns 1."""
    play = ["--play", "South", "--seed", "7"]
    status, _, lines = typed(GAME, console, flags=play, typed=[])
    written = [line for line in lines if line.strip()]
    assert [status, "Goodbye" in written[-1]] == [1, True]


@pytest.mark.task("play-your-cards")
def test_help_shows_what_may_be_played(console, typed):
    """`?` shows which of the 13 codes in the line `Your hand: ` may be played.

    The user cannot see the cards in any other way. Both lines have nothing else in them, and single
    spaces between the codes.
    """
    play = ["--play", "East", "--seed", "5"]
    _, prompts, lines = typed(GAME, console, flags=play, typed=["?"])
    assert prompts == ["Your card? ", "Your card? "]
    assert len(codes(lines, "Your hand")) == 13
    assert codes(lines, "You may play") != []
    hand = codes(lines, "Your hand")
    clubs = [code for code in hand if code[1] == "C"]
    wanted = ["2C"] if "2C" in clubs else clubs or hand
    assert sorted(codes(lines, "You may play")) == sorted(wanted), (
        "In the first trick the two of clubs opens, and a player who can follow suit must."
    )


@pytest.mark.task("play-your-cards")
@pytest.mark.timeout(5)
def test_a_wrong_entry_changes_nothing(console, typed):
    """After a wrong answer the program asks again, and the game goes on unchanged.

    Everybody types something wrong now and then. A card that may not be played is a wrong answer,
    too: the program writes why, with its code.
    """
    play = ["--play", "East", "--seed", "5"]
    _, _, asked = typed(GAME, console, flags=play, typed=["?"])
    may_play = codes(asked, "You may play")
    assert may_play != []
    _, _, plain = typed(GAME, console, flags=play, typed=[may_play[0]])
    assert len(played(plain, "East")) == 1, BEFORE_THE_QUESTION
    clubs_and_diamonds = [rank + suit for suit in "CD" for rank in "23456789TJQKA"]
    hand = codes(asked, "Your hand")
    not_held = [code for code in clubs_and_diamonds if code not in hand]
    wrong = ["hello", "", "1S", not_held[0], may_play[0].lower()]
    _, _, confused = typed(GAME, console, flags=play, typed=wrong)
    assert played(confused, "East") == played(plain, "East")
    assert played(confused) == played(plain)
    assert [line for line in confused if not_held[0] in line] != []


@pytest.mark.task("play-your-cards")
def test_the_program_runs_as_a_script(run):
    """The program also plays when it is run as a script; its exit status says how it ended."""
    done = run("console", "--seed", "7", stdin="west\n")
    assert end_of(done) == "no error, and exit status 1"
    assert question_in(done.out) == "the question: Your card? "
