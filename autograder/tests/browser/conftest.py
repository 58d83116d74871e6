"""Fixtures: a browser, a page with the card table, and the program behind the table."""

import importlib
import os
import shutil
import sys
import tarfile
import time
from pathlib import Path
from socket import socket
from urllib.request import urlopen

import pytest
from hearts_course.course import find_course
from hearts_course.play.game import playable, reference_game
from hearts_course.play.table import write_table_notebook
from hearts_grader.site import build, parts

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHOTS = Path(__file__).resolve().parents[3] / ".browser"
HERE = "http://table.test/"
PARTS = find_course().root / build.PARTS
AXE = "axe-core-4.14.1"
HURRY = """{
  const wait = window.setTimeout;
  window.setTimeout = (act, pause, ...more) => wait(act, Math.min(pause || 0, 60), ...more);
}"""
FILES = {"": "text/html", "card_table.js": "text/javascript", "card_table.css": "text/css"}


def free_port():
    """Return a port that no server uses."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def await_server(address, server):
    """Wait until the server answers at the address; fail if the process `server` ends."""
    for _ in range(120):
        assert server.poll() is None, "the server has ended"
        try:
            urlopen(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.5)
    pytest.fail(f"{address} does not answer")


@pytest.fixture(scope="session")
def game():
    """The course's reference game with a card table."""
    course = find_course()
    return reference_game(course, playable(course, None, table=True))


@pytest.fixture(scope="session")
def program(game, tmp_path_factory):
    """The imported module with the game's table."""
    folder = tmp_path_factory.mktemp("program")
    write_table_notebook(game, folder)
    sys.path.insert(0, str(folder))
    yield importlib.import_module(game.stage.table)
    sys.path.remove(str(folder))


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window.

    If no Chromium is installed, skip the tests, or fail if HEARTS_BROWSER is `needed`.
    """
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        words = f"no browser: none of {', '.join(BROWSERS)} is installed"
        if os.environ.get("HEARTS_BROWSER") == "needed":
            pytest.fail(words)
        pytest.skip(words)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable)
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser):
    """Yield a function that opens a page; fail at the end if our code caused an error in a page.

    The function returns an empty page of this size. With `motion`, pages may show animations. With
    `hurry`, their pauses are at most 60 ms. Other arguments go to Playwright's `new_context`.
    """
    contexts = []
    faults = []

    def open_page(*, width=1280, height=800, motion=False, hurry=False, **more):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            reduced_motion="no-preference" if motion else "reduce",
            **more,
        )
        if hurry:
            context.add_init_script(HURRY)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: _note(faults, str(error), str(error.stack)))
        page.on("console", lambda message: _hear(faults, message))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture(scope="session")
def axe():
    """Return a function that lists what axe-core finds inaccessible on a page, or in a part of it.

    The page's content security policy must be off.
    """
    if not shutil.which("npm"):
        if os.environ.get("HEARTS_NODE") == "needed":
            pytest.fail(parts.NO_NODE)
        pytest.skip(parts.NO_NODE)
    folder = PARTS / AXE
    if not folder.is_dir():
        name, version = AXE.rsplit("-", 1)
        PARTS.mkdir(exist_ok=True)
        parts.output_of([parts.tool("npm"), "pack", "--silent", f"{name}@{version}"], PARTS)
        with tarfile.open(PARTS / f"{AXE}.tgz") as archive:
            archive.extractall(folder, filter="data")

    def findings(page, part=None):
        page.add_script_tag(path=folder / "package/axe.min.js")
        found = page.evaluate("(part) => axe.run(part || document)", part)
        return [violation["id"] for violation in found["violations"]]

    return findings


def _hear(faults, message):
    if message.type in ("error", "warning"):
        _note(faults, message.text, f"{message.location.get('url')} {message.text}")


def _note(faults, what, where):
    """Add `what` to `faults` if `where` names the card table, not the notebook around it."""
    if any(ours in where for ours in (HERE, "blob:", "card_table")):
        faults.append(what)


@pytest.fixture
def table(new_page, program):
    """Return a function that opens a card table in a new page, and returns the page and the widget.

    `seed` decides the deals. `names` are the names that the table's program defines; without them,
    the table uses the course's program. The other arguments go to `new_page`.
    """
    from hearts_course.view.players import Chance
    from hearts_course.view.sitting import Sitting
    from hearts_course.view.widget import FOLDER, CardTable

    def answer(route):
        name = route.request.url.removeprefix(HERE)
        path = FOLDER / name if name else Path(__file__).with_name("page.html")
        route.fulfill(body=path.read_text(encoding="utf-8"), content_type=FILES[name])

    def sit_down(*, seed=7, names=None, hurry=True, **window):
        widget = CardTable(Sitting(names or vars(program), Chance(seed)))

        def tell(message):
            if message["event"] is not None:
                widget._handle(None, message, None)
            return {"view": widget.view, "version": widget.version}

        page = new_page(hurry=hurry, **window)
        page.expose_function("tell", tell)
        page.route(f"{HERE}*", answer)
        page.goto(HERE)
        page.wait_for_selector("[data-phase]")
        return page, widget

    return sit_down


@pytest.fixture
def shot(request):
    """Return a function that saves a screenshot of a page under a name, for people to look at."""
    SHOTS.mkdir(exist_ok=True)
    return lambda page, name: page.screenshot(path=SHOTS / f"{name}.png", full_page=True)
