"""The referee of the console game accepts a game by the rules, and rejects any other game."""

import random
import re

import pytest
from hearts_course.course import find_course
from references import loaded, module_at

COURSE = find_course()
GAME = COURSE.stage("04-console-game")
SEED = 11


@pytest.fixture(scope="module")
def referee():
    return module_at(GAME.autograder / "referee.py")


@pytest.fixture(scope="module")
def game():
    """Return a list of the sentences that the reference says in a whole game."""
    with loaded(COURSE, GAME) as modules:
        return [str(event) for event in modules["table"].new_game({}, SEED)]


def index_of(lines, pattern, nth=0):
    """Return the index of the nth line that matches the pattern."""
    return [i for i, line in enumerate(lines) if re.search(pattern, line)][nth]


def edit(put, pattern, nth=0):
    """Return a function that changes two lines of a list: the nth matching line and the next.

    The two lines are replaced by the lines that `put` returns for them.
    """

    def change(lines):
        at = index_of(lines, pattern, nth)
        return [*lines[:at], *put(*lines[at : at + 2]), *lines[at + 2 :]]

    return change


def leave_out(*where):
    return edit(lambda line, *lines_after: lines_after, *where)


def put_after_next(*where):
    return edit(lambda line, next_line: (next_line, line), *where)


def replace(line, pattern, new, nth=0):
    def put(line, *lines_after):
        changed = re.sub(pattern, new, line, count=1)
        assert changed != line
        return changed, *lines_after

    return edit(put, line, nth)


def next_seat(match):
    seats = ["North", "East", "South", "West"]
    return seats[(seats.index(match[0]) + 1) % 4]


def one_more(match):
    return str(int(match[0]) + 1)


PLAY = re.compile(r"(\w+) (leads|plays) the .* of (\w+)\.")


def revoke(lines):
    """Exchange a card that followed suit with a later discard of the same player.

    The card did not take its trick, so nothing else is wrong.
    """
    end = index_of(lines, "Score")
    plays = [PLAY.fullmatch(line) for line in lines[:end]]
    takers = [line.split()[0] for line in lines[:end] if "takes" in line]
    led = ""
    for at, play in enumerate(plays):
        if play and play[2] == "leads":
            led = play[3]
            taker = takers.pop(0)
        elif play and play[3] == led and play[1] != taker:
            for later, later_play in enumerate(plays[at:], start=at):
                if later_play and later_play[1] == play[1] and later_play[3] != led:
                    return exchange_cards(lines, at, later)
    raise AssertionError("no player could revoke in this game")


def exchange_cards(lines, at, later):
    """Return the lines with the cards of the lines `at` and `later` exchanged."""
    (first_seat, card), (second_seat, discard) = (lines[i].split(" the ") for i in (at, later))
    changed = list(lines)
    changed[at], changed[later] = f"{first_seat} the {discard}", f"{second_seat} the {card}"
    return changed


def deal_twice(lines):
    """Return the lines with the first deal played twice, and with the right totals."""
    end = index_of(lines, "Score") + 1
    doubled = re.sub(r"\d+", lambda found: str(int(found[0]) * 2), lines[end - 1])
    return [*lines[:end], *lines[: end - 1], doubled, *lines[end:]]


SEATS = "North|East|South|West"
TAKER = "has played the highest card of the suit led"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (leave_out("deals"), "expected the dealer"),
        (leave_out("deals", 1), "expected the dealer"),
        (leave_out("leads the", 3), "expected the lead"),
        (leave_out("plays the", 5), "it is the turn of|expected a card"),
        (leave_out("takes the trick", 2), "expected the taker of the trick"),
        (leave_out("takes the trick", 12), "expected the taker of the trick"),
        (leave_out("Score"), "expected the score"),
        (leave_out("wins?[.]", -1), "at the end: expected the winner"),
        (lambda lines: lines[: len(lines) // 2], "at the end"),
        (lambda lines: [*lines, lines[0]], "expected the end"),
        (lambda lines: lines[: index_of(lines, "Score") + 1] + lines[-1:], "expected the dealer"),
        (put_after_next("plays the", 0), "it is the turn of"),
        (put_after_next("plays the", 2), "expected a card"),
        (replace("leads", "2 of Clubs", "3 of Diamonds"), "2 of Clubs opens"),
        (replace("leads", SEATS, next_seat, 1), "took the last trick"),
        (replace("plays", SEATS, next_seat, 4), "it is the turn of"),
        (replace("takes", SEATS, next_seat, 0), TAKER),
        (replace("takes", SEATS, next_seat, 12), TAKER),
        (replace("plays", "the .*", "the 2 of Clubs."), "was played before in this deal"),
        (replace("Score", r"\d+", one_more), "the totals are"),
        (replace("Score", r"\d+", one_more, -1), "the totals are"),
        (replace("wins?[.]", SEATS, next_seat, -1), "the fewest points have"),
        (revoke, "should have followed suit with it in trick 1"),
        (deal_twice, "the same cards were dealt before"),
    ],
)
def test_a_wrong_game_is_found_out(referee, game, change, fault):
    (found,) = referee.faults("\n".join(change(game)))
    assert re.search(fault, found)


def test_a_game_by_the_rules_has_no_fault_whatever_else_is_said(referee, game):
    chatter = ["Welcome!", "", "Your hand: 2C 3C", "Your card? ", "West likes the 2 of Clubs."]
    talkative = [text for line in game for text in (*chatter, f"Your card? {line}")]
    assert referee.faults("\n".join(game)) == []
    assert referee.faults("\n".join(talkative)) == []


def test_a_person_never_deals(referee, game):
    dealer = game[0].split()[0]
    (fault,) = referee.faults("\n".join(game), dealer)
    assert fault.endswith("the dealer must be a computer player")


def test_a_fault_names_its_line(referee, game):
    (fault,) = referee.faults("\n".join(game[1:]))
    assert fault.startswith(f"line 1, {game[1]!r}: ")


@pytest.mark.parametrize("cards", range(4))
def test_the_cards_on_the_table_are_known(referee, game, cards):
    for trick in (0, 1, 12):
        heard = "\n".join(game[: 1 + 5 * trick + cards])
        expected = [
            sentence["led"] or sentence["played"] for _, sentence in referee.sentences(heard)
        ]
        on_table = expected[len(expected) - cards :]
        assert referee.open_trick(heard) == [referee.read(words) for words in on_table]


SUITS = ("Clubs", "Diamonds", "Hearts", "Spades")
RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King", "Ace"]


def game_without_hands(seats, rng):
    """Yield the lines of a game in which nobody was dealt a hand; the lines agree with each other.

    All cards of a trick are of one suit, except in the last trick, which has the four aces.
    """
    totals = [0, 0, 0, 0]
    at = 0
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
                verb = "plays" if i else "leads"
                yield f"{seats[(at + i) % 4]} {verb} the {RANKS[rank]} of {suit}."
            at = (at + trick.index(max(card for card in trick if card[1] == trick[0][1]))) % 4
            taken[at] += sum((s == "Hearts") + 13 * ((r, s) == (10, "Spades")) for r, s in trick)
            yield f"{seats[at]} takes the trick."
        costs = [0 if points else 26 for points in taken] if 26 in taken else taken
        totals = [total + cost for total, cost in zip(totals, costs, strict=True)]
        scores = (f"{seat} {total}" for seat, total in zip(seats, totals, strict=True))
        yield f"Score: {', '.join(scores)}."


def test_a_game_without_dealt_hands_is_found_out(referee):
    lines = list(game_without_hands(referee.SEATS, random.Random(3)))
    totals = [int(total) for total in re.findall(r"[0-9]+", lines[-1])]
    (fault,) = referee.faults("\n".join([*lines, referee.verdict(totals)]))
    assert "nobody was ever void" in fault
