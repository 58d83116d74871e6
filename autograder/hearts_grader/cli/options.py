"""Options that several commands of the grader share."""

import click

SANDBOXES = ("auto", "bwrap", "landlock", "user", "none")

stage_option = click.option(
    "--stage", "stages", multiple=True, help="Only this stage; may be repeated."
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Number of programs graded at a time; default: one per processor.",
)

sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(SANDBOXES),
    default="auto",
    help="The sandbox that programs run in; default: the first that works.",
)
