"""The suite's own program of 1980: it uses plain codes, and no code of a student.

    Game       one deal: who holds what, whose turn it is, what is legal, and what is on the screen
    shuffled   a deal that a seed decides: three hands of codes, and the hidden card's code
    by_lot     a deal played at random to its end, including the mistakes that YOU typed
    contest    the points that a computer takes per game; raises Fault for its first illegal card

A code is rank and suit, such as `QS`; seats are 0, 1 and 2, and the user sits in seat 0.
"""

from dataclasses import dataclass, field
from random import Random

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "CDHS" for rank in RANKS]
NAMES = ("YOU", "PLAYER 2", "PLAYER 3")
TYPING = "ERROR IN TYPING, TRY AGAIN."
PACKS = 40


class Fault(Exception):
    """A mistake of a computer; its text is for the student."""


def cost(codes):
    """Return the points that the cards cost the player who takes them."""
    return sum(13 if code == "QS" else code[1] == "H" for code in codes)


def shown(codes):
    """Return the lines that show these cards as YOUR HAND."""
    lines = []
    for suit in "SHDC":
        ranks = sorted((code[0] for code in codes if code[1] == suit), key=RANKS.index)
        lines.append(f"{suit}: {''.join(reversed(ranks))}".rstrip())
    return ["YOUR HAND:", *lines]


def shuffled(seed):
    """Return three hands and the hidden card of a pack shuffled with this seed."""
    pack = Random(seed).sample(PACK, 52)
    return [pack[seat:51:3] for seat in range(3)], pack[51]


class Game:
    """One deal, played card by card; `lines` is what the screen shows, without empty lines."""

    def __init__(self, hands, hidden):
        """Start a deal with these hands, before or after passing."""
        self.hands = [list(hand) for hand in hands]
        self.hidden = hidden
        self.points = [0, 0, 0]
        self.played, self.trick = [], []
        self.lines = []
        self.turn = -1

    def give(self, gifts):
        """Pass these cards to the left, and add the lines that the program says."""
        self.lines += ["SHUFFLING", "DEALING", "SORTING", *shown(self.hands[0])]
        self.lines += ["SELECT 3 CARDS TO GIVE PLAYER 2", *(f"?{code}" for code in gifts[0])]
        self.lines += ["HAND #3 HAS PASSED TO YOU:", " ".join(gifts[2])]
        self.pass_on(gifts)

    def pass_on(self, gifts):
        """Pass these cards to the left without adding lines."""
        for seat, hand in enumerate(self.hands):
            self.hands[seat] = [code for code in hand if code not in gifts[seat]]
        for seat, given in enumerate(gifts):
            self.hands[(seat + 1) % 3] += given

    def begin(self):
        """Show the user's hand, and give the turn to the player who leads first."""
        clubs = [code for hand in self.hands for code in hand if code[1] == "C"]
        lowest = min(clubs, key=PACK.index)
        self.turn = next(seat for seat, hand in enumerate(self.hands) if lowest in hand)
        self.lines += shown(self.hands[0])
        if self.hidden == "2C":
            self.lines.append("NOBODY HOLDS THE 2C, THE 3C LEADS.")
        self._remind()

    def _remind(self):
        if self.turn == 0 and self.opening:
            self.lines.append(f"YOU MUST LEAD THE {self.legal()[0]}")

    @property
    def opening(self):
        """Whether the next card opens the deal."""
        return not self.played and not self.trick

    @property
    def broken(self):
        """Whether earlier tricks have broken hearts."""
        return any(code[1] == "H" for code in self.played)

    @property
    def seen(self):
        """All cards that every player has seen before this trick."""
        return [*self.played, self.hidden] if self.played else []

    @property
    def over(self):
        """Whether all points have been taken."""
        return sum(self.points) == 26

    def legal(self):
        """Return the cards that may be played now."""
        held = self.hands[self.turn]
        if self.opening:
            return [min((code for code in held if code[1] == "C"), key=PACK.index)]
        if self.trick:
            return [code for code in held if code[1] == self.trick[0][1]] or held
        if self.broken:
            return held
        return [code for code in held if code[1] != "H"] or held

    def complaint(self, code):
        """Return the line that refuses this code."""
        if code not in PACK:
            return TYPING
        if code not in self.hands[self.turn]:
            return "ERROR IN LEAD, TRY AGAIN."
        if self.opening:
            return f"YOU MUST LEAD THE {self.legal()[0]}"
        return "RENEGE, TRY AGAIN." if self.trick else "ILLEGAL TO PLAY A HEART NOW"

    def refuse(self, code):
        """Add the lines for a code that the user types and the program refuses."""
        self.lines += [f"YOU PLAY THE ?{code}", self.complaint(code)]

    def play(self, code):
        """Play a legal card; raise Fault if it is not legal."""
        if code not in self.legal():
            held = " ".join(sorted(self.hands[self.turn], key=PACK.index))
            table = " ".join(self.trick) or "empty"
            raise Fault(f"plays {code[:20]!r} illegally; its hand is {held}, the trick is {table}")
        name = "YOU PLAY THE ?" if self.turn == 0 else f"HAND {self.turn + 1} PLAYS THE "
        self.lines.append(name + code)
        self.hands[self.turn] = [other for other in self.hands[self.turn] if other != code]
        self.trick.append(code)
        self.turn = (self.turn + 1) % 3
        if len(self.trick) == 3:
            self._take()

    def _take(self):
        following = [code for code in self.trick if code[1] == self.trick[0][1]]
        best = max(following, key=lambda code: RANKS.index(code[0]))
        self.turn = (self.turn + self.trick.index(best)) % 3  # it was the leader again
        cards = self.trick
        if not self.played:
            self.lines.append(f"*THE HIDDEN CARD WAS THE {self.hidden}*")
            cards = [*cards, self.hidden]
        self.points[self.turn] += cost(cards)
        self.played += self.trick
        self.trick = []
        self.lines += ["ALL 26 POINTS HAVE", "BEEN ACCOUNTED FOR."] if self.over else self._hand()

    def _hand(self):
        return shown(self.hands[0])


@dataclass
class Record:
    """A finished deal: what each seat gave and played, and what YOU typed."""

    game: Game
    hands: list
    gifts: list
    plays: list = field(default_factory=lambda: [[], [], []])
    typed: list = field(default_factory=list)


def by_lot(seed, hands, hidden, *, passing=True, mistakes=0.0):
    """Play a deal at random, and return its record."""
    lot = Random(seed)
    gifts = [lot.sample(hand, 3) for hand in hands] if passing else [[], [], []]
    record = Record(Game(hands, hidden), hands, gifts, typed=list(gifts[0]))
    game = record.game
    if passing:
        game.give(gifts)
    game.begin()
    while not game.over:
        if game.turn == 0 and lot.random() < mistakes:
            for code in wrong(game, lot):
                game.refuse(code)
                record.typed.append(code)
        code = lot.choice(game.legal())
        record.plays[game.turn].append(code)
        if game.turn == 0:
            record.typed.append(code)
        game.play(code)
    return record


def wrong(game, lot):
    """Return mistakes that YOU could type now, one of each kind."""
    held, legal = game.hands[0], game.legal()
    kinds = [
        ["", "X", "1H", "HQ", "QSS", "HELP"],
        [code for code in PACK if code not in held],
        [code for code in held if code not in legal],
    ]
    found = [lot.choice(kind) for kind in kinds if kind]
    return lot.sample(found, len(found))


def contest(ask_gifts, ask_plays, packs=PACKS):
    """Return the points per game of a computer that holds each hand of these packs once.

    All games are played at the same time, so each question is about many games at once:
    `ask_gifts(hands)` returns the gifts, and `ask_plays(numbers, games)` a play for each game.
    Raise Fault for the first gift or play that is not legal.
    """
    table = [Seated(pack, seat) for pack in range(packs) for seat in range(3)]
    gifts = ask_gifts([at.game.hands[at.seat] for at in table])
    for at, given in zip(table, gifts, strict=True):
        at.begin(given)
    while waiting := [number for number, at in enumerate(table) if not at.game.over]:
        plays = ask_plays(waiting, [table[number].game for number in waiting])
        for number, code in zip(waiting, plays, strict=True):
            table[number].answer(code)
    return sum(at.game.points[at.seat] for at in table) / len(table)


class Seated:
    """One game of a contest: the computer in one seat, and random players in the others."""

    def __init__(self, pack, seat):
        """Prepare the game of this pack with the computer in this seat."""
        self.seat = seat
        self._lot = Random(f"lots of pack {pack}")
        self.game = Game(*shuffled(f"pack {pack}"))

    def begin(self, given):
        """Pass the cards, and play until it is the computer's turn."""
        held = self.game.hands[self.seat]
        if len(given) != 3 or len(set(given) & set(held)) != 3:
            raise Fault(f"gives {' '.join(given)[:40]!r}, but its hand is {' '.join(held)}")
        gifts = [self._lot.sample(hand, 3) for hand in self.game.hands]
        gifts[self.seat] = given
        self.game.pass_on(gifts)
        self.game.begin()
        self._go_on()

    def answer(self, code):
        """Play the computer's card, and then until its next turn."""
        self.game.play(code)
        self._go_on()

    def _go_on(self):
        while not self.game.over and self.game.turn != self.seat:
            self.game.play(self._lot.choice(self.game.legal()))
