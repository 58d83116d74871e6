"""In a browser: a student's notebook in JupyterLab, then formgrader, for `make test-site`.

Pictures go to `.browser/`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from hearts_course.course import find_course
from hearts_grader.authoring.notebook import build_notebook, notebook_text, reference_notebook
from hearts_grader.nbgrader.course import NbgraderCourse
from markup import MARKDOWN, live_markup, submission_with_markup
from nbgrader_courses import WRONG, nbgraders_gradebook, step, tiny_nbgrader_course
from tiny_class import STAGE, put
from tiny_course import MANUAL_TOML

ROOT = Path(__file__).resolve().parents[3]
PICTURES = ROOT / ".browser"
TOKEN = "hearts"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
SECONDS = 120
PATIENCE = SECONDS * 1000  # how long to wait for a page, in milliseconds


@contextmanager
def jupyter(folder: Path) -> Iterator[str]:
    """Yield the address of a JupyterLab with formgrader in the folder."""
    home = Path(tempfile.mkdtemp(prefix="hearts-jupyter-"))
    names = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {name: str(home) for name in names} | {"PATH": path}
    options = {
        "ServerApp.root_dir": folder,
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": 8931,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "IdentityProvider.token": TOKEN,
        "LabApp.news_url": "",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    command = [sys.executable, "-m", "jupyterlab", *(f"--{k}={v}" for k, v in options.items())]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
    try:
        yield _address(home, server)
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(home, ignore_errors=True)


def _address(home: Path, server: "subprocess.Popen[bytes]") -> str:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and server.poll() is None:
        for path in home.glob("jpserver-*.json"):
            url = str(json.loads(path.read_text())["url"]).rstrip("/")
            with urlopen(f"{url}/api?token={TOKEN}", timeout=30):
                return url
        time.sleep(0.5)
    raise SystemExit((home / "log").read_text())


def a_students_notebook(page: Any, url: str) -> None:
    """Run a notebook whose first check fails; validate the notebook; solve it and run it again."""
    page.goto(f"{url}/lab/tree/student/01-cards.ipynb?token={TOKEN}")
    page.get_by_text("Python 3 (ipykernel) | Idle").first.wait_for(timeout=PATIENCE)
    run_all_until_the_first_check_says(page, "0 of 2 points")
    picture(page, "student-1-a-check-fails")
    page.keyboard.press("Control+s")
    page.get_by_text("Validate", exact=True).first.click()
    page.get_by_text(re.compile("VALIDATION|Validation")).first.wait_for(timeout=PATIENCE)
    page.wait_for_selector(".jp-Dialog", timeout=PATIENCE)
    shown = page.locator(".jp-Dialog").inner_text()
    assert "suits-and-ranks" in shown, shown
    picture(page, "student-2-validate")
    page.keyboard.press("Escape")
    notebook = reference_notebook(find_course().stages[0])
    programs = (cell for cell in notebook.cells if cell.cell_type == "code")
    (cell,) = (cell for cell in programs if "class Suit" in cell.source)
    page.locator(".jp-CodeCell .cm-content", has_text="class Suit").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(cell.source)
    run_all_until_the_first_check_says(page, "2 of 2 points")
    picture(page, "student-3-the-check-passes")


def run_all_until_the_first_check_says(page: Any, words: str) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.locator(".jp-WindowedPanel-outer").first.evaluate("panel => panel.scrollTop = 0")
    found = page.get_by_text(re.compile(words)).first
    found.wait_for(timeout=PATIENCE)
    found.scroll_into_view_if_needed()


def formgrader(page: Any, url: str, root: Path) -> None:
    """Press formgrader's button for autograding, and give manual points."""

    def gradebook() -> Any:
        return nbgraders_gradebook(NbgraderCourse(root).gradebook)

    page.goto(f"{url}/formgrader/manage_submissions/{STAGE}?token={TOKEN}")
    page.wait_for_selector("td.autograde a", timeout=PATIENCE)
    picture(page, "formgrader-1-submissions")
    page.locator("tr", has_text="bob").locator("td.autograde a").click()
    page.get_by_text("Successfully autograded").first.wait_for(timeout=PATIENCE)
    picture(page, "formgrader-2-autograded")
    with gradebook() as book:
        name = book.find_submission_notebook(STAGE, STAGE, "bob").id
        assert book.find_submission(STAGE, "bob").score == 4
    page.goto(f"{url}/formgrader/submissions/{name}/?token={TOKEN}")
    page.wait_for_selector("input.score", timeout=PATIENCE)
    comment = page.get_by_placeholder("from your instructor").first
    assert comment.get_attribute("placeholder") == "Task 1, from your instructor: Look at FACES."
    picture(page, "formgrader-3-the-checks", whole=True)
    cell = page.locator(".nbgrader_cell", has_text="Every class has one job")
    cell.locator("input.score").fill("3")
    cell.locator("input.score").press("Tab")
    page.wait_for_timeout(2000)
    picture(page, "formgrader-4-a-grade-by-hand", whole=True)
    with gradebook() as book:
        assert book.find_grade("manual-design", STAGE, STAGE, "bob").manual_score == 3
        assert book.find_submission(STAGE, "bob").score == 7
    page.goto(f"{url}/formgrader/gradebook/{STAGE}/{STAGE}?token={TOKEN}")
    page.wait_for_selector("td.score", timeout=PATIENCE)
    picture(page, "formgrader-5-gradebook")


def markup_of_a_student(page: Any, url: str, root: Path) -> None:
    """Open a submission full of markup in formgrader, and assert that none of the markup runs.

    `path` in the address names the course, because JupyterLab was started in another folder.
    """
    with nbgraders_gradebook(NbgraderCourse(root).gradebook) as book:
        name = book.find_submission_notebook(STAGE, STAGE, "mallory").id
    page.goto(f"{url}/formgrader/?path={root}&token={TOKEN}")
    page.wait_for_selector("a[href*=manage_students]", timeout=PATIENCE)
    page.goto(f"{url}/formgrader/submissions/{name}/?token={TOKEN}")
    page.wait_for_selector("input.score", timeout=PATIENCE)
    page.wait_for_load_state("networkidle")
    picture(page, "formgrader-6-markup-is-text", whole=True)
    assert page.evaluate("window.attacked") is None
    assert live_markup(page.content()) == []
    assert page.get_by_text(MARKDOWN["html"], exact=False).count()


def picture(page: Any, name: str, *, whole: bool = False) -> None:
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=whole)
    print(f"  {PICTURES.name}/{name}.png")


def prepare(folder: Path) -> Path:
    """Make an nbgrader course with two submissions and a student's own folder; return its root."""
    course, root = tiny_nbgrader_course(folder, STAGE_TOML=MANUAL_TOML)
    put(root / f"submitted/mallory/{STAGE}", submission_with_markup(course.stages[0]))
    assert step(root, "autograde", "mallory")[0]
    first = find_course().stages[0]
    unwritten = notebook_text(build_notebook(first))
    comment = "[[comment]]\ntask = 'worth'\nstudent = 'bob'\ntext = 'Look at FACES.'\n"
    files = {f"submitted/bob/{STAGE}/coins.py": WRONG, "comments.toml": comment}
    return put(root, {**files, f"student/{first.name}.ipynb": unwritten})


def main() -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("no chromium here: apt install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        root = prepare(Path(folder))
        browser = play.chromium.launch(executable_path=chromium, args=FLAGS)
        with jupyter(root) as url:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            try:
                a_students_notebook(page, url)
                formgrader(page, url, root)
            except BaseException:
                picture(page, "where-it-failed")
                raise
        with jupyter(Path(folder)) as url:
            markup_of_a_student(browser.new_page(), url, root)
        browser.close()
    print("nbgrader works in a browser")


if __name__ == "__main__":
    main()
