"""Hidden checks of stage 06: whole deals and games, beside the suite's own program of 1980."""

import importlib.util
import re
import sys
import time
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest
from hearts_course import each

SPEC = importlib.util.spec_from_file_location(
    "old_program", Path(__file__).with_name("old_program.py")
)
old_program = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = old_program  # its data classes look themselves up there
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
A_MOMENT = 0.05  # a signal that comes between a prompt and its answer's reading is not noticed

# On the program's side: a player who notes down what they are told, and then spoils it.
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
    """A hand of these codes."""
    return lambda codes: cards.Hand(each(cards.Card.parse, list(codes)))


@pytest.fixture
def deal(cards, hearts15, hold):
    """A deal of these hands, with that hidden card."""
    return lambda hands, hidden: hearts15.Deal(
        [hold(codes) for codes in hands], cards.Card.parse(hidden)
    )


@pytest.fixture
def prepared(hearts15):
    """The players in these seats, as they gave and played in these records."""
    return lambda records, *seats: [
        hearts15.Prepared(
            *(
                " ".join(code for record in records for code in part(record)[seat])
                for part in (lambda record: record.gifts, lambda record: record.plays)
            )
        )
        for seat in seats
    ]


def said(script):
    """The lines of the script's screen that are not empty."""
    return [line for line in script.lines if line]


def first_difference(lines, wanted):
    """Where two screens differ first: the line's number, what it says, and what it should say."""
    for number, (line, other) in enumerate(zip_longest(lines, wanted), start=1):
        if line != other:
            return f"line {number}: {line!r} instead of {other!r}"
    return "no difference"


@cache
def tricks(seed, mistakes=0.0, **wanted):
    """The record of a deal that has been passed, the first of this seed with what is wanted."""
    for number in range(9999):
        hands, hidden = old_program.shuffled(f"{seed} {number}")
        if hidden == wanted.get("hidden", hidden):
            record = old_program.by_lot(seed, hands, hidden, passing=False, mistakes=mistakes)
            if len(record.game.played) // 3 == wanted.get("length", len(record.game.played) // 3):
                return record
    raise AssertionError(seed)


@cache
def game(seed, number, mistakes=0.0):
    """The records of so many deals, passing included."""
    return [
        old_program.by_lot(f"{seed} {at}", *old_program.shuffled(f"{seed} {at}"), mistakes=mistakes)
        for at in range(number)
    ]


def known(record, seat):
    """What that seat may know before each of its plays."""
    replay = old_program.Game(record.hands, record.game.hidden)
    replay.begin()
    plays, notes = [iter(codes) for codes in record.plays], []
    while not replay.over:
        if replay.turn == seat:
            held, trick, seen = sorted(replay.hands[seat]), [*replay.trick], [*replay.seen]
            notes.append([held, trick, seen, not replay.played, replay.broken and not trick])
        replay.play(next(plays[replay.turn]))
    return notes


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
def test_a_deal_is_told_trick_by_trick(hearts15, deal, prepared, seed, wanted):
    """A deal is played and told to the letter: who plays which card, YOUR HAND, the hidden card.

    Whatever is hidden, and whenever the last point is taken. YOU are no person here, so that
    nothing is asked, and no card of yours is told.

    Try: play_tricks(script, [Prepared(...), ...], deal), with a pack of cards
    """
    record = tricks(seed, **wanted)
    script = hearts15.Script([])
    players = prepared([record], 0, 1, 2)
    points = hearts15.play_tricks(script, players, deal(record.hands, record.game.hidden))
    lines = [line for line in record.game.lines if not line.startswith("YOU ")]
    assert first_difference(said(script), lines) == "no difference"
    assert points == record.game.points


@pytest.mark.task("play-seventeen-tricks")
def test_the_table_leaves_the_deal_alone(hearts15, deal, prepared):
    """The hands of a deal that was played are as they were.

    So the same deal can be played again, and others can try.

    Try: play_tricks(script, players, deal), and then look at deal.hands
    """
    record = tricks("again")
    dealt = deal(record.hands, record.game.hidden)
    for _ in range(2):
        points = hearts15.play_tricks(hearts15.Script([]), prepared([record], 0, 1, 2), dealt)
        assert points == record.game.points
    assert [str(hand) for hand in dealt.hands] == [" ".join(hand) for hand in record.hands]


@pytest.mark.task("play-seventeen-tricks")
@pytest.mark.parametrize(("seed", "hidden"), [("notes", "JH"), ("more notes", "9D")])
def test_players_are_told_what_they_may_know(hearts15, cards, stdlib, deal, seed, hidden):
    """A player is told hand, trick, and all cards seen; the hidden one behind the tricks so far.

    A player may do with these what they like: in the game nothing changes by it.

    Try: a player of your own that notes down what it is told, and then clears its hand and trick
    """
    record = tricks(seed, hidden=hidden)
    noting = stdlib("builtins").eval(NOTING)
    players = [noting(codes, cards.Card.parse) for codes in record.plays]
    points = hearts15.play_tricks(hearts15.Script([]), players, deal(record.hands, hidden))
    assert [player.told() for player in players] == [known(record, seat) for seat in range(3)]
    assert points == record.game.points


@pytest.mark.task("play-seventeen-tricks")
def test_a_short_deal(hearts15, deal, prepared):
    """A deal need not be a full pack, as long as all 26 points are in it.

    Try: play_tricks with hands of six cards
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
    """A deal is told from SHUFFLING to the last point: what was dealt, what was given and passed.

    Try: play_deal(script, [Person(script), Prepared(...), Prepared(...)], deal)
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
def test_you_play_among_mistakes(hearts15, deal, prepared, seed):
    """Whatever YOU type wrong, no card and no turn is lost; and the hand is not shown again.

    Try: play_tricks(script, [Person(script), ...], deal) with three mistakes before each card
    """
    record = tricks(seed, mistakes=0.7)
    script = hearts15.Script(record.typed)
    players = [hearts15.Person(script), *prepared([record], 1, 2)]
    points = hearts15.play_tricks(script, players, deal(record.hands, record.game.hidden))
    assert first_difference(said(script), record.game.lines) == "no difference"
    assert points == record.game.points


@pytest.mark.task("pass-and-play")
def test_nobody_sees_a_new_card_before_giving(hearts15, cards, stdlib, deal, prepared):
    """Every player chooses once, from the hand that was dealt, before any card is passed.

    A player may spoil the hand that is shown: it is a copy.

    Try: players of your own whose `give` notes down the hand that it gets, and clears it
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
    """Runs the program with these deals and a limit; its screen and exit status come back."""

    def call(records, limit, typed=None, seed="7"):
        mine = [code for record in records for code in record.typed] if typed is None else typed
        script = hearts15.Script([str(limit), seed, *mine])
        deals = [deal(record.hands, record.game.hidden) for record in records]
        status = hearts15.main(script, prepared(records, 1, 2), deals)
        return said(script), status

    return call


def screen(records, limit, end=(), seed="7"):
    """The lines of a whole game."""
    lines, totals = HEADER.format(limit, seed).splitlines(), [0, 0, 0]
    for record in records:
        scores = record.game.points
        totals = [sum(both) for both in zip(totals, scores, strict=True)]
        lines += [*record.game.lines, "\t" + "\t".join(old_program.NAMES), "THIS"]
        lines += ["\t".join(["GAME:", *map(str, scores)]), "-----"]
        lines += ["\t".join(["TOTAL:", *map(str, totals)])]
    return [*lines, *end]


def totals_of(records):
    """Everybody's points after these deals."""
    return [sum(record.game.points[seat] for record in records) for seat in range(3)]


def winners(totals):
    """The line that names the winner, who is alone here."""
    best = totals.index(min(totals))
    return f"{old_program.NAMES[best]} {'WINS' if best else 'WIN'} THE GAME."


@pytest.mark.task("run-the-program")
@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    ("seed", "deals", "below"), [("one", 1, 0), ("two", 3, 0), ("three", 3, 3)]
)
def test_a_game_ends_at_its_limit(play, seed, deals, below):
    """The game ends after the deal in which somebody reaches the limit, exactly or by more.

    The points of all deals add up, and who has the fewest wins.

    Try: main with a limit of 30 and two deals of 15 points for PLAYER 3
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
def test_deals_may_run_out(play):
    """One point below the limit the game goes on; if no deal is left, it ends without a winner.

    Try: main(script, opponents, [deal]) with a limit of 999
    """
    records = game("five", 2, 0.3)
    limit = max(totals_of(records)) + 1
    lines, status = play(records, limit)
    assert first_difference(lines, screen(records, limit)) == "no difference"
    assert status == 0


@pytest.mark.task("run-the-program")
@pytest.mark.timeout(5)
def test_winners_may_share_a_game(play):
    """Who shares the fewest points wins with the other.

    Try: main with a limit of 13, and a deal of 13, 0 and 13 points
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
def test_who_leaves_a_game(play, typed):
    """When the input ends, at whatever question, the program says goodbye and returns 1.

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
    """Without deals of its own, the program plays the shuffled deals of the number that was typed.

    Try: main(Script(["75", "6.12"])), and compare with next(shuffled_deals(6.12)).hands[0]
    """
    first = stdlib("builtins").next(hearts15.shuffled_deals(40.5))
    hands = [each(str, hand) for hand in first.hands]
    record = old_program.by_lot("typed", hands, str(first.hidden))
    script = hearts15.Script(["999", "40.5", *record.typed])
    assert hearts15.main(script, prepared([record], 1, 2)) == 1
    wanted = screen([record], 999, seed="40.5")
    assert first_difference(said(script)[: len(wanted)], wanted) == "no difference"


@pytest.mark.task("run-the-program")
@pytest.mark.parametrize("screen_is_there", [True, False])
def test_a_terminal_shows_what_a_script_notes(hearts15, stdlib, deal, prepared, screen_is_there):
    """The same game at a terminal; on a screen the table's columns are 14 wide.

    What is typed is not seen here: a keyboard echoes it, and a file does not.

    Try: python hearts15.py
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

    There is no traceback, be it through a pipe or in a terminal.

    Try: python hearts15.py, and press Ctrl-C
    """
    program = start("hearts15", terminal=terminal)
    program.expect("WISH TO PLAY TO? ")
    for line, question in zip(typed.splitlines(), ["999\n?", "PLAYER 2"], strict=False):
        program.send(f"{line}\n")
        program.expect(question)
    time.sleep(A_MOMENT)
    program.interrupt()
    done = program.finish()
    text = (done.out + done.err).decode()
    assert [text.split()[-1], "Traceback" in text, done.status] == ["GOODBYE.", False, 1]


# Play quite well: against the computers that come with the program


@pytest.mark.task("quite-good")
@pytest.mark.timeout(6)
def test_a_whole_game_against_the_computers(hearts15, stdlib):
    """Against the program's own opponents a whole game can be played; a seed repeats it.

    Try: main(Script(["20", "5", *codes])) with all cards of a pack typed again and again
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
