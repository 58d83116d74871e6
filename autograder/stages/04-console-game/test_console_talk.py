"""Hidden checks of stage 04: the program as a user sees it, through pipes and in a terminal."""

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("referee", Path(__file__).with_name("referee.py"))
referee = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(referee)

SEAT_PROMPT, CARD_PROMPT = "Watch, or play which seat? ", "Your card? "
PATIENCE = 3  # tests that may wait in vain for a question; later tests fail at once
# Before the last deal, each seat has 99 points or less, and a deal costs 26: at most 16 deals.
MOST_QUESTIONS = 16 * 13
BOTH = pytest.mark.parametrize("terminal", [False, True])
WORDS = {suit[0]: suit for suit in referee.SUITS}
CODE = "[2-9TJQKA][CDHS]"


class Table:
    """A game in progress: what the program has said, and the answers that a test gives."""

    def __init__(self, game, in_vain):
        """Take a program that was started, and count vain waits by question."""
        self.game = game
        self.heard = ""
        self._in_vain = in_vain

    def listen(self, question=CARD_PROMPT):
        """Read up to the next question; return whether it is this one.

        If a program asks in other words, each test would wait until it times out.
        """
        if self._in_vain[question] == PATIENCE:
            pytest.fail(f"never asks {question!r}")
        self._in_vain[question] += 1
        fresh = self.game.expect(SEAT_PROMPT, CARD_PROMPT)
        self._in_vain[question] = 0
        self.heard += fresh
        return fresh.endswith(question)

    def answer(self, text, question=CARD_PROMPT):
        """Write a line; return what the program says up to its next question."""
        start = len(self.heard)
        self.game.send(f"{text}\n")
        self.listen(question)
        return self.heard[start:]

    def hand(self):
        """Return the codes of the hand that was shown last."""
        return shown("Your hand", self.heard)

    def legal(self):
        """Return the codes of the cards that may be played."""
        hand, trick = self.hand(), referee.open_trick(self.heard)
        if not trick:
            return ["2C"] if "2C" in hand else hand
        led = trick[0][1][0]
        return [code for code in hand if code[1:] == led] or hand

    def card(self):
        """Return the code of a card that may be played."""
        legal = self.legal()
        assert legal != []
        return legal[len(self.heard) % len(legal)]

    def leave(self, how):
        """End the input, or interrupt; return all that was said and the exit status."""
        getattr(self.game, how)()
        done = self.game.finish()
        return (done.out + done.err).decode(errors="replace"), done.status


def shown(label, text):
    """Return the codes in the last line that consists of this label and codes."""
    form = re.compile(rf"{label}: {CODE}(?: {CODE})*")
    for line in reversed(text.splitlines()):
        if form.fullmatch(said := referee.without_prompts(line.rstrip())):
            return re.findall(CODE, said)
    return []


def played(seat, text):
    """Return the codes of the cards that the seat has played, by the required sentences."""
    told = (sentence for _, sentence in referee.sentences(text))
    cards = (s["led"] or s["played"] for s in told if seat in (s["leader"], s["player"]))
    return [code(words) for words in cards]


def last_line(text):
    """Return the last line that is not empty."""
    return text.rstrip().rpartition("\n")[2]


def code(words):
    """Return the code of a card in words."""
    rank, suit = referee.read(words)
    return "23456789TJQKA"[rank] + suit[0]


def words(code):
    """Return the name of a card in words."""
    return f"{referee.RANKS['23456789TJQKA'.index(code[0])]} of {WORDS[code[1]]}"


@pytest.fixture
def begin(start, once):
    """Return a function that starts the program and reads up to this first question."""

    def call(question, *flags, terminal=False):
        in_vain = once.setdefault("in vain", Counter())
        table = Table(start("console", *flags, terminal=terminal), in_vain)
        assert table.listen(question)
        return table

    return call


@pytest.fixture
def sit(begin):
    """Return a function that starts the program and reads up to its question for a card."""
    return lambda *flags, terminal=False: begin(CARD_PROMPT, *flags, terminal=terminal)


@pytest.fixture
def watched(run, once):
    """Return a function that watches the game with a seed; it is played for one test only."""
    games = once.setdefault("watched games", {})

    def call(seed):
        if seed not in games:
            games[seed] = run("console", "--watch", "--seed", seed)
        return games[seed]

    return call


@pytest.mark.task("take-a-seat")
@pytest.mark.timeout(6)
@pytest.mark.parametrize("seed", ["0", "58"])
def test_a_watched_game_is_printed_from_deal_to_winner(watched, seed):
    """With `--watch`, the program prints a whole game, asks nothing and ends with exit status 0.

    A referee replays the game from what is printed.

    Try: Run `python console.py --watch --seed 4 < /dev/null`.
    """
    done = watched(seed)
    assert referee.faults(done.out.decode()) == []
    assert done.status == 0


@pytest.mark.task("take-a-seat")
@pytest.mark.timeout(6)
def test_a_seed_repeats_a_watched_game(watched, run, start):
    """The same seed prints the same game; another seed, or no seed, prints another game.

    Try: Run `python console.py --watch --seed 4` twice, and compare the two games.
    """
    game = watched("0").out
    assert run("console", "--watch", "--seed", "0").out == game
    assert watched("58").out != game
    deal, other_deal = (start("console", "--watch").expect("Score: ") for _ in range(2))
    assert other_deal != deal


@pytest.mark.task("take-a-seat")
@pytest.mark.parametrize("seat", ["north", "EAST", "s", "West"])
def test_the_dealer_is_never_the_user(sit, seat):
    """A computer player deals, whatever seat the user takes.

    Try: Run `python console.py --play east` several times, and look at who deals.
    """
    table = sit("--play", seat, "--seed", "9")
    assert len(table.hand()) == 13
    person = next(name for name in referee.SEATS if name[0] == seat[0].upper())
    assert referee.faults(table.heard, person, unfinished=True) == []


@pytest.mark.task("take-a-seat")
@pytest.mark.parametrize("answer", ["South", "n", "EAST", " W "])
def test_the_user_is_asked_for_a_seat(begin, answer):
    """Without flags the program asks for a seat: a name or its first letter, in any case.

    Spaces around the answer are ignored.

    Try: Start `python console.py` several times, and answer `East`, `s`, `WEST`, and `n` with
    spaces around it.
    """
    table = begin(SEAT_PROMPT, "--seed", "12")
    table.answer(answer)
    assert len(table.hand()) == 13


@pytest.mark.task("take-a-seat")
@pytest.mark.parametrize("nonsense", ["?", "", "7", "nowhere", "QS", "north east", "x" * 300])
def test_after_a_wrong_seat_the_program_asks_again(begin, nonsense):
    """At the first question, the program replies to a wrong answer or `?` and asks again.

    Try: Run `python console.py`, and answer `middle`.
    """
    table = begin(SEAT_PROMPT, "--seed", "12")
    said = table.answer(nonsense, SEAT_PROMPT)
    assert said.endswith(SEAT_PROMPT)
    assert said.removesuffix(SEAT_PROMPT).strip() != ""
    if nonsense == "?":  # one game is watched to its end, which takes long
        table.game.send("WATCH\n")
        assert table.game.finish().status == 0
    else:
        table.answer("South")
        assert len(table.hand()) == 13


@pytest.mark.task("take-a-seat")
@pytest.mark.parametrize(
    "flags", ["--play up", "--seed lucky", "--dance", "--watch --play North", "--play"]
)
def test_wrong_flags_are_refused(run, flags):
    """Flags that make no sense end the program with status 2 and a message, before any deal.

    Try: Run `python console.py` with `--watch` and `--play north` together, with `--seed x`, with
    `--play up`, and with `--play` alone.
    """
    done = run("console", *flags.split())
    assert [done.status, list(referee.sentences(done.out.decode()))] == [2, []]
    assert done.err.strip() != b""


@pytest.mark.task("take-a-seat")
@BOTH
@pytest.mark.timeout(5)
@pytest.mark.parametrize("how", ["end_input", "interrupt"])
def test_leaving_before_the_game(begin, how, terminal):
    """The program says goodbye when the user leaves at the first question.

    The user leaves by Ctrl-C or by ending the input. The exit status is 1, without a traceback.

    Try: Run `python console.py < /dev/null`.
    """
    text, status = begin(SEAT_PROMPT, terminal=terminal).leave(how)
    assert ["Goodbye" in last_line(text), "Traceback" in text, status] == [True, False, 1]


@pytest.mark.task("play-your-cards")
@pytest.mark.timeout(10)
@pytest.mark.parametrize("seat", ["South", "North"])
def test_a_whole_game_at_the_keyboard(sit, seat):
    """A user plays a whole game; a referee replays it and finds no fault.

    Try: Run `python console.py --play west`, and play the game to its end.
    """
    table = sit("--play", seat, "--seed", "64")
    questions = 0
    while table.heard.endswith(CARD_PROMPT) and questions < MOST_QUESTIONS:
        table.answer(table.card())
        questions += 1
    assert referee.faults(table.heard, seat) == []
    assert table.game.finish().status == 0


@pytest.mark.task("play-your-cards")
@BOTH
@pytest.mark.timeout(5)
def test_the_hand_is_shown_before_every_question(sit, terminal):
    """The hand is shown before each question; a card that was played is not in it any more.

    The user cannot see the cards in any other way.

    Try: Run `python console.py --play north`, and play a few cards.
    """
    table, chosen = sit("--play", "East", "--seed", "71", terminal=terminal), []
    dealt = sorted(table.hand())
    for _ in range(13):
        chosen.append(table.card())
        left = [card for card in table.hand() if card != chosen[-1]]
        table.answer(chosen[-1])
        if left:
            assert sorted(table.hand()) == sorted(left)
    assert sorted(chosen) == dealt
    assert played("East", table.heard)[:13] == chosen


@pytest.mark.task("play-your-cards")
@pytest.mark.timeout(5)
@pytest.mark.parametrize(("seed", "terminal"), [("81", False), ("82", True)])
def test_help_shows_exactly_the_legal_cards(sit, seed, terminal):
    """`?` shows exactly the cards that may be played, and plays none.

    Try: Run `python console.py --play north`, and answer `?` before each card.
    """
    table = sit("--play", "West", "--seed", seed, terminal=terminal)
    for _ in range(13):
        said = table.answer("?")
        assert sorted(shown("You may play", said)) == sorted(table.legal())
        assert list(referee.sentences(said)) == []
        table.answer(table.card())


@pytest.mark.task("play-your-cards")
@BOTH
@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "write",
    [
        lambda card: card.lower(),
        lambda card: words(card).upper(),
        lambda card: f"  {words(card)} ",
        lambda card: card.replace("T", "10"),
    ],
)
def test_a_card_may_be_written_in_any_way(sit, write, terminal):
    """The user names a card by its code or in words, in any case; spaces around it are ignored.

    Try: Run `python console.py --play north`, and write a card of your hand in words.
    """
    table = sit("--play", "North", "--seed", "93", terminal=terminal)
    for _ in range(6):
        card = table.card()
        assert played("North", table.answer(write(card))) == [card]


@pytest.mark.task("play-your-cards")
@BOTH
@pytest.mark.parametrize("entry", ["hello", "", "1S", "QQ", "play", "2", "\u2660" * 20, "x" * 500])
def test_after_nonsense_the_program_asks_again(sit, entry, terminal):
    """If the answer does not name a card, the program replies and asks again; nothing changes.

    Try: Run `python console.py --play north`, and answer `king`.
    """
    table = sit("--play", "North", "--seed", "17", terminal=terminal)
    said = table.answer(entry)
    assert said.endswith(CARD_PROMPT)
    assert said.replace(CARD_PROMPT, "").strip() != ""
    assert list(referee.sentences(said)) == []
    card = table.card()
    assert played("North", table.answer(card)) == [card]


@pytest.mark.task("play-your-cards")
@BOTH
@pytest.mark.timeout(5)
@pytest.mark.parametrize("held", [True, False])
def test_an_illegal_card_is_refused(sit, held, terminal):
    """A card that is not in the hand, or does not follow suit, is refused; nothing changes.

    The program names the card that it refuses, and the user tries again.

    Try: Run `python console.py --play north`, and answer with a card of a suit that was not led.
    """
    table = sit("--play", "South", "--seed", "29", terminal=terminal)
    pack = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
    wrong = 0
    while wrong < 4:
        hand, legal = table.hand(), table.legal()
        tried = [card for card in pack if card not in legal and (card in hand) == held][-1:]
        for card in tried:
            said = table.answer(card)
            assert card in said
            assert list(referee.sentences(said)) == []
            wrong += 1
        table.answer(table.card())
    assert referee.faults(table.heard, "South", unfinished=True) == []


@pytest.mark.task("play-your-cards")
@BOTH
@pytest.mark.timeout(5)
@pytest.mark.parametrize("cards", [0, 3])
@pytest.mark.parametrize("how", ["end_input", "interrupt"])
def test_leaving_a_game(sit, how, cards, terminal):
    """The program says goodbye when the user leaves in the middle of a game.

    The user leaves by Ctrl-C or by ending the input. The exit status is 1, without a traceback.

    Try: Run `python console.py --play north`, and press Ctrl-C at the second card.
    """
    table = sit("--play", "East", "--seed", "40", terminal=terminal)
    for _ in range(cards):
        table.answer(table.card())
    text, status = table.leave(how)
    assert ["Goodbye" in last_line(text), "Traceback" in text, status] == [True, False, 1]
