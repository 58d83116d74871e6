"""A small tournament in this process: in a notebook, in a browser, or at a prompt.

The players are the user's own, so no sandbox confines them. The rules of the game are those in the
user's program, such as the classes and functions of a notebook. The standings and pages are made as
in a class's tournament.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from hearts_course.errors import UsageError
from hearts_course.tournament.pages import Results, one_page
from hearts_course.tournament.schedule import FILLER, HOUSE, tables_of
from hearts_course.tournament.seats import CourseSeat, OwnSeat
from hearts_course.tournament.standings import Standing
from hearts_course.tournament.table import Round, Rules
from hearts_course.view.players import Opponent

HEIGHT = 700  # pixels of the report in a notebook
METHODS = ("pass_cards", "play")


@dataclass(frozen=True)
class Guest:
    """A player of a small tournament."""

    alias: str
    make_seat: Callable[[], CourseSeat | OwnSeat]


class SmallTournament:
    """The results of a small tournament.

    A notebook shows them as the report, Python's prompt as the ranking.
    """

    def __init__(self, results: Results) -> None:
        """Keep the results."""
        self.results = results

    @property
    def ranked(self) -> Sequence[Standing]:
        """The players' results, the fewest points first."""
        return self.results.ranked

    def __repr__(self) -> str:
        """Return the ranking: a line for each player, with the faults that it made, if any."""
        width = max(len(standing.alias) for standing in self.ranked)
        lines: list[str] = []
        for place, standing in enumerate(self.ranked, 1):
            points = f"{standing.points:6.2f} points a deal"
            faults = f"; {standing.fault_words}" if standing.faults else ""
            lines.append(f"{place:3} {standing.alias:{width}} {points}{faults}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the report in an `<iframe>`, so that its script cannot reach the notebook."""
        text = escape(one_page(self.results))
        return (
            f'<iframe title="Tournament" sandbox="allow-scripts" srcdoc="{text}" '
            f'style="width: 100%; height: {HEIGHT}px; border: 1px solid"></iframe>'
        )


def play_tournament(
    players: Sequence[Any], names: Mapping[str, Any], deals: int, book: str, seed: str
) -> SmallTournament:
    """Let the players play `deals` deals from every seat, by the rules in the program's `names`.

    Raise UsageError if one of the `players` is not a player, if there is no such rule `book`, or if
    `deals` is less than 1. Raise it also if the program lacks a name that the table needs.
    """
    if deals < 1:
        raise UsageError(f"{deals} deals; a tournament needs at least 1")
    try:
        rules = Rules.of(names)
    except KeyError as missing:
        raise UsageError(
            f"there is no {missing} here; run the cells with the given code first"
        ) from None
    if book.upper() not in rules.books:
        raise UsageError(f"no rule book {book}; choose one of: {', '.join(rules.books)}")
    guests = list(_guests(players))  # a list, so that a wrong player raises before the first round
    rounds = [_round(guests, rules, book.upper(), seed, number) for number in range(1, deals + 1)]
    return SmallTournament(Results.of(rounds, book.upper()))


def _guests(players: Sequence[Any]) -> Iterator[Guest]:
    """Yield the players. If a player's name is taken already, add a number to it.

    The results are kept by name, so two objects of one Python class need different names. Raise
    UsageError if nobody plays, or if one of the players is not a player.
    """
    if not players:
        raise UsageError("nobody plays; name some players, as in hold_tournament(enter, 'counter')")
    taken: Counter[str] = Counter({HOUSE: 1})
    for player in players:
        alias, make_seat = _named(player)
        taken[alias] += 1
        if taken[alias] > 1:
            alias = f"{alias} ({taken[alias]})"
        yield Guest(alias, make_seat)


def _named(player: Any) -> tuple[str, Callable[[], CourseSeat | OwnSeat]]:
    """Return the player's name and a function that makes its seat.

    A player may be the name of one of the course's players, or an object with a player's methods.
    It may also be a function or class that makes such an object for each deal. Raise UsageError for
    anything else.
    """
    if isinstance(player, str):
        if player not in [*Opponent]:
            kinds = ", ".join(Opponent)
            raise UsageError(f"{player}: no player of the course; choose one of: {kinds}")
        return player, lambda: CourseSeat(player)
    if _has_methods(player) and not isinstance(player, type):
        return type(player).__name__, lambda: OwnSeat(lambda: player)
    if callable(player):
        name = getattr(player, "__name__", type(player).__name__)  # a `partial` has no name
        return name, lambda: OwnSeat(player)
    raise UsageError(f"{player!r} is not a player, and not a function that makes one")


def _has_methods(player: Any) -> bool:
    """Return whether the object has a player's methods.

    This is also true of a Python class that defines a player, and not only of its objects.
    """
    return all(callable(getattr(player, name, None)) for name in METHODS)


def _round(
    guests: Sequence[Guest], rules: Rules, book: str, seed: str, number: int
) -> dict[str, Any]:
    """Return the record of one round: all tables with their players, and each deal from all seats.

    The record has the same form as in a class's tournament. There, some players are asked a second
    time, and `again` has the results. Here nobody is asked again, so `again` is empty.
    """
    house = Guest(HOUSE, lambda: CourseSeat(FILLER))
    this_round = Round(rules, book, seed, number)
    tables: list[dict[str, Any]] = []
    for players in tables_of(guests, house, seed, number):
        aliases = [guest.alias for guest in players]
        seats = [guest.make_seat() for guest in players]
        tables.append({"players": aliases, "deals": [*this_round.deals(aliases, seats)]})
    return {"round": number, "tables": tables, "again": {}}
