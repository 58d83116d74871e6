"""`hearts play --worst`: which deals the page shows, and what it says the player knew."""

import re

import pytest
from hearts_course import cli
from hearts_course.course import find_course
from hearts_course.play import worst
from references import loaded

HEADING = re.compile(r"Deal (\d+) from (\w+): (-?\d+) points, a counter (-?\d+)<")


@pytest.fixture(name="run")
def _run(tmp_path, monkeypatch, capsys):
    """Return a function that runs `hearts play` with these words, on few deals in an empty folder.

    The function returns the exit status, the output and the error output.
    """
    monkeypatch.setattr(worst, "DEALS", 3)
    monkeypatch.chdir(tmp_path)

    def run(*words):
        status = cli.run(["play", *words])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_the_five_hands_with_the_largest_difference_are_replayed(run, tmp_path):
    player = "RandomPlayer(Random(1))"
    status, out, _ = run("08", "--worst", player)
    assert status == 0
    assert out == f"worst-deals.html: the five worst of the 12 hands that {player} has played\n"
    page = (tmp_path / "worst-deals.html").read_text("utf-8")
    found = HEADING.findall(page)
    assert len({(deal, seat) for deal, seat, *_ in found}) == 5
    differences = [int(score) - int(counter) for *_, score, counter in found]
    assert differences == sorted(differences, reverse=True)
    assert differences[0] > 0
    assert page.count("What did it know then?") == 5 * 13
    assert "<script" not in page


def test_a_counter_never_differs_from_itself(run, tmp_path):
    """The player is compared with itself, so no card is marked and no difference is shown."""
    course_players = "__import__('hearts_course.play.worst').play.worst"
    counter = f"{course_players}.CoursePlayer({course_players}.Opponent.COUNTER)"
    assert run("08", "--worst", counter)[0] == 0
    page = (tmp_path / "worst-deals.html").read_text("utf-8")
    assert {int(score) - int(counter) for *_, score, counter in HEADING.findall(page)} == {0}
    assert "A counter would have" not in page


def test_what_a_player_knew_at_a_card():
    course = find_course()
    stage = next(stage for stage in course.stages if stage.replays)
    with loaded(course, stage) as modules:
        parse = modules["cards"].Card.parse

        def hold(codes):
            return tuple(map(parse, codes.split()))

        view = modules["players"].View(
            seat=1,
            hand=hold("7C 9D"),
            book=modules["rulebook"].ESTELL_BOOK,
            tricks=(modules["match"].Trick(0, hold("2C 3C 4D 5C")),),
            trick=hold("KD"),
        )
        decision = worst._decision(view, "9D", "7C")
    assert (decision.hand, decision.legal) == ("7♣ 9♦", "9♦")
    assert (decision.card, decision.counter, decision.differs) == ("9♦", "7♣", True)
    assert decision.voids == ("South ♣",)
    assert decision.unseen[:2] == ("4♣ 6♣ 8♣ 9♣ T♣ J♣ Q♣ K♣ A♣", "2♦ 3♦ 5♦ 6♦ 7♦ 8♦ T♦ J♦ Q♦ A♦")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["08", "--worst", "Nobody()"], "'Nobody()' makes no player: NameError: "),
        (["08", "--worst", "Cautious"], "'Cautious' is not a player; write it as a call"),
        (["04", "--worst", "Cautious()"], "04-console-game has no replay; replays: 08-players, "),
    ],
)
def test_what_makes_no_page_is_one_line(run, tmp_path, words, message):
    status, _, err = run(*words)
    assert status == 2
    assert message in err
    assert not (tmp_path / "worst-deals.html").exists()
