"""Two students and an instructor handle a stage on the JupyterHub of `autograder/docs/hub`."""

import io
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest
from conftest import await_server, free_port
from hearts_course.cli import run
from hearts_course.course import find_course
from hearts_grader.authoring.checks import suite_tests
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from hearts_grader.release.bundle import build_wheel
from hearts_grader.site import parts

COURSE = find_course()
STAGE = COURSE.stages[0]
CONFIG = COURSE.root / "autograder/docs/hub/jupyterhub_config.py"
PROXY = "configurable-http-proxy@5.3.0"
MISSING = "the hub needs npm and node (Node.js 20 or newer), and `pip install '.[hub]'`"
SECRET = next(test.name for test in suite_tests(STAGE) if test.hidden).split("::")[1].encode()
SECONDS = 90


@pytest.fixture
def hub(tmp_path):
    """Yield the folder and the address of a hub that runs the package that students install.

    Fail if a process of the hub still runs at the end.
    """
    if not (shutil.which("npm") and shutil.which("node") and find_spec("jupyterhub")):
        if os.environ.get("HEARTS_NODE") == "needed":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    proxy = COURSE.root / ".parts" / PROXY
    programs = proxy / "node_modules/.bin"
    if not (programs / "configurable-http-proxy").exists():
        install = [parts.tool("npm"), "install", "--silent", "--prefix", str(proxy), PROXY]
        parts.output_of(install, COURSE.root)
    assert run(["nbgrader", str(tmp_path / "instructor/course"), "--stage", STAGE.name]) == 0
    with zipfile.ZipFile(io.BytesIO(build_wheel(COURSE).data)) as wheel:
        wheel.extractall(tmp_path / "installed")
    address = f"http://127.0.0.1:{free_port()}"
    options = {
        "JupyterHub.bind_url": address,
        "JupyterHub.hub_port": free_port(),
        "ConfigurableHTTPProxy.api_url": f"http://127.0.0.1:{free_port()}",
        "Spawner.http_timeout": SECONDS,
        "Spawner.args": "--allow-root",
    }
    command = [sys.executable, "-m", "jupyterhub", "-f", str(CONFIG)]
    places = (str(Path(sys.executable).parent), str(programs), os.environ["PATH"])
    env = {"PATH": os.pathsep.join(places), "PYTHONPATH": str(tmp_path / "installed")}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            [*command, *(f"--{name}={value}" for name, value in options.items())],
            cwd=tmp_path,
            env=os.environ | env,
            stdout=log,
            stderr=log,
        )
    try:
        await_server(f"{address}/hub/login", server)
        yield tmp_path, address
    finally:
        started = psutil.Process(server.pid).children(recursive=True)
        server.terminate()
        server.wait(SECONDS)
        _, left = psutil.wait_procs(started, SECONDS)
        for process in left:
            process.kill()
        print((tmp_path / "log").read_text(errors="replace"))
    assert left == []


@pytest.mark.timeout(900)
def test_students_submit_on_the_hub_and_the_instructor_grades_in_the_sandbox(hub, new_page, shot):
    folder, address = hub
    written = folder / "written"
    hostile = reference_notebook(STAGE)
    cell = next(one for one in hostile.cells if one.source.startswith("class Suit"))
    cell.source = f"open({str(written)!r}, 'w').close()\n{cell.source}"

    def log_in(name, path):
        page = new_page()
        page.set_default_timeout(SECONDS * 1000)
        page.goto(f"{address}/hub/login?next=/hub/spawn%3Fnext%3D/user/{name}/{path}")
        page.fill("#username_input", name)
        page.fill("#password_input", "any")
        page.click("#login_submit")
        page.wait_for_url(f"**/user/{name}/{path}*")
        return page

    def press(icon, whose=STAGE.name):
        desk.locator("tr", has_text=whose).locator(f"td.{icon} a").click()
        desk.locator(".modal-title", has_text="Success").wait_for()
        desk.reload()
        desk.locator("tr", has_text=whose).first.wait_for()

    def has_secret(place):
        return any(SECRET in path.read_bytes() for path in place.rglob("*") if path.is_file())

    desk = log_in("instructor", "formgrader/manage_assignments")
    press("release")
    labs = {}
    for name, notebook in {"ada": reference_notebook(STAGE), "bob": hostile}.items():
        lab = labs[name] = log_in(name, "lab")
        lab.get_by_role("menuitem", name="Nbgrader", exact=True).click()
        lab.get_by_role("menuitem", name="Assignment List", exact=True).click()
        lab.get_by_role("button", name="Fetch", exact=True).click()
        lab.locator("#fetched_assignments_list a", has_text=STAGE.name).first.click()
        path = folder / name / STAGE.name / f"{STAGE.name}.ipynb"
        path.write_text(notebook_text(notebook), encoding="utf-8")
        if name == "ada":
            lab.get_by_role("button", name="Validate", exact=True).click()
            lab.locator(".jp-Dialog", has_text="passes all the tests").wait_for()
            lab.keyboard.press("Escape")
        lab.get_by_role("button", name="Submit", exact=True).click()
        lab.get_by_role("button", name="Fetch Feedback").wait_for()

    press("collect")
    desk.goto(f"{address}/user/instructor/formgrader/manage_submissions/{STAGE.name}")
    for name in labs:
        press("autograde", name)
    shot(desk, "hub-instructor")
    names, scores = (
        desk.locator(f"td.{column}").all_inner_texts() for column in ("student-id", "score")
    )
    best = f"{STAGE.points} / {STAGE.points}"
    assert dict(zip(names, scores, strict=True)) == {"ada": best, "bob": f"0 / {STAGE.points}"}
    assert not written.exists()

    press("generate-feedback", "ada")
    press("release-feedback", "ada")
    labs["ada"].locator("#refresh_assignments_list").click()
    labs["ada"].get_by_role("button", name="Fetch Feedback").click()
    labs["ada"].get_by_text("(view feedback)").wait_for()
    shot(labs["ada"], "hub-student")
    found = [one for one in ("instructor", "ada", "bob", "exchange") if has_secret(folder / one)]
    assert found == ["instructor"]
