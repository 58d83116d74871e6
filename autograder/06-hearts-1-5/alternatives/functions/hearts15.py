"""HEARTS 1.5: the three-handed game that DYNACOMP sold in 1980, and what it said on the screen.

    seat      0, 1 or 2, clockwise: YOU, PLAYER 2 (or HAND 2) and PLAYER 3 (or HAND 3)
    Deal      three hands of 17 cards by seat, and the hidden card, which goes with the first trick
    gifts     the three cards that a player gives to the left before the first trick
    seen      the cards of the tricks so far, in order, and behind them the hidden card, once shown
    Talk      who answers and listens: a Terminal, or a Script that was written in advance
    Player    who gives and plays cards: a Person, a Computer, or hands that are Prepared

The game knows neither keyboard nor screen. It talks to whom it is given, deals what it is given,
and plays against whom it is given; so a game of 1980 can be played once more, letter for letter.
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
    """Whoever the program talks to."""

    def ask(self, prompt: str) -> str:
        """The line that is typed behind the prompt; raises EOFError if there is none."""

    def say(self, line: str = "") -> None:
        """Show a line, or several with a line break between them."""


class Terminal:
    """A talk with somebody at the keyboard."""

    def __init__(self) -> None:
        """A talk with whoever is there; what is no text at all will be a typing error as well."""
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def ask(self, prompt: str) -> str:
        """The line that is typed behind the prompt; raises EOFError at the end of input."""
        return input(prompt)

    def say(self, line: str = "") -> None:
        """Print the line; on a screen, a tab goes on to the next print zone."""
        print(line.expandtabs(PRINT_ZONE) if sys.stdout.isatty() else line)


class Script:
    """A talk that was written in advance: these lines are typed, and then the input ends."""

    def __init__(self, typed: Iterable[str]) -> None:
        """A script for whoever types these lines; `lines` is what the screen shows at the end."""
        self._typed = iter(typed)
        self.lines: list[str] = []

    def ask(self, prompt: str) -> str:
        """The next line; on the screen it stands behind the prompt."""
        for line in self._typed:
            self.lines.append(prompt + line)
            return line
        self.lines.append(prompt)
        raise EOFError

    def say(self, line: str = "") -> None:
        """Put the line on the screen."""
        self.lines += line.split("\n")


def tell(talk: Talk, *lines: str) -> None:
    """Say a paragraph: these lines, and an empty one."""
    for line in (*lines, ""):
        talk.say(line)


class Player(Protocol):
    """Whoever holds one of the three hands."""

    def give(self, hand: Hand) -> list[Card]:
        """The three cards of the hand that the player gives to the left."""

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The card that the player plays."""


class Prepared:
    """A player whose cards were chosen in advance, by their codes."""

    def __init__(self, gifts: str, plays: str) -> None:
        """A player of these cards, such as `"KS AH KH", "2C QD"`; `gifts` are three per deal."""
        self._gifts = map(Card.parse, gifts.split())
        self._plays = map(Card.parse, plays.split())

    def give(self, hand: Hand) -> list[Card]:
        """The next three gifts."""
        return [next(self._gifts) for _ in "123"]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The next card."""
        return next(self._plays)


class Deal(NamedTuple):
    """A pack that was dealt to three: the hands by seat, and the card left over."""

    hands: list[Hand]
    hidden: Card


SEATS = range(len(NAMES))
GIFTS = 3
LARGEST = 999  # of both numbers that are asked for at the beginning
TWO_OF_CLUBS = Card(Suit.CLUBS, Rank.TWO)
QUEEN_OF_SPADES = Card(Suit.SPADES, Rank.QUEEN)
SAFE_LENGTH = 8  # with so many cards of a suit out, everybody is likely to follow


def score_table(scores: Sequence[int], totals: Sequence[int]) -> list[str]:
    """The five lines that show everybody's points in this deal and in all deals."""
    return [
        "\t".join(["", *NAMES]),
        "THIS",
        "\t".join(["GAME:", *map(str, scores)]),
        "-----",
        "\t".join(["TOTAL:", *map(str, totals)]),
    ]


def verdict(totals: Sequence[int]) -> str:
    """The line that tells who has the fewest points, alone or together."""
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
    """Deal after deal without an end; the seed decides them all."""
    generator = Random(float(seed))
    while True:
        deck = Deck()
        deck.shuffle(generator)
        hands, rest = deck.deal(len(NAMES), YOU)
        yield Deal(hands, rest[0])


def ask_until(talk: Talk, prompt: str, read: Callable[[str], Answer]) -> Answer:
    """What `read` makes of the answer, without blanks around it.

    As long as it raises a ValueError, its text is said, and the question asked again.
    """
    while True:
        typed = talk.ask(prompt).strip()
        try:
            return read(typed)
        except ValueError as error:
            complaint = str(error)
        talk.say(complaint)


def read_limit(text: str) -> int:
    """The whole number from 1 to 999; raises ValueError, in the program's words, for all else."""
    if not re.fullmatch("[0-9]{1,99}", text) or not 1 <= int(text) <= LARGEST:
        raise ValueError(TYPING_ERROR)
    return int(text)


def read_seed(text: str) -> float:
    """The number from 0 to 999; raises ValueError, in the program's words, for all else."""
    if not re.fullmatch(r"[0-9]+\.?[0-9]*|\.[0-9]+", text) or float(text) > LARGEST:
        raise ValueError(TYPING_ERROR)
    return float(text)


def ask_limit(talk: Talk) -> int:
    """The points to play to."""
    talk.say("HOW MANY POINTS DO YOU")
    limit = ask_until(talk, "WISH TO PLAY TO? ", read_limit)
    talk.say()
    return limit


def ask_seed(talk: Talk) -> float:
    """The number that decides the deals."""
    talk.say(f"INPUT A VALUE BETWEEN 0 AND {LARGEST}")
    seed = ask_until(talk, "?", read_seed)
    talk.say()
    return seed


def read_card(text: str) -> Card:
    """The card of that name; raises ValueError, in the program's words, if there is none."""
    try:
        return Card.parse(text)
    except ValueError:
        raise ValueError(TYPING_ERROR) from None


def opening(turn: Turn) -> Card | None:
    """The club that has to open the deal, if it is this turn that does so."""
    if turn.trick or not turn.first_trick or turn.hand.is_void(Suit.CLUBS):
        return None
    return legal_plays(turn)[0]


class Person:
    """YOU: a player who is asked."""

    def __init__(self, talk: Talk) -> None:
        """A player who is asked in that talk."""
        self._talk = talk

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The card that is typed; asks until it may be played."""

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
        """The three cards that are typed, all of them different and of this hand."""
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
    """The seat on the left, who is also the next to play."""
    return (seat + 1) % len(SEATS)


def exchange(hands: Sequence[Hand], gifts: Sequence[Sequence[Card]]) -> list[Hand]:
    """New hands, after each seat's gifts have gone to the left, all at the same time."""
    new = [Hand(hand) for hand in hands]
    for seat in SEATS:
        for card in gifts[seat]:
            new[seat].remove(card)
    for seat in SEATS:
        for card in gifts[seat]:
            new[left_of(seat)].add(card)
    return new


def show_hand(talk: Talk, hand: Hand) -> None:
    """Show the user's cards."""
    tell(talk, "YOUR HAND:")
    tell(talk, hand.show())


def cost(cards: Iterable[Card]) -> int:
    """What these cards cost whoever takes them."""
    return sum(points(card, DYNACOMP) for card in cards)


def play_trick(
    talk: Talk, players: Sequence[Player], held: list[Hand], leader: int, seen: Sequence[Card]
) -> list[Card]:
    """Play one trick, from the leader on, out of the hands that are held; returns its cards."""
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
    """Play a deal whose cards have been passed; returns everybody's points, by seat."""
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
    """Play a deal from its shuffling to its last trick; returns everybody's points, by seat."""
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
    """Play deal after deal, up to the one after which somebody has as many points as the limit."""
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
    """Run the program; returns its exit status. Computers and shuffled deals come unless given."""
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
    """An opponent who gives trouble away as soon as may be, and takes none if it can be helped.

    It remembers nothing from one call to the next.
    """

    def give(self, hand: Hand) -> list[Card]:
        """The three most dangerous cards."""
        worst = sorted(hand, key=lambda card: (gift_danger(card, hand), card), reverse=True)
        return worst[:GIFTS]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The best card that does not take the trick; or else, the one that takes least."""
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
        """A card of the suit led where each would take the trick as it stands."""
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
    """The cards that the others may still hold, as far as this player can tell."""
    known = {*turn.hand, *turn.trick, *seen}
    others = []
    for card in Deck():
        if card not in known:
            others.append(card)
    return others


def gift_danger(card: Card, hand: Hand) -> float:
    """How dearly one wants to give the card away: the greater, the more."""
    length = len(hand.cards_of(card.suit))
    if card.suit == Suit.SPADES and card.rank >= Rank.QUEEN:
        return 50 if is_queen_of_spades(card) else 20 + card.rank
    low = sum(other.rank < Rank.SEVEN for other in hand.cards_of(card.suit))
    return card.rank + (2 if card.suit == Suit.HEARTS else 0) - low - length / 4


def lead_danger(card: Card, hand: Hand, others: Sequence[Card]) -> float:
    """How likely the card is to take the trick that it leads, and how dearly that would cost."""
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
    """How dearly one wants to throw the card away: the greater, the more."""
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
