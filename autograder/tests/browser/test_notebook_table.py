"""The card table in a real JupyterLab and Notebook, as `hearts play --table` opens it."""

import os
import subprocess
import sys

import pytest
from conftest import await_server, free_port
from hearts_course.play.table import NOTEBOOK, write_table_notebook
from playwright.sync_api import TimeoutError

MINE = ".hc-hand button"


@pytest.fixture(scope="module")
def address(game, tmp_path_factory):
    """The address of a Jupyter server that has the table's notebook."""
    tmp_path = tmp_path_factory.mktemp("jupyter")
    folder = tmp_path / "table"
    folder.mkdir()
    write_table_notebook(game, folder)
    port = free_port()
    flags = ["--no-browser", "--ip=127.0.0.1", f"--port={port}", "--IdentityProvider.token="]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--allow-root")
    home = {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", "jupyter", "lab", *flags]
    server = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        await_server(f"http://127.0.0.1:{port}/lab", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def run_the_cell(page):
    """Press the keys that run a cell up to six times: a notebook that is loading may miss them."""
    for _ in range(6):
        if (dialog := page.locator("dialog .jp-Dialog-header")).count():
            print("A dialog:", dialog.inner_text())
            page.keyboard.press("Escape")
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        try:
            page.locator(MINE).nth(12).wait_for(timeout=10_000)
            return
        except TimeoutError:
            continue
    pytest.fail("the cell does not run")


@pytest.mark.parametrize("place", ["lab/tree", "notebooks"])
def test_one_plays_in_a_notebook(browser, address, place, new_page, shot):
    name = place.partition("/")[0]
    page = new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{address}/{place}/{NOTEBOOK}")
    run_the_cell(page)
    page.wait_for_timeout(1000)
    shot(page, f"{name}-0-dealt")
    boxes = [card.bounding_box() for card in page.locator(MINE).all()]
    assert max(box["y"] + box["height"] for box in boxes) <= 800
    for place in (12, 11, 10):
        page.locator(MINE).nth(place).click()
        page.locator(f"{MINE}[aria-pressed=true]").nth(12 - place).wait_for()
    shot(page, f"{name}-1-passing")
    page.locator("[data-click=pass]").click()
    page.locator("[data-phase=playing]").wait_for()
    for held in (12, 11):
        page.locator(f"{MINE}[aria-disabled=false]").first.wait_for()
        page.locator(f"{MINE}[aria-disabled=false]").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_function(f"document.querySelectorAll('{MINE}').length == {held}")
    shot(page, f"{name}-2-playing")
