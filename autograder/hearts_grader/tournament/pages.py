"""The tournament's report: one page that loads nothing, with deals to replay card by card."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hearts_course.reports.html import page

from hearts_grader.tournament.rounds import Timed
from hearts_grader.tournament.standings import (
    Comparison,
    Standing,
    WorstDeal,
    worst_deals,
)

TEMPLATES = Path(__file__).with_name("templates")
MAX_WORST = 5  # deals of each player to replay
MAX_ALL = 400  # deals that can all be replayed; of more, only the worst
SIGNS = {"better": "<", "worse": ">", "cannot tell yet": "?"}


def report_page(
    rounds: Sequence[Mapping[str, Any]],
    ranked: Sequence[Standing],
    comparisons: Mapping[tuple[str, str], Comparison],
    book: str,
) -> str:
    """Return the page with ranking, comparisons, kinds of points, faults and deals to replay."""
    worst = worst_deals(rounds, MAX_WORST)
    by_number = {played["round"]: played for played in rounds}
    to_replay: list[dict[str, Any]] = []
    for standing in ranked:
        for deal in worst[standing.alias]:
            label = f"{standing.alias}: {deal.score} points in deal {deal.round}"
            to_replay.append(_replayed(by_number[deal.round], deal, label))
    number = sum(len(table["deals"]) for played in rounds for table in played["tables"])
    if number <= MAX_ALL:
        to_replay += _all_deals(rounds)
    return page(
        "tournament.html.j2",
        "replay.js",
        folder=TEMPLATES,
        rounds=len(rounds),
        book=book,
        ranked=ranked,
        comparisons=comparisons,
        rows=[(standing, _row(standing, ranked, comparisons)) for standing in ranked],
        deals=json.dumps(to_replay, separators=(",", ":")),
        faulty=[standing for standing in ranked if standing.faults],
    )


def slowest_page(slowest: Iterable[Timed]) -> str:
    """Return the page with the slowest decisions, the slowest first."""
    order = sorted(slowest, key=lambda timed: (-timed.decision.processor_seconds, timed.alias))
    return page("slowest.html.j2", folder=TEMPLATES, slowest=order)


def _row(
    standing: Standing,
    ranked: Sequence[Standing],
    comparisons: Mapping[tuple[str, str], Comparison],
) -> list[str]:
    """Return how the player did against each other one: a sign and the difference in points."""
    cells: list[str] = []
    for other in ranked:
        comparison = comparisons.get((standing.alias, other.alias))
        if comparison is not None:
            cells.append(f"{_signed(comparison.difference)} {SIGNS[comparison.verdict]}")
        elif other is standing:
            cells.append("")
        else:
            backwards = comparisons[other.alias, standing.alias]
            sign = {"<": ">", ">": "<"}.get(SIGNS[backwards.verdict], "?")
            cells.append(f"{_signed(-backwards.difference)} {sign}")
    return cells


def _signed(difference: float) -> str:
    """Return the number with its sign; a minus is as wide as a plus."""
    return f"{difference:+.2f}".replace("-", "\N{MINUS SIGN}")


def _all_deals(rounds: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return every deal of every table, in the order of play."""
    deals: list[dict[str, Any]] = []
    for played in rounds:
        for table_number, table in enumerate(played["tables"]):
            for turn in range(len(table["deals"])):
                place = WorstDeal(played["round"], table_number, turn, seat=0, score=0)
                label = f"deal {played['round']}, table {table_number + 1}, turn {turn + 1}"
                deals.append(_replayed(played, place, label))
    return deals


def _replayed(played: Mapping[str, Any], place: WorstDeal, label: str) -> dict[str, Any]:
    """Return what the page needs to replay the deal; seats are named by their players."""
    table = played["tables"][place.table]
    deal = table["deals"][place.deal]
    return {
        "label": label,
        "seat": place.seat,
        "names": [table["players"][number] for number in deal["order"]],
        "direction": deal["direction"],
        "hands": deal["hands"],
        "passed": deal["passed"],
        "tricks": deal["tricks"],
        "scores": deal["scores"],
        "faults": deal["faults"],
    }
