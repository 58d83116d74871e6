"""Command for instructors: tournament."""

import time
from collections.abc import Iterable
from pathlib import Path

import click
from hearts_course.cli.common import INTERRUPTED, PATH, warn
from hearts_course.course import Course
from hearts_course.text import count_of

from hearts_grader.cli.executor import make_round_workers
from hearts_grader.cli.options import cluster_option, refuse_jobs_and_cluster, sandbox_option
from hearts_grader.reports.terminal import in_words

SECONDS_BETWEEN_LINES = 5.0
MIN_SEED = 16  # characters; a shorter seed gets a warning, because a player could guess it


@click.command()
@click.argument("players", nargs=-1, required=True)
@click.option("--out", metavar="DIR", type=PATH, required=True, help="Where the results go.")
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Number of deals; everybody plays each one once from every seat.",
)
@click.option("--book", default="ESTELL", show_default=True, help="The rule book.")
@click.option(
    "--seed",
    metavar="TEXT",
    help="What chance begins with, a secret; default: drawn, and kept in DIR.",
)
@click.option(
    "--until-clear",
    is_flag=True,
    help="Stop before that number of deals as soon as the first three are told apart.",
)
@click.option(
    "--continue",
    "go_on",
    is_flag=True,
    help="Add players and deals to the tournament in DIR.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Number of rounds played at a time; default: one per processor.",
)
@cluster_option
@sandbox_option
@click.pass_obj
def tournament(
    course: Course,
    players: tuple[str, ...],
    out: Path,
    deals: int,
    book: str,
    seed: str | None,
    until_clear: bool,
    go_on: bool,
    jobs: int | None,
    cluster: str | None,
    sandbox: str,
) -> int:
    """Let everybody's player play against everybody else's.

    PLAYERS are folders of submissions, and names of the course's players: random, cautious,
    counter, sampler. A student takes part by a function `enter` that returns a player. After an
    interruption, the same command continues.
    """
    from hearts_grader.tournament.entries import find_entries, table_reference, tournament_stage
    from hearts_grader.tournament.event import Event, Season
    from hearts_grader.tournament.rounds import Setup, check_book

    refuse_jobs_and_cluster(jobs, cluster)
    entries, remarks = find_entries(players, course)
    for remark in remarks:
        warn(remark)
    if seed is not None and len(seed) < MIN_SEED:
        warn(
            f"--seed {seed}: a player that guesses the seed knows all cards; leave it out, or "
            f"take {MIN_SEED} letters or more"
        )
    # The folder keeps the seed: an interrupted tournament continues with the same deals.
    event = Event(out)
    setup = Setup(
        reference=table_reference(course),
        entries=tuple(entries),
        book=book.upper(),
        seed=event.seed(seed),
        limits=tournament_stage(course).limits,
        sandbox=sandbox,
    )
    # Check the book before any worker starts, so that nobody waits because of a wrong name.
    check_book(setup)
    try:
        with make_round_workers(setup, cluster, jobs) as (workers, setup):
            season = event.season(Season.of(setup, deals), go_on=go_on)
            click.echo(
                f"{count_of(len(entries), 'player')}, {count_of(deals, 'deal')} from every seat, "
                f"in {setup.sandbox}"
            )
            # A new tournament has no rounds from which the time could be estimated.
            seconds = event.estimate(season, workers.places)
            if seconds:
                click.echo(f"the rest takes about {in_words(seconds)}, at the speed so far")
            show_progress(event.play(setup.entries, season, workers, until_clear))
    except KeyboardInterrupt:
        event.write_report(course)
        warn("stopped; the same command continues from here")
        return INTERRUPTED
    for line in event.write_report(course):
        click.echo(line)
    click.echo(f"report: {event.report}")
    return 0


def show_progress(rounds: Iterable[tuple[int, int]]) -> None:
    """Print now and then how many rounds have been played, and how long the rest may take.

    `rounds` yields the number of rounds played and the number of all rounds. The estimate uses the
    mean time of the rounds so far.
    """
    begun = time.monotonic()
    shown = 0.0
    for played, todo in rounds:
        if time.monotonic() - shown > SECONDS_BETWEEN_LINES:
            shown = time.monotonic()
            left = (shown - begun) / played * (todo - played)
            click.echo(f"{played} of {count_of(todo, 'deal')} played, about {in_words(left)} left")
