"""A referee for `hearts play 02`: it says what may be played, and who takes the trick.

A word after the command is the rule book, such as ESTELL; the usual one is HEART.
"""

import sys

import legal
from cards import Card, Hand
from legal import Rules, Turn, legal_plays, winner

BOOKS = {name: book for name, book in vars(legal).items() if isinstance(book, Rules)}


def cards(text: str) -> list[Card]:
    """Return the cards that a person typed, such as "2C QS"."""
    return [Card.parse(word) for word in text.split()]


def judge(rules: Rules) -> None:
    """Ask for a trick and a hand, and print what the rules say, until nothing is typed."""
    while True:
        trick = cards(input("On the table, the card that was led first: "))
        hand = Hand(cards(input("In your hand (Enter ends this): ")))
        if not len(hand):
            return
        allowed = sorted(legal_plays(Turn(hand, rules, trick)))
        print("You may play:", *allowed)
        if trick:
            place = winner(trick, 0)
            print(f"So far {trick[place]} takes the trick.")
        print()


book = sys.argv[1].upper() if sys.argv[1:] else "HEART"
if book not in BOOKS:
    sys.exit(f"There is no rule book {book}; there are {', '.join(BOOKS)}.")
print(f"The rule book is {book}. Write cards as 2C QS TH. Hearts are not broken yet.\n")
while True:
    try:
        judge(BOOKS[book])
        break
    except ValueError as error:
        print(f"{error}. Try again.\n")
    except EOFError:
        print()
        break
