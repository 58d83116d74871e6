"""The console, with every liberty that the brief leaves.

It reads its flags itself, talks more than it must, and writes several lines at once.
"""

import sys
from functools import partial

from cards import Card
from table import Seat, new_game


class Wrong(Exception):
    """The flags make no sense."""


def person(read, write, hand, plays, why_not):
    """Ask for a card until it may be played."""
    while True:
        write(f"It is your turn.\nYour hand: {' '.join(map(str, hand))}")
        answer = read("Your card? ").strip()
        if answer == "?":
            write(f"Help!\nYou may play: {' '.join(map(str, plays))}\nThat is all.")
            continue
        try:
            card = Card.parse(answer)
        except ValueError:
            write(f"What is {answer!r}?")
            continue
        reason = why_not(card)
        if not reason:
            return card
        write(f"{card}? {reason}")


def asked(read, write):
    """Return the seat that the user wants, None to watch."""
    while True:
        answer = read("Watch, or play which seat? ").strip()
        if answer.casefold() == "watch":
            return None
        try:
            return Seat.parse(answer)
        except ValueError:
            write(f"{answer!r}?\nA seat, please: North, East, South or West. Or: watch.")


def understood(arguments):
    """Return what the flags mean, as a dictionary."""
    flags, rest = {}, iter(arguments)
    for flag in rest:
        try:
            if flag == "--watch":
                flags["watch"] = True
            elif flag == "--play":
                flags["play"] = Seat.parse(next(rest))
            elif flag == "--seed":
                flags["seed"] = int(next(rest))
            else:
                raise Wrong(flag)
        except (StopIteration, ValueError):
            raise Wrong(flag) from None
    if {"watch", "play"} <= flags.keys():
        raise Wrong("--watch and --play")
    return flags


def main(arguments, read=input, write=print):
    """Play, and return how it ended."""
    try:
        flags = understood(arguments)
    except Wrong as flag:
        sys.stderr.write(f"I do not understand {flag}\n")
        return 2
    try:
        tell(flags, read, write)
    except (KeyboardInterrupt, EOFError):
        write("\nOh, you leave? Goodbye, then!")
        return 1
    return 0


def tell(flags, read, write):
    """Write each event, with a blank line after it."""
    seat = None if "watch" in flags else flags.get("play")
    if not flags.keys() & {"watch", "play"}:
        seat = asked(read, write)
    people = {} if seat is None else {seat: partial(person, read, write)}
    for event in new_game(people, flags.get("seed")):
        write(f"{event}\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
