"""The whole site: built beside its place, and moved there when it is complete."""

import http.server
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from hearts_course.course import Course
from hearts_course.errors import CourseError, UsageError
from hearts_course.play.game import playable, reference_game
from hearts_course.release.bundle import build_wheel, refuse_secrets
from hearts_course.site.lab import refuse_without_jupyterlite, write_lab
from hearts_course.site.pages import write_pages
from hearts_course.site.parts import fetch_pyodide, tool

PARTS = ".parts"  # in the checkout: what npm has fetched
MARK = "lab/jupyter-lite.json"


def write_site(course: Course, folder: Path, *, play: bool = False) -> Iterator[str]:
    """Write the site into the folder, and yield what was done; `play` adds the reference's table.

    Raise UsageError if the folder holds something else, or if a tool is missing.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise UsageError(f"{folder}: holds other files; name a new folder for the site")
    for name in ("npm", "node"):
        tool(name)
    refuse_without_jupyterlite()
    pyodide = fetch_pyodide(course.root / PARTS)
    wheel = build_wheel(course)
    refuse_secrets(course, wheel)
    game = reference_game(course, playable(course, None, table=True)) if play else None
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".site-") as work:
        fresh = Path(work) / "site"
        write_lab(fresh / "lab", course, pyodide, wheel.data, game)
        write_pages(course, fresh, play=play)
        if folder.exists():
            folder.rename(Path(work) / "before")
        fresh.rename(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    yield f"site      {folder}, {size / 1e6:.0f} MB"


def serve_site(folder: Path, port: int) -> None:
    """Show the folder to this computer's browser until Ctrl-C."""
    try:
        server = site_server(folder, port)
    except OSError as error:
        raise CourseError(f"port {port}: {error.strerror}; choose another with --port") from None
    with server, suppress(KeyboardInterrupt):
        server.serve_forever()


def site_server(folder: Path, port: int = 0) -> http.server.ThreadingHTTPServer:
    """Return a server of the folder for this computer; without a port, it chooses one."""
    return _Server(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))


class _Server(http.server.ThreadingHTTPServer):
    """Keeps many requests waiting: a notebook asks for hundreds of files at once."""

    request_queue_size = 128


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
