"""UVa 181 in one file, as a contestant would write it: cards are texts, and input is not checked.

It shares no line with the reference, which `bench_uva181.py` times beside it.

    python plain_uva181.py < decks.txt
"""

import sys

RANKS = "23456789TJQKA"
SUITS = "CDHS"


def beats(card: str, other: str, trump: str) -> bool:
    """Return whether a player who may play both cards prefers `card` to `other`."""
    if card[0] != other[0]:
        return RANKS.index(card[0]) > RANKS.index(other[0])
    if trump in (card[1], other[1]):
        return card[1] == trump
    return SUITS.index(card[1]) > SUITS.index(other[1])


def highest(cards: list[str], trump: str) -> str:
    """Return the card that a player chooses if all these cards are allowed."""
    best = cards[0]
    for card in cards[1:]:
        if beats(card, best, trump):
            best = card
    return best


def choose(hand: list[str], led: str, trump: str) -> str:
    """Return the card that a player plays; `led` is the suit of the lead, "" if there is none."""
    if led:
        for suit in (led, trump):
            cards = [card for card in hand if card[1] == suit]
            if cards:
                return highest(cards, trump)
    return highest(hand, trump)


def takes(card: str, best: str, trump: str) -> bool:
    """Return whether the card beats the best card of the trick so far."""
    if card[1] == best[1]:
        return RANKS.index(card[0]) > RANKS.index(best[0])
    return card[1] == trump


def trump_of(first: str, second: str) -> str:
    """Return the trump suit, which these two exposed cards decide."""
    return first[1] if beats(first, second, "") else second[1]


def play(deck: list[str]) -> list[int]:
    """Return the five players' scores for a deck, the dealer's first."""
    hands = [deck[first:50:5] for first in (4, 0, 1, 2, 3)]
    trump = trump_of(deck[50], deck[51])
    scores = [0] * 5
    leader = 1
    for _ in range(10):
        best = ""
        taker = leader
        points = 0
        led = ""
        for turn in range(5):
            seat = (leader + turn) % 5
            card = choose(hands[seat], led, trump)
            hands[seat].remove(card)
            led = led or card[1]
            if card[1] == "H":
                points += RANKS.index(card[0]) + 2
            if not best or takes(card, best, trump):
                best = card
                taker = seat
        scores[taker] += points
        leader = taker
    return scores


def main() -> None:
    """Read decks up to the `#`; write a line of scores for each deck."""
    cards = sys.stdin.read().partition("#")[0].split()
    for first in range(0, len(cards), 52):
        print("".join(f"{score:3}" for score in play(cards[first : first + 52])))


if __name__ == "__main__":
    main()
