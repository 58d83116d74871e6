"""`hearts build` writes what is generated; a change by hand is noticed."""

import pytest
from hearts_course.authoring.build import build, outdated, stages_table
from hearts_course.course import Course
from hearts_course.errors import StageError
from tiny_course import GUIDE, REFERENCE, STAGE_TOML, write_course

TABLE = """\
| stage | what the student builds | source | tasks | points | hours |
| --- | --- | --- | --: | --: | --: |
| [01-coins](assignments/01-coins/README.md) | Coins and purses | none | 3 | 6 | 1 |
| **together** |  |  | 3 | 6 | 1 |"""
GENERATED = ["assignments/01-coins/coins.py", "notebooks/01-coins.ipynb", "README.md"]


@pytest.fixture
def course(tmp_path):
    return write_course(tmp_path)


def names(course, paths):
    return [str(path.relative_to(course.root)) for path in paths]


def stale(course):
    return names(course, [file.path for file in outdated(course, course.stages)])


def test_build_writes_starter_notebook_and_table_once(course):
    assert names(course, build(course, course.stages)) == GENERATED
    assert "raise NotImplementedError" in (course.root / GENERATED[0]).read_text()
    assert '"check-worth"' in (course.root / GENERATED[1]).read_text()
    readme = (course.root / "README.md").read_text()
    assert readme == GUIDE.replace("hearts build) -->\n", f"hearts build) -->\n{TABLE}\n")
    assert stale(course) == build(course, course.stages) == []


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.parametrize("change", [(b"coins", b"coin"), (b"\n", b"\r\n")])
def test_a_changed_file_is_outdated(course, name, change):
    build(course, course.stages)
    path = course.root / name
    path.write_bytes(path.read_bytes().replace(*change))
    (file,) = outdated(course, course.stages)
    assert file.problem == f"{path}: out of date; run `hearts build`"


def test_a_missing_file_is_outdated(course):
    build(course, course.stages)
    path = course.root / GENERATED[1]
    path.unlink()
    (file,) = outdated(course, course.stages)
    assert file.problem == f"{path}: missing; run `hearts build`"


def test_a_changed_source_makes_its_products_outdated(course):
    build(course, course.stages)
    path = course.root / "solutions/01-coins/coins.py"
    path.write_text(REFERENCE.replace("FACES", "SIDES"))
    assert stale(course) == GENERATED[:2]


def test_the_table_adds_up_over_the_stages(course):
    second = course.root / "assignments/02-more/stage.toml"
    second.parent.mkdir()
    toml = STAGE_TOML.replace("points = 2", "points = 10").replace('hours = "1"', 'hours = "2-3"')
    second.write_text(toml.replace("Coins and purses", "This | that"))
    lines = stages_table(Course(course.root).stages).splitlines()
    assert lines[-2].startswith("| [02-more](assignments/02-more/README.md) | This \\| that |")
    assert lines[-2].endswith("| 3 | 14 | 2-3 |")
    assert lines[-1] == "| **together** |  |  | 6 | 20 | 3-4 |"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"STAGE_TOML": STAGE_TOML.replace('"1"', '"some"')},
            r'hours = "some"; write whole hours',
        ),
        ({"GUIDE": "# Coins\n"}, r"README\.md: no place for the table"),
    ],
)
def test_a_table_that_cannot_be_made_is_reported_and_nothing_is_written(tmp_path, changes, problem):
    course = write_course(tmp_path, **changes)
    with pytest.raises(StageError, match=problem):
        build(course, course.stages)
    assert not (course.root / GENERATED[0]).exists()
