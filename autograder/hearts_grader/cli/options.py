"""Options that several commands of the grader share."""

import click
from hearts_course.errors import UsageError

SANDBOXES = ("auto", "bwrap", "landlock", "user", "none")

stage_option = click.option(
    "--stage", "stages", multiple=True, help="Only this stage; may be repeated."
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Number of programs graded at a time; default: one per processor.",
)

cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Work on the workers of a Dask scheduler: tcp://HOST:PORT or tls://HOST:PORT.",
)
sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(SANDBOXES),
    default="auto",
    help="The sandbox that programs run in; default: the first that works.",
)


def refuse_jobs_and_cluster(jobs: int | None, cluster: str | None) -> None:
    """Raise UsageError if both options are given.

    A cluster has as many workers as its owner started, so --jobs could not change anything there.
    """
    if cluster and jobs:
        raise UsageError("--jobs is for this machine, --cluster for others; leave out one")
