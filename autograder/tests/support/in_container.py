"""Run Python in a container without privileges on this machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import hearts_course
import hearts_grader
import pytest

SUPPORT = Path(__file__).parent


def open_to_others(python):
    path = Path(python).resolve()
    ways = [*path.parents, path]
    return path.exists() and all(way.stat().st_mode & 0o001 for way in ways)


def python_for_others():
    """Return a Python of our version that any user may run, or ""."""
    show = "import sys; print(*sys.version_info[:2], sys.base_prefix)"
    for python in filter(open_to_others, (sys.executable, "/usr/bin/python3")):
        told = subprocess.run([python, "-c", show], capture_output=True, text=True, check=True)
        major, minor, prefix = told.stdout.split(maxsplit=2)
        if (int(major), int(minor)) == sys.version_info[:2] and open_to_others(prefix.strip()):
            return python
    return ""


def in_container(place):
    """Return the command and environment for Python in a container without Landlock.

    The tool is copied to `place`, which only root may enter.
    """
    python = python_for_others()
    if sys.platform != "linux" or os.geteuid() != 0 or not python:
        pytest.skip("needs root, and a Python that others may run")
    become_another = "import os; os.setgroups([]); os.setresuid(65534, 65534, 65534)"
    if subprocess.run([python, "-c", become_another], capture_output=True).returncode:
        pytest.skip("needs root that may become another user")
    tests = place / "autograder/tests"
    for package in (hearts_course, hearts_grader):
        shutil.copytree(Path(package.__file__).parent, place / "autograder" / package.__name__)
    shutil.copytree(SUPPORT.parent / "hostile", tests / "hostile")
    (tests / "support").mkdir()
    shutil.copy(SUPPORT / "container.py", tests / "support")
    place.chmod(0o700)
    packages = [path for path in sys.path if path.endswith("-packages")]
    paths = os.pathsep.join([str(place / "autograder"), str(tests), *packages])
    command = [python, str(tests / "support/container.py"), "--no-landlock", python, "-P"]
    return command, os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
