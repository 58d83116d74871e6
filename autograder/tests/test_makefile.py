"""`make` sets up a checkout again only if the checkout was moved or copied, or needs an update."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["checkout", "my course at Müller's"])
def checkout(request, tmp_path):
    """Return the folder of a checkout; from its files, `make` concludes that it is set up."""
    if not shutil.which("make"):
        pytest.skip("needs make")
    folder = tmp_path / request.param
    (folder / ".venv").mkdir(parents=True)
    for name in ("pyproject.toml", "constraints.txt", "Makefile"):
        shutil.copy(ROOT / name, folder)
    (folder / ".venv/.grader").write_text(f"{folder.resolve()}\n")
    (folder / ".venv/.installed").touch()
    return folder


def planned(target, folder):
    """Return the commands that make would run."""
    done = subprocess.run(
        ["make", "-n", target], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_what_is_set_up_is_not_set_up_again(checkout):
    assert "-m venv" not in planned("demo", checkout)
    assert "-m venv" not in planned("setup", checkout)


@pytest.mark.parametrize("move", [shutil.copytree, shutil.move])
def test_a_checkout_that_was_moved_or_copied_is_set_up_again(checkout, move):
    there = checkout.with_name("elsewhere")
    move(checkout, there)
    assert "-m venv" in planned("demo", there)
    assert "'.[dev]'" in planned("test", there)


def test_a_checkout_whose_requirements_changed_is_set_up_again(checkout):
    set_up = (checkout / ".venv/.grader").stat().st_mtime
    os.utime(checkout / "constraints.txt", (set_up + 10, set_up + 10))
    assert "-m venv" in planned("demo", checkout)
