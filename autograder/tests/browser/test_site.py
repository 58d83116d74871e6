"""The site in a browser: its pages, and task 1 of stage 01 as a new student does it."""

import gzip
import json
import os
import re
import shutil
import threading
import time
from functools import partial
from html.parser import HTMLParser
from importlib.util import find_spec
from urllib.parse import urlsplit

import pytest
from conftest import SHOTS
from hearts_course.cli import run
from hearts_course.course import find_course
from hearts_course.files import read_json, write_whole, zipped
from hearts_course.notebook import mark_of, text_mark
from hearts_grader.authoring.notebook import build_notebook, notebook_text, solve
from hearts_grader.site import build, parts
from hearts_grader.site.lab import NO_JUPYTERLITE
from test_card_table import CHOSEN, FREE, MINE, PASS

pytestmark = pytest.mark.timeout(600)  # the first test also builds the site
STAGE = "01-cards"
TASK = "suits-and-ranks"
FIRST_SECONDS, LATER_SECONDS = 15, 0.5  # limits if nothing else runs, with two cores
SLOW = 6  # a busy machine may take this many times as long
STARTING = "#starting"
MAX_BYTES = 34e6
MAX_COMPRESSED_BYTES = 15e6
MAX_FIRST_BYTES, MAX_FIRST_COMPRESSED_BYTES = 25.5e6, 12e6  # downloaded up to the first check
MONTH = 30 * 24 * 3600  # seconds
WIDTHS = {"light": 1200, "dark": 390}
LATE = """{ // the page begins to start Python before this browser can give it files
  const container = ServiceWorkerContainer.prototype, register = container.register;
  container.register = async function (...all) {
    await new Promise((done) => setTimeout(done, 4000));
    return register.apply(this, all);
  };
}"""
# Runs the first cell with code while the page still looks for a kernel.
EARLY = """const looking = setInterval(() => {
  const shown = window.jupyterapp?.shell.currentWidget;
  const place = shown?.content?.widgets?.findIndex((cell) => cell.model.type === "code") ?? -1;
  if (!shown?.sessionContext?.hasNoKernel || shown.content.widgets.length < 2 || place < 0) return;
  clearInterval(looking);
  window.ranEarly = true;
  shown.content.activeCellIndex = place;
  jupyterapp.commands.execute("notebook:run-cell");
}, 20);"""
RAN_OR_ASKED = """document.querySelector(".jp-Dialog") ||
  /[0-9]/.test(document.querySelector(".jp-CodeCell .jp-InputPrompt")?.textContent)"""
AUTOSAVE = "jupyterapp.commands.execute('docmanager:toggle-autosave')"
LEAVE = """Object.defineProperty(document, "hidden", { value: true });
document.dispatchEvent(new Event("visibilitychange"));"""
PROGRAMS = """import console, hearts15, sys, uva181
uva181.main(["TS QC"], sys.stdout, sys.stdout)
hearts15.main(talk := hearts15.Script(["100", "7"]))
print(*talk.lines)
console.main(["--seed", "7"])"""
TOURNAMENT = """from players import *
from hearts_course import hold_tournament
hold_tournament("counter", Lowest, deals=1)"""


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the site."""
    missing = "" if shutil.which("npm") and shutil.which("node") else parts.NO_NODE
    if missing := missing or ("" if find_spec("jupyterlite_core") else NO_JUPYTERLITE):
        if os.environ.get("HEARTS_NODE") == "needed":
            pytest.fail(missing)
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("site") / "site"
    assert run(["site", str(folder), "--play"]) == 0
    return folder


@pytest.fixture(scope="session")
def asked():
    """A list of the files that browsers have requested, as paths in the site."""
    return []


@pytest.fixture(scope="session")
def address(site, asked):
    """The address at which the site is served."""
    server = build.site_server(site)

    class Noting(build._Quiet):
        def do_GET(self):
            asked.append(urlsplit(self.path).path.strip("/") or "index.html")
            super().do_GET()

    server.RequestHandlerClass = partial(Noting, directory=str(site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def wire_bytes(site, paths):
    """Return the total bytes of these files: as they are, and compressed by a web host."""
    files = [(site / path).read_bytes() for path in paths if (site / path).is_file()]
    return sum(map(len, files)), sum(min(len(one), len(gzip.compress(one))) for one in files)


class Links(HTMLParser):
    """Collects in `found` the addresses to which a page refers."""

    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found |= {value for name, value in attrs if name in ("href", "src")}


def pages_of(site):
    return [*sorted(site.glob("*.html")), site / "play/index.html"]


def test_the_largest_site_is_small(tmp_path):
    assert run(["site", str(tmp_path / "site"), "--play", "--self-study"]) == 0
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(map(len, files)) <= MAX_BYTES
    assert sum(min(len(one), len(gzip.compress(one))) for one in files) <= MAX_COMPRESSED_BYTES


def test_every_link_of_the_pages_leads_somewhere(site):
    notebooks = {
        f"path={one['path']}" for one in read_json(site / "lab/api/contents/all.json")["content"]
    }
    pages = pages_of(site)
    # Besides the stages' pages: the start page, the play page and three shared pages.
    assert len(pages) == len(find_course().stages) + 5
    for page in pages:
        for link in map(urlsplit, Links(page.read_text(encoding="utf-8")).found):
            if not link.scheme:
                assert (page.parent / link.path).is_file(), (page.name, link.path)
                assert not link.query or link.query in notebooks, (page.name, link.query)


@pytest.mark.parametrize("scheme", WIDTHS)
def test_the_pages_can_be_read_by_everybody(site, address, new_page, axe, shot, scheme):
    page = new_page(width=WIDTHS[scheme], color_scheme=scheme, bypass_csp=True)
    for path in pages_of(site):
        page.goto(f"{address}{path.relative_to(site).as_posix()}")
        assert axe(page) == [], path.name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path.name
        if path.stem in ("index", STAGE):
            shot(page, f"site-{path.stem}-{scheme}")


class Notebook:
    """A notebook on a page, used as a student uses it."""

    def __init__(self, page, address):
        self.page = page
        page.goto(address)
        page.locator(STARTING).wait_for()
        self.cells = page.locator(".jp-CodeCell")
        self.cells.first.wait_for()

    def cell(self, begin):
        """Return the first code cell whose text begins with `begin`."""
        words = re.compile(rf"^\s*{re.escape(begin)}")
        editor = self.page.locator(".cm-content").filter(has_text=words)
        return self.cells.filter(has=editor).first

    def write(self, begin, text):
        self.cell(begin).locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def start(self, begin):
        """Start the cell that begins with `begin`, and do not wait for its end."""
        self.cell(begin).locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")

    def run(self, begin):
        """Run the cell that begins with `begin` to its end, and return the text that it shows.

        Until the cell runs, start it again every ten seconds: a page that is loading may miss keys.
        """
        cell = self.cell(begin)
        prompt = cell.locator(".jp-InputPrompt").first
        before = prompt.inner_text()
        for tenths in range(900):
            if prompt.inner_text() == before and tenths % 100 == 0:
                self.start(begin)
            if re.search(r"\d", now := prompt.inner_text()) and now != before:
                self.page.wait_for_timeout(100)
                return " ".join(cell.locator(".jp-OutputArea-output").all_inner_texts())
            self.page.wait_for_timeout(100)
        self.page.screenshot(path=SHOTS / "site-stuck.png")
        raise AssertionError(f"{begin} does not end")

    def wait_until_saved(self):
        self.page.wait_for_function("!jupyterapp.status.isDirty", timeout=30_000)


def play_a_deal(page):
    """Play a deal from the pass to the score.

    Unlike on the bare table, a click takes effect only when Python has answered.
    """
    page.locator(MINE).nth(12).wait_for()
    for chosen in range(3):
        page.locator(f"{FREE}:not([aria-pressed=true])").last.click()
        page.locator(CHOSEN).nth(chosen).wait_for()
    page.locator(PASS).click()
    page.locator(".hc-received").first.wait_for()
    for held in range(13, 0, -1):
        page.locator(FREE).first.click()
        page.locator(MINE).nth(held - 1).wait_for(state="detached")
    page.locator("[data-phase=scored]").wait_for()


def test_a_deal_is_played_at_the_course_s_own_table(address, new_page, shot):
    page = new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{address}play/")
    page.get_by_text("Python is starting").wait_for()
    page.locator(MINE).nth(12).wait_for()
    shot(page, "site-play")
    assert page.locator(".hc-book option").count() > 2
    play_a_deal(page)
    page.get_by_text("put your own program").click()
    cell = page.locator(".jp-CodeCell .cm-content")
    cell.first.wait_for()
    page.locator(STARTING).wait_for(state="detached")
    cell.first.click()
    page.keyboard.press("Shift+Enter")
    page.locator(MINE).nth(12).wait_for()


def with_all_work(page, address, folder):
    """Load the reference of every counted stage in the notebook `work`; return this notebook."""
    page.set_default_timeout(120_000)
    solved = {
        stage.notebook.name: notebook_text(solve(build_notebook(stage), stage.reference())).encode()
        for stage in find_course().counted
    }
    work = folder / "my-hearts.zip"
    write_whole(work, zipped(solved))
    notebook = Notebook(page, f"{address}lab/notebooks/index.html?path=work.ipynb")
    notebook.run("from hearts_course import load_work")
    with page.expect_file_chooser() as chooser:
        page.get_by_text("Choose the zip").click()
    chooser.value.set_files(work)
    page.get_by_text(f"Loaded: {', '.join(solved)}").wait_for()
    return notebook


@pytest.mark.timeout(900)
def test_work_of_another_browser_is_loaded_and_every_later_notebook_finds_it(
    address, new_page, shot, tmp_path
):
    """The notebooks are shown in a window as narrow as a telephone.

    Each stage from the third on gets full points, and a deal can be played at each card table.
    """
    stages = find_course().counted
    page = new_page(width=390, height=844)
    page.add_init_script(LATE)
    notebook = with_all_work(page, address, tmp_path)
    notebook.write("from hearts_course import save_work", PROGRAMS)
    notebook.start("import console")
    page.locator(".jp-Stdin-input").fill("watch")
    page.keyboard.press("Enter")
    for words in ("line 2: the input ends", "GOODBYE.", "wins."):
        page.get_by_text(words).first.wait_for()
    for stage in stages[2:]:
        begun = time.monotonic()
        notebook = Notebook(page, f"{address}lab/notebooks/index.html?path={stage.notebook.name}")
        shot(page, f"site-{stage.name}-phone")
        notebook.run("from hearts_course")
        notebook.write("predict(", f'check("{stage.name}")')
        assert re.search(r"\b(\d\d) of \1 points[.;]", notebook.run("check("))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        print(f"{stage.name}: {time.monotonic() - begun:.0f} s")
        if stage.table:
            page.get_by_text("Run", exact=True).first.click()
            page.get_by_text("Run All Cells", exact=True).click()
            play_a_deal(page)


def test_a_tournament_is_held_in_the_page(address, new_page, shot, tmp_path):
    """A student's player meets one of the course's; the report below the cell replays a deal."""
    page = new_page(width=390, height=844)
    notebook = with_all_work(page, address, tmp_path)
    notebook.write("from hearts_course import save_work", TOURNAMENT)
    notebook.run("from players import *")
    report = page.frame_locator("iframe[title=Tournament]")
    assert report.get_by_role("heading", level=1).inner_text() == "Tournament of 2 players"
    report.get_by_role("button", name="Next card").click()
    assert report.locator("#happened").inner_text() == "passed left"
    shot(page, "site-tournament-phone")


def test_a_browser_that_keeps_no_files_for_python_says_so(address, new_page):
    page = new_page()
    page.add_init_script("delete Navigator.prototype.serviceWorker")
    notebook = Notebook(page, f"{address}lab/notebooks/index.html?path={STAGE}.ipynb")
    assert "cannot read or keep files in this browser" in notebook.run("from hearts_course")
    assert "0 of 2 points" in notebook.run(f'check("{TASK}")')


ASKS = 'try:\n    input("? ")\nexcept KeyboardInterrupt:\n    print("left", "the table")'
BLOCKED = "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); };"


def test_a_browser_that_keeps_no_work_says_so(address, new_page, shot):
    """The page tries to keep data before Python starts, so the message comes early."""
    page = new_page()
    page.add_init_script(BLOCKED)
    page.goto(f"{address}lab/notebooks/index.html?path={STAGE}.ipynb")
    page.get_by_text("This browser keeps nothing for this site").wait_for()
    assert "Your work is kept" not in page.locator(STARTING).inner_text()
    shot(page, "site-blocked")
    page = new_page()
    page.goto(address)
    quota = {"origin": address.rstrip("/"), "quotaSize": 20_000}
    page.context.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", quota)
    page.goto(f"{address}lab/notebooks/index.html?path={STAGE}.ipynb")
    page.get_by_text("no space left for your work").wait_for()
    assert "File > Download" in page.locator(STARTING).inner_text()
    shot(page, "site-full")


def test_what_was_used_is_there_without_a_network(site, new_page, shot):
    server = build.site_server(site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = new_page()
    page.set_default_timeout(120_000)
    place = f"http://127.0.0.1:{server.server_port}/lab/notebooks/index.html?path={STAGE}.ipynb"
    notebook = Notebook(page, place)
    notebook.run("from hearts_course")
    page.wait_for_function("document.documentElement.dataset.opensWithoutNetwork === 'yes'")
    server.shutdown()
    server.server_close()
    page.context.set_offline(True)
    page.reload()
    page.get_by_text("There is no network").wait_for()
    notebook.cells.first.wait_for()
    notebook.run("from hearts_course")
    assert "not written yet" in notebook.run(f'check("{TASK}")')
    page.set_viewport_size({"width": 390, "height": 800})
    shot(page, "site-offline-390")


def test_a_cell_that_is_run_before_there_is_a_kernel_waits_for_it(address, new_page):
    """JupyterLab itself would ask the user to choose a kernel, although there is only one."""
    page = new_page()
    page.set_default_timeout(120_000)
    page.add_init_script(EARLY)
    page.goto(f"{address}lab/notebooks/index.html?path={STAGE}.ipynb")
    page.wait_for_function(RAN_OR_ASKED)
    assert page.evaluate("window.ranEarly")
    assert not page.locator(".jp-Dialog").count()


def test_questions_and_calls_are_answered_by_clicks(address, new_page, shot):
    page = new_page(width=390, height=844)
    page.set_default_timeout(120_000)
    stage = find_course().stages[1].name
    notebook = Notebook(page, f"{address}lab/notebooks/index.html?path={stage}.ipynb")
    notebook.run("from hearts_course")
    begin = f'predict("{stage}")'
    assert "Click on a letter, or answer with a letter for each" in notebook.run(begin)
    cell = notebook.cell(begin)
    letters = cell.get_by_role("button", name="a", exact=True)
    questions = letters.count()
    assert questions > 1
    for number in range(questions):
        letters.nth(number).click()
        cell.get_by_text(re.compile("^[✓✗]")).nth(number).wait_for()
    assert cell.get_by_role("button", name="b", exact=True).first.is_disabled()
    shot(page, "site-predict-390")
    notebook.run("catch(")
    cell = notebook.cell("catch(")
    assert cell.get_by_role("button", name="Unmask").is_disabled()
    for number in ("2", "3", "5"):
        cell.get_by_role("button", name=number, exact=True).click()
    cell.get_by_role("button", name="Unmask").click()
    cell.get_by_text("Together they unmask").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "site-catch-390")


@pytest.fixture
def corrected(site):
    """Yield a function that publishes a corrected text of the notebook; restore it at the end.

    The files that it replaces look a month old. Without asking, browsers use such files for days.
    """
    files = [site / "lab/files" / f"{STAGE}.ipynb", site / "lab/starting.js"]
    before = {path: path.read_text(encoding="utf-8") for path in files}
    for path in files:
        os.utime(path, (time.time() - MONTH,) * 2)

    def publish():
        notebook = json.loads(before[files[0]])
        old = mark_of(notebook)
        cell = notebook["cells"][0]
        cell["source"] = f"A corrected text.\n\n{''.join(cell['source'])}"
        notebook["metadata"]["hearts"]["text"] = new = text_mark(notebook["cells"])
        write_whole(files[0], json.dumps(notebook))
        write_whole(files[1], before[files[1]].replace(old, new))

    yield publish
    for path, text in before.items():
        write_whole(path, text)


@pytest.mark.parametrize("written", [False, True])
def test_a_corrected_text_reaches_a_notebook_in_which_nothing_was_written(
    address, new_page, corrected, written
):
    page = new_page()
    page.set_default_timeout(120_000)
    notebook = Notebook(page, f"{address}lab/notebooks/index.html?path={STAGE}.ipynb")
    notebook.run("from hearts_course")
    if written:
        notebook.write("class Suit", task_cell(""))
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    notebook.wait_until_saved()
    corrected()
    page.reload()
    notebook.cells.first.wait_for()
    first = page.locator(".jp-MarkdownCell").filter(has_text="Cards, decks and hands").first
    first.wait_for()
    assert ("A corrected text" in first.inner_text()) is not written
    assert ('"♠"' in notebook.cell("class Suit").inner_text()) is written


@pytest.mark.parametrize("width", [1280, 390])
def test_a_loop_in_a_cell_is_ended_by_a_button_and_the_text_stays(address, new_page, shot, width):
    """After the restart, the task's cell runs without a new run of the cells before it."""
    page = new_page(width=width, height=800)
    page.set_default_timeout(120_000)
    notebook = Notebook(page, f"{address}lab/notebooks/index.html?path={STAGE}.ipynb")
    notebook.run("from hearts_course")
    notebook.write("predict(", "while True: pass")
    notebook.start("while True")
    page.get_by_role("button", name="Restart Python").wait_for()
    shot(page, f"site-loop-{width}")
    page.get_by_role("button", name="Restart Python").click()
    page.get_by_text("Python is starting").wait_for(timeout=5_000)
    page.locator(STARTING).wait_for(state="detached")
    assert "while True: pass" in notebook.cell("while True").inner_text()
    notebook.write("while True", "1 + 1")
    notebook.start("from hearts_course")
    notebook.write("1 + 1", ASKS)
    notebook.start("try:")
    page.locator(".jp-Stdin-input").press("Control+c")
    page.get_by_text("left the table").last.wait_for()
    notebook.write("class Suit", task_cell(""))
    assert "NameError" not in notebook.run("class Suit")
    assert "2 of 2 points" in notebook.run(f'check("{TASK}")')
    way_on = page.get_by_role("navigation", name="Course")
    assert way_on.locator("a").last.get_attribute("href") == "index.html?path=02-legal-moves.ipynb"
    way_on.get_by_text("Start").click()
    page.wait_for_url("**/index.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def task_cell(text):
    """Return the reference's cell for the task; `text`, if any, replaces its first `return`."""
    whole = (find_course().stage(STAGE).solution / "cards.py").read_text(encoding="utf-8")
    cell = whole.split(f"# %% {TASK}\n")[1].split("# %%")[0].strip()
    return cell.replace("return", text, 1) if text else cell


def test_a_student_works_there_and_hands_in(site, address, asked, new_page, shot, tmp_path):
    page = new_page(accept_downloads=True)
    page.set_default_timeout(60_000)
    asked.clear()
    page.goto(address)
    begun = time.monotonic()
    notebook = Notebook(page, f"{address}lab/notebooks/index.html?path={STAGE}.ipynb")
    setup = "from hearts_course"
    check = f'check("{TASK}")'
    notebook.run(setup)
    assert "not written yet" in notebook.run(check)
    first = time.monotonic() - begun
    raw, compressed = wire_bytes(site, asked)
    print(f"first visit: {len(asked)} requests, {raw:,} bytes, {compressed:,} compressed")
    assert raw <= MAX_FIRST_BYTES
    assert compressed <= MAX_FIRST_COMPRESSED_BYTES
    page.evaluate(AUTOSAVE)
    links = {"[href$='in-a-page.md']": "/hearts-in-a-page.html", "#jp-NotebookLogo": "/tree/"}
    for link, place in links.items():
        with page.expect_popup() as popup:
            page.locator(link).first.click()
        popup.value.wait_for_url(f"**{place}")
        icon = popup.value.locator("link[rel=icon]").first.evaluate("link => link.href")
        assert page.request.get(icon).ok
        popup.value.close()
    page.wait_for_function(f"document.title === '{STAGE}'")
    notebook.write("class Suit", task_cell("return 'wrong' or"))
    notebook.run("class Suit")
    wrong = notebook.run(check)
    assert "came back" in wrong
    assert "'wrong'" in wrong
    shot(page, "site-wrong")
    notebook.write("class Suit", task_cell("while True: pass #"))
    notebook.run("class Suit")
    assert "took longer than" in notebook.run(check)
    notebook.write("class Suit", task_cell(""))
    notebook.run("class Suit")
    begun = time.monotonic()
    right = notebook.run(check)
    later = time.monotonic() - begun
    assert "2 of 2 points" in right
    shot(page, "site-right")
    print(f"first verdict {first:.1f} s, later check {later:.2f} s")
    assert first < SLOW * FIRST_SECONDS
    assert later < SLOW * LATER_SECONDS
    assert "is not saved as you ran it last" in notebook.run("from hearts_course import submit")
    page.evaluate(AUTOSAVE)
    notebook.wait_until_saved()
    page.reload()
    notebook.cells.first.wait_for()
    assert "return 'wrong'" not in notebook.cell("class Suit").inner_text()
    notebook.run(setup)
    notebook.run("class Suit")
    assert "2 of 2 points" in notebook.run(check)
    page.locator("[data-command='kernelmenu:restart'], [data-jp-item-name=restart]").first.click()
    page.locator("dialog .jp-mod-accept, .jp-Dialog .jp-mod-accept").last.click()
    page.locator(STARTING).wait_for()
    page.locator(STARTING).wait_for(state="detached")
    notebook.run(setup)
    assert "2 of 2 points" in notebook.run(check)  # this check reads the saved notebook
    page.evaluate(AUTOSAVE)
    notebook.run("class Suit")
    page.evaluate(LEAVE)
    notebook.wait_until_saved()
    page.context.route(f"**/files/{STAGE}.ipynb", lambda route: route.abort())
    assert f"Download {STAGE}.zip" in notebook.run("from hearts_course import submit")
    with page.expect_download() as download:
        page.get_by_text(f"Download {STAGE}.zip").click()
    place = tmp_path / "submissions" / "ada" / STAGE
    place.mkdir(parents=True)
    download.value.save_as(place / f"{STAGE}.zip")
    out = tmp_path / "grades"
    assert run(["grade", str(tmp_path / "submissions"), "--out", str(out)]) == 0
    result = read_json(out / "results" / "ada" / f"{STAGE}.json")
    assert result["score"] == result["tasks"][0]["score"] == 2
