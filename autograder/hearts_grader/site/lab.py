"""Write JupyterLite with the course's notebooks; the module `parts` provides their Python.

JupyterLite has no setting for some needs of the course, so this module changes its scripts. The
pattern of each change must match exactly one file.
"""

import json
import re
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hearts_course.course import BRIEFS, CHECKS, Course, Stage
from hearts_course.edition import Edition
from hearts_course.errors import UsageError
from hearts_course.files import read_json, read_text, write_whole
from hearts_course.notebook import OF_THE_SITE, mark_of
from hearts_course.play.game import Game
from hearts_course.student.state import StudentState, state_text
from hearts_course.student.workspace import STATE_FILE, workspace_files

from hearts_grader.site.parts import PACKAGE, output_of, write_python

HERE = Path(__file__).parent
KERNEL = "@jupyterlite/pyodide-kernel-extension"
EXTENSIONS = (KERNEL, "@jupyter-widgets/jupyterlab-manager", "anywidget")
KERNEL_WHEELS = ("pyodide_kernel", "ipykernel", "widgetsnbextension-4")
NO_JUPYTERLITE = "the site needs JupyterLite; `pip install -c constraints.txt '.[site]'`"
STARTING = "starting.js"
PYODIDE_FOLDER = "static/pyodide"
# The site leaves out these files of a workspace, because students work in the site's notebooks.
LEFT_OUT = re.compile(rf".*\.(py|ipynb)|README\.md|{CHECKS}/.*")
WORK = "work.ipynb"
HAND_IN = """<!-- if class -->
## Hand it in
<!-- else
## Take it with you
-->

Save this notebook (Ctrl+S), then run the cell below and download the zip."""
SAVE = (
    """# My work

Your work is in this browser only. A private window forgets it, and so does a browser whose data is
cleared; Safari does after a week without a visit. Run the cell below and download the zip, which
holds all your saved notebooks. It also works on a computer with the course: `hearts start my-hearts
--work my-hearts.zip`.""",
    "from hearts_course import save_work\n\nsave_work()",
)
LOAD = (
    """To load such a zip, or one that `submit` has made, run the cell below. Files that it
replaces stay here under another name, and File > Open shows them.""",
    "from hearts_course import load_work\n\nload_work()",
)
PLAY, TABLE = "play.ipynb", "course_table"
AT_THE_TABLE = (
    """# Play now

You are South. Run the cell below (click on it and press Shift+Enter), and the cards are dealt. The
other players are the course's own. When you have written a card table yourself, save its notebook
and put its module here: `sit_down("cardtable")`.""",
    f"from {TABLE} import sit_down\n\nsit_down()",
)
CELLS = (SAVE, LOAD, AT_THE_TABLE)
UNUSED_FILES = (
    *(f"build/fa-*.{kind}" for kind in ("svg", "eot", "ttf", "woff")),  # browsers take woff2
    *("build/fa-brands-*", "doc/**/*.*", "rspack*.js", "package.json"),
)
# Libraries for diagrams and formulas, found by names in their code. No notebook uses them.
DIAGRAMS = re.compile(rb"org\.eclipse\.elk|mermaidAPI|cytoscape|katex")
# JupyterLite asks the site even for a file that the browser has stored. If the site does not
# answer, Python is told that the file does not exist. This change uses the stored file.
READ = re.compile(r"(\w)=(await \w\.getItem\(e\)),(\w)=(await this\._getServerContents\(e,t\)),")
# If the site has a newer notebook, and the student has not changed the stored notebook, the newer
# notebook is used: see `starting.js`.
READ_SAVED = r'\1=await(globalThis.heartsNewest??(a=>a))(\2),\3=\1&&"directory"!==\1.type?null:\4,'
# Python gets the browser's files from the service worker. Without this change, JupyterLite starts
# Python without files if the service worker is not ready. With it, Python waits for the service
# worker.
MOUNT = re.compile(r"(\w)=!!\(\((null==(\w)\?void 0:\3\.enabled)\)\|\|crossOriginIsolated\)")
MOUNT_LATE = (
    r"\1=(await(navigator.serviceWorker&&Promise.race([new Promise(e=>setTimeout(e,2e4)),"
    r"\3?.ready.then(()=>navigator.serviceWorker.ready,()=>0)])),!!(\2||crossOriginIsolated))"
)
# JupyterLite's service worker stores no file of the site. With this change it stores each file that
# was used, and serves the stored file if the network does not answer. Browsers use a file again for
# a tenth of its age, without asking. So a file may be out of date, unless its name has a digest.
ASK = re.compile(r"async function maybeFromCache\((\w)\)\{.*?\}(?=async function fromCache)")
ASK_FIRST = (
    r"async function maybeFromCache(\1){const asked=\1.request;try{"
    r"const cache=/[.-][0-9a-f]{7,}[.]/.test(new URL(asked.url).pathname)?'default':'no-cache';"
    r"const fresh=await fetch(asked,{cache});"
    r"if(200===fresh.status)\1.waitUntil(keep(asked,fresh.clone()));return fresh}catch(error){"
    r"const kept=await(await openCache()).match(asked,{ignoreSearch:true});"
    r"if(kept)return kept;throw error}}"
    r"async function keep(asked,fresh){const kept=await fromCache(asked);const mark=one=>"
    r"one&&(one.headers.get('etag')||one.headers.get('last-modified'));"
    r"if(!kept||mark(kept)!==mark(fresh))await updateCache(asked,fresh)}"
)
# JupyterLite's service worker leaves all addresses with `/api/` to the network. With this change it
# also stores the JSON files there, which list the site's files.
LEFT = re.compile(r'(\w)\.pathname\.includes\("/api/"\)')
LEFT_BUT_FILES = r'\1.pathname.includes("/api/")&&!\1.pathname.endsWith(".json")'
# If a cell is run before the page has found its kernel, JupyterLite asks the user to choose a
# kernel. With this change the cell waits.
START = re.compile(r"if\((\w)\.hasNoKernel&&await \1\.startKernel\(\)")
START_LATE = r"if(\1.hasNoKernel&&(await \1.ready,\1.hasNoKernel)&&await \1.startKernel()"
CHANGES = (
    (".", ASK, ASK_FIRST),
    ("build", START, START_LATE),
    (".", LEFT, LEFT_BUT_FILES),
    ("build", READ, READ_SAVED),
    (f"extensions/{KERNEL}/static", MOUNT, MOUNT_LATE),
)
SAVE_SECONDS = 10  # save so often that a closed window loses at most this many seconds of work
# A page may load and run what is on the site, and nothing from elsewhere.
POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'self\' blob: data: '
    "'unsafe-inline' 'unsafe-eval'; object-src 'none'\">"
)
SETTINGS = {
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": SAVE_SECONDS},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
}


def refuse_without_jupyterlite() -> None:
    """Raise UsageError if JupyterLite is not installed."""
    if not (find_spec("jupyterlite_core") and find_spec("jupyterlite_pyodide_kernel")):
        raise UsageError(NO_JUPYTERLITE)


def write_lab(
    folder: Path,
    course: Course,
    pyodide: Path,
    wheel: bytes,
    edition: Edition,
    game: Game | None = None,
) -> None:
    """Write JupyterLite with the notebooks into the folder, and with the game if there is one.

    `pyodide` is the folder that `fetch_pyodide` returned. `wheel` is the course's own wheel.
    """
    labextensions = Path(sysconfig.get_path("data")) / "share/jupyter/labextensions"
    with tempfile.TemporaryDirectory() as work:
        build = Path(work)
        for name, text in _contents(course, edition, game):
            write_whole(build / "files" / name, text)
        write_whole(build / "jupyter-lite.json", json.dumps(_settings()))
        write_whole(build / "overrides.json", json.dumps(SETTINGS))
        options = {
            "apps": ["edit", "notebooks", "tree"],
            "contents": ["files"],
            "federated_extensions": [str(labextensions / name) for name in EXTENSIONS],
            "ignore_sys_prefix": ["federated_extensions"],
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
            "output_dir": str(folder.resolve()),
            "settings_overrides": ["overrides.json"],
        }
        # The file of the student's state is hidden, and the notebooks need it.
        config = {"LiteBuildConfig": options, "ContentsManager": {"allow_hidden": True}}
        write_whole(build / "jupyter_lite_config.json", json.dumps(config))
        output_of([sys.executable, "-m", "jupyterlite_core", "build"], build)
    _trim(folder, course.stages)
    pypi = labextensions / KERNEL / "static/pypi"
    wheels = [wheel]
    for name in KERNEL_WHEELS:
        wheels += [path.read_bytes() for path in pypi.glob(f"{name}*.whl")]
    program = _program(game) if game else {}
    write_python(folder / PYODIDE_FOLDER, pyodide, wheels, program)


def program_files(game: Game) -> dict[str, Path]:
    """Map the names that bytecode has on the site to the source files of the game's program."""
    files: dict[str, Path] = {}
    for work in game.works:
        files |= {f"{TABLE}/{path.name}c": path for path in work.paths}
    return files


def _program(game: Game) -> dict[str, bytes]:
    """Map names to contents of the files of a package that shows the game's table."""
    files = {f"{TABLE}/__init__.py": (HERE / f"{TABLE}.py").read_bytes()}
    files[f"{TABLE}/table.txt"] = game.stage.table.encode()
    for name, path in program_files(game).items():
        files[name.removesuffix("c")] = path.read_bytes()
    return files


def _trim(folder: Path, stages: Iterable[Stage]) -> None:
    """Delete files that no notebook of the course loads, and change JupyterLite's scripts.

    After that, no page loads anything from elsewhere. A notebook shows what Python is doing, and
    has links to other pages. Python can always read the files that are stored in the browser, and
    does not ask the site for them. A file that was used once stays available without a network.
    """
    # The names of these scripts change with each JupyterLite, so they are found by their content.
    unused = {path for path in folder.glob("build/*.js") if DIAGRAMS.search(path.read_bytes())}
    for pattern in UNUSED_FILES:
        unused.update(folder.glob(pattern))
    for path in unused:
        path.unlink()
    for place, pattern_of_code, changed in CHANGES:
        scripts = folder.glob(f"{place}/*.js")
        # Exactly one file must match, so that the build fails if JupyterLite's code has changed.
        (file,) = (script for script in scripts if pattern_of_code.search(read_text(script)))
        write_whole(file, pattern_of_code.sub(changed, read_text(file)))
    stages = tuple(stages)
    names = json.dumps([stage.name for stage in stages])
    marks = json.dumps(
        {stage.notebook.name: mark_of(read_json(stage.notebook)) for stage in stages}
    )
    script = read_text(HERE / STARTING).replace("STAGES = []", f"STAGES = {names}")
    script = script.replace("MARKS = {}", f"MARKS = {marks}")
    write_whole(folder / STARTING, script)
    loads = f'<script defer src="../{STARTING}"></script>'
    # Only the notebooks' page needs the script; the policy is for every page.
    for path in folder.rglob("index.html"):
        head = POLICY
        if path.parent.name == "notebooks":
            head += loads
        write_whole(path, read_text(path).replace("<head>", f"<head>{head}", 1))


def _contents(course: Course, edition: Edition, game: Game | None) -> Iterator[tuple[str, str]]:
    """Yield name and text of each file that a student finds in JupyterLite at the start."""
    # The notebooks contain the briefs, so the files of the briefs are left out.
    briefs = tuple(f"{BRIEFS}/{stage.name}" for stage in course.stages)
    for name, text in workspace_files(course, edition=edition):
        if not (LEFT_OUT.fullmatch(name) or name.startswith(briefs)):
            yield name, text
    for stage in course.stages:
        cells = (
            (edition.text(HAND_IN), f'from hearts_course import submit\n\nsubmit("{stage.name}")'),
        )
        yield stage.notebook.name, _with_cells(read_json(stage.notebook), cells)
    empty = {**read_json(course.stages[0].notebook), "cells": []}
    # With these metadata, the notebook would be taken for the first stage's.
    del empty["metadata"]["hearts"]
    yield WORK, _with_cells(empty, (SAVE, LOAD))
    if game:
        yield PLAY, _with_cells(empty, (AT_THE_TABLE,))
    yield STATE_FILE, state_text(StudentState())


def _with_cells(notebook: Any, cells: Iterable[tuple[str, str]]) -> str:
    """Return the notebook with cells of text and code at its end.

    The new cells' ids begin with OF_THE_SITE, which distinguishes them from the course's cells.
    `notebook` itself does not change.
    """
    notebook = {**notebook, "cells": list(notebook.get("cells", ()))}
    for number, (text, code) in enumerate(cells, 1):
        text_cell = {
            "cell_type": "markdown",
            "source": text,
            "id": f"{OF_THE_SITE}text-{number}",
            "metadata": {},
        }
        code_cell: dict[str, Any] = {
            "cell_type": "code",
            "source": code,
            "id": f"{OF_THE_SITE}code-{number}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
        }
        notebook["cells"] += [text_cell, code_cell]
    return json.dumps(notebook, indent=1)


def _settings() -> dict[str, Any]:
    """Return JupyterLite's settings: Python from this site, and no package from elsewhere.

    Nothing is fetched from elsewhere, because the site must work without other servers.
    """
    kernel = {
        "pyodideUrl": f"./{PYODIDE_FOLDER}/pyodide.mjs",
        "disablePyPIFallback": True,
        "pipliteUrls": [],
        "loadPyodideOptions": {"packages": [PACKAGE]},
    }
    data = {
        "appName": "Hearts",
        "faviconUrl": "../../pictures/icon.svg",
        "exposeAppInBrowser": True,  # for the script that saves
        "litePluginSettings": {f"{KERNEL}:kernel": kernel},
        "disabledExtensions": ["@jupyter-notebook/notebook-extension:trusted"],  # useless here
    }
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}
