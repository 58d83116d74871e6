"""Which players are better, as far as the deals tell.

In a round, everybody plays the same deal from every seat. So the difference between two players in
a round is not a matter of the cards. Two players are told apart if their mean difference over the
rounds is far enough from zero, in comparison with its standard error. Many pairs are compared at
once. Each comparison must be surer than 95 %, so that all of them together are right with a
confidence of 95 % (Bonferroni).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from statistics import NormalDist, fmean, stdev
from typing import Any

from hearts_course.tournament.schedule import HOUSE, SEATS

CONFIDENCE = 0.95  # the confidence in all comparisons together
DRAW = 0.5  # a draw counts as this fraction of a win
FITTED = 200  # after this many steps, the ratings no longer change
CHESS = 400.0  # the difference of two ratings if one player wins ten times as often as the other
MIN_ROUNDS = 30  # the mean of fewer rounds is not close enough to a normal distribution


@dataclass(frozen=True)
class Comparison:
    """A comparison of two players, in the rounds that both have played.

    `difference` is the first player's mean points per deal, minus the second player's. `margin`
    shrinks as more rounds are played.
    """

    rounds: int
    difference: float
    margin: float  # the true difference lies within this margin; infinite for too few rounds

    @property
    def verdict(self) -> str:
        """Whether the first of the two players is better or worse; fewer points are better."""
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
    asked_again: int = 0  # deals in which the player was asked a second time
    other_answers: int = 0  # deals in which the second answer was different
    faults: Counter[str] = field(default_factory=Counter)
    margin: float = float("inf")
    rating: float = 0.0  # the rating of Bradley and Terry, in the points of chess

    @property
    def points(self) -> float:
        """The mean points per deal, over all rounds."""
        return fmean(self.means.values())

    @property
    def fault_words(self) -> str:
        """The faults in words, such as "illegal in 8 of 8 deals", "" if there are none."""
        counted = sorted(self.faults.items())
        return ", ".join(f"{fault} in {number} of {self.deals} deals" for fault, number in counted)

    def kept(self, deal: Mapping[str, Any], seat: int) -> None:
        """Count a deal that the player played in this seat.

        Points are not added here, because only their mean over the deals of a round counts.
        """
        self.deals += 1
        self.hearts += deal["hearts"][seat]
        self.queens += deal["queen"][seat]
        self.moons += seat in deal["moon"]
        for number, _, fault in deal["faults"]:
            if number == seat:
                self.faults[fault] += 1


def standings(rounds: Iterable[Mapping[str, Any]]) -> list[Standing]:
    """Return the results of all players except house players, the fewest points first.

    All players of a round have played the same deals, so their means in the round can be compared.
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
    """Map each player's alias to a rating. As in chess, better players have higher ratings.

    The mean of all ratings is 0. A player wins a round against each player that takes more points
    in it; an equal score is half a win. The ratings make the numbers of wins as likely as possible
    (Bradley and Terry), so the order of the rounds does not matter. For each pair, also count one
    draw that was not played, so that a player who never lost has a finite rating.
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
        # Only the ratios of strengths have a meaning; dividing by the mean keeps them near 1.
        mean = fmean(map(math.log, strengths.values()))
        strengths = {alias: value / math.exp(mean) for alias, value in strengths.items()}
    return {alias: CHESS * math.log10(value) for alias, value in strengths.items()}


def _win(points: float, other_points: float) -> float:
    """Return what the first player has won in a round: 1, DRAW for equal points, or 0."""
    if points == other_points:
        return DRAW
    return float(points < other_points)


def compare_all(ranked: Iterable[Standing]) -> dict[tuple[str, str], Comparison]:
    """Map the aliases of each pair of players to their comparison, in the order of `ranked`."""
    pairs = list(combinations(ranked, 2))
    comparisons: dict[tuple[str, str], Comparison] = {}
    for first, second in pairs:
        comparisons[first.alias, second.alias] = _compare(first, second, len(pairs))
    return comparisons


def _compare(first: Standing, second: Standing, pairs: int) -> Comparison:
    """Return the comparison of the first player's points per deal with the second player's.

    Only rounds that both have played count. Without such rounds, the margin is infinite.
    `pairs` is the number of comparisons that are made at once: with more pairs, each comparison
    must be surer.
    """
    rounds = sorted(first.means.keys() & second.means.keys())
    differences = [first.means[number] - second.means[number] for number in rounds]
    if not differences:
        return Comparison(0, 0.0, float("inf"))
    return Comparison(len(rounds), fmean(differences), _margin(differences, pairs))


def _margin(values: list[float], pairs: int) -> float:
    """Return the largest likely distance of the true mean from the mean of the values.

    The margins of all `pairs` together hold with CONFIDENCE. With too few values, the distance is
    infinite.
    """
    if len(values) < MIN_ROUNDS:
        return float("inf")
    tail = (1 - CONFIDENCE) / pairs / 2
    standard_error = stdev(values) / math.sqrt(len(values))
    return -NormalDist().inv_cdf(tail) * standard_error


def is_clear(rounds: Iterable[Mapping[str, Any]], places: int) -> bool:
    """Return whether each player in the first `places` is clearly better than the next player."""
    ranked = standings(rounds)
    comparisons = compare_all(ranked)
    for first, second in pairwise(ranked[: places + 1]):
        if comparisons[first.alias, second.alias].verdict != "better":
            return False
    return True


@dataclass(frozen=True)
class WorstDeal:
    """A deal that cost a player much; `table`, `deal` (the turn) and `seat` count from 0."""

    round: int
    table: int
    deal: int
    seat: int
    score: int


def worst_deals(rounds: Iterable[Mapping[str, Any]], number: int) -> dict[str, list[WorstDeal]]:
    """Map each player's alias to the player's `number` deals with the most points, the worst first.

    Of two deals with equal points, the earlier deal comes first.
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
