"""`constraints.txt` pins every package, to a version that supports every Python of the course.

If a pin is missing or excludes one of these Pythons, an older pip searches for minutes.
"""

import importlib.metadata
import platform
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
PINS = [Requirement(line) for line in LINES if not line.startswith("#")]
PYTHONS = [
    version
    for minor in (11, 12, 13, 14)
    for version in (f"3.{minor}.{micro}" for micro in range(20))
    if version in SpecifierSet(PROJECT["requires-python"])
]


def is_for(pin, python):
    """Return whether the pin's marker admits this version of Python."""
    short = python.rpartition(".")[0]
    environment = {"python_full_version": python, "python_version": short}
    return pin.marker is None or pin.marker.evaluate(environment)


def excluded(pin, supported):
    """Return the versions of Python that the pin's marker admits, but the package excludes."""
    admitted = SpecifierSet(supported or "")
    return [version for version in PYTHONS if is_for(pin, version) and version not in admitted]


def supported_by(pin):
    """Return which Pythons the package supports, such as ">=3.11"; None if it is not installed."""
    try:
        return importlib.metadata.metadata(pin.name).json.get("requires_python", "")
    except importlib.metadata.PackageNotFoundError:
        return None


def test_every_pin_admits_every_python_that_is_promised():
    known = [(pin, supported) for pin in PINS if (supported := supported_by(pin)) is not None]
    faulty = {str(pin): found for pin, supported in known if (found := excluded(pin, supported))}
    assert faulty == {}


def test_a_pin_that_excludes_the_first_python_is_reported_unless_its_marker_does():
    assert excluded(Requirement("a==1"), ">=3.11.2") == ["3.11.0", "3.11.1"]
    assert excluded(Requirement("a==1"), ">=3.11,!=3.12.4") == ["3.12.4"]
    assert excluded(Requirement('a==1; python_version >= "3.12"'), ">=3.12") == []
    assert excluded(Requirement("a==1"), None) == []


def needed(requirement, seen):
    """Add (name, extra) to `seen` for each package that pip installs for the requirement."""
    name = canonicalize_name(requirement.name)
    found = {(name, extra) for extra in {"", *requirement.extras}} - seen
    seen |= found
    for _, extra in found:
        for line in importlib.metadata.requires(name) or ():
            further = Requirement(line)
            if further.marker is None or further.marker.evaluate({"extra": extra}):
                needed(further, seen)


def test_every_package_that_is_installed_with_the_course_is_pinned():
    seen = set()
    try:
        needed(Requirement("hearts-course[dev]"), seen)
    except importlib.metadata.PackageNotFoundError as missing:
        pytest.skip(f"{missing}: what the tests need is not installed as a whole")
    pinned = {canonicalize_name(pin.name) for pin in PINS if is_for(pin, platform.python_version())}
    assert sorted({name for name, _ in seen} - pinned - {"hearts-course"}) == []


def test_every_pin_names_a_single_version():
    assert [str(pin) for pin in PINS if not str(pin.specifier).startswith("==")] == []
    names = [canonicalize_name(pin.name) for pin in PINS]
    assert sorted(names) == sorted(set(names))
