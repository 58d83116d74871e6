"""The sample class has every kind of submission; each student's name says which kind."""

import filecmp
import os

import pytest
from hearts_course.course import Course
from hearts_course.results import Outcome, Status
from hearts_course.submissions.read import read_submission
from hearts_grader.authoring.build import build
from hearts_grader.authoring.sample import HOSTILE, IN_EVERY_STAGE, make_sample
from hearts_grader.authoring.scaffold import scaffold
from hearts_grader.grading.grade import GradeJob, grade_one
from tiny_course import REFERENCE, write_course

STAGE = "01-coins"
PLAIN = REFERENCE.replace("# %% coin\n", "").replace("# %% purse\n", "")
ALTERNATIVE = f"{REFERENCE}# written differently\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = write_course(tmp_path_factory.mktemp("course"))
    build(course, course.stages)
    alternative = course.stages[0].autograder / "alternatives/another/coins.py"
    alternative.parent.mkdir(parents=True)
    alternative.write_text(ALTERNATIVE)
    return course


@pytest.fixture(scope="module")
def folder(course, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample") / "class"
    assert len(make_sample(course.stages, folder)) == 26
    return folder


def submission(course, folder, student):
    return read_submission(folder / student / STAGE, student, course.stages[0])


@pytest.mark.parametrize(
    ("student", "source"),
    [
        ("ada-reference", REFERENCE),
        ("ana-notebook", PLAIN),
        ("art-zip", REFERENCE),
        ("abe-written-differently", ALTERNATIVE),
        ("sue-failing-scratch-cells", PLAIN),
        ("ben-a-dime-is-worth-five", REFERENCE.replace("10 if", "5 if")),
        (
            "bo-counts-the-coins-instead-of-their-worth",
            REFERENCE.replace("coin.worth for", "1 for"),
        ),
        ("ida-import-raises", f'{REFERENCE}\n\nraise RuntimeError("this deck is cursed")\n'),
        ("ian-import-loops", f"{REFERENCE}\n\nwhile True:\n    pass\n"),
        ("jan-exit-on-import", f"{REFERENCE}\n\nimport sys\n\nsys.exit(0)\n"),
        ("hal-syntax-error", REFERENCE.replace("class Coin:", "class Coin")),
    ],
)
def test_a_program_that_can_be_read(course, folder, student, source):
    handed_in = submission(course, folder, student)
    assert (handed_in.problem, handed_in.modules) == ("", {"coins": source})


@pytest.mark.parametrize(
    ("student", "sign"),
    [
        ("jim-loop-under-except", "            except:\n                pass\n"),
        ("kay-exit-in-function", "        os._exit(0)\n"),
        ("leo-endless-output", "        while True:\n            print("),
        ("max-two-gigabytes", "* 2 * 2**30)\n"),
    ],
)
def test_a_hostile_body_takes_the_place_of_the_first_blank(course, folder, student, sign):
    source = submission(course, folder, student).modules["coins"]
    compile(source, "coins.py", "exec")
    assert sign in source
    assert "10 if" not in source
    assert "The coin's worth in pence." in source
    assert "self._coins.append(coin)" in source


@pytest.mark.needs_sandbox
def test_a_half_done_program_has_the_first_tasks(course, folder):
    handed_in = submission(course, folder, "eva-half-done")
    assert "self._coins.append(coin)" in handed_in.modules["coins"]
    assert handed_in.modules["coins"].count("raise NotImplementedError") == 2
    assert grade_one(GradeJob(course.stages[0], handed_in)).score == 5
    unchanged = submission(course, folder, "eli-starter-unchanged")
    assert unchanged.modules == course.stages[0].starter()


@pytest.mark.parametrize(
    ("student", "problem"),
    [
        ("fay-empty-folder", "nothing was handed in"),
        ("gus-wrong-file-name", "my_coins.py"),
        ("ned-not-utf8", "is not UTF-8"),
        ("oda-huge-file", "too big"),
        ("pam-broken-notebook", "is not a notebook"),
        ("ray-changed-grade-ids", "grade_id"),
        ("tom-zip-slip", "unsafe path"),
        ("una-zip-bomb", "200 MiB"),
        ("val-symlink", "symbolic link"),
    ],
)
def test_a_submission_that_cannot_be_read_is_what_its_name_says(course, folder, student, problem):
    handed_in = submission(course, folder, student)
    assert problem in handed_in.problem
    assert handed_in.modules == {}


def test_the_bomb_is_small_and_the_link_leads_to_another_student(folder):
    assert (folder / "una-zip-bomb" / STAGE / f"{STAGE}.zip").stat().st_size < 10**6
    link = folder / "val-symlink" / STAGE / "coins.py"
    assert link.is_symlink()
    assert link.resolve() == (folder / "ada-reference" / STAGE / "coins.py").resolve()


def test_the_same_course_gives_the_same_class(course, folder, tmp_path):
    again = tmp_path / "class"
    make_sample(course.stages, again)
    files = [
        os.path.relpath(path, folder)
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    ]
    assert filecmp.cmpfiles(folder, again, files, shallow=False) == (files, [], [])


def test_the_whole_class_hands_in_one_stage_and_a_few_the_others(tmp_path):
    course = write_course(tmp_path)
    scaffold(course, "08-moon")
    course = Course(course.root)
    build(course, course.stages)
    submitted = make_sample(course.stages, tmp_path / "class")
    everywhere = {student for student, stages in submitted.items() if stages == 2}
    assert everywhere >= set(IN_EVERY_STAGE)
    assert len(submitted) > 2 * len(everywhere)
    in_moon = {path.parent.name for path in (tmp_path / "class").glob("*/08-moon")}
    assert everywhere < in_moon, "the stage has its own misconceptions"


def test_without_hostile_programs_the_class_needs_no_sandbox(course, tmp_path):
    students = make_sample(course.stages, tmp_path / "class", hostile=False)
    assert not students.keys() & HOSTILE.keys()
    for student in students:
        handed_in = submission(course, tmp_path / "class", student)
        result = grade_one(GradeJob(course.stages[0], handed_in, "none"))
        assert result.status in (Status.GRADED, Status.MISSING, Status.UNREADABLE), result.message
        assert {test.outcome for task in result.tasks for test in task.tests} <= {
            *(Outcome.PASSED, Outcome.FAILED, Outcome.NOT_REACHED)
        }
