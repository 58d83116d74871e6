"""Rounds on the workers of a Dask scheduler, as `hearts grade --cluster` grades there."""

import pickle
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import replace

from hearts_grader.grading.cluster import (
    ClusterError,
    ClusterWorkers,
    check_tool,
    one_at_a_time,
    own_tool,
)
from hearts_grader.grading.grade import chosen_sandbox
from hearts_grader.grading.pool import WorkerDied
from hearts_grader.tournament.rounds import Played, RoundPlayer, Setup

_players: dict[str, RoundPlayer] = {}  # of a worker: the tournament that it plays


class ClusterRounds(ClusterWorkers):
    """Workers that play rounds; the tournament's setup travels to each worker once."""

    _executor: Executor

    @contextmanager
    def playing(self, setup: Setup) -> Iterator["ClusterRounds"]:
        """Play rounds of this tournament, as long as the context lasts."""
        self._digest, self._packed = self.share("hearts-tournament", pickle.dumps(setup))
        with self.executing() as self._executor:
            yield self

    def submit(self, number: int) -> Future[Played]:
        """Let a worker play the round of this number."""
        return self._executor.submit(play_round, own_tool(), self._digest, self._packed, number)

    def result(self, future: Future[Played]) -> Played:
        """Return the round of a future that is done; raise CourseError if there is none."""
        try:
            return self.outcome(future)
        except WorkerDied:
            raise ClusterError(
                f"{self._address}: a round ended its workers again and again; what is done is "
                "kept: run the same command again, or leave out --cluster"
            ) from None


def play_round(tool: str, digest: str, packed: bytes, number: int) -> Played:
    """Return a round of the tournament with this digest; raise OtherTool for another tool.

    A worker keeps the sandboxes of its tournament, and closes them when another tournament comes.
    """
    check_tool(tool)
    with one_at_a_time:
        if digest not in _players:
            while _players:
                _, player = _players.popitem()
                player.close()
            setup: Setup = pickle.loads(packed)
            here = replace(setup, sandbox=chosen_sandbox(setup.sandbox))
            _players[digest] = RoundPlayer(here)
        return _players[digest].play(number)
