"""Play rounds on the workers of a Dask scheduler, as `hearts grade --cluster` grades on them."""

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

# Used only in a worker. Maps the digest of a tournament's setup to the tournament's RoundPlayer. A
# worker has at most one entry: its present tournament.
_players: dict[str, RoundPlayer] = {}


class ClusterRounds(ClusterWorkers):
    """Workers that play rounds; the tournament's setup travels to each worker once."""

    _executor: Executor

    @contextmanager
    def playing(self, setup: Setup) -> Iterator["ClusterRounds"]:
        """Let the workers play rounds of this tournament while the context lasts."""
        self._digest, self._packed = self.share("hearts-tournament", pickle.dumps(setup))
        with self.executing() as self._executor:
            yield self

    def submit(self, number: int) -> Future[Played]:
        """Let a worker play the round with this number."""
        return self._executor.submit(play_round, own_tool(), self._digest, self._packed, number)

    def result(self, future: Future[Played]) -> Played:
        """Return the round of a finished future; raise CourseError if the round was not played."""
        try:
            return self.outcome(future)
        except WorkerDied:
            raise ClusterError(
                f"{self._address}: a round ended its workers again and again; what is done is "
                "kept: run the same command again, or leave out --cluster"
            ) from None


def play_round(tool: str, digest: str, packed: bytes, number: int) -> Played:
    """Play round `number` of a tournament. `packed` is its setup, `digest` the setup's digest.

    A worker keeps a tournament's sandboxes until it gets a round of another tournament. `tool` has
    the versions of hearts-course, Python and Dask on the machine that sends the round. Raise
    OtherTool if this worker has other versions.
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
