"""The referee of stage 04: replays a game from its sentences, and finds what is wrong.

    transcript  the text that a program writes during a game
    faults      the first fault of a transcript, in words for the student; empty if there is none
    sentences   the required sentences of a transcript
    lines       the lines of a transcript, without prompts
    open_trick  the cards on the table at the end of a transcript
    totals      the points in a sentence about the score
    verdict     the sentence about the winners that must follow these totals
    Replay      the game so far: whose turn it is, who is void in which suit, who took what

The referee reads only what the program says, and of that only whole lines that are a required
sentence. In a pipe, a prompt may stand before one. The dealt hands need not be told, because the
cards that are played show them. A revoke is found when the player later plays a card of that suit.
"""

import re
from collections.abc import Iterator

SEATS = ("North", "East", "South", "West")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King", "Ace")
SUITS = ("Clubs", "Diamonds", "Hearts", "Spades")
SEAT, RANK, SUIT = (f"(?:{'|'.join(words)})" for words in (SEATS, RANKS, SUITS))
CARD = f"{RANK} of {SUIT}"
SCORES = ", ".join(f"{seat} (\\d{{1,6}})" for seat in SEATS)
PROMPTS = ("Watch, or play which seat? ", "Your card? ")
SENTENCE = re.compile(
    rf"(?:(?P<dealer>{SEAT}) deals"
    rf"|(?P<leader>{SEAT}) leads the (?P<led>{CARD})"
    rf"|(?P<player>{SEAT}) plays the (?P<played>{CARD})"
    rf"|(?P<taker>{SEAT}) takes the trick"
    rf"|Score: (?P<scores>{SCORES})"
    rf"|(?P<alone>{SEAT}) wins"
    rf"|(?P<together>{SEAT}(?:, {SEAT})* and {SEAT}) win"
    r")\."
)
Card = tuple[int, str]  # the rank's place in RANKS, and the suit


class Fault(Exception):
    """A mistake in the game; its text is for the student."""


def sentences(transcript: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield each required sentence with the number of its line."""
    for number, line in enumerate(lines(transcript), start=1):
        if found := SENTENCE.fullmatch(line):
            yield number, found


def lines(transcript: str) -> list[str]:
    """Return the lines without prompts, which share a line with what follows them in a pipe."""
    return [without_prompts(line.rstrip()) for line in transcript.splitlines()]


def without_prompts(line: str) -> str:
    """Return the part of the line after its prompts."""
    for prompt in PROMPTS:
        line = line.removeprefix(prompt)
    return line


def faults(transcript: str, person: str = "", *, unfinished: bool = False) -> list[str]:
    """Return the first fault of the game, if there is one; `person` is the seat of the user."""
    replay = Replay(person)
    for number, sentence in sentences(transcript):
        try:
            replay.hear(sentence)
        except Fault as fault:
            return [f"line {number}, {sentence[0]!r}: {fault}"]
    if not (unfinished or replay.due == "the end"):
        return [f"at the end: expected {replay.due}"]
    return []


def open_trick(transcript: str) -> list[Card]:
    """Return the cards on the table at the end of the transcript, which may hold faults.

    Read from the end, because a test asks this at each question of a long game.
    """
    trick: list[Card] = []
    for line in reversed(transcript.splitlines()):
        if sentence := SENTENCE.fullmatch(without_prompts(line.rstrip())):
            code = sentence["led"] or sentence["played"]
            if not code:
                break
            trick.append(read(code))
    return trick[::-1]


def read(words: str) -> Card:
    """Return the card with this name, such as `10 of Hearts`."""
    rank, _, suit = words.partition(" of ")
    return RANKS.index(rank), suit


def totals(sentence: re.Match[str]) -> list[int]:
    """Return the points in a sentence about the score."""
    return [int(total) for total in re.findall(r"\d+", sentence["scores"])]


def winners(totals: list[int]) -> list[str]:
    """Return the names of the seats with the fewest points, clockwise from North."""
    return [seat for seat, total in zip(SEATS, totals, strict=True) if total == min(totals)]


def verdict(totals: list[int]) -> str:
    """Return the sentence about the winners."""
    *others, last = winners(totals)
    return f"{', '.join(others)} and {last} win." if others else f"{last} wins."


def cost(card: Card) -> int:
    """Return what the card costs the player who takes it."""
    return 13 if card == read("Queen of Spades") else int(card[1] == "Hearts")


class Replay:
    """A game, as far as the sentences have told it."""

    def __init__(self, person: str) -> None:
        """Begin a game before its first deal."""
        self.due = "the dealer"
        self._person = person
        self._totals = [0, 0, 0, 0]
        self._deals: list[list[list[Card]]] = []  # the hands of every deal: all must differ
        self._mixed = False  # whether any deal had a trick of several suits before its last one
        self._clear()

    def _clear(self) -> None:
        self._hands: list[list[Card]] = [[], [], [], []]  # all that each seat has played
        self._void: dict[tuple[int, str], int] = {}  # the trick in which a seat did not follow suit
        self._taken: list[list[Card]] = [[], [], [], []]
        self._trick: list[Card] = []
        self._tricks, self._turn = 0, -1

    def hear(self, sentence: re.Match[str]) -> None:
        """Follow one sentence; raise Fault if it breaks a rule."""
        for kind, follow in (
            ("dealer", self._deal),
            ("leader", self._lead),
            ("player", self._play),
            ("taker", self._take),
            ("scores", self._score),
        ):
            if sentence[kind]:
                follow(sentence, sentence[kind])
                return
        self._win(sentence["alone"] or sentence["together"])

    def _expect(self, due: str) -> None:
        if self.due != due:
            raise Fault(f"expected {self.due}")

    def _deal(self, sentence: re.Match[str], dealer: str) -> None:
        self._expect("the dealer")
        if dealer == self._person:
            raise Fault("the dealer must be a computer player")
        self._clear()
        self.due = "the lead"

    def _lead(self, sentence: re.Match[str], seat: str) -> None:
        self._expect("the lead")
        card = read(sentence["led"])
        if not self._tricks and card != read("2 of Clubs"):
            raise Fault("the 2 of Clubs opens a deal")
        if self._tricks and SEATS[self._turn] != seat:
            raise Fault(f"{SEATS[self._turn]} took the last trick, and leads")
        self._put(SEATS.index(seat), card, sentence["led"])

    def _play(self, sentence: re.Match[str], seat: str) -> None:
        self._expect("a card")
        if SEATS[self._turn] != seat:
            raise Fault(f"it is the turn of {SEATS[self._turn]}")
        card, led = read(sentence["played"]), self._trick[0][1]
        if card[1] != led:
            self._void.setdefault((self._turn, led), self._tricks + 1)
        self._put(self._turn, card, sentence["played"])

    def _put(self, seat: int, card: Card, words: str) -> None:
        if any(card in hand for hand in self._hands):
            raise Fault(f"the {words} was played before in this deal")
        if trick := self._void.get((seat, card[1])):
            raise Fault(f"{SEATS[seat]} should have followed suit with it in trick {trick}")
        self._hands[seat].append(card)
        self._trick.append(card)
        self._turn = (seat + 1) % 4
        self.due = "a card" if len(self._trick) < 4 else "the taker of the trick"

    def _take(self, sentence: re.Match[str], seat: str) -> None:
        self._expect("the taker of the trick")
        led = self._trick[0][1]
        best = max(card for card in self._trick if card[1] == led)
        taker = (self._turn + self._trick.index(best)) % 4
        if SEATS[taker] != seat:
            raise Fault(f"{SEATS[taker]} has played the highest card of the suit led")
        self._taken[taker] += self._trick
        self._turn, self._trick, self._tricks = taker, [], self._tricks + 1
        self.due = "the lead" if self._tricks < 13 else "the score"

    def _score(self, sentence: re.Match[str], told: str) -> None:
        self._expect("the score")
        costs = [sum(map(cost, cards)) for cards in self._taken]
        if 26 in costs:
            costs = [0 if points else 26 for points in costs]
        self._totals = [total + points for total, points in zip(self._totals, costs, strict=True)]
        self._mixed |= min(self._void.values(), default=13) < 13
        if totals(sentence) != self._totals:
            raise Fault(f"the totals are {', '.join(map(str, self._totals))}")
        hands = [sorted(hand) for hand in self._hands]
        if hands in self._deals:
            raise Fault("the same cards were dealt before: shuffle for every deal")
        self._deals.append(hands)
        self.due = "the winner" if max(self._totals) >= 100 else "the dealer"

    def _win(self, told: str) -> None:
        self._expect("the winner")
        if not self._mixed:
            raise Fault("nobody was ever void before a last trick: shuffle for every deal")
        names = winners(self._totals)
        if re.findall(SEAT, told) != names:
            raise Fault(f"the fewest points have: {', '.join(names)}")
        self.due = "the end"
