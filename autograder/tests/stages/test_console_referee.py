"""The referee of the console game: a game by the rules passes, a doctored one is found out."""

import importlib.util
import random
import re

import pytest
from hearts_course.course import find_course
from references import loaded

COURSE = find_course()
GAME = COURSE.stage("04-console-game")
SEED = 11


@pytest.fixture(scope="module")
def referee():
    spec = importlib.util.spec_from_file_location("referee", GAME.autograder / "referee.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def told():
    """The sentences of a whole game of the reference's."""
    with loaded(COURSE, GAME) as modules:
        return [str(event) for event in modules["table"].new_game({}, SEED)]


def number(lines, words, nth=0):
    """The index of the nth line that has these words."""
    return [i for i, line in enumerate(lines) if re.search(words, line)][nth]


def without(words, nth=0):
    """Leaves a line out."""

    def doctor(lines):
        at = number(lines, words, nth)
        return lines[:at] + lines[at + 1 :]

    return doctor


def swapped(words, nth=0):
    """Tells a line after the next one."""

    def doctor(lines):
        at = number(lines, words, nth)
        return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]

    return doctor


def with_other(words, pattern, put, nth=0):
    """Puts something else into a line."""

    def doctor(lines):
        at = number(lines, words, nth)
        changed = re.sub(pattern, put, lines[at], count=1)
        assert changed != lines[at]
        return [*lines[:at], changed, *lines[at + 1 :]]

    return doctor


def next_seat(found):
    seats = ["North", "East", "South", "West"]
    return seats[(seats.index(found[0]) + 1) % 4]


def one_more(found):
    return str(int(found[0]) + 1)


PLAY = re.compile(r"(\w+) (leads|plays) the .* of (\w+)\.")


def a_revoke(lines):
    """A card that followed suit is kept for later, and another one played instead.

    It is one that did not take its trick, so that nothing else is wrong.
    """
    end = number(lines, "Score")
    plays = [PLAY.fullmatch(line) for line in lines[:end]]
    takers = [line.split()[0] for line in lines[:end] if "takes" in line]
    led = ""
    for at, play in enumerate(plays):
        if play and play[2] == "leads":
            led, taker = play[3], takers.pop(0)
        elif play and play[3] == led and play[1] != taker:
            for later, other in enumerate(plays[at:], start=at):
                if other and other[1] == play[1] and other[3] != led:
                    return exchanged(lines, at, later)
    raise AssertionError("no hand to doctor")


def exchanged(lines, at, later):
    """The same lines with the cards of two of them exchanged."""
    halves = [lines[i].split(" the ") for i in (at, later)]
    doctored = list(lines)
    doctored[at] = f"{halves[0][0]} the {halves[1][1]}"
    doctored[later] = f"{halves[1][0]} the {halves[0][1]}"
    return doctored


def the_same_deal_twice(lines):
    """The first deal once more, and the totals as they should be then."""
    end = number(lines, "Score") + 1
    doubled = re.sub(r"\d+", lambda found: str(int(found[0]) * 2), lines[end - 1])
    return [*lines[:end], *lines[: end - 1], doubled, *lines[end:]]


SEATS = "North|East|South|West"


@pytest.mark.parametrize(
    ("doctor", "fault"),
    [
        (without("deals"), "who deals was due"),
        (without("deals", 1), "who deals was due"),
        (without("leads the", 3), "who leads was due"),
        (without("plays the", 5), "it is the turn of|who plays which card was due"),
        (without("takes the trick", 2), "who takes the trick was due"),
        (without("takes the trick", 12), "who takes the trick was due"),
        (without("Score"), "the score was due"),
        (without("wins?[.]", -1), "at the end: who wins was due"),
        (lambda lines: lines[: len(lines) // 2], "at the end"),
        (lambda lines: [*lines, lines[0]], "the end was due"),
        (lambda lines: lines[: number(lines, "Score") + 1] + lines[-1:], "who deals was due"),
        (swapped("plays the", 0), "it is the turn of"),
        (swapped("plays the", 2), "who plays which card was due"),
        (with_other("leads", "2 of Clubs", "3 of Diamonds"), "2 of Clubs opens"),
        (with_other("leads", SEATS, next_seat, 1), "took the last trick"),
        (with_other("plays", SEATS, next_seat, 4), "it is the turn of"),
        (with_other("takes", SEATS, next_seat, 0), "has played the highest card of the suit led"),
        (with_other("takes", SEATS, next_seat, 12), "has played the highest card of the suit led"),
        (with_other("plays", "the .*", "the 2 of Clubs."), "was played before in this deal"),
        (with_other("Score", r"\d+", one_more), "the totals are"),
        (with_other("Score", r"\d+", one_more, -1), "the totals are"),
        (with_other("wins?[.]", SEATS, next_seat, -1), "the fewest points have"),
        (a_revoke, "should have followed suit with it in trick 1"),
        (the_same_deal_twice, "the same cards were dealt before"),
    ],
)
def test_a_doctored_game_is_found_out(referee, told, doctor, fault):
    (found,) = referee.faults("\n".join(doctor(told)))
    assert re.search(fault, found)


def test_a_game_by_the_rules_has_no_fault(referee, told):
    assert referee.faults("\n".join(told)) == []


def test_what_else_is_said_does_no_harm(referee, told):
    chatter = ["Welcome!", "", "Your hand: 2C 3C", "Your card? ", "West likes the 2 of Clubs."]
    lines = [text for line in told for text in (*chatter, f"Your card? {line}")]
    assert referee.faults("\n".join(lines)) == []


def test_a_user_never_deals(referee, told):
    dealer = told[0].split()[0]
    (found,) = referee.faults("\n".join(told), dealer)
    assert found.endswith("the dealer must be a computer player")


def test_a_fault_is_told_with_its_line(referee, told):
    (found,) = referee.faults("\n".join(told[1:]))
    assert found.startswith(f"line 1, {told[1]!r}: ")


@pytest.mark.parametrize("cards", range(4))
def test_the_cards_on_the_table_are_read_off(referee, told, cards):
    """The table is empty when nothing was played yet; a trick lies there until the next is led."""
    on_table = referee.open_trick("\n".join(told[: 1 + cards]))
    assert len(on_table) == cards


SUITS = ("Clubs", "Diamonds", "Hearts", "Spades")
RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King"]


def game_without_hands(seats, rng):
    """Four cards of one suit to each trick, and the aces last: nobody could have done wrong."""
    totals, at = [0, 0, 0, 0], 0
    while max(totals) < 100:
        yield f"{seats[at]} deals."
        left = {suit: rng.sample(range(12), 12) for suit in SUITS}
        left["Clubs"].remove(0)
        left["Clubs"].insert(0, 0)
        order = ["Clubs", *rng.sample([suit for suit in SUITS for _ in range(3)][1:], 11)]
        tricks = [[(left[suit].pop(0), suit) for _ in SUITS] for suit in order]
        taken = [0, 0, 0, 0]
        for trick in [*tricks, [(12, suit) for suit in SUITS]]:
            for i, (rank, suit) in enumerate(trick):
                name = [*RANKS, "Ace"][rank]
                yield f"{seats[(at + i) % 4]} {'plays' if i else 'leads'} the {name} of {suit}."
            at = (at + trick.index(max(card for card in trick if card[1] == trick[0][1]))) % 4
            taken[at] += sum((s == "Hearts") + 13 * ((r, s) == (10, "Spades")) for r, s in trick)
            yield f"{seats[at]} takes the trick."
        costs = [0 if points else 26 for points in taken] if 26 in taken else taken
        totals = [total + cost for total, cost in zip(totals, costs, strict=True)]
        told = ", ".join(f"{seat} {total}" for seat, total in zip(seats, totals, strict=True))
        yield f"Score: {told}."


def test_a_game_of_which_nobody_was_dealt_a_hand_is_found_out(referee, told):
    lines = list(game_without_hands(referee.SEATS, random.Random(3)))
    totals = [int(n) for n in re.findall(r"[0-9]+", lines[-1])]
    faults = referee.faults("\n".join([*lines, referee.verdict(totals)]))
    assert len(faults) == 1
    assert "nobody was ever void" in faults[0]
    assert referee.faults("\n".join(told)) == []
