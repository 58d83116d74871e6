"""Open a notebook with a program's card table, for anyone who wants to play."""

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hearts_course.errors import UsageError
from hearts_course.play.game import Game
from hearts_course.view.players import Opponent

NOTEBOOK = "card-table.ipynb"
NEEDED = ("anywidget", "notebook")
NO_QUESTION = "--ServerApp.answer_yes=True"  # without it, Jupyter asks after Ctrl-C whether to end
MAX_SHUTDOWN_SECONDS = 10.0  # Jupyter itself gives a busy kernel 5 s
WORDS = """\
# Hearts

You are South. Click on the grey cell below and press Shift+Enter, and the cards are dealt.
When you have played enough, close this page and press Ctrl-C in the terminal.
"""


def open_table(
    game: Game,
    arguments: Sequence[str],
    write: Callable[[str], object],
    opponent: Opponent = Opponent.CAUTIOUS,
) -> int:
    """Start Jupyter on a notebook with the game's table, and return its exit status.

    The program is copied to a temporary folder. Raise UsageError if Jupyter or anywidget is not
    installed.
    """
    if missing := list(_missing()):
        raise UsageError(
            f"the card table needs {' and '.join(missing)}; `pip install 'hearts-course[notebook]'`"
        )
    # On Windows, a process that has just ended may still hold a file, which cannot be deleted then.
    with tempfile.TemporaryDirectory(prefix="hearts-table-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        write_table_notebook(game, folder, opponent)
        write(
            "A notebook opens. In it, click on the grey cell and press Shift+Enter; Ctrl-C ends it."
        )
        command = [sys.executable, "-m", "jupyter", "notebook", NOTEBOOK, NO_QUESTION, *arguments]
        with subprocess.Popen(command, cwd=folder) as jupyter:
            try:
                return jupyter.wait()
            except KeyboardInterrupt:
                _wait_for_end(jupyter)
                return 0


def write_table_notebook(game: Game, folder: Path, opponent: Opponent = Opponent.CAUTIOUS) -> None:
    """Write the game's modules, and a notebook that shows its table with these opponents.

    The program's modules lie beside the notebook, so that its cell can import the table.
    """
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    for module, text in game.modules.items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8", newline="\n")
    against = ""  # users read the cell, so it leaves out the default
    if opponent is not Opponent.CAUTIOUS:
        against = f', against="{opponent}"'
    source = f'from hearts_course import show_table\n\nshow_table("{game.stage.table}"{against})'
    cells = [new_markdown_cell(WORDS, id="words"), new_code_cell(source, id="table")]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / NOTEBOOK)


def _wait_for_end(jupyter: "subprocess.Popen[bytes]") -> None:
    """Wait for Jupyter to end after Ctrl-C, which reached Jupyter as well.

    After a timeout or another Ctrl-C, terminate Jupyter. If that does not end it, kill it.
    """
    for end in (jupyter.terminate, jupyter.kill):
        try:
            jupyter.wait(MAX_SHUTDOWN_SECONDS)
            return
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            end()
    jupyter.wait()


def _missing() -> Iterator[str]:
    """Return the names of the packages that the table needs and that are not installed.

    Only look for the packages, because they are large and importing them would take long.
    """
    return (name for name in NEEDED if importlib.util.find_spec(name) is None)
