"""HEARTS 1.5: the Hearts for three that DYNACOMP sold in 1980, and what it said on the screen.

    seat      0, 1 or 2, clockwise: YOU, PLAYER 2 (or HAND 2) and PLAYER 3 (or HAND 3)
    Deal      three hands of 17 cards by seat, and the hidden card, which goes with the first trick
    gifts     the three cards that a player gives to the left before the first trick
    seen      the cards of the tricks so far, in order, and after them the hidden card
    Talk      the other end of the conversation: a Terminal, or a Script written in advance
    Player    an object that gives and plays cards: a Person, a Computer, or one that is Prepared

Whom to talk to, which cards to deal and whom to play against is passed in, so a test can play
a game of 1980 again, letter for letter.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import TextIOWrapper
from random import Random
from typing import NamedTuple, Protocol, TypeVar

from cards import Card, Deck, Hand, Rank, Suit
from legal import (
    DYNACOMP,
    HeartsNotBroken,
    IllegalPlay,
    NotHeld,
    Revoke,
    Turn,
    WrongOpening,
    best_card,
    check_play,
    first_leader,
    hearts_broken,
    is_queen_of_spades,
    legal_plays,
    points,
    winner,
)

YOU = 0
NAMES = ("YOU", "PLAYER 2", "PLAYER 3")
ALL_POINTS = 26
HEADER = ("*****", "**** HEARTS 1.5 ****", "*****")
COPYRIGHT = ("(C) 1979 BY DYNACOMP", "ROCHESTER, NY 14618")
TYPING_ERROR = "ERROR IN TYPING, TRY AGAIN."
PASS_ERROR = "ERROR IN PASS, TRY AGAIN."
OPENING = "YOU MUST LEAD THE {}"
COMPLAINTS: dict[type[IllegalPlay], str] = {
    NotHeld: "ERROR IN LEAD, TRY AGAIN.",
    WrongOpening: OPENING,
    Revoke: "RENEGE, TRY AGAIN.",
    HeartsNotBroken: "ILLEGAL TO PLAY A HEART NOW",
}
UNFINISHED = 1
PRINT_ZONE = 14  # columns from one tab to the next where BASIC printed a table

Answer = TypeVar("Answer")


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
            self.lines.append(prompt + line)
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
        return [next(self._gifts) for _ in "123"]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Return the next card."""
        return next(self._plays)


class Deal(NamedTuple):
    """A pack dealt to three: the hands by seat, and the card left over."""

    hands: list[Hand]
    hidden: Card


SEATS = range(len(NAMES))
GIFTS = 3
LARGEST = 999  # for both numbers that are asked for at the beginning
TWO_OF_CLUBS = Card(Suit.CLUBS, Rank.TWO)
QUEEN_OF_SPADES = Card(Suit.SPADES, Rank.QUEEN)
SAFE_LENGTH = 8  # with this many cards of a suit unseen, everybody can probably follow


def score_table(scores: Sequence[int], totals: Sequence[int]) -> list[str]:
    """Return the five lines that show each player's points in this deal and in all deals."""
    return [
        "\t".join(["", *NAMES]),
        "THIS",
        "\t".join(["GAME:", *map(str, scores)]),
        "-----",
        "\t".join(["TOTAL:", *map(str, totals)]),
    ]


def verdict(totals: Sequence[int]) -> str:
    """Return the line that names the winner, or all winners if they share the fewest points."""
    fewest = min(totals)
    winners = []
    for name, total in zip(NAMES, totals, strict=True):
        if total == fewest:
            winners.append(name)
    verb = "WIN" if winners == [NAMES[YOU]] or len(winners) > 1 else "WINS"
    last = winners.pop()
    subject = f"{', '.join(winners)} AND {last}" if winners else last
    return f"{subject} {verb} THE GAME."


def shuffled_deals(seed: float) -> Iterator[Deal]:
    """Yield one deal after another without end; the seed decides them all."""
    generator = Random(float(seed))
    while True:
        deck = Deck()
        deck.shuffle(generator)
        hands, rest = deck.deal(len(NAMES), YOU)
        yield Deal(hands, rest[0])


def ask_until(talk: Talk, prompt: str, read: Callable[[str], Answer]) -> Answer:
    """Ask, and return what `read` makes of the answer without spaces at its ends.

    If `read` raises a ValueError, say the error's text and ask again.
    """
    while True:
        typed = talk.ask(prompt).strip()
        try:
            return read(typed)
        except ValueError as error:
            complaint = str(error)
        talk.say(complaint)


def read_limit(text: str) -> int:
    """Return the whole number from 1 to 999; raise ValueError, in the program's words, if not."""
    if not re.fullmatch("[0-9]{1,99}", text) or not 1 <= int(text) <= LARGEST:
        raise ValueError(TYPING_ERROR)
    return int(text)


def read_seed(text: str) -> float:
    """Return the number from 0 to 999; raise ValueError, in the program's words, otherwise."""
    if not re.fullmatch(r"[0-9]+\.?[0-9]*|\.[0-9]+", text) or float(text) > LARGEST:
        raise ValueError(TYPING_ERROR)
    return float(text)


def ask_limit(talk: Talk) -> int:
    """Ask for the points to play to."""
    talk.say("HOW MANY POINTS DO YOU")
    limit = ask_until(talk, "WISH TO PLAY TO? ", read_limit)
    talk.say()
    return limit


def ask_seed(talk: Talk) -> float:
    """Ask for the number that decides the deals."""
    talk.say(f"INPUT A VALUE BETWEEN 0 AND {LARGEST}")
    seed = ask_until(talk, "?", read_seed)
    talk.say()
    return seed


def read_card(text: str) -> Card:
    """Return the card of that name; raise ValueError, in the program's words, if none has it."""
    try:
        return Card.parse(text)
    except ValueError:
        raise ValueError(TYPING_ERROR) from None


def opening(turn: Turn) -> Card | None:
    """Return the club that must open the deal, or None if this turn does not open it."""
    if turn.trick or not turn.first_trick or turn.hand.is_void(Suit.CLUBS):
        return None
    return legal_plays(turn)[0]


class Person:
    """YOU: a player whose cards are asked for."""

    def __init__(self, talk: Talk) -> None:
        """Ask for this player's cards in that talk."""
        self._talk = talk

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Ask until a card is typed that may be played, and return it."""

        def read(text: str) -> Card:
            card = read_card(text)
            try:
                check_play(card, turn)
            except IllegalPlay as error:
                raise ValueError(COMPLAINTS[type(error)].format(opener)) from None
            return card

        opener = opening(turn)
        if opener is not None:
            self._talk.say(OPENING.format(opener))
        return ask_until(self._talk, "YOU PLAY THE ?", read)

    def give(self, hand: Hand) -> list[Card]:
        """Ask until three different cards of the hand are typed, and return them."""
        chosen: list[Card] = []

        def read(text: str) -> Card:
            card = read_card(text)
            if card in chosen or card not in hand:
                raise ValueError(PASS_ERROR)
            return card

        tell(self._talk, f"SELECT {GIFTS} CARDS TO GIVE {NAMES[left_of(YOU)]}")
        while len(chosen) < GIFTS:
            chosen.append(ask_until(self._talk, "?", read))
        self._talk.say()
        return chosen


def left_of(seat: int) -> int:
    """Return the seat on the left, which is also the next to play."""
    return (seat + 1) % len(SEATS)


def exchange(hands: Sequence[Hand], gifts: Sequence[Sequence[Card]]) -> list[Hand]:
    """Return new hands, after all gifts have gone to the left at the same time."""
    new = [Hand(hand) for hand in hands]
    for seat in SEATS:
        for card in gifts[seat]:
            new[seat].remove(card)
    for seat in SEATS:
        for card in gifts[seat]:
            new[left_of(seat)].add(card)
    return new


def show_hand(talk: Talk, hand: Hand) -> None:
    """Show the cards of YOU."""
    tell(talk, "YOUR HAND:")
    tell(talk, hand.show())


def cost(cards: Iterable[Card]) -> int:
    """Return what these cards cost the player who takes them."""
    return sum(points(card, DYNACOMP) for card in cards)


def play_trick(
    talk: Talk, players: Sequence[Player], held: list[Hand], leader: int, seen: Sequence[Card]
) -> list[Card]:
    """Play one trick with cards of these hands, starting with the leader, and return its cards."""
    trick: list[Card] = []
    seat = leader
    for _ in SEATS:
        turn = Turn(
            Hand(held[seat]),
            DYNACOMP,
            list(trick),
            first_trick=not seen,
            hearts_broken=hearts_broken([*seen[:-1], *trick], DYNACOMP),  # without the hidden card
        )
        card = players[seat].play(turn, list(seen))
        held[seat].remove(card)
        trick.append(card)
        if seat != YOU:
            talk.say(f"HAND {seat + 1} PLAYS THE {card}")
        seat = left_of(seat)
    talk.say()
    return trick


def play_tricks(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal whose cards have been passed, and return each seat's points."""
    held = [Hand(hand) for hand in deal.hands]
    taken = [0 for _ in SEATS]
    played: list[Card] = []
    leader = first_leader(held, YOU, DYNACOMP)
    while sum(taken) < ALL_POINTS:
        show_hand(talk, held[YOU])
        first = not played
        if first and deal.hidden == TWO_OF_CLUBS:
            tell(talk, "NOBODY HOLDS THE 2C, THE 3C LEADS.")
        seen = [] if first else [*played, deal.hidden]
        trick = play_trick(talk, players, held, leader, seen)
        played += trick
        leader = winner(trick, leader)
        taken[leader] += cost(trick)
        if first:
            taken[leader] += cost([deal.hidden])
            tell(talk, f"*THE HIDDEN CARD WAS THE {deal.hidden}*")
    tell(talk, f"ALL {ALL_POINTS} POINTS HAVE", "BEEN ACCOUNTED FOR.")
    return taken


def play_deal(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal from its shuffling to its last trick, and return each seat's points."""
    for work in ("SHUFFLING", "DEALING", "SORTING"):
        tell(talk, work)
    show_hand(talk, deal.hands[YOU])
    gifts = []
    for player, hand in zip(players, deal.hands, strict=True):
        gifts.append(list(player.give(Hand(hand))))
    tell(talk, "HAND #3 HAS PASSED TO YOU:")
    tell(talk, " ".join(str(card) for card in gifts[2]))
    return play_tricks(talk, players, Deal(exchange(deal.hands, gifts), deal.hidden))


def play_game(talk: Talk, players: Sequence[Player], deals: Iterable[Deal], limit: int) -> None:
    """Play deal after deal until somebody has at least `limit` points, then say who wins."""
    totals = [0 for _ in SEATS]
    for deal in deals:
        scores = play_deal(talk, players, deal)
        for seat in SEATS:
            totals[seat] += scores[seat]
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
        limit = ask_limit(talk)
        seed = ask_seed(talk)
        if opponents is None:
            opponents = [Computer(), Computer()]
        if deals is None:
            deals = shuffled_deals(seed)
        play_game(talk, [Person(talk), *opponents], deals, limit)
    except (EOFError, KeyboardInterrupt):
        talk.say()
        tell(talk, "GOODBYE.")
        return UNFINISHED
    return 0


class Computer:
    """An opponent that gets rid of dangerous cards, and takes a trick only if it must.

    It remembers nothing from one call to the next.
    """

    def give(self, hand: Hand) -> list[Card]:
        """Return the three most dangerous cards."""
        worst = sorted(hand, key=lambda card: (gift_danger(card, hand), card), reverse=True)
        return worst[:GIFTS]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """Return the best card that does not take the trick, else the one that takes the least."""
        allowed = legal_plays(turn)
        others = unseen(turn, seen)
        if not turn.trick:
            return min(allowed, key=lambda card: (lead_danger(card, turn.hand, others), card))
        if allowed[0].suit != turn.led:
            return max(allowed, key=lambda card: (burden(card, others), card))
        best = best_card(turn.trick)
        below = []
        for card in allowed:
            if card < best:
                below.append(card)
        if below:
            return QUEEN_OF_SPADES if QUEEN_OF_SPADES in below else max(below)
        return self._take(allowed, turn, others)

    def _take(self, allowed: list[Card], turn: Turn, others: list[Card]) -> Card:
        """Return a card of the suit led, when each of them would take the trick so far."""
        without_queen = []
        for card in allowed:
            if not is_queen_of_spades(card):
                without_queen.append(card)
        cards = without_queen or allowed
        if len(turn.trick) == len(SEATS) - 1:
            return max(cards)
        if turn.led == Suit.SPADES and QUEEN_OF_SPADES in others:
            return min(cards)
        if turn.led != Suit.HEARTS and cost(turn.trick) == 0:
            left = sum(other.suit == turn.led for other in others)
            if left >= SAFE_LENGTH:
                return max(cards)
        return min(cards)


def unseen(turn: Turn, seen: Sequence[Card]) -> list[Card]:
    """Return the cards that the others may still hold, as far as this player can tell."""
    known = {*turn.hand, *turn.trick, *seen}
    others = []
    for card in Deck():
        if card not in known:
            others.append(card)
    return others


def gift_danger(card: Card, hand: Hand) -> float:
    """Return how much the player wants to give the card away: the greater, the more."""
    length = len(hand.cards_of(card.suit))
    if card.suit == Suit.SPADES and card.rank >= Rank.QUEEN:
        return 50 if is_queen_of_spades(card) else 20 + card.rank
    low = sum(other.rank < Rank.SEVEN for other in hand.cards_of(card.suit))
    return card.rank + (2 if card.suit == Suit.HEARTS else 0) - low - length / 4


def lead_danger(card: Card, hand: Hand, others: Sequence[Card]) -> float:
    """Return how dangerous it is to lead the card: how likely it wins, and what that would cost."""
    above = 0
    below = 0
    for other in others:
        if other.suit == card.suit:
            above += other > card
            below += other < card
    if is_queen_of_spades(card):
        return 50 + below - above
    danger = 10 * (below + 1) / (above + below + 1) if above else 20.0 + (0 if below else 2)
    if card.suit == Suit.SPADES and QUEEN_OF_SPADES in others and card.rank > Rank.QUEEN:
        danger += 20
    return danger


def burden(card: Card, others: Sequence[Card]) -> float:
    """Return how much the player wants to discard the card: the greater, the more."""
    if is_queen_of_spades(card):
        return 1000
    if card.suit == Suit.SPADES and card.rank > Rank.QUEEN and QUEEN_OF_SPADES in others:
        return 500 + card.rank
    above = 0
    below = 0
    for other in others:
        if other.suit == card.suit:
            above += other > card
            below += other < card
    return below * 2 - above + (3 if card.suit == Suit.HEARTS else 0)


if __name__ == "__main__":
    sys.exit(main(Terminal()))
