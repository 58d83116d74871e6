"""`hearts build` writes the generated files; a file that a person has changed is out of date."""

import pytest
from hearts_course.course import Course
from hearts_grader.authoring.build import build, outdated, stages_table
from tiny_course import GUIDE, STAGE_TOML, write_course

TABLE = """\
| stage | what the student builds | source | tasks | points | hours |
| --- | --- | --- | --: | --: | --: |
| [01-coins](assignments/01-coins/README.md) | Coins and purses | none | 3 (1 elective) | 6 | 1 |
| **together** |  |  | 3 | 6 | 1 |"""
GENERATED = [
    "assignments/01-coins/coins.py",
    "notebooks/01-coins.ipynb",
    "assignments/01-coins/mistakes.json",
    "README.md",
]


@pytest.fixture
def course(tmp_path):
    return write_course(tmp_path)


def test_build_writes_starter_notebook_and_table_once(course):
    written = build(course, course.stages)
    assert [str(path.relative_to(course.root)) for path in written] == GENERATED
    assert "raise NotImplementedError" in (course.root / GENERATED[0]).read_text()
    assert '"check-worth"' in (course.root / GENERATED[1]).read_text()
    readme = (course.root / "README.md").read_text()
    assert readme == GUIDE.replace("hearts build) -->\n", f"hearts build) -->\n{TABLE}\n")
    assert build(course, course.stages) == []


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.parametrize("change", [(b"coins", b"coin"), (b"\n", b"\r\n")])
def test_a_changed_file_is_outdated(course, name, change):
    build(course, course.stages)
    path = course.root / name
    path.write_bytes(path.read_bytes().replace(*change))
    (file,) = outdated(course, course.stages)
    assert file.problem == f"{path}: out of date; run `hearts build`"


def test_the_table_adds_up_over_the_stages(course):
    second = course.root / "assignments/02-more/stage.toml"
    second.parent.mkdir()
    toml = STAGE_TOML.replace("points = 2", "points = 10")
    toml = toml.replace('hours = "1"', 'hours = "2-3"\nelective = true')
    second.write_text(toml.replace("Coins and purses", "This | that"))
    lines = stages_table(Course(course.root).stages).splitlines()
    assert lines[-2].startswith("| [02-more](assignments/02-more/README.md) | This \\| that |")
    assert lines[-3].endswith("| 3 (1 elective) | 6 | 1 |")
    assert lines[-2].endswith("| 3 (elective) | 14 | 2-3 |")
    assert lines[-1] == "| **together** |  |  | 6 | 20 | 3-4 |"
