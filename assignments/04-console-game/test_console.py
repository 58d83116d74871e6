"""Visible checks of stage 04: the console, which is told how to read and to write."""

import re

import pytest

HELD = re.compile(r"Your hand: (.+)")


@pytest.fixture
def talk(console, stdlib):
    """Calls `main` with these flags and answers; then the input ends. Status and text come back."""

    def call(flags, *answers):
        text = stdlib("io").StringIO()
        write = stdlib("functools").partial(stdlib("builtins").print, file=text)
        typed = [*answers, stdlib("builtins").EOFError]
        read = stdlib("unittest.mock").Mock(side_effect=typed)
        return console.main(flags, read, write), text.getvalue()

    return call


@pytest.mark.task("take-a-seat")
@pytest.mark.timeout(5)
def test_who_watches_is_asked_nothing(talk):
    """With `--watch`, four computer players play a game to its end, and nobody is asked."""
    status, text = talk(["--watch", "--seed", "7"])
    assert [status, text.rstrip().splitlines()[-1].split()[-1][:3]] == [0, "win"]


@pytest.mark.task("take-a-seat")
@pytest.mark.timeout(5)
def test_without_flags_the_program_asks(talk):
    """Without flags the program asks who plays, and asks again until it understands."""
    status, text = talk(["--seed", "7"], "maybe", "", "?", "WATCH")
    assert [status, text.rstrip().splitlines()[-1].split()[-1][:3]] == [0, "win"]


@pytest.mark.task("take-a-seat")
def test_a_seat_is_taken_by_name_or_letter(talk):
    """A seat is named in full or by its first letter; then its hand of 13 cards is shown."""
    for answer in ("south", "N"):
        hands = HELD.findall(talk(["--seed", "7"], answer)[1])
        assert [len(hand.split()) for hand in hands[:1]] == [13]


@pytest.mark.task("play-your-cards")
def test_who_leaves_is_wished_goodbye(talk):
    """When the input ends, the program says goodbye and returns 1."""
    status, text = talk(["--play", "South", "--seed", "7"])
    assert [status, "Goodbye" in text.splitlines()[-1]] == [1, True]


@pytest.mark.task("play-your-cards")
def test_help_shows_what_may_be_played(talk):
    """`?` shows the cards that may be played, all of which are in the hand."""
    text = talk(["--play", "East", "--seed", "5"], "?")[1]
    held, may_play = HELD.search(text), re.search(r"You may play: (.+)", text)
    assert held
    assert may_play
    assert sorted(set(may_play[1].split()) - set(held[1].split())) == []


@pytest.mark.task("play-your-cards")
@pytest.mark.timeout(5)
def test_a_wrong_entry_changes_nothing(talk):
    """Nonsense is refused, and the question asked again; the game goes on as it was."""
    may_play = re.search(r"You may play: (.+)", talk(["--play", "East", "--seed", "5"], "?")[1])
    assert may_play
    card = may_play[1].split()[0]
    plain = talk(["--play", "East", "--seed", "5"], card)[1]
    confused = talk(["--play", "East", "--seed", "5"], "hello", "", "1S", card.lower())[1]
    assert told(confused) == told(plain)


@pytest.mark.task("play-your-cards")
def test_the_program_runs_as_a_script(start):
    """Run as a script, the program shows its prompts, and its exit status says how it ended."""
    game = start("console", "--seed", "7")
    assert game.hear("Watch, or play which seat? ").endswith("Watch, or play which seat? ")
    game.say("west\n")
    assert game.hear("Your card? ").endswith("Your card? ")
    game.end_input()
    assert game.finish().status == 1


def told(text):
    """The lines of what has happened so far."""
    return re.findall(r"\w+ (?:deals|(?:leads|plays) the .*|takes the trick)\.", text)
