"""A program as another user, in what a container leaves of a machine; and Landlock by itself."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import hearts_course
import pytest
from hearts_course.course import Limits
from hearts_course.sandbox import backends
from hearts_course.sandbox.backends import sandbox_warnings, separate_user, warnings
from hearts_course.sandbox.backends.separate_user import start_as_user
from hearts_course.sandbox.worker import WORKER_DIR, seccomp

TESTS = Path(__file__).parents[1]
AIMS = (
    "reads the suite, the reference and the chaffs",
    "overwrites the suite, the grades and another's submission",
    "leaves a daemon behind, in a session of its own",
)


def open_to_others(python: str) -> bool:
    """Whether any user may run it, and find what it needs."""
    path = Path(python).resolve()
    ways = [*path.parents, path]
    return path.exists() and all(way.stat().st_mode & 0o001 for way in ways)


def python_for_others() -> str:
    """A Python of our version that any user may run, "" if there is none."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if open_to_others(python):
            ask = [python, "-c", "import sys; print(sys.version_info[:2] + (sys.base_prefix,))"]
            told = subprocess.run(ask, capture_output=True, text=True, check=False).stdout
            prefix = told.strip().strip("()").split("'")[-2] if "'" in told else "/root"
            if told.startswith(f"({sys.version_info[0]}, {sys.version_info[1]},") and (
                open_to_others(prefix)
            ):
                return python
    return ""


def in_container(place: Path, *words: str) -> list[str]:
    """The command, as root in a container without privileges and without Landlock.

    Nobody else may enter the place, nor see the tool in it.
    """
    python = python_for_others()
    if sys.platform != "linux" or os.geteuid() != 0 or not python:
        pytest.skip("needs root, and a Python that others may run")
    tests = place / "autograder/tests"
    package = Path(hearts_course.__file__).parent
    shutil.copytree(package, place / "autograder/hearts_course")
    shutil.copytree(TESTS / "hostile", tests / "hostile")
    shutil.copy(TESTS / "container.py", tests)
    place.chmod(0o700)
    return [python, str(tests / "container.py"), "--no-landlock", python, "-P", *words]


def environment(place: Path) -> dict[str, str]:
    packages = [path for path in sys.path if path.endswith("-packages")]
    paths = [str(place / "autograder"), str(place / "autograder/tests"), *packages]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.alone
def test_in_a_container_attacks_come_to_nothing(tmp_path: Path) -> None:
    """The suite is not read, results are not written, nobody is ended and nothing is left."""
    command = in_container(tmp_path, "-m", "hostile", "user", *AIMS)
    done = subprocess.run(
        command, env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = dict(map(json.loads, done.stdout.splitlines()))
    assert found == {aim: [] for aim in AIMS}


@pytest.fixture(name="no_landlock")
def _no_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "landlock_version", lambda: 0)


def test_that_it_is_weaker_is_said(monkeypatch: pytest.MonkeyPatch, no_landlock: None) -> None:
    lines = warnings("user")
    assert len(lines) == 2
    assert lines[1].startswith("a program may read what everybody may, and see what runs here")
    monkeypatch.setattr(backends, "unavailable_reason", lambda name: "" if name == "user" else "no")
    assert backends.choose_sandbox("auto") == "user"
    assert sandbox_warnings("auto", "user")[0].startswith(
        "the sandbox is user, a second choice: bwrap does not work here (no)"
    )
    monkeypatch.setattr(backends, "landlock_version", lambda: 7)
    assert len(warnings("user")) == 1


def test_what_works_better_is_taken_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        backends, "unavailable_reason", lambda name: "no" * (name == "bwrap")
    )
    assert backends.choose_sandbox("auto") == "sandlock"


def test_only_root_can_and_only_if_others_can_run_our_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(separate_user.os, "geteuid", lambda: 1000)
    with pytest.raises(PermissionError, match="only root"):
        start_as_user(["python", "-c", ""], Limits())
    monkeypatch.setattr(separate_user.os, "geteuid", lambda: 0)
    monkeypatch.setattr(separate_user, "_closed_folder", lambda: "/closed")
    with pytest.raises(PermissionError, match="may not enter /closed, where Python lies"):
        start_as_user(["python", "-c", ""], Limits())


@pytest.mark.parametrize(
    ("ranges", "least", "most"),
    [
        ("0 0 4294967295", separate_user.FIRST_UID, 2**32),
        ("0 1000 1\n1 100000 65536", 32_000, 65_537),
        ("0 0 1", 0, 1),
    ],
)
def test_its_user_is_nobody_else(
    monkeypatch: pytest.MonkeyPatch, ranges: str, least: int, most: int
) -> None:
    monkeypatch.setattr(Path, "read_text", lambda path: ranges)
    first, second = separate_user.unused_uid(), separate_user.unused_uid()
    assert least <= min(first, second) <= max(first, second) < most
    assert first != second or most == 1


def test_landlock_leaves_what_was_asked_for(tmp_path: Path) -> None:
    if not seccomp.landlock_version():
        pytest.skip("no Landlock in this kernel")
    (tmp_path / "open").mkdir()
    (tmp_path / "open/file").write_text("in reach")
    (tmp_path / "closed").write_text("out of reach")
    code = f"""
import sys
sys.path.insert(0, {str(WORKER_DIR.parent)!r})
from worker.seccomp import confine_files
print(confine_files(["{tmp_path}/open", "/not/there"], ["/dev/null"]))
print(open("{tmp_path}/open/file").read())
open("/dev/null", "w").write("x")
for doing in (lambda: open("{tmp_path}/closed"), lambda: open("{tmp_path}/open/new", "w")):
    try:
        doing()
    except PermissionError:
        print("refused")
"""
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert done.stdout.split("\n") == ["True", "in reach", "refused", "refused", ""], done.stderr


def test_without_landlock_nothing_is_pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp, "landlock_version", lambda: 0)
    assert not seccomp.confine_files(["/"])
