"""What `hearts verify` finds in a stage's files, tests and examples."""

from collections.abc import Callable, Iterable

import pytest
from hearts_course.authoring import checks
from hearts_course.authoring.build import build
from hearts_course.course import Course, Stage
from hearts_course.errors import StageError
from tiny_course import (
    BRIEF,
    HIDDEN,
    HINTS,
    REFERENCE,
    STAGE_TOML,
    VISIBLE,
    write_course,
)

Check = Callable[[Course, Stage], Iterable[str]]


@pytest.fixture
def course(tmp_path):
    course = write_course(tmp_path)
    build(course, course.stages)
    return course


def found(check: Check, course: Course) -> list[str]:
    (stage,) = course.stages
    return [line.replace(f"{course.root}/", "") for line in check(course, stage)]


@pytest.mark.parametrize(
    "check",
    [
        checks.needed_files,
        checks.current_files,
        checks.existing_blanks,
        checks.brief_and_hints,
        checks.valid_points,
        checks.marked_tests,
        checks.explained_tests,
        checks.examples,
    ],
)
def test_a_good_stage_has_no_fault(course, check):
    assert found(check, course) == []


def test_a_good_course_has_no_fault(course):
    assert [*checks.unknown_files(course), *checks.unique_names(course)] == []


@pytest.mark.parametrize(
    "name",
    [
        "assignments/01-coins/README.md",
        "assignments/01-coins/hints.md",
        "assignments/01-coins/coins.py",
        "solutions/01-coins/coins.py",
        "solutions/01-coins/design.md",
        "autograder/01-coins/chaffs.toml",
        "notebooks/01-coins.ipynb",
    ],
)
def test_a_missing_file_is_a_fault(course, name):
    (course.root / name).unlink()
    assert found(checks.needed_files, course) == [f"{name}: missing; write it or build it"]


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("assignments/01-coins/test_coins.py", "assignments/01-coins"),
        ("autograder/01-coins/test_coins_hidden.py", "autograder/01-coins"),
    ],
)
def test_a_place_without_tests_is_a_fault(course, name, folder):
    (course.root / name).unlink()
    assert found(checks.needed_files, course) == [
        f"{folder}: no test_*.py; write at least one test"
    ]


@pytest.mark.parametrize("place", ["assignments", "solutions"])
def test_a_module_too_many_is_a_fault(course, place):
    (course.root / place / "01-coins/old.py").touch()
    assert found(checks.needed_files, course) == [
        f"{place}/01-coins/old.py: not among `files` of stage.toml; name it there or delete it"
    ]


@pytest.mark.parametrize(
    "name",
    ["assignments/09-x/a.md", "solutions/09-x/a.py", "autograder/09-x/a", "notebooks/x.ipynb"],
)
def test_a_stray_folder_or_notebook_is_a_fault(course, name):
    path = course.root / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    stray = path if path.suffix == ".ipynb" else path.parent
    assert list(checks.unknown_files(course)) == [
        f"{stray}: no stage.toml describes it; write one or delete it"
    ]


def test_the_tool_and_its_tests_are_no_strays(course):
    for name in ("autograder/hearts_course", "autograder/tests", "notebooks/.ipynb_checkpoints"):
        (course.root / name).mkdir()
    assert list(checks.unknown_files(course)) == []


def test_what_is_out_of_date_is_a_fault(course):
    (course.root / "assignments/01-coins/coins.py").write_text("")
    assert found(checks.current_files, course) == [
        "assignments/01-coins/coins.py: out of date; run `hearts build`"
    ]


def test_a_blank_that_does_not_exist_is_a_fault(tmp_path):
    course = write_course(tmp_path, STAGE_TOML=STAGE_TOML.replace("Coin.worth", "Coin.wort"))
    with pytest.raises(StageError, match=r"no 'Coin\.wort'; did you mean 'Coin\.worth'\?"):
        found(checks.existing_blanks, course)


def test_every_contradiction_of_brief_and_hints_is_told(tmp_path):
    brief, hints = BRIEF.replace("(1 point)", "(2 points)"), HINTS.replace("Add up", "Add")
    course = write_course(tmp_path, BRIEF=brief, HINTS=hints)
    first, second = found(checks.brief_and_hints, course)
    assert first.startswith("assignments/01-coins/README.md:22: found '## Task 3: Add up (2 poi")
    assert second.startswith("assignments/01-coins/hints.md:19: found '## Task 3: Add' where")


@pytest.mark.parametrize(
    ("find", "put", "fault"),
    [
        ("points = 1", "points = 0", "total: points = 0; write a whole number above 0"),
        ("points = 1", "points = 1.5", "total: points = 1.5; write a whole"),
        ("points = 1", "points = true", "total: points = True; write a whole"),
        ('["total"]', '["sum"]', "purse builds on 'sum', which is not another task of the stage"),
        ('["total"]', '["purse"]', "purse builds on 'purse', which is not another"),
        ('hours = "1"', 'hours = "1"\nbuilds_on = ["01-coins"]', "builds on '01-coins', which is"),
    ],
)
def test_points_and_what_builds_on_what(tmp_path, find, put, fault):
    course = write_course(tmp_path, STAGE_TOML=STAGE_TOML.replace(find, put))
    (line,) = found(checks.valid_points, course)
    assert line.startswith(f"assignments/01-coins/stage.toml: {fault}")


def test_names_are_unique_over_the_course(course):
    second = course.root / "assignments/02-more"
    second.mkdir()
    (second / "stage.toml").write_text(STAGE_TOML)
    (second / "test_coins.py").touch()
    course = Course(course.root)
    assert [line.partition(": ")[2] for line in checks.unique_names(course)] == [
        "2 modules are called 'coins'; rename all but one",
        "2 test files are called 'test_coins.py'; rename all but one",
        "2 tasks are called 'purse'; rename all but one",
        "2 tasks are called 'total'; rename all but one",
        "2 tasks are called 'worth'; rename all but one",
    ]


@pytest.mark.parametrize(
    ("constant", "text", "faults"),
    [
        (
            "VISIBLE",
            VISIBLE.replace('@pytest.mark.task("purse")\n', ""),
            [
                "assignments/01-coins/test_coins.py:11: test_add: no task; "
                "mark it with @pytest.mark.task(...)",
                "assignments/01-coins: no visible test of the task 'purse'; write one",
            ],
        ),
        (
            "HIDDEN",
            HIDDEN.replace('"total"', '"totl"'),
            [
                "autograder/01-coins/test_coins_hidden.py:5: test_richest: "
                "01-coins has no task 'totl'; correct the mark"
            ],
        ),
        (
            "VISIBLE",
            'import pytest\npytestmark = [pytest.mark.task("worth")]\ndef test_it(): pass\n',
            [
                "assignments/01-coins: no visible test of the task 'purse'; write one",
                "assignments/01-coins: no visible test of the task 'total'; write one",
            ],
        ),
    ],
)
def test_every_test_belongs_to_a_task(tmp_path, constant, text, faults):
    assert found(checks.marked_tests, write_course(tmp_path, **{constant: text})) == faults


@pytest.mark.parametrize(
    ("constant", "find", "put", "fault"),
    [
        ("VISIBLE", '"""A purse takes coins."""', "pass", "test_coins.py:12: test_add: no topic"),
        (
            "VISIBLE",
            '"""A purse takes coins."""',
            '""" """',
            "test_coins.py:12: test_add: no topic",
        ),
        ("HIDDEN", "The richest purse is worth most.\n\n    ", "", "test_richest: no topic"),
        ("HIDDEN", "Try: ", "", "test_coins_hidden.py:5: test_richest: no near example"),
        ("HIDDEN", "\n\n    Try", "\n    Try", "test_richest: no near example"),
        ("HIDDEN", "Try: richest([Purse(), Purse()])", "Try: ", "test_richest: no near example"),
    ],
)
def test_every_test_tells_its_topic_and_every_hidden_one_a_near_example(
    tmp_path, constant, find, put, fault
):
    text = {"VISIBLE": VISIBLE, "HIDDEN": HIDDEN}[constant].replace(find, put)
    (line,) = found(checks.explained_tests, write_course(tmp_path, **{constant: text}))
    assert fault in line


def test_an_example_that_does_not_hold_is_a_fault(tmp_path):
    brief = BRIEF.replace("worth\n10\n", "worth\n11\n```\n\n```pycon\n>>> Coin()\n")
    first, second = found(checks.examples, write_course(tmp_path, BRIEF=brief))
    assert first == (
        'assignments/01-coins/README.md:13: the example `Coin("dime").worth` '
        "gives '10', not '11'; correct the brief"
    )
    assert second.startswith(
        "assignments/01-coins/README.md:18: the example `Coin()` gives TypeErr"
    )


def test_examples_use_the_stages_own_files(tmp_path):
    brief = BRIEF.replace("worth\n10\n", "worth\n10\n>>> open(\"data.txt\").read()\n'1 2'\n")
    course = write_course(tmp_path, BRIEF=brief, REFERENCE=REFERENCE)
    (course.root / "assignments/01-coins/data.txt").write_text("1 2")
    assert found(checks.examples, course) == []
