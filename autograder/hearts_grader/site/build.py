"""Build the whole site beside its final folder, and move it there when it is complete."""

import http.server
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from hearts_course.course import Course
from hearts_course.edition import Edition
from hearts_course.errors import CourseError, UsageError
from hearts_course.play.game import Game, reference_game

from hearts_grader.release.bundle import (
    ALONE,
    Placed,
    everything_hidden,
    in_wheel,
    refuse_secrets,
    released_copy,
    released_stages,
)
from hearts_grader.site.lab import program_files, refuse_without_jupyterlite, write_lab
from hearts_grader.site.pages import write_pages
from hearts_grader.site.parts import fetch_pyodide, tool

PARTS = ".parts"  # folder in the checkout for npm's downloads
MARK = "lab/jupyter-lite.json"  # a file of every site; a folder with this file may be replaced
PICTURE = "autograder/docs/pictures/card-table.png"


def write_site(
    course: Course,
    folder: Path,
    *,
    play: bool = False,
    alone: bool = False,
    parts: Path | None = None,
) -> Iterator[str]:
    """Write the site into the folder, and yield what was done; drafts are left out.

    `play` adds the reference solution's card table, and `alone` adds hidden tests and solutions.
    `parts` is the folder for npm's downloads, by default one in the checkout. A folder with an
    older site is replaced only when the new site is complete. Raise UsageError if the folder holds
    something else, or if a tool is missing. Raise CourseError if a file of the site is not for
    students, and neither `play` nor `alone` adds it.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise UsageError(f"{folder}: holds other files; name a new folder for the site")
    # Look for all tools first. Otherwise the build would take minutes and then fail.
    for name in ("npm", "node"):
        tool(name)
    refuse_without_jupyterlite()
    stages = released_stages(course, ())
    pyodide = fetch_pyodide(parts or course.root / PARTS)
    hidden: Placed = {}
    label: Sequence[str] = ()
    if alone:
        hidden = everything_hidden(stages)
        label = ALONE
    game: Game | None = None
    if play:
        game = reference_game(course, [stage for stage in stages if stage.table])
    edition = Edition(notebook=True, terminal=False, alone=alone)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # The new site is written beside the old one, because a rename works only within a file system.
    with (
        released_copy(course, stages, hidden, label, edition) as (copy, wheel),
        tempfile.TemporaryDirectory(dir=folder.parent, prefix=".site-") as work,
    ):
        fresh = Path(work) / "site"
        write_lab(fresh / "lab", copy, pyodide, wheel.data, edition, game)
        write_pages(copy, fresh, course.root / PICTURE, edition, play=bool(game))
        allowed = in_wheel(hidden)
        if game:
            allowed |= program_files(game)
        paths = [path for path in fresh.rglob("*") if path.is_file()]
        # Check the finished files, because any part of the build could put a secret there.
        refuse_secrets(course, ((path.name, path.read_bytes()) for path in paths), allowed)
        size = sum(path.stat().st_size for path in paths)
        # Move the old site into the temporary folder, which is deleted at the end.
        if folder.exists():
            folder.rename(Path(work) / "before")
        fresh.rename(folder)
    yield f"site      {folder}, {size / 1e6:.0f} MB"


def refuse_without_site(folder: Path) -> None:
    """Raise UsageError if the folder holds no site."""
    if not (folder / MARK).is_file():
        raise UsageError(f"{folder}: holds no site; write it first with `hearts site {folder}`")


def serve_site(folder: Path, port: int) -> None:
    """Show the folder to this computer's browser until Ctrl-C.

    Raise CourseError if the port cannot be used.
    """
    try:
        server = site_server(folder, port)
    except OSError as error:
        raise CourseError(f"port {port}: {error.strerror}; choose another with --port") from None
    with server, suppress(KeyboardInterrupt):
        server.serve_forever()


def site_server(folder: Path, port: int = 0) -> http.server.ThreadingHTTPServer:
    """Return a server of the folder for this computer; without a port, the system chooses one."""
    return _Server(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))


class _Server(http.server.ThreadingHTTPServer):
    """A server with a long queue for requests: a notebook asks for hundreds of files at once."""

    request_queue_size = 128


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without printing a line for each request."""

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""
