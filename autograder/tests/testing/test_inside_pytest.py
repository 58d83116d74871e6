"""pytest has the private names that `inside_pytest` uses, and they do what is needed there."""

import ast
import re
from pathlib import Path

import hearts_course
import hearts_grader
import pytest
from hearts_course.testing import inside_pytest

NAMES = (  # pytest 8.3 already has each of these
    "_pytest.config._prepareconfig",
    "_pytest.config.Config._do_configure",
    "_pytest.config.Config._ensure_unconfigure",
    "_pytest.assertion.util._reprcompare",
    "_pytest.python.Function._fixtureinfo",
    "_pytest.python.Function.callspec",
)
OF_OBJECTS = {"_fixtureinfo", "callspec"}  # a constructor sets these, so the class lacks them


@pytest.fixture
def function(request):
    return request.node


@pytest.mark.parametrize("name", [name for name in NAMES if name.split(".")[-1] not in OF_OBJECTS])
def test_pytest_has_the_name(name):
    *path, last = name.split(".")
    module = ".".join(part for part in path if part[0].islower() or part == "_pytest")
    owner = pytest.importorskip(module)
    for part in path:
        if part[0].isupper():
            owner = getattr(owner, part)
    assert hasattr(owner, last), f"pytest {pytest.__version__} has no {name}"


@pytest.mark.parametrize("rank", ["Q"])
def test_a_test_knows_its_fixtures_and_its_parameters(function, rank):
    definitions = inside_pytest.fixtures_of(function)
    assert definitions["function"][-1].argname == "function"
    assert inside_pytest.parameters_of(function) == {"rank": "Q"}


def test_a_plain_test_has_no_parameters(function):
    assert inside_pytest.parameters_of(function) is None


def test_both_sides_of_a_failed_assert_are_handed_over():
    seen = []

    def compare(op, left, right):
        seen.append((op, left, right))

    card = "QS"
    with inside_pytest.comparing_by(compare), pytest.raises(AssertionError):
        assert card == "QH"
    assert seen == [("==", "QS", "QH")]
    with pytest.raises(AssertionError):
        assert card == "KH"
    assert len(seen) == 1


def test_no_other_module_uses_a_private_name_of_pytest():
    users = set()
    private = {name.split(".")[-1] for name in NAMES}
    for package in (hearts_course, hearts_grader):
        for path in Path(package.__file__).parent.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if not any(name in text for name in (*private, "_pytest")):
                continue  # parsing takes long, so skip most files
            tree = ast.parse(text)
            imported = {
                node.module
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and node.module
            }
            attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            if private & attributes or any(name.startswith("_pytest") for name in imported):
                users.add(path.name)
    assert users == {"inside_pytest.py"}


def test_pytest_has_an_upper_bound():
    settings = Path(hearts_course.__file__).parents[2] / "pyproject.toml"
    lower, upper = re.search(r'"pytest>=([\d.]+),<(\d+)"', settings.read_text()).groups()
    assert int(lower.split(".")[0]) <= int(pytest.__version__.split(".")[0]) < int(upper)
