"""What `hearts verify` finds in a stage's files, tests and examples."""

from collections.abc import Callable, Iterable

import pytest
from hearts_course.authoring import checks
from hearts_course.authoring.build import build
from hearts_course.course import Course, Stage
from hearts_course.errors import StageError
from tiny_course import BRIEF, CHAFFS, HIDDEN, HINTS, PATTERNS, STAGE_TOML, VISIBLE, write_course

Check = Callable[[Course, Stage], Iterable[str]]
TEXTS = {"VISIBLE": VISIBLE, "HIDDEN": HIDDEN}


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
        checks.known_patterns,
        checks.marked_tests,
        checks.explained_tests,
        checks.examples,
        checks.near_examples,
        checks.fair_points,
    ],
)
def test_a_good_stage_has_no_problem(course, check):
    assert found(check, course) == []


def test_a_good_course_has_no_problem(course):
    for name in ("autograder/hearts_course", "autograder/tests", "notebooks/.ipynb_checkpoints"):
        (course.root / name).mkdir()
    assert [*checks.unknown_files(course), *checks.unique_names(course)] == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("assignments/01-coins/README.md", ""),
        ("assignments/01-coins/hints.md", ""),
        ("assignments/01-coins/coins.py", ""),
        ("solutions/01-coins/coins.py", ""),
        ("solutions/01-coins/design.md", ""),
        ("autograder/01-coins/chaffs.toml", ""),
        ("notebooks/01-coins.ipynb", ""),
        ("assignments/01-coins/test_coins.py", "assignments/01-coins: no test_*.py"),
        ("autograder/01-coins/test_coins_hidden.py", "autograder/01-coins: no test_*.py"),
    ],
)
def test_a_missing_file_is_a_problem(course, name, line):
    (course.root / name).unlink()
    (problem,) = found(checks.needed_files, course)
    assert problem.startswith(line or f"{name}: missing; write it or build it")


@pytest.mark.parametrize("place", ["assignments", "solutions"])
def test_a_module_that_the_stage_does_not_name_is_a_problem(course, place):
    (course.root / place / "01-coins/old.py").touch()
    assert found(checks.needed_files, course) == [
        f"{place}/01-coins/old.py: not among `files` of stage.toml; name it there or delete it"
    ]


@pytest.mark.parametrize(
    "name",
    ["assignments/09-x/a.md", "solutions/09-x/a.py", "autograder/09-x/a", "notebooks/x.ipynb"],
)
def test_a_folder_or_notebook_without_a_stage_is_a_problem(course, name):
    path = course.root / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    unknown = path if path.suffix == ".ipynb" else path.parent
    assert list(checks.unknown_files(course)) == [
        f"{unknown}: no stage.toml describes it; write one or delete it"
    ]


def test_an_outdated_file_is_a_problem(course):
    (course.root / "assignments/01-coins/coins.py").write_text("")
    assert found(checks.current_files, course) == [
        "assignments/01-coins/coins.py: out of date; run `hearts build`"
    ]


def test_a_blank_that_does_not_exist_is_a_problem(tmp_path):
    course = write_course(tmp_path, STAGE_TOML=STAGE_TOML.replace("Coin.worth", "Coin.wort"))
    with pytest.raises(StageError, match=r"no 'Coin\.wort'; did you mean 'Coin\.worth'\?"):
        found(checks.existing_blanks, course)


def test_problems_of_the_brief_and_of_the_hints_are_both_reported(tmp_path):
    brief, hints = BRIEF.replace("(1 point)", "(2 points)"), HINTS.replace("Add up", "Add")
    course = write_course(tmp_path, BRIEF=brief, HINTS=hints)
    first, second = found(checks.brief_and_hints, course)
    assert first.startswith("assignments/01-coins/README.md:22: found '## Task 3: Add up (2 poi")
    assert second.startswith("assignments/01-coins/hints.md:19: found '## Task 3: Add' where")


@pytest.mark.parametrize(
    ("find", "put", "problem"),
    [
        ("points = 1", "points = 0", "total: points = 0; write a whole number above 0"),
        ('["total"]', '["sum"]', "purse builds on 'sum', which is not another task of the stage"),
        ('["total"]', '["purse"]', "purse builds on 'purse', which is not another"),
        ('hours = "1"', 'hours = "1"\nbuilds_on = ["01-coins"]', "builds on '01-coins', which is"),
    ],
)
def test_points_and_what_builds_on_what(tmp_path, find, put, problem):
    course = write_course(tmp_path, STAGE_TOML=STAGE_TOML.replace(find, put))
    (line,) = found(checks.valid_points, course)
    assert line.startswith(f"assignments/01-coins/stage.toml: {problem}")


def test_patterns_must_be_those_of_the_chaffs(tmp_path):
    text = PATTERNS.replace("five", "six").replace('"task": "total"', '"task": "purse"')
    course = write_course(tmp_path, PATTERNS=text)
    advice = "run `hearts build 01-coins --patterns`"
    where = "autograder/01-coins/patterns.json"
    assert found(checks.known_patterns, course) == [
        f"{where}: 'a dime is worth five' is missing; {advice}",
        f"{where}: 'a dime is worth six' is no longer a chaff; {advice}",
        f"{where}: 'counts the coins instead of their worth' is listed under another task; "
        f"{advice}",
    ]


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


NO_MARK = [
    "assignments/01-coins/test_coins.py:11: test_add: no task; mark it with @pytest.mark.task(...)",
    "assignments/01-coins: no visible test of the task 'purse'; write one",
]
WRONG_MARK = [
    "autograder/01-coins/test_coins_hidden.py:5: test_richest: "
    "01-coins has no task 'totl'; correct the mark"
]
ONE_MARK = [
    "assignments/01-coins: no visible test of the task 'purse'; write one",
    "assignments/01-coins: no visible test of the task 'total'; write one",
]
MARKED = 'import pytest\npytestmark = [pytest.mark.task("worth")]\ndef test_it(): pass\n'


@pytest.mark.parametrize(
    ("constant", "find", "put", "problems"),
    [
        ("VISIBLE", '@pytest.mark.task("purse")\n', "", NO_MARK),
        ("HIDDEN", '"total"', '"totl"', WRONG_MARK),
        ("VISIBLE", VISIBLE, MARKED, ONE_MARK),
    ],
)
def test_every_test_belongs_to_a_task(tmp_path, constant, find, put, problems):
    text = TEXTS[constant].replace(find, put)
    assert found(checks.marked_tests, write_course(tmp_path, **{constant: text})) == problems


@pytest.mark.parametrize(
    ("constant", "find", "put", "problem"),
    [
        ("VISIBLE", '"""A purse takes coins."""', "pass", "test_coins.py:12: test_add: no topic"),
        ("VISIBLE", "A purse takes coins.", " ", "test_coins.py:12: test_add: no topic"),
        ("HIDDEN", "The richest purse is worth most.\n\n    ", "", "test_richest: no topic"),
        ("HIDDEN", "Try: ", "", "test_coins_hidden.py:5: test_richest: no near example"),
        ("HIDDEN", "\n\n    Try", "\n    Try", "test_richest: no near example"),
        ("HIDDEN", "Try: purse", "Try: \n    purse", "test_richest: no near example"),
    ],
)
def test_every_test_has_a_topic_and_every_hidden_one_a_near_example(
    tmp_path, constant, find, put, problem
):
    text = TEXTS[constant].replace(find, put)
    (line,) = found(checks.explained_tests, write_course(tmp_path, **{constant: text}))
    assert problem in line


def test_an_example_that_does_not_hold_is_a_problem(tmp_path):
    files = ">>> open(\"data.txt\").read()\n'1 2'\n```\n\n```pycon\n>>> Coin()\n"
    brief = BRIEF.replace("worth\n10\n", f"worth\n11\n{files}")
    course = write_course(tmp_path, BRIEF=brief)
    (course.root / "assignments/01-coins/data.txt").write_text("1 2")
    first, second = found(checks.examples, course)
    where = "assignments/01-coins/README.md"
    gives = "gives '10', not '11'; correct the brief"
    assert first == f'{where}:13: the example `Coin("dime").worth` {gives}'
    assert second.startswith(f"{where}:20: the example `Coin()` gives TypeErr")


@pytest.mark.parametrize(
    ("example", "shows"),
    [
        ("purse = Purse(); richest([purse]).total()", False),
        ("purse = Purse(); purse.add(Coin('dime')); 1, purse.total()", True),
        ("purse = Purse(); print('fails', purse); open('none')", False),
        ("a purse with two coins", True),
        ("purses[0].total() of your own purses", True),
        ("purses[0].total()", True),
    ],
    ids=["same value", "other value", "same error", "a sentence", "a sketch", "undefined names"],
)
def test_a_near_example_shows_what_its_test_finds(tmp_path, example, shows):
    text = HIDDEN.replace(
        'purse = Purse(); purse.add(Coin("dime")); richest([purse]).total()', example
    )
    problems = found(checks.near_examples, write_course(tmp_path, HIDDEN=text))
    where = "autograder/01-coins/test_coins_hidden.py:5: test_richest"
    mistake = "'counts the coins instead of their worth'"
    line = f"{where}: `Try:` does not show {mistake}; ask for more"
    assert problems == ([] if shows else [line])


def test_a_mistake_in_the_first_task_costs_at_most_a_third(tmp_path):
    text = STAGE_TOML.replace("points = 2", "points = 3")
    assert found(checks.fair_points, write_course(tmp_path, STAGE_TOML=text)) == [
        "01-coins: 'a dime is worth five' may cost 3.0 of 7 points; "
        "make the tests of later tasks depend less on the first"
    ]


def test_a_near_example_that_never_ends_shows_a_mistake(tmp_path):
    chaffs = CHAFFS.replace("1 for", "1 for _ in iter(int, 1) for")
    text = HIDDEN.replace('purse.add(Coin("dime")); ', "")
    course = write_course(tmp_path, CHAFFS=chaffs, HIDDEN=text)
    assert found(checks.near_examples, course) == []
