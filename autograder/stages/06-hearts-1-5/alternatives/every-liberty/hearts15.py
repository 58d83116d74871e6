"""HEARTS 1.5, written with every liberty that the brief leaves.

    Complaint   a ValueError of this module's own; its text is the line that is said
    order       opponents choose their gifts first, and hands are sorted from the highest card down

More spellings of a number are accepted, the hidden card comes from the top of the pack, deals come
from an iterator that is no generator, and a computer remembers what it has seen.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import TextIOWrapper
from random import Random
from typing import NamedTuple, Protocol, TypeVar

from cards import Card, Hand, Rank, Suit
from legal import (
    DYNACOMP,
    Turn,
    best_card,
    first_leader,
    hearts_broken,
    legal_plays,
    points,
    winner,
)

SEATS = range(3)
YOU, PLAYER_2, PLAYER_3 = SEATS
NAMES = ("YOU", "PLAYER 2", "PLAYER 3")
HANDS = ("YOU", "HAND 2", "HAND 3")
ALL_POINTS = 26
VERBS = {"YOU": "WIN"}  # the others: WINS
HEADER = ("*****", "**** HEARTS 1.5 ****", "*****")
COPYRIGHT = ("(C) 1979 BY DYNACOMP", "ROCHESTER, NY 14618")
TYPING_ERROR = "ERROR IN TYPING, TRY AGAIN."
PASS_ERROR = "ERROR IN PASS, TRY AGAIN."
UNFINISHED = 1  # the exit status of a game that somebody left
PRINT_ZONE = 14  # columns from one tab to the next where BASIC printed a table

Answer = TypeVar("Answer")
Number = TypeVar("Number", int, float)


class Complaint(ValueError):
    """What somebody typed that cannot be used."""


def score_table(scores: Sequence[int], totals: Sequence[int]) -> list[str]:
    """Return the five lines that show each player's points in this deal and in all deals."""
    table = "\t{}\t{}\t{}\nTHIS\nGAME:\t{}\t{}\t{}\n-----\nTOTAL:\t{}\t{}\t{}"
    return table.format(*NAMES, *scores, *totals).splitlines()


def verdict(totals: Sequence[int]) -> str:
    """Return the line that names the winner, or all winners if they share the fewest points."""
    names = [name for name, total in zip(NAMES, totals, strict=True) if total <= min(totals)]
    if len(names) == 1:
        return f"{names[0]} {VERBS.get(names[0], 'WINS')} THE GAME."
    return " AND ".join([", ".join(names[:-1]), names[-1]]) + " WIN THE GAME."


class Deal(NamedTuple):
    """A pack dealt to three: the hands by seat, and the card left over."""

    hands: list[Hand]
    hidden: Card


class Deals:
    """An iterator of deals that never ends; the top card of each pack is the hidden card."""

    def __init__(self, seed: float) -> None:
        """Begin with this seed; a whole number and the same number with a point are one seed."""
        self._rng = Random(f"HEARTS {float(seed)}")

    def __iter__(self) -> "Deals":
        return self

    def __next__(self) -> Deal:
        pack = [Card(suit, rank) for rank in Rank for suit in Suit]
        hidden, *rest = self._rng.sample(pack, len(pack))
        return Deal([Hand(rest[17 * seat : 17 * seat + 17]) for seat in SEATS], hidden)


shuffled_deals = Deals


class Talk(Protocol):
    """The other end of the conversation."""

    def ask(self, prompt: str) -> str:
        """Return the line typed after the prompt; raise EOFError if there is none."""

    def say(self, line: str = "") -> None:
        """Show a line, or several lines with line breaks between them."""


class Terminal:
    """A talk with a person at the keyboard."""

    def __init__(self) -> None:
        """Start the talk; input that is not text is accepted, and becomes a typing error."""
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def ask(self, prompt: str) -> str:
        """Return the line typed after the prompt; raise EOFError at the end of input."""
        return input(prompt)

    def say(self, line: str = "") -> None:
        """Print the line; on a screen, a tab moves to the next print zone."""
        print(line.expandtabs(PRINT_ZONE) if sys.stdout.isatty() else line)


class Script:
    """A talk written in advance: these lines are typed, and then the input ends."""

    def __init__(self, typed: Iterable[str]) -> None:
        """Prepare the lines that will be typed; `lines` records what the screen shows."""
        self._typed = iter(typed)
        self.lines: list[str] = []

    def ask(self, prompt: str) -> str:
        """Return the next line, and show it after the prompt; raise EOFError if there is none."""
        for line in self._typed:
            self.lines.append(f"{prompt}{line}")
            return line
        self.lines.append(prompt)
        raise EOFError

    def say(self, line: str = "") -> None:
        """Put the line on the screen."""
        self.lines += line.split("\n")


def tell(talk: Talk, *lines: str) -> None:
    """Say a paragraph: these lines, and an empty line."""
    for line in (*lines, ""):
        talk.say(line)


def ask_until(talk: Talk, prompt: str, read: Callable[[str], Answer]) -> Answer:
    """Ask, and return what `read` makes of the answer; say why it cannot be used."""
    try:
        return read(talk.ask(prompt).strip())
    except ValueError as complaint:
        talk.say(f"{complaint}")
    return ask_until(talk, prompt, read)


def read_number(text: str, low: int) -> float:
    """Return the number from `low` to 999 in any spelling that Python knows."""
    try:
        number = float(text)
    except ValueError:
        raise Complaint(TYPING_ERROR) from None
    if not low <= number <= 999:
        raise Complaint(TYPING_ERROR)
    return number


def read_limit(text: str) -> int:
    """Return a whole number from 1 to 999; `75.0` and `1e2` are whole."""
    number = read_number(text, 1)
    if number % 1:
        raise Complaint(TYPING_ERROR)
    return int(number)


def ask_limit(talk: Talk) -> int:
    """Ask for the points to play to."""
    talk.say("HOW MANY POINTS DO YOU")
    limit = ask_until(talk, "WISH TO PLAY TO? ", read_limit)
    talk.say("")
    return limit


def ask_seed(talk: Talk) -> float:
    """Ask for the number that decides the deals."""
    talk.say("INPUT A VALUE BETWEEN 0 AND 999")
    seed = ask_until(talk, "?", lambda text: read_number(text, 0))
    talk.say("")
    return seed


class Asker:
    """Somebody who asks for cards in a talk."""

    def __init__(self, talk: Talk) -> None:
        """Ask in that talk."""
        self.talk = talk

    def card(self, prompt: str, complaints: Callable[[Card], Iterable[str]]) -> Card:
        """Ask until there is a card without a complaint."""

        def read(text: str) -> Card:
            try:
                card = Card.parse(text)
            except ValueError:
                raise Complaint(TYPING_ERROR) from None
            for complaint in complaints(card):
                raise Complaint(complaint)
            return card

        return ask_until(self.talk, prompt, read)


class Person(Asker):
    """YOU: a player whose cards are asked for."""

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Ask until a card is typed that may be played."""
        allowed = legal_plays(turn)
        opener = turn.first_trick and not turn.trick
        reminder = f"YOU MUST LEAD THE {allowed[0]}"

        def complaints(card: Card) -> Iterator[str]:
            if card not in turn.hand:
                yield "ERROR IN LEAD, TRY AGAIN."
            elif card not in allowed:
                not_led = "ILLEGAL TO PLAY A HEART NOW"
                yield reminder if opener else "RENEGE, TRY AGAIN." if turn.trick else not_led

        if opener:
            self.talk.say(reminder)
        return self.card("YOU PLAY THE ?", complaints)

    def give(self, hand: Hand) -> list[Card]:
        """Ask until three different cards of the hand are typed."""
        gifts: dict[Card, None] = {}
        tell(self.talk, "SELECT 3 CARDS TO GIVE PLAYER 2")
        while len(gifts) < 3:
            left = set(hand) - set(gifts)
            gifts[self.card("?", lambda card, left=left: [PASS_ERROR] * (card not in left))] = None
        self.talk.say()
        return list(gifts)


class Player(Protocol):
    """An object that holds one of the three hands."""

    def give(self, hand: Hand) -> list[Card]:
        """Return the three cards of the hand that the player gives to the left."""

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Return the card that the player plays."""


class Prepared:
    """A player whose cards were chosen in advance, by their codes."""

    def __init__(self, gifts: str, plays: str) -> None:
        """Prepare cards such as `"KS AH KH"` and `"2C QD"`; there are three gifts per deal."""
        self._gifts = map(Card.parse, gifts.split())
        self._plays = map(Card.parse, plays.split())

    def give(self, hand: Hand) -> list[Card]:
        """Return the next three gifts."""
        return [next(self._gifts) for _ in range(3)]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Return the next card."""
        return next(self._plays)


def exchange(hands: Sequence[Hand], gifts: Sequence[Sequence[Card]]) -> list[Hand]:
    """Return new hands, sorted from the highest card down, after all gifts went to the left."""
    return [
        Hand(sorted({*hands[seat], *gifts[seat - 1]} - {*gifts[seat]}, reverse=True))
        for seat in SEATS
    ]


def play_tricks(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal whose cards have been passed, and return each seat's points."""
    held = [{*hand} for hand in deal.hands]
    leader = first_leader(deal.hands, PLAYER_3, DYNACOMP)
    taken: list[list[Card]] = [[], [], []]
    played: list[Card] = []
    hidden = [deal.hidden]
    while sum(map(cost, taken)) < ALL_POINTS:
        show_hand(talk, Hand(held[YOU]))
        if not played and str(deal.hidden) == "2C":
            talk.say("NOBODY HOLDS THE 2C, THE 3C LEADS.\n")
        trick: list[Card] = []
        for seat in (leader, (leader + 1) % 3, (leader + 2) % 3):
            broken = hearts_broken(played, DYNACOMP)
            more = {"first_trick": not played, "hearts_broken": broken}
            turn = Turn(Hand(sorted(held[seat])), DYNACOMP, trick[:], **more)
            card = players[seat].play(turn, played + hidden if played else [])
            held[seat].discard(card)
            trick.append(card)
            if seat:
                talk.say(f"{HANDS[seat]} PLAYS THE {card}")
        talk.say()
        leader = winner(trick, leader)
        taken[leader] += trick
        if not played:
            taken[leader] += hidden
            talk.say(f"*THE HIDDEN CARD WAS THE {deal.hidden}*\n")
        played += trick
    talk.say("ALL 26 POINTS HAVE\nBEEN ACCOUNTED FOR.\n")
    return [*map(cost, taken)]


def cost(cards: Iterable[Card]) -> int:
    """Return what these cards cost."""
    return sum(points(card, DYNACOMP) for card in cards)


def show_hand(talk: Talk, hand: Hand) -> None:
    """Show the cards of YOU, all in one text."""
    talk.say(f"YOUR HAND:\n\n{hand.show()}\n")


def play_deal(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal from its shuffling to its last trick, and return each seat's points."""
    talk.say("SHUFFLING\n\nDEALING\n\nSORTING\n")
    show_hand(talk, deal.hands[YOU])
    gifts = {seat: players[seat].give(Hand(deal.hands[seat])) for seat in (PLAYER_3, PLAYER_2, YOU)}
    tell(talk, "HAND #3 HAS PASSED TO YOU:")
    tell(talk, " ".join(map(str, gifts[PLAYER_3])))
    return play_tricks(
        talk, players, Deal(exchange(deal.hands, [gifts[seat] for seat in SEATS]), deal.hidden)
    )


def play_game(talk: Talk, players: Sequence[Player], deals: Iterable[Deal], limit: int) -> None:
    """Play deal after deal until somebody has at least `limit` points, then say who wins."""
    totals = [0 for _ in SEATS]
    for deal in deals:
        scores = play_deal(talk, players, deal)
        totals = [sum(both) for both in zip(totals, scores, strict=True)]
        tell(talk, *score_table(scores, totals))
        if max(totals) >= limit:
            tell(talk, verdict(totals))
            return


def main(
    talk: Talk,
    opponents: Sequence[Player] | None = None,
    deals: Iterable[Deal] | None = None,
) -> int:
    """Run the program, by default with two computers and shuffled deals; return its exit status."""
    try:
        tell(talk, *HEADER)
        tell(talk, *COPYRIGHT)
        limit, seed = ask_limit(talk), ask_seed(talk)
        players = [Person(talk), *(opponents or [Computer(), Computer()])]
        play_game(talk, players, deals or shuffled_deals(seed), limit)
    except (EOFError, KeyboardInterrupt):
        tell(talk, "", "GOODBYE.")
        return UNFINISHED
    return 0


class Computer:
    """An opponent that remembers all cards it has seen, and so knows which cards are high."""

    def __init__(self) -> None:
        """Begin with an empty memory."""
        self.memory: set[Card] = set()

    def give(self, hand: Hand) -> list[Card]:
        """Return the three most dangerous cards, and forget the last deal."""
        self.memory.clear()
        return sorted(hand, key=danger, reverse=True)[:3]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Duck with the most dangerous card, else play the least dangerous."""
        self.memory.update(seen, turn.trick)
        cards = sorted(legal_plays(turn), key=danger)
        for card in reversed(cards):
            if turn.trick and best_card([*turn.trick, card]) != card:
                return card
        return cards[0]


def danger(card: Card) -> tuple[int, Rank]:
    """Return how much the computer wants to get rid of the card: the greater, the more."""
    return ["KS", "QS"].index(str(card)) + 1 if str(card) in ("KS", "QS") else 0, card.rank


if __name__ == "__main__":
    sys.exit(main(Terminal()))
