"""`hearts play --table`: Jupyter opens a notebook with the program, and is ended again."""

import json
import os
import subprocess
import sys

import pytest
from hearts_course import cli
from hearts_course.errors import StageError
from hearts_course.play import table
from hearts_course.play.game import playable, reference_game
from hearts_course.play.table import NO_QUESTION, NOTEBOOK, write_table_notebook
from hearts_course.view.players import Opponent
from hearts_grader.authoring.notebook import TABLE, build_notebook
from student_course import two_stages, use
from tiny_course import STAGE_TOML, write_stage

IGNORES_SIGNALS = """
import signal, sys, time
for name in sys.argv[1:]:
    signal.signal(getattr(signal, name), signal.SIG_IGN)
print(flush=True)
time.sleep(60)
"""
WITH_TABLE = STAGE_TOML.replace("source =", 'table = "coins"\nsource =')


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Return a course of two stages; the first stage has a card table."""
    course = two_stages(tmp_path / "course", STAGE_TOML=WITH_TABLE)
    use(course, monkeypatch)
    monkeypatch.chdir(tmp_path)
    return course


@pytest.fixture
def opened(monkeypatch):
    """Start no Jupyter; return a list that gets its command, its folder's files, and the folder."""
    started = []

    class Jupyter:
        def __init__(self, command, cwd):
            started.append((command, sorted(path.name for path in cwd.iterdir()), cwd))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def wait(self):
            return 3

    start_as(Jupyter, monkeypatch)
    return started


def test_a_notebook_is_opened_on_a_copy_of_the_program(course, opened, capsys):
    assert cli.run(["play", "--table", "--no-browser"]) == 3
    ((command, files, folder),) = opened
    jupyter = [sys.executable, "-m", "jupyter", "notebook"]
    assert command == [*jupyter, NOTEBOOK, NO_QUESTION, "--no-browser"]
    assert files == [NOTEBOOK, "coins.py"]
    assert not folder.exists()
    assert "Shift+Enter" in capsys.readouterr().out


def test_a_folder_that_cannot_be_deleted_is_left(course, opened, monkeypatch):
    """Windows may keep files in use for a moment after their process has ended."""
    with monkeypatch.context() as busy:
        busy.setattr(os, "rmdir", refuse)
        assert cli.run(["play", "--table"]) == 3
    folder = opened[0][2]
    assert list(folder.iterdir()) == []
    folder.rmdir()


def start_as(jupyter, monkeypatch):
    """Start this class instead of Jupyter's process."""
    monkeypatch.setattr(table.subprocess, "Popen", jupyter)


def refuse(*_, **__):
    raise OSError(16, "Device or resource busy")


@pytest.mark.parametrize("ignored", ["SIGINT", "SIGINT SIGTERM"])
def test_ctrl_c_waits_until_jupyter_has_ended(course, monkeypatch, ignored):
    started = []

    class Jupyter(subprocess.Popen):
        pressed = False

        def __init__(self, command, cwd):
            super().__init__(
                [sys.executable, "-c", IGNORES_SIGNALS, *ignored.split()], stdout=subprocess.PIPE
            )
            self.stdout.read(1)
            started.append(self)

        def wait(self, timeout=None):
            if not self.pressed:
                self.pressed = True
                raise KeyboardInterrupt
            return super().wait(timeout and 0.1)  # shorten every timeout to 0.1 s

    start_as(Jupyter, monkeypatch)
    status = cli.run(["play", "--table"])
    (jupyter,) = started
    ended = jupyter.poll() is not None
    jupyter.kill()
    assert (status, ended) == (0, True)


def test_the_notebook_shows_the_table_of_the_module(course, tmp_path):
    game = reference_game(course, playable(course, None, table=True))
    folder = tmp_path / "folder"
    folder.mkdir()
    write_table_notebook(game, folder)
    cells = json.loads((folder / NOTEBOOK).read_text(encoding="utf-8"))["cells"]
    assert "".join(cells[1]["source"]).endswith('show_table("coins")')
    assert (folder / "coins.py").read_text(encoding="utf-8") == game.modules["coins"]
    write_table_notebook(game, folder, Opponent.COUNTER)
    assert 'show_table(\\"coins\\", against=\\"counter\\")' in (folder / NOTEBOOK).read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("missing", ["anywidget", "notebook"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    course, opened, capsys, monkeypatch, missing
):
    monkeypatch.setitem(sys.modules, missing, None)  # an import of this package fails now
    assert cli.run(["play", "--table"]) == 2
    assert capsys.readouterr().err == (
        f"hearts: the card table needs {missing}; `pip install 'hearts-course[notebook]'`\n"
    )
    assert opened == []


@pytest.mark.parametrize("game", ["play", "table", "bot"])
def test_a_game_that_is_not_a_module_of_the_stage_is_an_error(tmp_path, game):
    toml = STAGE_TOML.replace("source =", f'{game} = "purse"\nsource =')
    with pytest.raises(StageError, match=f"{game} = 'purse' is not a module of"):
        write_stage(tmp_path, STAGE_TOML=toml)


def test_the_notebook_of_a_stage_with_a_table_ends_with_it(tmp_path):
    cells = build_notebook(write_stage(tmp_path, STAGE_TOML=WITH_TABLE)).cells
    assert [cell.id for cell in cells[-2:]] == ["table", "brief-end"]
    assert cells[-2].source == TABLE
    assert not cells[-2].metadata.nbgrader.grade
