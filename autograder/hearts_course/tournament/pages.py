"""The tournament's report and a page for each player, with deals to replay card by card.

No page loads other files. All pages are made from the recorded rounds alone, except the page of the
slowest decisions.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hearts_course.reports.html import page
from hearts_course.tournament.standings import (
    Comparison,
    Standing,
    WorstDeal,
    compare_all,
    standings,
    worst_deals,
)
from hearts_course.tournament.times import Timed

TEMPLATES = Path(__file__).with_name("templates")
MAX_WORST = 5  # how many worst deals of each player a page replays
MAX_ALL = 1200  # deals that the report replays; if there are more, separate pages replay them
PART = 50  # rounds on each separate page
PLAYERS, DEALS = "players", "deals"  # the folders of the players' pages and the separate pages
SHOWN = 0.01  # the smallest difference that a page shows
SIGNS = {"better": "<", "worse": ">", "cannot tell yet": "?"}


@dataclass(frozen=True)
class Results:
    """What the pages show: the recorded rounds, and the standings that are computed from them."""

    rounds: Sequence[Mapping[str, Any]]
    ranked: Sequence[Standing]
    comparisons: Mapping[tuple[str, str], Comparison]
    book: str

    @classmethod
    def of(cls, rounds: Sequence[Mapping[str, Any]], book: str) -> "Results":
        """Return the results of these rounds."""
        ranked = standings(rounds)
        return cls(rounds, ranked, compare_all(ranked), book)


def all_pages(results: Results, most: int = MAX_ALL) -> dict[str, str]:
    """Map the path of each page of the tournament to the page's text.

    The page of the slowest decisions is not included. `report.html` replays all deals. If there
    are more than `most`, it replays only each player's worst deals, and links to separate pages
    with all deals.
    """
    deals = _all_deals(results.rounds)
    parts: dict[str, str] = {}
    if len(deals) > most:
        deals = []  # the report links to the separate pages instead
        for first in range(0, len(results.rounds), PART):
            part = results.rounds[first : first + PART]
            name = f"{DEALS}/{part[0]['round']:06}.html"
            parts[name] = _deals_page(part)
    worst = _worst(results)
    pages: dict[str, str] = {}
    for place, (alias, name) in enumerate(_page_names(results.ranked).items()):
        pages[f"{PLAYERS}/{name}.html"] = _player_page(results, place, worst[alias])
    report = report_page(results, worst, deals, list(parts))
    return {"report.html": report, **pages, **parts}


def one_page(results: Results) -> str:
    """Return the report alone, with all deals and without links to other pages."""
    return report_page(results, _worst(results), _all_deals(results.rounds), [], alone=True)


def report_page(
    results: Results,
    worst: Mapping[str, Sequence[dict[str, Any]]],
    deals: Sequence[dict[str, Any]],
    parts: Sequence[str],
    *,
    alone: bool = False,
) -> str:
    """Return the page with ranking, comparisons, kinds of points, faults and deals to replay.

    The page replays each player's worst deals, then `deals`. If there are too many deals for it,
    `parts` are the paths of separate pages that replay them. With `alone`, the page has no links to
    other pages.
    """
    ranked = results.ranked
    to_replay: list[dict[str, Any]] = []
    for standing in ranked:
        to_replay += worst[standing.alias]
    to_replay += deals
    return page(
        "tournament.html.j2",
        "replay.js",
        folder=TEMPLATES,
        rounds=len(results.rounds),
        book=results.book,
        ranked=ranked,
        names=_page_names(ranked),
        rows=[(standing, _row(standing, ranked, results.comparisons)) for standing in ranked],
        deals=_as_text(to_replay),
        parts=parts,
        alone=alone,
        faulty=[standing for standing in ranked if standing.faults],
        asked_again=sum(standing.asked_again for standing in ranked),
        unsteady=[standing for standing in ranked if standing.other_answers],
    )


def _player_page(results: Results, place: int, worst: Sequence[dict[str, Any]]) -> str:
    """Return the page of the player in that place, counted from 0.

    It replays the player's worst deals, and compares the player with every other player.
    """
    standing = results.ranked[place]
    cells = _row(standing, results.ranked, results.comparisons)
    against: list[tuple[str, str]] = []
    for opponent, cell in zip(results.ranked, cells, strict=True):
        if opponent is not standing:
            against.append((opponent.alias, cell))
    return page(
        "player.html.j2",
        "replay.js",
        folder=TEMPLATES,
        standing=standing,
        place=place + 1,
        players=len(results.ranked),
        against=against,
        worst=worst,
        deals=_as_text(worst),
    )


def _deals_page(rounds: Sequence[Mapping[str, Any]]) -> str:
    """Return a page that replays all deals of these rounds."""
    first, last = rounds[0]["round"], rounds[-1]["round"]
    deals = _as_text(_all_deals(rounds))
    return page("deals.html.j2", "replay.js", folder=TEMPLATES, first=first, last=last, deals=deals)


def _page_names(ranked: Sequence[Standing]) -> dict[str, str]:
    """Map each player's alias to the name of the player's page, in the order of places.

    A name begins with a number because two aliases may look alike once their odd characters are
    gone. The number does not tell the place: it counts the aliases in the order of the alphabet.
    """
    in_order = sorted(standing.alias for standing in ranked)
    names: dict[str, str] = {}
    for standing in ranked:
        number = in_order.index(standing.alias) + 1
        names[standing.alias] = f"{number:03}-{_plain(standing.alias)}"
    return names


def _plain(alias: str) -> str:
    """Return the alias with letters, digits and hyphens only, for a name on any file system."""
    return re.sub("[^a-z0-9]+", "-", alias.lower()).strip("-") or "player"


def _worst(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Map each player's alias to the player's worst deals, ready to be replayed.

    Each deal has a label for the list of deals on the page.
    """
    by_number = {played["round"]: played for played in results.rounds}
    to_replay: dict[str, list[dict[str, Any]]] = {}
    for alias, deals in worst_deals(results.rounds, MAX_WORST).items():
        to_replay[alias] = []
        for deal in deals:
            label = f"{alias}: {deal.score} points in deal {deal.round}"
            to_replay[alias].append(_replayed(by_number[deal.round], deal, label))
    return to_replay


def _as_text(deals: Sequence[Mapping[str, Any]]) -> str:
    """Return the deals as JSON without blanks, because deals are most of a page's size."""
    return json.dumps(deals, separators=(",", ":"))


def slowest_page(slowest: Iterable[Timed]) -> str:
    """Return the page with the slowest decisions, the slowest first."""
    return page("slowest.html.j2", folder=TEMPLATES, slowest=list(slowest))


def _row(
    standing: Standing,
    ranked: Sequence[Standing],
    comparisons: Mapping[tuple[str, str], Comparison],
) -> list[str]:
    """Return a cell for each player of `ranked`: the difference in points, and a sign of SIGNS.

    The cell for the player itself is empty. Each pair is compared only once, with the better player
    first. For the worse player, that comparison is reversed.
    """
    cells: list[str] = []
    for opponent in ranked:
        comparison = comparisons.get((standing.alias, opponent.alias))
        if comparison is not None:
            cells.append(f"{_signed(comparison.difference)} {SIGNS[comparison.verdict]}")
        elif opponent is standing:
            cells.append("")
        else:
            backwards = comparisons[opponent.alias, standing.alias]
            sign = {"<": ">", ">": "<"}.get(SIGNS[backwards.verdict], "?")
            cells.append(f"{_signed(-backwards.difference)} {sign}")
    return cells


def _signed(difference: float) -> str:
    """Return the number with its sign; the minus sign is as wide as a plus sign."""
    if abs(difference) < SHOWN / 2:
        return "0.00"
    return f"{difference:+.2f}".replace("-", "\N{MINUS SIGN}")


def _all_deals(rounds: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return every deal of every table, in the order of play.

    These deals are not about a particular player, so they are shown from the first seat.
    """
    deals: list[dict[str, Any]] = []
    for played in rounds:
        for table_number, table in enumerate(played["tables"]):
            for turn in range(len(table["deals"])):
                place = WorstDeal(played["round"], table_number, turn, seat=0, score=0)
                label = f"deal {played['round']}, table {table_number + 1}, turn {turn + 1}"
                deals.append(_replayed(played, place, label))
    return deals


def _replayed(played: Mapping[str, Any], place: WorstDeal, label: str) -> dict[str, Any]:
    """Return what the page needs to replay the deal.

    `names` in the result has the player in each seat, because players change seats in each turn.
    """
    table = played["tables"][place.table]
    deal = table["deals"][place.deal]
    names = [table["players"][number] for number in deal["order"]]
    return {
        "label": label,
        "seat": place.seat,
        "names": names,
        "others": [name for seat, name in enumerate(names) if seat != place.seat],
        "direction": deal["direction"],
        "hands": deal["hands"],
        "passed": deal["passed"],
        "tricks": deal["tricks"],
        "scores": deal["scores"],
        "faults": deal["faults"],
    }
