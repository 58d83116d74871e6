"""Which players are better, as far as the deals tell.

In a round, everybody plays the same deal from every seat. So the difference between two players in
a round is not a matter of the cards. Its mean over the rounds has a standard error, and two players
are told apart where zero is far enough away. Many pairs are compared at once. Therefore each has to
be surer than 95 %, so that all of them together are right with that confidence (Bonferroni).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from statistics import NormalDist, fmean, stdev
from typing import Any

from hearts_course.tournament.schedule import HOUSE, SEATS

CONFIDENCE = 0.95  # in all comparisons together
DRAW = 0.5  # of a win
FITTED = 200  # steps, after which ratings change no more
CHESS = 400.0  # points, for a player that wins ten times as often as it loses
MIN_ROUNDS = 30  # a mean of fewer is not nearly normal


@dataclass(frozen=True)
class Comparison:
    """The difference between two players' points a deal, in the rounds that both have played.

    `margin` is large after few rounds, and shrinks as more are played.
    """

    rounds: int
    difference: float
    margin: float  # the true difference lies within this margin; infinite for too few rounds

    @property
    def verdict(self) -> str:
        """What the difference says about the first of the two; few points are good."""
        if abs(self.difference) <= self.margin:
            return "cannot tell yet"
        return "better" if self.difference < 0 else "worse"


@dataclass
class Standing:
    """A player's results."""

    alias: str
    means: dict[int, float] = field(default_factory=dict)  # points a deal, by round
    hearts: int = 0
    queens: int = 0
    moons: int = 0
    deals: int = 0
    asked_again: int = 0  # deals that the player was asked a second time
    other_answers: int = 0  # deals with another answer the second time
    faults: Counter[str] = field(default_factory=Counter)
    margin: float = float("inf")
    rating: float = 0.0  # of Bradley and Terry, in the points of chess

    @property
    def points(self) -> float:
        """The mean of points a deal."""
        return fmean(self.means.values())

    def kept(self, deal: Mapping[str, Any], seat: int) -> None:
        """Count one deal that the player had at this seat.

        The points are not added here: what counts is their mean over the deals of a round.
        """
        self.deals += 1
        self.hearts += deal["hearts"][seat]
        self.queens += deal["queen"][seat]
        self.moons += seat in deal["moon"]
        for number, _, fault in deal["faults"]:
            if number == seat:
                self.faults[fault] += 1


def standings(rounds: Iterable[Mapping[str, Any]]) -> list[Standing]:
    """Return everybody's results, the fewest points first; house players are not ranked.

    Players of a round have played the same deals, so the means of a round can be compared.
    """
    by_alias: dict[str, Standing] = {}
    for played in rounds:
        scores: dict[str, list[int]] = defaultdict(list)
        for table in played["tables"]:
            for deal in table["deals"]:
                for seat, place in enumerate(deal["order"]):
                    alias = table["players"][place]
                    if alias != HOUSE:
                        scores[alias].append(deal["scores"][seat])
                        by_alias.setdefault(alias, Standing(alias)).kept(deal, seat)
        for alias, unchanged in played["again"].items():
            by_alias[alias].asked_again += 1
            by_alias[alias].other_answers += not unchanged
        for alias, points in scores.items():
            by_alias[alias].means[played["round"]] = fmean(points)
    for standing in by_alias.values():
        standing.margin = _margin(list(standing.means.values()), pairs=1)
    for alias, rating in ratings(by_alias.values()).items():
        by_alias[alias].rating = rating
    return sorted(by_alias.values(), key=lambda standing: (standing.points, standing.alias))


def ratings(players: Iterable[Standing]) -> dict[str, float]:
    """Return a rating for each player, as in chess: better players have higher ones; the mean is 0.

    A player wins a round against each one that takes more points in it; an equal score is half a
    win. The ratings are those under which the numbers of wins are most likely (Bradley and Terry).
    They do not depend on the order of the rounds. Each pair also gets a draw that was not played,
    so that a player who never lost has a finite rating.
    """
    everybody = list(players)
    wins: dict[str, float] = defaultdict(float)
    games: dict[tuple[str, str], float] = {}
    for first, second in combinations(everybody, 2):
        rounds = first.means.keys() & second.means.keys()
        won = sum(_win(first.means[number], second.means[number]) for number in rounds)
        wins[first.alias] += won + DRAW
        wins[second.alias] += len(rounds) - won + DRAW
        games[first.alias, second.alias] = len(rounds) + 2 * DRAW
    strengths = {player.alias: 1.0 for player in everybody}
    for _ in range(FITTED if games else 0):
        expected: dict[str, float] = defaultdict(float)
        for (first_alias, second_alias), number in games.items():
            share = number / (strengths[first_alias] + strengths[second_alias])
            expected[first_alias] += share
            expected[second_alias] += share
        strengths = {alias: wins[alias] / expected[alias] for alias in strengths}
        # Only the ratios are determined; dividing by the mean keeps the strengths near 1.
        mean = fmean(map(math.log, strengths.values()))
        strengths = {alias: value / math.exp(mean) for alias, value in strengths.items()}
    return {alias: CHESS * math.log10(value) for alias, value in strengths.items()}


def _win(points: float, other_points: float) -> float:
    """Return what the first player has won in a round: 1, or half a win for equal points, or 0."""
    if points == other_points:
        return DRAW
    return float(points < other_points)


def compare_all(ranked: Iterable[Standing]) -> dict[tuple[str, str], Comparison]:
    """Return the comparison of each pair, the one with fewer points first."""
    pairs = list(combinations(ranked, 2))
    comparisons: dict[tuple[str, str], Comparison] = {}
    for first, second in pairs:
        comparisons[first.alias, second.alias] = _compare(first, second, len(pairs))
    return comparisons


def _compare(first: Standing, second: Standing, pairs: int) -> Comparison:
    """Return how many points more the first player takes, by the rounds in which both played.

    `pairs` is how many comparisons are made at once, because each of them has to be surer then.
    """
    rounds = sorted(first.means.keys() & second.means.keys())
    differences = [first.means[number] - second.means[number] for number in rounds]
    if not differences:
        return Comparison(0, 0.0, float("inf"))
    return Comparison(len(rounds), fmean(differences), _margin(differences, pairs))


def _margin(values: list[float], pairs: int) -> float:
    """Return the largest likely distance of the true mean from the mean of the values.

    It holds with CONFIDENCE for all `pairs` together.
    """
    if len(values) < MIN_ROUNDS:
        return float("inf")
    tail = (1 - CONFIDENCE) / pairs / 2
    standard_error = stdev(values) / math.sqrt(len(values))
    return -NormalDist().inv_cdf(tail) * standard_error


def is_clear(rounds: Iterable[Mapping[str, Any]], places: int) -> bool:
    """Return whether each of the first places is told apart from the next."""
    ranked = standings(rounds)
    comparisons = compare_all(ranked)
    for first, second in pairwise(ranked[: places + 1]):
        if comparisons[first.alias, second.alias].verdict != "better":
            return False
    return True


@dataclass(frozen=True)
class WorstDeal:
    """A deal that cost a player much."""

    round: int
    table: int
    deal: int
    seat: int
    score: int


def worst_deals(rounds: Iterable[Mapping[str, Any]], number: int) -> dict[str, list[WorstDeal]]:
    """Return for each player the deals with the most points, the worst first.

    Among deals with equal points the earlier one comes first.
    """
    by_player: dict[str, list[WorstDeal]] = defaultdict(list)
    for played in rounds:
        for table_number, table in enumerate(played["tables"]):
            for turn, deal in enumerate(table["deals"]):
                for seat in range(SEATS):
                    alias = table["players"][deal["order"][seat]]
                    place = played["round"], table_number, turn, seat
                    by_player[alias].append(WorstDeal(*place, deal["scores"][seat]))
    for alias, deals in by_player.items():
        deals.sort(key=lambda deal: -deal.score)
        by_player[alias] = deals[:number]
    return by_player
