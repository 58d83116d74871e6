"""Hidden checks of stage 06: whole deals and games, compared with the suite's own program."""

import importlib.util
import re
import sys
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest
from hearts_course import each

SPEC = importlib.util.spec_from_file_location(
    "old_program", Path(__file__).with_name("old_program.py")
)
old_program = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = old_program  # dataclasses look up their module there
SPEC.loader.exec_module(old_program)

HEADER = """\
*****
**** HEARTS 1.5 ****
*****
(C) 1979 BY DYNACOMP
ROCHESTER, NY 14618
HOW MANY POINTS DO YOU
WISH TO PLAY TO? {}
INPUT A VALUE BETWEEN 0 AND 999
?{}"""
TELLS = ("YOU PLAY", "HAND 2 PLAYS", "HAND 3 PLAYS")

# On the program's side: a player who records what it gets, and then changes it.
NOTING = """lambda codes, parse: (lambda notes, plays: __import__("types").SimpleNamespace(
    told=lambda: notes,
    play=lambda turn, seen: (
        notes.append([sorted(map(str, turn.hand)), [*map(str, turn.trick)], [*map(str, seen)],
            turn.first_trick, turn.hearts_broken and not turn.trick]),
        [turn.hand.remove(card) for card in list(turn.hand)],
        getattr(turn.trick, "clear", int)(),
        seen.clear(),
        next(plays),
    )[-1],
))([], map(parse, codes))"""
SCREEN = """lambda is_one: type("Screen", (__import__("io").StringIO,), {
    "isatty": lambda self: is_one,
})()"""
GIVING = """lambda player, codes, parse: (lambda notes: __import__("types").SimpleNamespace(
    told=lambda: notes,
    give=lambda hand: (
        notes.append(sorted(map(str, hand))),
        [hand.remove(card) for card in list(hand)],
        [parse(code) for code in codes],
    )[-1],
    play=player.play,
))([])"""


@pytest.fixture
def hold(cards):
    """Return a function that makes a hand of these codes."""
    return lambda codes: cards.Hand(each(cards.Card.parse, list(codes)))


@pytest.fixture
def deal(cards, hearts15, hold):
    """Return a function that makes a deal of these hands with that hidden card."""
    return lambda hands, hidden: hearts15.Deal(
        [hold(codes) for codes in hands], cards.Card.parse(hidden)
    )


@pytest.fixture
def prepared(hearts15):
    """Return a function that makes players for these seats, with the cards of these records."""
    return lambda records, *seats: [
        hearts15.Prepared(
            *(
                " ".join(code for record in records for code in part(record)[seat])
                for part in (lambda record: record.gifts, lambda record: record.plays)
            )
        )
        for seat in seats
    ]


@pytest.fixture
def note_takers(cards, stdlib):
    """Return a function that makes the players of a record, who note what they get."""
    noting = stdlib("builtins").eval(NOTING)
    return lambda record: [noting(codes, cards.Card.parse) for codes in record.plays]


def said(script):
    """Return the lines of the script's screen that are not empty."""
    return [line for line in script.lines if line]


def first_difference(lines, wanted):
    """Return the first difference of two screens: the line's number, its text, the right text."""
    for number, (line, other) in enumerate(zip_longest(lines, wanted), start=1):
        if line != other:
            return f"line {number}: {line!r} instead of {other!r}"
    return "no difference"


@cache
def tricks(seed, mistakes=0.0, **wanted):
    """Return the first record of this seed, without passing, that has what is wanted."""
    for number in range(9999):
        hands, hidden = old_program.shuffled(f"{seed} {number}")
        if hidden == wanted.get("hidden", hidden):
            record = old_program.by_lot(seed, hands, hidden, passing=False, mistakes=mistakes)
            if len(record.game.played) // 3 == wanted.get("length", len(record.game.played) // 3):
                return record
    raise AssertionError(seed)


@cache
def game(seed, number, mistakes=0.0):
    """Return the records of that number of deals, passing included."""
    return [
        old_program.by_lot(f"{seed} {at}", *old_program.shuffled(f"{seed} {at}"), mistakes=mistakes)
        for at in range(number)
    ]


def known(record, seat):
    """Return what that seat may know before each of its plays."""
    replay = old_program.Game(record.hands, record.game.hidden)
    replay.begin()
    plays, notes = [iter(codes) for codes in record.plays], []
    while not replay.over:
        if replay.turn == seat:
            held, trick, seen = sorted(replay.hands[seat]), [*replay.trick], [*replay.seen]
            notes.append([held, trick, seen, not replay.played, replay.broken and not trick])
        replay.play(next(plays[replay.turn]))
    return notes


# Play the first trick


@pytest.fixture
def first_trick(hearts15, deal):
    """Return a function that plays a record's deal and returns the lines up to the hidden card.

    What a program does after that line does not matter here: it may also end there with an error.
    """

    def play(record, players):
        script = hearts15.Script([])
        try:
            hearts15.play_tricks(script, players, deal(record.hands, record.game.hidden))
        except Exception:
            if not any("HIDDEN CARD" in line for line in script.lines):
                raise
        return up_to_the_hidden_card(said(script))

    return play


def up_to_the_hidden_card(lines):
    """Return the lines up to the one that names the hidden card; all, if none does."""
    return lines[: next((i for i, line in enumerate(lines, 1) if "HIDDEN" in line), None)]


@pytest.mark.task("play-the-first-trick")
@pytest.mark.parametrize(
    ("seed", "wanted"),
    [
        ("a", {}),
        ("b", {}),
        ("d", {}),
        ("e", {"hidden": "2C"}),
        ("f", {"hidden": "3C"}),
        ("g", {"hidden": "AH"}),
    ],
)
def test_the_first_trick_of_any_deal(first_trick, prepared, seed, wanted):
    """Whoever opens, the cards of the first trick are said in turn, and then the hidden card.

    Here YOU are not a person, so nothing is asked, and your card is not shown.

    Try: Call `play_tricks` with three `Prepared` players and a deal that PLAYER 3 opens.
    """
    record = tricks(seed, **wanted)
    lines = [line for line in record.game.lines if not line.startswith("YOU ")]
    shown = first_trick(record, prepared([record], 0, 1, 2))
    assert first_difference(shown, up_to_the_hidden_card(lines)) == "no difference"


@pytest.mark.task("play-the-first-trick")
@pytest.mark.parametrize("seed", ["notes of one", "notes of two"])
def test_players_of_the_first_trick_get_copies(first_trick, note_takers, seed):
    """In the first trick a player gets copies of the hand and the trick.

    If a player changes the copies, nothing changes in the game.

    Try: Write a player that clears its hand and its trick.
    """
    record = tricks(seed)
    shown = first_trick(record, note_takers(record))
    lines = [line for line in record.game.lines if not line.startswith("YOU ")]
    assert first_difference(shown, up_to_the_hidden_card(lines)) == "no difference"


@pytest.mark.task("play-the-first-trick")
@pytest.mark.parametrize("seed", ["notes of one", "notes of two"])
def test_what_players_of_the_first_trick_know(first_trick, note_takers, seed):
    """In the first trick a player gets the hand and the trick so far, and has seen no card.

    Try: Write a player that records what it gets.
    """
    record = tricks(seed)
    players = note_takers(record)
    first_trick(record, players)
    assert [player.told()[:1] for player in players] == [known(record, at)[:1] for at in range(3)]


# Play seventeen tricks


@pytest.mark.task("play-seventeen-tricks")
@pytest.mark.parametrize(
    ("seed", "wanted"),
    [
        ("first", {}),
        ("second", {"length": 17}),
        ("third", {"length": 15}),
        ("fourth", {"hidden": "QS"}),
        ("fifth", {"hidden": "AH"}),
        ("sixth", {"hidden": "2C"}),
        ("seventh", {"hidden": "2C", "length": 16}),
        ("eighth", {"hidden": "3C"}),
        ("ninth", {"hidden": "2H", "length": 16}),
    ],
)
def test_every_trick_is_shown(hearts15, deal, prepared, seed, wanted):
    """All of a deal is shown to the letter: every hand, the opponents' cards, the hidden card.

    This holds for any hidden card, and whenever the last point is taken. Here YOU are not a
    person, so nothing is asked, and your cards are not shown.

    Try: Call `play_tricks` with three `Prepared` players and a whole pack of cards.
    """
    record = tricks(seed, **wanted)
    script = hearts15.Script([])
    players = prepared([record], 0, 1, 2)
    points = hearts15.play_tricks(script, players, deal(record.hands, record.game.hidden))
    lines = [line for line in record.game.lines if not line.startswith("YOU ")]
    assert first_difference(said(script), lines) == "no difference"
    assert points == record.game.points


@pytest.mark.task("play-seventeen-tricks")
def test_playing_does_not_change_the_deal(hearts15, deal, prepared):
    """Playing a deal does not change its hands.

    So the same deal can be played again, perhaps by other players.

    Try: Call `play_tricks(script, players, deal)`, and then look at `deal.hands`.
    """
    record = tricks("again")
    dealt = deal(record.hands, record.game.hidden)
    for _ in range(2):
        points = hearts15.play_tricks(hearts15.Script([]), prepared([record], 0, 1, 2), dealt)
        assert points == record.game.points
    assert [str(hand) for hand in dealt.hands] == [" ".join(hand) for hand in record.hands]


@pytest.mark.task("play-seventeen-tricks")
@pytest.mark.parametrize(("seed", "hidden"), [("notes", "JH"), ("more notes", "9D")])
def test_players_get_copies_of_what_they_may_know(hearts15, note_takers, deal, seed, hidden):
    """A player gets copies of hand, trick and cards seen, and knows whether hearts are broken.

    The hidden card is the last of the cards seen, and breaks nothing. If a player changes the
    copies, nothing changes in the game.

    Try: Write a player that records what it gets, and then clears its hand and its trick.
    """
    record = tricks(seed, hidden=hidden)
    players = note_takers(record)
    points = hearts15.play_tricks(hearts15.Script([]), players, deal(record.hands, hidden))
    assert [player.told() for player in players] == [known(record, seat) for seat in range(3)]
    assert points == record.game.points


@pytest.mark.task("play-seventeen-tricks")
def test_a_short_deal(hearts15, deal, prepared):
    """A deal may be smaller than a full pack, if all 26 points are in it.

    Try: Call `play_tricks` with hands of six cards.
    """
    hands = ["AC TS 5H 4H 3H 2H", "3C QS 9H 8H 7H 6H", "2C 2D KH QH JH TH"]
    game = old_program.Game([codes.split() for codes in hands], "AH")
    game.begin()
    for code in ("2C", "AC", "3C", "TS", "QS", "2D"):
        game.play(code)
    while not game.over:
        game.play(game.legal()[0])
    plays = [[line[-2:] for line in game.lines if line.startswith(who)] for who in TELLS]
    players = [hearts15.Prepared("", " ".join(codes)) for codes in plays]
    script = hearts15.Script([])
    points = hearts15.play_tricks(script, players, deal([codes.split() for codes in hands], "AH"))
    lines = [line for line in game.lines if not line.startswith("YOU ")]
    assert first_difference(said(script), lines) == "no difference"
    assert points == game.points


# Pass and play


@pytest.mark.task("pass-and-play")
@pytest.mark.parametrize(
    ("seed", "mistakes"), [("north", 0), ("east", 0), ("south", 0.5), ("west", 0.5)]
)
def test_a_deal_from_shuffling_to_the_last_point(hearts15, deal, prepared, seed, mistakes):
    """A deal is shown from SHUFFLING to the last point: the hands, the gifts, the tricks.

    Try: Call `play_deal` with YOU as a `Person`, two `Prepared` opponents, and a deal of five cards
    each.
    """
    [record] = game(seed, 1, mistakes)
    script = hearts15.Script(record.typed)
    players = [hearts15.Person(script), *prepared([record], 1, 2)]
    dealt = deal(record.hands, record.game.hidden)
    points = hearts15.play_deal(script, players, dealt)
    assert first_difference(said(script), record.game.lines) == "no difference"
    assert points == record.game.points
    assert [str(hand) for hand in dealt.hands] == [" ".join(hand) for hand in record.hands]


@pytest.mark.task("pass-and-play")
@pytest.mark.parametrize("seed", ["careless", "clumsy", "confused"])
def test_typing_mistakes_lose_nothing(hearts15, deal, prepared, seed):
    """If YOU type something wrong, no card and no turn is lost, and the hand is not shown again.

    Try: Call `play_tricks` with YOU as a `Person` who makes three mistakes before each card.
    """
    record = tricks(seed, mistakes=0.7)
    script = hearts15.Script(record.typed)
    players = [hearts15.Person(script), *prepared([record], 1, 2)]
    points = hearts15.play_tricks(script, players, deal(record.hands, record.game.hidden))
    assert first_difference(said(script), record.game.lines) == "no difference"
    assert points == record.game.points


@pytest.mark.task("pass-and-play")
def test_all_players_give_before_anybody_receives(hearts15, cards, stdlib, deal, prepared):
    """Every player chooses once, from the hand that was dealt, before any card is passed.

    The player gets a copy of the hand, and may change it.

    Try: Write players whose `give` records the hand that it gets, and clears it.
    """
    [record] = game("copies", 1)
    make = stdlib("builtins").eval(GIVING)
    players = [
        make(player, record.gifts[seat], cards.Card.parse)
        for seat, player in enumerate(prepared([record], 0, 1, 2))
    ]
    dealt = deal(record.hands, record.game.hidden)
    assert hearts15.play_deal(hearts15.Script([]), players, dealt) == record.game.points
    assert [player.told() for player in players] == [[sorted(hand)] for hand in record.hands]


# Run the program


@pytest.fixture
def play(hearts15, deal, prepared):
    """Return a function that runs the program and returns its screen and exit status."""

    def call(records, limit, typed=None, seed="7"):
        mine = [code for record in records for code in record.typed] if typed is None else typed
        script = hearts15.Script([str(limit), seed, *mine])
        deals = [deal(record.hands, record.game.hidden) for record in records]
        status = hearts15.main(script, prepared(records, 1, 2), deals)
        return said(script), status

    return call


def screen(records, limit, end=(), seed="7"):
    """Return the lines of a whole game."""
    lines, totals = HEADER.format(limit, seed).splitlines(), [0, 0, 0]
    for record in records:
        scores = record.game.points
        totals = [sum(both) for both in zip(totals, scores, strict=True)]
        lines += [*record.game.lines, "\t" + "\t".join(old_program.NAMES), "THIS"]
        lines += ["\t".join(["GAME:", *map(str, scores)]), "-----"]
        lines += ["\t".join(["TOTAL:", *map(str, totals)])]
    return [*lines, *end]


def totals_of(records):
    """Return each player's points after these deals."""
    return [sum(record.game.points[seat] for record in records) for seat in range(3)]


def winners(totals):
    """Return the line that names the only winner."""
    best = totals.index(min(totals))
    return f"{old_program.NAMES[best]} {'WINS' if best else 'WIN'} THE GAME."


@pytest.mark.task("run-the-program")
@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    ("seed", "deals", "below"), [("one", 1, 0), ("two", 3, 0), ("three", 3, 3)]
)
def test_a_game_ends_at_its_limit(play, seed, deals, below):
    """The game ends after the deal in which a player reaches or exceeds the limit.

    The points of all deals add up, and the fewest points win.

    Try: Call `main` with a limit of 30 and two deals that cost PLAYER 3 15 points each.
    """
    records = game(seed, deals + 1)
    totals = totals_of(records[:-1])
    limit = max(totals) - below
    assert max(totals_of(records[:-2])) < limit
    lines, status = play(records, limit)
    wanted = screen(records[:-1], limit, [winners(totals)])
    assert first_difference(lines, wanted) == "no difference"
    assert status == 0


@pytest.mark.task("run-the-program")
@pytest.mark.timeout(5)
def test_the_game_ends_when_no_deal_is_left(play):
    """One point below the limit, the game continues; without more deals, it ends with no winner.

    Try: Call `main(script, opponents, [deal])` with a limit of 999.
    """
    records = game("five", 2, 0.3)
    limit = max(totals_of(records)) + 1
    lines, status = play(records, limit)
    assert first_difference(lines, screen(records, limit)) == "no difference"
    assert status == 0


@pytest.mark.task("run-the-program")
@pytest.mark.timeout(5)
def test_winners_may_share_a_game(play):
    """Two players who share the fewest points win together.

    Try: Call `main` with a limit of 13 and a deal that costs 13, 0 and 13 points.
    """
    record = next(
        record
        for number in range(999)
        for record in game(f"shared {number}", 1)
        if record.game.points.count(min(record.game.points)) == 2
    )
    points = record.game.points
    first, second = (
        name for name, at in zip(old_program.NAMES, points, strict=True) if at == min(points)
    )
    lines, status = play([record], 13)
    wanted = screen([record], 13, [f"{first} AND {second} WIN THE GAME."])
    assert first_difference(lines, wanted) == "no difference"
    assert status == 0


@pytest.mark.task("run-the-program")
@pytest.mark.parametrize("typed", [0, 2, 3, 9])
def test_leaving_a_game_says_goodbye(play, typed):
    """When the input ends, at any question, the program says goodbye and returns 1.

    Try: main(Script(["75", "1"]))
    """
    [record] = game("left", 1)
    lines, status = play([record], 100, record.typed[:typed])
    prompt = "?" if typed < 3 else "YOU PLAY THE ?"
    assert lines[-2:] == [prompt, "GOODBYE."]
    assert lines[9:12] == ["SHUFFLING", "DEALING", "SORTING"]
    assert status == 1


@pytest.mark.task("run-the-program")
def test_the_seed_that_is_typed_decides_the_deals(hearts15, cards, stdlib, prepared):
    """If `main` gets no deals, it plays the shuffled deals of the seed that was typed.

    Try: Call `main(Script(["75", "6.12"]))`, and compare your hand with
    `next(shuffled_deals(6.12)).hands[0]`.
    """
    first = stdlib("builtins").next(hearts15.shuffled_deals(40.5))
    hands = [each(str, hand) for hand in first.hands]
    record = old_program.by_lot("typed", hands, str(first.hidden))
    script = hearts15.Script(["999", "40.5", *record.typed])
    opponents = prepared([record, record], 1, 2)  # they are asked for a second deal as well
    assert hearts15.main(script, opponents) == 1
    wanted = screen([record], 999, seed="40.5")
    assert first_difference(said(script)[: len(wanted)], wanted) == "no difference"


@pytest.mark.task("run-the-program")
@pytest.mark.parametrize("screen_is_there", [True, False])
def test_a_terminal_shows_what_a_script_records(hearts15, stdlib, deal, prepared, screen_is_there):
    """A terminal shows the same game; on a screen, the table's columns are 14 wide.

    The test does not see what is typed: a keyboard echoes it, but a file does not.

    Try: Run `python hearts15.py`, and play a deal.
    """
    [record] = game("terminal", 1)
    system, texts = stdlib("sys"), stdlib("io")
    system.stdin = texts.StringIO("\n".join(["1", "7", *record.typed, ""]))
    system.stdout = stdlib("builtins").eval(SCREEN)(screen_is_there)
    dealt = deal(record.hands, record.game.hidden)
    status = hearts15.main(hearts15.Terminal(), prepared([record], 1, 2), [dealt])
    shown = system.stdout.getvalue()
    table = f"\tYOU\tPLAYER 2\tPLAYER 3\nTHIS\nGAME:\t{record.game.points[0]}\t"
    assert [status, (table.expandtabs(14) if screen_is_there else table) in shown] == [0, True]


@pytest.mark.task("run-the-program")
@pytest.mark.timeout(5)
@pytest.mark.parametrize(("typed", "terminal"), [("", False), ("75\n", False), ("75\n8\n", True)])
def test_ctrl_c_ends_the_program_politely(start, typed, terminal):
    """Ctrl-C at a question ends the program with GOODBYE and the exit status 1.

    There is no traceback, neither in a terminal nor through a pipe.

    Try: Run `python hearts15.py`, and press Ctrl-C.
    """
    program = start("hearts15", terminal=terminal)
    program.expect("WISH TO PLAY TO? ")
    for line, question in zip(typed.splitlines(), ["999\n?", "PLAYER 2"], strict=False):
        program.send(f"{line}\n")
        program.expect(question)
    program.interrupt()
    done = program.finish()
    text = (done.out + done.err).decode()
    assert [text.split()[-1], "Traceback" in text, done.status] == ["GOODBYE.", False, 1]


# Play quite well: a game against two computers


@pytest.mark.task("quite-good")
@pytest.mark.timeout(6)
def test_a_whole_game_against_the_computers(hearts15, stdlib):
    """A whole game can be played against the computers, and the same seed repeats it.

    Try: Call `main(Script(["20", "5", *codes]))`, where `codes` has all cards of a pack many times.
    """
    pack = old_program.PACK * 40
    screens = []
    for _ in range(2):
        script = hearts15.Script(["26", "3.5", *pack])
        screens.append((hearts15.main(script), said(script)))
    (status, lines), again = screens
    assert again == screens[0]
    told = [line for line in lines if re.fullmatch("HAND [23] PLAYS THE [2-9TJQKA][CDHS]", line)]
    assert len(told) > 20
    assert re.fullmatch(r"(YOU|PLAYER 2|PLAYER 3).* WINS? THE GAME\.", lines[-1])
    assert status == 0
