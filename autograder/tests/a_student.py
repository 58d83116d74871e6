"""Do what a student does, on any system: start, check, watch, submit, and work in a notebook.

Run `python autograder/tests/a_student.py` where the course is installed as students install it. The
script writes the reference of stage 01 into a workspace in a temporary folder. It ends with exit
status 1 if a step fails.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
STAGE = "01-cards"
PROGRAM = (ROOT / "solutions" / STAGE / "cards.py").read_text(encoding="utf-8")
HEARTS = [sys.executable, "-m", "hearts_course"]
UTF8 = os.environ | {"PYTHONUTF8": "1", "TERM": "dumb"}
POINTS = "20 of 20 points"
WATCH_SECONDS = 60.0
CHECK_IN_NOTEBOOK = f'print(check("{STAGE}"))'


def main() -> None:
    """Take the steps in turn; end with a traceback at the first step that fails."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        workspace = Path(folder, "my hearts")
        hearts("start", str(workspace), folder=Path(folder))
        expect(hearts("check", STAGE, folder=workspace, status=1), "0 of 20 points")
        watch(workspace)
        expect(hearts("check", STAGE, folder=workspace), POINTS)
        work_in_the_notebook(workspace)
        hearts("submit", STAGE, folder=workspace)
        handed_in = list(workspace.glob(f"**/{STAGE}*.zip"))
        if not handed_in:
            raise AssertionError("hearts submit has written no zip")
    print("a student can work on this system")


def hearts(*arguments: str, folder: Path, status: int = 0, program: Sequence[str] = HEARTS) -> str:
    """Run `hearts` with these arguments, and return what it prints to standard output.

    Raise AssertionError if it ends with another exit status than `status`.
    """
    done = subprocess.run(
        [*program, *arguments],
        cwd=folder,
        env=UTF8,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    show(f"$ hearts {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    if done.returncode != status:
        raise AssertionError(f"exit status {done.returncode}, not {status}")
    return done.stdout


def show(text: str) -> None:
    """Print the text, with ? for each character that a log cannot hold, such as ♠ on Windows."""
    encoding = sys.stdout.encoding
    print(text.encode(encoding, "replace").decode(encoding))


def expect(printed: str, text: str) -> None:
    """Raise AssertionError unless the text was printed."""
    if text not in " ".join(printed.split()):
        raise AssertionError(f"{text!r} was not printed")


def watch(workspace: Path) -> None:
    """Save the program while `hearts watch` runs; wait until the watch shows that task 1 passes."""
    watching = subprocess.Popen(
        [*HEARTS, "watch", STAGE],
        cwd=workspace,
        env=UTF8,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    assert watching.stdout is not None
    lines: list[str] = []
    threading.Thread(target=lines.extend, args=(watching.stdout,), daemon=True).start()
    try:
        wait_for(lines, "0 of 20 points")
        (workspace / "cards.py").write_text(PROGRAM, encoding="utf-8")
        wait_for(lines, "Task 1, Name suits and ranks, passes")
    finally:
        watching.kill()
        watching.wait()
    print("$ hearts watch: saw the program as soon as it was saved")


def wait_for(lines: list[str], text: str) -> None:
    """Wait until the text is in the lines; raise AssertionError after a minute."""
    deadline = time.monotonic() + WATCH_SECONDS
    while text not in " ".join(" ".join(lines).split()):
        if time.monotonic() > deadline:
            raise AssertionError(
                f"hearts watch never showed {text!r}; it showed:\n{''.join(lines)}"
            )
        time.sleep(0.1)


def work_in_the_notebook(workspace: Path) -> None:
    """Put the program into the notebook's cells, run them all, and expect full points."""
    import nbclient
    import nbformat

    notebook = nbformat.read(workspace / f"{STAGE}.ipynb", as_version=4)
    cells = {
        cell.metadata["nbgrader"]["grade_id"]: cell
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    }
    for name, text in parts_of(PROGRAM).items():
        cells[name].source = text
    notebook.cells.append(nbformat.v4.new_code_cell(CHECK_IN_NOTEBOOK))
    resources = {"metadata": {"path": str(workspace)}}
    nbclient.NotebookClient(notebook, timeout=300, iopub_timeout=60, resources=resources).execute()
    expect(json.dumps([cell.get("outputs", []) for cell in notebook.cells]), POINTS)
    print("in the notebook: full points")


def parts_of(program: str) -> dict[str, str]:
    """Return a dict: for each notebook cell's id, the part of the program that belongs there."""
    header, *others = program.split("\n# %% ")
    parts = {"cards-header": header}
    for part in others:
        name, _, text = part.partition("\n")
        parts[f"cards-{name.strip()}"] = text
    return parts


if __name__ == "__main__":
    main()
