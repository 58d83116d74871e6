"""`hearts build` writes what is generated; whatever is touched by hand shows."""

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


@pytest.fixture
def course(tmp_path):
    return write_course(tmp_path)


def names(course, paths):
    return [str(path.relative_to(course.root)) for path in paths]


GENERATED = ["assignments/01-coins/coins.py", "notebooks/01-coins.ipynb", "README.md"]


def test_build_writes_starter_notebook_and_table(course):
    assert names(course, build(course, course.stages)) == GENERATED
    assert "raise NotImplementedError" in (course.root / GENERATED[0]).read_text()
    assert '"check-worth"' in (course.root / GENERATED[1]).read_text()
    readme = (course.root / "README.md").read_text()
    assert readme == GUIDE.replace("hearts build) -->\n", f"hearts build) -->\n{TABLE}\n")


def test_build_does_nothing_twice(course):
    build(course, course.stages)
    assert outdated(course, course.stages) == []
    assert build(course, course.stages) == []


@pytest.mark.parametrize("name", GENERATED)
def test_a_changed_file_is_outdated(course, name):
    build(course, course.stages)
    path = course.root / name
    path.write_bytes(path.read_bytes().replace(b"coins", b"coin"))
    assert [file.problem for file in outdated(course, course.stages)] == [
        f"{path}: out of date; run `hearts build`"
    ]


def test_changed_line_ends_are_outdated(course):
    build(course, course.stages)
    path = course.root / GENERATED[0]
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert names(course, [f.path for f in outdated(course, course.stages)]) == GENERATED[:1]


def test_a_missing_file_is_outdated(course):
    build(course, course.stages)
    path = course.root / GENERATED[1]
    path.unlink()
    assert [file.problem for file in outdated(course, course.stages)] == [
        f"{path}: missing; run `hearts build`"
    ]


def test_a_change_of_a_source_makes_its_products_outdated(course):
    build(course, course.stages)
    path = course.root / "solutions/01-coins/coins.py"
    path.write_text(REFERENCE.replace("FACES", "SIDES"))
    assert names(course, [f.path for f in outdated(course, course.stages)]) == GENERATED[:2]


def test_the_table_adds_up_over_the_stages(course):
    second = course.root / "assignments/02-more/stage.toml"
    second.parent.mkdir()
    toml = STAGE_TOML.replace("points = 2", "points = 10").replace('hours = "1"', 'hours = "2-3"')
    second.write_text(toml.replace("Coins and purses", "This | that"))
    lines = stages_table(Course(course.root).stages).splitlines()
    assert lines[-2].startswith("| [02-more](assignments/02-more/README.md) | This \\| that |")
    assert lines[-2].endswith("| 3 | 14 | 2-3 |")
    assert lines[-1] == "| **together** |  |  | 6 | 20 | 3-4 |"


def test_hours_that_do_not_add_up_are_a_fault(tmp_path):
    course = write_course(tmp_path, STAGE_TOML=STAGE_TOML.replace('"1"', '"some"'))
    with pytest.raises(StageError, match=r'stage\.toml: hours = "some"; write whole hours'):
        build(course, course.stages)


def test_a_readme_without_a_place_for_the_table_is_a_fault_and_nothing_is_written(tmp_path):
    course = write_course(tmp_path, GUIDE="# Coins\n")
    with pytest.raises(StageError, match=r"README\.md: no place for the table"):
        build(course, course.stages)
    assert not (course.root / GENERATED[0]).exists()
